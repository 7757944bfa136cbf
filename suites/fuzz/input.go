// Package fuzz makes requests that no list has: the contract's own valid request with
// mutations, each of a class with a name. Every part of a request has a grammar of
// its own: path.go, query.go, method.go, header.go, key.go, text.go, json.go, framing.go and
// sequence.go. Package play sends them.
package fuzz

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/adconform/adconform/spec"
)

// Input is a request as it differs from the valid one of its operation. It names no target,
// so that it can be kept and sent to another.
type Input struct {
	Operation string     `json:"operation"`
	Mutations []Mutation `json:"mutations"`
}

// Mutation is one difference, of a class.
type Mutation struct {
	Class string // path/dot-segment
	Text  string // what the class puts into the request; any bytes
	N     int    // how often, how large, or in which place, as the class has it
}

// mutation is a Mutation in JSON, which holds no bytes that are not UTF-8.
type mutation struct {
	Class string `json:"class"`
	Text  string `json:"text,omitempty"`
	Bytes []byte `json:"bytes,omitempty"`
	N     int    `json:"n,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (m Mutation) MarshalJSON() ([]byte, error) {
	if !utf8.ValidString(m.Text) {
		return json.Marshal(mutation{m.Class, "", []byte(m.Text), m.N})
	}
	return json.Marshal(mutation{m.Class, m.Text, nil, m.N})
}

// UnmarshalJSON implements json.Unmarshaler.
func (m *Mutation) UnmarshalJSON(text []byte) error {
	var in mutation
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	*m = Mutation{in.Class, in.Text + string(in.Bytes), in.N}
	return nil
}

// Read reads an input as [Input.String] writes it. It is an error where the contract has no
// such operation, nobody knows the class, or the class would not send that: what reports and
// files of others say is sent to no other object, and with no other method, than the class does.
func Read(contract *spec.Contract, text string) (Input, error) {
	var in Input
	if err := json.Unmarshal([]byte(text), &in); err != nil {
		return in, fmt.Errorf("it is no input of fuzz: %w", err)
	}
	op := contract.Operation(in.Operation)
	if op == nil {
		return in, fmt.Errorf("the contract has no operation %q", in.Operation)
	}
	if len(in.Mutations) == 0 {
		return in, fmt.Errorf("it has no mutation")
	}
	for _, m := range in.Mutations {
		c := classes[m.Class]
		if c == nil || !c.appliesTo(op) {
			return in, fmt.Errorf("%s has no class %q", op.ID, m.Class)
		}
		if !c.has(m.Text) {
			return in, fmt.Errorf("%s has no text %q", m.Class, m.Text)
		}
		if least, most := c.bounds(); m.N < least || m.N > most {
			return in, fmt.Errorf("%s: n is %d, want %d to %d", m.Class, m.N, least, most)
		}
	}
	return in, nil
}

// String is the input in one line.
func (in Input) String() string {
	text, err := json.Marshal(in)
	if err != nil {
		panic(err) // it holds nothing that cannot be encoded
	}
	return string(text)
}

// Class is the id of its class, of the last mutation where there are several: the others are
// those that are sent first.
func (in Input) Class() string { return in.Mutations[len(in.Mutations)-1].Class }

// isOf says whether it is for one of some operations.
func (in Input) isOf(ops []*spec.Operation) bool {
	return slices.ContainsFunc(ops, func(op *spec.Operation) bool { return op.ID == in.Operation })
}

// Apart says whether it goes to unknown ids.
func (in Input) Apart() bool {
	return slices.ContainsFunc(in.Mutations, func(m Mutation) bool { return classes[m.Class].apart })
}

// Writes says whether it may ask for a change whatever its operation is.
func (in Input) Writes() bool {
	return slices.ContainsFunc(in.Mutations, func(m Mutation) bool { return classes[m.Class].writes() })
}

// Words say what is odd about it.
func (in Input) Words() string {
	var all []string
	for _, m := range in.Mutations {
		all = append(all, classes[m.Class].words)
	}
	return strings.Join(all, ", and ")
}

// class is one kind of difference.
type class struct {
	id    string
	words string                     // what it is: "dot segments in the path"
	of    func(*spec.Operation) bool // nil: every operation
	texts []string                   // which are sent in turn before any are drawn; none: ""
	names []string                   // of headers or parameters, of which each gets each text; N says which
	sizes []int                      // likewise
	most  int                        // of a size that is drawn; 0: none is

	// apart goes to unknown ids: it may reach another object, or do something else, than is
	// named.
	apart bool
	// malformed is no valid HTTP, or more than a server need take.
	malformed bool
	formless  bool  // an error need not have its form: it may come from before the operation
	right     []int // 5xx that a conforming server may answer
	quiet     bool  // most servers do not look at it, so that it may come beside another
	plain     bool  // every run sends it; with an odd header beside it, it may be let in
	adds      bool  // several of its texts can stand in one request

	fields func(*spec.Field) bool // of a body that its text can stand in; nil: none

	change func(d *draft, text string, n int)
}

// family is the part of a request that a class changes.
func (c *class) family() string { return familyOf(c.id) }

func familyOf(class string) string {
	name, _, _ := strings.Cut(class, "/")
	return name
}

func (c *class) appliesTo(op *spec.Operation) bool { return c.of == nil || c.of(op) }

// early says whether servers mostly read it before they know the operation, so that one is as good as
// another.
func (c *class) early() bool {
	return slices.Contains([]string{"header", "key", "framing", "method"}, c.family())
}

// writes says whether it may ask for a change whatever its operation is: by its method.
func (c *class) writes() bool {
	return c.apart && (c.family() == "method" || c.id == "header/method-override-writing")
}

// variants is how many differences of the class there are before any are drawn.
func (c *class) variants() int { return max(1, len(c.texts)*max(1, len(c.names)), len(c.sizes)) }

// bounds are those of N: of the sizes, where it is one.
func (c *class) bounds() (least, most int) {
	if len(c.sizes) == 0 {
		return 0, math.MaxInt
	}
	return slices.Min(c.sizes), max(c.most, slices.Max(c.sizes))
}

// has says whether a text is one of its texts, or a part of one where parts will do; where several
// stand together, any.
func (c *class) has(text string) bool {
	return c.joins() || len(c.texts) == 0 && text == "" ||
		slices.ContainsFunc(c.texts, func(listed string) bool { return text == listed || !c.whole() && strings.Contains(listed, text) })
}

// middle is the variant that is sent first: at the begin of the lists is what is hardly odd, at the
// end what is huge.
func (c *class) middle() int { return c.variants() / 2 }

// families stand in the order in which their mutations are made.
var families = []string{"key", "method", "path", "query", "header", "text", "json", "body", "framing", "sequence"}

// catalogue are all classes, by family.
var catalogue = slices.Concat(
	keyClasses, methodClasses, pathClasses, queryClasses, headerClasses, textClasses, jsonClasses, bodyClasses, framingClasses,
	sequenceClasses,
)

var classes = byID(catalogue)

func byID(all []*class) map[string]*class {
	of := map[string]*class{}
	for _, c := range all {
		if of[c.id] != nil || !slices.Contains(families, c.family()) {
			panic("fuzz: class " + c.id + " is there twice, or of no family")
		}
		of[c.id] = c
	}
	return of
}

// Families are the parts of a request that classes change.
func Families() []string { return slices.Clone(families) }

// Applies says whether an operation has requests of a family.
func Applies(op *spec.Operation, family string) bool {
	return slices.ContainsFunc(catalogue, func(c *class) bool { return c.family() == family && c.appliesTo(op) })
}

func updates(op *spec.Operation) bool { return op.Updates() }

func bodiless(op *spec.Operation) bool { return !op.Updates() }

// reads are operations that change nothing, wherever their path leads.
func reads(op *spec.Operation) bool { return op.Reads() || op.Lists() }
