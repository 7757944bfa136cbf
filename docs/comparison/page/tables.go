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
	"adconform --budget 28":      "adconform, 28 requests",
	"adconform --depth deep":     "adconform, deep",
	"portman, newman":            "portman",
	"schemathesis --max-time 30": "schemathesis, 30 s",
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
	b.WriteString(heading("--:", "", "requests", "wall time", "processor time",
		fmt.Sprintf("faults found, of %d", len(r.of("fault"))),
		fmt.Sprintf("crashes found, of %d", len(r.of("outside"))),
		fmt.Sprintf("variants flagged, of %d", len(r.of("variant"))),
		"failures on the plain server", "set-up lines"))
	for _, tool := range r.tools {
		var requests []int
		for _, run := range r.atPlain[tool] {
			requests = append(requests, run.Requests)
		}
		b.WriteString(row(title(tool), fmt.Sprint(median(requests)),
			ratio(tool, func(r run) float64 { return r.Seconds }), ratio(tool, func(r run) float64 { return r.CPUSeconds }),
			fmt.Sprint(r.hits(tool, "fault", 1)), fmt.Sprint(r.hits(tool, "outside", 1)), fmt.Sprint(r.hits(tool, "variant", 1)),
			fmt.Sprint(len(r.known[tool])), fmt.Sprint(r.atPlain[tool][0].SetupLines)))
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
	text += fmt.Sprintf("- Sample: %d of %d seeded faults, which break %d clauses; %d of %d variants; %d crashes.\n",
		len(r.of("fault")), r.Totals["fault"], len(clauses), len(r.of("variant")), r.Totals["variant"], len(r.of("outside")))
	text += fmt.Sprintf("- A run was ended after %g seconds; that happened %s.\n", r.Timeout, wording.Count(late, "time"))
	text += underLoad(r)
	if r.left > 0 {
		text += fmt.Sprintf("- The run was broken off: %s of the sample not run by every tool, and left out.\n", wording.Count(r.left, "server"))
	}
	return text
}

// underLoad says what other work on the machine took from a tool that the clock bounds.
func underLoad(r *results) string {
	text := ""
	for _, tool := range r.tools {
		var plain, sampled []int
		for _, run := range r.atPlain[tool] {
			plain = append(plain, run.Requests)
		}
		for _, s := range r.of("variant") { // which, unlike faults, end no run early
			sampled = append(sampled, r.byKey[key{tool, s.Kind, s.ID, 1}].Requests)
		}
		if strings.Contains(tool, "--max-time") && len(sampled) > 0 && median(sampled) < 0.9*median(plain) {
			text += fmt.Sprintf("- Other work ran on the machine meanwhile: bound by the clock, *%s* sent %g requests to a conforming variant "+
				"(median), and %g to the plain server. Read that row as the least that it finds.\n",
				title(tool), median(sampled), median(plain))
		}
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
	for _, kind := range []struct{ id, title string }{
		{"fault", "faults found"}, {"outside", "crashes found"}, {"variant", "variants flagged"},
	} {
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
			b.WriteString(row(kind.title, title(tool), fmt.Sprint(median(found)), fmt.Sprint(slices.Min(found)),
				fmt.Sprint(slices.Max(found)), fmt.Sprint(any), a12, p))
		}
	}
	return b.String()
}
