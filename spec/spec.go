// Package spec provides the contract: the OpenAPI document, the clauses that are
// judged, the open points, and the wire types. It knows nothing about the suite
// or the reference.
package spec

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
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

// The four bases, as Meaning explains them. A breach of a chosen clause is a notice, of any other a violation.
const (
	Stated    Basis = "stated"
	Published Basis = "published"
	Standard  Basis = "standard"
	Chosen    Basis = "chosen"
)

// Bases returns the four bases in order of weight.
func Bases() []Basis { return []Basis{Stated, Published, Standard, Chosen} }

// Clause is one sentence of the contract that can be observed on the wire.
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

// Meaning describes the source of the clause.
func (c *Clause) Meaning() string {
	return map[Basis]string{
		Stated:    "the interface document says it",
		Published: "the publicly documented API says it",
		Standard:  "an RFC says it",
		Chosen:    "no source of the interface requires it",
	}[c.Basis]
}

// ShownBy reports whether an answer with this status can show that the clause holds.
func (c *Clause) ShownBy(status int) bool {
	return c.Seen == nil || slices.Contains(c.Seen, status) ||
		status/100 == 2 && slices.Contains(c.Seen, 200)
}

// Impact says how bad a breach of a clause is.
type Impact string

// The impacts, worst first.
const (
	Critical Impact = "critical" // someone gets in, sees or changes what is not theirs, or data is lost
	Major    Impact = "major"    // the contract is broken for every client
	Minor    Impact = "minor"    // the rest: rare requests, the contents of refusals, dates, open points
)

// Impacts returns all impacts, worst first.
func Impacts() []Impact { return []Impact{Critical, Major, Minor} }

// Relates reports whether the clause is about several operations together, not about
// each of them.
func (c *Clause) Relates() bool { return c.ID == "OPEN-1" || c.ID == "OPEN-2" }

// HangsOnTiming reports whether a breach of a clause may depend on timing: then it fails no run, and
// may not recur.
func HangsOnTiming(clause string) bool { return clause == "OPEN-7" || clause == "OPEN-13" }

// Contract is the OpenAPI document in the form from which the suite plans, with the clauses and open points.
type Contract struct {
	OpenAPI    *openapi3.T
	Operations []*Operation // in document order
	Error      *Object      // the body of 401, 403, 404 and 422
	Clauses    []*Clause
	Open       []*OpenPoint
	// TakenAway lists in words what is not judged with the overlay of LoadOverlays. It is empty
	// for one that only renames and adds.
	TakenAway []string
	Overlays  []string // their files, in the order in which they were applied
}

var load = sync.OnceValue(func() *Contract {
	c, err := newContract(openapiYAML)
	if err != nil {
		panic(err) // it is embedded
	}
	return c
})

// Load returns the embedded contract. It is parsed once and must not be changed.
func Load() *Contract { return load() }

// OpenAPI returns the embedded OpenAPI document as written.
func OpenAPI() []byte { return bytes.Clone(openapiYAML) }

// newContract loads an OpenAPI document, which may be an overlaid one, with the embedded lists.
func newContract(openapi []byte) (*Contract, error) {
	c := &Contract{}
	for _, list := range [][]byte{clausesYAML, openYAML} {
		if err := c.readList(list); err != nil {
			return nil, err
		}
	}
	for _, cl := range c.Clauses {
		cl.complete()
	}
	if err := c.readDocument(openapi); err != nil {
		return nil, fmt.Errorf("openapi.yaml: %w", err)
	}
	for _, op := range c.Operations {
		if err := c.checkNames(op); err != nil {
			return nil, fmt.Errorf("openapi.yaml: %w", err)
		}
	}
	return c, nil
}

// readList reads the clauses or the open points.
func (c *Contract) readList(list []byte) error {
	dec := yaml.NewDecoder(bytes.NewReader(list))
	dec.KnownFields(true)
	return dec.Decode(&struct {
		Clauses *[]*Clause
		Open    *[]*OpenPoint
	}{&c.Clauses, &c.Open})
}

// complete sets what clauses.yaml leaves out.
func (c *Clause) complete() {
	switch {
	case c.Unmet != "":
	case c.Operation == "all":
		c.Unmet = "no answer could show it"
	default:
		c.Seen = []int{200}
		c.Unmet = "no success could show it"
	}
	switch {
	case c.Impact != "":
	case c.Basis == Chosen:
		c.Impact = Minor
	default:
		c.Impact = Major
	}
}

// checkNames returns an error if an operation names a clause or an open point that does not exist.
func (c *Contract) checkNames(op *Operation) error {
	for _, id := range op.marks(c.Error) {
		if id != "" && c.Clause(id) == nil {
			return fmt.Errorf("x-clause %s of %s is not in clauses.yaml", id, op.ID)
		}
	}
	for _, id := range op.Open {
		if c.OpenPoint(id) == nil {
			return fmt.Errorf("x-open of %s names %s, which is not in open.yaml", op.ID, id)
		}
	}
	return nil
}

// Clause returns the clause with this id, or nil.
func (c *Contract) Clause(id string) *Clause {
	return find(c.Clauses, func(cl *Clause) bool { return cl.ID == id })
}

// BasesOf returns the bases of clauses, in order of weight.
func (c *Contract) BasesOf(clauses []string) []Basis {
	return slices.DeleteFunc(Bases(), func(b Basis) bool {
		isCited := func(cl *Clause) bool {
			return cl.Basis == b && slices.Contains(clauses, cl.ID)
		}
		return !slices.ContainsFunc(c.Clauses, isCited)
	})
}

// OpenPoint returns the open point with this id, or nil.
func (c *Contract) OpenPoint(id string) *OpenPoint {
	return find(c.Open, func(p *OpenPoint) bool { return p.ID == id })
}
