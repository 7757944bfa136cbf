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
	sent     map[int]mix // what the requests of a batch were made of, by the number of the exchange
	first    int         // the number of the first exchange on a connection whose order matters
	together bool        // rows are open together that were accepted one by one
	tested   *covering   // what decided that
	met      *covering   // of every request that was answered
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
		s.Case("arrays/elsewhere",
			"Each form of a request that was served is served for the owner's other objects, too.",
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
			Clause("AUTH-1"), optionIf(judge.Has(s.Target, judge.NeedStranger), Clause("AUTH-2", "AUTH-3")),
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
	g.spellTexts(c, o, (*row).hasManyLetters)
	g.publish(c)
	skipUnless(c, len(g.taken) > 0, judge.ByTarget, "the target accepts no form of the request")
}

// decide finds out which open rows the target accepts: those that many targets refuse one by one, the others together,
// as a request that is accepted shows that each of its rows is, and one by one where it is not.
func (g *grid) decide(c Case, o *Object) {
	g.forget(c)
	if g.op.Deletes() {
		g.assume(c)
		return
	}
	g.batch(c, o, func() {
		for _, r := range g.rows((*row).isDoubtful) {
			g.take(c, o, mix{r})
		}
	})
	may := func(r *row) bool {
		isMet := r.isDoubtful() || g.verdicts[r] == refusedAlone // it was sent alone
		return !r.isFault() && (g.verdicts[r] == accepted || !isMet)
	}
	for m := g.tested.next(g.dimensions, may); m != nil; m = g.tested.next(g.dimensions, may) {
		g.batch(c, o, func() {
			if g.take(c, o, m) || !g.isolate(c, o, m) {
				g.tested.note(m)
			}
			g.askAlone(c, o)
		})
	}
	// A row that is also in a larger one needs none of its own.
	all := g.taken
	isLarger := func(m mix) bool { return len(m) > 1 }
	larger := slices.DeleteFunc(slices.Clone(all), func(m mix) bool { return !isLarger(m) })
	g.taken = slices.DeleteFunc(slices.Clone(all), func(m mix) bool {
		return !isLarger(m) && slices.ContainsFunc(larger, func(other mix) bool { return other.has(m) })
	})
}

// forget makes the grid one of a run that has sent nothing.
func (g *grid) forget(c Case) {
	*g = grid{Specs: g.Specs, op: g.op, dimensions: g.dimensions, run: c.Run()}
	g.verdicts, g.sent, g.tested, g.met = map[*row]verdict{}, map[int]mix{}, newCovering(), newCovering()
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

// askAlone sends the rows of a dimension alone if the target refuses one of them: it most likely refuses others.
func (g *grid) askAlone(c Case, o *Object) {
	for _, d := range g.dimensions {
		isRefused := func(r *row) bool { return g.verdicts[r] == refusedAlone && !r.isDoubtful() }
		refusesOne := slices.ContainsFunc(d.rows, isRefused)
		for _, r := range d.rows {
			if refusesOne && r.is == open && g.verdicts[r] == undecided {
				g.take(c, o, mix{r})
			}
		}
	}
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
	g.taken = covered(g.dimensions, may)
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
		a := c.Send(call)
		right := c.Right(a)
		right.Statuses = append(right.Statuses, 404) // another may have deleted it
		c.Judge(a, right)
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
	is := g.ask(c, o, m)
	if is {
		g.taken = append(g.taken, m)
	}
	return is
}

// try sends the owner's request that is made of rows, in a batch of its own, and reports whether it was accepted.
func (g *grid) try(c Case, o *Object, m mix) (is bool) {
	g.batch(c, o, func() { is = g.ask(c, o, m) })
	return is
}

// batch sends requests, and then looks for effects of those that were refused.
func (g *grid) batch(c Case, o *Object, send func()) {
	if g.op.Updates() {
		c.VerifyNoTraceOf(o)
	}
	mark := len(c.Findings())
	g.sent = map[int]mix{}
	send()
	if g.op.Updates() {
		settle(c, o)
	}
	g.account(c, o, mark, g.sent)
}

// ask sends the owner's request that is made of rows, and reports whether it was accepted.
func (g *grid) ask(c Case, o *Object, m mix) bool {
	is := refusedAlone // so that what is known to be answered wrongly is not tried again
	if !g.hides(m) {
		is = g.judge(c, o, c.Send(m.made(c, o)), m)
	}
	for _, r := range m {
		if is == accepted || len(m) == 1 {
			g.verdicts[r] = is
		}
	}
	return is == accepted
}

// judge judges the answer to a request that is made of rows by the document, and returns what the target did with it.
// What it accepted before is no longer open. With a row that it refuses alone a request need only not be served if it
// has a fault, as the refusal may be about that row.
func (g *grid) judge(c Case, o *Object, a *judge.Answer, m mix) verdict {
	if a.Status > 0 {
		g.met.note(m)
	}
	g.sent[a.Exchange.Seq] = m
	isOpen := func(r *row) bool { return g.together || g.verdicts[r] != accepted || r.how.is(fixed) }
	left := slices.DeleteFunc(slices.Clone(m), func(r *row) bool { return !isOpen(r) })
	isHidden := left.is(strays) || slices.ContainsFunc(left, func(r *row) bool { return g.verdicts[r] == refusedAlone })
	right := c.Right(a)
	if len(left) < len(m) {
		right = c.RightTo(left.made(c, o))
	}
	mayBeServed := right.Success || right.OnlyCrash
	switch {
	case isUnsendable(a):
		c.Judge(a, judge.Expect{OnlyCrash: true})
		return unsent
	case isHidden && !g.serves(a) && a.Status > 0 && a.Status < 500:
		right = judge.Expect{OnlyCrash: true, Unlisted: true}
	case mayBeServed && g.serves(a):
		right = judge.Expect{Success: true, Clause: g.op.Clause}
	}
	c.Judge(a, right)
	if !g.serves(a) {
		return refusedAlone
	}
	if !mayBeServed && a.Call.Object != nil && g.op.Updates() {
		a.Call.Object.LoseTrack()
	}
	return accepted
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

// elsewhere sends what was accepted for the other objects, and for another page of a list, and then reads all.
func (g *grid) elsewhere(c Case, o *Object) {
	forms := g.forms()
	for _, other := range g.otherObjects(c) {
		var beside mix
		if page := g.secondPage(c); page != nil && c.Target().ShownPages(other) > 1 && g.try(c, other, mix{page}) {
			beside = mix{page}
		}
		for _, m := range forms {
			for _, r := range beside {
				m = m.with(r)
			}
			g.try(c, other, m)
		}
	}
	if g.op.Updates() {
		readAll(c, append(others(c, g.op), o))
	}
}

// secondPage returns the row of page 2 of a list, nil if the target has no pages.
func (g *grid) secondPage(c Case) *row {
	parameter := c.Target().PageParameter(g.op)
	if parameter == "" {
		return nil
	}
	r := openRow("page-2", "page 2 by its number", "page", func(_ Case, r *Call) {
		between := "?"
		if strings.Contains(pathOf(r), between) {
			between = "&"
		}
		r.Page, r.Target = 2, pathOf(r)+between+parameter+"=2"
	})
	r.at = len(g.dimensions)
	return r
}

// forms returns requests that together have each row that the target accepts, but for texts, as those say nothing of
// how the rest of a request is read.
func (g *grid) forms() []mix {
	return covered(g.dimensions, func(r *row) bool {
		isTaken := g.verdicts[r] == accepted || g.op.Deletes() && g.verdicts[r] == undecided
		isSharp := !r.how.is(strays) || r.isDoubtful() // what is shown without a wish for JSON is open
		return isTaken && isSharp && !r.isFault() && !r.how.is(texted)
	})
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

// refusedTo sends, as a user who has to be refused, what was accepted, and what is refused alone.
func (g *grid) refusedTo(c Case, o *Object, user string) {
	who := g.find(user)
	var all []mix
	for _, m := range g.taken {
		all = append(all, m.with(who))
	}
	isRefused := func(r *row) bool { return g.verdicts[r] == refusedAlone && !r.clashes(who) }
	for _, r := range g.rows(isRefused) {
		if r.isDoubtful() { // most likely something before the operation refuses it
			all = append(all, mix{r}.with(who))
		}
	}
	for _, m := range covered(g.dimensions, func(r *row) bool { return isRefused(r) && !r.isDoubtful() }) {
		all = append(all, m.with(who))
	}
	g.stretch(c, o, all)
	if g.op.Updates() && !o.Placeholder() { // the next update is made in any case
		g.batch(c, o, func() {
			g.judge(c, o, c.Send(mix{who}.made(c, o)), mix{who})
			send(c, Request(c, o), BeAccepted())
		})
		c.Read(o)
	}
}

// faults sends faults of each kind in each form of a request, as a server that routes or reads one form by other code
// may check nothing there. Faults of the body are for another object, as the cases of 422 use the first.
func (g *grid) faults(c Case, o *Object) {
	forms := g.forms()
	if len(forms) == 0 {
		forms = []mix{nil}
	}
	var here, there []mix
	for _, kind := range []string{"unknown", "no parent", "other parent", "value"} {
		rows := g.rows(func(r *row) bool { return r.kind == kind })
		for i := range max(len(forms), len(rows)) * min(1, len(rows)) {
			r := rows[i%len(rows)]
			if m := forms[i%len(forms)].with(r); kind == "value" {
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

// gone sends each form of a request for what was deleted.
func (g *grid) gone(c Case, o *Object) {
	skipUnless(c, o.Removed(), judge.ByTarget, "the target deletes nothing")
	g.stretch(c, o, append([]mix{{}}, g.forms()...))
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
			name: "after-" + wording.Slug(before), words: "a connection that had " + before + " just before",
			change: always(), how: sequel, at: len(g.dimensions),
		}
		m := mix{r, after}
		calls, all = append(calls, m.made(c, o)), append(all, m)
		before = r.words
	}
	elsewhere := g.elsewhereCall(c)
	for i, first := range who { // each pair once: aabbccacba has all of them
		if elsewhere != nil {
			calls, all = append(calls, *elsewhere), append(all, nil)
			before = "a success elsewhere"
		}
		add(first)
		add(first)
		for _, second := range who[i+1:] {
			add(second)
			add(first)
		}
	}
	g.batch(c, o, func() {
		answers := c.SendInOrder(calls...)
		g.first = answers[0].Exchange.Seq
		for i, a := range answers {
			if all[i] == nil {
				c.Expect(a).To(BeAccepted())
			} else {
				g.judge(c, o, a, all[i])
			}
		}
	})
}

// elsewhereCall returns a request that has to succeed and names another object, or that only reads; nil if there is
// none.
func (g *grid) elsewhereCall(c Case) *Call {
	all := g.otherObjects(c)
	lists := g.op
	if g.op.Deletes() {
		lists = below(g.Specs, g.op)
	}
	if lists != nil && lists.Lists() {
		all = named(c, lists, lists.Key())
	}
	if len(all) == 0 {
		return nil
	}
	call := Request(c, all[0])
	return &call
}

// inStretch is how many requests of a stretch are sent before the object is read back.
const inStretch = 20

// stretch sends requests that have to be refused, several in a row on one connection, and then looks for their effect.
func (g *grid) stretch(c Case, o *Object, all []mix) {
	for some := range slices.Chunk(all, inStretch) {
		some = slices.DeleteFunc(slices.Clone(some), g.hides)
		var calls []Call
		for _, m := range some {
			calls = append(calls, m.made(c, o))
		}
		isGone := false
		g.batch(c, o, func() {
			for from := 0; from < len(calls); {
				for _, a := range sendInRow(c, calls[from:]) {
					isGone = isGone || g.op.Deletes() && g.serves(a)
					g.judge(c, o, a, some[from])
					from++
				}
			}
		})
		if isGone { // what follows would be answered as for what is gone
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
