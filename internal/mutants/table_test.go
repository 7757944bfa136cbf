package mutants

import (
	"slices"
	"strings"
	"testing"
)

// mutantsOf are those of a function, by what they become.
func mutantsOf(function string, becomes ...string) (all []*Mutant) {
	for _, b := range becomes {
		all = append(all, &Mutant{File: "f.go", Function: function, Kind: Comparison, Before: "a < b", After: b, edits: []edit{{}}})
	}
	return all
}

func TestTableIsChecked(t *testing.T) {
	all := slices.Concat(mutantsOf("one", "a <= b", "a >= b", "a >= b"), mutantsOf("two", "a > b"))
	name(all)
	verdicts := func(v ...Verdict) (outcomes []Outcome) {
		for i, m := range all {
			outcomes = append(outcomes, Outcome{Mutant: m, Verdict: v[i]})
		}
		return outcomes
	}
	for name, c := range map[string]struct {
		table    string
		verdicts []Verdict
		problem  string // "" for none
		unlisted int
	}{
		"all is said": {
			table: `
- reason: r
  places:
    - {file: f.go, function: one, lines: [{line: a < b, becomes: [a <= b]}, {line: a < b, becomes: [a >= b], nth: 2}]}
    - {file: f.go, function: two}`,
			verdicts: []Verdict{Survived, Killed, Inconclusive, Unreached},
		},
		"a file": {table: `[{reason: r, places: [{file: f.go}]}]`, verdicts: []Verdict{Survived, Survived, Survived, Survived}},
		"any change of a line": {
			table:    `[{reason: r, places: [{file: f.go, function: one, lines: [{line: a < b}]}]}]`,
			verdicts: []Verdict{Survived, Survived, Survived, Killed},
		},
		"not in the table": {table: `[]`, verdicts: []Verdict{Killed, Survived, Unreached, Stillborn}, unlisted: 2},
		"killed after all": {
			table:    `[{reason: r, places: [{file: f.go, function: two}]}]`,
			verdicts: []Verdict{Killed, Killed, Killed, Killed}, problem: "killed after all",
		},
		"one of several is killed": {
			table:    `[{reason: r, places: [{file: f.go, function: one, lines: [{line: a < b, becomes: [a >= b]}]}]}]`,
			verdicts: []Verdict{Killed, Killed, Survived, Killed}, problem: "killed after all",
		},
		"the line is gone": {
			table:    `[{reason: r, places: [{file: f.go, function: two, lines: [{line: a < c, becomes: [a > b]}]}]}]`,
			verdicts: []Verdict{Killed, Killed, Killed, Killed}, problem: "gone",
		},
		"the change is gone": {
			table:    `[{reason: r, places: [{file: f.go, function: two, lines: [{line: a < b, becomes: [a == b]}]}]}]`,
			verdicts: []Verdict{Killed, Killed, Killed, Killed}, problem: "gone",
		},
		"twice": {
			table: `[{reason: r, places: [{file: f.go, function: two}]},
				{reason: r, places: [{file: f.go, function: two, lines: [{line: a < b}]}]}]`,
			verdicts: []Verdict{Killed, Killed, Killed, Survived}, problem: "twice",
		},
	} {
		t.Run(name, func(t *testing.T) {
			table, err := parseTable([]byte(c.table))
			if err != nil {
				t.Fatal(err)
			}
			entries, problems := listed(table, all)
			outcomes := verdicts(c.verdicts...)
			for i := range outcomes {
				outcomes[i].take(entries)
			}
			r := newResult(outcomes, problems)
			if got := strings.Join(r.Problems, "\n"); c.problem == "" && got != "" || !strings.Contains(got, c.problem) {
				t.Errorf("problems %q, want %q", got, c.problem)
			}
			if r.All.Unlisted != c.unlisted {
				t.Errorf("%d are not in the table, want %d", r.All.Unlisted, c.unlisted)
			}
			if good := c.problem == "" && c.unlisted == 0; r.Good() != good {
				t.Errorf("good: %v", r.Good())
			}
		})
	}
}

// A known miss counts against the suite; what breaks nothing does not.
func TestBar(t *testing.T) {
	of := func(killed, missed, listed int) *Result {
		var outcomes []Outcome
		for n, o := range map[int]Outcome{
			killed: {Verdict: Killed}, missed: {Verdict: Survived, Reason: "r", Missed: true}, listed: {Verdict: Survived, Reason: "r"},
		} {
			o.Mutant = &Mutant{Kind: Comparison}
			outcomes = append(outcomes, slices.Repeat([]Outcome{o}, n)...)
		}
		return newResult(outcomes, nil)
	}
	if r := of(98, 2, 500); !r.Good() || r.All.Breaking() != 100 || r.Published().Good != 98 || r.Published().Listed != 500 {
		t.Errorf("98 of 100: %+v", r.All)
	}
	if r := of(97, 3, 500); r.Good() {
		t.Error("97 of 100 are too few")
	}
}

func TestTableErrors(t *testing.T) {
	for text, want := range map[string]string{
		"[{places: [{file: f.go}]}]": "want a reason",
		"[{reason: r}]":              "want a reason and places",
		"[{reason: r, places: [{file: f.go, lines: [{line: x}]}]}]": "a function where there are lines",
		"[{reason: r, open: [nothing], places: [{file: f.go}]}]":    `no open point "nothing"`,
		"[{reason: r, places: [{file: f.go, becomes: nothing}]}]":   "becomes",
		"[{raeson: misspelt, places: [{file: f.go}]}]":              "raeson",
	} {
		if _, err := parseTable([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}
