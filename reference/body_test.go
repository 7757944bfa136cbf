package reference

import (
	"strings"
	"testing"
)

// updates are the three operations with a body, with a valid full one.
var updates = []struct{ request, body string }{
	{"PATCH /connection-profiles/12", `{"name":"N","withoutCookiesAction":"fail","withCookiesAction":"fail"}`},
	{hostPath, `{"hostname":"n.example.com","regularExpression":"^/n/"}`},
	{"PATCH /campaigns/25", `{"name":"N"}`},
}

// unchanged remembers what updates would change and checks that nothing was.
func unchanged(t *testing.T, s *Server) func() {
	t.Helper()
	var before []string
	for _, u := range updates {
		before = append(before, ask(s, u.request, `{}`).is(t, 200).body)
	}
	return func() {
		t.Helper()
		for i, u := range updates {
			if now := ask(s, u.request, `{}`).body; now != before[i] {
				t.Errorf("%s: was %s, is %s", u.request, before[i], now)
			}
		}
	}
}

func TestBodiesThatAreNoObjects(t *testing.T) {
	s := newServer(t, nil)
	check := unchanged(t, s)
	for _, u := range updates {
		half, name := u.body[:len(u.body)-1], u.body[:strings.Index(u.body, ":")]
		for body, issues := range map[string]string{
			"":                  "emptyBody null",
			" ":                 "malformedJSON null",
			half:                "malformedJSON null",
			u.body + "x":        "malformedJSON null",
			u.body + u.body:     "malformedJSON null",
			"\ufeff" + u.body:   "malformedJSON null",
			half + ",}":         "malformedJSON null",
			name + `:"\ud800"}`: "malformedJSON null",
			name + ":\"\xff\"}": "malformedJSON null",
			name + `:01}`:       "malformedJSON null",
			half + "," + strings.TrimPrefix(u.body, "{"): "malformedJSON null", // names twice
			half + `,"x":{"a":1,"a":2}}`:                 "malformedJSON null",
			strings.ReplaceAll(u.body, `"`, `'`):         "malformedJSON null",
			"[]":                                         "notAnObject null",
			"[" + u.body + "]":                           "notAnObject null",
			`"x"`:                                        "notAnObject null",
			"7":                                          "notAnObject null",
			"true":                                       "notAnObject null",
			"null":                                       "notAnObject null",
			strings.Repeat("[", 1000) + strings.Repeat("]", 1000):                            "notAnObject null",
			half + `,"x":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + "}": "malformedJSON null", // deeper than any use
		} {
			got := ask(s, u.request, body)
			if got.status != 422 || got.issues() != issues {
				t.Errorf("%s %.40q: expected %s, got %d %s", u.request, body, issues, got.status, got.body)
			}
		}
	}
	check()
}

// TestEachFieldOfEachWrongType breaks one field at a time and leaves the
// others as they are.
func TestEachFieldOfEachWrongType(t *testing.T) {
	s := newServer(t, nil)
	check := unchanged(t, s)
	fields := map[string][]string{
		updates[0].request: {"name", "withoutCookiesAction", "withCookiesAction"},
		updates[1].request: {"hostname", "regularExpression"},
		updates[2].request: {"name"},
	}
	for _, u := range updates {
		for _, field := range fields[u.request] {
			values := []string{"1", "1.5", "true", "false", `["pass"]`, "[]", "{}", `{"a":"pass"}`}
			if strings.HasSuffix(field, "Action") {
				values = append(values, "0", "2")
			}
			if field != "regularExpression" {
				values = append(values, "null")
			}
			for _, value := range values {
				body := replace(t, u.body, field, value)
				if got := ask(s, u.request, body); got.status != 422 || got.issues() != "invalidType "+field {
					t.Errorf("%s %s: got %d %s", u.request, body, got.status, got.body)
				}
			}
		}
	}
	check()
}

// replace puts another value into a member of a flat object.
func replace(t *testing.T, body, field, value string) string {
	t.Helper()
	before, rest, found := strings.Cut(body, `"`+field+`":"`)
	_, after, _ := strings.Cut(rest, `"`)
	if !found {
		t.Fatalf("no %s in %s", field, body)
	}
	return before + `"` + field + `":` + value + after
}

func TestAllWrongFieldsAtOnce(t *testing.T) {
	s := newServer(t, func(c *Choices) { c.UnknownFields, c.ReadOnlyFields = Refuse, Refuse })
	ask(s, updates[0].request, `{"zeta":1,"withCookiesAction":"x","id":1,"name":{},"withoutCookiesAction":"y"}`).
		refuses(t, 422,
			"invalidType name, invalidValue withoutCookiesAction, invalidValue withCookiesAction, readOnlyField id, unknownField zeta")
}

func TestMediaTypes(t *testing.T) {
	s := newServer(t, nil)
	for contentType, want := range map[string]int{
		"application/json": 200, "application/json; charset=utf-8": 200, "Application/JSON": 200, "application/merge-patch+json": 200,
		"text/plain": 415, "application/x-www-form-urlencoded": 415, "application/jsonx": 415, "json": 415, "application/json; charset": 415,
	} {
		for _, u := range updates {
			got := ask(s, u.request, u.body, "Content-Type", contentType)
			if got.status != want {
				t.Errorf("%s: expected %d, got %d", contentType, want, got.status)
			}
			if want == 415 && (got.issues() != "unsupportedMediaType null" || got.header.Get("Accept-Patch") != "application/json") {
				t.Errorf("%s: got %s %v", contentType, got.body, got.header)
			}
		}
	}
	ask(s, "PATCH /campaigns/25", `{"name":"no type"}`).is(t, 200)
}

func TestBodyLimit(t *testing.T) {
	s := newServer(t, nil)
	full := func(n int) string {
		return `{"x":"` + strings.Repeat("a", n-len(`{"x":""}`)) + `"}`
	}
	for _, u := range updates {
		ask(s, u.request, full(1<<20)).is(t, 200)
		ask(s, u.request, full(1<<20+1)).refuses(t, 413, "bodyTooLarge null")
		request(s, u.request, full(1<<20+1)).refuses(t, 401, "authenticationFailed null")
	}
}
