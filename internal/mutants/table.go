package mutants

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/adconform/adconform/spec"
)

// Entry is a reason why mutants are not killed.
type Entry struct {
	Reason string   // why no request of the five operations can show them
	Open   []string // the points of spec/open.yaml that they change
	Missed bool     // they break the contract, and the suite does not see it
	Places []Place
}

// Place has the mutants of a file, of a function, or of lines of a function.
type Place struct {
	File     string
	Function string // all of the file when empty
	Lines    []Line
}

// Line is one as Mutant.Before has it.
type Line struct {
	Line    string
	Becomes []string // as Mutant.After has it; any when empty
	Nth     int      // of several with the same line and change in a function, from 1; 0 is all
}

//go:embed table.yaml
var tableFile []byte

// Table is the reviewed table of mutants that are not killed.
func Table() ([]Entry, error) { return parseTable(tableFile) }

func parseTable(text []byte) (all []Entry, err error) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(&all); err != nil {
		return nil, fmt.Errorf("table.yaml: %w", err)
	}
	contract, err := spec.Load()
	if err != nil {
		return nil, err
	}
	for _, e := range all {
		if e.Reason == "" || len(e.Places) == 0 {
			return nil, fmt.Errorf("table.yaml: %q: want a reason and places", e.Reason)
		}
		for _, p := range e.Places {
			if p.File == "" || p.Function == "" && len(p.Lines) > 0 {
				return nil, fmt.Errorf("table.yaml: %s %s: want a file, and a function where there are lines", p.File, p.Function)
			}
		}
		for _, id := range e.Open {
			if !slices.ContainsFunc(contract.Open, func(o spec.OpenPoint) bool { return o.ID == id }) {
				return nil, fmt.Errorf("table.yaml: %s: no open point %q in spec/open.yaml", e.Reason, id)
			}
		}
	}
	return all, nil
}

// row is what one key of the table stands for.
type row struct {
	entry   *Entry
	file    string
	in      string // a function; "" for all
	line    string
	becomes string
	nth     int
}

func (r row) String() string {
	text := strings.TrimSpace(r.file + " " + r.in)
	if r.line != "" {
		text += fmt.Sprintf(": %q", r.line)
	}
	if r.becomes != "" {
		text += fmt.Sprintf(" becomes %q", r.becomes)
	}
	return text
}

func (r row) has(m *Mutant, nth int) bool {
	return m.File == r.file && (r.in == "" || r.in == m.Function) &&
		(r.line == "" || r.line == m.Before) && (r.becomes == "" || r.becomes == m.After) && (r.nth == 0 || r.nth == nth)
}

func rows(table []Entry) (all []row) {
	for i := range table {
		for _, p := range table[i].Places {
			r := row{entry: &table[i], file: p.File, in: p.Function}
			if len(p.Lines) == 0 {
				all = append(all, r)
			}
			for _, l := range p.Lines {
				r.line, r.becomes, r.nth = l.Line, "", l.Nth
				if len(l.Becomes) == 0 {
					all = append(all, r)
				}
				for _, r.becomes = range l.Becomes {
					all = append(all, r)
				}
			}
		}
	}
	return all
}

// listed are the entries of the table by the ids of the mutants that they are about, and
// what is wrong with the table: a key that no mutant has, or a mutant that has two.
func listed(table []Entry, all []*Mutant) (entries map[string]*Entry, problems []string) {
	entries = map[string]*Entry{}
	nth, same := make([]int, len(all)), map[[4]string]int{}
	for i, m := range all {
		key := [4]string{m.File, m.Function, m.Before, m.After}
		same[key]++
		nth[i] = same[key]
	}
	for _, r := range rows(table) {
		found := false
		for i, m := range all {
			if !r.has(m, nth[i]) {
				continue
			}
			found = true
			if entries[m.ID] != nil {
				problems = append(problems, fmt.Sprintf("%s: %s is in the table twice", r, m.ID))
			}
			entries[m.ID] = r.entry
		}
		if !found {
			problems = append(problems, fmt.Sprintf("%s: no mutant is like that: the line or the change is gone; "+
				"write the line in internal/mutants/table.yaml as it is now, or take it out", r))
		}
	}
	return entries, problems
}
