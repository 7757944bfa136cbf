package wire

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"strings"
)

// decoders undo the codings that servers and what stands before them apply although each
// request asks for none (Accept-Encoding: identity).
var decoders = map[string]func(body []byte) (io.Reader, error){
	"gzip":    gunzip,
	"x-gzip":  gunzip,
	"deflate": inflate,
}

// Decodable says whether Decode knows a value of Content-Encoding, none included.
func Decodable(coding string) bool {
	coding = strings.ToLower(strings.TrimSpace(coding))
	return coding == "" || coding == "identity" || decoders[coding] != nil
}

// Decode undoes a content coding (RFC 9110, 8.4.1), as far as the first limit
// bytes of what comes out. A coding that is not Decodable is left as it is.
func Decode(coding string, body []byte, limit int) ([]byte, error) {
	open := decoders[strings.ToLower(strings.TrimSpace(coding))]
	if open == nil || len(body) == 0 {
		return body, nil
	}
	r, err := open(body)
	if err != nil {
		return nil, err
	}
	if c, ok := r.(io.Closer); ok {
		defer c.Close()
	}
	return io.ReadAll(io.LimitReader(r, int64(limit)))
}

func gunzip(body []byte) (io.Reader, error) { return gzip.NewReader(bytes.NewReader(body)) }

// inflate reads what is called deflate: the zlib format, or by a common mistake
// the compressed data alone (RFC 9110, 8.4.1.2).
func inflate(body []byte) (io.Reader, error) {
	in := bufio.NewReader(bytes.NewReader(body))
	if r, err := zlib.NewReader(in); err == nil {
		return r, nil
	}
	return flate.NewReader(bytes.NewReader(body)), nil
}
