package selftest

import (
	"context"
	"os"
	"slices"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/suites/doctor"
)

// byFault is what the embedded file says of each fault: what it needs, and its severity.
func byFault() (needed map[string]doctor.Needed, severity map[string]string) {
	needed, severity = map[string]doctor.Needed{}, map[string]string{}
	for _, n := range doctor.AllNeeded() {
		for s, ids := range n.Faults {
			for _, id := range ids {
				needed[id], severity[id] = n, s
			}
		}
	}
	return needed, severity
}

// suites/doctor/needed.json is of the faults that there are.
func TestNeededIsFresh(t *testing.T) {
	g := NewWithT(t)
	_, severity := byFault()
	want := map[string]string{}
	for _, f := range faults.All(loaded(t)) {
		want[f.ID] = string(f.Severity)
	}
	g.Expect(severity).To(Equal(want), "suites/doctor/needed.json is not of these faults: run make selftest-ablation, "+
		"or adconform selftest --ablate --only REGEXP --needed suites/doctor/needed.json for some")
}

// A fault is found with a target file of no more keys than the file says, and missed without
// any that it says is needed: a sample, as make selftest-ablation tries all.
func TestNeededIsTrue(t *testing.T) {
	needed, _ := byFault()
	n, err := Options{}.newNeeds(t.Context(), loaded(t))
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Faults: true}
	trials := slices.DeleteFunc(o.trials(loaded(t)), func(t trial) bool { return !sampled(t.id(), 25) })
	err = n.each(t.Context(), len(trials), func(ctx context.Context, i int) error {
		trial := trials[i]
		says := needed[trial.id()]
		without := func(want Verdict, keys ...string) error {
			outcome, err := n.without(ctx, trial, keys...)
			if err == nil && (outcome.Verdict == Caught) != (want == Caught) {
				t.Errorf("%s is %s without %q: run adconform selftest --ablate --only '^%s$' --needed suites/doctor/needed.json",
					trial.id(), outcome.Verdict, keys, trial.id())
			}
			return err
		}
		for _, set := range says.Keys[:min(1, len(says.Keys))] {
			rest := slices.DeleteFunc(slices.Clone(n.keys), func(key string) bool { return related(set, key) })
			if err := without(Caught, rest...); err != nil {
				return err
			}
			for _, key := range set {
				if !inAll(says.Keys, key) || trial.fault.Pins != nil {
					continue
				}
				if err := without(Missed, key); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestKeysBelowOthers(t *testing.T) {
	g := NewWithT(t)
	for _, c := range []struct {
		key, other string
		is         bool
	}{
		{"objects.campaign", "objects.campaign", true},
		{"objects.campaign.type", "objects.campaign", true},
		{"objects.campaign", "objects.campaign.type", false},
		{"objects.campaigns", "objects.campaign", false},
		{"objects.disposableCreatives[2]", "objects.disposableCreatives", true},
		{"objects.disposableCreatives[2]", "objects.disposableCreatives[1]", true},
		{"objects.disposableCreatives[1]", "objects.disposableCreatives[2]", false},
		{"objects.disposableVastCreatives[1].mediaFiles", "objects.disposableVastCreatives[0]", true},
		{"objects.disposableVastCreatives[1].mediaFiles", "objects.disposableVastCreatives[0].mediaFiles", false},
	} {
		g.Expect(below(c.key, c.other)).To(Equal(c.is), "%s below %s", c.key, c.other)
	}
}

func TestSmallestSets(t *testing.T) {
	got := smallest([][]string{{"a", "b"}, {"b"}, {"c", "d"}, {"b", "d"}, {"c", "d"}})
	NewWithT(t).Expect(got).To(Equal([][]string{{"b"}, {"c", "d"}}))
}

func TestNeededIsMerged(t *testing.T) {
	g := NewWithT(t)
	contract := loaded(t)
	file := t.TempDir() + "/needed.json"
	ids := []string{"page/count-zero", "page/count-one-more", "auth/any-key/updateCampaign"}
	g.Expect(mergeNeeded(file, contract, map[string][][]string{ids[0]: {{"a"}}, ids[1]: {{"a"}}, "no such fault": {{"a"}}})).To(Succeed())
	g.Expect(mergeNeeded(file, contract, map[string][][]string{ids[1]: {{"b"}, {"c"}}, ids[2]: {{}}})).To(Succeed())
	data, err := os.ReadFile(file)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(data).To(MatchJSON(`[
		{"keys": [[]], "faults": {"critical": ["auth/any-key/updateCampaign"]}},
		{"keys": [["a"]], "faults": {"major": ["page/count-zero"]}},
		{"keys": [["b"], ["c"]], "faults": {"major": ["page/count-one-more"]}}]`))
}
