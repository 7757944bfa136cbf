package finding

import (
	"cmp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// placeOf returns a part of a request: that of path:campaignId.
func placeOf(text string) Place {
	if name, isField := strings.CutPrefix(text, "/"); isField {
		return PlaceOf(Field, name)
	}
	part, name, _ := strings.Cut(text, ":")
	return PlaceOf(Part(part), name)
}

// The words of a cause describe what was sent, what came and what was expected.
func TestCauseWords(t *testing.T) {
	sent := func(at string, what Oddity) *Sent { return &Sent{At: placeOf(at), What: what} }
	typed := func(what Oddity, of string) *Sent { return &Sent{At: PlaceOf(Field, "name"), What: what, Declared: of} }
	answered := func(status int) *report.Answer { return &report.Answer{Status: status} }
	for want, s := range map[string]Sighting{
		"an array is accepted as a text":            {Check: "not-refused", Clause: "ERR-4", Sent: typed(AnArray, "string")},
		"a number is accepted as a listed value":    {Check: "not-refused", Clause: "ERR-4", Sent: typed(ANumber, Listed)},
		"a request without a valid key is accepted": {Check: "not-refused", Clause: "AUTH-1", Sent: sent("key", EmptyKey)},
		"a request from a user without permission is accepted": {
			Check: "not-refused", Clause: "AUTH-2", Sent: sent("key", StrangersKey),
		},
		"the id of another user's object is accepted": {Check: "not-refused", Clause: "AUTH-2", Sent: sent("path:id", OthersID)},
		"a malformed id is accepted":                  {Check: "not-refused", Clause: "ERR-1", Sent: sent("path:id", MalformedID)},
		"a text with U+0000 makes the server fail with 500": {
			Check: "server-error", Clause: "HTTP-1", Answer: answered(500), Sent: sent("/name", NUL),
		},
		"a text of 300 characters beyond ASCII makes the server fail with 500": {
			Check: "server-error", Clause: "HTTP-1", Answer: answered(500), Sent: &Sent{At: PlaceOf(Field, "name"), What: LongOddText, N: 300},
		},
		"a malformed body is answered 400 where 422 was expected": {
			Check: "expected-status", Clause: "ERR-3", Allowed: []string{"422"}, Answer: answered(400), Sent: sent("body", CutJSON),
		},
		"an existing object is answered 404": {
			Check: "expected-status", Clause: "EFFECT-3", Allowed: []string{"a 2xx status with the list"}, Answer: answered(404),
			Sent: typed(ANumber, "string"),
		},
		"a long text is answered 400 where 422 or 413 was expected": {
			Check: "expected-status", Clause: "ERR-4", Allowed: []string{"422", "413"}, Answer: answered(400),
			Sent: &Sent{At: PlaceOf(Field, "name"), What: LongText, N: 300},
		},
		"a request from a user without permission is answered 404 where 403 was expected": {
			Check: "expected-status", Clause: "AUTH-2", Allowed: []string{"403", "401"}, Answer: answered(404), Sent: sent("key", StrangersKey),
		},
		"a request that must be refused is accepted":         {Check: "not-refused", Clause: "ERR-1"},
		"a request is answered as if it were another user's": {Check: "not-refused", Clause: "AUTH-3", Sent: sent("key", NoKey)},
		"a request without a valid key is answered 403 where 401 was expected": {
			Check: "expected-status", Clause: "AUTH-1", Allowed: []string{"401", "404"}, Answer: answered(403), Sent: sent("key", NoKey),
		},
		"a request with an empty key makes the server fail with 500": {
			Check: "server-error", Answer: answered(500), Sent: sent("key", EmptyKey),
		},
		"a request with no key, and headers that name a user makes the server fail with 500": {
			Check: "server-error", Answer: answered(500), Sent: &Sent{At: PlaceOf(Key, ""), What: NoKey, Extra: UserInHeaders},
		},
		"an ordinary request is answered 409": {
			Check: "expected-status", Clause: "CAMPAIGN-1", Allowed: []string{"422"}, Answer: answered(409),
		},
		"an ordinary request is answered 200 without a body": {
			Check: "expected-status", Clause: "CAMPAIGN-1", Allowed: []string{"422"}, Answer: answered(200), Lack: " without a body",
		},
		"a request is answered 409": {Check: "expected-status", Clause: "CAMPAIGN-1", Answer: answered(409), IsAdopted: true},
		"a value that a field may not have is answered 404 where 422 was expected": {
			Check: "expected-status", Clause: "ERR-5", Allowed: []string{"422"}, Answer: answered(404), Sent: typed(AnArray, "string"),
		},
		"the owner's key is answered 401": {Check: "expected-status", Clause: "AUTH-4", Answer: answered(401)},
		"a request from a user without permission is answered 409, a status that the operation does not declare": {
			Check: "undeclared-status", Answer: answered(409), Sent: &Sent{At: PlaceOf(Key, ""), What: StrangersKey, Extra: " again"},
		},
		"a refused request was carried out all the same": {Check: "refused-write"},
	} {
		s.Explain(Kind(s.Check))
		if got := s.Cause.String(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if got, want := OfSecondDelete(200).String(), "a second delete is answered 200 where 404 was expected"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Sightings of the same cause are one finding, whatever operation, clause and field they are about; two
// causes at one place are two findings. The worst comes first.
func TestAFindingIsOneCause(t *testing.T) {
	var all []*Sighting
	saw := func(id, clause string, cause Cause, field string) {
		operation, _, _ := strings.Cut(id, "/")
		s := &Sighting{
			Check: "not-refused", Traits: BySent, Case: id, Operation: operation, Clause: clause, Severity: report.Violation,
			Pointer: "request:" + field, Sent: &Sent{At: PlaceOf(Field, field), What: "x"}, Cause: cause,
		}
		if clause == "OPEN-8" {
			s.Severity = report.Notice
		}
		all = append(all, s)
	}
	array, after := Cause{Kind: AcceptedAs, Subject: Subject{What: AnArray, Declared: "string"}}, Cause{Kind: StopsAfter, Detail: "it"}
	number := Cause{Kind: AcceptedAs, Subject: Subject{What: ANumber, Declared: "string"}}
	object := Cause{Kind: AcceptedAs, Subject: Subject{What: AnObject, Declared: "string"}}
	unpermitted := Cause{Kind: Accepted, Subject: Subject{What: Unpermitted}}
	wrong := Cause{Kind: Accepted, Subject: Subject{What: "x"}}
	saw("updateCampaign/422/a", "OPEN-8", number, "name")
	saw("updateCampaign/422/b", "CAMPAIGN-1", after, "")
	saw("updateCampaign/422/b", "CAMPAIGN-3", wrong, "name")
	saw("updateCampaign/422/c", "CAMPAIGN-3", wrong, "name")
	saw("updateCampaign/422/d", "ERR-4", array, "name")
	saw("updateConnectionProfileRuleHost/422/e", "ERR-5", array, "hostname")
	saw("updateCampaign/422/d", "ERR-4", object, "name")
	saw("updateCampaign/403/f", "AUTH-2", unpermitted, "")
	findings, of := Group(spec.Load(), all, never)
	var got []string
	for _, f := range findings {
		got = append(got, string(f.Impact)+" "+strings.Join(f.Clauses, "+")+" "+f.Title())
	}
	want := []string{
		"critical AUTH-2 updateCampaign: a request from a user without permission is accepted: x () (1 case)",
		"major CAMPAIGN-1 updateCampaign: the server stops answering after it: x () (1 case)",
		"major CAMPAIGN-3 updateCampaign: x is accepted: name (2 cases)",
		"minor ERR-4+ERR-5 an array is accepted as a text: name, hostname (2 cases of 2 operations)",
		"minor ERR-4 updateCampaign: an object is accepted as a text: name (1 case)",
		"minor OPEN-8 updateCampaign: a number is accepted as a text: name (1 case)",
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if of[all[4]] != of[all[5]] || of[all[4]] == of[all[6]] {
		t.Error("a sighting belongs to the wrong finding")
	}
}

func never(string, string) int { return 0 }

// A request that a class of odd ones sends, too, is one finding with it; what breaks the server is above a refusal with
// another status, whatever its clause.
func TestTheSameRequestIsOneFinding(t *testing.T) {
	saw := func(check Kind, clause string, sent Sent, status int) *Sighting {
		s := &Sighting{
			Check: string(check), Clause: clause, Severity: report.Violation, Traits: BySent, Operation: "updateCampaign", Case: "a",
			Sent: &sent, Answer: &report.Answer{Status: status}, Allowed: []string{"401"},
		}
		s.Explain(check)
		return s
	}
	null := Sent{At: PlaceOf(Field, "name"), What: Null, Value: "null"}
	class := func(of Sent) Sent {
		return Sent{At: PlaceOf(Class, "name as null"), What: "name as null", OnlyChange: of.Request()}
	}
	other := Sent{At: PlaceOf(Field, "name"), What: "a text of digits", Value: `"0815"`}
	findings, _ := Group(spec.Load(), []*Sighting{
		saw(WrongStatus, "AUTH-1", Sent{At: PlaceOf(Key, ""), What: NoKey}, 403), saw(ServerFails, "HTTP-1", class(null), 500),
		saw(ServerFails, "HTTP-1", null, 500), saw(ServerFails, "HTTP-1", class(other), 500),
	}, never)
	var got []string
	for _, f := range findings {
		got = append(got, f.Cause.String())
	}
	want := []string{
		"a request with name as null makes the server fail with 500", "null makes the server fail with 500",
		"a request without a valid key is answered 403 where 401 was expected",
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A hint names software only if the server's answer does.
func TestAHintNamesOnlyWhatTheServerNames(t *testing.T) {
	hint := &Hint{Text: "This is usual.", Frameworks: []string{"Django (APPEND_SLASH)", "ASP.NET Core", "Go (net/http)"}}
	for maker, want := range map[string]string{
		"":                              "This is usual.",
		"nginx/1.25 go to another page": "This is usual.",
		"Microsoft-IIS/10 ASP.NET":      "This is usual. Common in ASP.NET Core.",
		"django 5.1.":                   "This is usual. Common in Django (APPEND_SLASH).",
	} {
		if got := hint.textFor(&report.Answer{Maker: maker}); got != want {
			t.Errorf("%q: %s", maker, got)
		}
	}
	if got := hint.textFor(nil); got != "This is usual." {
		t.Error(got)
	}
}

// If each user can access the other's object, permission is not checked, and no state of the server is to blame. If
// only one can, that may be another cause.
func TestMissingPermissionIsOneFinding(t *testing.T) {
	own := Sighting{Clause: "AUTH-2", Sent: &Sent{At: PlaceOf(Key, ""), What: StrangersKey}}
	others := Sighting{Clause: "AUTH-2", Sent: &Sent{At: PlaceOf(Path, "campaignId"), What: OthersID}}
	remembered := Sighting{Clause: "AUTH-3", Sent: &Sent{At: PlaceOf(Key, ""), What: StrangersKey}}
	for name, test := range map[string]struct {
		saw  []Sighting
		want int
	}{
		"each the other's":      {[]Sighting{remembered, others, own}, 1},
		"only the stranger":     {[]Sighting{remembered, own}, 2},
		"only the owner":        {[]Sighting{remembered, others}, 2},
		"on several operations": {[]Sighting{own, {Operation: "updateConnectionProfile", Clause: "AUTH-2", Sent: others.Sent}}, 2},
	} {
		var all []*Sighting
		for _, s := range test.saw {
			s.Check, s.Traits, s.Severity, s.Operation = checkNotRefused, BySent, report.Violation, cmp.Or(s.Operation, "updateCampaign")
			s.Explain(Accepted)
			all = append(all, &s)
		}
		if findings, _ := Group(spec.Load(), all, never); len(findings) != test.want {
			t.Errorf("%s: %d findings, not %d: %s", name, len(findings), test.want, findings[0].Title())
		}
	}
}

// Sightings of one family at one place have the cause that one of them tells.
func TestOneSightingExplainsOthers(t *testing.T) {
	saw := func(check Kind, clause, names string, kind Kind) *Sighting {
		return &Sighting{
			Check: string(check), Clause: clause, Names: names, Operation: "deleteCreative", Severity: report.Violation, Cause: CauseOf(kind),
		}
	}
	shows := func(kind Kind, pointer string) *Sighting {
		s := saw(kind, "EFFECT-1", "", kind)
		s.Operation, s.Pointer = "updateCampaign", pointer
		return s
	}
	accepted := func(what Oddity) *Sighting {
		s := saw(Accepted, "ERR-5", "a", "")
		s.Operation, s.Sent = "updateConnectionProfile", &Sent{At: PlaceOf(Field, "a"), What: what}
		s.Explain(Accepted)
		return s
	}
	for want, all := range map[string][]*Sighting{
		"DELETE-4 deleteCreative: a delete removed another creative, too: 302, 242 (1 case)": {
			saw(RefusedDelete, "EFFECT-1", "302", GoneUnnamed), saw(DeleteOther, "DELETE-4", "242", DeleteOther),
		},
		"EFFECT-1 deleteCreative: a refused delete was carried out all the same: 302, 303 (1 case)": {
			saw(RefusedDelete, "EFFECT-1", "302", GoneUnnamed), saw(RefusedDelete, "EFFECT-1", "303", RefusedDelete),
		},
		"ERR-5 updateConnectionProfile: a value that is not listed is accepted: a (1 case)": {accepted(OtherCase), accepted(Unlisted)},
		"MEDIA-9 deleteCreative: a list lacks items that it counts (1 case)": {
			saw(ListTotal, "MEDIA-4", "", ListTotal), saw("list-repeat", "MEDIA-9", "", MissingItems),
		},
		"EFFECT-1 updateCampaign: a refused request was carried out all the same: name (1 case)": {
			shows(Stale, "/data/name"), shows(RefusedWrite, "/data/name"),
		},
		"EFFECT-1 updateCampaign: an update was answered with success, but not kept: name (1 case)": {
			shows(NoDefault, "/data/name"), shows(Stale, "/data/name"),
		},
		"JSON-1 deleteCreative: a body is not well-formed JSON (1 case)": {
			saw("shows-sent", "CAMPAIGN-3", "", BackLossy), saw(NotJSON, "JSON-1", "", NotUTF8),
		},
	} {
		for _, s := range all {
			s.Case = "a"
		}
		findings, _ := Group(spec.Load(), all, never)
		if len(findings) != 1 || findings[0].Clause+" "+findings[0].Title() != want {
			t.Errorf("%d findings, first %s %s, not %s", len(findings), findings[0].Clause, findings[0].Title(), want)
		}
	}
	other := []*Sighting{shows(Stale, "/data/action"), shows(RefusedWrite, "/data/name")}
	if findings, _ := Group(spec.Load(), other, never); len(findings) != 2 {
		t.Errorf("a refused write of the name explains that the action is not kept: %d findings", len(findings))
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
		got := Changed(d.sent, d.got).String()
		if strings.TrimPrefix(got, "a text comes back ") != d.want {
			t.Errorf("%.40v shown as %.40v: %q, not %q", d.sent, d.got, got, d.want)
		}
	}
}
