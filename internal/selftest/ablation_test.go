package selftest

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites/report"
)

// exacting are faults that need more of a target file than ids, and some others.
var exacting = regexp.MustCompile(`^(shown/createdAt-year-off/|list/one-exchanged|page/large-|effect/sibling-too|effect/other-too|` +
	`delete/(last|listed|paged)-too|` +
	`permission/.*/foreign|auth/any-key/|refused/401-any-key|updateCampaign.*-null$|.*/data\.createdAt-dropped$)`)

// Each key of a complete target file is taken out in turn: no fault is missed then
// by a run that is called complete. adconform selftest --ablate tries all faults.
func TestNoFaultIsMissedByARunThatIsCalledComplete(t *testing.T) {
	if testing.Short() {
		t.Skip("a run for each key, and more; TestWithoutAKey tries some")
	}
	a, err := Ablate(t.Context(), Options{Only: exacting})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range a.Missed {
		t.Errorf("%s is missed, and the run is called complete: %s", o.ID, o.Sentence)
	}
	if a.Faults < 30 || len(a.Keys) < 50 {
		t.Errorf("%d faults, %d keys", a.Faults, len(a.Keys))
	}
	level := map[string]KeyWorth{}
	for _, k := range a.Keys {
		level[k.Key] = k
	}
	for key, says := range map[string]string{
		"credentials.stranger": "AUTH-2", "foreign": "objects of other users", "foreign.campaign": "objects of other users",
		"objects.pagedVastCreatives": "", "objects.pagedVastCreatives[0].mediaFiles": "", "objects.vastCreative.mediaFiles": "",
		"objects.disposableCreatives": "", "objects.disposableVastCreatives[0].mediaFiles": "",
		"objects.connectionProfileRuleOtherHost": "", "objects.campaign.type": "whether type of campaign is right",
		"objects.connectionProfile.createdAt": "",
		"objects.otherCampaign":               "", "objects.emptyVastCreative": "an empty list", "objects.plainCreative": "",
	} {
		k, ok := level[key]
		if !ok || k.Free() || k.Verdict == report.Nonconforming || k.Level != report.Partial || !strings.Contains(k.Reason, says) {
			t.Errorf("without %s: %+v", key, k)
		}
	}
	for _, key := range []string{"name", "limits", "foreign.creative"} {
		if k, ok := level[key]; !ok || !k.Free() {
			t.Errorf("%s costs nothing, and the run says %+v", key, k)
		}
	}
	var text strings.Builder
	NewWithT(t).Expect(a.WriteText(&text)).To(Succeed())
	NewWithT(t).Expect(text.String()).To(MatchRegexp(`without objects.pagedVastCreatives .*; \d+ seeded faults? cannot be seen \(`))
}

// A run says what a key costs that is not there.
func TestWithoutAKey(t *testing.T) {
	for key, says := range reftest.FewOf(1, map[string]string{
		"foreign.campaign": "objects of other users", "objects.campaign.type": "whether type of campaign is right", "limits": "",
	}) {
		k, err := Options{}.levelWithout(t.Context(), reftest.Contract(t), key)
		if err != nil || k.Free() != (says == "") || !strings.Contains(k.Reason, says) {
			t.Errorf("without %s: %+v, %v", key, k, err)
		}
	}
}

func TestKeysOfATargetFile(t *testing.T) {
	target := fixtures.DefaultWorld().Target("http://127.0.0.1:8080/v2")
	keys, err := Keys(target)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"objects", "objects.campaign.type", "objects.pagedVastCreatives[0].mediaFiles"} {
		if !slices.Contains(keys, key) {
			t.Errorf("%s is not among %q", key, keys)
		}
	}
	for _, key := range []string{"baseURL", "credentials.owner", "objects.campaign.id"} {
		if slices.Contains(keys, key) {
			t.Errorf("a target file without %s can be read", key)
		}
	}
	less, err := Without(target, "objects.campaign.type", "objects.disposableCreatives[0]", "foreign.campaign")
	if err != nil {
		t.Fatal(err)
	}
	g := NewWithT(t)
	g.Expect(less.Objects.Campaign.Values).To(And(HaveKey("name"), Not(HaveKey("type"))))
	g.Expect(less.Foreign.Campaign).To(BeZero())
	g.Expect(less.Foreign.Creative).NotTo(BeZero())
	g.Expect(less.Objects.DisposableCreatives).To(Equal(target.Objects.DisposableCreatives[1:]))
}
