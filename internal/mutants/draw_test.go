package mutants

import (
	"slices"
	"testing"
)

func TestDrawnFromIsWhatBreaksTheContract(t *testing.T) {
	all := slices.Concat(mutantsOf("killed", "a"), mutantsOf("harmless", "b"), mutantsOf("missed", "c"), mutantsOf("chosen", "d"))
	all[3].Before = "if s.choices.MalformedPage == Refuse {"
	name(all)
	entries := map[string]*Entry{all[1].ID: {Reason: "r"}, all[2].ID: {Reason: "r", Missed: true}}
	if got := breakingByDefault(all, entries); !slices.Equal(got, []*Mutant{all[0], all[2]}) {
		t.Errorf("%d mutants to draw from, want the one that is not in the table and the one that is missed", len(got))
	}
}

func TestDrawingHangsOnIDsAlone(t *testing.T) {
	var all []*Mutant
	for _, function := range []string{"one", "two", "three", "four", "five", "six"} {
		all = append(all, mutantsOf(function, "a")...)
	}
	name(all)
	drawn := byHash(all)
	if slices.Equal(drawn, all) {
		t.Error("mutants are drawn in the order of the source")
	}
	fewer := slices.DeleteFunc(slices.Clone(all), func(m *Mutant) bool { return m == drawn[2] })
	slices.Reverse(fewer)
	if want := slices.Delete(slices.Clone(drawn), 2, 3); !slices.Equal(byHash(fewer), want) {
		t.Error("a mutant less, or another order of the source, changes the order of the others")
	}
}
