package model

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/adconform/adconform/spec"
)

// What is known of campaign 25 after each history, which is written as in TestHistories. The target file gives its name as
// Spring video.
func TestWhatIsKnown(t *testing.T) {
	t.Parallel()
	op := spec.Load().Operation("updateCampaign")
	twin := *op
	twin.ID = "replaceCampaign"
	name := op.Body.Field("name")
	words := func(v ...any) string { return strings.TrimSuffix(fmt.Sprintln(v...), "\n") }
	uncertain := func(k Known) string { return words(k.IsUncertain(), k.IsLate()) }
	last := func(k Known) string { return words(k.Last(name)) }
	holds := func(k Known) string { return words(k.Holds(name)) }
	first := func(k Known) string { return words(k.First(name)) }
	heldBefore := func(k Known) string {
		held := func(v string) bool { return k.HeldBefore(name, v, time.Unix(1e9+2, 0)) }
		return words(held("Amber Lake"), held("Green Hill"))
	}
	updatedBy := func(k Known) string { return words(k.IsUpdatedBy(op), k.IsUpdatedBy(&twin)) }
	touched := func(k Known) string { return words(k.IsTouched()) }
	constant := func(k Known) string {
		v, by := k.Constant("type")
		return words(v, by != nil && by == k.Constants() && by.Seq == 1)
	}
	unknown := func(k Known) string { return words(k.HasUnknown("Quick Fox"), k.HasUnknown("Amber Lake")) }
	standing := func(k Known) string {
		if _, by := k.Standing(); by != nil {
			return words(by.Seq)
		}
		return "none"
	}
	const (
		amber      = "owner sets campaign 25 name=Amber-Lake: name=Amber-Lake\n"
		green      = "owner sets campaign 25 name=Green-Hill: name=Green-Hill\n"
		isAmber    = "owner asks campaign 25: name=Amber-Lake\n"
		isGreen    = "owner asks campaign 25: name=Green-Hill\n"
		isSpring   = "owner asks campaign 25: name=Spring-video\n"
		isUntitled = "owner asks campaign 25: name=Untitled\n"
		isQuick    = "owner asks campaign 25: name=Quick-Fox\n"
		lost       = "owner sets campaign 25 name=Green-Hill: 500\n"
		isLate     = "owner sets campaign 25 name=Green-Hill: late\n"
		refused    = "stranger sets campaign 25 name=Green-Hill: 403\n"
	)
	for _, tc := range []struct {
		name, history string
		tell          func(Known) string
		want          string
	}{
		{"nothing", "", uncertain, "false false"},
		{"refused", amber + refused, uncertain, "false false"},
		{"lost", amber + lost, uncertain, "true false"},
		{"lost, and set again", amber + lost + amber, uncertain, "false false"},
		{"lost, and read again", amber + isAmber + lost + isAmber, uncertain, "false false"},
		{"never answered, and set again", amber + isLate + amber, uncertain, "true true"},

		{"nothing", "", last, "<nil> false"},
		{"refused", refused, last, "<nil> false"},
		{"set", amber + green, last, "Green Hill true"},
		{"set and lost", amber + lost, last, "Amber Lake false"},
		{"set and lost", amber + lost, holds, "Amber Lake true"},
		{"shown", amber + isAmber + green + isAmber, last, "Amber Lake true"},
		{"a read before the update ended later", "a: owner asks campaign 25\n" + amber + "a: name=Spring-video", last, "Amber Lake true"},
		{"set at the end", amber + green, heldBefore, "true false"},

		{"before an update", isSpring + amber, first, "Spring video true"},
		{"after an update", amber + isUntitled, first, "<nil> false"},

		{"refused", refused, updatedBy, "false false"},
		{"set", amber, updatedBy, "true false"},
		{"failed", amber + lost, touched, "true"},
		{"refused, and not made", amber + isAmber + green + isGreen + refused + isGreen, touched, "false"},
		{"refused, and made", amber + refused + isGreen, touched, "true"},
		{"reset", amber + isUntitled, touched, "false"},

		{"constants", "owner asks campaign 25: name=Spring-video type=video\n" + amber, constant, "video true"},
		{"no constants", amber, constant, "<nil> false"},
		{"a text from nowhere", amber + isAmber + green + isGreen + isQuick, unknown, "true false"},

		{"not dated by the run", isSpring, standing, "none"},
		{"another date", isSpring + amber + green, standing, "3"},
		{
			"the same date", isSpring + amber + "owner sets campaign 25 name=Green-Hill: name=Green-Hill updatedAt=-2s\n",
			standing, "2",
		},
	} {
		s, _ := follow(t, tc.history)
		if got := tc.tell(s.Known("campaign", "25")); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}

// What is lost track of is uncertain until it is set again.
func TestLoseTrack(t *testing.T) {
	t.Parallel()
	s, _ := follow(t, "owner sets campaign 25 name=Amber-Lake: name=Amber-Lake")
	s.LoseTrack("campaign", "25")
	if k := s.Known("campaign", "25"); !k.IsUncertain() || k.IsTouched() {
		t.Errorf("uncertain %t, touched %t", k.IsUncertain(), k.IsTouched())
	}
}
