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
	states := c.statements()
	for _, s := range original.statements() {
		switch {
		case slices.Contains(states, s):
		case s.needed:
			return nil, fmt.Errorf("%s: %s is gone; an overlay may rename, but must keep x-field and operationId", file, s.text)
		case !slices.Contains(c.TakenAway, s.text):
			c.TakenAway = append(c.TakenAway, s.text)
		}
	}
	for _, op := range original.Operations {
		for name := range c.Operation(op.ID).Open {
			if op.Open[name] == "" {
				c.TakenAway = append(c.TakenAway, fmt.Sprintf("what x-open lists as %s of %s", name, op.ID))
			}
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
	err := yaml.Unmarshal(data, &o)
	if err == nil {
		err = o.Validate()
	}
	if err != nil {
		return nil, fmt.Errorf("not an Overlay document: %s", wording.YAMLError(err, data))
	}
	var root yaml.Node
	if err := yaml.Unmarshal(openapiYAML, &root); err != nil {
		return nil, err
	}
	if err, _ := o.ApplyToStrict(&root); err != nil {
		return nil, err
	}
	return yaml.Marshal(&root)
}

// A statement is something that a contract judges, in words. An overlay that only renames keeps all
// statements of the original. A run with an overlay that removes or loosens one shows less than its
// clauses say.
type statement struct {
	text   string
	needed bool // effects are judged by it, so an overlay must not remove it
}

// statements lists what the contract judges, in document order.
func (c *Contract) statements() (all []statement) {
	for _, op := range c.Operations {
		say := func(format string, args ...any) {
			all = append(all, statement{text: fmt.Sprintf(format, args...) + " of " + op.ID})
		}
		all = append(all, statement{"operation " + op.ID, true})
		say("%s", op.Clause)
		for _, effect := range sortedKeys(op.Effects) {
			say("%s (%s)", op.Effects[effect], effect)
		}
		if op.Holds != "" {
			say("x-holds")
		}
		for _, p := range op.Params {
			for _, key := range p.More {
				say("%s, a further object", key)
			}
		}
		all = append(all, op.Body.statements("the request of "+op.ID)...)
		all = append(all, op.Success.statements("the success of "+op.ID)...)
		for _, status := range []int{204, 401, 403, 404, 422} {
			if r := op.Responses[fmt.Sprint(status)]; r != nil {
				say("the response %d", status)
				all = append(all, statement{text: fmt.Sprintf("%s of the response %d", mark[string](r.Extensions, "x-clause"), status)})
				if status > 400 {
					all = append(all, op.ResponseObject(status).statements(fmt.Sprintf("the response %d", status))...)
				}
			}
		}
	}
	return all
}

// statements lists what the schemas of an object's fields state, at any depth.
func (o *Object) statements(of string) (all []statement) {
	if o == nil {
		return nil
	}
	for _, f := range o.Fields {
		all = append(all, statement{fmt.Sprintf("x-field: %s in %s", f.Meaning, of), true})
		if len(f.Enum) > 0 {
			all = append(all, statement{fmt.Sprintf("one of the %d values of %s in %s", len(f.Enum), f.Meaning, of), true})
		}
		say := func(stated bool, text string) {
			if stated {
				all = append(all, statement{text: fmt.Sprintf("%s of %s in %s", text, f.Meaning, of)})
			}
		}
		say(f.Clause != "", f.Clause)
		say(f.Required, "required")
		say(f.Type != "", "the type "+f.Type)
		say(f.Schema.Format != "", "the format "+f.Schema.Format)
		say(f.Schema.Pattern != "", "the pattern "+f.Schema.Pattern)
		say(f.Schema.MinLength > 0, "that it is not empty")
		say(!f.Nullable, "that it is not null")
		say(!f.Optional && !MayBeAbsent(f.Schema), "that it is present")
		say(f.Stays, "that it stays")
		say(f.Date, "that it is a date")
		say(!f.Hostname, "that it is spelled as it was sent")
		all = append(all, f.Object.statements(of)...)
		all = append(all, f.Items.statements(of)...)
	}
	return all
}
