package passive

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/wire"
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
	Base           string // https://api.example/v2
	Missing        string // why it cannot be judged, or ""
	*wire.Exchange        // its Request.Path is that of the request line
}

// Why a recorded exchange of an operation is not judged. None is the target's fault.
const (
	NotWhole   = "not recorded whole"
	FromCache  = "answered by a cache or the browser itself"
	OutOfScope = "of a kind that the contract does not describe"
)

// A harEntry has the members of an entry that matter here. Members that begin with an underscore are additions of
// recorders: _error is written by Safari and by our reports, and in a response by Chromium; _fetchType by Safari.
type harEntry struct {
	StartedDateTime   string
	Time              float64 // milliseconds
	Error             any     `json:"_error"`
	FromCache         string  `json:"_fromCache"`
	ServiceWorker     bool    `json:"_fetchedViaServiceWorker"`
	FetchType         string  `json:"_fetchType"`
	Request, Response harMessage
}

type harMessage struct {
	Method, URL string
	Status      int // 0 if there is no answer
	StatusText  string
	HTTPVersion string
	Headers     []harPair
	PostData    *harBody // of a request
	Content     harBody  // of an answer
	BodySize    *float64
	Error       string `json:"_error"`
}

type harPair struct{ Name, Value string }

type harBody struct {
	Size         float64
	Text         *string
	Encoding     string // base64
	TextEncoding string `json:"_encoding"` // of a request, for which the format has no encoding
	Comment      string
}

// Open reads an archive. An error names the file and the reason.
func Open(path string, c *spec.Contract) (*Archive, error) {
	const remedy = "export a HAR from the browser's network tab"
	text, err := wording.ReadFile(path, 256)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; %s", path, err, remedy)
	}
	var file struct {
		Log struct {
			Creator json.RawMessage
			Entries []harEntry
		}
	}
	err = json.Unmarshal(bytes.TrimPrefix(text, []byte(byteOrder)), &file) // Firefox writes a byte order mark
	if err == nil && file.Log.Entries == nil {
		err = errors.New("log.entries is missing")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: not an HTTP Archive: %w; %s", path, err, remedy)
	}
	a := &Archive{chromium: bytes.Contains(file.Log.Creator, []byte("WebInspector"))}
	for _, h := range file.Log.Entries {
		base, target := locate(c, h.Request.Method, h.Request.URL)
		if target == "" {
			a.Others++
			continue
		}
		ex := &wire.Exchange{Request: wire.Request{Method: h.Request.Method, Path: target}}
		a.Entries = append(a.Entries, Entry{base, a.fill(ex, &h), ex})
	}
	return a, nil
}

// locate returns the base URL before the path of an operation, and the target in the request line,
// or "" if the request belongs to no operation.
func locate(c *spec.Contract, method, address string) (base, target string) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "", ""
	}
	path := u.EscapedPath()
	for at := range path {
		if op, _ := c.Match(method, path[at:]); path[at] == '/' && op != nil {
			return u.Scheme + "://" + strings.ToLower(u.Host) + path[:at], u.RequestURI()
		}
	}
	return "", ""
}

// fill copies a recorded exchange, which the recorder has already decoded, or returns why it
// cannot be judged.
func (a *Archive) fill(ex *wire.Exchange, h *harEntry) string {
	r, head := &h.Response, header(h.Response.Headers)
	ex.Request.Header, ex.Duration = header(h.Request.Headers), time.Duration(h.Time*float64(time.Millisecond))
	ex.Start, _ = time.Parse(time.RFC3339Nano, h.StartedDateTime)
	sent := true
	if b := h.Request.PostData; b != nil {
		ex.Request.Body, sent = b.bytes()
	}
	sent = sent && (len(ex.Request.Body) > 0 || h.Request.BodySize == nil || *h.Request.BodySize <= 0)
	body, whole := r.Content.bytes()
	length, coded := head.Get("Content-Length"), head.Get("Content-Encoding") != ""
	if r.Content.Text == nil && r.Content.Size <= 0 {
		whole = r.Status == http.StatusNoContent || length == "0" || length == "" && r.BodySize != nil && *r.BodySize == 0
	}
	isHost := func(p harPair) bool { return p.Name == ":authority" || strings.EqualFold(p.Name, "Host") }
	switch {
	case h.FromCache != "" || h.ServiceWorker || h.FetchType != "" && h.FetchType != "Network Load" || r.StatusText == "Internal Redirect":
		return FromCache
	case !sent, h.Error != nil && h.Error != "", r.Error != "", r.Status < 100 || r.Status > 999, !whole, float64(len(body)) < r.Content.Size,
		coded && !utf8.Valid(body), len(head) == 0 && len(body) > 0, // every answer has headers
		a.chromium && !slices.ContainsFunc(h.Request.Headers, isHost): // it knows some headers only once it is connected
		return NotWhole
	}
	if coded {
		head.Del("Content-Length")
		head.Del("Content-Encoding")
	}
	head.Del("Transfer-Encoding")
	ex.Response = &wire.Response{Proto: r.HTTPVersion, Status: r.Status, Header: head, Body: body}
	return ""
}

// bytes returns a body, and whether it is complete: a recorder that does not encode bytes writes U+FFFD
// for those that are not text, and our own reports shorten long bodies.
func (b *harBody) bytes() (body []byte, whole bool) {
	if b.Text == nil {
		return nil, false
	}
	whole = !strings.HasPrefix(b.Comment, "only the beginning")
	if b.Encoding == "base64" || b.TextEncoding == "base64" {
		body, err := base64.StdEncoding.DecodeString(*b.Text)
		return body, err == nil && whole
	}
	return []byte(*b.Text), whole && b.Encoding == "" && !strings.Contains(*b.Text, "\uFFFD")
}

func header(pairs []harPair) http.Header {
	h := http.Header{}
	for _, p := range pairs {
		if p.Name == "" || strings.HasPrefix(p.Name, ":") { // HTTP/2 has :path and other pseudo-headers
			continue
		}
		for value := range strings.SplitSeq(p.Value, "\n") { // Chromium joins values that came in several lines
			h.Add(p.Name, strings.TrimSpace(value))
		}
	}
	return h
}

// Base returns the base URL to judge: the wanted one, or else the only one. It returns "" if the
// archive has no exchange of an operation.
func (a *Archive) Base(wanted string) (string, error) {
	bases := map[string]bool{}
	for _, e := range a.Entries {
		bases[e.Base] = true
	}
	all := slices.Sorted(maps.Keys(bases))
	switch wanted = strings.TrimRight(wanted, "/"); {
	case len(all) == 0:
		return "", nil
	case wanted == "" && len(all) == 1:
		return all[0], nil
	case bases[wanted]:
		return wanted, nil
	}
	of := "the operations were called at " + strings.Join(all, ", ")
	if wanted != "" {
		of = "no operation was called at " + wanted + "; " + of
	}
	return "", fmt.Errorf("%s: choose one with --base-url", of)
}

// Keys reports whether requests below a base URL still have their keys: many recorders remove them.
func (a *Archive) Keys(base, keyHeader string) bool {
	return slices.ContainsFunc(a.Entries, func(e Entry) bool {
		return e.Base == base && e.Request.Header.Get(keyHeader) != ""
	})
}
