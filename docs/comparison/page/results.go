package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// What compare.py wrote.
type results struct {
	Date     string            `json:"date"`    // of the first run
	Timeout  float64           `json:"timeout"` // seconds for one run
	Cores    int               `json:"cores"`
	Versions map[string]string `json:"versions"`
	Tools    map[string][]int  `json:"tools"`  // the seeds that each is run with, 1 alone where it takes none
	Totals   map[string]int    `json:"totals"` // by kind, what there is to sample
	Sample   []subject         `json:"sample"`
	Runs     []run             `json:"runs"`

	tools   []string
	left    int                 // subjects that the run did not get to
	byKey   map[key]run         // one run each
	atPlain map[string][]run    // of a tool on the plain reference
	known   map[string][]string // what a tool reports of servers that are as they should be
	fuzzing *fuzzing            // of the results beside these
}

// A server that the tools are run against.
type subject struct {
	Kind   string `json:"kind"` // fault, mutant, variant or outside
	ID     string `json:"id"`
	Clause string `json:"clause"` // that a fault breaks
	What   string `json:"what"`
}

type run struct {
	Tool       string   `json:"tool"`
	Kind       string   `json:"kind"` // plain for the reference as it is
	ID         string   `json:"id"`
	Seed       int      `json:"seed"`
	Seconds    float64  `json:"seconds"`
	CPUSeconds float64  `json:"cpuSeconds"`
	Requests   int      `json:"requests"`
	SetupLines int      `json:"setupLines"`
	TimedOut   bool     `json:"timedOut"`
	Failures   []string `json:"failures"`
}

type key struct {
	tool, kind, id string
	seed           int
}

// alone is the proxy without a defect: a second plain server.
const alone = "none"

func readResults(path string) (*results, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := &results{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r.fuzzing, err = readFuzzing(filepath.Join(filepath.Dir(path), fuzzFile))
	return r.ready(), err
}

// ready orders what was read for the questions below.
func (r *results) ready() *results {
	r.byKey, r.atPlain, r.known = map[key]run{}, map[string][]run{}, map[string][]string{}
	for _, run := range r.Runs {
		r.byKey[key{run.Tool, run.Kind, run.ID, run.Seed}] = run
		if run.Kind == "plain" {
			r.atPlain[run.Tool] = append(r.atPlain[run.Tool], run)
		}
		if run.Kind == "plain" || run.ID == alone {
			r.known[run.Tool] = append(r.known[run.Tool], run.Failures...)
		}
	}
	r.tools = slices.SortedFunc(maps.Keys(r.Tools), func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
	for tool, known := range r.known {
		slices.Sort(known)
		r.known[tool] = slices.Compact(known)
	}
	r.keepWhatAllHad()
	return r
}

func rank(tool string) int {
	if strings.HasPrefix(tool, "adconform") {
		return 0
	}
	return 1
}

// keepWhatAllHad leaves out the subjects that a run which was broken off left to some
// tools or seeds only.
func (r *results) keepWhatAllHad() {
	wanted := len(r.Sample)
	r.Sample = slices.DeleteFunc(r.Sample, func(s subject) bool { return !r.whole(s) })
	r.left = wanted - len(r.Sample)
	r.Sample = slices.DeleteFunc(r.Sample, func(s subject) bool { return s.ID == alone })
	slices.SortFunc(r.Sample, func(a, b subject) int { return cmp.Compare(a.ID, b.ID) })
}

// whole says whether each of the tools has run on the subject with each of its seeds.
func (r *results) whole(s subject) bool {
	for tool, seeds := range r.Tools {
		for _, seed := range seeds {
			if _, ok := r.byKey[key{tool, s.Kind, s.ID, seed}]; !ok {
				return false
			}
		}
	}
	return true
}

func (r *results) of(kind string) []subject {
	return slices.DeleteFunc(slices.Clone(r.Sample), func(s subject) bool { return s.Kind != kind })
}

// hit says whether the tool reports of the subject, with the seed, what it does not
// report of a server as it should be.
func (r *results) hit(tool string, s subject, seed int) bool {
	return slices.ContainsFunc(r.byKey[key{tool, s.Kind, s.ID, seed}].Failures, func(failure string) bool {
		return !r.isKnown(tool, failure)
	})
}

// times counts the seeds with which the tool reports the subject.
func (r *results) times(tool string, s subject) (n int) {
	for _, seed := range r.Tools[tool] {
		if r.hit(tool, s, seed) {
			n++
		}
	}
	return n
}

// always says whether the tool reports the subject whatever the seed.
func (r *results) always(tool string, s subject) bool { return r.times(tool, s) == len(r.Tools[tool]) }

// isKnown: a failure that Schemathesis puts down to a sequence is known when it is
// for any operation, as it does not say which one of the sequence failed.
func (r *results) isKnown(tool, failure string) bool {
	title, sequence := strings.CutSuffix(failure, "Stateful tests")
	return slices.ContainsFunc(r.known[tool], func(known string) bool {
		return known == failure || sequence && strings.HasPrefix(known, title)
	})
}

// hits counts the subjects of a kind that the tool reports, for each of its seeds.
func (r *results) hits(tool, kind string) (counts []int) {
	for _, seed := range r.Tools[tool] {
		n := 0
		for _, s := range r.of(kind) {
			if r.hit(tool, s, seed) {
				n++
			}
		}
		counts = append(counts, n)
	}
	return counts
}
