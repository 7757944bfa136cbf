package specs

import (
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/session"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	. "github.com/adconform/adconform/suites/match"
)

// A grid is what a run has found out about the rows of an operation. Its cases run one after another, in one chain.
type grid struct {
	*Specs
	op         *spec.Operation
	dimensions []dimension

	run      *session.Run // the run that the rest is about, nil before the first case
	verdicts map[*row]verdict
	taken    []mix // what the owner's requests were made of that the target accepted, in order
	known    []breach
	tested   *covering // what decided that
	met      *covering // of every request that was answered
}

// verdict says what the target does with an open row that it gets alone.
type verdict int

const (
	undecided verdict = iota
	accepted
	refusedAlone // so its refusal would hide whatever else is wrong with a request
	unsent       // the connections of the target do not allow it
)

// arrays registers the cases in which rows meet. The target decides first which open rows it accepts. A request made of
// rows that it accepted has one right answer from then on: whoever sends it without permission is refused as if it were
// an ordinary one.
func arrays(s *Specs, op *spec.Operation) {
	if op.Reads() {
		return
	}
	g := &grid{Specs: s, op: op, dimensions: dimensionsOf(s, op)}
	s.grids[op] = g
	if !op.Deletes() {
		s.Case("arrays/accepted", "Each form of the owner's request is served, or refused where that is open.",
			Options{Clause(g.shown()...)}, g.accepted)
		s.Case("arrays/elsewhere", "Each form of a request that was served is served for the owner's other objects, too.",
			Options{Clause(g.shown()...)}, g.steps((*grid).elsewhere))
	}
	s.Case("arrays/no-key", "Without a key each form of the owner's request is answered 401.",
		Options{Clause("AUTH-1"), optionIf(op.Updates(), Clause("EFFECT-1"))},
		g.steps(func(g *grid, c Case, o *Object) { g.refusedTo(c, o, "no-key") }))
	if len(op.Params) > 0 { // every user has an own list that no id names
		s.Case("arrays/stranger", "To a user without permission each form of the owner's request is answered 403.",
			Options{NeedsStranger, Clause("AUTH-2"), optionIf(op.Updates(), Clause("EFFECT-1"))},
			g.steps(func(g *grid, c Case, o *Object) { g.refusedTo(c, o, "stranger") }))
	}
	g.pairs(s, op)
	s.Case("arrays/turns", "What is sent before a request on its connection does not change how it is refused.",
		Options{
			Clause("AUTH-1"), optionIf(s.Target.Credentials.Stranger != "", Clause("AUTH-2", "AUTH-3")),
			optionIf(op.Updates(), Clause("EFFECT-1")),
		}, g.steps((*grid).turns))
	s.Case("arrays/faults", "A request with one fault is refused for it, whatever form it has.",
		Options{Clause("ERR-1", "AUTH-1"), optionIf(op.Updates(), Clause("ERR-3", "ERR-4", "EFFECT-1"))},
		g.steps((*grid).faults))
}

// shown returns the clauses that an accepted request shows.
func (g *grid) shown() []string {
	if g.op.Updates() {
		return append([]string{g.op.Clause, "AUTH-4"}, shown(g.op)...)
	}
	return append([]string{g.op.Clause, "AUTH-4"}, g.op.Success.Clauses()...)
}

// steps returns the steps of a case. The first case of a run finds out what the target accepts, whichever it is.
func (g *grid) steps(then func(*grid, Case, *Object)) func(Case, *Object) {
	return func(c Case, o *Object) {
		if g.run != c.Run() {
			g.decide(c, o)
		}
		g.known = nil
		then(g, c, o)
		g.publish(c)
	}
}

// accepted finds out what the target accepts.
func (g *grid) accepted(c Case, o *Object) {
	g.decide(c, o)
	g.publish(c)
	skipUnless(c, len(g.taken) > 0, judge.ByTarget, "the target accepts no form of the request")
}

// decide finds out which open rows the target accepts: those that many targets refuse one by one, the others together,
// as a request that is accepted shows that each of its rows is, and one by one where it is not.
func (g *grid) decide(c Case, o *Object) {
	g.run, g.verdicts, g.taken, g.known, g.tested, g.met = c.Run(), map[*row]verdict{}, nil, nil,
		newCovering(), newCovering()
	if g.op.Deletes() {
		g.assume(c)
		return
	}
	for _, d := range g.dimensions {
		for _, r := range d.rows {
			if r.isDoubtful() {
				g.take(c, o, mix{r})
			}
		}
	}
	may := func(r *row) bool {
		isMet := r.isDoubtful() || g.verdicts[r] == refusedAlone // it was sent alone
		return !r.isFault() && (g.verdicts[r] == accepted || !isMet)
	}
	for m := g.tested.next(g.dimensions, may); m != nil; m = g.tested.next(g.dimensions, may) {
		if g.take(c, o, m) || !g.isolate(c, o, m) {
			g.tested.note(m)
		}
	}
	// A row that is also in a larger one needs none of its own.
	g.taken = slices.DeleteFunc(slices.Clone(g.taken), func(m mix) bool {
		return len(m) == 1 && slices.ContainsFunc(g.taken, func(other mix) bool { return len(other) > 1 && other.has(m) })
	})
}

// isolate sends the rows of a request that was refused alone until one is refused: those that set values first, and
// plain ones last, as these have to be accepted. It reports whether one was, so that the others may be sent together
// again.
func (g *grid) isolate(c Case, o *Object, m mix) bool {
	suspects := slices.DeleteFunc(slices.Clone(m), func(r *row) bool { return g.verdicts[r] != undecided })
	rank := func(r *row) int {
		switch {
		case r.is == plain:
			return 2
		case r.setsField():
			return 0
		}
		return 1
	}
	slices.SortStableFunc(suspects, func(a, b *row) int { return rank(a) - rank(b) })
	return slices.ContainsFunc(suspects, func(r *row) bool { return !g.take(c, o, mix{r}) })
}

// assume makes the requests of a delete of the rows that a list accepts, as there are too few disposables to try each
// of them. Only what a delete does with a body stays open.
func (g *grid) assume(c Case) {
	lists := g.grids[below(g.Specs, g.op)]
	for _, d := range g.dimensions {
		for _, r := range d.rows {
			if r.is == open && r.parts != "transfer" && lists != nil && lists.run == g.run {
				g.verdicts[r] = lists.verdicts[lists.find(r.name)]
			}
		}
	}
	may := func(r *row) bool { return !r.isFault() && (g.verdicts[r] == accepted || g.verdicts[r] == undecided) }
	for m := g.tested.next(g.dimensions, may); m != nil; m = g.tested.next(g.dimensions, may) {
		g.tested.note(m)
		g.taken = append(g.taken, m)
	}
}

// deleteAs deletes an object, if ordinary deletes succeed, by a request that is made of the rows of one of several
// requests, and then by an ordinary one if that was refused.
func (g *grid) deleteAs(c Case, o *Object, n int) {
	if g.run != c.Run() {
		g.decide(c, o)
	}
	isOrdinary := slices.ContainsFunc(named(c, g.op, each(c.Run().Target, g.op.Key())...), (*Object).Removed)
	if isOrdinary && len(g.taken) > 0 {
		m := slices.DeleteFunc(slices.Clone(g.taken[n%len(g.taken)]), func(r *row) bool { return r.how.is(strays) })
		call := m.made(c, o)
		call.Raw = true
		a := send(c, call, BeAccepted().Or(404).Or(m.refusals()...))
		if a.OK || a.Status == 404 {
			c.Compare().JudgeDeleted(a)
			return
		}
	}
	remove(c, o)
}

// isDoubtful reports whether many targets refuse an open row.
func (r *row) isDoubtful() bool {
	return r.is == open && r.how.is(strays) && strings.Contains(r.parts, "path")
}

// take tries a mix, and keeps it if it was accepted.
func (g *grid) take(c Case, o *Object, m mix) bool {
	is := g.try(c, o, m)
	if is {
		g.taken = append(g.taken, m)
	}
	return is
}

// try sends the owner's request that is made of rows, and reports whether it was accepted.
func (g *grid) try(c Case, o *Object, m mix) bool { return g.tryOpen(c, o, m, false) }

// tryOpen tries a mix. If the rows are open together, it may also be refused as one of them might be that was accepted
// alone.
func (g *grid) tryOpen(c Case, o *Object, m mix, together bool) bool {
	if g.hides(m) {
		if len(m) == 1 {
			g.verdicts[m[0]] = refusedAlone // so that it is not tried again
		}
		return false
	}
	if g.op.Updates() {
		c.VerifyNoTraceOf(o)
	}
	mark := len(c.Findings())
	a := c.Send(m.made(c, o))
	is := g.judgeOpen(c, o, a, m, together)
	if g.op.Updates() {
		settle(c, o)
	}
	g.account(c, o, mark, map[int]mix{a.Exchange.Seq: m})
	for _, r := range m {
		if is == accepted || len(m) == 1 {
			g.verdicts[r] = is
		}
	}
	return is == accepted
}

// judge judges the answer to a request that is made of rows.
func (g *grid) judge(c Case, o *Object, a *judge.Answer, m mix) {
	if slices.ContainsFunc(m, (*row).isFault) {
		g.judgeFault(c, o, a, m)
		return
	}
	g.judgeOpen(c, o, a, m, false)
}

// noteMet notes what a request was made of, if it was answered.
func (g *grid) noteMet(a *judge.Answer, m mix) {
	if a.Status > 0 {
		g.met.note(m)
	}
}

// judgeOpen judges the answer to the owner's request: it is served, or refused as its open rows allow that were not
// accepted yet.
func (g *grid) judgeOpen(c Case, o *Object, a *judge.Answer, m mix, together bool) verdict {
	g.noteMet(a, m)
	open := m
	if !together {
		open = slices.DeleteFunc(slices.Clone(m), func(r *row) bool { return g.verdicts[r] == accepted && !r.how.is(fixed) })
	}
	to := BeAccepted().Or(open.refusals()...)
	if g.op.Lists() && c.Target().KnownEmpty(o) { // a list without items may not be found
		to.Or(404)
	}
	switch {
	case isUnsendable(a):
		c.Judge(a, judge.Expect{OnlyCrash: true})
		return unsent
	case !g.serves(a) && a.Status > 0 && a.Status < 500 && open.is(strays): // something before the operation answers
		c.Judge(a, judge.Expect{OnlyCrash: true, Unlisted: true})
		return refusedAlone
	}
	c.Expect(a).To(to)
	if g.serves(a) {
		return accepted
	}
	return refusedAlone
}

// serves reports whether an answer is what the operation succeeds with. A page for people is not.
func (g *grid) serves(a *judge.Answer) bool {
	if !a.OK {
		return false
	}
	body := oracle.Decode(a.Exchange.Response.Body)
	if g.op.Lists() {
		return judge.PageOf(g.op, body) != nil
	}
	return oracle.Succeeds(g.op, a.Status, body)
}

// isUnsendable reports whether a request needs a raw connection, which the target does not allow.
func isUnsendable(a *judge.Answer) bool {
	return a.Exchange.Err != nil && a.Exchange.Err.Kind == wire.BadRequest
}

// elsewhere sends what was accepted for the other objects, and then reads all. Requests that differ only in the values
// that they set would show no more than they did before.
func (g *grid) elsewhere(c Case, o *Object) {
	for _, other := range g.otherObjects(c) {
		met := map[*row]bool{}
		for _, m := range g.taken {
			isNew := func(r *row) bool { return !met[r] && !r.setsField() }
			if slices.ContainsFunc(m, isNew) {
				g.try(c, other, m)
			}
			for _, r := range m {
				met[r] = true
			}
		}
	}
	if g.op.Updates() {
		readAll(c, append(others(c, g.op), o))
	}
}

// otherObjects returns the objects other than the one that most cases use, as far as requests may be sent to them.
func (g *grid) otherObjects(c Case) []*Object {
	if g.op.Deletes() {
		return nil
	}
	mayNot := func(o *Object) bool { return g.op.Updates() && !o.MayWrite() }
	return slices.DeleteFunc(others(c, g.op), mayNot)
}

// find returns the row with a name.
func (g *grid) find(name string) *row {
	for _, d := range g.dimensions {
		for _, r := range d.rows {
			if r.name == name {
				return r
			}
		}
	}
	return nil
}

// refusedTo sends, as a user who has to be refused, what was accepted, and each row that is refused alone.
func (g *grid) refusedTo(c Case, o *Object, user string) {
	who := g.find(user)
	var all []mix
	for _, m := range g.taken {
		all = append(all, m.with(who))
	}
	for _, d := range g.dimensions {
		for _, r := range d.rows {
			if g.verdicts[r] == refusedAlone && !r.clashes(who) {
				all = append(all, mix{r}.with(who))
			}
		}
	}
	g.stretch(c, o, all)
}

// faults sends every other fault once, in a request that the target accepts without it: those of the body for another
// object, as the cases of 422 use the first.
func (g *grid) faults(c Case, o *Object) {
	var here, there []mix
	for _, d := range g.dimensions {
		for _, r := range d.rows {
			if !r.isFault() || r.name == "no-key" || r.name == "stranger" {
				continue
			}
			m := mix{r}
			if n := len(here) + len(there); len(g.taken) > 0 {
				m = g.taken[n%len(g.taken)].with(r)
			}
			if strings.Contains(r.parts, "reading") {
				there = append(there, m)
			} else {
				here = append(here, m)
			}
		}
	}
	g.stretch(c, o, here)
	if all := g.otherObjects(c); len(all) > 0 {
		o = all[0]
	}
	g.stretch(c, o, there)
}

// turns sends requests that have to be refused in every order of two of them, and after a success elsewhere, all on one
// connection.
func (g *grid) turns(c Case, o *Object) {
	if g.op.Deletes() && o.Deleted() {
		return
	}
	wrong := g.dimensions[0].rows[0] // an unknown id
	who := []*row{g.find("no-key"), g.find("stranger"), wrong}
	who = slices.DeleteFunc(who, func(r *row) bool { return r == nil })
	var calls []Call
	var all []mix
	before := "a success elsewhere"
	add := func(r *row) {
		after := &row{
			name: "after-" + wording.Slug(before), words: "after " + before + " on the same connection",
			change: always(), at: len(g.dimensions),
		}
		m := mix{r, after}
		calls, all = append(calls, m.made(c, o)), append(all, m)
		before = r.words
	}
	elsewhere := g.elsewhereCall(c)
	for _, r := range who {
		if elsewhere != nil {
			calls, all = append(calls, *elsewhere), append(all, nil)
			before = "a success elsewhere"
		}
		add(r)
	}
	for i, first := range who { // each pair once: aabbccacba has all of them
		add(first)
		add(first)
		for _, second := range who[i+1:] {
			add(second)
			add(first)
		}
	}
	mark, sent := len(c.Findings()), map[int]mix{}
	for i, a := range c.SendInOrder(calls...) {
		if all[i] == nil {
			c.Expect(a).To(BeAccepted())
			continue
		}
		sent[a.Exchange.Seq] = all[i]
		g.judgeFault(c, o, a, all[i])
	}
	if g.op.Updates() {
		settle(c, o)
	}
	g.account(c, o, mark, sent)
}

// elsewhereCall returns a request that has to succeed and names another object, or that only reads; nil if there is
// none.
func (g *grid) elsewhereCall(c Case) *Call {
	all := g.otherObjects(c)
	if g.op.Lists() {
		all = []*Object{object(c)}
	}
	if len(all) == 0 {
		return nil
	}
	call := Request(c, all[0])
	return &call
}

// inStretch is how many requests of a stretch are sent before the object is read back.
const inStretch = 10

// stretch sends requests that have to be refused, several in a row on one connection, and then looks for their effect.
func (g *grid) stretch(c Case, o *Object, all []mix) {
	for some := range slices.Chunk(all, inStretch) {
		some = slices.DeleteFunc(slices.Clone(some), g.hides)
		var calls []Call
		for _, m := range some {
			calls = append(calls, m.made(c, o))
		}
		mark, sent, isGone := len(c.Findings()), map[int]mix{}, false
		for from := 0; from < len(calls); {
			for _, a := range sendInRow(c, calls[from:]) {
				sent[a.Exchange.Seq], isGone = some[from], isGone || g.op.Deletes() && g.serves(a)
				g.judgeFault(c, o, a, some[from])
				from++
			}
		}
		if g.op.Updates() {
			settle(c, o)
		}
		if g.account(c, o, mark, sent); isGone { // what follows would be answered as for what is gone
			return
		}
	}
}

// sendInRow sends the first of some requests, and those after it that may use its connection.
func sendInRow(c Case, calls []Call) []*judge.Answer {
	needsOwn := func(call Call) bool { return call.Raw || call.Wire != nil }
	n := slices.IndexFunc(calls, needsOwn)
	switch {
	case n == 0:
		return []*judge.Answer{c.Send(calls[0])}
	case n < 0:
		n = len(calls)
	}
	return c.SendInOrder(calls[:n]...)
}

// judgeFault judges the answer to a request with one fault. With a row that is refused alone it need only not be
// served, as the refusal may be about that row.
func (g *grid) judgeFault(c Case, o *Object, a *judge.Answer, m mix) {
	g.noteMet(a, m)
	one := m[slices.IndexFunc(m, (*row).isFault)]
	// The refusal of a row that was not accepted alone is right, too.
	left := slices.DeleteFunc(slices.Clone(m), func(r *row) bool { return g.verdicts[r] == accepted })
	isHidden := left.is(strays) || slices.ContainsFunc(left, func(r *row) bool { return g.verdicts[r] == refusedAlone })
	switch {
	case isUnsendable(a):
		c.Judge(a, judge.Expect{OnlyCrash: true})
		return
	case isHidden && !g.serves(a):
		c.Judge(a, judge.Expect{OnlyCrash: true, Unlisted: true})
		return
	}
	to := one.to(c, o).Or(left.refusals()...)
	if len(slices.DeleteFunc(slices.Clone(m), func(r *row) bool { return !r.isFault() })) > 1 {
		to = toAny(m, g.op.Lists())
	}
	c.Expect(a).To(to)
	if a.OK && a.Call.Object != nil && g.op.Updates() {
		a.Call.Object.LoseTrack()
	}
}
