package main

import (
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

type request struct {
	*http.Request
	body   string
	fields map[string]any // of the body, where it is a JSON object
	texts  string         // all texts among their values
}

// A defect answers the requests that break it with 500 and a page of HTML, as an
// exception that nobody caught does.
type defect struct {
	id, what string
	breaks   func(request) bool
}

var (
	hugeID   = regexp.MustCompile(`/\d{19,}(/|$)`)
	letterID = regexp.MustCompile(`/campaigns/\d*[a-z]`)
	known    = []string{"name", "hostname", "regularExpression", "withCookiesAction", "withoutCookiesAction"}
)

var defects = []defect{
	{"none", "Nothing: the proxy alone.", func(request) bool { return false }},
	{"post", "POST on any path.", func(r request) bool { return r.Method == http.MethodPost }},
	{"trace", "TRACE on any path.", func(r request) bool { return r.Method == http.MethodTrace }},
	{"query", "A PATCH with a query.", func(r request) bool { return r.Method == http.MethodPatch && r.URL.RawQuery != "" }},
	{"huge-id", "An id of 19 digits or more.", func(r request) bool { return hugeID.MatchString(r.URL.Path) }},
	{"letters-id", "A campaign's id with letters.", func(r request) bool { return letterID.MatchString(r.URL.Path) }},
	{"accept", "Accept: text/html.", func(r request) bool { return r.Header.Get("Accept") == "text/html" }},
	{"content-type", "A body that is not announced as JSON.", func(r request) bool {
		return r.body != "" && !strings.Contains(r.Header.Get("Content-Type"), "json")
	}},
	{"empty-body", "A PATCH without a body.", func(r request) bool { return r.Method == http.MethodPatch && r.body == "" }},
	{"not-json", "A body that is not JSON.", func(r request) bool { return r.body != "" && !json.Valid([]byte(r.body)) }},
	{"unknown-member", "A member of the body that no operation has.", func(r request) bool {
		return slices.ContainsFunc(slices.Collect(maps.Keys(r.fields)), func(name string) bool { return !slices.Contains(known, name) })
	}},
	{"null", "A member that is null.", func(r request) bool { return slices.Contains(slices.Collect(maps.Values(r.fields)), nil) }},
	{"empty-text", "A text that is empty.", func(r request) bool { return slices.Contains(slices.Collect(maps.Values(r.fields)), any("")) }},
	{"nul", "U+0000 in a text, as in PostgreSQL.", func(r request) bool { return strings.ContainsRune(r.texts, 0) }},
	{"astral", "A character beyond U+FFFF, as in columns of three bytes.", func(r request) bool {
		return strings.ContainsFunc(r.texts, func(c rune) bool { return c > 0xFFFF })
	}},
	{"control-c1", "U+0080 to U+009F in a text, as after a wrong re-encoding.", func(r request) bool {
		return strings.ContainsFunc(r.texts, func(c rune) bool { return c >= 0x80 && c < 0xA0 })
	}},
	{"percent", "A percent sign in a text, as in a format string.", func(r request) bool { return strings.Contains(r.texts, "%") }},
	{"long-text", "Texts of more than 400 bytes, as in a short column.", func(r request) bool { return len(r.texts) > 400 }},
}
