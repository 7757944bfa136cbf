package selftest

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
)

// Fuzz finds what input breaks that nobody listed, and flags no server that conforms.
func TestFuzzFindsFaultsOfItsOwn(t *testing.T) {
	var ids []string
	for _, f := range faults.Unlisted(loaded(t)) {
		if strings.HasSuffix(f.ID, "/updateCampaign") && sampled(f.ID, 1) || sampled(f.ID, 8) {
			ids = append(ids, regexp.QuoteMeta(f.ID))
		}
	}
	if len(ids) == 0 {
		t.Skip("none is in the sample")
	}
	only := regexp.MustCompile("^(" + strings.Join(ids, "|") + ")$")
	r, err := Fuzz(t.Context(), Options{Faults: true, Only: only}, unlistedRequests)
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
	r, err := Fuzz(t.Context(), Options{Variants: true, Only: only}, 300)
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
			o := Options{Select: func(cs *judge.Case) bool { return strings.Contains(cs.ID, "/open/fuzz-") }}
			outcome, err := o.deep(t.Context(), loaded(t), trial{variant: &v})
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
	s.config.Depth = judge.Deep
	r, err := suites.Execute(ctx, s.config)
	if err := errors.Join(err, s.stop()); err != nil {
		return Outcome{}, err
	}
	return Outcome{ID: t.id(), Findings: breaches(r)}, nil
}
