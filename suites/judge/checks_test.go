package judge

import (
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
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
			Check: "server-error", Clause: "HTTP-1", Answer: &oracle.Answer{Status: 500}, Sent: sent("/name", "a text with U+0000"),
		},
		"a malformed body is answered 400 where 422 was expected": {
			Check: "expected-status", Clause: "ERR-3", Allowed: []string{"422"}, Got: "status 400", Sent: sent("body", "JSON that is cut off"),
		},
		"an existing object is answered 404": {
			Check: "expected-status", Clause: "EFFECT-3", Allowed: []string{"a 2xx status with the list"}, Got: "status 404",
			Sent: sent("/name", "a number for a text"),
		},
		"a long text is answered 400 where 422 or 413 was expected": {
			Check: "expected-status", Clause: "ERR-4", Allowed: []string{"422", "413"}, Got: "status 400",
			Sent: sent("/name", "a text of 300 characters"),
		},
		"a user without permission is answered 404 where 403 was expected": {
			Check: "expected-status", Clause: "AUTH-2", Allowed: []string{"403", "401"}, Got: "status 404", Sent: sent("key", StrangersKey),
		},
		"the owner's key is answered 401": {Check: "expected-status", Clause: "AUTH-4", Got: "status 401"},
		"a user without permission is answered 409, which the operation does not have": {
			Check: "undeclared-status", Answer: &oracle.Answer{Status: 409}, Sent: sent("key", StrangersKey+" again"),
		},
		"the answer shows another value than was sent": {Check: "shows-sent"},
	} {
		if got := words(&f).String(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
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
		if c.ID != CheckTransport.ID && c.Words == nil && c.Breach == "" {
			t.Errorf("%s has no words", c.ID)
		}
	}
}

// Who sends a request says what is odd about it; the member that an answer shows comes before others.
func TestWhatMatters(t *testing.T) {
	op := reftest.Contract(t).Operation("updateCampaign")
	model := NewModel(ModelOptions{Contract: reftest.Contract(t), Target: fixtures.DefaultWorld().Target("http://127.0.0.1")})
	object := model.Object(op, "campaign")
	foreign, deleted := *object, *object
	foreign.Foreign, deleted.history = true, &History{}
	deleted.note(Event{What: Deleted, Status: 204})
	for _, tc := range []struct {
		object        *Object
		noted         string // of the form "at=what", apart by "; "
		pointer, want string
	}{
		{object, "", "", ""},
		{object, "", "/data/name", "/name="},
		{object, "/name=an array for a text", "/data/createdAt", "/name=an array for a text"},
		{object, "/id=not to be changed; /createdAt=not to be changed", "/data/createdAt", "/createdAt=not to be changed"},
		{object, "/name=null; key=no key", "/data/name", "key=no key"},
		{object, "/name=null; /name=a text of digits", "", "/name=a text of digits"},
		{object, "body=text after the JSON object", "/data/name", "body=text after the JSON object"},
		{object, "header:Accept=the header Accept; query:page=a page that does not exist", "", "header:Accept=the header Accept"},
		{object, "query:page=", "", "query:page="},
		{object, "key=", "", ""},
		{object, "request:path/word=a word; key=no key", "/data/name", "request:path/word=a word"},
		{&foreign, "", "", "path:campaignId=the id of another user's object"},
		{&deleted, "/name=null", "", "path:campaignId=the id of what was deleted"},
	} {
		body := oracle.ObjectBody(op.Body, map[string]any{"name": "x"})
		c := &Call{Op: op, Method: op.Method, Object: tc.object, Path: object.Path(), Body: body}
		for part := range strings.SplitSeq(tc.noted, "; ") {
			if at, what, ok := strings.Cut(part, "="); ok {
				c.Note(at, what, "")
			}
		}
		ex := &wire.Exchange{Request: wire.Request{Method: op.Method, Path: op.At(object.Path()...), Sent: c.Parts()}}
		got := ""
		if s := (&Test{Model: model}).matters(ex, tc.pointer); s != nil {
			got = s.At + "=" + s.What
		}
		if got != tc.want {
			t.Errorf("%s, shown at %q: %q, not %q", tc.noted, tc.pointer, got, tc.want)
		}
	}
}
