package suites

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
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
	At      []string `yaml:"at"`      // operation, clause, check and place of all that is accepted
	Cases   []string `yaml:"cases"`   // that are accepted
	Reason  string   `yaml:"reason"`
	Expires Date     `yaml:"expires"`
	// Intermittent says that the finding comes and goes: it may be absent from a run, and show in
	// a case that is not listed.
	Intermittent bool `yaml:"intermittent,omitempty"`

	Line int `yaml:"-"`
}

// Date is a day such as 2026-12-31, UTC. An entry that expires on it is valid until its end.
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

// NewCases returns the cases in which the entry does not accept a finding: all of them, where it
// shows at a place that the entry does not list.
func (e *Entry) NewCases(f *oracle.Finding) []string {
	cases, at := casesAndPlaces(f)
	switch {
	case len(without(at, e.At)) > 0:
		return cases
	case e.Intermittent:
		return nil
	}
	return without(cases, e.Cases)
}

// casesAndPlaces returns the cases of a finding, and the places at which it shows.
func casesAndPlaces(f *oracle.Finding) (cases, at []string) {
	if len(f.At) == 0 { // one case saw it
		return []string{f.Case}, []string{f.Cause().String()}
	}
	for _, c := range f.At {
		at = append(at, c.String())
	}
	return f.Cases, at
}

// without returns those that are not among others.
func without(all, others []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(s string) bool { return slices.Contains(others, s) })
}

// Gone reports whether a run that did not find the entry looked for it: it ran all cases of the
// entry. A run of less depth lacks some of them, and no run has those of recorded traffic.
func (e *Entry) Gone(r *report.Report) bool { return !e.Intermittent && r.Ran(e.Cases) }

// Passed returns the cases of an entry that passed in a whole run. For an intermittent finding that
// proves nothing.
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

// Load reads a baseline. Each problem is a line of the error, with file and line.
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
	var lines struct{ Findings []yaml.Node } // decoded strictly before; nodes know their lines
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

// check returns what is wrong with an entry; "" for nothing.
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

// plain turns an error of the YAML library into one line without Go types.
func plain(err error) string {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if typed := new(yaml.TypeError); errors.As(err, &typed) {
		text = typed.Errors[0]
	}
	text, _, _ = strings.Cut(text, " in type ")
	return strings.ReplaceAll(strings.ReplaceAll(text, "not found", "is not known here"), "\n", " ")
}

// Entry returns the entry for a finding: the one for its cause, or, where another version of adconform
// named the cause, one that lists all its places and cases. It is nil when there is none.
func (b *Baseline) Entry(f *oracle.Finding) *Entry {
	if b == nil {
		return nil
	}
	for _, e := range b.Entries {
		if e.Finding == f.CauseWords {
			return e
		}
	}
	_, at := casesAndPlaces(f)
	for _, e := range b.Entries {
		if len(without(at, e.At)) == 0 && len(e.NewCases(f)) == 0 {
			return e
		}
	}
	return nil
}

// Occurs reports whether one of the findings belongs to the entry.
func (b *Baseline) Occurs(e *Entry, findings []oracle.Finding) bool {
	return slices.ContainsFunc(findings, func(f oracle.Finding) bool { return b.Entry(&f) == e })
}

// applyBaseline reports what the baseline accepted of a run, and which entries are out of date.
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

// accept marks a finding that an entry accepts. One that shows in cases which the entry does not list
// counts, and names them.
func (b *Baseline) accept(f *oracle.Finding, now time.Time) {
	if e := b.Entry(f); e != nil && !e.Expires.Over(now) {
		if f.NewCases = e.NewCases(f); len(f.NewCases) == 0 {
			f.Known = e.Reason
		}
	}
}

// Known returns the baseline's reason for accepting a finding; "" where it does not.
func (c *Config) Known(f *oracle.Finding) string {
	seen := *f
	c.Baseline.accept(&seen, time.Now())
	return seen.Known
}

// Renewal is an entry as it has to be to accept a finding of a report.
type Renewal struct {
	*Entry          // without reason and expiry where there is none yet
	Before *Entry   // the one that is there; nil for none
	Fresh  []string // its cases that Before does not list
}

// Renewals returns the entries that a baseline needs to accept the wanted findings of a report. An
// existing entry keeps its reason and its day, and gets the cases that it does not list.
func (b *Baseline) Renewals(r *report.Report, wanted func(*oracle.Finding) bool) (all []Renewal) {
	for i := range r.Findings {
		f := &r.Findings[i]
		if !wanted(f) {
			continue
		}
		cases, at := casesAndPlaces(f)
		before := b.Entry(f)
		if before == nil {
			all = append(all, Renewal{&Entry{Finding: f.CauseWords, At: at, Cases: cases}, nil, cases})
			continue
		}
		fresh := before.NewCases(f)
		if len(fresh) == 0 {
			continue
		}
		e := *before
		e.Cases = slices.Concat(e.Cases, without(cases, e.Cases))
		e.At = slices.Concat(e.At, without(at, e.At))
		all = append(all, Renewal{&e, before, fresh})
	}
	return all
}

const empty = `# Findings that are known and accepted for a time: adconform run --baseline FILE.
# A finding that is not listed, or that shows in a case which its entry does not list,
# fails the run, and so does an entry that no longer occurs or that has expired.
version: 1
findings: []
`

// Save writes entries into a baseline file, which it creates if needed. An entry replaces the one for the
// same finding, or comes last. Entries of the findings that are gone are removed. Everything else in the
// file stays, comments too.
func Save(path string, entries []*Entry, gone ...string) error {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		data, err = []byte(empty), nil
	}
	if err != nil {
		return err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return err
	}
	list := value(doc.Content[0], "findings")
	if list.Kind != yaml.SequenceNode { // findings: without a value
		*list = yaml.Node{Kind: yaml.SequenceNode}
	}
	for _, e := range entries {
		var n yaml.Node
		if err := n.Encode(e); err != nil {
			return err
		}
		i := slices.IndexFunc(list.Content, func(n *yaml.Node) bool { return value(n, "finding").Value == e.Finding })
		if i < 0 {
			list.Content = append(list.Content, &n)
			continue
		}
		for k := 0; k < len(n.Content); k += 2 {
			old, now := value(list.Content[i], n.Content[k].Value), n.Content[k+1]
			now.HeadComment, now.LineComment, now.FootComment = old.HeadComment, old.LineComment, old.FootComment
			*old = *now
		}
	}
	list.Content = slices.DeleteFunc(list.Content, func(n *yaml.Node) bool { return slices.Contains(gone, value(n, "finding").Value) })
	if len(list.Content) > 0 {
		list.Style = 0 // no longer []
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := errors.Join(enc.Encode(&doc), enc.Close()); err != nil {
		return err
	}
	return report.RewriteFile(path, b.Bytes())
}

// value returns the value of a key in a mapping; it adds a missing key.
func value(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1]
		}
	}
	added := &yaml.Node{Kind: yaml.ScalarNode}
	mapping.Content = append(mapping.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, added)
	return added
}
