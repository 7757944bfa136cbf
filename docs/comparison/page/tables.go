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
	{"fault", "faults found"}, {"mutant", "mutants found"}, {"outside", "crashes found"}, {"variant", "variants flagged"},
}

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
	"families":   families,
	"faults":     func(r *results) string { return marks(r, "fault") },
	"mutants":    func(r *results) string { return marks(r, "mutant") },
	"variants":   func(r *results) string { return marks(r, "variant") },
	"crashes":    func(r *results) string { return marks(r, "outside") },
	"alarms":     alarms,
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
			cells = append(cells, fmt.Sprint(r.hits(tool, kind.id, 1)))
		}
		b.WriteString(row(append(cells, fmt.Sprint(len(r.known[tool])), fmt.Sprint(r.atPlain[tool][0].SetupLines))...))
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
	text := fmt.Sprintf("- Versions: %s.\n", strings.Join(versions, ", "))
	text += fmt.Sprintf("- A machine of %d cores. Each tool ran %d times alone on the plain server: ", r.Cores, repeats)
	text += "requests are the median, times the least.\n"
	text += fmt.Sprintf("- Sample: %d of %d seeded faults, which break %d clauses; %d of %d source mutants; %d of %d variants; %d crashes.\n",
		len(r.of("fault")), r.Totals["fault"], len(clauses), len(r.of("mutant")), r.Totals["mutant"],
		len(r.of("variant")), r.Totals["variant"], len(r.of("outside")))
	text += fmt.Sprintf("- A run was ended after %g seconds; that happened %s.\n", r.Timeout, wording.Count(late, "time"))
	if r.left > 0 {
		text += fmt.Sprintf("- The run was broken off: %s of the sample not run by every tool, and left out.\n", wording.Count(r.left, "server"))
	}
	return text
}

// overSeeds tells luck from strength, for the tools that take a seed.
func overSeeds(r *results) string {
	var seeded []string
	for _, tool := range r.tools {
		if len(r.seeds(tool)) > 1 {
			seeded = append(seeded, tool)
		}
	}
	if len(seeded) < 2 {
		return "The run was broken off before the further seeds.\n"
	}
	seeds := r.seeds(seeded...)
	var b strings.Builder
	b.WriteString(heading("--:", fmt.Sprintf("%d seeds", len(seeds)), "tool", "median", "least", "most", "with any seed", "A12", "p"))
	for _, kind := range kinds {
		var ours []int
		for _, tool := range seeded {
			var found []int
			for _, seed := range seeds {
				found = append(found, r.hits(tool, kind.id, seed))
			}
			any := 0
			for _, s := range r.of(kind.id) {
				if slices.ContainsFunc(seeds, func(seed int) bool { return r.hit(tool, s, seed) }) {
					any++
				}
			}
			a12, p := "", ""
			if tool == "adconform" {
				ours = found
			} else {
				a12, p = fmt.Sprintf("%.2f", effect(ours, found)), fmt.Sprintf("%.3f", mannWhitney(ours, found))
			}
			b.WriteString(row(kind.hit, title(tool), fmt.Sprint(median(found)), fmt.Sprint(slices.Min(found)),
				fmt.Sprint(slices.Max(found)), fmt.Sprint(any), a12, p))
		}
	}
	return b.String()
}
