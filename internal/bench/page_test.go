package main

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/performance.md again")

const docs = "../../docs/"

// docs/performance.md is what the two files of results beside it say.
func TestPageIsFresh(t *testing.T) {
	before, now := published(t, "performance-before.json"), published(t, "performance.json")
	var page bytes.Buffer
	if err := writePage(&page, before, now); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(docs+"performance.md", page.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	written, err := os.ReadFile(docs + "performance.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(written, page.Bytes()) {
		t.Error("docs/performance.md is not what docs/performance.json says: run `make performance`")
	}
}

// Every line of the page was measured, and every figure has a line.
func TestPageShowsWhatWasMeasured(t *testing.T) {
	shown := map[string]bool{"suite/requests": true}
	for _, b := range bars {
		shown[b.id] = true
	}
	for _, s := range sections {
		for _, r := range s.rows {
			shown[r.id] = true
		}
	}
	for _, file := range []string{"performance-before.json", "performance.json"} {
		measured := published(t, file).Figures
		for id := range shown {
			if _, ok := measured[id]; !ok {
				t.Errorf("%s: %s was not measured", file, id)
			}
		}
		for id := range measured {
			if !shown[id] && !strings.HasPrefix(id, "lanes/") && !strings.HasPrefix(id, "costs/") && !trivial(id) {
				t.Errorf("%s: no line of the page shows %s", file, id)
			}
		}
	}
}

// trivial figures are the 1 that others are a multiple of.
func trivial(id string) bool {
	return strings.HasPrefix(id, "document/5/") || id == "lists/100/item"
}

func published(t *testing.T, file string) *Results {
	t.Helper()
	r, err := readResults(docs + file)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestBars(t *testing.T) {
	figures := func(suite, without float64) Figures {
		return Figures{"suite/apart/default": {Median: suite}, "suite/apart/no-ginkgo": {Median: without}, "lanes/8/50ms/faster": {Median: suite}}
	}
	ratio := bar{id: "suite/apart/default", atMost: 2}
	for _, c := range []struct {
		bar  bar
		f    Figures
		want string
	}{
		{ratio, figures(1.9, 1.8), "yes"},
		{ratio, figures(2.4, 1.8), "without Ginkgo (1.80); with it ≤ 3"},
		{ratio, figures(2.4, 2.1), "no"},
		{ratio, figures(3.1, 1.8), "no"},
		{bar{id: "lanes/8/50ms/faster", atLeast: 6}, figures(6.5, 0), "yes"},
		{bar{id: "lanes/8/50ms/faster", atLeast: 6}, figures(5.9, 0), "no"},
		{bar{id: "memory/apart", atMost: 64}, figures(1, 1), "not measured"},
	} {
		if got := c.bar.verdict(c.f); got != c.want {
			t.Errorf("%s of %v: got %q, want %q", c.bar.id, c.f, got, c.want)
		}
	}
}
