package spec

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/adconform/adconform/internal/wording"
)

//go:embed editions/*.yaml
var editionFiles embed.FS

// Edition says what counts in a run. Clauses, checks and cases are frozen once it is
// published; Provisional and Contested only grow, as both make less count.
type Edition struct {
	Name    string           `yaml:"edition"`
	Clauses map[string]Basis `yaml:"clauses"`
	Checks  []string         `yaml:"checks"`
	Cases   Digests          `yaml:"cases"`
	// Provisional are clauses, checks and cases that came later, or of which that is doubted,
	// with the day since when. They count in a later edition, if at all.
	Provisional map[string]string `yaml:"provisional"`
	// Contested are clauses that somebody has challenged with success.
	Contested map[string]Contest `yaml:"contested"`

	all Editions
}

// Digests are of what cases mean, by id. They are lines of one text, which is read faster
// than a map: each start of the program reads it.
type Digests map[string]string

// UnmarshalYAML implements yaml.Unmarshaler.
func (d *Digests) UnmarshalYAML(n *yaml.Node) error {
	var text string
	if err := n.Decode(&text); err != nil {
		return err
	}
	*d = Digests{}
	for line := range strings.Lines(text) {
		id, digest, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			return fmt.Errorf("cases: line %q: want an id and a digest", strings.TrimSpace(line))
		}
		(*d)[id] = digest
	}
	return nil
}

// Contest is why a clause is contested, and where that was said.
type Contest struct {
	Reason string `yaml:"reason" json:"reason"`
	Link   string `yaml:"link" json:"link"`
}

// Standing says why something does not count in an edition. That of what counts is zero.
type Standing struct {
	Provisional string `json:"provisional,omitempty"` // since when
	Contested   string `json:"contested,omitempty"`   // why, and where that was said
	Ignored     string `json:"ignored,omitempty"`     // why the operator does not ask for it; of findings
}

// Counts says whether it does.
func (s Standing) Counts() bool { return s == Standing{} }

// Why says why it does not: "provisional since 2026-12"; "" where it counts.
func (s Standing) Why() string {
	switch {
	case s.Provisional != "":
		return "provisional " + s.Provisional
	case s.Contested != "":
		return "contested: " + s.Contested
	}
	return s.Ignored
}

// Editions are all, the oldest first.
type Editions []*Edition

var loadEditions = sync.OnceValue(func() Editions {
	folder, err := fs.Sub(editionFiles, "editions")
	if err != nil {
		panic(err) // it is part of the program, as its files are
	}
	all, err := ReadEditions(folder)
	if err != nil {
		panic(err)
	}
	return all
})

// LoadEditions are the editions of the contract. They are parsed once and must not be changed.
func LoadEditions() Editions { return loadEditions() }

// NewestEdition is the newest of them.
func NewestEdition() *Edition { return LoadEditions().Newest() }

// ReadEditions reads each NAME.yaml of a folder, strictly.
func ReadEditions(folder fs.FS) (Editions, error) {
	names, err := fs.Glob(folder, "*.yaml")
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no editions: want NAME.yaml")
	}
	var all Editions
	for _, name := range names { // in order
		data, err := fs.ReadFile(folder, name)
		if err != nil {
			return nil, err
		}
		e := &Edition{}
		dec := yaml.NewDecoder(bytes.NewReader(data))
		dec.KnownFields(true)
		if err := dec.Decode(e); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if e.Name+".yaml" != name || len(e.Clauses) == 0 || len(e.Cases) == 0 {
			return nil, fmt.Errorf("%s: want an edition of that name, with clauses and cases", name)
		}
		all = append(all, e)
	}
	for _, e := range all {
		e.all = all
	}
	return all, nil
}

// Newest is the edition that holds where none is asked for.
func (all Editions) Newest() *Edition { return all[len(all)-1] }

// Names are those of all, the oldest first.
func (all Editions) Names() (names []string) {
	for _, e := range all {
		names = append(names, e.Name)
	}
	return names
}

// Find returns the edition with a name, or nil.
func (all Editions) Find(name string) *Edition {
	for _, e := range all {
		if e.Name == name {
			return e
		}
	}
	return nil
}

// Since is the first edition that has a clause, check or case, and "" where none has.
func (all Editions) Since(id string) string {
	for _, e := range all {
		if e.has(id) {
			return e.Name
		}
	}
	return ""
}

// IsNewest says whether no later edition is known.
func (e *Edition) IsNewest() bool { return e == e.all.Newest() }

// NewestName is the name of the newest edition.
func (e *Edition) NewestName() string { return e.all.Newest().Name }

func (e *Edition) has(id string) bool {
	_, clause := e.Clauses[id]
	_, known := e.Cases[id]
	return clause || known || slices.Contains(e.Checks, id)
}

// Standing is that of a clause or check; an edition that is nil counts all. What no
// edition knows is the vendor's own, from a document that adds to the contract, and counts.
func (e *Edition) Standing(id string) Standing {
	if e == nil {
		return Standing{}
	}
	contest, contested := e.Contested[id]
	since, provisional := e.Provisional[id]
	first := e.all.Since(id)
	switch {
	case provisional:
		return Standing{Provisional: "since " + since}
	case !e.has(id) && first > e.Name:
		return Standing{Provisional: "since " + first}
	case !e.has(id) && first != "":
		return Standing{Provisional: "since " + e.Name + ", which leaves it out"}
	case first == "" && e.all.provisional(id) != "":
		return Standing{Provisional: "since " + e.all.provisional(id)}
	case contested:
		return Standing{Contested: contest.Reason + " (" + contest.Link + ")"}
	}
	return Standing{}
}

// provisional is since when an edition lists something that none of them counts.
func (all Editions) provisional(id string) string {
	for _, e := range all {
		if since := e.Provisional[id]; since != "" {
			return since
		}
	}
	return ""
}

// Basis is that of a clause: one that was no requirement in an edition is none of it.
func (e *Edition) Basis(c *Clause) Basis {
	if e != nil && e.Clauses[c.ID] == Chosen {
		return Chosen
	}
	return c.Basis
}

// Case is the standing of a case of an operation. The n-th container of a target file has
// a case like that of the first, and a field that an overlay renames that of its meaning.
func (e *Edition) Case(op *Operation, id string) Standing {
	if e == nil {
		return Standing{}
	}
	return e.Standing(e.all.Listed(op, id))
}

var numbered = regexp.MustCompile(`-[0-9]+$`)

// Listed is the id under which editions list a case of an operation.
func (all Editions) Listed(op *Operation, id string) string {
	if all.knows(id) {
		return id
	}
	prefix, name := path.Split(id)
	if op != nil && op.Body != nil {
		for _, f := range op.Body.Fields {
			if rest, ok := strings.CutPrefix(name, wording.Slug(f.Name)+"-"); ok && f.Name != f.Meaning {
				id = prefix + wording.Slug(f.Meaning) + "-" + rest
			}
		}
	}
	if stem := numbered.ReplaceAllString(id, ""); !all.knows(id) && stem != id {
		for _, e := range all {
			for other := range e.Cases {
				if numbered.ReplaceAllString(other, "") == stem && numbered.MatchString(other) {
					return other
				}
			}
		}
	}
	return id
}

func (all Editions) knows(id string) bool { return all.Since(id) != "" || all.provisional(id) != "" }
