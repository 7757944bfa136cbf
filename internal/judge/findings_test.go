package judge

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
)

// placeOf returns a part of a request: that of path:campaignId.
func placeOf(text string) finding.Place {
	if name, isField := strings.CutPrefix(text, "/"); isField {
		return finding.PlaceOf(finding.Field, name)
	}
	part, name, _ := strings.Cut(text, ":")
	return finding.PlaceOf(finding.Part(part), name)
}

// The sender describes what is odd about a request. The member that an answer shows comes before other odd parts.
func TestWhatMatters(t *testing.T) {
	op := spec.Load().Operation("updateCampaign")
	model := NewModel(ModelOptions{Contract: spec.Load(), Target: fixtures.DefaultWorld().Target("http://127.0.0.1")})
	object := model.Object(op, "campaign")
	foreign, deleted := *object, *object
	foreign.Foreign = true
	deleted.remove(http.StatusNoContent, nil)
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
				c.Note(placeOf(at), finding.Oddity(what), "")
			}
		}
		ex := &wire.Exchange{Request: wire.Request{Method: op.Method, Path: op.At(object.Path()...), Parts: c.Parts()}}
		got := ""
		if s := (&Test{Model: model}).matters(ex, tc.pointer); s != nil {
			got = s.At.String() + "=" + string(s.What)
		}
		if got != tc.want {
			t.Errorf("%s, shown at %q: %q, not %q", tc.noted, tc.pointer, got, tc.want)
		}
	}
}

// An error is judged by its request, and not only by its form. Each one comes after an error about a name of a wrong type.
func TestAnErrorBelongsToItsRequest(t *testing.T) {
	const nameIssue = `{"type":"invalidType","message":"name must be a string","relatedField":"name"}`
	related := func(field string) string { return fmt.Sprintf(`{"type":"a","message":"b","relatedField":%s}`, field) }
	for name, tc := range map[string]struct {
		status int
		issues string
		field  string // the only wrong one
		want   string // clauses
	}{
		"its own":                            {422, nameIssue, "name", ""},
		"another of the same field":          {422, related(`"name"`), "name", ""},
		"of an earlier request":              {404, nameIssue, "", "ERR-8"},
		"of an earlier request too":          {403, related("null") + "," + nameIssue, "", "ERR-8"},
		"where several fields may be wrong":  {422, nameIssue, "", ""},
		"no field":                           {404, related("null"), "", ""},
		"a field that may be wrong":          {404, related(`"name"`), "", ""},
		"the id":                             {404, related(`"/path/campaign_id"`), "", ""},
		"the object":                         {404, related(`"campaign"`), "", ""},
		"a header":                           {403, related(`"X-API-Key"`), "", ""},
		"an index of the body":               {422, related(`"body[0]"`), "", ""},
		"what is no part of the request":     {404, related(`"resource"`), "", "OPEN-10"},
		"nothing, where the field was named": {422, related(`"resource"`), "name", ""}, // for the check of related fields
		"an unauthorized one without header": {401, related("null"), "", "OPEN-11"},
		"a method without Allow":             {405, "", "", "OPEN-12"},
	} {
		t.Run(name, func(t *testing.T) {
			s, op := newTestModel(t)
			test := s.Begin(&Case{ID: op.ID + "/open/x", Operation: op})
			judge := func(status int, issues, field string) {
				c := &Call{Op: op, Method: op.Method, Body: oracle.RawBody("{}")}
				body := fmt.Sprintf(`{"error":{"responseCode":%d,"issues":[%s]}}`, status, issues)
				a := &Answer{
					Call: c, Status: status, Expected: true, Expect: Expect{Statuses: []int{status}, Field: field},
					Exchange: &wire.Exchange{Response: &wire.Response{Status: status, Header: http.Header{}, Body: []byte(body)}},
				}
				a.Value = oracle.Decode([]byte(body))
				test.judgeError(c, a)
			}
			judge(422, nameIssue, "name")
			judge(tc.status, tc.issues, tc.field)
			var got []string
			for _, f := range test.Result.Findings {
				got = append(got, f.Clause)
			}
			if strings.Join(got, " ") != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// Invalid Unicode in the request excuses invalid Unicode in the answer, and nothing else does.
func TestDamageThatMayBeShown(t *testing.T) {
	for _, tc := range []struct {
		sent, got string
		may       bool
	}{
		{`{"name":"a\ud800"}`, `{"name":"a\ud800"}`, true},
		{`{"name":"a\uDC00\uD800"}`, `{"name":"a\uDC00\uD800"}`, true},
		{"{\"name\":\"\xff\"}", "{\"name\":\"\xff\"}", true},
		{`{"name":"a\ud800"}`, `{"name":"a\ud800"}]`, false},
		{`{"name":"a\ud83d\ude00"}`, `{"name":"a\ud83d"}`, false},
		{`{"name":"a😀"}`, `{"name":"a\ud83d"}`, false},
		{`{"name":"é"}`, "{\"name\":\"\xe9\"}", false},
	} {
		r := &wire.Response{Body: []byte(tc.got), Header: http.Header{"Content-Type": {"application/json"}}}
		a := &Answer{Call: &Call{Body: oracle.RawBody(tc.sent)}, Exchange: &wire.Exchange{Response: r}}
		if breaks := a.breaksJSON(); breaks == tc.may {
			t.Errorf("%s after %s: %t", tc.got, tc.sent, breaks)
		}
	}
}

// A read that was not sent, because the target is gone, is not judged.
func TestAnAnswerThatDidNotComeShowsNothing(t *testing.T) {
	m, op := newTestModel(t)
	a := Unsent("c", "the target is gone")
	if m.Begin(&Case{ID: "c", Operation: op}).JudgeGet(a) || len(a.Judge(oracle.Expect{Success: true})) > 0 {
		t.Error("a read that was not sent is judged")
	}
}
