package specs

import (
	"fmt"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/engine"
)

// updates plans the cases of an operation that changes the object of its path.
func (p *planner) updates() {
	p.succeeds()
	p.behave(authentication)
	p.forbidden()
	p.notFound()
	p.unprocessable()
	p.constraints()
	p.texts()
	p.openBodies()
	p.malformedIDs()
	p.undecodable()
	p.unusual()
	p.updateEffects()
	p.foreignUnchanged()
	if !p.op.Replaces() { // which takes all fields
		p.fieldsAlone()
	}
	p.usersInTurn()
	p.usersAtOnce()
	p.twoAtOnce()
	p.randomSequences()
}

// succeeds plans ordinary updates, and every combination of the values of
// enumerated fields.
func (p *planner) succeeds() {
	object, op := p.object(), p.op
	all := append([]string{op.Clause, "AUTH-4", "EFFECT-3"}, effects(op)...)
	all = append(all, marked(op.Body)...)
	p.add(engine.ClassSuccess, "ordinary", "The owner's update of all fields succeeds and shows what was sent.", func(t *engine.T) {
		t.Calibrate(object(t))
	}, clauses(all...), clauses(op.Effects["persists"]), quick, func(c *engine.Case) { c.Calibrates = true })
	p.add(engine.ClassSuccess, "raw", "The answer to an update is one well-framed HTTP message.", func(t *engine.T) {
		c := call(t, object(t), expect{Success: true, Clause: op.Clause})
		c.Raw = true
		send(t, c)
	}, clauses("HTTP-2", op.Clause))
	for _, values := range combinations(op.Body) {
		var words []any
		for _, f := range op.Body.Fields {
			if v, ok := values[f.Name]; ok {
				words = append(words, v)
			}
		}
		p.add(engine.ClassSuccess, "values-"+slug(words...), fmt.Sprintf("An update with the values %s succeeds.", strings.Trim(fmt.Sprintln(words...), "\n")), func(t *engine.T) {
			o := object(t)
			body := t.Ordinary(o, 0)
			for name, v := range values {
				body[name] = v
			}
			t.Write(o, body)
		}, clauses(all...))
	}
}

// combinations are the value assignments of all enumerated fields together.
func combinations(o *spec.Object) []map[string]any {
	var all []map[string]any
	for _, f := range o.Fields {
		if len(f.Enum) == 0 {
			continue
		}
		if all == nil {
			all = []map[string]any{{}}
		}
		var next []map[string]any
		for _, values := range all {
			for _, v := range f.Enum {
				more := map[string]any{f.Name: v}
				for name, w := range values {
					more[name] = w
				}
				next = append(next, more)
			}
		}
		all = next
	}
	return all
}
