package bench

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"text/template"

	. "github.com/onsi/gomega"
	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
)

var update = flag.Bool("update", false, "write docs/performance.md again")

const (
	resultsFile = "../../docs/performance.txt"
	pageFile    = "../../docs/performance.md"
)

// bar is a bound that a figure has to keep.
type bar struct {
	What, figure string
	AtMost       float64
}

var bars = []bar{
	{"standard suite ÷ bare loop, both with 8 workers, bundled reference", "Suite/bundled/workers=8 ÷loop", 1.5},
	{"standard suite ÷ bare loop, both with 8 workers, reference in another process", "Suite/apart/workers=8 ÷loop", 1.5},
	{"8 workers at 50 ms ÷ the ideal", "Latency/50ms/workers=8 ÷ideal", 1.1},
	{"start to first request, ms", "Start ms", 50},
	{"peak memory with the bundled reference, MiB", "Memory/bundled MiB", 64},
	{"peak memory of the suite alone, MiB", "Memory/apart MiB", 64},
	{"time of a run for each operation, 500 operations ÷ 5", "Operations/500 run÷5", 1.5},
	{"time to judge an item, list of 10,000 ÷ list of 100", "List item÷100", 1.5},
}

// results are the lines of a file of benchmarks, by name and unit in their order.
type results struct {
	Config map[string]string
	Names  []string
	values map[string][]float64
}

func read(tb testing.TB, file string) *results {
	tb.Helper()
	g := NewWithT(tb)
	f, err := os.Open(file)
	g.Expect(err).NotTo(HaveOccurred())
	defer f.Close()
	r := &results{Config: map[string]string{}, values: map[string][]float64{}}
	lines := benchfmt.NewReader(f, file)
	for lines.Scan() {
		line, ok := lines.Result().(*benchfmt.Result)
		g.Expect(ok).To(BeTrue(), "%v", lines.Result())
		for _, c := range line.Config {
			r.Config[c.Key] = string(c.Value)
		}
		name, cores, _ := strings.Cut(line.Name.String(), "-")
		r.Config["cores"] = cores
		for _, v := range line.Values {
			id := name + " " + v.Unit
			if !slices.Contains(r.Names, id) {
				r.Names = append(r.Names, id)
			}
			r.values[id] = append(r.values[id], v.Value)
		}
	}
	g.Expect(lines.Err()).NotTo(HaveOccurred())
	return r
}

func (r *results) summary(id string) benchmath.Summary {
	return benchmath.AssumeNothing.Summary(benchmath.NewSample(slices.Clone(r.values[id]), &benchmath.DefaultThresholds), 0.95)
}

// Figure is the median with the interval around it as benchstat gives it.
func (r *results) Figure(id string) string {
	if len(r.values[id]) == 0 {
		return "not measured"
	}
	s := r.summary(id)
	return fmt.Sprintf("%.3g ± %s", s.Center, s.PctRangeString())
}

// Figure is that of the bar.
func (b bar) Figure(r *results) string { return r.Figure(b.figure) }

// Reached says whether a figure keeps its bar.
func (b bar) Reached(r *results) string {
	switch {
	case len(r.values[b.figure]) == 0:
		return "not measured"
	case r.summary(b.figure).Center <= b.AtMost:
		return "yes"
	}
	return "no"
}

var page = template.Must(template.New("page").Parse(`# Performance

Ratios are of one run each, so that they say something on another machine too: what is
compared is measured by turns. A figure is the median with its interval of 95 %, as
benchstat gives it. The few figures with a unit are of this machine: {{.R.Config.cpu}},
{{.R.Config.cores}} cores, {{.R.Config.go}}, {{.R.Config.goos}}/{{.R.Config.goarch}}; a load of {{.R.Config.load}}
at the start; commit {{.R.Config.commit}}.

` + "`make bench` measures and prints, `make performance` writes this page and its source\n" +
	"[performance.txt](performance.txt): `benchstat old.txt new.txt` compares two such files." + `

## Bars

| what | bar | now | reached |
| ---- | --- | --- | ------- |
{{range .Bars}}| {{.What}} | ≤ {{.AtMost}} | {{.Figure $.R}} | {{.Reached $.R}} |
{{end}}
The loop of *Suite* sends what a run of the suite sent, byte by byte, on keep-alive
connections (what went on a connection of its own does so again), with as many workers
as the suite and to the same server; it reads the bodies and judges nothing. The suite
plans, builds Ginkgo's tree, sends, judges and puts back. *Latency* holds each answer
back; the ideal is requests × latency ÷ workers. *Operations* has the five operations 10
and 100 times over, without deletes. *Memory* is the peak of the resident set as the
kernel counts it.

## All figures

| benchmark | unit | now |
| --------- | ---- | --- |
{{range .All}}| {{.Name}} | {{.Unit}} | {{.Figure}} |
{{end}}`))

// docs/performance.md is what the file of results beside it says.
func TestPageIsFresh(t *testing.T) {
	g := NewWithT(t)
	r := read(t, resultsFile)
	type figure struct{ Name, Unit, Figure string }
	var all []figure
	for _, id := range r.Names {
		if name, unit, _ := strings.Cut(id, " "); !strings.HasSuffix(unit, "/op") {
			all = append(all, figure{name, unit, r.Figure(id)})
		}
	}
	var text bytes.Buffer
	g.Expect(page.Execute(&text, map[string]any{"R": r, "Bars": bars, "All": all})).To(Succeed())
	if *update {
		g.Expect(os.WriteFile(pageFile, text.Bytes(), 0o644)).To(Succeed())
	}
	written, err := os.ReadFile(pageFile)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(bytes.Equal(written, text.Bytes())).To(BeTrue(), "docs/performance.md is not what performance.txt says: run make generate")
	for _, b := range bars {
		g.Expect(r.values).To(HaveKey(b.figure), "docs/performance.txt lacks the figure of a bar: run make performance")
	}
}

func TestBars(t *testing.T) {
	r := &results{values: map[string][]float64{"a": {1.4, 1.5, 1.6}, "b": {1.6, 1.6, 1.6}}}
	for id, want := range map[string]string{"a": "yes", "b": "no", "c": "not measured"} {
		NewWithT(t).Expect(bar{figure: id, AtMost: 1.5}.Reached(r)).To(Equal(want), id)
	}
}
