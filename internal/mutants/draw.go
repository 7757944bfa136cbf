package mutants

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"os"
	"slices"
)

// Sample are some of the mutants that break the contract when the reference makes its
// default choices.
type Sample struct {
	Of      int     `json:"of"` // as many there are to draw from
	Mutants []Drawn `json:"mutants"`
}

// Drawn is a mutant of a sample.
type Drawn struct {
	*Mutant

	Number int `json:"number"` // that ADCONFORM_MUTANT has for the program to be it
}

// Draw draws n mutants by a hash of their ids, and builds a program with them at path.
//
// Drawn from are those that the table has not, or calls missed, in statements that the suite
// comes to when the reference makes its default choices, on lines that look at no choice: as
// it is served, the others may well conform. One that does not start is passed over.
func Draw(ctx context.Context, root, path string, n int) (*Sample, error) {
	table, err := Table()
	if err != nil {
		return nil, err
	}
	var breaking []*Mutant
	p, err := Build(ctx, root, func(all []*Mutant) []*Mutant {
		entries, _ := listed(table, all) // what is wrong with the table, selftest --mutants says
		breaking = breakingByDefault(all, entries)
		return breaking
	})
	if err != nil {
		return nil, err
	}
	defer p.Close()
	reference, err := p.reachedIn(ctx, setting{})
	if err != nil {
		return nil, err
	}
	breaking = slices.DeleteFunc(breaking, func(m *Mutant) bool { return !reference.has(m) })
	drawn := &Sample{Of: len(breaking)}
	for _, m := range byHash(breaking) {
		if len(drawn.Mutants) == n {
			break
		}
		url, stop, err := p.serve(ctx, m.number, setting{}, "")
		if err != nil {
			return nil, err
		}
		if url != "" {
			stop()
			drawn.Mutants = append(drawn.Mutants, Drawn{m, m.number})
		}
	}
	program, err := os.ReadFile(p.path)
	if err != nil {
		return nil, err
	}
	return drawn, os.WriteFile(path, program, 0o755) //nolint:gosec // it is run
}

// breakingByDefault are the mutants that are not known to break nothing, but for those of
// lines that look at a choice.
func breakingByDefault(all []*Mutant, entries map[string]*Entry) (breaking []*Mutant) {
	for _, m := range all {
		if e := entries[m.ID]; (e == nil || e.Missed) && !choice.MatchString(m.Before) {
			breaking = append(breaking, m)
		}
	}
	return breaking
}

// byHash puts mutants into an order that has to do with nothing, and that others which come
// or go leave as it is.
func byHash(all []*Mutant) []*Mutant {
	hash := func(m *Mutant) []byte {
		sum := sha256.Sum256([]byte(m.ID))
		return sum[:]
	}
	return slices.SortedFunc(slices.Values(all), func(a, b *Mutant) int {
		return cmp.Or(bytes.Compare(hash(a), hash(b)), cmp.Compare(a.ID, b.ID))
	})
}
