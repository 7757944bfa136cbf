package compare_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/parallel"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/compare"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/testcase"
)

// sample is a server, and how it is run.
type sample struct {
	folder         string
	implementation fixtures.Implementation
	fault, variant string
	change         func(*suites.Config)
	started        time.Time // zero: when it was
}

// samples are the reference, variants, faulty servers, and runs that are less than complete.
var samples = []sample{
	{folder: "reference", implementation: fixtures.Implementation{Organisation: "Example", Product: "Reference", Version: "1.0"}},
	{
		folder: "north/new", variant: "combined/resetting",
		implementation: fixtures.Implementation{
			Organisation: "Acme Ads", Product: "North", Version: "2.4.1", Contact: "https://acme.example/support",
		},
	},
	{
		folder: "north/old", implementation: fixtures.Implementation{Organisation: "ACME Ads", Product: "North", Version: "2.3.0"},
		fault: "refused/401-any-key/updateCampaign", started: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC),
	},
	{folder: "south", implementation: fixtures.Implementation{Organisation: "Beta", Product: "South"}, variant: "combined/body-first"},
	{folder: "east", implementation: fixtures.Implementation{Organisation: "Gamma", Product: "East"}, fault: "alive/listed-file"},
	{
		folder: "west", implementation: fixtures.Implementation{Organisation: "Acme Ads", Product: "West"},
		change: func(c *suites.Config) {
			c.Filters, c.Select = []string{"--case " + oneCase}, func(cs *testcase.Case) bool { return cs.ID == oneCase }
		},
	},
	{folder: "low", change: func(c *suites.Config) { c.ReadOnly = true }},
	{folder: "part", change: func(c *suites.Config) { c.Target.Objects.PagedVastCreatives = nil }},
}

const oneCase = "updateCampaign/401/no-key"

// real is a folder with the reports of the samples, which all tests read and none changes.
var real = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "compare")
	if err != nil {
		return "", err
	}
	_, err = parallel.Map(context.Background(), 0, samples, func(_ context.Context, s sample) (any, error) {
		return nil, s.write(filepath.Join(dir, s.folder))
	}, nil)
	return dir, err
})

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := real(); err == nil {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

func (s *sample) write(dir string) error {
	contract, err := spec.Load()
	if err != nil {
		return err
	}
	world, choices := fixtures.DefaultWorld(), reference.DefaultChoices()
	var wrap func(http.Handler, faults.Env) http.Handler
	var choose func(*reference.Choices)
	if s.fault != "" {
		f, err := faults.ByID(contract, s.fault)
		if err != nil {
			return err
		}
		choose, wrap = f.Choices, f.Wrap
	}
	if s.variant != "" {
		v, err := faults.VariantByID(s.variant)
		if err != nil {
			return err
		}
		choose, wrap = v.Choices, v.Wrap
	}
	if choose != nil {
		choose(&choices)
	}
	ref, err := reference.New(context.Background(), reference.Options{World: world, Choices: choices, BasePath: "/v2"})
	if err != nil {
		return err
	}
	defer ref.Close()
	var handler http.Handler = ref
	if wrap != nil {
		handler = wrap(ref, faults.NewEnv(contract, world))
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	defer server.CloseClientConnections() // or Close waits for those that net/http ended
	target := world.Target(server.URL + "/v2")
	target.Name, target.Implementation = s.folder, s.implementation
	c := suites.NewConfig(target)
	c.Exchanges = true
	if s.change != nil {
		s.change(c)
	}
	r, err := suites.Execute(context.Background(), c)
	if err != nil {
		return err
	}
	if !s.started.IsZero() {
		r.Started = s.started
	}
	return report.WriteDir(dir, r)
}

// folder is the folder of the real reports.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := real()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// many writes so many reports, made by varying the real ones, into folders of a registry.
func many(dir, from string, n int) error {
	var kinds []map[string]any
	for _, s := range samples {
		data, err := os.ReadFile(filepath.Join(from, s.folder, report.JSONFile))
		var r map[string]any
		if err = errors.Join(err, json.Unmarshal(data, &r)); err != nil {
			return err
		}
		delete(r, "digests")
		r["results"] = []any{}
		kinds = append(kinds, r)
	}
	for i := range n {
		r := kinds[i%len(kinds)]
		// One in ten is a later report of the target before it.
		of, day := i-(i%10)/9, time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC).AddDate(0, 0, i)
		organisation, product := fmt.Sprintf("Organisation %d", of%40), fmt.Sprintf("Product %c%d", 'A'+of%26, of)
		r["started"] = day.Format(time.RFC3339)
		r["target"].(map[string]any)["implementation"] = map[string]any{
			"organisation": organisation, "product": product, "version": fmt.Sprintf("%d.%d", i%7, i%10),
		}
		at := filepath.Join(dir, fmt.Sprintf("organisation-%d", of%40), fmt.Sprintf("product-%c%d", 'a'+of%26, of), day.Format(time.DateOnly))
		data, err := json.Marshal(r)
		err = errors.Join(err, os.MkdirAll(at, 0o777))
		if err = errors.Join(err, os.WriteFile(filepath.Join(at, report.JSONFile), data, 0o666)); err != nil {
			return err
		}
	}
	return nil
}

// compared compares what is at paths.
func compared(t *testing.T, o compare.Options, paths ...string) *compare.Comparison {
	t.Helper()
	c, err := compare.Reports(t.Context(), paths, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// target is the target of a name.
func target(t *testing.T, c *compare.Comparison, name string) (int, *compare.Target, *compare.Report) {
	t.Helper()
	for i, one := range c.Targets {
		if one.Name == name {
			return i, one, one.Reports[one.Current]
		}
	}
	t.Fatalf("there is no target %q", name)
	return 0, nil, nil
}

// changed is a copy of a report that is otherwise.
func changed(t *testing.T, from, to string, change func(*report.Report)) {
	t.Helper()
	r, err := report.Read(from)
	if err != nil {
		t.Fatal(err)
	}
	change(r)
	if err := os.MkdirAll(to, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(to, report.JSONFile))
	if err == nil {
		err = errors.Join(report.WriteJSON(f, r), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// evils are texts that a page, a table or a path could take for something else.
var evils = []string{
	`</script><script>alert(1);document.title='owned'</script>`, `<img src=x onerror="alert(2)">`, `"><svg onload=alert(3)>`,
	`{{.Suite}}`, "\x1b[31m", "\u202egnp", "| a | b |\n# c", "`` ` ``", "../../../../evil", "javascript:alert(4)", `<!--`, "\u2028",
}

// hostile is a report of which each text is an evil one.
func hostile(r *report.Report) {
	n := 0
	evil := func() string { n++; return "\x1b\u202e" + evils[n%len(evils)] + evils[(n*7)%len(evils)] }
	r.Level = report.Level(evil())
	r.Reason, r.Depth, r.Suite.Version, r.Stopped = evil(), evil(), evil(), evil()
	r.Target = report.Target{Name: evil(), BaseURL: "javascript:alert(5)//" + evil(), Subject: &report.Subject{Name: evil(), SHA256: evil()}}
	r.Target.Implementation = fixtures.Implementation{
		Organisation: evil(), Product: evils[0] + evils[8], Version: evil(), Contact: "javascript:" + evil(),
	}
	for i := range r.Clauses {
		c := &r.Clauses[i]
		if i%2 == 0 {
			c.ID, c.Operation = evil(), evil()
		}
		c.Text, c.Basis, c.Status = evil(), spec.Basis(evil()), report.Broken
		r.Findings = append(r.Findings, oracle.Finding{
			Clause: c.ID, Operation: c.Operation, Basis: c.Basis, Check: evil(), Got: evil(), Expected: evil(), Pointer: evil(), Known: evil(),
		})
	}
	for i := range r.OpenPoints {
		p := &r.OpenPoints[i]
		if i%2 == 0 {
			p.ID = evil()
		}
		p.Question, p.Observed = evil(), []string{evil()}
		p.Answers = []report.Answer{{Answer: evil(), At: []string{evil()}}, {Answer: evil(), Observed: []string{evil()}}}
	}
}
