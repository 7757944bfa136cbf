package selftest

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/parallel"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/doctor"
	"github.com/adconform/adconform/suites/report"
)

// Ablation is what a complete target file is worth less some of its keys. A run
// that is called complete without a key has to find what it finds with it.
type Ablation struct {
	Keys   []KeyWorth `json:"keys"`
	Faults int        `json:"faults"` // tried
	// Missed are faults that a run misses for want of a key although it is called complete,
	// and those that are missed with all keys.
	Missed []Outcome `json:"missed"`

	contract *spec.Contract
	needed   map[string][][]string // by fault
}

// KeyWorth is what a run says without a key, and the faults that it then misses.
type KeyWorth struct {
	Key     string         `json:"key"`
	Verdict report.Verdict `json:"verdict"` // on the reference as it is
	Level   report.Level   `json:"level"`
	Reason  string         `json:"reason"`
	Unseen  doctor.Unseen  `json:"unseen"`
	Faults  []string       `json:"faults,omitempty"` // that are missed
}

// Free says whether a run without the key is called complete.
func (k KeyWorth) Free() bool { return k.Verdict == report.Conforming && k.Level == report.Complete }

// Good says whether no fault is missed by a run that is called complete.
func (a *Ablation) Good() bool { return len(a.Missed) == 0 }

// Ablate takes each key of a complete target file out in turn, and finds out which of the
// selected faults are missed then.
func Ablate(ctx context.Context, o Options) (*Ablation, error) {
	o.Faults, o.Variants = true, false
	contract, trials, err := o.selected()
	if err != nil {
		return nil, err
	}
	a := &Ablation{Faults: len(trials), Missed: []Outcome{}, contract: contract, needed: map[string][][]string{}}
	if err := o.worth(ctx, a); err != nil {
		return nil, err
	}
	n, err := o.newNeeds(ctx, contract)
	if err != nil {
		return nil, err
	}
	all, err := parallel.Map(ctx, o.Parallel, trials, n.keysOf, func(done, of int, f *found) {
		if o.Progress != nil {
			o.Progress(done, of, Outcome{ID: f.fault.ID, Verdict: Caught})
		}
	})
	if err != nil {
		return nil, err
	}
	for _, f := range all {
		a.add(f)
	}
	return a, nil
}

// worth runs the suite without each key against the reference as it is.
func (o Options) worth(ctx context.Context, a *Ablation) error {
	keys, err := Keys(fixtures.DefaultWorld().Target("http://127.0.0.1:8080/v2"))
	if err != nil {
		return err
	}
	// An item of a list is no key: a file that never named it is no less complete.
	keys = slices.DeleteFunc(keys, func(key string) bool { return strings.HasSuffix(key, "]") })
	a.Keys, err = parallel.Map(ctx, o.Parallel, keys, func(ctx context.Context, key string) (KeyWorth, error) {
		return o.levelWithout(ctx, a.contract, key)
	}, nil)
	return err
}

// add notes what is known of a fault.
func (a *Ablation) add(f *found) {
	id := f.fault.ID
	a.needed[id] = f.sets
	needed := doctor.Needed{Keys: f.sets, Faults: map[string][]string{string(f.fault.Severity): {id}}}
	for i := range a.Keys {
		k := &a.Keys[i]
		if needed.FoundWithout(func(key string) bool { return doctor.Below(key, k.Key) }) {
			continue
		}
		k.Faults = append(k.Faults, id)
		k.Unseen.Add(&needed)
		if k.Free() && len(f.fault.Pins) == 0 {
			f.hidden = &Outcome{ID: id, Verdict: Missed, Clause: f.fault.Clause, Sentence: f.fault.Sentence}
		}
	}
	if f.hidden != nil {
		a.Missed = append(a.Missed, *f.hidden)
	}
}

// levelWithout runs the suite against the reference as it is.
func (o Options) levelWithout(ctx context.Context, contract *spec.Contract, key string) (KeyWorth, error) {
	o.Without = []string{key}
	r, err := o.execute(ctx, contract, trial{})
	if err != nil {
		return KeyWorth{}, fmt.Errorf("without %s: %w", key, err)
	}
	return KeyWorth{Key: key, Verdict: r.Verdict, Level: r.Level, Reason: r.Reason}, nil
}

// WriteText writes a line for each key, and what is missed.
func (a *Ablation) WriteText(w io.Writer) error {
	free := 0
	for _, k := range a.Keys {
		if k.Free() {
			free++
		}
		fmt.Fprintf(w, "without %-55s %s (%s): %s", k.Key, k.Verdict, k.Level, k.Reason)
		if k.Unseen.Faults() > 0 {
			fmt.Fprintf(w, "; %s", &k.Unseen)
		}
		fmt.Fprintln(w)
	}
	for _, o := range a.Missed {
		fmt.Fprintf(w, "MISSED %s %s: %s\n", o.ID, o.Clause, o.Sentence)
	}
	_, err := fmt.Fprintf(w, "%d of %d keys cost nothing; %d of %d faults are missed without a key by a run that is called complete\n",
		free, len(a.Keys), len(a.Missed), a.Faults)
	return err
}
