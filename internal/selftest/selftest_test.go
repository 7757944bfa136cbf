package selftest

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/engine"
	"github.com/adconform/adconform/internal/faults"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/internal/render"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/specs"
)

var all = flag.Bool("all", false, "try eight times as many faults and variants, an hour of processor time")

// scarce turns one in n, which holds with -all, into one in 8n without it, and one in 80n with -short.
func scarce(n int) int {
	switch {
	case testing.Short():
		return 80 * n
	case *all:
		return n
	}
	return 8 * n
}

// serving serves a fault or variant until the test ends.
func serving(t *testing.T, tr faults.Server) *served {
	t.Helper()
	s, err := new(Options).serve(context.WithoutCancel(t.Context()), &tr)
	noError(t, err)
	t.Cleanup(func() { noError(t, s.stop()) })
	return s
}

// ran returns the report of a run.
func ran(t *testing.T, s *served, change ...func(*engine.Config)) *report.Report {
	t.Helper()
	for _, as := range change {
		as(s.config)
	}
	r, err := engine.Execute(t.Context(), s.config)
	noError(t, err)
	return r
}

// cases selects the cases whose ids begin with a prefix.
func cases(prefix string) func(*judge.Case) bool {
	return func(cs *judge.Case) bool { return strings.HasPrefix(cs.ID, prefix) }
}

var allFaults = sync.OnceValue(func() []faults.Server { return faults.All(spec.Load()) })

func faultByID(t *testing.T, id string) faults.Server {
	t.Helper()
	f, err := faults.ByID(allFaults(), id)
	noError(t, err)
	return f
}

var noError = reftest.NoError

func run(t *testing.T, o Options) *Result {
	t.Helper()
	r, err := Run(t.Context(), o)
	noError(t, err)
	return r
}

func only(expression string) Options {
	return Options{Faults: true, Variants: true, Only: regexp.MustCompile(expression)}
}

// Depth quick leaves clauses untested, so it may miss a fault, but it flags no variant.
func TestAFaultIsCaughtForItsClause(t *testing.T) {
	quick := judge.Quick
	o := only("^(updateCampaign/success/data.adspecId-dropped|page/page-always-1|wire/pretty)$")
	o.Depth = &quick
	r := run(t, o)
	missed, caught, variant := r.Outcomes[0], r.Outcomes[1], r.Outcomes[2]
	if caught.Verdict != Caught || caught.Clause != "CAMPAIGN-11" || len(caught.Cases) == 0 || missed.Verdict != Missed {
		t.Errorf("the faults came out as %+v, %+v", caught, missed)
	}
	if caught.Requests == 0 || caught.Requests >= variant.Requests || variant.Requests > 120 {
		t.Errorf("the run took %d requests and a whole one takes %d, so it did not end early", caught.Requests, variant.Requests)
	}
	if variant.Verdict != Passed || len(variant.Findings) > 0 {
		t.Errorf("the variant came out as %+v: %+v", variant, r.Figure)
	}
}

// A sample tries a fault on the cases of its operation, and on the others too where these miss it.
func TestASampleNeedsFewerRequests(t *testing.T) {
	of := only("^(effect/other-too|gone/plain)/updateCampaign$")
	whole := run(t, of)
	of.Sample = true
	sample := run(t, of)
	for i, o := range sample.Outcomes {
		if o.Verdict != Caught || o.Clause != whole.Outcomes[i].Clause {
			t.Errorf("%s came out as %+v, and of a whole run as %+v", o.ID, o, whole.Outcomes[i])
		}
	}
	if few, many := sample.Outcomes[0].Requests, whole.Outcomes[0].Requests; few*2 > many {
		t.Errorf("it took %d requests to find %s, and %d with all cases", few, sample.Outcomes[0].ID, many)
	}
	for _, found := range sample.Outcomes[0].Cases {
		if !strings.HasPrefix(found, "updateCampaign/") {
			t.Errorf("%s was found by %s", sample.Outcomes[0].ID, found)
		}
	}
}

// wrapped returns a fault that handles every request.
func wrapped(id, clause string, handle func(next http.Handler) http.HandlerFunc) faults.Server {
	around := func(next http.Handler, _ faults.Env) http.Handler { return handle(next) }
	return faults.Server{ID: id, Clause: clause, Wrap: around}
}

func TestWhatIsNoProof(t *testing.T) {
	of := Options{Select: cases("updateCampaign/401/")}
	for want, tr := range map[Verdict]faults.Server{
		WrongReason: wrapped("x/crash", "MEDIA-8", func(http.Handler) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "broken", http.StatusInternalServerError) }
		}),
		Missed: wrapped("x/harmless", "HTTP-1", func(next http.Handler) http.HandlerFunc { return next.ServeHTTP }),
	} {
		o, err := of.run(t.Context(), []faults.Server{tr})
		noError(t, err)
		if o[0].Verdict != want || o[0].Good() {
			t.Errorf("%s is %s, want %s (%v)", o[0].ID, o[0].Verdict, want, o[0].Findings)
		}
	}
	panics := wrapped("x/panics", "HTTP-2", func(http.Handler) http.HandlerFunc {
		return func(http.ResponseWriter, *http.Request) { panic("index out of range") }
	})
	_, err := of.run(t.Context(), []faults.Server{panics})
	if said := fmt.Sprint(err); !strings.Contains(said, "x/panics: the server panicked: index out of range") || strings.Contains(said, "\n") {
		t.Errorf("a panic is a defect of the self-test; got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, only("^page/")); err == nil {
		t.Error("an interrupted self-test returned no error")
	}
}

func fault(v Verdict, requests int) Outcome {
	return Outcome{
		ID: "f", Kind: "fault", Clause: "AUTH-1", Verdict: v, Requests: requests, Severity: spec.Critical, Sentence: "Any key passes.",
	}
}

func variant(v Verdict) Outcome { return Outcome{ID: "v", Kind: "variant", Verdict: v, Requests: 500} }

func TestResults(t *testing.T) {
	many := func(n int, o Outcome) []Outcome { return slices.Repeat([]Outcome{o}, n) }
	unshown := variant(Passed)
	unshown.Unshown = []string{"AUTH-1 is reported as held"}
	for name, tc := range map[string]struct {
		outcomes []Outcome
		depth    string
		want     bool
	}{
		"all caught":   {[]Outcome{fault(Caught, 5), variant(Passed)}, "", true},
		"one missed":   {[]Outcome{fault(Caught, 5), fault(Missed, 500)}, "", false},
		"wrong reason": {[]Outcome{fault(WrongReason, 500)}, "", false},
		"flagged":      {[]Outcome{fault(Caught, 5), variant(Flagged)}, "", false},
		"unshown":      {[]Outcome{unshown}, "", false},
		"55 % of what is critical at depth quick": {append(many(11, fault(Caught, 5)), many(9, fault(Missed, 5))...), "quick", true},
		"54 % of what is critical at depth quick": {append(many(54, fault(Caught, 5)), many(46, fault(Missed, 5))...), "quick", false},
		"flagged at depth quick":                  {append(many(11, fault(Caught, 5)), variant(Flagged)), "quick", false},
	} {
		r := newResult(tc.outcomes)
		r.Depth = tc.depth
		if got := r.Good(); got != tc.want {
			t.Errorf("%s: good %t, want %t", name, got, tc.want)
		}
	}
	flagged := variant(Flagged)
	flagged.Findings = []string{"HTTP-1 updateCampaign/success/ordinary: expected x; got y"}
	r := newResult([]Outcome{fault(Caught, 4), fault(Caught, 10), fault(Missed, 500), variant(Passed), flagged})
	want := report.Figure{Faults: 3, Caught: 2, Variants: 2, Flagged: 1, Severity: []report.Group{{ID: "critical", Of: 3, Good: 2}}}
	if d := cmp.Diff(want, r.Figure); d != "" {
		t.Error(d)
	}
	var b bytes.Buffer
	noError(t, r.WriteText(&b))
	if d := cmp.Diff(`f: missed: Any key passes.
  clause AUTH-1, 500 requests
v: flagged: 
  found: HTTP-1 updateCampaign/success/ordinary: expected x; got y
critical: 2 of 3 faults caught
2 of 3 faults caught, 1 of 2 variants flagged, in 0 s
`, b.String()); d != "" {
		t.Error(d)
	}
}

// Without any one of its checks the suite misses some fault. A check that no fault needs is useless, or lacks a fault.
func TestEachCheckIsNeeded(t *testing.T) {
	of, checks := Options{Faults: true}, slices.Concat(oracle.Checks(), judge.Checks)
	if testing.Short() {
		of.Select = cases("listCreativeMediaFiles/")
		checks = slices.DeleteFunc(checks, func(c oracle.Check) bool { return c.ID != "page-count" })
	}
	all, err := of.trials()
	noError(t, err)
	for _, check := range checks {
		t.Run(check.ID, func(t *testing.T) {
			fault, err := of.missed(t.Context(), check, all)
			noError(t, err)
			if fault == "" {
				t.Error("no fault needs it; give it one or remove it")
			}
			t.Logf("without it %s slips through", fault)
		})
	}
	count := slices.DeleteFunc(all, func(f faults.Server) bool { return f.ID != "page/count-one-more" })
	if fault, err := of.missed(t.Context(), oracle.Check{ID: "content-type"}, count); err != nil || fault != "" {
		t.Errorf("a check that it does not need: got %s, %v", fault, err)
	}
}

// batch is the number of faults that are tried before their verdicts are examined.
const batch = 8

// missed returns a fault that the suite misses without a check, or "". It tries those that the check may find: those
// that break one of its clauses, or all where it names none. Faults of its own clauses come first, shuffled, so that
// the first ones are of all kinds. The self-test shows that all are caught with the check.
func (o Options) missed(ctx context.Context, check oracle.Check, all []faults.Server) (fault string, err error) {
	o.Disabled = []string{check.ID}
	may := slices.DeleteFunc(slices.Clone(all), func(t faults.Server) bool {
		return len(check.Clauses) > 0 && !slices.ContainsFunc(check.Clauses, t.Cites)
	})
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(may), func(i, j int) { may[i], may[j] = may[j], may[i] })
	rank := func(t faults.Server) int {
		if slices.Contains(check.Clauses, t.Clause) {
			return min(len(t.Also), 1) // first those that only one clause can prove
		}
		return 2
	}
	slices.SortStableFunc(may, func(a, b faults.Server) int { return rank(a) - rank(b) })
	for part := range slices.Chunk(may, batch) {
		outcomes, err := o.run(ctx, part)
		if err != nil {
			return "", err
		}
		if i := slices.IndexFunc(outcomes, func(is Outcome) bool { return is.Verdict != Caught }); i >= 0 {
			return outcomes[i].ID, nil
		}
	}
	return "", nil
}

// Ids of cases, faults and variants are promises: baselines, replays and pipelines refer to
// them. The golden files list them with their clauses and depths. make generate writes
// them; the commit says why a line changes.

// Each case has the line of its spec.
func TestCasesAreFresh(t *testing.T) {
	target := fixtures.DefaultWorld().Target("http://127.0.0.1/v2")
	var lines []string
	sources := map[string][]string{}
	for _, c := range specs.Plan(spec.Load(), target, judge.Deep) {
		file, number, _ := strings.Cut(c.Location, ":")
		if sources[file] == nil {
			data, err := os.ReadFile("../../" + file)
			noError(t, err)
			sources[file] = strings.Split(string(data), "\n")
		}
		n, err := strconv.Atoi(number)
		if noError(t, err); !strings.Contains(sources[file][n-1], ".Case(") && !strings.Contains(sources[file][n-1], "Table(") {
			t.Errorf("%s has no spec at %s", c.ID, c.Location)
		}
		lines = append(lines, fmt.Sprintf("%s\t%s\t%s\t%s", c.ID, c.Depth, strings.Join(c.Clauses, " "), c.Title))
	}
	golden(t, "cases.txt", lines)
}

// Faults that follow from the document are left out, and the operations of a row have one line.
func TestFaultsAndVariantsAreFresh(t *testing.T) {
	type row struct {
		id     string
		isDeep bool
	}
	broken := map[row][]string{}
	for _, f := range allFaults() {
		if r := (row{f.Row, f.Deep}); r.id != "" && !slices.Contains(broken[r], f.Clause) {
			broken[r] = append(broken[r], f.Clause)
		}
	}
	var lines []string
	for r, clauses := range broken {
		line := r.id + "\t" + strings.Join(clauses, " ")
		if r.isDeep {
			line += "\tunlisted input"
		}
		lines = append(lines, line)
	}
	for _, v := range faults.Variants() {
		lines = append(lines, v.ID+"\tvariant")
	}
	golden(t, "faults.txt", lines)
}

// golden compares lines, in any order, with the lines of a file in testdata.
func golden(t *testing.T, name string, lines []string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	slices.Sort(lines)
	if *update {
		noError(t, os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644))
	}
	data, err := os.ReadFile(file)
	noError(t, err)
	want := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	slices.Sort(want)
	if d := cmp.Diff(want, lines); d != "" {
		t.Errorf("testdata/%s (-) differs from the current lines (+); make generate takes them over:\n%s", name, d)
	}
}

var update = flag.Bool("update", false, "write the figures of README.md and the pages again")

// The published figure has the numbers of the existing faults and variants. `adconform selftest` shows
// that they are caught and not flagged.
func TestPublishedFigureIsFresh(t *testing.T) {
	trials, err := (&Options{Faults: true, Variants: true}).trials()
	noError(t, err)
	var outcomes []Outcome
	for _, tr := range trials {
		o := outcome(&tr)
		o.Verdict = map[string]Verdict{"fault": Caught, "variant": Passed}[o.Kind]
		outcomes = append(outcomes, o)
	}
	if d := cmp.Diff(newResult(outcomes).Figure, report.SelfTest()); d != "" {
		t.Errorf("figure.json does not have the existing faults and variants: run make selftest-figure\n%s", d)
	}
}

// The pages have the current figure.
func TestFiguresOfPagesAreFresh(t *testing.T) {
	f := report.SelfTest()
	figures := fmt.Sprintf("<!-- figures, by make generate -->\n- It **catches %d of %d seeded faults** (%s)\n"+
		"  and **flags %d of %d conforming variants**.\n<!-- end of figures -->",
		f.Caught, f.Faults, render.Severities(f), f.Flagged, f.Variants)
	place := regexp.MustCompile(`(?s)<!-- figures, by make generate -->\n.*?<!-- end of figures -->`)
	for _, page := range []string{"../../README.md", "../../docs/proof.md"} {
		data, err := os.ReadFile(page)
		noError(t, err)
		if *update {
			data = place.ReplaceAllLiteral(data, []byte(figures))
			noError(t, os.WriteFile(page, data, 0o644))
		}
		if !strings.Contains(string(data), figures) {
			t.Errorf("%s has another figure: run make generate", page)
		}
	}
}

// Each row of the table of others' bugs exists.
func TestBugsOfOthersAreRows(t *testing.T) {
	data, err := os.ReadFile("../../docs/proof.md")
	noError(t, err)
	_, section, _ := strings.Cut(string(data), "\n## Bugs of others\n")
	section, _, _ = strings.Cut(section, "\n## ")
	rows := regexp.MustCompile("`([a-z]+/[^`]+)`").FindAllStringSubmatch(section, -1)
	for _, row := range rows {
		if _, err := faults.ByID(allRows(), row[1]); err != nil {
			t.Error(err)
		}
	}
	if len(rows) < 10 {
		t.Errorf("the table has %d rows", len(rows))
	}
}
