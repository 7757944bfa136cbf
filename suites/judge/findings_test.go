package judge

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// Sightings with the same words are one finding, whatever operation, clause and field they are about; two
// causes at one place are two findings. The worst comes first.
func TestAFindingIsOneCause(t *testing.T) {
	b := newOutcome(nil)
	saw := func(id, clause, words, field string) {
		operation, _, _ := strings.Cut(id, "/")
		f := &Finding{
			Check: "not-refused", Traits: bySent, Case: id, Operation: operation, Clause: clause, Severity: oracle.Violation,
			Pointer: "request:" + field, Sent: &oracle.Sent{At: "/" + field, What: words},
		}
		f.Say(oracle.Words{Subject: words, Tells: true})
		if clause == "OPEN-8" {
			f.Severity = oracle.Notice
		}
		b.ByCase = append(b.ByCase, &Result{Case: &Case{ID: id}, Findings: []*Finding{f}})
	}
	const array = "an array is accepted as a text"
	saw("updateCampaign/422/a", "OPEN-8", "a number is accepted as a text", "name")
	saw("updateCampaign/422/b", "CAMPAIGN-1", "what it leads to", "name")
	saw("updateCampaign/422/b", "CAMPAIGN-3", "what is wrong", "name")
	saw("updateCampaign/422/c", "CAMPAIGN-3", "what is wrong", "name")
	saw("updateCampaign/422/d", "ERR-4", array, "name")
	saw("updateConnectionProfileRuleHost/422/e", "ERR-5", array, "hostname")
	saw("updateCampaign/422/d", "ERR-4", "an object is accepted as a text", "name")
	saw("updateCampaign/403/f", "AUTH-2", "a user without permission can access an object", "")
	findings, of := b.Groups(spec.Load())
	var got []string
	for _, f := range findings {
		got = append(got, string(f.Impact)+" "+strings.Join(f.Clauses, "+")+" "+f.Title)
	}
	want := []string{
		"critical AUTH-2 updateCampaign: a user without permission can access an object (1 case)",
		"major CAMPAIGN-1 updateCampaign: what it leads to: name (1 case)",
		"major CAMPAIGN-3 updateCampaign: what is wrong: name (2 cases)",
		"minor ERR-4+ERR-5 " + array + ": name, hostname (2 cases of 2 operations)",
		"minor ERR-4 updateCampaign: an object is accepted as a text: name (1 case)",
		"minor OPEN-8 updateCampaign: a number is accepted as a text: name (1 case)",
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if of[b.ByCase[4].Findings[0]] != of[b.ByCase[5].Findings[0]] || of[b.ByCase[4].Findings[0]] == of[b.ByCase[6].Findings[0]] {
		t.Error("a sighting belongs to the wrong finding")
	}
}

// If each user can access the other's object, permission is not checked, and no state of the server is to blame. If only
// one can, that may be another cause.
func TestMissingPermissionIsOneFinding(t *testing.T) {
	own := Finding{Clause: "AUTH-2", Sent: &oracle.Sent{At: "key", What: finding.StrangersKey}}
	others := Finding{Clause: "AUTH-2", Sent: &oracle.Sent{At: "path:campaignId", What: finding.OthersID}}
	remembered := Finding{Clause: "AUTH-3", Sent: &oracle.Sent{At: "key", What: finding.StrangersKey}}
	for name, test := range map[string]struct {
		saw  []Finding
		want int
	}{
		"each the other's":      {[]Finding{remembered, others, own}, 1},
		"only the stranger":     {[]Finding{remembered, own}, 2},
		"only the owner":        {[]Finding{remembered, others}, 2},
		"on several operations": {[]Finding{own, {Operation: "updateConnectionProfile", Clause: "AUTH-2", Sent: others.Sent}}, 2},
	} {
		b := newOutcome(nil)
		for _, f := range test.saw {
			f.Check, f.Traits, f.Severity, f.Operation = CheckNotRefused.ID, bySent, oracle.Violation, cmp.Or(f.Operation, "updateCampaign")
			f.Say(finding.Accepted(&f))
			b.ByCase = append(b.ByCase, &Result{Case: &Case{}, Findings: []*Finding{&f}})
		}
		if findings, _ := b.Groups(spec.Load()); len(findings) != test.want {
			t.Errorf("%s: %d findings, not %d: %s", name, len(findings), test.want, findings[0].Title)
		}
	}
}

// Findings of one symptom have the cause that one of them describes.
func TestSymptomsHaveOneCause(t *testing.T) {
	saw := func(check *Check, clause, names, subject string) *Finding {
		f := &Finding{Check: check.ID, Traits: check.Traits, Clause: clause, Names: names, Operation: "deleteCreative"}
		if f.Say(oracle.Words{Subject: subject}); clause == "ERR-5" {
			f.Sent, f.Operation = &oracle.Sent{At: "/" + names, What: subject}, "updateConnectionProfile"
			f.Say(finding.Accepted(f))
		}
		return f
	}
	const other, unlisted = "a listed value in other letter case", "a value that is not listed"
	for want, all := range map[string][]*Finding{
		"DELETE-4 deleteCreative: a delete removed another creative, too: 302, 242 (0 cases)": {
			saw(CheckRefusedDelete, "EFFECT-1", "302", finding.GoneUnnamed),
			saw(CheckDeleteOther, "DELETE-4", "242", CheckDeleteOther.Breach),
		},
		"EFFECT-1 deleteCreative: a refused delete was carried out all the same: 302, 303 (0 cases)": {
			saw(CheckRefusedDelete, "EFFECT-1", "302", finding.GoneUnnamed),
			saw(CheckRefusedDelete, "EFFECT-1", "303", CheckRefusedDelete.Breach),
		},
		"ERR-5 updateConnectionProfile: a value that is not listed is accepted: a (0 cases)": {
			saw(CheckNotRefused, "ERR-5", "a", other), saw(CheckNotRefused, "ERR-5", "a", unlisted),
		},
		"MEDIA-9 deleteCreative: a list lacks items that it counts (0 cases)": {
			saw(CheckListTotal, "MEDIA-4", "", CheckListTotal.Breach), saw(CheckListRepeat, "MEDIA-9", "", finding.MissingItems),
		},
	} {
		b := newOutcome(nil)
		for _, f := range all {
			f.Severity = oracle.Violation
			b.ByCase = append(b.ByCase, &Result{Case: &Case{}, Findings: []*Finding{f}})
		}
		if findings, _ := b.Groups(spec.Load()); len(findings) != 1 || findings[0].Clause+" "+findings[0].Title != want {
			t.Errorf("%d findings, first %s %s, not %s", len(findings), findings[0].Clause, findings[0].Title, want)
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
		if got := finding.Changed(d.sent, d.got); strings.TrimPrefix(got, "a text comes back ") != d.want {
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

// hintFor returns the hint for a finding with these parts, written as in "check: stale; got: 7".
func hintFor(parts string) (id string) {
	p := map[string]string{}
	for part := range strings.SplitSeq(parts, "; ") {
		name, text, _ := strings.Cut(part, ": ")
		p[name] = text
	}
	status, _ := strconv.Atoi(p["status"])
	h := finding.HintFor(&oracle.Finding{
		Check: p["check"], Clause: p["clause"], CauseWords: p["cause"], Expected: p["expected"], Got: p["got"],
		Sent:   &oracle.Sent{What: p["sent"], At: p["at"], Value: p["value"]},
		Answer: &oracle.Answer{Status: status, Type: p["type"], Says: p["says"]},
	})
	if h != nil {
		id = h.ID
	}
	return id
}

// hintings are findings of runs on servers with the cause that a hint names, and how the findings of other
// servers differ from them.
var hintings = []struct{ hint, shows, other string }{
	{"redirected", "got: status 307 (Temporary Redirect)", "got: an object of 0 members"},
	{"redirected-to-log-in", "got: status 302 (Found); at: key", "got: an object of 0 members"},
	{"redirected-to-log-in", "got: status 307 (Temporary Redirect); at: key", "got: status 400"},
	{"escaped-on-the-way-in", "cause: a text comes back escaped for HTML", "cause: a text comes back cut off"},
	{"nul-in-postgresql", "check: server-error; sent: a text with U+0000", "check: shows-sent"},
	{"four-bytes-in-mysql", `check: server-error; says: Incorrect string value: '\xF0\x9F'`, `says: {"message":"syntax error"}`},
	{"too-long-for-column", "check: server-error; sent: a text of 300 characters", "check: expected-status"},
	{"null-in-a-column", "check: server-error; sent: null", "check: server-error; sent: an array for a text"},
	{
		"key-by-a-part", "check: not-refused; clause: AUTH-1; sent: the owner's key with its last characters changed",
		"check: not-refused; clause: AUTH-1; sent: no key",
	},
	{
		"users-alike", "check: not-refused; clause: AUTH-2; sent: the key of another user",
		"check: not-refused; clause: AUTH-3; sent: the key of another user",
	},
	{"cut-by-column", "check: shows-sent; cause: a text comes back cut off; sent: a text of 300 characters", "check: expected-status"},
	{"sql-by-joining", "check: server-error; sent: a text with SQL words", "check: shows-sent"},
	{
		"surrogate-in-python", "check: server-error; sent: a text with half a character (a lone surrogate)",
		"sent: a body that nests a thousand deep",
	},
	{"bytes-not-decoded", "check: server-error; sent: a body that is not UTF-8", "sent: a body that nests a thousand deep"},
	{"nesting", "check: server-error; sent: a body that nests a thousand deep", "sent: a body that is not UTF-8"},
	{"id-overflows", "check: server-error; sent: a malformed id; at: path:campaignId", "check: content-type"},
	{"type-not-looked-at", "check: server-error; sent: an array for a text", "check: content-type"},
	{"body-not-looked-at", "check: server-error; sent: JSON that is cut off", "check: expected-status"},
	{"enum-by-number", "cause: a number is accepted as a listed value", "cause: a value that a field may not have is answered 409"},
	{"enum-any-case", "cause: a listed value in other letter case is accepted", "cause: a value that a field may not have is answered 409"},
	{"enum-unlisted", "cause: a value that is not listed is accepted", "cause: a value that is not listed makes the server fail with 500"},
	{"array-as-text", "cause: an array is accepted as a text", "cause: an array for a text makes the server fail with 500"},
	{"object-as-text", "cause: an object is accepted as a text", "cause: an object for a text makes the server fail with 500"},
	{"scalar-as-text", "check: shows-sent; sent: a number for a text", "check: undeclared-status"},
	{"malformed-as-empty", "check: not-refused; clause: ERR-3", "check: server-error"},
	{"malformed-is-400", "clause: ERR-3; got: status 400", "got: status 409"},
	{"type-is-415", "got: status 415", "got: status 409 (Conflict)"},
	{"validation-is-400", "clause: ERR-4; got: status 400", "got: status 409"},
	{"error-of-fastapi", "check: error-section; got: an object with detail; status: 422", "got: an object with oops"},
	{"error-of-spring", "check: error-section; got: an object with error, path, status, timestamp", "got: an object with oops"},
	{"error-of-problem-details", "check: error-section; type: application/problem+json", "type: application/json"},
	{"error-of-laravel", "check: error-section; got: an object with errors, message", "got: an object with oops"},
	{"error-of-node", "check: error-section; got: an object with error, message, statusCode", "got: an object with oops"},
	{"error-of-drf", "check: error-section; got: an object with detail", "got: an object with oops"},
	{"page-for-error", "check: content-type; status: 404; type: text/html", "type: application/json"},
	{"not-labelled-as-json", "check: content-type; status: 200; type: text/plain", "check: schema"},
	{"delete-is-200", "cause: an ordinary request is answered 200", "type: application/json"},
	{"forbidden-for-anonymous", "clause: AUTH-1; got: status 403; sent: no key", "got: status 404"},
	{"hidden-by-scope", "clause: AUTH-2; got: status 404", "got: status 401"},
	{"key-in-any-case", "check: not-refused; sent: the owner's key in other letter case", "check: undeclared-status"},
	{"key-by-its-start", "check: not-refused; sent: the owner's key with x after it", "check: undeclared-status"},
	{
		"user-by-header", "check: not-refused; sent: no key, and headers that name a user or the server's own address",
		"check: undeclared-status",
	},
	{"answered-from-a-cache", "check: not-refused; clause: AUTH-3", "check: expected-status"},
	{"id-by-its-start", "cause: a malformed id is accepted; sent: a malformed id; value: 25abc", "cause: a malformed id is answered 409"},
	{"id-wraps", "cause: an id beyond 32 bits is accepted; status: 200", "cause: an id beyond 32 bits is answered 409"},
	{"parent-not-looked-at", "check: not-refused; clause: ERR-2", "check: expected-status"},
	{"integer-as-text", "cause: the answer has a string where an integer of 64 bits belongs", "cause: a JSON object has a member twice"},
	{"integer-as-float", "check: integer-form; got: the number 7.0", "check: json-names"},
	{"date-as-number", "cause: a date is not valid; got: the number 1700000000000", `got: the string "yesterday"`},
	{"updated-at-stands", "check: updated-at", "check: identity"},
	{"field-of-the-class", `check: related-field; got: only issues that name "Name"`, `got: only issues that name "names"`},
	{
		"deleted-or-not", "check: delete-effect; expected: status 404 for disposableCreatives[0], which was deleted; got: status 204",
		"check: expected-status",
	},
	{"no-field-from-the-parser", "check: related-field; got: none that names a field", "check: server-error"},
	{"checked-too-late", "cause: a refused request was carried out all the same", "cause: a request without a valid key is accepted"},
	{
		"kept-elsewhere", "cause: an update was answered with success and is not kept",
		"cause: the answer is about another object than the path names",
	},
	{
		"by-another-field",
		`cause: an update was answered with success and is not kept; got: "pass", neither the last value nor one fixed default`,
		`got: "Teal 1", the value from before the last success`,
	},
	{
		"nothing-deleted", "check: delete-effect; got: status 204, and a list that was asked for after the first delete shows it",
		"got: status 204",
	},
	{"pages-from-zero", "check: page-number; got: 0", "check: page-total-pages"},
	{"no-order", "check: list-walk; got: 300 items on all pages together, 100 of them again, such as id 1101", "check: page-number"},
	{"count-of-the-page", "check: list-total", "check: page-number"},
	{
		"rounded-by-javascript", "check: identity; expected: id 9007199254740993, the id in the path; got: 9007199254740992",
		"expected: id 25, the id in the path; got: 26",
	},
	{
		"emoji-in-mysql", "check: server-error; cause: a text makes the server fail with 500; sent: a text with an emoji",
		"sent: a text with special characters",
	},
	{"trimmed", "check: text-altered; sent: a text with spaces around it", "sent: a text that is not normalised"},
	{"whole-row-written", "check: concurrent-writers", "check: stale"},
	{
		"", "check: server-error; cause: a text with special characters makes the server fail with 500; sent: a text with special characters",
		"got: status 500",
	},
}

// Each hint is given with the findings that it is for, and not with similar ones.
func TestHints(t *testing.T) {
	tested := map[string]bool{}
	for _, row := range hintings {
		tested[row.hint] = true
		if got := hintFor(row.shows); got != row.hint {
			t.Errorf("%s has the hint %q, want %q", row.shows, got, row.hint)
		}
		if got := hintFor(row.shows + "; " + row.other); (got == row.hint) != (row.hint == "") {
			t.Errorf("%s; %s has the hint %q, too", row.shows, row.other, got)
		}
	}
	for _, h := range finding.Hints() {
		if !tested[h.ID] {
			t.Errorf("nothing tests the hint %s", h.ID)
		}
		for part := range h.When {
			if !strings.Contains(" check clause cause expected got sent at value status type says ", " "+part+" ") {
				t.Errorf("%s: %q is not a part of a finding", h.ID, part)
			}
		}
	}
}
