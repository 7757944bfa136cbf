package main

import (
	"bytes"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A request as the classes look at it.
type request struct {
	*message
	method, target string
	path, query    string   // as they came
	segments       []string // of the path after its base, as they came
	ids            []string // those in the places of ids, decoded
	params         []field  // of the query, decoded
	cookies        []field
	unpacked       []byte // the body out of its coding
	untrue         error  // why it cannot be had out of it
	text           string // the body where it is meant as JSON
	json           content
	named          map[string]string // texts of the interface's fields
	sequences      map[string]bool   // what the requests before make of this one
}

const keyHeader = "X-API-Key"

var (
	resources = []string{"connection-profiles", "rules", "hosts", "campaigns", "creatives"}
	fixed     = append([]string{"media-files"}, resources...)
	known     = []string{"name", "withoutCookiesAction", "withCookiesAction", "hostname", "regularExpression"}
	escaped   = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)
)

// The methods of the interface, by shape.
var operations = map[string]string{
	"/connection-profiles/*":                 http.MethodPatch,
	"/connection-profiles/*/rules/*/hosts/*": http.MethodPatch,
	"/campaigns/*":                           http.MethodPatch,
	"/creatives/*":                           http.MethodDelete,
	"/creatives/*/media-files":               http.MethodGet,
}

// decode resolves the escapes that are whole, and leaves the rest.
func decode(text string) string {
	return escaped.ReplaceAllStringFunc(text, func(escape string) string {
		b, err := url.PathUnescape(escape)
		if err != nil {
			return escape
		}
		return b
	})
}

func parse(m *message) *request {
	r := &request{message: m, named: map[string]string{}, sequences: map[string]bool{}}
	parts := strings.Split(m.start, " ")
	r.method = parts[0]
	if len(parts) > 1 {
		r.target = strings.Join(parts[1:max(2, len(parts)-1)], " ")
	}
	r.path, r.query, _ = strings.Cut(r.target, "?")
	if _, after, ok := strings.Cut(r.path, "://"); ok {
		_, after, _ = strings.Cut(after, "/")
		r.path = "/" + after
	}
	r.segments = strings.Split(strings.TrimPrefix(strings.TrimPrefix(r.path, "/v2"), "/"), "/")
	for i, segment := range r.segments[min(1, len(r.segments)):] {
		if slices.Contains(resources, strings.ToLower(decode(r.segments[i]))) {
			r.ids = append(r.ids, decode(segment))
		}
	}
	r.params = pairs(strings.ReplaceAll(r.query, "+", " "), "&")
	r.cookies = pairs(strings.ReplaceAll(strings.Join(m.values("Cookie"), ";"), " ", ""), ";")
	return r
}

func pairs(text, separator string) []field {
	var all []field
	for pair := range strings.SplitSeq(text, separator) {
		if name, value, _ := strings.Cut(pair, "="); pair != "" {
			all = append(all, field{decode(name), decode(value)})
		}
	}
	return all
}

// read looks at the body, once it is there. What is of another type, or of two or four bytes
// a character, is not looked at as JSON.
func (r *request) read() {
	if !r.complete {
		return
	}
	r.unpacked, r.untrue = unpack(r)
	of := strings.ToLower(r.first("Content-Type"))
	if r.untrue != nil || of != "" && !strings.Contains(of, "json") ||
		bytes.IndexByte(r.unpacked[:min(4, len(r.unpacked))], 0) >= 0 {
		return
	}
	body := bytes.TrimPrefix(r.unpacked, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(body) {
		body = bytes.ToValidUTF8(body, []byte("?"))
	}
	r.text = string(body)
	r.json = scan(r.text)
	for i, name := range r.json.names {
		if slices.Contains(known, name) && r.json.kinds[i] == '"' {
			r.named[name] = r.json.texts[i]
		}
	}
}

// shape is the path with a star in place of each id.
func (r *request) shape() string {
	var b strings.Builder
	for i, segment := range r.segments {
		if i%2 == 1 && segment != "media-files" {
			segment = "*"
		}
		b.WriteString("/" + segment)
	}
	return b.String()
}
