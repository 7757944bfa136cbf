package traffic

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
)

// An Archive holds the exchanges of the operations in an HTTP Archive 1.2
// (http://www.softwareishard.com/blog/har-12-spec).
type Archive struct {
	Others  int // exchanges that belong to no operation
	Entries []Entry

	chromium bool // the recorder
}

// An Entry is an exchange of an operation.
type Entry struct {
	Base           string // https://api.example/v2; "" if it is unknown
	Missing        string // why it cannot be judged, or ""
	*wire.Exchange        // its Request.Path is that of the request line
}

// Why a recorded exchange of an operation is not judged. None is the target's fault.
const (
	NotWhole   = "recorded only in part"
	FromCache  = "answered by a cache or the browser itself"
	OutOfScope = "that the contract does not cover"
	Between    = "answered by a gateway, a proxy or a cache"
	Aborted    = "aborted"
	KeyStopped = "refused as the key has stopped"
	Unreadable = "with an unreadable method, URL, status or body"
)

// Open reads an archive. An error names the file and the reason.
func Open(path string, c *spec.Contract) (*Archive, error) {
	const remedy = "export a HAR from the browser's network tab"
	text, err := wording.ReadFile(path, 256)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; %s", path, err, remedy)
	}
	log, err := readLog(text)
	if err != nil {
		if other := wording.NotText(text); other != nil {
			return nil, fmt.Errorf("%s: %w; %s", path, other, remedy)
		}
		return nil, fmt.Errorf("%s: not an HTTP Archive: %w; %s", path, err, remedy)
	}
	a := &Archive{chromium: bytes.Contains(log.Creator, []byte("WebInspector"))}
	for _, raw := range log.Entries {
		a.add(readEntry(raw), c)
	}
	return a, nil
}

// A harLog is the part of an archive that matters here.
type harLog struct {
	Creator json.RawMessage
	Entries []json.RawMessage
}

// readLog returns the log of an archive.
func readLog(text []byte) (log harLog, err error) {
	if text, err = inUTF8(text); err != nil {
		return log, err
	}
	file := struct{ Log *harLog }{&log}
	if err = json.Unmarshal(text, &file); errors.As(err, new(*json.SyntaxError)) {
		if json.Unmarshal(withoutNaN(text), &file) == nil {
			err = nil
		}
	}
	if err == nil && log.Entries == nil {
		err = errors.New("log.entries is missing")
	}
	return log, err
}

// readEntry decodes an entry, whatever it is.
func readEntry(raw json.RawMessage) (entry record) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	_ = d.Decode(&entry) // what is no object has no values
	return entry
}

// add adds an exchange of an operation.
func (a *Archive) add(entry record, c *spec.Contract) {
	request := entry.record("request")
	method := request.text("method")
	address := request.text("url")
	base, target := locate(c, method, address)
	ex := &wire.Exchange{Request: wire.Request{Method: method, Path: target}}
	switch {
	case address != "" && target == "":
		a.Others++
	case method == "" || base == "":
		a.Entries = append(a.Entries, Entry{base, Unreadable, ex})
	default:
		a.Entries = append(a.Entries,
			Entry{base, a.fill(ex, entry), ex})
	}
}

// locate returns the base URL before the path of an operation, "" without a scheme and host, and the target in the
// request line, "" if the request belongs to no operation. No method stands for any.
func locate(c *spec.Contract, method, address string) (base, target string) {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme == "") != (u.Host == "") {
		return "", ""
	}
	path := u.EscapedPath()
	for at := range path {
		if path[at] != '/' || !isOperation(c, method, path[at:]) {
			continue
		}
		if u.Host != "" {
			base = u.Scheme + "://" + authority(u) + path[:at]
		}
		return base, u.RequestURI()
	}
	return "", ""
}

// isOperation reports whether there is an operation with this method, if it is known, and this path.
func isOperation(c *spec.Contract, method, path string) bool {
	return slices.ContainsFunc(c.Operations, func(op *spec.Operation) bool {
		op, _ = c.Match(cmp.Or(method, op.Method), path)
		return op != nil
	})
}

// authority returns the host of a URL, with the port unless it is the scheme's default (RFC 3986, 6.2.3).
func authority(u *url.URL) string {
	host := strings.ToLower(u.Host)
	if port, ok := defaultPorts[strings.ToLower(u.Scheme)]; ok {
		host = strings.TrimSuffix(host, ":"+port)
	}
	return strings.TrimSuffix(host, ":")
}

var defaultPorts = map[string]string{"http": "80", "https": "443"}

// fill copies what is known of a recorded exchange, which the recorder has already decoded. It returns why the
// exchange cannot be judged, or "". Members that begin with an underscore are additions of recorders.
func (a *Archive) fill(ex *wire.Exchange, entry record) string {
	request := entry.record("request")
	response := entry.record("response")
	milliseconds, _ := entry.number("time")
	ex.Duration = time.Duration(milliseconds * float64(time.Millisecond))
	ex.Start, _ = time.Parse(time.RFC3339Nano, entry.text("startedDateTime"))
	ex.Request.Header = header(request.get("headers"))
	if len(ex.Request.Header) == 0 { // every request has some: the recorder left them out, and may have left out a key
		ex.Request.Credential.Name = wire.UnknownKey
	}
	var whyRequest string
	ex.Request.Body, whyRequest = readRequestBody(request)
	status, isKnown := response.number("status")
	isStatus := threeDigits.MatchString(fmt.Sprint(status))
	body, whyResponse := readResponseBody(response, status)
	head := header(response.get("headers"))
	if isStatus {
		ex.Response = &wire.Response{
			Proto: response.text("httpVersion"), Status: int(status), Header: head,
		}
	}
	switch {
	case isFromCache(entry):
		return FromCache
	case entry.has("_odd"): // our reports show such a request as it was written
		return OutOfScope
	case isAborted(entry), isKnown && status <= 0:
		return Aborted
	case !isStatus && response.has("status"):
		return Unreadable
	case whyRequest != "":
		return whyRequest
	case whyResponse != "":
		return whyResponse
	case !isStatus, isCut(head, body), a.chromium && !hasHost(request): // Chromium adds some headers when it connects
		return NotWhole
	}
	if head.Get("Content-Encoding") != "" {
		head.Del("Content-Length")
		head.Del("Content-Encoding")
	}
	head.Del("Transfer-Encoding")
	ex.Response.Body = body
	return ""
}

// threeDigits matches a status (RFC 9110, 15).
var threeDigits = regexp.MustCompile(`^[1-9][0-9][0-9]$`)

// isCut reports whether a recorder left out headers, which every answer has, or did not decode the body.
func isCut(head http.Header, body []byte) bool {
	if len(head) == 0 {
		return len(body) > 0
	}
	return head.Get("Content-Encoding") != "" && !utf8.Valid(body)
}

// isFromCache reports whether a cache of the browser answered: by Chromium's and Safari's words.
func isFromCache(entry record) bool {
	const fetched = "Network Load"
	switch {
	case entry.has("_fromCache"), entry.has("_fetchedViaServiceWorker"):
		return true
	case cmp.Or(entry.text("_fetchType"), fetched) != fetched:
		return true
	}
	return entry.record("response").text("statusText") == "Internal Redirect"
}

// isAborted reports whether a recorder says that there is no whole answer: Safari and our reports in the entry,
// Chromium and Playwright in the response.
func isAborted(entry record) bool {
	parts := []record{entry, entry.record("request"), entry.record("response")}
	return slices.ContainsFunc(parts,
		func(r record) bool { return r.has("_error") || r.has("_failureText") })
}

// hasHost reports whether the headers of a request name its host.
func hasHost(request record) bool {
	headers, _ := request.get("headers").([]any)
	return slices.ContainsFunc(headers, func(v any) bool {
		pair, _ := v.(map[string]any)
		name := record(pair).text("name")
		return name == ":authority" || strings.EqualFold(name, "Host")
	})
}

// readRequestBody returns the body of a request, or why it is unknown.
func readRequestBody(request record) (body []byte, why string) {
	if data, isObject := request.get("postData").(map[string]any); isObject {
		if body, why = readBodyOf(data, 0); why != "" {
			return nil, why
		}
	} else if request.has("postData") {
		return nil, Unreadable
	}
	if size, _ := request.number("bodySize"); len(body) == 0 && size > 0 {
		return nil, NotWhole
	}
	return body, ""
}

// readResponseBody returns the body of an answer, or why it is unknown.
func readResponseBody(response record, status float64) (body []byte, why string) {
	content := response.record("content")
	size, _ := content.number("size")
	if isTextMissing(content, size) {
		if isEmpty(response, status) {
			return nil, ""
		}
		return nil, NotWhole
	}
	body, why = readBodyOf(content, size)
	if why == "" && float64(len(body)) < size {
		why = NotWhole
	}
	return body, why
}

// isTextMissing reports whether an archive has no text of a body, which may be empty. Browsers write the size -1.
func isTextMissing(content record, size float64) bool {
	switch {
	case size < 0:
		return content.text("text") == ""
	case size == 0:
		return content.get("text") == nil
	}
	return false
}

// isEmpty reports whether an answer without a text had no body.
func isEmpty(response record, status float64) bool {
	if status == http.StatusNoContent {
		return true
	}
	if length := header(response.get("headers")).Get("Content-Length"); length != "" {
		return length == "0"
	}
	sent, isKnown := response.number("bodySize")
	return isKnown && sent == 0
}

// readBodyOf returns a body, or why it is unknown: a recorder that does not encode bytes writes U+FFFD
// for those that are not text, and our own reports shorten long bodies.
func readBodyOf(content record, size float64) (body []byte, why string) {
	text, isText := content.get("text").(string)
	encoding := cmp.Or(content.text("encoding"), content.text("_encoding")) // the format has none for a request
	isShortened := strings.HasPrefix(content.text("comment"), "only the beginning")
	switch body, isKnown := decodeBody(text, encoding, size); {
	case content.get("text") == nil, isShortened:
		return nil, NotWhole
	case !isText, !isKnown:
		return nil, Unreadable
	case strings.Contains(text, "\uFFFD"):
		return nil, NotWhole
	default:
		return body, ""
	}
}

// header returns the headers in a list of pairs or, as some recorders write them, in an object.
func header(recorded any) http.Header {
	h := http.Header{}
	add := func(name string, value any) {
		if name == "" || strings.HasPrefix(name, ":") { // HTTP/2 has :path and other pseudo-headers
			return
		}
		for _, line := range lines(value) {
			h.Add(name, line)
		}
	}
	switch recorded := recorded.(type) {
	case []any:
		for _, v := range recorded {
			pair, _ := v.(map[string]any)
			add(record(pair).text("name"), record(pair).get("value"))
		}
	case map[string]any:
		for name, value := range recorded {
			if _, isObject := value.(map[string]any); !isObject {
				add(name, value)
			}
		}
	}
	return h
}

// Base returns the base URL to judge: the wanted one, or else the only one. It returns "" if the
// archive has no exchange of an operation.
func (a *Archive) Base(wanted string) (string, error) {
	bases := map[string]bool{}
	for _, e := range a.Entries {
		if e.Base != "" {
			bases[e.Base] = true
		}
	}
	all := slices.Sorted(maps.Keys(bases))
	switch wanted = normal(wanted); {
	case len(all) == 0:
		return "", nil
	case wanted == "" && len(all) == 1:
		return all[0], nil
	case bases[wanted]:
		return wanted, nil
	}
	calls := "the operations were called at " + strings.Join(all, ", ")
	if wanted != "" {
		calls = "no operation was called at " + wanted + "; " + calls
	}
	return "", fmt.Errorf("%s: choose one with --base-url", calls)
}

// normal returns a base URL as an archive has it.
func normal(base string) string {
	u, err := url.Parse(strings.TrimRight(base, "/"))
	if err != nil || u.Host == "" {
		return base
	}
	return u.Scheme + "://" + authority(u) + u.EscapedPath()
}

// Keys reports whether requests below a base URL still have their keys: many recorders remove them.
func (a *Archive) Keys(base string, form fixtures.KeyForm) bool {
	return slices.ContainsFunc(a.Entries, func(e Entry) bool {
		key := cmp.Or(e.Request.Header.Get(form.Header),
			e.Request.Header.Get("Authorization"))
		return e.Base == base && key != ""
	})
}
