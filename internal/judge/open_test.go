package judge

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/spec"
)

// at returns the test of a case of op whose last answer came from the operation answering.
func at(s *Model, op, answering *spec.Operation) *Test {
	t := s.Begin(&Case{ID: op.ID + "/open/x", Operation: op})
	t.answering = answering
	return t
}

// A choice is noted for the operation that made it, whatever the case is about.
func TestAChoiceIsThatOfTheOperationThatAnswered(t *testing.T) {
	s, campaigns := newTestModel(t)
	profiles, deletes := s.Contract.Operation("updateConnectionProfile"), s.Contract.Operation("deleteCreative")
	at(s, deletes, profiles).Observe("empty-object", "accepted")
	at(s, campaigns, nil).Observe("empty-object", "accepted")
	seen := slices.Sorted(maps.Keys(s.Outcome.Observations()[0].At["accepted"]))
	if strings.Join(seen, " ") != "updateCampaign updateConnectionProfile" {
		t.Errorf("the choice was noted for %q", seen)
	}
}

func TestInconsistentChoices(t *testing.T) {
	operation := strings.NewReplacer("campaign", "updateCampaign", "profile", "updateConnectionProfile",
		"host", "updateConnectionProfileRuleHost")
	for name, tc := range map[string]struct {
		point  string
		seen   string // what operations chose
		judged bool
		got    string // of the notice, or "" if there is none
	}{
		"alike":         {"empty-object", "profile accepted, host accepted", true, ""},
		"differently":   {"empty-object", "profile accepted, host refused (422)", true, "accepted in profile; refused (422) in host"},
		"one operation": {"empty-object", "profile accepted", false, ""},
		"the only field is required": {
			"empty-object", "profile accepted, host accepted, campaign refused (422)", true, "",
		},
		"the same of an empty body": {"empty-body", "profile accepted, campaign refused (400)", false, ""},
		"the only field is not required": {
			"empty-object", "profile refused (422), campaign accepted", true, "accepted in campaign; refused (422) in profile",
		},
		"the only field, at another point": {
			"unknown-fields", "profile accepted, campaign refused (422)", true, "accepted in profile; refused (422) in campaign",
		},
		"another request":    {"malformed-id", "profile letters: 404, host zero: 422", false, ""},
		"each request alike": {"malformed-id", "profile letters: 404, host letters: 404, profile zero: 422, host zero: 422", true, ""},
		"the same request differently": {
			"malformed-id", "profile zero: 404, host letters: 422, host zero: 422", true, "404 in profile; 422 in host (zero)",
		},
		"two fields and one, all of required": {
			"empty-object", "profile refused (422), host accepted, campaign refused (422)", true, "accepted in host; refused (422) in profile",
		},
		"a field of one is required": {"empty-object", "profile refused (422), host accepted", false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := newTestModel(t)
			if !tc.judged {
				s.Outcome.observe("required-fields", "some (name)", "updateConnectionProfile", "", "")
			}
			for seen := range strings.SplitSeq(tc.seen, ", ") {
				by, choice, _ := strings.Cut(seen, " ")
				probe := strings.TrimSuffix(choice[:strings.LastIndex(choice, ": ")+1], ":") // "" without one
				probed := strings.TrimPrefix(choice, probe+": ")
				s.Outcome.observe(tc.point, spec.Choice(probed), operation.Replace(by), "", probe)
			}
			last := at(s, s.Contract.Operation("deleteCreative"), nil)
			last.JudgeConsistency()
			var got, want []string
			if tc.got != "" {
				want = []string{"OPEN-1 of all: " + operation.Replace(tc.got)}
			}
			for _, f := range last.Result.Findings {
				got = append(got, f.Clause+" of "+f.Operation+": "+f.Got)
			}
			judged := s.Outcome.Judged()
			isOther := len(judged) > 0 && judged[0].Operation != "all"
			if !slices.Equal(got, want) || (len(judged) > 0) != tc.judged || isOther {
				t.Errorf("got %q, judged %+v", got, judged)
			}
		})
	}
}

func newTestModel(t *testing.T) (*Model, *spec.Operation) {
	t.Helper()
	contract := spec.Load()
	m := NewModel(ModelOptions{
		Contract: contract, Target: fixtures.DefaultWorld().Target("http://127.0.0.1"),
		Redact: func(text string) string { return text },
	})
	return m, contract.Operation("updateCampaign")
}

// A second form of dates is a notice, whichever case meets it first.
func TestFormsOfDates(t *testing.T) {
	for _, tc := range []struct {
		dates []string // of createdAt
		want  string
	}{
		{[]string{"2024-03-01", "2024-03-02"}, ""},
		{[]string{"2024-03-01T09:00:00Z", "2024-03-01"}, "date in updateCampaign.createdAt; rfc3339 in updateCampaign.createdAt"},
		{[]string{"2024-03-01", "2024-03-01T09:00:00Z"}, "date in updateCampaign.createdAt; rfc3339 in updateCampaign.createdAt"},
	} {
		s, op := newTestModel(t)
		test := at(s, op, op)
		for _, date := range tc.dates {
			test.noteDates(&Call{Op: op, Method: op.Method}, &Answer{OK: true, Shown: map[string]any{"createdAt": date}})
		}
		test.JudgeForms()
		got := ""
		for _, f := range test.Result.Findings {
			got += f.Got
		}
		if got != tc.want {
			t.Errorf("%q: got %q, want %q", tc.dates, got, tc.want)
		}
	}
}

// Another run may explain values of objects and missing objects, but not the form of lists, keys or dates.
func TestWhatAnotherRunExplains(t *testing.T) {
	const campaign, profile, host = "updateCampaign", "updateConnectionProfile", "updateConnectionProfileRuleHost"
	for _, tc := range []struct {
		operation, check, pointer, got string
		status                         int
		stays                          bool
	}{
		{campaign, "stale", "/data/name", `"x"`, 200, false},
		{campaign, "refused-write", "/data/name", `"x"`, 200, false},
		{campaign, "updated-at", "/data/updatedAt", `"x"`, 200, true},
		{campaign, "expected-status", "", "status 404", 404, true},
		{campaign, "expected-status", "", "status 200", 200, true},
		{profile, "stale", "/data/withCookiesAction", `"fail"`, 200, false},
		{"listCreativeMediaFiles", "list-total", "/meta", "3", 200, true},
		{"listCreativeMediaFiles", "list-page", "/meta", "3", 200, true},
		{"deleteCreative", "expected-status", "", "status 404", 404, false},
		{"deleteCreative", "expected-status", "", "status 500", 500, true},
		{"deleteCreative", "list-members", "/data", "[]", 200, false},
	} {
		s, _ := newTestModel(t)
		b := s.Outcome
		b.others = []string{"campaign (25)" + tokenWords}
		r := at(s, s.Contract.Operation(tc.operation), nil).Result
		found := Finding{
			Check: tc.check, Operation: tc.operation, Pointer: tc.pointer, Got: tc.got, Severity: "violation",
			Answer: &oracle.Answer{Status: tc.status},
		}
		r.Status, r.Findings = Failed, []*Finding{&found}
		b.InOrder()
		b.WithholdEffects()
		if stays := len(r.Findings) > 0; stays != tc.stays || stays != (r.Status == Failed) {
			t.Errorf("%+v: %s, %d findings", tc, r.Status, len(r.Findings))
		}
	}
}

// A listed value is held back only if no text of the object can be read back to show who wrote it.
func TestAListedValueMayBeAnotherWriters(t *testing.T) {
	for shown, tentative := range map[string]bool{"withCookiesAction": true, "name": false} {
		s, _ := newTestModel(t)
		op := s.Contract.Operation("updateConnectionProfile")
		test, o := at(s, op, op), s.Object(op, "connectionProfile")
		s.Outcome.noteText(o, op.Body.Named(shown))
		found := test.Find(CheckStale, Finding{Clause: "PROFILE-4", Pointer: "/data/withCookiesAction"})
		test.MayBeAnotherWriters(found, test.Result, o, op.Body.Named("withCookiesAction"), "fail")
		if held := len(test.Result.Tentative) > 0; held != tentative {
			t.Errorf("%s can be read back: tentative %t", shown, held)
		}
	}
}

// A creative that is gone is held back if other disposable ones were gone, too, and no text can be read back.
func TestWhatIsGoneMayBeAnotherRuns(t *testing.T) {
	for _, row := range []struct {
		absent   bool
		refused  bool // the run had been refused to delete what is absent
		shown    string
		withheld bool
	}{
		{true, false, "withCookiesAction", true},
		{true, true, "withCookiesAction", false},
		{true, false, "name", false},
		{false, false, "withCookiesAction", false},
	} {
		s, _ := newTestModel(t)
		op, update := s.Contract.Operation("deleteCreative"), s.Contract.Operation("updateConnectionProfile")
		test := at(s, op, op)
		s.Outcome.noteText(s.Object(update, "connectionProfile"), update.Body.Named(row.shown))
		s.Outcome.ByCase = append(s.Outcome.ByCase, test.Result)
		test.Find(CheckRefusedDelete, Finding{Clause: "EFFECT-1", Got: "status 404: it is gone"})
		if row.absent {
			s.Outcome.noteAbsent("disposableCreatives[0]", "disposableCreatives", 8, row.refused)
		}
		s.Outcome.NoteDeleter()
		s.Outcome.WithholdEffects()
		if withheld := len(test.Result.Findings) == 0; withheld != row.withheld {
			t.Errorf("%+v: withheld %t", row, withheld)
		}
	}
}

// What an answer shows of an earlier case waits until no case runs any more: until then it changes no result, but counts.
func TestNoCaseChangesTheResultOfAnother(t *testing.T) {
	h := newHistory(t, "updateCampaign")
	for _, line := range trusted {
		h.update(line)
	}
	b, earlier := h.test.Model.Outcome, h.test.Result
	h.update(refusedThird)
	later := h.test.Model.Begin(&Case{ID: "later", Operation: h.test.Case.Operation})
	h.test = later
	h.update(isThird)
	if len(earlier.Findings)+len(later.Result.Findings) > 0 || earlier.Status != Passed {
		t.Errorf("a case that ended has the findings %v and the status %s", earlier.Findings, earlier.Status)
	}
	if !b.Broken() {
		t.Error("the finding does not count before it is attributed")
	}
	b.InOrder()
	if len(earlier.Findings) != 1 || earlier.Findings[0].Case != earlier.Case.ID || earlier.Status != Failed {
		t.Errorf("the case whose request was carried out has the findings %v and the status %s", earlier.Findings, earlier.Status)
	}
}
