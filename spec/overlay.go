package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/speakeasy-api/openapi-overlay/pkg/overlay"
	"gopkg.in/yaml.v3"

	"github.com/adconform/adconform/internal/wording"
)

// LoadOverlaid is Load with an OpenAPI Overlay document applied to openapi.yaml:
// the contract of a vendor with other wire names. The overlay must keep the x-
// extensions of what it renames; file is its name, for errors.
func LoadOverlaid(data []byte, file string) (*Contract, error) {
	original := Load()
	overlaid, err := applied(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", file, inOneLine.Replace(err.Error()))
	}
	c, err := newContract(overlaid)
	if err != nil {
		return nil, fmt.Errorf("%s: the overlaid document: %w", file, err)
	}
	judged := c.statements()
	for _, s := range original.statements() {
		switch {
		case slices.Contains(judged, s):
		case strings.HasPrefix(s, "x-field"), strings.HasPrefix(s, "operation"): // effects are judged by it
			return nil, fmt.Errorf("%s: %s is gone; an overlay may rename, but must keep x-field and operationId", file, s)
		case !slices.Contains(c.TakenAway, s):
			c.TakenAway = append(c.TakenAway, s)
		}
	}
	return c, nil
}

// inOneLine separates the problems of an overlay, which its library puts into lines or behind commas.
var inOneLine = strings.NewReplacer(":\n  ", ": ", "\n  ", "; ", "\n", "; ", "targets,", "targets; ")

// applied returns openapi.yaml after an Overlay document (OpenAPI Initiative, Overlay 1.0). An action
// with a target that selects nothing is an error.
func applied(data []byte) ([]byte, error) {
	var o overlay.Overlay
	if err := yaml.Unmarshal(data, &o); err != nil {
		return nil, fmt.Errorf("not an Overlay document: %s", wording.YAMLError(err, data))
	}
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("not an Overlay document: %w", err)
	}
	var root yaml.Node
	if err := yaml.Unmarshal(openapiYAML, &root); err != nil {
		return nil, err
	}
	if err, _ := o.ApplyToStrict(&root); err != nil {
		return nil, err
	}
	if name, value := repeatedValue(&root, ""); value != nil {
		return nil, fmt.Errorf("line %d: the enum of %s lists %q twice: an update of a list adds to it, so leave out what is there",
			lineIn(&o, value.Value), name, value.Value)
	}
	return yaml.Marshal(&root)
}

// repeatedValue returns a value that an enum in a node of a document lists twice, and the name of the property with
// that enum. name is that of the node.
func repeatedValue(n *yaml.Node, name string) (string, *yaml.Node) {
	for i, child := range n.Content {
		of := name
		if n.Kind == yaml.MappingNode && i%2 == 1 {
			key := n.Content[i-1].Value
			if twice := repeatedIn(child); key == "enum" && twice != nil {
				return name, twice
			}
			if child.Kind == yaml.MappingNode && key != "items" {
				of = key
			}
		}
		if of, twice := repeatedValue(child, of); twice != nil {
			return of, twice
		}
	}
	return "", nil
}

// repeatedIn returns a scalar of a list that is also before it in the list, or nil.
func repeatedIn(list *yaml.Node) *yaml.Node {
	seen := map[[2]string]bool{}
	for _, n := range list.Content {
		scalar := [2]string{n.ShortTag(), n.Value}
		if n.Kind == yaml.ScalarNode && seen[scalar] {
			return n
		}
		seen[scalar] = true
	}
	return nil
}

// lineIn returns the last line of an overlay's updates with a scalar, as applying an overlay forgets the lines.
func lineIn(o *overlay.Overlay, value string) (line int) {
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		if n.Kind == yaml.ScalarNode && n.Value == value {
			line = n.Line
		}
		for _, child := range n.Content {
			walk(child)
		}
	}
	for i := range o.Actions {
		walk(&o.Actions[i].Update)
	}
	return line
}

// statements lists what the contract judges, in words and in document order. An overlay that only renames keeps all
// statements of the original. A run with an overlay that removes or loosens one shows less than its clauses say.
func (c *Contract) statements() (all []string) {
	say := func(holds bool, format string, args ...any) {
		if holds {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	var of func(o *Object, place string) // adds what the schemas of an object's fields state, at any depth
	of = func(o *Object, place string) {
		if o == nil {
			return
		}
		for _, f := range o.Fields {
			at, s := f.Meaning+" in "+place, f.Schema
			say(true, "x-field: %s", at)
			say(len(f.Enum) > 0, "one of the %d values of %s", len(f.Enum), at)
			say(f.Clause != "", "%s of %s", f.Clause, at)
			say(f.Required, "required of %s", at)
			say(f.Type != "", "the type %s of %s", f.Type, at)
			say(s.Format != "", "the format %s of %s", s.Format, at)
			say(s.Pattern != "", "the pattern %s of %s", s.Pattern, at)
			say(s.MinLength > 0, "that it is not empty of %s", at)
			say(!s.Nullable, "that it is not null of %s", at)
			say(!f.Optional && !MayBeAbsent(s), "that it is present of %s", at)
			say(f.Stays, "that it stays of %s", at)
			say(f.Moves != MovesWhole, "that it does not change by itself of %s", at)
			say(f.Date, "that it is a date of %s", at)
			say(!f.Hostname, "that it is spelled as it was sent of %s", at)
			of(f.Object, place)
			of(f.Items, place)
		}
	}
	for _, op := range c.Operations {
		say(true, "operation %s", op.ID)
		say(true, "%s of %s", op.Clause, op.ID)
		for _, effect := range sortedKeys(op.Effects) {
			say(true, "%s (%s) of %s", op.Effects[effect], effect, op.ID)
		}
		for _, aspect := range []string{"missing", "nonVast"} {
			say(op.Open[aspect] == "", "what x-open lists as %s of %s", aspect, op.ID)
		}
		say(op.Holds != "", "x-holds of %s", op.ID)
		for _, p := range op.Params {
			for _, key := range p.More {
				say(true, "%s, a further object of %s", key, op.ID)
			}
		}
		of(op.Body, "the request of "+op.ID)
		of(op.Success, "the success of "+op.ID)
		for _, status := range []int{204, 401, 403, 404, 422} {
			if r := op.Responses[fmt.Sprint(status)]; r != nil {
				say(true, "the response %d of %s", status, op.ID)
				say(true, "%s of the response %d", mark[string](r.Extensions, "x-clause"), status)
				of(op.bodies[fmt.Sprint(status)], fmt.Sprintf("the response %d", status))
			}
		}
	}
	return all
}
