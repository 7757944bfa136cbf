package main

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const root = "../../.."

// The figures of the page are those of results.json, none typed by hand.
func TestThePageAgreesWithTheResults(t *testing.T) {
	r, err := readResults(filepath.Join(root, resultsFile))
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, pageFile))
	if err != nil {
		t.Fatal(err)
	}
	filled, err := fill(string(page), r)
	if err != nil {
		t.Fatal(err)
	}
	if filled != string(page) {
		t.Errorf("%s is not what %s says; run make generate", pageFile, resultsFile)
	}
}

// sample is a result of two tools: one that fails anyway, and adconform.
func sample() *results {
	r := &results{
		Tools: map[string][]int{"noisy": {1, 2}, "adconform": {1}},
		Sample: []subject{
			{Kind: "fault", ID: "same"},
			{Kind: "fault", ID: "new"},
			{Kind: "fault", ID: "sequence"},
			{Kind: "fault", ID: "both"},
			{Kind: "mutant", ID: "lucky", What: "a < b becomes a <= b"},
			{Kind: "variant", ID: "half"},
			{Kind: "variant", ID: "flagged"},
		},
	}
	ran := func(tool, kind, id string, seed int, failures ...string) {
		r.Runs = append(r.Runs, run{Tool: tool, Kind: kind, ID: id, Seed: seed, Failures: failures})
	}
	for seed := range 2 {
		seed++
		ran("adconform", "plain", "plain", seed)
		ran("noisy", "plain", "plain", seed, "Rejected: PATCH /a")
		ran("noisy", "outside", alone, seed, "Proxied: PATCH /a")
		ran("noisy", "fault", "same", seed, "Rejected: PATCH /a", "Proxied: PATCH /a")
		ran("noisy", "fault", "new", seed, "Rejected: PATCH /a", "Rejected: PATCH /b")
		ran("noisy", "fault", "sequence", seed, "Rejected: Stateful tests")
		ran("noisy", "fault", "both", seed, "Broken: PATCH /a")
		ran("noisy", "variant", "flagged", seed)
	}
	ran("noisy", "mutant", "lucky", 1)
	ran("noisy", "mutant", "lucky", 2, "Broken: PATCH /a")
	ran("noisy", "variant", "half", 1)
	ran("adconform", "mutant", "lucky", 1)
	ran("adconform", "variant", "flagged", 1, "ERR-1 a")
	ran("adconform", "variant", "half", 1)
	ran("adconform", "outside", alone, 1)
	ran("adconform", "fault", "same", 1, "ERR-1 a")
	ran("adconform", "fault", "both", 1, "ERR-1 a")
	ran("adconform", "fault", "new", 1)
	ran("adconform", "fault", "sequence", 1)
	return r.ready()
}

func TestFoundIsWhatThePlainServerDoesNotShow(t *testing.T) {
	r := sample()
	for id, want := range map[string]bool{"same": false, "new": true, "sequence": false} {
		if got := r.hit("noisy", subject{Kind: "fault", ID: id}, 1); got != want {
			t.Errorf("%s is found: %v, want %v", id, got, want)
		}
	}
	if got := r.hits("adconform", "fault"); !slices.Equal(got, []int{2}) {
		t.Errorf("adconform finds %d of the faults, want 2 with its one seed", got)
	}
	if got := r.hits("noisy", "mutant"); !slices.Equal(got, []int{0, 1}) {
		t.Errorf("the noisy tool finds %d of the mutants, want 0 with one seed and 1 with the other", got)
	}
}

func TestWhatNotEveryToolAndSeedHadIsLeftOut(t *testing.T) {
	r := sample()
	if r.left != 1 || len(r.of("variant")) != 1 {
		t.Errorf("%d left out, %d variants kept; want the one without a second seed left out", r.left, len(r.of("variant")))
	}
}

func TestLossesShow(t *testing.T) {
	if got, want := behind(sample()), "- The variant `flagged` is flagged by adconform. \n"+
		"- The mutant `lucky` is not found by adconform: `a < b` becomes `a <= b`. Found by noisy (1 of 2 seeds).\n"+
		"- The fault `new` is not found by adconform:  Found by noisy.\n"+
		"- The fault `sequence` is not found by adconform:  Found by none of the others either.\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := ahead(sample()), "- The fault `same`: \n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := pairs(sample()), "| noisy | 0 : 1 | 0 : 0 | 1 : 1 |\n"; !strings.HasSuffix(got, want) {
		t.Errorf("got %q, want it to end with %q", got, want)
	}
}

func TestStatistics(t *testing.T) {
	low, high := []int{1, 2, 3, 4, 5}, []int{6, 7, 8, 9, 10}
	if got := effect(high, low); got != 1 {
		t.Errorf("A12 %v of values that are all greater, want 1", got)
	}
	if got := effect(low, low); got != 0.5 {
		t.Errorf("A12 %v of equal values, want 0.5", got)
	}
	if got := mannWhitney(high, low); got != 2.0/252 { // the two most extreme of all ways to choose 5 of 10
		t.Errorf("p %v, want 2/252", got)
	}
	if got := mannWhitney(low, low); got != 1 {
		t.Errorf("p %v of equal values, want 1", got)
	}
	// Wilson's interval of 8 of 10, as tables have it.
	if low, high := interval(8, 10); math.Round(low*1000) != 490 || math.Round(high*1000) != 943 {
		t.Errorf("8 of 10 are from %.3f to %.3f, want 0.490 to 0.943", low, high)
	}
	if low, high := interval(10, 10); math.Round(high*1000) != 1000 || math.Round(low*1000) != 722 {
		t.Errorf("10 of 10 are from %.3f to %.3f, want 0.722 to 1.000", low, high)
	}
	if low, high := interval(0, 0); low != 0 || high != 1 {
		t.Errorf("none of none are from %v to %v, want 0 to 1", low, high)
	}
	if got := median([]int{9, 1, 4, 2}); got != 3 {
		t.Errorf("median %v, want 3", got)
	}
}

func TestAPageWithoutASectionIsAnError(t *testing.T) {
	for _, page := range []string{"", "<!-- nonsense, by docs/comparison/run -->\n<!-- end -->\n"} {
		if _, err := fill(page, sample()); err == nil {
			t.Errorf("%q is filled in", page)
		}
	}
}
