package suites

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// Baseline is a file of known findings.
type Baseline struct {
	File    string
	Entries []*Entry
}

// Entry is one known finding.
type Entry struct {
	Finding string   `yaml:"finding"` // its cause in words
	At      []string `yaml:"at"`      // operation, clause, check and place of each of its sights that is accepted
	Cases   []string `yaml:"cases"`   // in which it is accepted
	Reason  string   `yaml:"reason"`
	Expires Date     `yaml:"expires"`
	// Intermittent says that it does not show in every run, and not always in the
	// same cases: it may be absent from a run, and show in a case that is not listed.
	Intermittent bool `yaml:"intermittent,omitempty"`

	Line int `yaml:"-"`
}

// Date is a day of the calendar such as 2026-12-31, UTC. What expires on it is good until its end.
type Date string

// ParseDate reads a date.
func ParseDate(text string) (Date, error) {
	if _, err := time.Parse(time.DateOnly, text); err != nil {
		return "", fmt.Errorf("%q is not a date: write it as 2026-12-31", text)
	}
	return Date(text), nil
}

// Over says whether the day has ended.
func (d Date) Over(now time.Time) bool {
	day, err := time.Parse(time.DateOnly, string(d))
	return err != nil || !now.Before(day.AddDate(0, 0, 1))
}

// MarshalYAML writes a date without quotes.
func (d Date) MarshalYAML() (any, error) {
	return &yaml.Node{Kind: yaml.ScalarNode, Value: string(d)}, nil
}

// NewCases are the cases in which a finding of the entry is not accepted: all, where it shows
// at a place that is not listed.
func (e *Entry) NewCases(f *oracle.Finding) []string {
	cases, at := sights(f)
	switch {
	case len(except(at, e.At)) > 0:
		return cases
	case e.Intermittent:
		return nil
	}
	return except(cases, e.Cases)
}

// sights are the cases of a finding, and the places at which it shows.
func sights(f *oracle.Finding) (cases, at []string) {
	if len(f.At) == 0 { // one case saw it
		return []string{f.Case}, []string{f.Cause().String()}
	}
	for _, c := range f.At {
		at = append(at, c.String())
	}
	return f.Cases, at
}

// except are those that others do not hold.
func except(all, others []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(s string) bool { return slices.Contains(others, s) })
}

// Gone says whether a run that did not find the entry looked for it: it ran each case of the
// entry. A run of less depth lacks some, and no run has those of recorded traffic.
func (e *Entry) Gone(r *report.Report) bool { return !e.Intermittent && r.Ran(e.Cases) }

// Passed are the cases of an entry that a whole run carried out without a finding. For an
// intermittent one that proves nothing.
func (e *Entry) Passed(r *report.Report) (passed []string) {
	if e.Intermittent || !r.Whole() {
		return nil
	}
	for _, c := range r.Results {
		if c.Status == judge.Passed && slices.Contains(e.Cases, c.ID) {
			passed = append(passed, c.ID)
		}
	}
	return passed
}

const version = 1

// Load reads a baseline. Every problem is a line of the error, with file and line.
func Load(path string, contract *spec.Contract) (*Baseline, error) {
	data, err := wording.ReadFile(path, 16)
	if err != nil {
		return nil, fmt.Errorf("baseline %s: %w; adconform baseline add writes one", path, err)
	}
	var file struct {
		Version  int     `yaml:"version"`
		Findings []Entry `yaml:"findings"`
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(&file); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %s", path, plain(err))
	}
	if file.Version != version {
		return nil, fmt.Errorf("%s: version is %d, this version of adconform reads %d: begin with version: %d",
			path, file.Version, version, version)
	}
	var lines struct{ Findings []yaml.Node } // which have their lines, and were decoded strictly before
	if err := yaml.Unmarshal(data, &lines); err != nil {
		return nil, err
	}
	var problems []error
	seen := map[string]int{}
	b := &Baseline{File: path}
	for _, n := range lines.Findings {
		e := &Entry{Line: n.Line}
		if err := n.Decode(e); err != nil {
			return nil, err
		}
		b.Entries = append(b.Entries, e)
		if why := e.check(contract); why != "" {
			problems = append(problems, fmt.Errorf("%s:%d: %s", path, e.Line, why))
		}
		if before := seen[e.Finding]; before > 0 {
			problems = append(problems, fmt.Errorf("%s:%d: the same finding is in line %d: take one out", path, e.Line, before))
		}
		seen[e.Finding] = e.Line
	}
	return b, errors.Join(problems...)
}

// check says what is wrong with an entry; "" for nothing.
func (e *Entry) check(contract *spec.Contract) string {
	for _, at := range e.At {
		words := strings.Fields(at)
		switch {
		case len(words) < 3:
			return fmt.Sprintf("at %q: want operation, clause, check and place: adconform baseline add writes them", at)
		case contract.Clause(words[1]) == nil:
			return fmt.Sprintf("clause %q is not one of the contract's: adconform explain lists them", words[1])
		case contract.Operation(words[0]) == nil && words[0] != allOperations:
			return fmt.Sprintf("operation %q is not one of the contract's", words[0])
		}
	}
	_, err := ParseDate(string(e.Expires))
	switch {
	case e.Finding == "" || len(e.At) == 0 || len(e.Cases) == 0:
		return "finding, at or cases are missing: adconform baseline add writes them"
	case strings.TrimSpace(e.Reason) == "":
		return "reason is missing: say why this finding is accepted"
	case e.Expires == "":
		return "expires is missing: give the last day on which it is accepted, such as 2026-12-31"
	case err != nil:
		return "expires: " + err.Error()
	}
	return ""
}

// plain puts an error of the YAML library into one line without its types.
func plain(err error) string {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if typed := new(yaml.TypeError); errors.As(err, &typed) {
		text = typed.Errors[0]
	}
	text, _, _ = strings.Cut(text, " in type ")
	return strings.ReplaceAll(strings.ReplaceAll(text, "not found", "is not known here"), "\n", " ")
}

// Entry is the entry for a finding: of its cause, or where the words for that are others, one
// that lists all its places and cases. It is nil when there is none.
func (b *Baseline) Entry(f *oracle.Finding) *Entry {
	if b == nil {
		return nil
	}
	for _, e := range b.Entries {
		if e.Finding == f.CauseWords {
			return e
		}
	}
	_, at := sights(f)
	for _, e := range b.Entries {
		if len(except(at, e.At)) == 0 && len(e.NewCases(f)) == 0 {
			return e
		}
	}
	return nil
}

// Occurs says whether one of the findings is the entry's.
func (b *Baseline) Occurs(e *Entry, findings []oracle.Finding) bool {
	return slices.ContainsFunc(findings, func(f oracle.Finding) bool { return b.Entry(&f) == e })
}

// applyBaseline says what a baseline did to a run whose findings it has marked.
func (c *Config) applyBaseline(r *report.Report) {
	if c.Baseline == nil {
		return
	}
	known := func(e *Entry) report.Known {
		return report.Known{Finding: e.Finding, Line: e.Line, Reason: e.Reason, Expires: string(e.Expires)}
	}
	b := &report.Baseline{
		File: c.Baseline.File, Stale: []report.Known{}, Expired: []report.Known{}, Unseen: []report.Known{}, Outgrown: []report.Known{},
	}
	r.Baseline = b
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Known != "" {
			b.Known++
		} else if len(f.NewCases) > 0 {
			e := c.Baseline.Entry(f)
			outgrown := known(e)
			outgrown.NewCases = f.NewCases
			b.Outgrown = append(b.Outgrown, outgrown)
		}
	}
	for _, e := range c.Baseline.Entries {
		onTiming := slices.ContainsFunc(e.At, func(at string) bool { return spec.HangsOnTiming(strings.Fields(at)[1]) })
		switch occurs := c.Baseline.Occurs(e, r.Findings); {
		case occurs && e.Expires.Over(r.Started):
			b.Expired = append(b.Expired, known(e))
		case occurs:
		case e.Gone(r) && !onTiming:
			b.Stale = append(b.Stale, known(e))
		default:
			b.Unseen = append(b.Unseen, known(e))
		}
	}
}

// accept marks a finding that is in the baseline and whose entry is still good. One
// that shows in cases that the entry does not list counts, and names them.
func (b *Baseline) accept(f *oracle.Finding, now time.Time) {
	if e := b.Entry(f); e != nil && !e.Expires.Over(now) {
		if f.NewCases = e.NewCases(f); len(f.NewCases) == 0 {
			f.Known = e.Reason
		}
	}
}

// Known is the baseline's reason for accepting a finding; "" where it does not.
func (c *Config) Known(f *oracle.Finding) string {
	seen := *f
	c.Baseline.accept(&seen, time.Now())
	return seen.Known
}
