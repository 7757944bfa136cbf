package mutants

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/adconform/adconform/internal/parallel"
	"github.com/adconform/adconform/suites/report"
)

// Verdict is what became of a mutant.
type Verdict string

// The verdicts.
const (
	Killed       Verdict = "killed"       // the suite calls the server nonconforming
	Survived     Verdict = "survived"     // it calls it conforming
	Inconclusive Verdict = "inconclusive" // it calls it neither
	Unreached    Verdict = "unreached"    // no run comes to the place of the change, whatever the reference chooses
	Stillborn    Verdict = "stillborn"    // the server does not start
)

// Outcome is what the suite makes of a mutant.
type Outcome struct {
	*Mutant

	Verdict  Verdict  `json:"verdict"`
	Setting  string   `json:"setting,omitempty"` // the variant or overlay it was served as; "" for the reference as it is
	Finding  string   `json:"finding,omitempty"` // the first violation, or why nothing is concluded
	Requests int      `json:"requests,omitempty"`
	Seconds  float64  `json:"seconds,omitempty"`
	Reason   string   `json:"reason,omitempty"` // of the table, why it is not killed
	Open     []string `json:"open,omitempty"`   // the open points that it changes
	Missed   bool     `json:"missed,omitempty"` // it breaks the contract all the same
}

// Good says whether the outcome is as it has to be: killed, or not and in the table.
func (o Outcome) Good() bool {
	return o.Verdict == Stillborn || (o.Verdict == Killed) == (o.Reason == "")
}

// take takes the reason from the table's entries, by id.
func (o *Outcome) take(entries map[string]*Entry) {
	if e := entries[o.ID]; e != nil {
		o.Reason, o.Open, o.Missed = e.Reason, e.Open, e.Missed
	}
}

// Options say which mutants are tried.
type Options struct {
	Only     *regexp.Regexp // ids; nil is all
	Parallel int            // servers at a time; 0 is GOMAXPROCS
	// Progress gets each outcome as it comes, one at a time.
	Progress func(done, of int, o Outcome)
}

// othersTried is how many other choices a mutant is tried with that survives in the
// reference as it is, or is not come to there.
const othersTried = 3

// ErrNothing says that no mutant was selected.
var ErrNothing = errors.New("no mutant has such an id; adconform selftest --mutants --list lists them")

// Selected are the mutants whose ids match; all of them for nil.
func Selected(all []*Mutant, only *regexp.Regexp) (selected []*Mutant) {
	for _, m := range all {
		if only == nil || only.MatchString(m.ID) {
			selected = append(selected, m)
		}
	}
	return selected
}

// tryAll tries the selected mutants, in the order of the source. Entries are those of the
// table, by id.
func (p *Program) tryAll(ctx context.Context, o Options, entries map[string]*Entry) ([]Outcome, error) {
	selected := Selected(p.Mutants, o.Only)
	if len(selected) == 0 {
		return nil, ErrNothing
	}
	reach, err := p.reach(ctx, o, selected)
	if err != nil {
		return nil, err
	}
	return parallel.Map(ctx, o.Parallel, selected, func(ctx context.Context, m *Mutant) (Outcome, error) {
		outcome, err := p.tryIn(ctx, m, reach)
		if err != nil {
			return outcome, fmt.Errorf("%s: %w", m.ID, err)
		}
		outcome.take(entries)
		return outcome, nil
	}, o.Progress)
}

// tryIn tries a mutant in the reference as it is. One that is not come to there, or whose
// line looks at a choice, is tried with some other choices as well: those that come to it,
// or those that it looks at.
func (p *Program) tryIn(ctx context.Context, m *Mutant, reach []reached) (o Outcome, err error) {
	o = Outcome{Mutant: m, Verdict: Unreached}
	others := 0
	for i, r := range reach {
		if !r.has(m) || i > 0 && reach[0].has(m) && !r.isAbout(m) {
			continue
		}
		tried, err := p.try(ctx, m, r.setting)
		if i > 0 {
			others++
		}
		if i == 0 || others == 1 && o.Verdict == Unreached || tried.Verdict == Killed {
			o = tried
		}
		if err != nil || o.Verdict == Killed || o.Verdict == Stillborn || others == othersTried {
			return o, err
		}
	}
	return o, nil
}

// reached are the statements that a whole run comes to in a setting.
type reached struct {
	setting

	places map[int]bool
}

// reach finds out which statements the reference as it is comes to, and where some of the
// selected mutants are not among them, which those of other settings do.
func (p *Program) reach(ctx context.Context, o Options, selected []*Mutant) ([]reached, error) {
	all := settings()
	plain, err := p.reachedIn(ctx, all[0])
	others := func(m *Mutant) bool { return !plain.has(m) || choice.MatchString(m.Before) }
	if err != nil || !slices.ContainsFunc(selected, others) {
		return []reached{plain}, err
	}
	reach, err := parallel.Map(ctx, o.Parallel, all[1:], p.reachedIn, nil)
	return append([]reached{plain}, reach...), err
}

// reachedIn runs the suite against the source as it is, which has to conform.
func (p *Program) reachedIn(ctx context.Context, in setting) (r reached, err error) {
	file, err := os.CreateTemp(p.dir, "reached-")
	if err != nil {
		return r, err
	}
	file.Close()
	url, stop, err := p.serve(ctx, 0, in, file.Name())
	if err != nil || url == "" {
		return r, errors.Join(errors.New("the reference with its mutants, none of them active, does not start"), err)
	}
	found, err := p.run(ctx, url, in, true)
	stop()
	if err == nil && found.Verdict != report.Conforming {
		err = fmt.Errorf("the reference with its mutants, none of them active, is %s (%s): %s", found.Verdict, in.name(), found.Reason)
	}
	if err != nil {
		return r, err
	}
	r = reached{in, map[int]bool{}}
	return r, r.read(file.Name())
}

func (r reached) has(m *Mutant) bool { return m.place == 0 || r.places[m.place] }

func (r reached) read(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		n, err := strconv.Atoi(strings.TrimSpace(lines.Text()))
		if err != nil {
			return err
		}
		r.places[n] = true
	}
	return lines.Err()
}
