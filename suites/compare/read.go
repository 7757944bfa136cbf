package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/parallel"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/testcase"
)

// Bounds on what a stranger's report may take.
const (
	maxReport    = 64 << 20        // bytes of a report.json
	maxClauses   = 2000            // rows of a report
	maxFindings  = 30              // that are shown of a report
	maxSentence  = 300             // characters of a longer text
	maxName      = 100             // characters of a name
	verifiesLong = 2 * time.Minute // at most, each report
)

// clip is a name or an address as it may be shown.
func clip(text string) string { return wording.ClipPrintable(text, maxName) }

// sentence is a longer text as it may be shown.
func sentence(text string) string { return wording.ClipPrintable(text, maxSentence) }

func clipped(i fixtures.Implementation) fixtures.Implementation {
	return fixtures.Implementation{
		Organisation: clip(i.Organisation), Product: clip(i.Product), Version: clip(i.Version), Contact: clip(i.Contact),
	}
}

// readAll reads reports, some at a time, and verifies them if that is asked for.
func readAll(ctx context.Context, found []source, contract *spec.Contract, o Options) (reports []*Report, left []LeftOut, err error) {
	left = []LeftOut{}
	all, err := parallel.Map(ctx, 0, found, func(ctx context.Context, s source) (any, error) {
		r, err := read(s, o)
		if err != nil {
			return LeftOut{s.shown(), problem(s, err), s.path}, nil
		}
		r.verify(ctx, s.path, o)
		r.summarise(contract)
		return r, ctx.Err()
	}, nil)
	if err != nil {
		return nil, nil, err
	}
	for _, one := range all {
		switch v := one.(type) {
		case *Report:
			reports = append(reports, v)
		case LeftOut:
			left = append(left, v)
		}
	}
	return reports, left, nil
}

// problem is what is wrong with a report, without its path.
func problem(s source, err error) string {
	text := strings.TrimPrefix(strings.TrimPrefix(err.Error(), s.path), ": ")
	if line, ok := strings.CutPrefix(text, ":"); ok {
		text = "line " + line
	}
	return sentence(text)
}

// read reads what is compared of a report.
func read(s source, o Options) (*Report, error) {
	if err := regular(s.path); err != nil {
		return nil, err
	}
	r, err := report.Read(s.path)
	if err != nil {
		return nil, err
	}
	if len(r.Clauses) > maxClauses {
		return nil, fmt.Errorf("it has %d clauses, more than the %d that can be compared", len(r.Clauses), maxClauses)
	}
	if o.Registry {
		if err := placed(s, r); err != nil {
			return nil, err
		}
	}
	c := &Report{
		Path: s.shown(), Started: r.Started.UTC(), Verdict: r.Verdict, Level: report.Level(clip(string(r.Level))), Words: sentence(r.Words()),
		Reason: sentence(r.Reason), Edition: clip(r.Edition), Depth: clip(r.Depth), Suite: clip(r.Suite.Version),
		Version: clip(r.Target.Implementation.Version),
		Notes:   []string{}, Findings: []Finding{}, Broke: []string{}, Mended: []string{}, of: r,
	}
	if r.Target.Subject != nil {
		c.Subject = clip(r.Target.Subject.String())
	}
	return c, nil
}

// regular says why a file of a stranger is not read.
func regular(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("there is none")
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		return errors.New("it is a symbolic link, which is not followed")
	case !info.Mode().IsRegular():
		return errors.New("it is no regular file")
	case info.Size() > maxReport:
		return fmt.Errorf("it has %d MiB, more than the %d that are read", info.Size()>>20, maxReport>>20)
	}
	return nil
}

// verify finds out whether a report follows from the traffic beside it.
func (r *Report) verify(ctx context.Context, path string, o Options) {
	r.Verification = Verification{Unverified, "not asked for"}
	if o.Verify == nil {
		return
	}
	if err := regular(filepath.Join(filepath.Dir(path), report.HARFile)); err != nil {
		r.Verification.Reason = sentence(report.HARFile + " beside it: " + err.Error())
		return
	}
	ctx, cancel := context.WithTimeout(ctx, verifiesLong)
	defer cancel()
	defer func() {
		if defect := recover(); defect != nil { // one report may not hide all others
			r.Verification = Verification{Unverified, sentence(fmt.Sprintf("adconform failed in verifying it, which is a defect: %v", defect))}
		}
	}()
	if r.Verification = o.Verify(ctx, path); ctx.Err() != nil {
		r.Verification = Verification{Unverified, fmt.Sprintf("it took longer than %v", verifiesLong)}
	}
	r.Verification.Reason = sentence(r.Verification.Reason)
}

// summarise works out what is compared; the whole report is let go.
func (r *Report) summarise(contract *spec.Contract) {
	of := r.of
	r.of, r.target = nil, of.Target
	r.points = of.OpenPoints
	r.statuses, r.rows, r.totals = map[subject]Status{}, map[subject]Clause{}, map[string]Status{}
	for i := range of.Clauses {
		c := &of.Clauses[i]
		at := subject{clip(c.ID), cmp.Or(clip(c.Operation), relating)}
		status := r.status(of, c)
		if weight(status) > weight(r.totals[at.clause]) {
			r.totals[at.clause] = status
		}
		if c.Status == report.NotTested && at.operation == relating && !relates(contract, at.clause) {
			continue // no case of the plan was about it, on whichever operation
		}
		r.statuses[at] = status
		r.rows[at] = Clause{ID: at.clause, Operation: at.operation, Basis: spec.Basis(clip(string(c.Basis))), Text: sentence(c.Text)}
	}
	for _, status := range r.totals {
		r.Clauses.add(status)
	}
	r.findings(of)
	r.Passes = r.Verdict == report.Conforming && r.Level == report.Complete && of.ExitCode == report.ExitConforming && !of.Insecure &&
		r.Clauses.Broken == 0 && r.Clauses.Held > 0 && r.Verification.Status != Refuted
	note := func(is bool, text string) {
		if is {
			r.Notes = append(r.Notes, sentence(text))
		}
	}
	note(r.Verification.Status == Refuted, "it does not follow from its evidence: "+r.Verification.Reason)
	note(of.Insecure, report.Insecure)
	note(of.Stopped != "", of.Stopped)
	note(r.Verdict == report.Conforming && r.Clauses.Broken > 0, wording.Count(r.Clauses.Broken, "clause")+" broken that did not fail the run")
	note(len(of.Defects) > 0, "the suite itself failed in a case")
}

// relates says whether a clause is about several operations together.
func relates(contract *spec.Contract, id string) bool {
	c := contract.Clause(id)
	return c == nil || c.Relates()
}

// weights are the states by what counts where a clause has several.
var weights = []Status{Unknown, NotTested, Missing, Unproven, Held, Notice, Broken}

func weight(s Status) int { return slices.Index(weights, s) }

// status is what became of a clause. A finding weighs more than what the row says of itself.
func (r *Report) status(of *report.Report, c *report.Clause) Status {
	found := func(notice bool) bool {
		return slices.ContainsFunc(of.Findings, func(f oracle.Finding) bool {
			return f.Clause == c.ID && (f.Severity == oracle.Notice) == notice &&
				(f.Operation == c.Operation || c.Operation == "" || c.Operation == relating)
		})
	}
	switch {
	case found(false):
		return Broken
	case c.Status == report.Broken && found(true):
		return Notice
	case c.Status == report.Broken:
		return Broken
	case c.Status == report.Held && r.Verification.Status == Refuted:
		return Unproven
	case c.Status == report.Held:
		return Held
	case c.Cause == testcase.ByTarget && (of.Level == report.Complete || of.Level == report.Partial):
		return NotTested
	}
	return Missing
}

// findings are those of a report as sentences, violations first.
func (r *Report) findings(of *report.Report) {
	for _, notice := range []bool{false, true} {
		for i := range of.Findings {
			f := &of.Findings[i]
			if (f.Severity == oracle.Notice) != notice {
				continue
			}
			if len(r.Findings) == maxFindings {
				r.Omitted++
				continue
			}
			r.Findings = append(r.Findings, Finding{
				Clause: clip(f.Clause), Operation: clip(f.Operation), Basis: spec.Basis(clip(string(f.Basis))), Notice: notice,
				Sentence: sentence(report.Sentence(f)), Standing: sentence(f.Why()), Known: sentence(f.Known),
			})
		}
	}
}
