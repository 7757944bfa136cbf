package selftest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
)

// Ablation is what a complete target file is worth less some of its keys. A run
// that is called complete without a key has to find what it finds with it.
type Ablation struct {
	Keys   []KeyLevel `json:"keys"`
	Faults int        `json:"faults"` // tried without all the keys that cost nothing
	Missed []Outcome  `json:"missed"` // of these, although such a run is called complete
}

// KeyLevel is what a run against the reference says without a key.
type KeyLevel struct {
	Key     string         `json:"key"`
	Verdict report.Verdict `json:"verdict"`
	Level   report.Level   `json:"level"`
	Reason  string         `json:"reason"`
}

// Free says whether a run without the key is called complete.
func (k KeyLevel) Free() bool { return k.Verdict == report.Conforming && k.Level == report.Complete }

// Ablate takes each key of a complete target file out in turn, and then all those
// of which the run does not say that they are missing: the faults have to be found.
func Ablate(ctx context.Context, o Options) (*Ablation, error) {
	contract, err := spec.Load()
	if err != nil {
		return nil, err
	}
	keys, err := Keys(o.world().Target("http://127.0.0.1:8080/v2"))
	if err != nil {
		return nil, err
	}
	// An item of a list is no key: a file that never named it is no less complete.
	keys = slices.DeleteFunc(keys, func(key string) bool { return strings.HasSuffix(key, "]") })
	a := &Ablation{Keys: make([]KeyLevel, len(keys)), Missed: []Outcome{}}
	err = o.each(ctx, len(keys), func(ctx context.Context, i int) error {
		level, err := o.levelWithout(ctx, contract, keys[i])
		a.Keys[i] = level
		return err
	})
	if err != nil {
		return nil, err
	}
	without, complete := o, o
	for _, k := range a.Keys {
		if k.Free() {
			without.Without = append(without.Without, k.Key)
		}
	}
	o.Faults, o.Variants = true, false
	trials := o.trials(contract)
	a.Faults = len(trials)
	missed, which, err := without.missed(ctx, contract, trials)
	if err != nil || len(missed) == 0 {
		return a, err
	}
	// What is missed with the complete file too does not count here.
	anyway, _, err := complete.missed(ctx, contract, which)
	for _, outcome := range missed {
		if !slices.ContainsFunc(anyway, func(other Outcome) bool { return other.ID == outcome.ID }) {
			a.Missed = append(a.Missed, outcome)
		}
	}
	return a, err
}

// missed are the faults that a run does not find at all.
func (o *Options) missed(ctx context.Context, contract *spec.Contract, trials []trial) (outcomes []Outcome, of []trial, err error) {
	all, err := o.run(ctx, contract, trials)
	if err != nil {
		return nil, nil, err
	}
	for i, outcome := range all {
		if outcome.Verdict == Missed {
			outcomes, of = append(outcomes, outcome), append(of, trials[i])
		}
	}
	return outcomes, of, nil
}

// levelWithout runs the suite against the reference as it is.
func (o Options) levelWithout(ctx context.Context, contract *spec.Contract, key string) (KeyLevel, error) {
	o.Without = []string{key}
	s, err := o.serve(ctx, contract, trial{})
	if err != nil {
		return KeyLevel{}, fmt.Errorf("without %s: %w", key, err)
	}
	r, err := suites.Execute(ctx, s.config)
	if err := errors.Join(err, s.stop()); err != nil {
		return KeyLevel{}, fmt.Errorf("without %s: %w", key, err)
	}
	return KeyLevel{key, r.Verdict, r.Level, r.Reason}, nil
}

// WriteText writes a line for each key, and what is missed.
func (a *Ablation) WriteText(w io.Writer) error {
	free := 0
	for _, k := range a.Keys {
		if k.Free() {
			free++
		}
		fmt.Fprintf(w, "without %-55s %s (%s): %s\n", k.Key, k.Verdict, k.Level, k.Reason)
	}
	for _, o := range a.Missed {
		fmt.Fprintf(w, "MISSED %s %s: %s\n", o.ID, o.Clause, o.Sentence)
	}
	_, err := fmt.Fprintf(w, "%d of %d keys cost nothing; without all of them %d of %d faults are missed\n",
		free, len(a.Keys), len(a.Missed), a.Faults)
	return err
}
