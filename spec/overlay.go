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
	return yaml.Marshal(&root)
}

// A statement is something that a contract judges, in words. An overlay that only renames keeps all
// statements of the original. A run with an overlay that removes or loosens one shows less than its
// clauses say.
type statement struct {
	text   string
	needed bool // effects are judged by it, so an overlay must not remove it
}

type statements []statement

// say adds a statement that holds.
func (all *statements) say(holds bool, format string, args ...any) {
	if holds {
		*all = append(*all, statement{text: fmt.Sprintf(format, args...)})
	}
}

// statements lists what the contract judges, in document order.
func (c *Contract) statements() (all statements) {
	for _, op := range c.Operations {
		all = append(all, statement{"operation " + op.ID, true})
		all.say(true, "%s of %s", op.Clause, op.ID)
		for _, effect := range sortedKeys(op.Effects) {
			all.say(true, "%s (%s) of %s", op.Effects[effect], effect, op.ID)
		}
		all.say(op.Holds != "", "x-holds of %s", op.ID)
		for _, p := range op.Params {
			for _, key := range p.More {
				all.say(true, "%s, a further object of %s", key, op.ID)
			}
		}
		all.of(op.Body, "the request of "+op.ID)
		all.of(op.Success, "the success of "+op.ID)
		for _, status := range []int{204, 401, 403, 404, 422} {
			if r := op.Responses[fmt.Sprint(status)]; r != nil {
				response := fmt.Sprintf("the response %d", status)
				all.say(true, "%s of %s", response, op.ID)
				all.say(true, "%s of %s", mark[string](r.Extensions, "x-clause"), response)
				if status > 400 {
					all.of(op.ResponseObject(status), response)
				}
			}
		}
	}
	return all
}

// of adds what the schemas of an object's fields state, at any depth.
func (all *statements) of(o *Object, place string) {
	if o == nil {
		return
	}
	for _, f := range o.Fields {
		*all = append(*all, statement{fmt.Sprintf("x-field: %s in %s", f.Meaning, place), true})
		all.say(len(f.Enum) > 0, "one of the %d values of %s in %s", len(f.Enum), f.Meaning, place)
		at := " of " + f.Meaning + " in " + place
		all.say(f.Clause != "", "%s", f.Clause+at)
		all.say(f.Required, "required%s", at)
		all.say(f.Type != "", "the type %s", f.Type+at)
		all.say(f.Schema.Format != "", "the format %s", f.Schema.Format+at)
		all.say(f.Schema.Pattern != "", "the pattern %s", f.Schema.Pattern+at)
		all.say(f.Schema.MinLength > 0, "that it is not empty%s", at)
		all.say(!f.Schema.Nullable, "that it is not null%s", at)
		all.say(!f.Optional && !MayBeAbsent(f.Schema), "that it is present%s", at)
		all.say(f.Stays, "that it stays%s", at)
		all.say(f.Date, "that it is a date%s", at)
		all.say(!f.Hostname, "that it is spelled as it was sent%s", at)
		all.of(f.Object, place)
		all.of(f.Items, place)
	}
}
