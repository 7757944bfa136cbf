package selftest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/adconform/adconform/internal/files"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/testcase"
)

// writeFigure puts what was measured into a file like suites/report/figure.json and leaves
// its other parts.
func writeFigure(path string, into func(p *report.Proof)) error {
	p := &report.Proof{}
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	default:
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.DisallowUnknownFields()
		if err := dec.Decode(p); err != nil {
			return fmt.Errorf("%s is no figure of the self-test: %w", path, err)
		}
	}
	into(p)
	return files.Write(path, 0o644, func(w io.Writer) error { return files.WriteJSON(w, p, "  ") })
}

// write puts a whole self-test into a figure, or one at depth quick.
func (r *Result) write(path string) error {
	return writeFigure(path, func(p *report.Proof) {
		if r.Depth == testcase.Quick.String() {
			quick := r.published()
			p.Quick = &quick
			return
		}
		p.Faults, p.Variants = r.published(), report.Share{Of: r.Variants.Of, Good: r.Variants.Good}
	})
}

// published are the faults as the figure has them.
func (r *Result) published() report.Share {
	s := report.Share{Of: r.Faults.Of, Good: r.Faults.Good, By: map[string][]report.Group{}}
	for by, groups := range map[string][]Group{"severity": r.Severities, "basis": r.Bases, "clause": r.Clauses, "kind": r.Kinds} {
		for _, g := range groups {
			s.By[by] = append(s.By[by], report.Group{ID: g.ID, Of: g.Of, Good: g.Good})
		}
	}
	return s
}

// write puts what was found out into the files that flags name.
func (a *Ablation) write(f *flags) error {
	if f.needed != "" {
		if err := mergeNeeded(f.needed, a.contract, a.needed); err != nil {
			return err
		}
	}
	if f.figure == "" {
		return nil
	}
	return writeFigure(f.figure, func(p *report.Proof) {
		p.Ablation = &report.Ablation{Keys: len(a.Keys), Faults: a.Faults, Missed: len(a.Missed)}
	})
}
