package main

import (
	"bytes"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// A request as the classes look at it.
type request struct {
	*message
	method, target string
	path, query    string   // as they came
	segments       []string // of the path after its base, as they came
	ids            []string // those in the places of ids, decoded
	params         []param  // of the query, decoded
	json           content
	named          map[string]string // texts of the interface's fields
	sequences      map[string]bool   // what the requests before make of this one
	slow           time.Duration     // between its head and its end
}

type param struct{ name, value string }

const keyHeader = "X-API-Key"

var (
	resources = []string{"connection-profiles", "rules", "hosts", "campaigns", "creatives"}
	fixed     = append([]string{"media-files"}, resources...)
	known     = []string{"name", "withoutCookiesAction", "withCookiesAction", "hostname", "regularExpression"}
	escaped   = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)
)

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
	if r.query != "" {
		for pair := range strings.SplitSeq(r.query, "&") {
			name, value, _ := strings.Cut(strings.ReplaceAll(pair, "+", " "), "=")
			r.params = append(r.params, param{decode(name), decode(value)})
		}
	}
	return r
}

// read looks at the body, once it is there.
func (r *request) read() {
	body := bytes.TrimPrefix(r.body, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(body) {
		body = bytes.ToValidUTF8(body, []byte("?"))
	}
	r.json = scan(string(body))
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

var shapes = []string{
	"/connection-profiles/*", "/connection-profiles/*/rules/*/hosts/*", "/campaigns/*", "/creatives/*", "/creatives/*/media-files",
}

func (r *request) update() bool {
	return slices.ContainsFunc([]string{shapes[0], shapes[1], shapes[2]}, func(s string) bool { return s == r.shape() })
}
