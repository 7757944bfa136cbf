package selftest

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/fuzz"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/testcase"
)

// Fuzz finds what input breaks that nobody listed, and flags no server that conforms.
func TestFuzzFindsFaultsOfItsOwn(t *testing.T) {
	var ids []string
	for _, f := range faults.Unlisted(reftest.Contract(t)) {
		if strings.HasSuffix(f.ID, "/updateCampaign") && sampled(f.ID, 1) || sampled(f.ID, 8) {
			ids = append(ids, regexp.QuoteMeta(f.ID))
		}
	}
	if len(ids) == 0 {
		t.Skip("none is in the sample")
	}
	only := regexp.MustCompile("^(" + strings.Join(ids, "|") + ")$")
	r, err := Run(t.Context(), Options{Faults: true, Only: only, Fuzz: unlistedRequests})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range r.Outcomes {
		if !o.Good() {
			t.Errorf("%s: %s after %d requests: %s", o.ID, o.Verdict, o.Requests, o.Findings)
		}
	}
}

// unlistedRequests is within how many a fault is found that shows on one kind of input to one
// operation.
const unlistedRequests = 20_000

func TestFuzzFlagsNoVariant(t *testing.T) {
	only := regexp.MustCompile("^(" + strings.Join(sampledVariants(10), "|") + ")$")
	r, err := Run(t.Context(), Options{Variants: true, Only: only, Fuzz: 300})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range r.Outcomes {
		if !o.Good() {
			t.Errorf("%s: %s", o.ID, o.Findings)
		}
	}
}

// The slice of a deep run flags none either.
func TestUnlistedInputFlagsNoVariant(t *testing.T) {
	ids := sampledVariants(10)
	for _, v := range faults.Variants() {
		if !slices.Contains(ids, regexp.QuoteMeta(v.ID)) {
			continue
		}
		t.Run(v.ID, func(t *testing.T) {
			o := Options{Select: func(cs *testcase.Case) bool { return strings.Contains(cs.ID, "/open/fuzz-") }}
			outcome, err := o.deep(t.Context(), reftest.Contract(t), trial{variant: &v})
			if err != nil || len(outcome.Findings) > 0 {
				t.Errorf("%v %s", err, outcome.Findings)
			}
		})
	}
}

// sampledVariants are the ids, quoted, of one variant in n; with -short of fewer, but one.
func sampledVariants(n int) []string {
	var ids []string
	for i, v := range faults.Variants() {
		if sampled(v.ID, n) || i == 0 {
			ids = append(ids, regexp.QuoteMeta(v.ID))
		}
	}
	return ids
}

// deep runs the selected cases of the greatest depth against a variant.
func (o *Options) deep(ctx context.Context, contract *spec.Contract, t trial) (Outcome, error) {
	s, err := o.serve(ctx, contract, t)
	if err != nil {
		return Outcome{}, err
	}
	s.config.Depth = testcase.Deep
	r, err := suites.Execute(ctx, s.config)
	if err := errors.Join(err, s.stop()); err != nil {
		return Outcome{}, err
	}
	return Outcome{ID: t.id(), Findings: breaches(r)}, nil
}

// What a refused request changed all the same is shown by what it takes, and no more: also where
// one look is for several requests, and what it shows does not tell by which.
func TestFuzzShrinksEffectsOfRefusals(t *testing.T) {
	charset := func(name string) fuzz.Mutation {
		return fuzz.Mutation{Class: "header/charset", Text: "application/json; charset=" + name}
	}
	number := func(text string) fuzz.Mutation { return fuzz.Mutation{Class: "json/large-number", Text: text} }
	for _, tc := range []struct {
		fault            string
		guilty, innocent fuzz.Mutation
	}{
		{"made", charset("utf-16"), number("1e300")},
		{"made-listed", charset("utf-32"), number("1e300")},
		{"emptied", number("1e400"), number("1e300")},
	} {
		for _, op := range []string{"updateConnectionProfile", "updateConnectionProfileRuleHost", "updateCampaign"} {
			if tc.fault == "made-listed" && op != "updateConnectionProfile" {
				continue // it has no field with a list of values
			}
			if testing.Short() && tc.fault != "made-listed" && op != "updateCampaign" {
				continue
			}
			t.Run(tc.fault+"/"+op, func(t *testing.T) {
				alone := fuzz.Input{Operation: op, Mutations: []fuzz.Mutation{tc.innocent}}
				beside := fuzz.Input{Operation: op, Mutations: []fuzz.Mutation{{Class: "header/unknown", Text: "x"}, tc.guilty}}
				for _, in := range shownBy(t, "unlisted/"+tc.fault+"/"+op, []fuzz.Input{alone, alone, alone, beside, alone, alone, alone}) {
					if len(in.Mutations) != 1 || in.Mutations[0].Text != tc.guilty.Text {
						t.Errorf("%s", in)
					}
				}
			})
		}
	}
}

// shownBy are the inputs of what is found of a fault on input that nobody listed.
func shownBy(t *testing.T, id string, corpus []fuzz.Input) []fuzz.Input {
	t.Helper()
	contract := reftest.Contract(t)
	all := faults.Unlisted(contract)
	i := slices.IndexFunc(all, func(f faults.Fault) bool { return f.ID == id })
	if i < 0 {
		t.Fatalf("no fault %s", id)
	}
	s, err := (&Options{}).serve(t.Context(), contract, trial{fault: &all[i]})
	if err != nil {
		t.Fatal(err)
	}
	r, err := suites.RunFuzz(t.Context(), s.config, suites.Fuzz{Requests: len(contract.Operations) * len(corpus), Corpus: corpus})
	if err := errors.Join(err, s.stop()); err != nil {
		t.Fatal(err)
	}
	var inputs []fuzz.Input
	for _, f := range r.Findings {
		in, err := fuzz.Read(contract, f.Input)
		if err != nil {
			t.Errorf("%s: %v", f.Expected, err)
		}
		inputs = append(inputs, in)
	}
	if len(inputs) == 0 {
		t.Error("nothing is found")
	}
	return inputs
}

// A server that takes what is no Unicode and shows it as it was sent is not wrong, whatever text and
// operation it is.
func TestFuzzTakesDamageThatItSent(t *testing.T) {
	contract := reftest.Contract(t)
	var corpus []fuzz.Input
	for _, op := range contract.Operations {
		for class, texts := range map[string][]string{
			"json/lone-surrogate": {`\ud800`, `\udc00`, `\udc00\ud800`, `\ud800\ud800`, `\ud83d`, `\udbff\u0041`},
			"json/invalid-utf8":   {"\xff", "\xc3", "\xed\xa0\x80", "\xfe\xff"},
		} {
			for n, text := range texts {
				if op.Updates() {
					corpus = append(corpus, fuzz.Input{Operation: op.ID, Mutations: []fuzz.Mutation{{Class: class, Text: text, N: n}}})
				}
			}
		}
	}
	for _, v := range faults.Variants() {
		if !strings.HasPrefix(v.ID, "damaged/") {
			continue
		}
		t.Run(v.ID, func(t *testing.T) {
			t.Parallel()
			s, err := (&Options{}).serve(t.Context(), contract, trial{variant: &v})
			if err != nil {
				t.Fatal(err)
			}
			r, err := suites.RunFuzz(t.Context(), s.config, suites.Fuzz{Requests: len(corpus), Corpus: corpus})
			if err := errors.Join(err, s.stop()); err != nil {
				t.Fatal(err)
			}
			if r.Requests < len(corpus) || len(r.Findings) > 0 {
				t.Errorf("%d requests: %s %s", r.Requests, report.VerdictLine(r), breaches(r))
			}
		})
	}
}

// A deep run sends what fuzz kept before its own cases, finds again what it shows, and no more on
// a server that conforms; the report can be verified.
func TestDeepRunsSendACorpusFirst(t *testing.T) {
	input := func(class, text string) fuzz.Input {
		return fuzz.Input{Operation: "updateCampaign", Mutations: []fuzz.Mutation{{Class: class, Text: text}}}
	}
	corpus := []fuzz.Input{input("header/conditional", `"`), input("header/cookie", "a"), input("json/large-number", "1e400")}
	unlisted := faults.Unlisted(reftest.Contract(t))
	for id, found := range reftest.FewOf(2, map[string]string{
		"if-match": "header-conditional", "cookie": "header-cookie", "number": "json-large-number", "": "",
	}) {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			var tr trial
			if i := slices.IndexFunc(unlisted, func(f faults.Fault) bool { return f.ID == "unlisted/"+id+"/updateCampaign" }); i >= 0 {
				tr.fault = &unlisted[i]
			}
			var failed, order []string
			verified(t, tr, func(c *suites.Config) {
				c.Depth, c.Inputs = testcase.Deep, corpus
				c.Select = func(cs *testcase.Case) bool { return cs.Operation.ID == "updateCampaign" }
				c.Progress = func(_, _ int, r *testcase.Result) {
					if !r.Case.Probes && r.Case.Class != testcase.Class401 {
						order = append(order, r.Case.Class)
					}
					if r.Status == testcase.Failed && r.Case.Class == testcase.ClassFuzz {
						failed = append(failed, r.Case.ID)
					}
				}
			})
			g := NewWithT(t)
			g.Expect(order[:len(corpus)]).To(HaveEach(testcase.ClassFuzz))
			if found == "" {
				g.Expect(failed).To(BeEmpty())
			} else {
				g.Expect(failed).To(ConsistOf("updateCampaign/fuzz/" + found))
			}
		})
	}
}

// An answer that takes many times as long as ordinary ones is a notice, whatever the input is
// made of.
func TestFuzzNoticesSlowAnswers(t *testing.T) {
	for id, in := range map[string]fuzz.Mutation{
		"slow-query/listCreativeMediaFiles":                      {Class: "query/long-value", N: 5000},
		"slow-query/deleteCreative":                              {Class: "query/long-value", N: 5000},
		"slow-name/updateCampaign":                               {Class: "text/backtracking", N: 30},
		"slow-regularExpression/updateConnectionProfileRuleHost": {Class: "text/expression-applied", Text: "^(a+)+$", N: 28},
	} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			_, op, _ := strings.Cut(id, "/")
			for _, shown := range shownBy(t, "unlisted/"+id, []fuzz.Input{{Operation: op, Mutations: []fuzz.Mutation{in}}}) {
				if shown.Class() != in.Class {
					t.Errorf("%s", shown)
				}
			}
		})
	}
}
