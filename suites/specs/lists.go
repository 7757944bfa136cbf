package specs

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/engine"
)

// lists plans the cases of an operation that answers a page of items.
func (p *planner) lists() {
	object, op := p.object(), p.op
	success := expect{Success: true, Clause: op.Clause}
	all := []string{op.Clause, "AUTH-4", "EFFECT-3", op.Effects["repeats"]}
	p.add(engine.ClassSuccess, "ordinary", "The owner gets the list of "+op.Items+", the same each time.", func(t *engine.T) {
		for range 3 {
			send(t, call(t, object(t), success))
		}
	}, clauses(all...), clauses(op.Effects["members"]), quick)
	p.add(engine.ClassSuccess, "raw", "The answer to a list is one well-framed HTTP message.", func(t *engine.T) {
		c := call(t, object(t), success)
		c.Raw = true
		send(t, c)
	}, clauses("HTTP-2"))
	for _, key := range p.keys(op) {
		p.add(engine.ClassSuccess, "walk-"+slugKey(key), "The pages of "+key+" together are its "+op.Items+", each once.", func(t *engine.T) {
			walk(t, t.Object(op, key))
		}, needs("objects."+key), clauses(walked(op)...), quick)
	}
	if len(op.Params) == 0 {
		p.collection()
	}
	p.behave(authentication)
	p.forbidden()
	if op.Open["missing"] == "" && len(op.Params) > 0 {
		p.notFound()
	}
	p.openLists()
	p.malformedIDs()
	p.undecodable()
	p.unusual()
	p.usersInTurn()
	p.readersAtOnce()
	p.listsAtOnce()
	p.conditional()
}

// collection plans the cases of a list that no id names: everyone has one.
func (p *planner) collection() {
	object, op := p.object(), p.op
	p.add(engine.ClassSuccess, "walk", "The pages together are the "+op.Items+", each once.", func(t *engine.T) {
		walk(t, object(t))
	}, clauses(walked(op)...), quick)
	if op.Holds == "" {
		return
	}
	p.add(engine.ClassSuccess, "of-the-stranger", "Another user's list holds none of the owner's "+op.Items+", not even right after the owner's.", func(t *engine.T) {
		success := expect{Success: true, Clause: op.Clause}
		others := request{engine.Call{Op: op, As: t.Stranger()}, success}
		t.JudgeOthers(object(t), sendInOrder(t, call(t, object(t), success), others)[1])
	}, needs("credentials.stranger"), clauses(op.Clause, holds(op)))
}

// keys are those of all objects that the path of an operation may name; those of a
// full target file where it has none, so that they show as not tested.
func (p *planner) keys(op *spec.Operation) []string {
	var keys []string
	if op.Key() == "" {
		return nil
	}
	for _, key := range append([]string{op.Key()}, op.More()...) {
		if !fixtures.Many(key) {
			keys = append(keys, key)
			continue
		}
		for i := range max(1, len(p.target.Objects.ByKey(key))) {
			keys = append(keys, fmt.Sprintf("%s[%d]", key, i))
		}
	}
	return keys
}

// largest is the key of the object whose list is the longest: the document names it
// last. It is "" for a list that no id names.
func (p *planner) largest(op *spec.Operation) string {
	more := op.More()
	if len(more) == 0 {
		return op.Key()
	}
	key := more[len(more)-1]
	if fixtures.Many(key) {
		key += "[0]"
	}
	return key
}

// walked are the clauses that the pages of a list are judged by.
func walked(op *spec.Operation) []string {
	return []string{
		op.PageClause("totalCount"), op.PageClause("page"), op.PageClause("totalPages"),
		op.Effects["members"], op.Effects["unique"], op.Effects["repeats"], holds(op),
	}
}

func holds(op *spec.Operation) string {
	if op.Holds == "" {
		return ""
	}
	return op.Effects["holds"]
}

// maxPages bounds a walk; a container with more pages is walked in part.
const maxPages = 60

// walk reads every page of a list, twice the first.
func walk(t *engine.T, o *engine.Object) {
	first := list(t, o, 0)
	if first == nil || first.List == nil {
		return
	}
	list(t, o, 0)
	pages := first.List.TotalPages
	t.Observe("page-size", t.PageSize(first.List))
	if pages <= 1 {
		return
	}
	if t.PageParameter(o.Op) == "" {
		t.InPart(o.Op, "the target file says that there is no paging")
		return
	}
	second := secondPage(t, o)
	if second == nil || second.List == nil {
		return
	}
	if t.NoPaging(o, first, second) {
		return
	}
	t.JudgePage(o, first, second, 2)
	ids := slices.Concat(first.List.IDs, second.List.IDs)
	for number := int64(3); number <= min(pages, maxPages); number++ {
		a := list(t, o, number)
		if a == nil || a.List == nil {
			return
		}
		t.JudgePage(o, first, a, number)
		ids = append(ids, a.List.IDs...)
	}
	if pages > maxPages {
		t.ReadInPart(o.Op, fmt.Sprintf("a list has %d pages, and only %d of them are read", pages, maxPages))
		return
	}
	t.JudgeWalk(o, first, ids)
}

// allIDs are the ids on all pages of a list, and whether all could be read.
func allIDs(t *engine.T, o *engine.Object) (ids []int64, whole bool) {
	first := list(t, o, 0)
	if first == nil || first.List == nil {
		return nil, false
	}
	ids = first.List.IDs
	pages := first.List.TotalPages
	if pages > 1 && t.PageParameter(o.Op) == "" || pages > maxPages {
		return ids, false
	}
	for number := int64(2); number <= pages; number++ {
		a := page(t, o, number, http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity)
		if a.List == nil {
			return ids, false
		}
		ids = append(ids, a.List.IDs...)
	}
	return ids, true
}

// secondPage asks for page 2. The name of the parameter is open: a target that
// refuses it may not know it, unless it takes page 1 or the target file says so.
func secondPage(t *engine.T, o *engine.Object) *engine.Answer {
	if _, pinned := t.Target.Open["pageParameter"]; pinned {
		return list(t, o, 2)
	}
	a := page(t, o, 2, http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity)
	if a.OK {
		return a
	}
	if first := page(t, o, 1, http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity); first.OK {
		return list(t, o, 2) // it knows the parameter, so page 2 has to be there
	}
	t.Observe("page-parameter", "refused")
	t.InPart(o.Op, "the target refuses the query parameter "+t.PageParameter(o.Op)+"; pin pageParameter in the target file if it has another name")
	return nil
}

// page asks for a page, which may be refused with the statuses given.
func page(t *engine.T, o *engine.Object, number int64, also ...int) *engine.Answer {
	c := call(t, o, expect{Success: true, Statuses: also, Clause: o.Op.Clause})
	if number > 0 {
		c.Page, c.Query = number, url.Values{t.PageParameter(o.Op): {fmt.Sprint(number)}}.Encode()
	}
	if !t.KnownEmpty(o) {
		return send(t, c)
	}
	c.Expect.Statuses = append(c.Expect.Statuses, http.StatusNotFound) // nothing to list may be nothing that is found
	a := send(t, c)
	if a.Expected {
		t.Observe("media-files-of-empty", a.StatusText())
	}
	return a
}

// list asks for a page of an object's list; 0 asks without the parameter.
func list(t *engine.T, o *engine.Object, number int64) *engine.Answer {
	if a := page(t, o, number); a.Expected {
		return a
	}
	return nil
}

// openLists plans lists of which the document does not say what they answer.
func (p *planner) openLists() {
	object, op := p.object(), p.op
	nothing := []int{http.StatusNotFound, http.StatusUnprocessableEntity}
	if point := op.Open["missing"]; point != "" {
		p.add(engine.ClassOpen, "missing", "The list of a creative that does not exist is answered 404, 422 or empty.", func(t *engine.T) {
			c := call(t, object(t), expect{Statuses: nothing, EmptyList: true, Clause: "ERR-1"})
			c.Object, c.Path = nil, []string{t.UnknownID(0)}
			a := send(t, c)
			t.Observe(point, a.StatusText())
		}, observes(point), clauses("ERR-1"))
	}
	if point := op.Open["nonVast"]; point != "" {
		p.add(engine.ClassOpen, "non-vast", "The list of a creative that is no VAST container is answered 404, 422 or with a list.", func(t *engine.T) {
			c := call(t, t.Object(op, "plainCreative"), expect{Statuses: nothing, Success: true, Clause: op.Clause})
			a := send(t, c)
			t.Observe(point, a.StatusText())
		}, observes(point), needs("objects.plainCreative"), clauses(op.Clause))
	}
	for _, q := range []struct {
		name   string
		values []string
	}{
		{"beyond", []string{"1000"}},
		{"zero", []string{"0"}},
		{"negative", []string{"-1"}},
		{"letters", []string{"abc"}},
		{"fraction", []string{"1.5"}},
		{"beyond-63-bit", []string{"9223372036854775808"}},
		{"beyond-64-bit", []string{"100000000000000000000"}},
		{"empty", []string{""}},
		{"twice", []string{"1", "2"}},
	} {
		p.add(engine.ClassOpen, "page-"+q.name, "A page that does not exist is answered without failing, by a number where it is answered with a list.", func(t *engine.T) {
			name := t.PageParameter(op)
			if name == "" {
				t.NotTested(engine.ByTarget, "the target file says that there is no paging")
				return
			}
			c := call(t, object(t), expect{
				Success: true, Statuses: append([]int{http.StatusBadRequest}, nothing...), Clause: op.Clause, OutOfRange: true,
			})
			c.Query = url.Values{name: q.values}.Encode()
			a := send(t, c)
			t.Observe("page-beyond", q.name+": "+a.StatusText())
		}, observes("page-beyond"), clauses(op.Clause, op.PageClause("page")))
	}
}

// listsAtOnce plans reads of two lists at the same time.
func (p *planner) listsAtOnce() {
	object, op := p.object(), p.op
	other := p.largest(op)
	if other == "" {
		return
	}
	success := expect{Success: true, Clause: op.Clause}
	p.add(engine.ClassState, "two-at-once", "Two lists that are read at the same time each show their own items.", func(t *engine.T) {
		sendTogether(t, call(t, object(t), success), call(t, t.Object(op, other), success))
	}, clauses(op.Effects["members"], op.Effects["repeats"]), needs("objects."+other))
}
