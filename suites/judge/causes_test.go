package judge

import (
	"cmp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
)

// Sightings with the same words are one finding, whatever operation, clause and field they are about; two
// causes at one place are two findings. The worst comes first.
func TestAFindingIsOneCause(t *testing.T) {
	b := newOutcome(nil)
	saw := func(id, clause, words, field string) {
		operation, _, _ := strings.Cut(id, "/")
		f := &Finding{
			Check: "not-refused", Case: id, Operation: operation, Clause: clause, Severity: oracle.Violation,
			Pointer: "request:" + field, Sent: &oracle.Sent{At: "/" + field, What: words},
		}
		say(f, oracle.Words{Subject: words, Tells: true})
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
	own := Finding{Clause: "AUTH-2", Sent: &oracle.Sent{At: "key", What: StrangersKey}}
	others := Finding{Clause: "AUTH-2", Sent: &oracle.Sent{At: "path:campaignId", What: OthersID}}
	remembered := Finding{Clause: "AUTH-3", Sent: &oracle.Sent{At: "key", What: StrangersKey}}
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
			f.Check, f.Severity, f.Operation = CheckNotRefused.ID, oracle.Violation, cmp.Or(f.Operation, "updateCampaign")
			say(&f, oracle.Accepted(&f))
			b.ByCase = append(b.ByCase, &Result{Case: &Case{}, Findings: []*Finding{&f}})
		}
		if findings, _ := b.Groups(spec.Load()); len(findings) != test.want {
			t.Errorf("%s: %d findings, not %d: %s", name, len(findings), test.want, findings[0].Title)
		}
	}
}
