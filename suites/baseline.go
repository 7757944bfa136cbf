package suites

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/adconform/adconform/internal/files"
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
	// Depth is that of the deepest run that found it; "" for any. A shallower run
	// may lack the cases that show it.
	Depth string `yaml:"depth,omitempty"`

	Line int `yaml:"-"`
}

// Date is a day of the calendar, UTC. What expires on it is good until its end.
type Date struct{ time.Time }

// DateForm is how a date is written.
const DateForm = time.DateOnly

// ParseDate reads a date such as 2026-12-31.
func ParseDate(text string) (Date, error) {
	t, err := time.Parse(DateForm, text)
	if err != nil {
		return Date{}, fmt.Errorf("%q is not a date: write it as 2026-12-31", text)
	}
	return Date{t}, nil
}

// UnmarshalYAML implements yaml.Unmarshaler.
func (d *Date) UnmarshalYAML(n *yaml.Node) (err error) {
	if *d, err = ParseDate(n.Value); err != nil {
		return fmt.Errorf("line %d: expires: %w", n.Line, err)
	}
	return nil
}

// MarshalYAML implements yaml.Marshaler.
func (d Date) MarshalYAML() (any, error) {
	return &yaml.Node{Kind: yaml.ScalarNode, Value: d.Format(DateForm)}, nil
}

// Expired says whether the entry no longer covers anything.
func (e *Entry) Expired(now time.Time) bool { return !now.Before(e.Expires.AddDate(0, 0, 1)) }

// NewCases are the cases in which a finding of the entry is not accepted: all, where it shows
// at a place that is not listed.
func (e *Entry) NewCases(f *oracle.Finding) []string {
	cases, at := sights(f)
	switch {
	case !within(at, e.At):
		return cases
	case e.Intermittent || within(cases, e.Cases):
		return nil
	}
	return slices.DeleteFunc(slices.Clone(cases), func(id string) bool { return slices.Contains(e.Cases, id) })
}

// sights are the cases of a finding, and the places at which it shows.
func sights(f *oracle.Finding) (cases, at []string) {
	for _, c := range f.At {
		at = append(at, c.String())
	}
	if len(f.At) == 0 { // what one case saw
		return []string{f.Case}, []string{f.Cause().String()}
	}
	return f.Cases, at
}

func within(some, of []string) bool {
	return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(of, s) })
}

// Shallower says whether a run is deeper than those that the entry is of, and so has
// cases that they did not run.
func (e *Entry) Shallower(depth string) bool {
	return e.Depth != "" && slices.Index(depths, e.Depth) < slices.Index(depths, depth)
}

// Gone says whether a run that did not find the entry looked for it: it judged the clause by all
// cases that aim at it, or ran each case of the entry. None is bound to find what was in traffic
// that others sent.
func (e *Entry) Gone(r *report.Report) bool {
	return !e.Intermittent && e.Depth != report.Recorded &&
		slices.Index(depths, r.Depth) >= slices.Index(depths, e.Depth) && r.LookedFor(e.At, e.Cases)
}

// depths are the names of the depths, each of which includes the one before.
var depths = []string{judge.Quick.String(), judge.Standard.String(), judge.Deep.String()}

// file is how a baseline is written.
type file struct {
	Version  int         `yaml:"version"`
	Findings []yaml.Node `yaml:"findings"`
}

const version = 1

// Load reads a baseline. Every problem is a line of the error, with file and line.
func Load(path string, contract *spec.Contract) (*Baseline, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("baseline %s: %w; adconform baseline add writes one", path, files.WithoutPath(err))
	}
	return parse(path, data, contract)
}

func parse(path string, data []byte, contract *spec.Contract) (*Baseline, error) {
	var f file
	if err := strict(data, &f); err != nil {
		return nil, fmt.Errorf("%s: %s", path, plain(err))
	}
	if f.Version != version {
		return nil, fmt.Errorf("%s: version is %d, this version of adconform reads %d: begin with version: %d", path, f.Version, version, version)
	}
	b := &Baseline{File: path}
	var problems []error
	lines := map[string]int{}
	for i := range f.Findings {
		n := &f.Findings[i]
		fail := func(format string, args ...any) {
			problems = append(problems, fmt.Errorf("%s:%d: %s", path, n.Line, fmt.Sprintf(format, args...)))
		}
		e := &Entry{Line: n.Line}
		text, err := yaml.Marshal(n)
		if err == nil {
			err = strict(text, e)
		}
		if err != nil {
			fail("%s", withoutLine(plain(err)))
			continue
		}
		if why := e.check(contract); why != "" {
			fail("%s", why)
		}
		if before := lines[e.Finding]; before > 0 {
			fail("the same finding is in line %d: take one out", before)
		}
		lines[e.Finding] = n.Line
		b.Entries = append(b.Entries, e)
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	return b, nil
}

func (e *Entry) check(contract *spec.Contract) string {
	for _, at := range e.At {
		words := strings.Fields(at)
		known := slices.ContainsFunc(contract.Operations, func(op *spec.Operation) bool { return op.ID == words[0] })
		switch {
		case len(words) < 3:
			return fmt.Sprintf("at %q: want operation, clause, check and place: adconform baseline add writes them", at)
		case contract.Clause(words[1]) == nil:
			return fmt.Sprintf("clause %q is not one of the contract's: adconform explain lists them", words[1])
		case !known && words[0] != allOperations:
			return fmt.Sprintf("operation %q is not one of the contract's", words[0])
		}
	}
	switch {
	case e.Finding == "" || len(e.At) == 0 || len(e.Cases) == 0:
		return "finding, at or cases are missing: adconform baseline add writes them"
	case strings.TrimSpace(e.Reason) == "":
		return "reason is missing: say why this finding is accepted"
	case e.Depth != "" && e.Depth != report.Recorded && !slices.Contains(depths, e.Depth):
		return fmt.Sprintf("depth %q: want one of %s", e.Depth, strings.Join(depths, ", "))
	case e.Expires.IsZero():
		return "expires is missing: give the last day on which it is accepted, such as 2026-12-31"
	}
	return ""
}

func strict(data []byte, to any) error {
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(to); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// plain puts what the YAML library says into one line without its types.
func plain(err error) string {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	var typed *yaml.TypeError
	if errors.As(err, &typed) {
		text = strings.Join(typed.Errors, "; ")
	}
	text, _, _ = strings.Cut(text, " in type ")
	text = strings.ReplaceAll(text, "not found", "is not known here")
	return strings.ReplaceAll(text, "\n", " ")
}

// withoutLine leaves out a line number that counts from the entry.
func withoutLine(text string) string {
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		if _, after, found := strings.Cut(rest, ": "); found {
			return after
		}
	}
	return text
}

// Entry is the entry for a finding: of its cause, or where the words for that are others, one
// that lists all its places and cases. It is nil when there is none.
func (b *Baseline) Entry(f *oracle.Finding) *Entry {
	if b == nil {
		return nil
	}
	i := slices.IndexFunc(b.Entries, func(e *Entry) bool { return e.Finding == f.CauseWords })
	if i < 0 {
		i = slices.IndexFunc(b.Entries, func(e *Entry) bool {
			_, at := sights(f)
			return within(at, e.At) && len(e.NewCases(f)) == 0
		})
	}
	if i < 0 {
		return nil
	}
	return b.Entries[i]
}

// Occurs says whether one of the findings is the entry's.
func (b *Baseline) Occurs(e *Entry, findings []oracle.Finding) bool {
	return slices.ContainsFunc(findings, func(f oracle.Finding) bool { return b.Entry(&f) == e })
}

// applyBaseline marks the findings that the baseline excuses, and says which of
// its entries are out of date.
func (c *Config) applyBaseline(r *report.Report) {
	if c.Baseline == nil {
		return
	}
	b := &report.Baseline{
		File:  c.Baseline.File,
		Stale: []report.Known{}, Expired: []report.Known{}, Unseen: []report.Known{},
		Outgrown: []report.Known{},
	}
	r.Baseline = b
	for i := range r.Findings {
		f := &r.Findings[i]
		if c.accept(f, r.Started) {
			b.Known++
		} else if len(f.NewCases) > 0 {
			e := c.Baseline.Entry(f)
			known := knownEntry(e)
			known.NewCases, known.Deeper = f.NewCases, e.Shallower(r.Depth)
			b.Outgrown = append(b.Outgrown, known)
		}
	}
	for i := range r.Results {
		for j := range r.Results[i].Findings {
			c.accept(&r.Results[i].Findings[j], r.Started)
		}
	}
	for _, e := range c.Baseline.Entries {
		switch occurs := c.Baseline.Occurs(e, r.Findings); {
		case occurs && e.Expired(r.Started):
			b.Expired = append(b.Expired, knownEntry(e))
		case occurs:
		case e.Gone(r) && !e.hangsOnTiming():
			b.Stale = append(b.Stale, knownEntry(e))
		default:
			b.Unseen = append(b.Unseen, knownEntry(e))
		}
	}
}

func knownEntry(e *Entry) report.Known {
	return report.Known{Finding: e.Finding, Line: e.Line, Reason: e.Reason, Expires: e.Expires.Format(DateForm)}
}

// accept marks a finding that is in the baseline and whose entry is still good. One
// that shows in cases that the entry does not list counts, and says which they are.
func (c *Config) accept(f *oracle.Finding, now time.Time) bool {
	e := c.Baseline.Entry(f)
	if e == nil || e.Expired(now) {
		return false
	}
	if f.NewCases = e.NewCases(f); len(f.NewCases) > 0 {
		return false
	}
	f.Known = e.Reason
	return true
}

// Known is the reason why the baseline accepts a finding; "" where it does not.
func (c *Config) Known(f *oracle.Finding) string {
	seen := *f
	c.accept(&seen, time.Now())
	return seen.Known
}

// Renewal is an entry as it has to be for a finding of a report.
type Renewal struct {
	*Entry          // without reason and expiry where there is none yet
	Before *Entry   // the one that is there; nil for none
	Fresh  []string // its cases that Before does not list
}

// Renewals are what a baseline lacks to cover the findings of a report that are
// wanted. An entry that is there keeps its reason and its day, and gets the cases that
// it does not list.
func (b *Baseline) Renewals(r *report.Report, wanted func(*oracle.Finding) bool) []Renewal {
	var all []Renewal
	for i := range r.Findings {
		f := &r.Findings[i]
		e := &Entry{Finding: f.CauseWords, Depth: r.Depth}
		e.Cases, e.At = sights(f)
		before := b.Entry(f)
		switch {
		case !wanted(f):
			continue
		case before == nil:
			all = append(all, Renewal{Entry: e, Fresh: e.Cases})
			continue
		}
		fresh := before.NewCases(f)
		if len(fresh) == 0 {
			continue
		}
		e.Finding, e.Cases, e.At = before.Finding, union(before.Cases, e.Cases), union(before.At, e.At)
		if !before.Shallower(r.Depth) && before.Depth != "" {
			e.Depth = before.Depth
		}
		e.Reason, e.Expires, e.Intermittent = before.Reason, before.Expires, before.Intermittent
		all = append(all, Renewal{e, before, fresh})
	}
	return all
}

func union(a, b []string) []string {
	return slices.Concat(a, slices.DeleteFunc(slices.Clone(b), func(s string) bool { return slices.Contains(a, s) }))
}

// hangsOnTiming says whether it hangs on timing that the entry occurs.
func (e *Entry) hangsOnTiming() bool {
	return slices.ContainsFunc(e.At, func(at string) bool { return spec.HangsOnTiming(strings.Fields(at)[1]) })
}

// Passed are the cases of an entry that a whole run carried out without a finding. Of
// an intermittent one that says nothing.
func (e *Entry) Passed(r *report.Report) []string {
	if e.Intermittent || !r.Whole() {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(e.Cases), func(id string) bool {
		return !slices.ContainsFunc(r.Results, func(c report.Case) bool { return c.ID == id && c.Status == judge.Passed })
	})
}
