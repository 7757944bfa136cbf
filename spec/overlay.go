package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"gopkg.in/yaml.v3"
)

// LoadOverlays is Load with OpenAPI Overlay documents applied to openapi.yaml, in their order: the contract of a vendor
// with other wire names. An overlay must keep the x- extensions of what it renames.
func LoadOverlays(overlays ...Overlay) (*Contract, error) {
	original := Load()
	var root yaml.Node
	if err := yaml.Unmarshal(openapiYAML, &root); err != nil {
		return nil, err
	}
	for _, o := range overlays {
		if err := o.applyTo(root.Content[0]); err != nil {
			return nil, err
		}
	}
	file := strings.Join(namesOf(overlays), ", ")
	overlaid, err := yaml.Marshal(&root)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	c, err := newContract(overlaid)
	if err != nil {
		return nil, fmt.Errorf("%s: the overlaid document: %w", file, err)
	}
	c.Overlays = namesOf(overlays)
	c.adaptClauses()
	judged := c.statements()
	for _, s := range original.statements() {
		switch {
		case slices.Contains(judged, s):
		case strings.HasPrefix(s, "x-field"), strings.HasPrefix(s, "operation"): // effects are judged by it
			return nil,
				fmt.Errorf("%s: %s is gone; an overlay may rename, but must keep x-field and operationId", file, s)
		case !slices.Contains(c.TakenAway, s):
			c.TakenAway = append(c.TakenAway, s)
		}
	}
	return c, nil
}

func namesOf(overlays []Overlay) (files []string) {
	for _, o := range overlays {
		files = append(files, o.File)
	}
	return files
}

// statements lists what the contract judges, in words and in document order. An overlay that only renames keeps all
// statements of the original. A run with an overlay that removes or loosens one shows less than its clauses say.
func (c *Contract) statements() []string {
	var all statements
	for _, op := range c.Operations {
		all.addOperation(op)
	}
	return all
}

type statements []string

func (all *statements) add(format string, args ...any) {
	*all = append(*all, fmt.Sprintf(format, args...))
}

func (all *statements) addIf(holds bool, format string, args ...any) {
	if holds {
		all.add(format, args...)
	}
}

func (all *statements) addOperation(op *Operation) {
	all.add("operation %s", op.ID)
	all.add("%s of %s", op.Clause, op.ID)
	for _, effect := range sortedKeys(op.Effects) {
		all.add("%s (%s) of %s", op.Effects[effect], effect, op.ID)
	}
	for _, aspect := range []string{"missing", "nonVast"} {
		all.addIf(op.Open[aspect] == "", "what x-open lists as %s of %s", aspect, op.ID)
	}
	all.addIf(op.Holds != "", "x-holds of %s", op.ID)
	for _, p := range op.Params {
		all.addIf(!hasOpenType(p.IDs()), "the type %s of the id of %s in the path of %s",
			p.IDs().Type.Slice()[0], p.Object, op.ID)
		for _, key := range p.More {
			all.add("%s, a further object of %s", key, op.ID)
		}
	}
	all.addFields(op.Body, "the request of "+op.ID, "")
	envelope := ""
	if !op.Lists() {
		envelope = op.InEnvelope()
	}
	all.addFields(op.Success, "the success of "+op.ID, envelope)
	for _, status := range []int{204, 401, 403, 404, 422} {
		if r := op.Responses[fmt.Sprint(status)]; r != nil {
			all.add("the response %d of %s", status, op.ID)
			all.add("%s of the response %d", mark[string](r.Extensions, "x-clause"), status)
			all.addFields(op.bodies[fmt.Sprint(status)],
				fmt.Sprintf("the response %d", status), "")
		}
	}
}

// addFields adds what the schemas of an object's fields state, at any depth. The name of the envelope is not stated.
func (all *statements) addFields(o *Object, place, envelope string) {
	if o == nil {
		return
	}
	for _, f := range o.Fields {
		if f.Name != envelope {
			all.addField(f, f.Meaning+" in "+place)
			all.addFields(f.Items, place, envelope)
		}
		all.addFields(f.Object, place, envelope)
	}
}

func (all *statements) addField(f *Field, at string) {
	s := f.Schema
	isTyped := !hasOpenType(f.Schema)
	all.add("x-field: %s", at)
	all.addIf(len(f.Enum) > 0, "one of the %d values of %s", len(f.Enum), at)
	all.addIf(f.Clause != "", "%s of %s", f.Clause, at)
	all.addIf(f.Required, "required of %s", at)
	all.addIf(f.Type != "" && isTyped, "the type %s of %s", f.Type, at)
	all.addIf(s.Format != "" && isTyped, "the format %s of %s", s.Format, at)
	all.addIf(s.Pattern != "", "the pattern %s of %s", s.Pattern, at)
	all.addIf(s.MinLength > 0, "that it is not empty of %s", at)
	all.addIf(!s.Nullable, "that it is not null of %s", at)
	all.addIf(!f.Optional && !MarksOf(s).MayBeAbsent, "that it is present of %s", at)
	all.addIf(f.Stays, "that it stays of %s", at)
	all.addIf(f.Moves != MovesWhole, "that it does not change by itself of %s", at)
	all.addIf(f.Date, "that it is a date of %s", at)
	all.addIf(!f.Hostname, "that it is spelled as it was sent of %s", at)
}

// adaptClauses changes the clauses where the document differs from them and takes nothing away that the interface
// document says: a representation without an envelope, and ids that are texts.
func (c *Contract) adaptClauses() {
	for _, op := range c.Operations {
		if op.Representation() == nil || op.Lists() {
			continue
		}
		if op.IsBare() {
			envelope := MarksOf(op.Success.Schema).Clause
			c.Clauses = slices.DeleteFunc(c.Clauses,
				func(cl *Clause) bool { return cl.ID == envelope && envelope != op.Clause })
		}
		for _, f := range op.Representation().Fields {
			if cl := c.Clause(f.Clause); cl != nil && f.Type == openapi3.TypeString {
				cl.Text = strings.Replace(cl.Text, ", an integer.", ", a text.", 1)
			}
		}
	}
}
