package main

import (
	"os"
	"path/filepath"
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
		Sample: []subject{
			{Kind: "fault", ID: "same"},
			{Kind: "fault", ID: "new"},
			{Kind: "fault", ID: "sequence"},
			{Kind: "fault", ID: "both"},
			{Kind: "variant", ID: "half"},
			{Kind: "variant", ID: "flagged"},
		},
		Runs: []run{
			{Tool: "noisy", Kind: "plain", ID: "plain", Seed: 1, Failures: []string{"Rejected: PATCH /a"}},
			{Tool: "noisy", Kind: "outside", ID: alone, Seed: 1, Failures: []string{"Proxied: PATCH /a"}},
			{Tool: "noisy", Kind: "fault", ID: "same", Seed: 1, Failures: []string{"Rejected: PATCH /a", "Proxied: PATCH /a"}},
			{Tool: "noisy", Kind: "fault", ID: "new", Seed: 1, Failures: []string{"Rejected: PATCH /a", "Rejected: PATCH /b"}},
			{Tool: "noisy", Kind: "fault", ID: "sequence", Seed: 1, Failures: []string{"Rejected: Stateful tests"}},
			{Tool: "noisy", Kind: "fault", ID: "both", Seed: 1, Failures: []string{"Broken: PATCH /a"}},
			{Tool: "noisy", Kind: "variant", ID: "flagged", Seed: 1},
			{Tool: "adconform", Kind: "variant", ID: "flagged", Seed: 1, Failures: []string{"ERR-1 a"}},
			{Tool: "noisy", Kind: "variant", ID: "half", Seed: 1},
			{Tool: "adconform", Kind: "plain", ID: "plain", Seed: 1},
			{Tool: "adconform", Kind: "plain", ID: "plain", Seed: 2},
			{Tool: "adconform", Kind: "fault", ID: "same", Seed: 1, Failures: []string{"ERR-1 a"}},
			{Tool: "adconform", Kind: "fault", ID: "both", Seed: 1, Failures: []string{"ERR-1 a"}},
			{Tool: "adconform", Kind: "fault", ID: "new", Seed: 1},
			{Tool: "adconform", Kind: "fault", ID: "sequence", Seed: 1},
		},
	}
	return r.ready()
}

func TestFoundIsWhatThePlainServerDoesNotShow(t *testing.T) {
	r := sample()
	for id, want := range map[string]bool{"same": false, "new": true, "sequence": false} {
		if got := r.hit("noisy", subject{Kind: "fault", ID: id}, 1); got != want {
			t.Errorf("%s is found: %v, want %v", id, got, want)
		}
	}
	if got := r.hits("adconform", "fault", 1); got != 2 {
		t.Errorf("adconform finds %d of the faults, want 2", got)
	}
}

func TestWhatNotEveryToolHadIsLeftOut(t *testing.T) {
	r := sample()
	if r.left != 1 || len(r.of("variant")) != 1 {
		t.Errorf("%d left out, %d variants kept; want the one that adconform did not run on left out",
			r.left, len(r.of("variant")))
	}
	if got := r.seeds("adconform", "noisy"); len(got) != 1 {
		t.Errorf("seeds %v, want 1 only", got)
	}
}

func TestLossesShow(t *testing.T) {
	if got, want := behind(sample()), "- The variant `flagged` is flagged by adconform. \n"+
		"- `new` is not found by adconform.  Found by noisy.\n"+
		"- `sequence` is not found by adconform.  Found by none of the others either.\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := ahead(sample()), "- `same`: \n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Who reads the figures of a tool that was held up is told so.
func TestWhatTheClockBoundsIsNotTakenForMoreThanItDid(t *testing.T) {
	const tool = "fuzz --max-time 30"
	of := func(sent int) *results {
		r := &results{
			Sample: []subject{{Kind: "variant", ID: "a"}},
			Runs: []run{
				{Tool: tool, Kind: "plain", ID: "plain", Seed: 1, Requests: 1000},
				{Tool: tool, Kind: "variant", ID: "a", Seed: 1, Requests: sent},
			},
		}
		return r.ready()
	}
	if got := underLoad(of(200)); !strings.Contains(got, "sent 200 requests") || !strings.Contains(got, "1000 to the plain server") {
		t.Errorf("200 of 1000 requests: %q", got)
	}
	if got := underLoad(of(990)); got != "" {
		t.Errorf("990 of 1000 requests: %q", got)
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
