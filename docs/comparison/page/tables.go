package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/wording"
)

// What heads the columns, where the name in the results is too long.
var short = map[string]string{
	"adconform --budget 28":  "adconform, 28 requests",
	"adconform --depth deep": "adconform, deep",
	"portman, newman":        "portman",
}

// The kinds of servers, and what it means that a tool reports one.
var kinds = []struct{ id, hit string }{
	{"mutant", "mutants found"}, {"outside", "crashes found"}, {"fault", "faults found"}, {"variant", "variants flagged"},
}

// One of a kind.
var names = map[string]string{"mutant": "mutant", "outside": "crash", "fault": "fault"}

func title(tool string) string {
	if s, ok := short[tool]; ok {
		return s
	}
	return tool
}

func row(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

func heading(alignment string, cells ...string) string {
	rule := slices.Repeat([]string{alignment}, len(cells))
	rule[0] = "---"
	return row(cells...) + row(rule...)
}

// sections are the parts of the page that come from the results, by their names.
var sections = map[string]func(*results) string{
	"overview":   overview,
	"conditions": conditions,
	"behind":     behind,
	"ahead":      ahead,
	"seeds":      overSeeds,
	"pairs":      pairs,
	"faults":     func(r *results) string { return marks(r, "fault") },
	"mutants":    func(r *results) string { return marks(r, "mutant") },
	"variants":   func(r *results) string { return marks(r, "variant") },
	"crashes":    func(r *results) string { return marks(r, "outside") },
	"alarms":     alarms,

	"fuzzclasses":    fuzzed(fuzzClasses),
	"fuzzcrashes":    fuzzed(fuzzCrashes),
	"fuzzspeed":      fuzzed(fuzzSpeed),
	"fuzzalarms":     fuzzed(fuzzAlarms),
	"fuzzbehind":     fuzzed(fuzzBehind),
	"fuzzmarks":      fuzzed(fuzzMarks),
	"fuzzconditions": fuzzed(fuzzConditions),
}

func fuzzed(write func(*fuzzing) string) func(*results) string {
	return func(r *results) string { return write(r.fuzzing) }
}

func overview(r *results) string {
	least := func(tool string, of func(run) float64) float64 {
		value := of(r.atPlain[tool][0])
		for _, run := range r.atPlain[tool] {
			value = min(value, of(run))
		}
		return value
	}
	ratio := func(tool string, of func(run) float64) string {
		return fmt.Sprintf("%.3g", least(tool, of)/least("adconform", of))
	}
	var b strings.Builder
	cells := []string{"", "requests", "wall time", "processor time"}
	for _, kind := range kinds {
		cells = append(cells, fmt.Sprintf("%s, of %d", kind.hit, len(r.of(kind.id))))
	}
	b.WriteString(heading("--:", append(cells, "failures on the plain server", "set-up lines")...))
	for _, tool := range r.tools {
		var requests []int
		for _, run := range r.atPlain[tool] {
			requests = append(requests, run.Requests)
		}
		cells := []string{
			title(tool), fmt.Sprint(median(requests)),
			ratio(tool, func(r run) float64 { return r.Seconds }), ratio(tool, func(r run) float64 { return r.CPUSeconds }),
		}
		for _, kind := range kinds {
			cells = append(cells, share(median(r.hits(tool, kind.id)), len(r.of(kind.id))))
		}
		b.WriteString(row(append(cells, fmt.Sprint(len(r.known[tool])), fmt.Sprint(r.atPlain[tool][0].SetupLines))...))
	}
	return b.String()
}

// share is a count and, in percent, what it says of all that were drawn from.
func share(count float64, of int) string {
	low, high := interval(count, of)
	return fmt.Sprintf("%g (%.0f to %.0f %%)", count, 100*low, 100*high)
}

// pairs sets adconform, with every seed, against each of the others, with any seed.
func pairs(r *results) string {
	breaking := kinds[:len(kinds)-1] // all but the variants
	var b strings.Builder
	cells := []string{"adconform alone : the other alone"}
	for _, kind := range breaking {
		cells = append(cells, kind.hit)
	}
	b.WriteString(heading("--:", cells...))
	for _, tool := range r.tools {
		if rank(tool) == 0 {
			continue
		}
		cells := []string{title(tool)}
		for _, kind := range breaking {
			ours, theirs := 0, 0
			for _, s := range r.of(kind.id) {
				we, they := r.always("adconform", s), r.times(tool, s) > 0
				if we && !they {
					ours++
				}
				if they && !we {
					theirs++
				}
			}
			cells = append(cells, fmt.Sprintf("%d : %d", ours, theirs))
		}
		b.WriteString(row(cells...))
	}
	return b.String()
}

func conditions(r *results) string {
	var versions []string
	for _, name := range slices.Sorted(maps.Keys(r.Versions)) {
		versions = append(versions, name+" "+r.Versions[name])
	}
	clauses, late, repeats := map[string]bool{}, 0, 0
	for _, s := range r.of("fault") {
		clauses[s.Clause] = true
	}
	for _, run := range r.Runs {
		if run.TimedOut {
			late++
		}
	}
	for _, runs := range r.atPlain {
		repeats = max(repeats, len(runs))
	}
	text := fmt.Sprintf("- Begun on %s. Versions: %s.\n", r.Date, strings.Join(versions, ", "))
	text += fmt.Sprintf("- A machine of %d cores. Each tool ran %d times alone on the plain server: ", r.Cores, repeats)
	text += "requests are the median, times the least.\n"
	text += fmt.Sprintf("- Sample: %d of %d source mutants, %d of %d crashes, %d of %d seeded faults (which break %d clauses), "+
		"%d of %d variants.\n",
		len(r.of("mutant")), r.Totals["mutant"], len(r.of("outside")), r.Totals["outside"],
		len(r.of("fault")), r.Totals["fault"], len(clauses), len(r.of("variant")), r.Totals["variant"])
	text += fmt.Sprintf("- A run was ended after %g seconds; that happened %s.\n", r.Timeout, wording.Count(late, "time"))
	if r.left > 0 {
		text += fmt.Sprintf("- There was no time for %s of the sample, not counted above.\n", wording.Count(r.left, "server"))
	}
	return text
}

// overSeeds tells luck from strength, for the tools that take a seed.
func overSeeds(r *results) string {
	var b strings.Builder
	b.WriteString(heading("--:", "", "tool", "seeds", "median", "least", "most", "with any seed", "A12", "p"))
	for _, kind := range kinds {
		ours := r.hits("adconform", kind.id)
		for _, tool := range r.tools {
			found, seeds := r.hits(tool, kind.id), len(r.Tools[tool])
			if seeds == 1 {
				continue
			}
			any := 0
			for _, s := range r.of(kind.id) {
				if r.times(tool, s) > 0 {
					any++
				}
			}
			a12, p := "", ""
			if tool != "adconform" {
				a12, p = fmt.Sprintf("%.2f", effect(ours, found)), fmt.Sprintf("%.3f", mannWhitney(ours, found))
			}
			b.WriteString(row(kind.hit, title(tool), fmt.Sprint(seeds), fmt.Sprint(median(found)), fmt.Sprint(slices.Min(found)),
				fmt.Sprint(slices.Max(found)), fmt.Sprint(any), a12, p))
		}
	}
	return b.String()
}
