package selftest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"

	"github.com/adconform/adconform/internal/files"
	"github.com/adconform/adconform/internal/mutants"
	"github.com/adconform/adconform/suites/report"
)

// alone says what --mutants does not go with.
func (f *flags) alone() error {
	if f.mutants && (f.faults || f.variants || f.depth != "" || f.ablate || f.checks || f.workers > 0) {
		return errors.New("--mutants goes with --only, --list, --json, --parallel and --figure alone")
	}
	return nil
}

// testMutants tries the mutants of the reference's source.
func (f *flags) testMutants(ctx context.Context, o mutants.Options) (result, error) {
	root, err := mutants.Root()
	if err != nil {
		return nil, err
	}
	r, err := mutants.Run(ctx, root, o)
	if err == nil && f.figure != "" {
		err = writeFigure(f.figure, func(p *report.Proof) { p.Mutants = r.Published() })
	}
	return r, err
}

// listMutants writes the selected mutants, one a line.
func listMutants(w io.Writer, only *regexp.Regexp, asJSON bool) error {
	root, err := mutants.Root()
	if err != nil {
		return err
	}
	all, err := mutants.List(root)
	if err != nil {
		return err
	}
	if all = mutants.Selected(all, only); len(all) == 0 {
		return mutants.ErrNothing
	}
	if asJSON {
		return files.WriteJSON(w, all, "  ")
	}
	for _, m := range all {
		if _, err := fmt.Fprintf(w, "%s  line %d: %s  becomes  %s\n", m.ID, m.Line, m.Before, m.After); err != nil {
			return err
		}
	}
	return nil
}
