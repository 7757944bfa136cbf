package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

// What compare.py wrote.
type results struct {
	Timeout  float64           `json:"timeout"` // seconds for one run
	Step     int               `json:"step"`
	Cores    int               `json:"cores"`
	Versions map[string]string `json:"versions"`
	Totals   map[string]int    `json:"totals"` // all seeded faults and variants
	Sample   []subject         `json:"sample"`
	Runs     []run             `json:"runs"`

	tools   []string
	left    int                 // subjects that not every tool had its turn with
	byKey   map[key]run         // one run each
	atPlain map[string][]run    // of a tool on the plain reference
	known   map[string][]string // what a tool reports of servers that are as they should be
}

// A server that the tools are run against.
type subject struct {
	Kind   string `json:"kind"` // fault, variant or outside
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
	return r.ready(), nil
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
		if !slices.Contains(r.tools, run.Tool) {
			r.tools = append(r.tools, run.Tool)
		}
	}
	slices.SortFunc(r.tools, func(a, b string) int {
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

// keepWhatAllHad leaves out the subjects that a run which was broken off left to
// some tools only.
func (r *results) keepWhatAllHad() {
	wanted := len(r.Sample)
	r.Sample = slices.DeleteFunc(r.Sample, func(s subject) bool { return !r.all(s, r.tools, 1) })
	r.left = wanted - len(r.Sample)
	r.Sample = slices.DeleteFunc(r.Sample, func(s subject) bool { return s.ID == alone })
	slices.SortFunc(r.Sample, func(a, b subject) int { return cmp.Compare(a.ID, b.ID) })
}

// all says whether each of the tools has run on the subject with the seed.
func (r *results) all(s subject, tools []string, seed int) bool {
	return !slices.ContainsFunc(tools, func(tool string) bool {
		_, ok := r.byKey[key{tool, s.Kind, s.ID, seed}]
		return !ok
	})
}

func (r *results) of(kind string) []subject {
	return slices.DeleteFunc(slices.Clone(r.Sample), func(s subject) bool { return s.Kind != kind })
}

// hit says whether the tool reports of the subject what it does not report of a
// server as it should be.
func (r *results) hit(tool string, s subject, seed int) bool {
	return slices.ContainsFunc(r.byKey[key{tool, s.Kind, s.ID, seed}].Failures, func(failure string) bool {
		return !r.isKnown(tool, failure)
	})
}

// isKnown: a failure that Schemathesis puts down to a sequence is known when it is
// for any operation, as it does not say which one of the sequence failed.
func (r *results) isKnown(tool, failure string) bool {
	title, sequence := strings.CutSuffix(failure, "Stateful tests")
	return slices.ContainsFunc(r.known[tool], func(known string) bool {
		return known == failure || sequence && strings.HasPrefix(known, title)
	})
}

// hits counts the subjects of a kind that the tool reports with the seed.
func (r *results) hits(tool, kind string, seed int) int {
	n := 0
	for _, s := range r.of(kind) {
		if r.hit(tool, s, seed) {
			n++
		}
	}
	return n
}

// seeds are those with which each of the tools has run on the whole sample.
func (r *results) seeds(tools ...string) []int {
	var seeds []int
	for _, run := range r.atPlain[tools[0]] {
		if !slices.ContainsFunc(r.Sample, func(s subject) bool { return !r.all(s, tools, run.Seed) }) {
			seeds = append(seeds, run.Seed)
		}
	}
	return seeds
}
