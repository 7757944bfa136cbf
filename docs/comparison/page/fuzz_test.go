package main

import (
	"strings"
	"testing"
)

func fuzzSample() *fuzzing {
	f := &fuzzing{Kinds: []string{"a: 1", "a: 2", "b: 1", "c: 1"}, Sample: []subject{
		{Kind: "flask", ID: "found", What: "A."},
		{Kind: "flask", ID: "late", What: "B."},
		{Kind: "flask", ID: "lost", What: "C."},
		{Kind: "flask", ID: "never", What: "D."},
	}}
	add := func(tool, kind, id string, seed int, run fuzzRun) {
		run.Tool, run.Kind, run.ID, run.Seed = tool, kind, id, seed
		f.Runs = append(f.Runs, run)
	}
	classes := map[string]int{"a": 3, "b": 299}
	add(fuzzFew, "reach", "flask", 1, fuzzRun{Requests: 310, Classes: classes, Reached: map[string]int{"found": 2}})
	add(fuzzFew, "reach", "flask", 2, fuzzRun{Requests: 310, Classes: map[string]int{"a": 3, "b": 301}, Reached: map[string]int{"found": 2}})
	met := map[string]int{"found": 2, "late": 900, "lost": 9}
	add(fuzzLong, "reach", "flask", 1, fuzzRun{Requests: 10000, Classes: classes, Reached: met, Failures: []string{"hangs"}})
	add(fuzzOther, "reach", "flask", 1, fuzzRun{
		Requests: 500, Classes: map[string]int{"c": 400}, Reached: map[string]int{"never": 5}, Failures: []string{"x"},
	})
	add(fuzzFew, "crash", "flask/found", 1, fuzzRun{Shown: 1, Failures: []string{"500"}})
	add(fuzzFew, "crash", "flask/late", 1, fuzzRun{})
	add(fuzzLong, "crash", "flask/late", 1, fuzzRun{Shown: 1, Failures: []string{"500"}})
	add(fuzzLong, "crash", "flask/lost", 1, fuzzRun{Shown: 3, Failures: []string{"hangs"}})
	add(fuzzFew, "crash", "flask/never", 1, fuzzRun{Failures: []string{"another"}})
	add(fuzzLong, "speed", "reference", 1, fuzzRun{Requests: 5000, Seconds: 5})
	add(fuzzOther, "speed", "reference", 1, fuzzRun{Requests: 500, Seconds: 10})
	return f
}

func TestFuzzingIsCounted(t *testing.T) {
	f := fuzzSample()
	for section, lines := range map[string][]string{
		fuzzClasses(f): {
			"| adconform fuzz --requests 300 | Flask | 2 | 310 | 1.5 (1 to 2) | 2 | 2 | 0 |",
			"| schemathesis | Flask | 1 | 500 | 0 | 1 | 1 | 0 |",
		},
		fuzzCrashes(f): {
			"| adconform fuzz --requests 300 | Flask | 1 | 4 | 3.22 | 1 | 1 | 1 | 0 |",
			"| adconform fuzz --duration 60s | Flask | 3 | 4 | 0.3 | 2 | 3 | 2 | 1 |",
			"| schemathesis | Flask | 1 | 4 | 2 | 1 | 1 |  | 1 |",
		},
		fuzzSpeed(f): {"20 times"},
		fuzzMarks(f): {"| flask | `late` | B. |  | x |  |", "| flask | `never` | D. |  |  | x |"},
	} {
		for _, line := range lines {
			if !strings.Contains(section, line) {
				t.Errorf("%q is not in\n%s", line, section)
			}
		}
	}
}

func TestWhatTheFuzzerMissesShows(t *testing.T) {
	if got, want := fuzzBehind(fuzzSample()),
		"- The class `b` is not reached by request 300 in 1 of 2 runs of adconform fuzz --requests 300; "+
			"by Schemathesis it is in 0 of 1 in all.\n"+
			"- The class `c` is not reached by request 300 in 2 of 2 runs of adconform fuzz --requests 300; "+
			"by Schemathesis it is in 1 of 1 in all.\n"+
			"- The class `c` is not reached in 1 of 1 runs of adconform fuzz --duration 60s; by Schemathesis it is in 1 of 1 in all.\n"+
			"- The crash `lost` (flask) is not reported, and met with 1 seed. C.\n"+
			"- The crash `never` (flask) is not met with any seed; by Schemathesis with 1 seed. D.\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
