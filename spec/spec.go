// Package spec is the contract: the OpenAPI document, the clauses that are
// judged, the points that are open, and the wire types. It knows nothing of the
// suite or of the reference.
package spec

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"
)

//go:embed openapi.yaml
var openapiYAML []byte

//go:embed clauses.yaml
var clausesYAML []byte

//go:embed open.yaml
var openYAML []byte

// Basis says why a check may judge.
type Basis string

// The four bases. A breach of a chosen clause is a notice, of any other a violation.
const (
	Stated    Basis = "stated"    // the interface document says it
	Published Basis = "published" // the publicly documented API says it
	Standard  Basis = "standard"  // an RFC says it
	Chosen    Basis = "chosen"    // no source requires it
)

// Bases lists the four in order of weight.
func Bases() []Basis { return []Basis{Stated, Published, Standard, Chosen} }

// Clause is one sentence of the contract that can be observed at the wire.
type Clause struct {
	ID        string `yaml:"id" json:"id"`
	Operation string `yaml:"operation" json:"operation"` // operationId or "all"
	Basis     Basis  `yaml:"basis" json:"basis"`
	Source    string `yaml:"source" json:"source"`
	Text      string `yaml:"text" json:"text"`
	Impact    Impact `yaml:"impact" json:"impact"`

	// The premise: the statuses of answers that can show that it holds, 200 for every 2xx; and why
	// it is not tested where none did.
	Seen  []int  `yaml:"seen" json:"-"`
	Unmet string `yaml:"unmet" json:"-"`
}

// Meaning says in words who says what the clause says.
func (c *Clause) Meaning() string {
	switch {
	case c.Basis == Stated:
		return "the interface document says it"
	case c.Basis == Published:
		return "the publicly documented API says it"
	case c.Basis == Standard:
		return "an RFC says it"
	case strings.HasPrefix(c.Source, "RFC"):
		return "an RFC says it, and no source of the interface requires it"
	}
	return "no source requires it"
}

// ShownBy says whether an answer with this status can show that the clause holds.
func (c *Clause) ShownBy(status int) bool {
	return c.Seen == nil || slices.Contains(c.Seen, status) || status/100 == 2 && slices.Contains(c.Seen, 200)
}

// Impact says how much it hurts that a clause is broken.
type Impact string

// The impacts, the worst first.
const (
	Critical Impact = "critical" // someone gets in, sees or changes what is not theirs, or data is lost
	Major    Impact = "major"    // the contract is broken for every client
	Minor    Impact = "minor"    // the rest: rare requests, what a refusal says, dates, what is open
)

// Impacts returns all impacts, the worst first.
func Impacts() []Impact { return []Impact{Critical, Major, Minor} }

// Relates says whether the clause is about several operations together, not about
// each of them.
func (c *Clause) Relates() bool { return c.ID == "OPEN-1" || c.ID == "OPEN-2" }

// HangsOnTiming says whether it hangs on timing that a clause is seen broken: then it
// fails no run, and that it is not seen again means nothing.
func HangsOnTiming(clause string) bool { return clause == "OPEN-7" }

// Contract is the loaded document with its clauses and open points.
type Contract struct {
	Document
	Clauses []Clause
	Open    []OpenPoint
	// TakenAway is what the overlay of a LoadOverlaid leaves unjudged of the embedded
	// contract, in words; empty where it only renames and adds.
	TakenAway []string

	clause map[string]*Clause
	open   map[string]*OpenPoint
}

var load = sync.OnceValues(func() (*Contract, error) { return New(openapiYAML, clausesYAML, openYAML) })

// Load returns the embedded contract. It is parsed once and must not be changed.
func Load() (*Contract, error) { return load() }

// OpenAPIFile is the path of openapi.yaml in the module.
const OpenAPIFile = "spec/openapi.yaml"

// OpenAPI returns the embedded OpenAPI document as written.
func OpenAPI() []byte { return bytes.Clone(openapiYAML) }

// New loads a contract from the three documents, strictly: an unknown key, a
// clause given twice or a mark that names no clause is an error.
func New(openapi, clauses, open []byte) (*Contract, error) {
	var lists struct {
		Clauses []Clause    `yaml:"clauses"`
		Open    []OpenPoint `yaml:"open"`
	}
	for _, part := range []struct {
		name string
		data []byte
	}{{"clauses.yaml", clauses}, {"open.yaml", open}} {
		dec := yaml.NewDecoder(bytes.NewReader(part.data))
		dec.KnownFields(true)
		if err := dec.Decode(&lists); err != nil {
			return nil, fmt.Errorf("%s: %w", part.name, err)
		}
	}
	c := &Contract{Clauses: lists.Clauses, Open: lists.Open, clause: map[string]*Clause{}, open: map[string]*OpenPoint{}}
	for i := range c.Clauses {
		cl := &c.Clauses[i]
		switch {
		case cl.Unmet != "":
		case cl.Operation == "all":
			cl.Unmet = "no answer showed it"
		default:
			cl.Seen, cl.Unmet = []int{200}, "no answer with success showed it"
		}
		if cl.Impact == "" {
			cl.Impact = Major
			if cl.Basis == Chosen {
				cl.Impact = Minor
			}
		}
		switch {
		case !slices.Contains(Bases(), cl.Basis):
			return nil, fmt.Errorf("clauses.yaml: %s has basis %q, want one of %v", cl.ID, cl.Basis, Bases())
		case !slices.Contains(Impacts(), cl.Impact):
			return nil, fmt.Errorf("clauses.yaml: %s has impact %q, want one of %v", cl.ID, cl.Impact, Impacts())
		case c.clause[cl.ID] != nil:
			return nil, fmt.Errorf("clauses.yaml: %s is given twice", cl.ID)
		}
		c.clause[cl.ID] = cl
	}
	for i := range c.Open {
		c.open[c.Open[i].ID] = &c.Open[i]
	}
	doc, err := parseDocument(openapi)
	if err != nil {
		return nil, fmt.Errorf("openapi.yaml: %w", err)
	}
	c.Document = *doc
	for _, op := range c.Operations {
		for _, id := range op.marks(c.Error) {
			if id != "" && c.clause[id] == nil {
				return nil, fmt.Errorf("openapi.yaml: x-clause %s of %s is not in clauses.yaml", id, op.ID)
			}
		}
		for _, id := range op.Open {
			if c.open[id] == nil {
				return nil, fmt.Errorf("openapi.yaml: x-open of %s names %s, which is not in open.yaml", op.ID, id)
			}
		}
	}
	return c, nil
}

// Clause returns the clause with this id, or nil.
func (c *Contract) Clause(id string) *Clause { return c.clause[id] }

// OpenPoint returns the open point with this id, or nil.
func (c *Contract) OpenPoint(id string) *OpenPoint { return c.open[id] }
