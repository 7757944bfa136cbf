package specs

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/session"
	"github.com/adconform/adconform/spec"
)

// Random sequences of requests, judged against what the session knows about the target's state (depth deep). They are
// drawn from the moves of draws.go, depending on the seed of the run. Half of the requests of a case are to its own
// operation, the others to all, as an effect of one may show in another. A sequence that fails is shrunk.
func randomSequences(s *Specs, op *spec.Operation) {
	var found []string // what the case found before, if it is repeated
	title := "After every random sequence of requests each object holds the values of the last success."
	s.Case("random/sequences", title,
		Options{Deep, Last, Clause(shown(op)...), Clause(op.Clause, op.Effects["persists"], "EFFECT-1", "EFFECT-2")},
		func(c Case, _ *Object) {
			x := newExploration(c, s)
			recorded, replays := c.Run().Sequences[c.Planned().ID], c.Run().Sequences != nil
			switch again := slices.Concat(recorded, found); {
			case len(again) > 0:
				for _, text := range again {
					x.replay(text)
				}
			case replays:
				c.NotTested(judge.ByOperator, "the report has no sequence of this case")
			default:
				found = x.explore()
			}
		})
}

// Limits on the random sequences of a run, shared by its operations, and on shrinking one.
const (
	drawnRequests  = 2000
	drawnWithin    = time.Minute
	shrinkRequests = 200
	longest        = 40 // steps
)

// step is a step of a sequence. Its numbers determine what it sends; ordinary values are new each time.
type step struct {
	at   *Object
	move *move
	// n holds the number of the user who sends an odd step, and those of the move. When the step is sent, each is
	// reduced to as many choices as there are.
	n, of [5]int
	read  int // how many were used
}

// The first number selects one of oddUsers: the owner, the stranger or none. The numbers of the move follow.
const userAt, ownAt, oddUsers = 0, 1, 3

// next returns the next number, which is below of.
func (s *step) next(of int) int {
	i := s.read
	s.read++
	s.of[i], s.n[i] = of, s.n[i]%of
	return s.n[i]
}

// pick returns one of several items.
func pick[T any](s *step, all []T) T { return all[s.next(len(all))] }

// String returns a step as reports record it: "updateCampaign campaign text [0 3 17 2 0]".
func (s step) String() string {
	return fmt.Sprintf("%s %s %s %d", s.at.Op.ID, keyOf(s.at), s.move.name, s.n)
}

func keyOf(o *Object) string { return cmp.Or(o.Key, "-") }

// kind returns the kind of a number, see move.
func (s *step) kind(i int) byte { return ("0" + s.move.kinds + "aaaa")[i] }

// isOdd reports whether the step sends something that no case lists.
func (s *step) isOdd() bool { return s.move.odd != nil }

// odd returns the request of a step that no case lists.
func (s *step) odd() oddity {
	s.read = userAt
	user := s.next(oddUsers)
	o := s.move.odd(s)
	clear(s.n[s.read:])
	if o.how.is(alone | uninvited | unsound | fourfold | followed) {
		user, s.n[userAt] = 0, 0
	}
	switch user {
	case 1:
		o = oddity{o.words + ", and the key of another user", o.change, o.how&^shows | uninvited}
	case 2:
		o = oddity{o.words + ", and no key", combined(o.change, As(anonymous)), o.how&^shows | uninvited}
	}
	return o
}

// covers reports whether another step probably triggers the same as this one.
func (s step) covers(other step) bool {
	if s.at.Op != other.at.Op || s.move != other.move {
		return false
	}
	for i, n := range s.n {
		if s.of[i] == 0 {
			continue
		}
		kind, o := s.kind(i), other.n[i]%s.of[i]
		if n != o && kind != '-' && !(kind == '0' && n == 0) && !(kind == 'g' && n < o) {
			return false
		}
	}
	return true
}

// exploration draws sequences for a case.
type exploration struct {
	*Specs
	c        Case
	objects  []*Object
	requests int // how many are left
	until    time.Time
}

// attempt is a sequence that was sent.
type attempt struct {
	steps  []step // the steps that were sent; nil if an object could not be set anew
	trial  session.Trial
	breach *judge.Finding // nil if it does not fail
}

func newExploration(c Case, s *Specs) *exploration {
	x := &exploration{Specs: s, c: c}
	for _, op := range s.Contract.Operations {
		all := named(c, op, keysOf(s.Target, op)...)
		switch {
		case c.Run().ReadOnly && (op.Updates() || op.Deletes()):
			continue
		case op.Updates():
			all = slices.DeleteFunc(append(named(c, op, op.Key()), others(c, op)...), func(o *Object) bool {
				if o.IsMain() {
					c.Survey(o)
				}
				if !o.Known() {
					c.Read(o)
				}
				return !o.MayWrite()
			})
		case len(op.Params) == 0:
			all = named(c, op, "")
		case len(all) == 0:
			all = append(all, c.Target().UnknownObject(op))
		}
		x.objects = append(x.objects, all[:min(len(all), 3)]...)
	}
	parts := len(s.Contract.Operations)
	x.requests = cmp.Or(c.Run().Drawn, drawnRequests) / parts
	x.until = time.Now().Add(min(drawnWithin/time.Duration(parts), c.Left()/2))
	return x
}

// of returns the objects of an operation.
func (x *exploration) of(operation string) []*Object {
	return slices.DeleteFunc(slices.Clone(x.objects), func(o *Object) bool { return o.Op.ID != operation })
}

// explore draws sequences, shrinks and reports those that fail, and continues without their triggers. It
// returns what it reported.
func (x *exploration) explore() (found []string) {
	for seed := x.c.Run().Seed; !x.spent(); seed++ {
		looks := x.of(x.c.Planned().Operation.ID)
		if seed%3 == 0 || len(looks) == 0 {
			looks = x.objects
		}
		if made := x.run(x.sequence(seed), false, looks); made.breach != nil {
			found = append(found, x.report(x.shrink(made)))
		}
	}
	return found
}

// spent reports whether no more may be sent.
func (x *exploration) spent() bool {
	return len(x.objects) == 0 || x.requests <= 0 || time.Now().After(x.until) || x.c.Left() <= 0
}

// sequence draws a sequence, in runs on one object, as effects show there first. It leaves out what was sent before
// or is known to fail.
func (x *exploration) sequence(seed uint64) (all []step) {
	random := rand.New(rand.NewPCG(seed, 0))
	for range longest / 3 {
		on := x.of(x.c.Planned().Operation.ID)
		if len(on) == 0 || random.IntN(2) == 0 {
			on = x.of(x.objects[random.IntN(len(x.objects))].Op.ID)
		}
		at := on[random.IntN(len(on))]
		for range 1 + random.IntN(6) {
			if s := drawn(random, at); !x.leavesOut(s) {
				all = append(all, s)
			}
		}
	}
	return all[:min(len(all), longest)]
}

// drawn returns a random step for an object.
func drawn(random *rand.Rand, at *Object) step {
	moves := movesOn(at.Op)
	s := step{at: at, move: moves[random.IntN(len(moves))]}
	for i := range s.n {
		if i != userAt || s.isOdd() && random.IntN(5) == 0 {
			s.n[i] = random.IntN(mostChoices)
		}
	}
	if s.isOdd() {
		s.odd() // this reduces its numbers
	}
	return s
}

// leavesOut reports whether a step would show nothing new.
func (x *exploration) leavesOut(s step) bool {
	return x.sent[s] || slices.ContainsFunc(x.triggers, func(t step) bool { return t.covers(s) })
}

// mostChoices is more than there are of anything that a number chooses.
const mostChoices = 1 << 12

// shrink shortens a sequence that fails: to its last step, which is usually enough, or by any steps that are not
// needed. It simplifies the trigger.
func (x *exploration) shrink(found attempt) attempt {
	left, was := shrinkRequests, found.breach
	// still sends another sequence, and keeps it if it fails in the same way. If an object cannot be set anew before,
	// everything fails, which shows nothing.
	still := func(steps []step) bool {
		if left <= 0 || x.c.Left() <= 0 {
			return false
		}
		before := x.requests
		made := x.run(steps, true, x.of(was.Operation))
		left, x.requests = left-before+x.requests, before
		switch b := made.breach; {
		case b != nil && made.steps == nil:
			left = 0
			return false
		case b == nil || b.Operation != was.Operation || b.Clause != was.Clause || b.Check != was.Check:
			return false
		}
		found = made
		return true
	}
	for size := len(found.steps) - 1; size > 0; size /= 2 {
		for at := 0; at+size <= len(found.steps) && len(found.steps) > 1; {
			if !still(slices.Delete(slices.Clone(found.steps), at, at+size)) {
				at += size
			}
		}
	}
	for i := len(step{}.n) - 1; i >= 0 && found.trigger() >= 0; i-- {
		at := found.trigger()
		fails := func(n int) bool {
			steps := slices.Clone(found.steps) // which may be fewer than before
			steps[min(at, len(steps)-1)].n[i] = n
			return still(steps)
		}
		s := found.steps[at]
		if kind, n := s.kind(i), s.n[i]; s.isOdd() && kind != 'a' && n > 0 && !fails(0) && kind == 'g' {
			sort.Search(n-1, func(less int) bool { return fails(less + 1) }) // the least that still fails
		}
	}
	return found
}

// trigger returns the index of the step that most likely triggers a failure: the one that makes the server fail, or the
// last odd one. It is -1 if there is none.
func (a attempt) trigger() int {
	for i, s := range slices.Backward(a.steps) {
		if s.isOdd() || fails(a.breach) && i == len(a.steps)-1 {
			return i
		}
	}
	return -1
}

// run sets, if asked to, each object anew that is in doubt, and sends the steps until something is wrong, in the end
// with a look at some objects.
func (x *exploration) run(steps []step, anew bool, looks []*Object) (made attempt) {
	defer func() { x.requests -= max(1, made.trial.Sent()) }()
	made.trial = x.c.Trial()
	for _, o := range x.objects {
		if anew && o.Op.Updates() && o.Uncertain() {
			made.trial.Write(o, made.trial.Ordinary(o, 0))
		}
	}
	made.breach = x.breachIn(made.trial)
	for i := 0; i < len(steps) && made.breach == nil; i++ {
		s := steps[i]
		x.send(made.trial, &s)
		made.steps = append(made.steps, s)
		made.breach = x.breachIn(made.trial)
	}
	if made.breach == nil {
		for _, o := range looks {
			look(made.trial, o)
		}
		made.breach = x.breachIn(made.trial)
	}
	return made
}

// breachIn returns the first finding that no case made before, or nil. Failures of the server count as different
// each time, as their causes may be.
func (x *exploration) breachIn(trial Case) *judge.Finding {
	for _, f := range trial.Findings() {
		if f.Severity != oracle.Notice && (fails(f) || !x.c.Run().Found(f.Site())) {
			return f
		}
	}
	return nil
}

// fails reports whether a finding is a failure of the server.
func fails(f *judge.Finding) bool { return f.Severity == oracle.Transport || f.Check == "server-error" }

// send sends a step. It first checks refused requests for effects, if a success would hide them.
func (x *exploration) send(c Case, s *step) {
	how, odd := s.move.how, oddity{}
	if s.isOdd() {
		odd = s.odd()
		x.sent[*s], how = true, odd.how
	}
	if how.is(shows) {
		c.VerifyNoTraceOf(s.at)
	}
	if s.read = ownAt; !s.isOdd() {
		s.move.send(x, c, s)
	} else if a := odd.send(c, s.at); a != nil && a.OK && how.is(shows) {
		c.Read(s.at)
	}
}

// report reports a sequence that fails, and excludes its trigger from now on.
func (x *exploration) report(made attempt) string {
	var texts, words []string
	for _, s := range made.steps {
		sent := s.move.name + " " + s.at.Name()
		if s.isOdd() {
			sent = s.odd().words
		}
		texts, words = append(texts, s.String()), append(words, sent)
	}
	if i := made.trigger(); i >= 0 {
		x.triggers = append(x.triggers, made.steps[i])
	}
	sequence := strings.Join(texts, "; ")
	made.trial.Adopt(made.breach, sequence, words)
	return sequence
}

// replay sends a sequence recorded in a report again.
func (x *exploration) replay(sequence string) {
	var steps []step
	for text := range strings.SplitSeq(sequence, "; ") {
		var s step
		var op, key, name string
		n := &s.n
		_, err := fmt.Sscanf(text, "%s %s %s [%d %d %d %d %d]", &op, &key, &name, &n[0], &n[1], &n[2], &n[3], &n[4])
		at := slices.IndexFunc(x.objects, func(o *Object) bool { return o.Op.ID == op && keyOf(o) == key })
		known := slices.IndexFunc(moves, func(m move) bool { return m.name == name })
		if err != nil || at < 0 || known < 0 || slices.Min(n[:]) < 0 {
			x.c.NotTested(judge.ByOperator,
				"a step in the report that this version, or the target file, does not have: "+text)
			return
		}
		s.at, s.move = x.objects[at], &moves[known]
		steps = append(steps, s)
	}
	if made := x.run(steps, true, x.objects); made.breach != nil {
		made.steps = steps
		x.report(made)
	}
}
