package specs

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/engine"
)

// notFound plans unknown ids in each position of the path, and paths whose ids
// exist but do not belong together.
func (p *planner) notFound() {
	object, op := p.object(), p.op
	gone := []int{http.StatusNotFound}
	clause := func(i int) string {
		if i == len(op.Params)-1 {
			return "ERR-1"
		}
		return "ERR-2"
	}
	for i, param := range op.Params {
		for n := range 2 {
			if n == 1 && (i < len(op.Params)-1 || !op.Updates()) {
				continue
			}
			name := fmt.Sprintf("unknown-%s-%d", slugParam(param), n+1)
			p.add(engine.Class404, name, fmt.Sprintf("A path with an unknown %s is answered 404.", param.Name), func(t *engine.T) {
				o := object(t)
				c := call(t, o, expect{Statuses: gone, Clause: clause(i)})
				c.Path = o.Path()
				c.Path[i] = t.UnknownID(0) // the second time too: a 404 must not create it
				c.Raw = n == 1
				if i == len(op.Params)-1 {
					c.Object = nil // it names no object of ours
				}
				send(t, c)
			}, clauses(clause(i)), quick, unknownIDs)
		}
	}
	if len(op.Params) > 1 {
		for i, param := range op.Params {
			p.add(engine.Class404, "wrong-"+slugParam(param), fmt.Sprintf("A path whose %s belongs elsewhere is answered 404.", param.Name), func(t *engine.T) {
				o := object(t)
				c := call(t, o, expect{Statuses: gone, Clause: "ERR-2"})
				c.Path = o.Path()
				c.Path[i] = fmt.Sprint(t.Lookup(engine.Other(param.Object)))
				if i == len(op.Params)-1 {
					c.Object = t.Object(op, engine.Other(param.Object))
				}
				send(t, c)
			}, needs("objects."+engine.Other(param.Object)), clauses("ERR-2"), unknownIDs)
		}
		p.mixedOwners()
	}
	p.changesNothing(engine.Class404, func(t *engine.T, o *engine.Object) {
		c := call(t, o, expect{Statuses: gone, Clause: clause(0)})
		c.Path = o.Path()
		c.Path[0] = t.UnknownID(3)
		send(t, c)
	}, unknownIDs)
}

// slugParam is a parameter's name as a part of a case id.
func slugParam(param spec.Param) string {
	return strings.ToLower(strings.TrimSuffix(param.Name, "Id"))
}

// mixedOwners plans every path that mixes own and foreign ids.
func (p *planner) mixedOwners() {
	object, op := p.object(), p.op
	last := len(op.Params) - 1
	for bits := 1; bits < 1<<len(op.Params)-1; bits++ {
		var names, wanted []string
		for i, param := range op.Params {
			if bits&(1<<i) != 0 {
				names = append(names, slugParam(param))
				wanted = append(wanted, engine.Foreign(param.Object))
			}
		}
		p.add(engine.Class404, "foreign-"+strings.Join(names, "-"), fmt.Sprintf("A path that mixes own ids with a foreign %s is answered 403 or 404.", strings.Join(names, " and ")), func(t *engine.T) {
			o := object(t)
			c := call(t, o, expect{Statuses: []int{http.StatusForbidden, http.StatusNotFound}, Clause: "ERR-2"})
			c.Path = o.Path()
			for i, param := range op.Params {
				if bits&(1<<i) != 0 {
					c.Path[i] = fmt.Sprint(t.Lookup(engine.Foreign(param.Object)))
				}
			}
			if bits&(1<<last) != 0 {
				c.Object = t.Object(op, engine.Foreign(op.Params[last].Object))
			}
			t.Observe("mixed-owners", send(t, c).StatusText())
		}, needs(wanted...), needs("credentials.stranger"), clauses("ERR-2"), observes("mixed-owners"))
	}
}
