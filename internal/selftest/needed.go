package selftest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/files"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/doctor"
	"github.com/adconform/adconform/suites/specs"
	"github.com/adconform/adconform/suites/testcase"
	"github.com/adconform/adconform/suites/wire"
)

// needs finds out which keys of a target file a fault needs to be found: those of each
// case that finds it, and values that findings hang on.
//
// One run to its end names all cases that find a fault, and a case says which keys it
// needs. That run goes without the keys that no case needs, so that only what it misses has
// to be looked for with them. It is of the cases that call the operation in which the fault
// is seeded. What is said to be needed is then left out of a run of all cases: others may
// find the fault when those that did so are not run.
type needs struct {
	Options
	contract *spec.Contract
	keys     []string                   // of a complete target file
	of       map[string][]string        // what each case needs
	values   []string                   // keys that no case needs
	others   [][]string                 // what cases need, the least first: a set may need one beside it
	calls    map[string]map[string]bool // operation and case: that it calls it
	missed   sync.Map                   // see likeIt: faults of this kind are missed without the key
	alone    sync.Map                   // likewise: they are found with no more than a set
}

func (o Options) newNeeds(ctx context.Context, contract *spec.Contract) (*needs, error) {
	target := fixtures.DefaultWorld().Target("http://127.0.0.1:8080/v2")
	keys, err := Keys(target)
	if err != nil {
		return nil, err
	}
	n := &needs{Options: o, contract: contract, keys: keys, of: map[string][]string{}}
	for _, c := range specs.Plan(contract, target, testcase.Standard) {
		n.of[c.ID] = c.Needs
		if len(c.Needs) > 0 {
			n.others = append(n.others, together(c.Needs, nil))
		}
	}
	n.others = smallest(n.others)
	for _, key := range keys {
		if !n.needed(key) && !strings.HasSuffix(key, "]") { // an item of a list is no key
			n.values = append(n.values, key)
		}
	}
	n.calls, err = o.calls(ctx, contract)
	return n, err
}

// calls are the cases that call each operation of the reference as it is.
func (o *Options) calls(ctx context.Context, contract *spec.Contract) (map[string]map[string]bool, error) {
	s, err := o.serve(ctx, contract, trial{})
	if err != nil {
		return nil, err
	}
	calls := map[string]map[string]bool{}
	for _, op := range contract.Operations {
		calls[op.ID] = map[string]bool{}
	}
	var mu sync.Mutex
	s.config.Record = func(ex *wire.Exchange) {
		mu.Lock()
		defer mu.Unlock()
		for _, op := range contract.Operations {
			if _, fits := op.Match(ex.Request.Path); fits {
				calls[op.ID][ex.Case] = true
			}
		}
	}
	_, err = suites.Execute(ctx, s.config)
	return calls, errors.Join(err, s.stop())
}

// needed says whether some case needs a key, or what is below it.
func (n *needs) needed(key string) bool {
	for _, needs := range n.of {
		if slices.ContainsFunc(needs, func(need string) bool { return doctor.Below(need, key) }) {
			return true
		}
	}
	return false
}

// found is what is known of a fault: the sets of keys of which any one is enough to find it.
type found struct {
	fault  *faults.Fault
	sets   [][]string
	cases  []string // that found it
	hidden *Outcome // a run that misses it although it is called complete
}

// keysOf finds out what a fault needs.
func (n *needs) keysOf(ctx context.Context, t trial) (*found, error) {
	f := &found{fault: t.fault}
	outcome, err := n.without(ctx, t, n.keys...)
	switch {
	case err != nil:
		return nil, err
	case outcome.Verdict == Caught && len(t.fault.Pins) == 0:
		f.sets = [][]string{{}} // what needs no object is tested at unknown ids
		return f, nil
	}
	if err := n.sets(ctx, t, f); err != nil {
		return nil, err
	}
	tried := map[string]bool{}
	for {
		key := n.untried(f, tried)
		if key == "" {
			break
		}
		tried[key] = true
		alike := likeIt(t, f.sets, key)
		if _, known := n.missed.Load(alike); known {
			continue
		}
		outcome, err := n.without(ctx, t, key)
		switch {
		case err != nil:
			return nil, err
		case outcome.Verdict == Caught:
			if err := n.sets(ctx, t, f, key); err != nil {
				return nil, err
			}
		case outcome.complete && !strings.HasSuffix(key, "]"): // a file with fewer items is no less complete
			f.hidden = &outcome
		default:
			n.missed.Store(alike, true)
		}
	}
	var grown [][]string
	for _, set := range f.sets {
		with, err := n.enough(ctx, t, set)
		if err != nil {
			return nil, err
		}
		grown = append(grown, with...)
	}
	f.sets = smallest(grown)
	for pin := range t.fault.Pins {
		for i := range f.sets {
			f.sets[i] = append(f.sets[i], "open."+pin)
		}
	}
	return f, nil
}

// enough are the sets with what a fault is not found without, where the target file has no
// more than a set: a case may look at more than it needs, and a run has to see some key
// accepted. Where any of several objects will do there is a set with each.
func (n *needs) enough(ctx context.Context, t trial, set []string) ([][]string, error) {
	alike := likeIt(t, set)
	if _, known := n.alone.Load(alike); known && t.fault.Source != faults.Hand { // what these touch beside is their own
		return [][]string{set}, nil
	}
	with := func(more []string) (bool, error) {
		outcome, err := n.without(ctx, t, n.but(slices.Concat(set, more))...)
		return outcome.Verdict == Caught, err
	}
	var sets [][]string
	for _, more := range append([][]string{{}}, n.others...) {
		caught, err := with(more)
		switch {
		case err != nil:
			return nil, err
		case caught && len(more) == 0:
			n.alone.Store(alike, true)
			return [][]string{set}, nil
		case caught:
			sets = append(sets, together(set, more))
		}
	}
	if len(sets) > 0 {
		return sets, nil
	}
	more, err := n.hangsOn(ctx, t, nil, n.but(set))
	return [][]string{together(set, more)}, err
}

// but are the keys beside some, less the places of a list of ids: without the list there are
// none.
func (n *needs) but(some []string) []string {
	return slices.DeleteFunc(slices.Clone(n.keys), func(key string) bool {
		return related(some, key) || strings.Contains(key, ".mediaFiles[")
	})
}

func together(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// related says whether a key is one of a set, or above or below one.
func related(set []string, key string) bool {
	return slices.ContainsFunc(set, func(one string) bool { return doctor.Below(one, key) || doctor.Below(key, one) })
}

// likeIt stands for the faults of which one is enough to see what keys are worth: of one
// topic, or of one operation and status where they are made from the document, and found by
// cases with the same needs.
func likeIt(t trial, more ...any) string {
	kind := path.Dir(t.id())
	if t.fault.Source == faults.Hand {
		kind, _, _ = strings.Cut(t.id(), "/")
	}
	return fmt.Sprint(kind, more)
}

// untried is a key without which the fault is said to be missed, "" if there is no more.
func (n *needs) untried(f *found, tried map[string]bool) string {
	if len(f.sets) == 0 {
		return ""
	}
	for _, key := range f.sets[0] {
		if !tried[key] && inAll(f.sets, key) && !n.certain(key, f.cases) {
			return key
		}
	}
	return ""
}

// sets adds those of the cases that find a fault with a target file that lacks keys.
func (n *needs) sets(ctx context.Context, t trial, f *found, lacking ...string) error {
	outcome, err := n.everyCase(ctx, t, slices.Concat(n.values, lacking)...)
	var values []string
	if err == nil && outcome.Verdict != Caught {
		if outcome, err = n.without(ctx, t, lacking...); err != nil || outcome.Verdict != Caught {
			return err
		}
		if values, err = n.hangsOn(ctx, t, lacking, n.values); err != nil {
			return err
		}
		rest := slices.DeleteFunc(slices.Clone(n.values), func(key string) bool { return inAny(values, key) })
		outcome, err = n.everyCase(ctx, t, slices.Concat(rest, lacking)...)
	}
	for _, id := range outcome.Cases {
		f.sets = append(f.sets, together(n.keysFor(t.fault, id), values))
	}
	f.sets, f.cases = smallest(f.sets), append(f.cases, outcome.Cases...)
	return err
}

// keysFor are the keys that a case needs to show a fault. A case that updates calls other
// operations only where the target file has objects for them.
func (n *needs) keysFor(f *faults.Fault, id string) []string {
	keys := n.of[id]
	at, _, _ := strings.Cut(id, "/")
	for _, op := range n.contract.Operations {
		about := n.contract.Clause(f.Clause).Operation == op.ID || slices.Contains(strings.Split(f.ID, "/"), op.ID)
		if !about || at == op.ID || !n.contract.Operation(at).Updates() {
			continue
		}
		for _, param := range op.Params {
			keys = append(slices.Clone(keys), testcase.OwnKey(param.Object))
		}
	}
	return keys
}

// hangsOn is a smallest part of some keys without which a fault is missed, where it is
// found with all of them.
func (n *needs) hangsOn(ctx context.Context, t trial, lacking, keys []string) ([]string, error) {
	outcome, err := n.without(ctx, t, slices.Concat(keys, lacking)...)
	switch {
	case err != nil, outcome.Verdict == Caught:
		return nil, err
	case len(keys) == 1:
		return keys, nil
	}
	half := len(keys) / 2
	first, err := n.hangsOn(ctx, t, lacking, keys[:half])
	if err != nil {
		return nil, err
	}
	rest := slices.DeleteFunc(slices.Clone(keys[:half]), func(key string) bool { return inAny(first, key) })
	second, err := n.hangsOn(ctx, t, slices.Concat(lacking, rest), keys[half:])
	return append(first, second...), err
}

// inAny says whether a key is, or stands above, one of some: with it they would be cut.
func inAny(keys []string, key string) bool {
	return slices.ContainsFunc(keys, func(one string) bool { return doctor.Below(one, key) })
}

// without runs the suite until the fault is found, with a target file that lacks keys.
func (n *needs) without(ctx context.Context, t trial, keys ...string) (Outcome, error) {
	o := n.Options
	o.Without = n.whole(keys)
	return o.try(ctx, n.contract, t)
}

// whole are keys with all that is below them: without an item of a list there are none after
// it either, as they would move up.
func (n *needs) whole(keys []string) (all []string) {
	for _, key := range n.keys {
		if slices.ContainsFunc(keys, func(one string) bool { return doctor.Below(key, one) }) {
			all = append(all, key)
		}
	}
	return all
}

// everyCase runs the cases that call the operation of a fault to their end.
func (n *needs) everyCase(ctx context.Context, t trial, keys ...string) (Outcome, error) {
	o := n.Options
	o.Without, o.Coverage = n.whole(keys), true
	for op, calls := range n.calls {
		if slices.Contains(strings.Split(t.id(), "/"), op) {
			o.Select = func(c *testcase.Case) bool { return calls[c.ID] }
		}
	}
	return o.try(ctx, n.contract, t)
}

// smallest are the sets of which no other is a part, sorted.
func smallest(sets [][]string) [][]string {
	slices.SortFunc(sets, func(a, b []string) int {
		if d := len(a) - len(b); d != 0 {
			return d
		}
		return slices.Compare(a, b)
	})
	var kept [][]string
	for _, set := range sets {
		if !slices.ContainsFunc(kept, func(k []string) bool { return partOf(k, set) }) {
			kept = append(kept, set)
		}
	}
	return kept
}

func partOf(some, all []string) bool {
	return !slices.ContainsFunc(some, func(key string) bool { return !slices.Contains(all, key) })
}

func inAll(sets [][]string, key string) bool {
	return !slices.ContainsFunc(sets, func(set []string) bool { return !slices.Contains(set, key) })
}

// certain says whether a key is one without which the operations whose cases found a fault
// cannot be called at all.
func (n *needs) certain(key string, cases []string) bool {
	for id, needs := range n.of {
		operation, _, _ := strings.Cut(id, "/")
		if !slices.Contains(needs, key) && slices.ContainsFunc(cases, func(id string) bool { return strings.HasPrefix(id, operation+"/") }) {
			return false
		}
	}
	return true
}

// mergeNeeded puts what was found out into a file like suites/doctor/needed.json, in place
// of what it says of the same faults and of such as there are no more.
func mergeNeeded(path string, contract *spec.Contract, found map[string][][]string) error {
	var before []doctor.Needed
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &before)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", path, err)
	}
	keys := map[string][][]string{}
	for _, n := range before {
		for _, ids := range n.Faults {
			for _, id := range ids {
				keys[id] = n.Keys
			}
		}
	}
	for id, sets := range found {
		keys[id] = sets
	}
	var groups []doctor.Needed
	at := map[string]int{}
	for _, f := range faults.All(contract) {
		sets, known := keys[f.ID]
		if !known {
			continue
		}
		same := fmt.Sprint(sets)
		if _, there := at[same]; !there {
			at[same] = len(groups)
			groups = append(groups, doctor.Needed{Keys: sets, Faults: map[string][]string{}})
		}
		of := groups[at[same]].Faults
		of[string(f.Severity)] = append(of[string(f.Severity)], f.ID)
	}
	slices.SortFunc(groups, func(a, b doctor.Needed) int { return strings.Compare(fmt.Sprint(a.Keys), fmt.Sprint(b.Keys)) })
	return files.Write(path, 0o644, func(w io.Writer) error { return files.WriteJSON(w, groups, "  ") })
}
