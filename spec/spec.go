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

	"github.com/speakeasy-api/openapi-overlay/pkg/overlay"
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

// Meaning says in words who says what has this basis.
func (b Basis) Meaning() string {
	switch b {
	case Stated:
		return "the interface document says it"
	case Published:
		return "the publicly documented API says it"
	case Standard:
		return "an RFC says it"
	}
	return "no source requires it"
}

// Meaning says in words who says what the clause says.
func (c *Clause) Meaning() string {
	if c.Basis == Chosen && strings.HasPrefix(c.Source, "RFC") {
		return "an RFC says it, and no source of the interface requires it"
	}
	return c.Basis.Meaning()
}

// Clause is one sentence of the contract that can be observed at the wire.
type Clause struct {
	ID        string `yaml:"id" json:"id"`
	Operation string `yaml:"operation" json:"operation"` // operationId or "all"
	Basis     Basis  `yaml:"basis" json:"basis"`
	Source    string `yaml:"source" json:"source"`
	Text      string `yaml:"text" json:"text"`
	Impact    Impact `yaml:"impact" json:"impact"`
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

// OpenPoint is something that the interface document leaves open.
type OpenPoint struct {
	ID        string `yaml:"id" json:"id"`
	Question  string `yaml:"question" json:"question"`
	Reference string `yaml:"reference" json:"reference"` // what the bundled reference chose
	Treatment string `yaml:"treatment" json:"treatment"` // observe, adopted or ignored
	Pin       string `yaml:"pin" json:"pin,omitempty"`   // key under open: in a target file
	Detail    string `yaml:"detail" json:"detail,omitempty"`
	// Answers to the question by the first or second word of what was observed.
	Answers map[string]string `yaml:"answers" json:"-"`
	// Sent are words for what was sent, by the first word of what was observed.
	Sent map[string]string `yaml:"sent" json:"-"`
}

// Answer is what a choice says to the question.
func (p *OpenPoint) Answer(choice string) string {
	for i, word := range strings.Fields(choice) {
		if text, ok := p.Answers[strings.Trim(word, ",")]; ok && i < 2 { // after the name of what was sent, perhaps
			return text
		}
	}
	if name, became, ok := strings.Cut(choice, " "); ok && p.Sent[strings.TrimSuffix(name, ":")] != "" {
		return p.Sent[strings.TrimSuffix(name, ":")] + ": " + became
	}
	return choice
}

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
	var c Contract
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
	c.Clauses, c.Open = lists.Clauses, lists.Open
	c.clause = map[string]*Clause{}
	for i := range c.Clauses {
		cl := &c.Clauses[i]
		switch cl.Basis {
		case Stated, Published, Standard, Chosen:
		default:
			return nil, fmt.Errorf("clauses.yaml: %s has basis %q, want stated, published, standard or chosen", cl.ID, cl.Basis)
		}
		switch {
		case c.clause[cl.ID] != nil:
			return nil, fmt.Errorf("clauses.yaml: %s is given twice", cl.ID)
		case cl.Impact == "" && cl.Basis == Chosen:
			cl.Impact = Minor
		case cl.Impact == "":
			cl.Impact = Major
		case !slices.Contains(Impacts(), cl.Impact):
			return nil, fmt.Errorf("clauses.yaml: %s has impact %q, want critical, major or minor", cl.ID, cl.Impact)
		}
		c.clause[cl.ID] = cl
	}
	c.open = map[string]*OpenPoint{}
	for i := range c.Open {
		c.open[c.Open[i].ID] = &c.Open[i]
	}
	doc, err := parseDocument(openapi)
	if err != nil {
		return nil, fmt.Errorf("openapi.yaml: %w", err)
	}
	c.Document = *doc
	for _, id := range c.marks() {
		if c.clause[id] == nil {
			return nil, fmt.Errorf("openapi.yaml: x-clause %s is not in clauses.yaml", id)
		}
	}
	return &c, nil
}

// Clause returns the clause with this id, or nil.
func (c *Contract) Clause(id string) *Clause { return c.clause[id] }

// OpenPoint returns the open point with this id, or nil.
func (c *Contract) OpenPoint(id string) *OpenPoint { return c.open[id] }

// LoadOverlaid is Load with an OpenAPI Overlay document applied to openapi.yaml:
// the contract of a vendor whose wire names differ. The overlay has to keep the
// x- marks of what it renames; file is its name, for errors.
func LoadOverlaid(data []byte, file string) (*Contract, error) {
	overlaid, err := Overlay(openapiYAML, data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	c, err := New(overlaid, clausesYAML, openYAML)
	if err != nil {
		return nil, fmt.Errorf("%s: the overlaid document: %w", file, err)
	}
	if err := c.complete(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return c, nil
}

// Overlay applies an Overlay document (OpenAPI Initiative, Overlay 1.0) to an
// OpenAPI document. An action whose target selects nothing is an error.
func Overlay(openapi, data []byte) ([]byte, error) {
	var o overlay.Overlay
	dec := yaml.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&o); err != nil {
		return nil, fmt.Errorf("no Overlay document: %s", oneLine(err))
	}
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("no Overlay document: %s", oneLine(err))
	}
	var root yaml.Node
	if err := yaml.Unmarshal(openapi, &root); err != nil {
		return nil, err
	}
	if err, _ := o.ApplyToStrict(&root); err != nil {
		return nil, fmt.Errorf("%s", oneLine(err))
	}
	return yaml.Marshal(&root)
}

// complete checks that an overlaid document still has what effects are judged
// by: each meaning of the embedded document, in each operation.
func (c *Contract) complete() error {
	original, err := Load()
	if err != nil {
		return err
	}
	for _, op := range original.Operations {
		mine := c.Operation(op.ID)
		if mine == nil {
			return fmt.Errorf("operation %s is gone; an overlay may rename, not remove", op.ID)
		}
		for _, pair := range [][2]*Object{{op.Body, mine.Body}, {op.Success, mine.Success}, {original.Error, c.Error}} {
			if err := pair[1].hasAll(pair[0]); err != nil {
				return fmt.Errorf("%s: %w", op.ID, err)
			}
		}
	}
	c.TakenAway = c.takenAway(original)
	for _, op := range c.Operations {
		for _, id := range op.Open {
			if c.open[id] == nil {
				return fmt.Errorf("%s: x-open names %s, which is not in open.yaml", op.ID, id)
			}
		}
	}
	return nil
}

// hasAll checks that each meaning of another object has a property, at any depth.
func (o *Object) hasAll(other *Object) error {
	if other == nil {
		return nil
	}
	for _, f := range other.Fields {
		mine := o.Field(f.Meaning)
		if mine == nil {
			return fmt.Errorf("no property has x-field: %s; keep the mark when you rename %s", f.Meaning, f.Name)
		}
		if len(mine.Enum) != len(f.Enum) {
			return fmt.Errorf("%s lists %d values, want %d, in the order of the original", mine.Name, len(mine.Enum), len(f.Enum))
		}
		if err := mine.Object.hasAll(f.Object); err != nil {
			return err
		}
		if err := mine.Items.hasAll(f.Items); err != nil {
			return err
		}
	}
	return nil
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
