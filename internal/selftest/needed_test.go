package selftest

import (
	"context"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/parallel"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/suites"
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
	_, severity := byFault()
	var lacks []string
	for _, f := range faults.All(reftest.Contract(t)) {
		if severity[f.ID] != string(f.Severity) {
			lacks = append(lacks, f.ID)
		}
		delete(severity, f.ID)
	}
	if len(lacks) > 0 {
		t.Errorf("suites/doctor/needed.json lacks faults, or has them as of another severity: run make selftest-ablation ONLY='^(%s)$'",
			strings.Join(lacks, "|"))
	}
	if gone := slices.Sorted(maps.Keys(severity)); len(gone) > 0 {
		t.Errorf("suites/doctor/needed.json has faults that are gone, which make selftest-ablation with any ONLY takes out: %s",
			strings.Join(gone, ", "))
	}
}

// A fault is found with a target file of no more keys than the file says, and missed without
// any that it says is needed: a sample, as make selftest-ablation tries all.
func TestNeededIsTrue(t *testing.T) {
	needed, _ := byFault()
	n, err := Options{}.newNeeds(t.Context(), reftest.Contract(t))
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Faults: true}
	trials := slices.DeleteFunc(o.trials(reftest.Contract(t)), func(t trial) bool { return !sampled(t.id(), 20) })
	_, err = parallel.Map(t.Context(), 0, trials, func(ctx context.Context, trial trial) (none any, err error) {
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
				return none, err
			}
			for _, key := range set {
				if !inAll(says.Keys, key) || trial.fault.Pins != nil {
					continue
				}
				if err := without(Missed, key); err != nil {
					return none, err
				}
			}
		}
		return none, nil
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
}

// What a target file costs that lacks keys, be it all that a case needs or the rest of a list
// that no case left needs, is the faults that need one of these.
func TestWhatIsUnseenIsWhatIsNeeded(t *testing.T) {
	g := NewWithT(t)
	complete := fixtures.DefaultWorld().Target("http://127.0.0.1:8080/v2")
	keys, err := Keys(complete)
	g.Expect(err).NotTo(HaveOccurred())
	var each [][]string
	for _, key := range keys {
		if !strings.HasSuffix(key, "]") {
			each = append(each, []string{key})
		}
	}
	keep := func(prefix string) (rest []string) {
		for _, key := range keys {
			if !doctor.Below(prefix, key) && !doctor.Below(key, prefix) && strings.HasPrefix(key, "objects.") {
				rest = append(rest, key)
			}
		}
		return rest
	}
	for _, lacking := range append(reftest.Few(12, each),
		keep("objects.campaign"), keep("objects.connectionProfile"), keep("objects.disposableVastCreatives"), keep("objects.vastCreative"),
		append(keep("objects.campaign"), "objects.campaign.name", "objects.campaign.type", "foreign"),
		[]string{"objects.otherCampaign.name", "objects.otherConnectionProfile.name", "objects.vastCreative.mediaFiles"},
		[]string{"objects.disposableVastCreatives[1]"}, []string{"objects.disposableCreatives[3]", "objects.disposableCreatives[4]"},
	) {
		less, err := Without(complete, lacking...)
		g.Expect(err).NotTo(HaveOccurred())
		_, cost, err := suites.NewConfig(less).Lacks(nil)
		g.Expect(err).NotTo(HaveOccurred())
		root, err := written(less)
		g.Expect(err).NotTo(HaveOccurred())
		var left []string
		visit(root, "", func(key string) bool {
			left = append(left, key)
			return false
		})
		// A choice that is not pinned cannot be broken.
		gone := func(key string) bool { return !strings.HasPrefix(key, "open.") && !slices.Contains(left, key) }
		g.Expect(cost.Unseen).To(Equal(doctor.UnseenWithout(gone)), "without %q", lacking)
	}
}

func TestSmallestSets(t *testing.T) {
	got := smallest([][]string{{"a", "b"}, {"b"}, {"c", "d"}, {"b", "d"}, {"c", "d"}})
	NewWithT(t).Expect(got).To(Equal([][]string{{"b"}, {"c", "d"}}))
}

func TestNeededIsMerged(t *testing.T) {
	g := NewWithT(t)
	contract := reftest.Contract(t)
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
