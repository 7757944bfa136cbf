package selftest

import (
	"os"
	"testing"

	. "github.com/onsi/gomega"
)

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
