package judge

import (
	"net/http"
	"testing"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

func TestCauseWords(t *testing.T) {
	sent := func(at, what string) *oracle.Sent { return &oracle.Sent{At: at, What: what} }
	for want, f := range map[string]oracle.Finding{
		"an array is accepted as a text":                 {Check: "not-refused", Clause: "ERR-4", Sent: sent("/name", "an array for a text")},
		"a request without a valid key is carried out":   {Check: "not-refused", Clause: "AUTH-1", Sent: sent("key", "an empty key")},
		"a user without permission can access an object": {Check: "not-refused", Clause: "AUTH-2", Sent: sent("key", "the key of another user")},
		"a malformed id is accepted":                     {Check: "not-refused", Clause: "ERR-1", Sent: sent("path:id", "a malformed id")},
		"a text with U+0000 makes the server fail with 500": {
			Check: "server-error", Clause: "HTTP-1", Got: "status 500 (Internal Server Error)", Sent: sent("/name", "a text with U+0000"),
		},
		"a malformed body is answered 400 where 422 was expected": {
			Check: "expected-status", Clause: "ERR-3", Expected: "status 422", Got: "status 400", Sent: sent("body", "JSON that is cut off"),
		},
		"a success comes without the object or the list": {
			Check: "expected-status", Clause: "CAMPAIGN-1", Expected: "a 2xx status with the new representation", Got: "status 200 without a body",
		},
		"the answer has a string where an integer of 64 bits belongs": {
			Check: "schema", Expected: "an integer of 64 bits", Got: `the string "25"; and in 3 more places`,
		},
		"an existing object is answered 404": {
			Check: "expected-status", Clause: "EFFECT-3", Expected: "a 2xx status with the list", Got: "status 404",
			Sent: sent("/name", "a number for a text"),
		},
		"a long text is answered 400 where 422 or 413 was expected": {
			Check: "expected-status", Clause: "ERR-4", Expected: "status 422 or status 413", Got: "status 400",
			Sent: sent("/name", "a text of 300 characters"),
		},
		"the answer lacks a member": {Check: "schema", Expected: "a string", Got: "nothing"},
	} {
		if got := Words(&f); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestWordsForTexts(t *testing.T) {
	plain := &spec.Field{Type: "string"}
	host, expression := &spec.Field{Type: "string", Hostname: true}, &spec.Field{Type: "string", Regex: true}
	for text, want := range map[string]string{
		"Teal k3f9qx2m7p": "", "0815": "a text of digits", "true": "the text true", "": "an empty text", "  ": "a text of spaces",
		"a\x00z x": "a text with U+0000", "a\tz x": "a text with a tab", "a'z x": "a text with an apostrophe",
		"  a  x ": "a text with spaces around it", "e\u0301 x": "a text that is not normalised",
		"aé日😀'\"\\&<b>x</b>+%41z x": "a text with special characters",
	} {
		if got := textWords(plain, text); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"cdn-k3f9qx2m7p.example.com": "", "x.Example.com": "a hostname with capitals", "-not a host-": "a text that is not a hostname",
	} {
		if got := textWords(host, text); got != want {
			t.Errorf("hostname %q: %q, not %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"^/px/k3f9qx2m7p": "", "a{1000000}x": "an expression with a huge quantifier", "([x": "a text that is not an expression",
	} {
		if got := textWords(expression, text); got != want {
			t.Errorf("expression %q: %q, not %q", text, got, want)
		}
	}
}

func TestDifferences(t *testing.T) {
	for _, d := range []struct {
		sent, got any
		want      string
	}{
		{"a<b>", "a&lt;b&gt;", "escaped for HTML"},
		{"Teal k3f9", "Teal", "cut off"},
		{"Teal", "teal", "in lower case"},
		{"a%41", "aA", "decoded as a URL"},
		{"it's", "it''s", "with its quotes doubled or escaped"},
		{"aéb", "ab", "without some of its characters"},
		{"aéb", "a?b", "with other characters in the place of some"},
		{"Teal", nil, "as null, or not at all"},
		{"0815", 815, "as a number"},
		{"Teal", "Blue", ""},
		{7, "Teal", ""},
	} {
		if got := Changed("", d.sent, d.got); got != d.want {
			t.Errorf("%v shown as %v: %q, not %q", d.sent, d.got, got, d.want)
		}
	}
}

// A finding of any check has a cause in words.
func TestEveryCheckHasWords(t *testing.T) {
	for _, c := range append(oracle.Checks(), Checks...) {
		f := Finding{Check: c.ID, Clause: "ERR-4", Expected: "status 422", Got: "status 200"}
		if words := Words(&f); words == "" || words == CheckSpec.broken {
			t.Errorf("%s has no words", c.ID)
		}
	}
}

// What every client sends is not what matters; the member that an answer shows comes first.
func TestSent(t *testing.T) {
	contract := reftest.Contract(t)
	op := contract.Operation("updateCampaign")
	for _, tc := range []struct{ mediaType, body, pointer, want string }{
		{"application/json", `{"name":"Teal"}`, "", ""},
		{"application/json; charset=utf-8", `{"name":"a'b"}`, "", "/name"},
		{"text/plain", `{"name":"a'b"}`, "", "header:Content-Type"},
		{"application/json", `{"name":"Teal","createdAt":"x","id":7}`, "/data/id", "/id"},
		{"application/json", `{"name":"Teal","createdAt":"x","id":7}`, "/data/createdAt", "/createdAt"},
		{"application/json", `{"name":"a'b","createdAt":"x","id":7}`, "", "/name"},
	} {
		r := &wire.Request{
			Method: op.Method, Body: []byte(tc.body), HasBody: true,
			Header: http.Header{"Content-Type": {tc.mediaType}, "User-Agent": {"curl/8"}, "Accept-Encoding": {"gzip"}},
		}
		at := ""
		if s := Sent(op, r, tc.pointer, nil); s != nil {
			at = s.At
		}
		if at != tc.want {
			t.Errorf("%s, shown at %q: %q, not %q", tc.body, tc.pointer, at, tc.want)
		}
	}
}
