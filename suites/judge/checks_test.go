package judge

import (
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

func TestDifferences(t *testing.T) {
	for _, d := range []struct {
		sent, got any
		want      string
	}{
		{"a<b>", "a&lt;b&gt;", "escaped for HTML"},
		{"Teal k3f9", "Teal", "cut off"},
		{"Teal é", "Teal \ufffd", "cut off"},
		{"Teal", "teal", "in other letter case"},
		{`^/x`, `^\/x`, "with other quotation marks or backslashes"},
		{"aéb", "ab", "with some of its characters lost or replaced"},
		{"aéb", "a?b", "with some of its characters lost or replaced"},
		{strings.Repeat("aaé", 9999), strings.Repeat("aa", 9999), "with some of its characters lost or replaced"},
		{"Teal", nil, "as null, or not at all"},
		{"0815", 815, "as a number"},
		{"Teal", "Blue", ""},
		{7, "Teal", ""},
	} {
		if got := Changed(d.sent, d.got); strings.TrimPrefix(got, "a text comes back ") != d.want {
			t.Errorf("%.40v shown as %.40v: %q, not %q", d.sent, d.got, got, d.want)
		}
	}
}

// The sender describes what is odd about a request. The member that an answer shows comes before other odd parts.
func TestWhatMatters(t *testing.T) {
	op := spec.Load().Operation("updateCampaign")
	model := NewModel(ModelOptions{Contract: spec.Load(), Target: fixtures.DefaultWorld().Target("http://127.0.0.1")})
	object := model.Object(op, "campaign")
	foreign, deleted := *object, *object
	foreign.Foreign, deleted.history = true, &History{}
	deleted.note(Event{What: Deleted, Status: 204})
	for _, tc := range []struct {
		object        *Object
		noted         string // of the form "at=what", separated by "; "
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
		body := oracle.ObjectBody(map[string]any{"name": "x"})
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
