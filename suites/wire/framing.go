package wire

import (
	"bufio"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// note records an anomaly of the response being read.
func (r *rawReader) note(kind AnomalyKind, source, sentence string, args ...any) {
	r.anomalies = append(r.anomalies, Anomaly{kind, source, fmt.Sprintf(sentence, args...)})
}

// line reads up to CRLF or, as RFC 9112 §2.2 allows, LF alone.
func (r *rawReader) line() (string, error) {
	var line []byte
	for {
		part, err := r.in.ReadSlice('\n')
		line = append(line, part...)
		if r.headLeft -= int64(len(part)); r.headLeft < 0 {
			return "", transportErrorf(TooLarge, "the response head is larger than %d bytes", r.client.opt.MaxHeader)
		}
		switch {
		case err == nil:
			return strings.TrimSuffix(string(line[:len(line)-1]), "\r"), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return "", err
		}
	}
}

// The reason phrase and the space before it are often left out; that is harmless.
var statusLine = regexp.MustCompile(`^(HTTP/1\.[01]) ([1-9][0-9]{2})(?: .*)?$`)

// head reads a status line and the header section (RFC 9112 §4, §5).
func (r *rawReader) head() (*Response, error) {
	line, err := r.line()
	if err != nil {
		return nil, err
	}
	parts := statusLine.FindStringSubmatch(line)
	if parts == nil {
		return nil, transportErrorf(Malformed, "the status line is %q", line)
	}
	response := &Response{Proto: parts[1], Header: http.Header{}}
	response.Status, _ = strconv.Atoi(parts[2])
	for number := 1; ; number++ {
		line, err := r.line()
		if err != nil || line == "" {
			return response, err
		}
		r.field(response.Header, line, number)
	}
}

// field reads one header line and keeps what can be read of it.
func (r *rawReader) field(header http.Header, line string, number int) {
	malformed := func(why string) {
		r.note(MalformedHeader, "RFC 9112 §5", "header line %d %s", number, why)
	}
	if line[0] == ' ' || line[0] == '\t' {
		malformed("continues the one before, which is obsolete")
		return
	}
	name, value, found := strings.Cut(line, ":")
	trimmed := strings.TrimRight(name, " \t")
	switch {
	case !found:
		malformed("has no colon")
		return
	case trimmed != name:
		malformed("has white space before the colon")
	case !isToken(name):
		malformed("has a name that is not a token")
		return
	}
	if strings.ContainsFunc(value, isControl) {
		malformed("has a control character in its value")
	}
	if isToken(trimmed) {
		header.Add(trimmed, strings.Trim(value, " \t"))
	}
}

// trailer reads what follows the last chunk, up to the empty line.
func (r *rawReader) trailer() error {
	for {
		if line, err := r.line(); err != nil || line == "" {
			return err
		}
	}
}

type bodyKind int

const (
	noBody bodyKind = iota
	chunkedBody
	sizedBody
	bodyUntilClose
)

type framing struct {
	kind bodyKind
	size int64 // of a sizedBody
}

// framing tells where the body ends (RFC 9112 §6.3) and notes what contradicts.
func (r *rawReader) framing(response *Response, method string) framing {
	encodings := response.Header.Values("Transfer-Encoding")
	size, sized := r.contentLength(response.Header)
	if response.Status == http.StatusNoContent {
		r.noContent(response.Header, size, sized)
	}
	switch {
	case method == http.MethodHead, response.Status < 200,
		response.Status == http.StatusNoContent, response.Status == http.StatusNotModified:
		return framing{kind: noBody}
	case len(encodings) > 0:
		if response.Header.Get("Content-Length") != "" {
			r.note(ContentLengthWithEncoding, "RFC 9112 §6.2", "the response has both Content-Length and Transfer-Encoding")
		}
		codings := strings.Split(strings.Join(encodings, ","), ",")
		if strings.EqualFold(strings.TrimSpace(codings[len(codings)-1]), "chunked") {
			return framing{kind: chunkedBody}
		}
	case sized:
		return framing{kind: sizedBody, size: size}
	}
	return framing{kind: bodyUntilClose}
}

// noContent notes the headers that announce a body on a 204.
func (r *rawReader) noContent(header http.Header, size int64, sized bool) {
	if sized && size == 0 {
		r.note(ZeroContentLengthOn204, "RFC 9110 §8.6", "a 204 has Content-Length: 0, which it must not have")
	} else if sized {
		r.note(ContentLengthOn204, "RFC 9110 §8.6", "a 204 has Content-Length: %d", size)
	}
	if len(header.Values("Transfer-Encoding")) > 0 {
		r.note(TransferEncodingOn204, "RFC 9112 §6.1", "a 204 has Transfer-Encoding")
	}
}

// contentLength gives the first valid Content-Length (RFC 9110 §8.6).
func (r *rawReader) contentLength(header http.Header) (size int64, ok bool) {
	values := header.Values("Content-Length")
	if len(values) == 0 {
		return 0, false
	}
	values = strings.Split(strings.Join(values, ","), ",")
	var differs bool
	for _, v := range values {
		n, err := strconv.ParseUint(strings.TrimSpace(v), 10, 63)
		switch {
		case err != nil:
			r.note(BadContentLength, "RFC 9110 §8.6", "Content-Length is not a number of bytes")
		case !ok:
			size, ok = int64(n), true
		case size != int64(n):
			differs = true
		}
	}
	switch {
	case differs:
		r.note(ConflictingContentLength, "RFC 9112 §6.3", "Content-Length comes more than once, with different values")
	case len(values) > 1 && ok:
		r.note(RepeatedContentLength, "RFC 9110 §5.3", "Content-Length comes more than once")
	}
	return size, ok
}
