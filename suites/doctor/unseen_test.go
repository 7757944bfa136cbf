package doctor

import (
	"slices"
	"testing"

	. "github.com/onsi/gomega"
)

func TestFoundWithout(t *testing.T) {
	for _, c := range []struct {
		keys  [][]string
		lacks []string
		found bool
	}{
		{[][]string{{}}, []string{"a"}, true},
		{nil, nil, false},
		{[][]string{{"a"}}, nil, true},
		{[][]string{{"a"}}, []string{"a"}, false},
		{[][]string{{"a", "b"}}, []string{"b"}, false},
		{[][]string{{"a"}, {"b"}}, []string{"a"}, true},
		{[][]string{{"a"}, {"b"}}, []string{"a", "b"}, false},
	} {
		n := Needed{Keys: c.keys}
		found := n.FoundWithout(func(key string) bool { return slices.Contains(c.lacks, key) })
		NewWithT(t).Expect(found).To(Equal(c.found), "%v without %v", c.keys, c.lacks)
	}
}

func TestUnseenInWords(t *testing.T) {
	g := NewWithT(t)
	g.Expect((*Unseen)(nil).String()).To(BeEmpty())
	g.Expect((&Unseen{}).String()).To(BeEmpty())
	g.Expect((&Unseen{Minor: 1}).String()).To(Equal("1 seeded fault cannot be seen (1 minor)"))
	g.Expect((&Unseen{Critical: 2, Minor: 29}).String()).To(Equal("31 seeded faults cannot be seen (2 critical, 29 minor)"))
}

func TestNothingIsUnseenOfACompleteFile(t *testing.T) {
	g := NewWithT(t)
	g.Expect(UnseenWithout(func(string) bool { return false })).To(BeNil())
	g.Expect(UnseenWithout(func(string) bool { return true })).NotTo(BeNil())
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
		g.Expect(Below(c.key, c.other)).To(Equal(c.is), "%s below %s", c.key, c.other)
	}
}
