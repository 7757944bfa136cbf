package selftest

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/adconform/adconform/internal/engine"
	"github.com/adconform/adconform/internal/faults"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/internal/render"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/suites/report"
)

// A choice is a variant that the reference supports, with the fields of reference.Choices that it sets.
type choice struct {
	faults.Server
	sets map[string]any
}

// exclusive lists fields of which a server sets only one: a layout may write a zone of its own, a key is in one place,
// and what many objects get by default is not unique.
var exclusive = [][]string{{"DateFormat", "DateZone"}, {"KeyHeader", "KeyQuery", "KeyUses"}, {"NameTaken", "OmittedFields"}}

// choices lists the variants that the reference supports, without dialects.
func choices() (all []choice) {
	byDefault := reflect.ValueOf(reference.DefaultChoices())
	for _, v := range faults.Variants() {
		c := choice{v, map[string]any{}}
		chosen := reflect.ValueOf(faults.Choices(v))
		for i := range chosen.NumField() {
			if value := chosen.Field(i).Interface(); value != byDefault.Field(i).Interface() {
				c.sets[chosen.Type().Field(i).Name] = value
			}
		}
		if isChoice := len(c.sets) > 0 && v.Wrap == nil && v.Dialect == nil; isChoice {
			all = append(all, c)
		}
	}
	return all
}

// fits reports whether one server can make both choices.
func (c *choice) fits(other *choice) bool {
	for field, value := range c.sets {
		if its, set := other.sets[field]; set && its != value {
			return false
		}
	}
	bothSet := func(fields []string) bool { return c.setsAny(fields) && other.setsAny(fields) }
	return !slices.ContainsFunc(exclusive, bothSet)
}

func (c *choice) setsAny(fields []string) bool {
	return slices.ContainsFunc(fields, func(field string) bool { _, set := c.sets[field]; return set })
}

// pairs returns the pairs of choices that fit.
func pairs(all []choice) map[[2]int]bool {
	pairs := map[[2]int]bool{}
	for b := range all {
		for a := range b {
			if all[a].fits(&all[b]) {
				pairs[[2]int{a, b}] = true
			}
		}
	}
	return pairs
}

// next returns a set of choices that fit, with as many of the pairs as it can have, and removes these.
func next(all []choice, left map[[2]int]bool) (set []int) {
	isLeft := func(a, b int) bool { return left[[2]int{min(a, b), max(a, b)}] }
	adds := func(n int) (pairs int) { // with the choices of the set or, for the first one, with any
		for other := range all {
			if isLeft(n, other) && (len(set) == 0 || slices.Contains(set, other)) {
				pairs++
			}
		}
		return pairs
	}
	for {
		best, most := 0, 0
		for n := range all {
			clashes := func(other int) bool { return n == other || !all[n].fits(&all[other]) }
			if pairs := adds(n); pairs > most && !slices.ContainsFunc(set, clashes) {
				best, most = n, pairs
			}
		}
		if most == 0 {
			return set
		}
		for _, other := range set {
			delete(left, [2]int{min(best, other), max(best, other)})
		}
		set = append(set, best)
	}
}

// together returns the variant that makes all choices of a set.
func together(all []choice, set []int) faults.Server {
	v := faults.Server{Pins: map[string]any{}}
	for _, n := range set {
		c := &all[n]
		v.ID += " " + c.ID
		maps.Copy(v.Pins, c.Pins)
		v.Thin, v.Ends = v.Thin || c.Thin, v.Ends || c.Ends
	}
	v.Choices = func(c *reference.Choices) {
		for _, n := range set {
			all[n].Choices(c)
		}
	}
	return v
}

// flagged returns why a run on a variant is not conforming, or less than complete without a reason; "" if it is right.
func flagged(ctx context.Context, v faults.Server) (string, error) {
	s, err := new(Options).serve(ctx, &v)
	if err != nil {
		return "", err
	}
	r, err := engine.Execute(ctx, s.config)
	if err := errors.Join(err, s.stop()); err != nil {
		return "", err
	}
	if isRight := r.Verdict == report.Conforming && (v.Thin || r.Level == report.Complete); isRight || v.Ends {
		return "", nil
	}
	return strings.Join(append(breaches(r), render.VerdictLine(r)), "\n  "), nil
}

// smallest leaves out choices of a flagged set as long as it stays flagged.
func smallest(ctx context.Context, all []choice, set []int) (v faults.Server, why string, err error) {
	for size := len(set) / 2; size > 0; size /= 2 {
		for from := 0; from < len(set); {
			rest := slices.Delete(slices.Clone(set), from, min(from+size, len(set)))
			why, err = flagged(ctx, together(all, rest))
			switch {
			case err != nil:
				return v, "", err
			case why == "":
				from += size
			default:
				set = rest
			}
		}
	}
	v = together(all, set)
	why, err = flagged(ctx, v)
	return v, why, err
}

// Any two choices at open points conform together, too. With -short the first sets are tried, which have most of the
// pairs.
func TestTwoChoicesConformTogether(t *testing.T) {
	all := choices()
	left := pairs(all)
	fit := len(left)
	group, ctx := errgroup.WithContext(context.WithoutCancel(t.Context()))
	group.SetLimit(2)
	tried := 0
	for ; len(left) > 0 && tried < reftest.Of(len(all)*len(all), 12); tried++ {
		set := next(all, left)
		group.Go(func() error {
			why, err := flagged(ctx, together(all, set))
			if err != nil || why == "" {
				return err
			}
			v, why, err := smallest(ctx, all, set)
			t.Errorf("these conform alone, and together they are flagged:%s\n  %s", v.ID, why)
			return err
		})
	}
	noError(t, group.Wait())
	if share := 1 - float64(len(left))/float64(fit); share < 0.65 {
		t.Errorf("%d sets have %.0f %% of the pairs", tried, share*100)
	}
	t.Logf("%d choices, %d of %d pairs in %d sets", len(all), fit-len(left), fit, tried)
}
