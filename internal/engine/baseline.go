package engine

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/internal/yamlfile"
	"github.com/adconform/adconform/suites/report"
)

// A Baseline is a file of accepted findings.
type Baseline struct {
	File    string
	Entries []*Entry
}

// An Entry accepts one finding, at the places and in the cases that it lists. An entry without cases accepts a
// finding that comes and goes: it may appear in any case, or not at all.
type Entry struct {
	Finding string   `yaml:"finding"` // its cause in words
	Reason  string   `yaml:"reason"`
	At      []string `yaml:"at"` // operation, clause, check and place
	Cases   []string `yaml:"cases,omitempty"`
}

const header = `# Accepted findings: adconform run --baseline FILE does not fail for them.
# adconform baseline writes this file anew. Comments are not kept: reason is the place for them.
`

// Load reads a baseline. If the file does not exist, it returns an empty one and fs.ErrNotExist.
func Load(path string) (*Baseline, error) {
	b := &Baseline{File: path}
	data, err := wording.ReadText(path, 16)
	if errors.Is(err, fs.ErrNotExist) {
		return b, fmt.Errorf("%s: %w; adconform baseline with --reason writes one", path, err)
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w; name a baseline", path, err)
	}
	_, mistake := yamlfile.Read(data)
	if mistake == nil {
		d := yaml.NewDecoder(bytes.NewReader(yamlfile.Plain(data)))
		d.KnownFields(true)
		if err := d.Decode(&b.Entries); err != nil && !errors.Is(err, io.EOF) {
			mistake = yamlfile.MistakeOf(err, data)
		}
	}
	if mistake != nil {
		text, _, _ := strings.Cut(mistake.Text, " in type ") // a type of Go follows
		text, _, _ = strings.Cut(text, " into ")
		return nil, fmt.Errorf("%s:%d: %s; adconform baseline writes a list of entries: finding, reason, at and cases",
			path, mistake.Line, text)
	}
	for i, e := range b.Entries {
		if e == nil || e.Finding == "" || len(e.At) == 0 || strings.TrimSpace(e.Reason) == "" {
			return nil, fmt.Errorf("%s: entry %d lacks finding, at or reason: adconform baseline writes them",
				path, i+1)
		}
		if e.Finding = finding.PresentWords(e.Finding); b.entry(e.Finding) != e {
			return nil, fmt.Errorf("%s: entry %d is a second one for %q: remove one", path, i+1, e.Finding)
		}
	}
	return b, nil
}

// Save writes the baseline, following a symbolic link and keeping the file's mode.
func (b *Baseline) Save() error {
	out := bytes.NewBufferString(header)
	enc := yaml.NewEncoder(out)
	enc.SetIndent(2)
	if err := errors.Join(enc.Encode(b.Entries), enc.Close()); err != nil {
		return err
	}
	return os.WriteFile(b.File, out.Bytes(), 0o644)
}

// entry returns the entry for a finding with these words, or nil.
func (b *Baseline) entry(words string) *Entry {
	for _, e := range b.Entries {
		if e.Finding == words {
			return e
		}
	}
	return nil
}

// newCases returns the cases in which the entry does not accept its finding: all of them if the finding
// appears at a place that the entry does not list.
func (e *Entry) newCases(f *report.Finding) []string {
	if len(without(places(f), e.At)) > 0 {
		return f.Cases
	}
	if len(e.Cases) == 0 {
		return nil
	}
	return without(steady(f), e.Cases)
}

// steady returns the cases in which a finding appears in every run: not those of random sequences, which
// depend on the seed, and none if it depends on timing.
func steady(f *report.Finding) []string {
	return slices.DeleteFunc(slices.Clone(f.Cases), func(id string) bool {
		return f.Timing || strings.Contains(id, "/"+judge.ClassRandom+"/")
	})
}

// places returns where a finding appears.
func places(f *report.Finding) (all []string) {
	for _, c := range f.At {
		all = append(all, c.String())
	}
	return all
}

// without returns the items that are not among others.
func without(all, others []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(s string) bool { return slices.Contains(others, s) })
}

// gone reports whether a run carried out all cases of the entry and did not find its finding. A run of less
// depth lacks some of them, and no run has the cases of recorded traffic.
func (e *Entry) gone(r *report.Report) bool {
	found := slices.ContainsFunc(r.Findings, func(f report.Finding) bool { return f.CauseWords == e.Finding })
	return !found && len(e.Cases) > 0 && r.Ran(e.Cases)
}

// Apply marks the findings of a report that the baseline accepts, and reports entries that are out of date.
func (b *Baseline) Apply(r *report.Report) {
	if b == nil {
		return
	}
	r.Baseline = &report.Baseline{File: b.File, Stale: []string{}}
	for i := range r.Findings {
		f := &r.Findings[i]
		if e := b.entry(f.CauseWords); e != nil {
			if f.NewCases = e.newCases(f); len(f.NewCases) == 0 {
				f.Known = e.Reason
				r.Baseline.Known++
			}
		}
	}
	for _, e := range b.Entries {
		if e.gone(r) {
			r.Baseline.Stale = append(r.Baseline.Stale, e.Finding)
		}
	}
}

// Update makes the baseline accept, for a reason, the findings that fail the run of a report, and removes those
// that the run tested for and did not find. Entries keep their own reasons. Without a reason, Update accepts
// nothing more. It returns a line for each finding that it accepts, removes or leaves, and whether there is anything
// to save.
func (b *Baseline) Update(r *report.Report, reason string) (lines []string, changed bool) {
	var left []string
	for i := range r.Findings {
		f := &r.Findings[i]
		e := b.entry(f.CauseWords)
		switch {
		case !f.Fails && f.Known == "", e != nil && len(e.newCases(f)) == 0:
			continue
		case reason == "":
			left = append(left, "not accepted without --reason: "+f.Title)
			continue
		case e == nil:
			e = &Entry{Finding: f.CauseWords, Reason: reason, Cases: steady(f)}
			b.Entries = append(b.Entries, e)
		case len(e.Cases) > 0:
			e.Cases = append(e.Cases, without(steady(f), e.Cases)...)
		}
		e.At = append(e.At, without(places(f), e.At)...)
		lines = append(lines, "accepted: "+f.Title)
	}
	b.Entries = slices.DeleteFunc(b.Entries, func(e *Entry) bool {
		if !e.gone(r) {
			return false
		}
		lines = append(lines, "removed: "+e.Finding)
		return true
	})
	return append(lines, left...), len(lines) > 0
}
