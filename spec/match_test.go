package spec

import (
	"slices"
	"testing"

	. "github.com/onsi/gomega"
)

func TestMatchFindsTheOperationAndItsIDs(t *testing.T) {
	c, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	for request, want := range map[[2]string]struct {
		operation string
		ids       []string
	}{
		{"PATCH", "/campaigns/25"}:                          {"updateCampaign", []string{"25"}},
		{"PATCH", "/campaigns/25?fields=name"}:              {"updateCampaign", []string{"25"}},
		{"PATCH", "/campaigns/%7B"}:                         {"updateCampaign", []string{"%7B"}},
		{"GET", "/creatives/7/media-files?page=2"}:          {"listCreativeMediaFiles", []string{"7"}},
		{"PATCH", "/connection-profiles/1/rules/2/hosts/3"}: {"updateConnectionProfileRuleHost", []string{"1", "2", "3"}},
		{"GET", "/campaigns/25"}:                            {},
		{"PATCH", "/campaigns/"}:                            {},
		{"PATCH", "/campaigns/25/"}:                         {},
		{"PATCH", "/v2/campaigns/25"}:                       {},
		{"PATCH", "campaigns/25"}:                           {},
		{"PATCH", ""}:                                       {},
	} {
		op, ids := c.Match(request[0], request[1])
		operation := ""
		if op != nil {
			operation = op.ID
		}
		if operation != want.operation || !slices.Equal(ids, want.ids) {
			t.Errorf("%v: expected %v, got %s %v", request, want, operation, ids)
		}
	}
}

func TestAtIsWhatMatchReads(t *testing.T) {
	g := NewWithT(t)
	c, err := Load()
	g.Expect(err).NotTo(HaveOccurred())
	op := c.Operation("updateConnectionProfileRuleHost")
	path := op.At("{connectionProfileRuleId}", "2", "3")
	g.Expect(path).To(Equal("/connection-profiles/{connectionProfileRuleId}/rules/2/hosts/3"))
	ids, ok := op.Match(path)
	g.Expect(ok).To(BeTrue())
	g.Expect(ids).To(Equal([]string{"{connectionProfileRuleId}", "2", "3"}))
}
