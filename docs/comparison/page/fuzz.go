package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/wording"
)

// What fuzz/fuzz.py wrote.
type fuzzing struct {
	Date     string            `json:"date"`
	Cores    int               `json:"cores"`
	Versions map[string]string `json:"versions"`
	Tools    map[string][]int  `json:"tools"`
	Sample   []subject         `json:"sample"` // the crashes, their kind is the server
	Kinds    []string          `json:"kinds"`  // of unusual input, each "class: kind"
	Runs     []fuzzRun         `json:"runs"`
}

type fuzzRun struct {
	Tool     string         `json:"tool"`
	Kind     string         `json:"kind"` // speed, reach on a server that hides its crashes, or crash on one that has one
	ID       string         `json:"id"`   // the server, with a crash also which
	Seed     int            `json:"seed"`
	Commit   string         `json:"commit"`
	Seconds  float64        `json:"seconds"`
	Requests int            `json:"requests"`
	Failures []string       `json:"failures"`
	Classes  map[string]int `json:"classes"` // by which request each was reached
	Members  int            `json:"members"`
	Reached  map[string]int `json:"reached"` // crashes, likewise
	Shown    int            `json:"shown"`   // answers of 500
}

const (
	fuzzFile  = "fuzz/results.json" // beside results.json
	fuzzFew   = "adconform fuzz --requests 300"
	fuzzLong  = "adconform fuzz --duration 60s"
	fuzzOther = "schemathesis"
)

var (
	fuzzTools   = []string{fuzzFew, fuzzLong, fuzzOther}
	fuzzServers = []struct{ id, title string }{{"reference", "the reference"}, {"flask", "Flask"}, {"express", "Express"}}
)

func readFuzzing(path string) (*fuzzing, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f := &fuzzing{}
	if err := json.Unmarshal(data, f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// of gives the runs of a tool; of any server where none is named.
func (f *fuzzing) of(tool, kind, id string) []fuzzRun {
	return slices.DeleteFunc(slices.Clone(f.Runs), func(r fuzzRun) bool {
		return r.Tool != tool || r.Kind != kind || id != "" && r.ID != id
	})
}

func (f *fuzzing) crashes(server string) []subject {
	return slices.DeleteFunc(slices.Clone(f.Sample), func(s subject) bool { return s.Kind != server })
}

// spread is the median of some runs, with the least and the most where they differ.
func spread(runs []fuzzRun, of func(fuzzRun) int) string {
	var values []int
	for _, run := range runs {
		values = append(values, of(run))
	}
	if len(values) == 0 {
		return ""
	}
	text := fmt.Sprintf("%g", median(values))
	if least, most := slices.Min(values), slices.Max(values); least != most {
		text += fmt.Sprintf(" (%d to %d)", least, most)
	}
	return text
}

// within counts what was reached by the first n requests, or by all where n is 0.
func within(reached map[string]int, n int) int {
	count := 0
	for _, number := range reached {
		if n == 0 || number <= n {
			count++
		}
	}
	return count
}

func fuzzClasses(f *fuzzing) string {
	var b strings.Builder
	b.WriteString(heading("--:", "", "server", "seeds", "requests", fmt.Sprintf("classes by request 300, of %d", len(f.classes())),
		"classes by request 1,000", "classes in all", fmt.Sprintf("kinds, of %d", len(f.Kinds))))
	for _, tool := range fuzzTools {
		for _, server := range fuzzServers {
			runs := f.of(tool, "reach", server.id)
			b.WriteString(row(title(tool), server.title, fmt.Sprint(len(runs)), spread(runs, func(r fuzzRun) int { return r.Requests }),
				spread(runs, func(r fuzzRun) int { return within(r.Classes, 300) }),
				spread(runs, func(r fuzzRun) int { return within(r.Classes, 1000) }),
				spread(runs, func(r fuzzRun) int { return within(r.Classes, 0) }),
				spread(runs, func(r fuzzRun) int { return r.Members })))
		}
	}
	return b.String()
}

func fuzzCrashes(f *fuzzing) string {
	var b strings.Builder
	b.WriteString(heading("--:", "", "server", "crashes met", "of", "per 1,000 requests", "by request 300", "with any seed",
		"reported", "failures on the plain server"))
	for _, tool := range fuzzTools {
		for _, server := range fuzzServers {
			runs := f.of(tool, "reach", server.id)
			met := map[string]bool{}
			var rate []int
			for _, run := range runs {
				for id := range run.Reached {
					met[id] = true
				}
				rate = append(rate, len(run.Reached)*100_000/max(1, run.Requests))
			}
			if len(runs) == 0 {
				continue
			}
			reported := "" // of Schemathesis none was run: it reports each answer of 500
			if tool != fuzzOther {
				reported = fmt.Sprint(f.reported(tool, server.id))
			}
			b.WriteString(row(title(tool), server.title, spread(runs, func(r fuzzRun) int { return len(r.Reached) }),
				fmt.Sprint(len(f.crashes(server.id))), fmt.Sprintf("%.3g", median(rate)/100),
				spread(runs, func(r fuzzRun) int { return within(r.Reached, 300) }),
				fmt.Sprint(len(met)), reported, fmt.Sprint(len(f.alarms(tool, server.id)))))
		}
	}
	return b.String()
}

// alarms are what a tool reports of a server without a crash.
func (f *fuzzing) alarms(tool, server string) map[string]bool {
	alarms := map[string]bool{}
	for _, run := range slices.Concat(f.of(tool, "reach", server), f.of(tool, "speed", server)) {
		for _, failure := range run.Failures {
			alarms[failure] = true
		}
	}
	return alarms
}

func fuzzAlarms(f *fuzzing) string {
	var b strings.Builder
	for _, tool := range fuzzTools {
		for _, server := range fuzzServers {
			for _, failure := range slices.Sorted(maps.Keys(f.alarms(tool, server.id))) {
				fmt.Fprintf(&b, "- %s, of %s: %s\n", title(tool), server.title, failure)
			}
		}
	}
	return orNothing(b.String())
}

// reported counts the crashes of a server that a run with seed 1 reported, or a shorter one.
func (f *fuzzing) reported(tool, server string) (n int) {
	for _, s := range f.crashes(server) {
		if f.reports(fuzzFew, s) || tool == fuzzLong && f.reports(fuzzLong, s) {
			n++
		}
	}
	return n
}

// reports says whether a run that was shown the crash says what none says of the server without it.
func (f *fuzzing) reports(tool string, s subject) bool {
	known := f.alarms(fuzzFew, s.Kind)
	maps.Copy(known, f.alarms(fuzzLong, s.Kind))
	return slices.ContainsFunc(f.of(tool, "crash", s.Kind+"/"+s.ID), func(r fuzzRun) bool {
		return r.Shown > 0 && slices.ContainsFunc(r.Failures, func(failure string) bool { return !known[failure] })
	})
}

func (f *fuzzing) meets(tool string, s subject) (n int) {
	for _, run := range f.of(tool, "reach", s.Kind) {
		if run.Reached[s.ID] > 0 {
			n++
		}
	}
	return n
}

func fuzzSpeed(f *fuzzing) string {
	rate := func(tool string) float64 {
		for _, run := range f.of(tool, "speed", "") {
			return float64(run.Requests) / run.Seconds
		}
		return 0
	}
	ours, theirs := rate(fuzzLong), rate(fuzzOther)
	if ours == 0 || theirs == 0 {
		return "Not measured.\n"
	}
	return fmt.Sprintf("Alone on the reference, without the recorder, from start to exit: adconform fuzz sends %.0f times as many\n"+
		"requests a second as Schemathesis.\n", ours/theirs)
}

// fuzzBehind lists what adconform fuzz did not reach, did not report, or others do better.
func fuzzBehind(f *fuzzing) string {
	if len(f.of(fuzzLong, "reach", "")) == 0 {
		return "Not measured.\n"
	}
	var b strings.Builder
	all, others := f.classes(), f.of(fuzzOther, "reach", "")
	for _, tool := range []string{fuzzFew, fuzzLong} {
		for _, class := range all {
			runs := f.of(tool, "reach", "")
			missed := len(runs) - count(runs, func(r fuzzRun) bool { return r.Classes[class] > 0 && (tool == fuzzLong || r.Classes[class] <= 300) })
			until := map[string]string{fuzzFew: " by request 300"}[tool]
			if missed > 0 {
				with := count(others, func(r fuzzRun) bool { return r.Classes[class] > 0 })
				fmt.Fprintf(&b, "- The class `%s` is not reached%s in %d of %d runs of %s; by Schemathesis it is in %d of %d in all.\n",
					class, until, missed, len(runs), title(tool), with, len(others))
			}
		}
	}
	for _, s := range f.Sample {
		ours := f.meets(fuzzLong, s)
		switch theirs := f.meets(fuzzOther, s); {
		case ours == 0 && !f.reports(fuzzFew, s) && !f.reports(fuzzLong, s):
			fmt.Fprintf(&b, "- The crash `%s` (%s) is not met with any seed; by Schemathesis with %s. %s\n", s.ID, s.Kind,
				wording.Count(theirs, "seed"), s.What)
		case !f.reports(fuzzFew, s) && !f.reports(fuzzLong, s):
			fmt.Fprintf(&b, "- The crash `%s` (%s) is not reported, and met with %s. %s\n", s.ID, s.Kind, wording.Count(ours, "seed"), s.What)
		}
	}
	return orNothing(b.String())
}

func (f *fuzzing) classes() []string {
	var all []string
	for _, kind := range f.Kinds {
		class, _, _ := strings.Cut(kind, ":")
		all = append(all, class)
	}
	return slices.Compact(all)
}

func count(runs []fuzzRun, is func(fuzzRun) bool) (n int) {
	for _, run := range runs {
		if is(run) {
			n++
		}
	}
	return n
}

func fuzzMarks(f *fuzzing) string {
	var b strings.Builder
	b.WriteString(heading(":-:", "server", "crash", "what", "reported with 300 requests", "within 60 s", "met by Schemathesis"))
	x := map[bool]string{true: "x"}
	for _, s := range f.Sample {
		few := f.reports(fuzzFew, s)
		theirs, runs := f.meets(fuzzOther, s), len(f.of(fuzzOther, "reach", s.Kind))
		mark := x[theirs > 0]
		if theirs > 0 && theirs < runs {
			mark = fmt.Sprintf("%d of %d", theirs, runs)
		}
		b.WriteString(row(s.Kind, "`"+s.ID+"`", strings.ReplaceAll(s.What, "|", `\|`), x[few], x[few || f.reports(fuzzLong, s)], mark))
	}
	return b.String()
}

func fuzzConditions(f *fuzzing) string {
	var versions []string
	for _, name := range slices.Sorted(maps.Keys(f.Versions)) {
		versions = append(versions, name+" "+f.Versions[name])
	}
	commits := map[string]bool{}
	for _, run := range f.Runs {
		commits[run.Commit] = true
	}
	seeds := map[int]bool{}
	for _, run := range f.Runs {
		seeds[run.Seed] = true
	}
	text := fmt.Sprintf("- Begun on %s, on a machine of %d cores. Versions: %s; adconform commit %s.\n", f.Date, f.Cores,
		strings.Join(versions, ", "), strings.Join(slices.Sorted(maps.Keys(commits)), ", "))
	return text + fmt.Sprintf("- %d runs, with %d seeds.\n", len(f.Runs), len(seeds))
}
