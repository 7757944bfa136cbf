package reference

import (
	"testing"
	"time"
)

const hostPath = "PATCH /connection-profiles/12/rules/34/hosts/56"

func TestUpdateRuleHost(t *testing.T) {
	now := created.Add(time.Hour)
	s := newServerWith(t, Options{World: testWorld(), Now: func() time.Time { return now }})
	r := ask(s, hostPath, `{"hostname":"a.example.org","regularExpression":"^/x/<b>"}`).is(t, 200)
	const want = `{"data":{"id":56,"hostname":"a.example.org","regularExpression":"^/x/<b>","createdAt":"2024-03-01T09:00:00Z",` +
		`"updatedAt":"2024-03-01T10:00:00Z"}}`
	if r.body != want {
		t.Errorf("expected %s, got %s", want, r.body)
	}
	ask(s, "PATCH /connection-profiles/12/rules/34/hosts/58", `{}`).shows(t, "data.hostname", `"h58.example.com"`)
}

func TestUpdateRuleHostUnsetsRegex(t *testing.T) {
	s := newServer(t, nil)
	ask(s, hostPath, `{"hostname":"a.example.org"}`).shows(t, "data.regularExpression", `"^/pixel/"`)
	ask(s, hostPath, `{"regularExpression":null}`).is(t, 200).shows(t, "data.regularExpression", "null").
		shows(t, "data.hostname", `"a.example.org"`)
	ask(s, hostPath, `{}`).shows(t, "data.regularExpression", "null")
	ask(s, hostPath, `{"regularExpression":""}`).is(t, 200).shows(t, "data.regularExpression", `""`)
}

func TestUpdateRuleHostRefusesWrongFields(t *testing.T) {
	s := newServer(t, nil)
	for body, issues := range map[string]string{
		`{"hostname":null}`:                     "invalidType hostname",
		`{"hostname":[],"regularExpression":1}`: "invalidType hostname, invalidType regularExpression",
		`{"regularExpression":"("}`:             "invalidValue regularExpression",
		`{"regularExpression":"a\u0000b"}`:      "invalidValue regularExpression",
		`{"hostname":""}`:                       "invalidValue hostname",
	} {
		ask(s, hostPath, body).refuses(t, 422, issues)
	}
	ask(s, hostPath, `{}`).shows(t, "data.hostname", `"h56.example.com"`).shows(t, "data.regularExpression", `"^/pixel/"`).
		shows(t, "data.updatedAt", "null")
}

// TestUpdateRuleHostNeedsThePath puts each kind of wrong id in each place.
func TestUpdateRuleHostNeedsThePath(t *testing.T) {
	s := newServer(t, nil)
	for path, want := range map[string]int{
		"/connection-profiles/12/rules/34/hosts/56": 200,
		"/connection-profiles/12/rules/35/hosts/57": 200,
		"/connection-profiles/99/rules/34/hosts/56": 404,
		"/connection-profiles/12/rules/99/hosts/56": 404,
		"/connection-profiles/12/rules/34/hosts/99": 404,
		"/connection-profiles/13/rules/34/hosts/56": 404, // rule of another profile
		"/connection-profiles/12/rules/35/hosts/56": 404, // host of another rule
		"/connection-profiles/91/rules/94/hosts/95": 403,
		"/connection-profiles/91/rules/34/hosts/56": 404, // own and foreign
		"/connection-profiles/12/rules/94/hosts/95": 404,
		"/connection-profiles/12/rules/94/hosts/56": 404,
		"/connection-profiles/12/rules/34/hosts/95": 404,
		"/connection-profiles/91/rules/94/hosts/56": 404,
		"/connection-profiles/91/rules/34/hosts/95": 404,
		"/connection-profiles/12/rules/34/hosts/x":  404,
	} {
		if got := ask(s, "PATCH "+path, `{"hostname":"a.example.com"}`); got.status != want {
			t.Errorf("%s: expected %d, got %d", path, want, got.status)
		}
	}
}

func TestHostnames(t *testing.T) {
	long := "a"
	for len(long) < 253 {
		long += ".a"
	}
	label63 := "a23456789012345678901234567890123456789012345678901234567890123"
	for name, want := range map[string]bool{
		"cdn.example.com": true, "CDN.Example.COM": true, "example.com.": true, "localhost": true, "xn--bcher-kva.example": true,
		"3com.com": true, "a-b.example": true, label63 + ".example": true, long: true,
		"": false, ".": false, "a..b": false, "-a.example": false, "a-.example": false, "a_b.example": false, "a b.example": false,
		"192.0.2.1": false, "1.2.3": false, "::1": false, "[::1]": false, "example.com:80": false, "https://example.com": false,
		"*.example.com": false, "bücher.example": false, label63 + "4.example": false, long + "b": false, "example.com..": false,
	} {
		if got := isHostname(name); got != want {
			t.Errorf("%q: expected %t, got %t", name, want, got)
		}
	}
}
