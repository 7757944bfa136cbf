package specs

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	. "github.com/adconform/adconform/suites/match"
	"github.com/adconform/adconform/suites/oracle"
)

// Random sequences of requests against what the session knows of the target's state (depth deep).
// Rapid draws them from the moves of draws.go and the table of odd input. One that fails is shrunk here, to the
// shortest that still does, of the simplest requests: rapid would send thousands for it. Half of the requests of a case are to its own operation, so
// that what one request does shows in the answers of others. The seed of the run decides what is drawn.
func randomSequences(s *Specs, op *spec.Operation) {
	var found []string // what it found before, when the case is repeated
	s.Case("random/sequences", "After every random sequence of requests each object holds what the last success said.",
		Options{Deep, Last, Clause(shown(op)...), Clause(op.Clause, op.Effects["persists"], "EFFECT-1", "EFFECT-2")},
		func(c *Case, _ *Object) {
			x := newExploration(c, s)
			recorded, replays := c.Known().Sequences[c.Case.ID], c.Known().Sequences != nil
			switch again := slices.Concat(recorded, found); {
			case len(again) > 0:
				for _, text := range again {
					x.replay(text)
				}
			case replays:
				c.NotTested(ByOperator, "the report has no sequence of this case")
			default:
				found = x.explore()
			}
			c.DiscardTrials()
		})
}

// Bounds of the random sequences of a run, which its operations share, and of those that shrink one.
const (
	drawnRequests  = 2000
	drawnWithin    = time.Minute
	shrinkRequests = 200
	shortest       = 10 // steps
	longest        = 40
)

// step is one of a sequence. Its numbers choose what it sends; ordinary values are new each time.
type step struct {
	move *move
	at   *Object
	n    []int
}

// String is a step as reports record it: "updateCampaign campaign text 0 3 17 2 0 0".
func (s step) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s %s %s %s", s.at.Op.ID, keyOf(s.at), s.move.name, strings.Trim(fmt.Sprint(s.n), "[]")))
}

func keyOf(o *Object) string { return cmp.Or(o.Key, "-") }

// choices are how many each number of the step has.
func (s step) choices() []int {
	choices := s.move.choices(s.at)
	if s.move.odd != nil {
		choices = append(slices.Clone(choices), oddUsers, harmless+1)
	}
	return choices
}

// kind is that of a number, see move.
func (s step) kind(i int) byte { return (s.move.kinds + "00")[i] }

// header is the position of the header of a step among the odd ones, -1 for none.
func (s step) header() int {
	switch {
	case s.move.name == "header":
		return s.n[0]
	case s.move.odd != nil && s.n[len(s.n)-1] > 0:
		return len(oddHeaders) - s.n[len(s.n)-1]
	}
	return -1
}

// words say what a step sends.
func (s step) words() string {
	if s.isOdd() {
		_, class, _ := s.odd()
		return class.words
	}
	return s.move.name + " " + s.at.Name()
}

// isOdd says whether nobody listed what it sends.
func (s step) isOdd() bool { return s.move.send == nil }

// covers says whether what a step triggers is to be expected of another one too.
func (s step) covers(other step) bool {
	if s.move.name == "header" {
		return s.at.Op == other.at.Op && s.header() == other.header()
	}
	if s.move.name != other.move.name || s.at.Op != other.at.Op {
		return false
	}
	for i, n := range s.n {
		kind := s.kind(i)
		if n != other.n[i] && !(kind == '0' && n == 0) && !(kind == 'g' && n < other.n[i]) {
			return false
		}
	}
	return true
}

// drawn is what the cases of a run have sent so far.
type drawn struct {
	sent     map[string]bool // odd steps
	triggers []step          // of what was found: they are left out
}

// exploration draws sequences for a case.
type exploration struct {
	c *Case
	*drawn
	own, objects []*Object // of the case's operation, and all
	requests     int       // that are left
	until        time.Time
	failing      *failing // what is being shrunk; nil: nothing was found yet
	last         []step   // the last sequence
	defect       any      // of ours
}

// attempt is a sequence that was sent.
type attempt struct {
	steps  []step // as far as it went; nil: an object could not be set anew
	trial  *Case
	breach *judge.Finding // nil: it does not fail
	looks  bool           // the breach shows only when everything is read back
}

// failing is a sequence that fails, and is being shrunk.
type failing struct {
	attempt
	requests int // that are left for it
	tried    map[string]bool
}

func newExploration(c *Case, s *Specs) *exploration {
	x := &exploration{c: c, drawn: &s.drawn}
	for _, op := range s.Contract.Operations {
		if c.Session.Shared.ReadOnly && (op.Updates() || op.Deletes()) {
			continue
		}
		all := named(c, op, keysOf(s, op)...)
		switch {
		case op.Updates():
			all = slices.DeleteFunc(append(named(c, op, op.Key()), others(c, op)...), func(o *Object) bool {
				if o.IsMain() {
					c.Survey(o)
				}
				c.Read(o)
				return !o.MayWrite()
			})
		case !NamesAnObject(op):
			all = named(c, op, "")
		case len(all) == 0:
			all = append(all, c.Known().UnknownObject(op))
		}
		x.objects = append(x.objects, all...)
		if op == c.Case.Operation {
			x.own = all
		}
	}
	parts := len(s.Contract.Operations)
	x.requests = cmp.Or(c.Known().Drawn, drawnRequests) / parts
	within := drawnWithin / time.Duration(parts)
	if deadline, set := c.Ctx.Deadline(); set {
		within = min(within, time.Until(deadline)/2)
	}
	x.until = time.Now().Add(within)
	return x
}

// explore draws sequences until one fails, reports it, and goes on without what triggers it. It returns what it
// reported.
func (x *exploration) explore() (found []string) {
	for seed := x.c.Known().Seed + 1; !x.spent() && len(x.objects) > 0; seed++ {
		x.failing = nil
		x.check(seed)
		if x.defect != nil {
			panic(x.defect)
		}
		if x.failing != nil {
			x.shrink()
			found = append(found, x.report(x.failing))
		}
	}
	return found
}

// spent says whether no more is to be sent.
func (x *exploration) spent() bool {
	_, gone := x.c.Known().Outcome.Liveness.Gone()
	return gone || x.requests <= 0 || time.Now().After(x.until) || x.c.Ctx.Err() != nil || x.defect != nil
}

// rapidFlags are global in rapid, and so is a check.
var rapidFlags sync.Mutex

// check lets rapid draw sequences until one fails, and shrink that.
func (x *exploration) check(seed uint64) {
	rapidFlags.Lock()
	defer rapidFlags.Unlock()
	if flag.Lookup("test.short") == nil {
		testing.Init()
	}
	if !flag.Parsed() {
		_ = flag.CommandLine.Parse(nil) // rapid asks for testing.Short
	}
	for name, value := range map[string]string{
		"rapid.checks": fmt.Sprint(5 * drawnRequests), "rapid.seed": fmt.Sprint(seed), // testing.Short divides it by five
		"rapid.nofailfile": "true", "rapid.shrinktime": "0s",
	} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	sequence := x.sequence()
	rapid.Check(&silent{}, func(rt *rapid.T) {
		if x.failing == nil && x.spent() {
			return
		}
		if steps := sequence.Draw(rt, "steps"); x.failing != nil || x.finds(steps) { // rapid looks whether it fails again
			rt.Fatalf("broken")
		}
	})
}

// besides say how many odd requests come from another user, or have a harmless header, too.
var besides = [][]bool{{false, false, false, false, false, false, false, true}, {false, true}}

func (x *exploration) sequence() *rapid.Generator[[]step] {
	drawn := func(rt *rapid.T) step {
		from := x.objects
		if len(x.own) > 0 && rapid.Bool().Draw(rt, "own") {
			from = x.own
		}
		s := step{at: rapid.SampledFrom(from).Draw(rt, "object")}
		s.move = rapid.SampledFrom(movesOn(s.at)).Draw(rt, "move")
		choices := s.choices()
		for i, n := range choices {
			if beside := i - len(choices) + 2; s.move.odd != nil && beside >= 0 && !rapid.SampledFrom(besides[beside]).Draw(rt, "beside") {
				n = 1
			}
			s.n = append(s.n, rapid.IntRange(0, n-1).Draw(rt, "choice"))
		}
		return s
	}
	return rapid.SliceOfN(rapid.Custom(drawn), shortest, longest)
}

// shrink shortens what fails: to its last steps, one most often, and then by any that it does without.
func (x *exploration) shrink() {
	f := x.failing
	for n := 1; n < len(f.steps) && !x.stillFails(f.steps[len(f.steps)-n:]); n *= 2 {
	}
	for size := len(f.steps) / 2; size > 0; size /= 2 {
		for at := 0; at+size <= len(f.steps) && len(f.steps) > 1; {
			if !x.stillFails(slices.Delete(slices.Clone(f.steps), at, at+size)) {
				at += size
			}
		}
	}
	x.simplify()
}

// simplify tries simpler values of the odd steps of what fails: none, and then less of what may be less.
func (x *exploration) simplify() {
	f := x.failing
	if last := len(f.steps) - 1; last >= 0 && f.steps[last].header() >= 0 { // perhaps it is the header alone
		header := slices.IndexFunc(moves, func(m *move) bool { return m.name == "header" })
		x.stillFails(append(slices.Clone(f.steps[:last]), step{moves[header], f.steps[last].at, []int{f.steps[last].header(), 0, 0}}))
	}
	for i := len(f.steps) - 1; i >= 0 && i < len(f.steps); i-- {
		for j := len(f.steps[i].n) - 1; j >= 0 && f.steps[i].isOdd(); j-- {
			as := func(n int) bool {
				steps := slices.Clone(f.steps)
				steps[i].n = slices.Clone(steps[i].n)
				steps[i].n[j] = n
				return x.stillFails(steps)
			}
			kind, least := f.steps[i].kind(j), 0
			if kind == 'a' || f.steps[i].n[j] == 0 || as(0) || kind != 'g' {
				continue
			}
			for most := f.steps[i].n[j]; most-least > 1; {
				if half := (least + most) / 2; as(half) {
					most = half
				} else {
					least = half
				}
			}
		}
	}
}

// finds sends a sequence that was drawn, but for the odd steps that were sent before and what is known to fail.
func (x *exploration) finds(steps []step) bool {
	steps = slices.DeleteFunc(steps, func(s step) bool {
		known := !slices.Contains(x.objects, s.at) || slices.ContainsFunc(x.triggers, func(t step) bool { return t.covers(s) })
		if key := s.String(); s.isOdd() && !known {
			known, x.sent[key] = x.sent[key], true // of the rest of what is not sent, too: it makes room
		}
		return known
	})
	made := x.run(steps, x.objects)
	x.requests -= made.requests()
	if made.breach == nil {
		x.last = made.steps
		return false
	}
	x.failing = &failing{attempt: made, tried: map[string]bool{}}
	if made.steps == nil { // it is an effect of the sequence before, and the objects are of no more use
		x.failing.steps = x.last
		x.objects = slices.DeleteFunc(x.objects, func(o *Object) bool { return o.Op.ID == made.breach.Operation })
		return true
	}
	x.last, x.failing.requests = made.steps, shrinkRequests
	return true
}

// stillFails sends a shorter or simpler sequence in place of one that fails, and keeps it if it fails alike. It
// ends where objects cannot be set anew: then everything fails.
func (x *exploration) stillFails(steps []step) bool {
	f, key := x.failing, fmt.Sprint(steps)
	if f.tried[key] || f.requests <= 0 || x.c.Ctx.Err() != nil {
		return false
	}
	f.tried[key] = true
	made := x.run(steps, slices.DeleteFunc(slices.Clone(x.objects), func(o *Object) bool { return !f.looks || o.Op.ID != f.breach.Operation }))
	f.requests -= made.requests()
	switch b := made.breach; {
	case b == nil:
		return false
	case made.steps == nil:
		f.requests = 0
		return false
	case b.Operation != f.breach.Operation || b.Clause != f.breach.Clause || b.Check != f.breach.Check:
		return false
	}
	f.attempt = made
	return true
}

// requests are those of an attempt, at least one.
func (a attempt) requests() int { return max(1, len(a.trial.Test.Result.Exchanges)) }

// run sets each object whose state is not known anew, and sends the steps until something is wrong, in the end with some objects.
func (x *exploration) run(steps []step, looks []*Object) (made attempt) {
	defer func() {
		if defect := recover(); defect != nil { // rapid would take it for a sequence that fails
			x.defect = defect
		}
	}()
	made.trial = x.c.Trial()
	for _, o := range x.objects {
		settle(made.trial, o)
	}
	made.breach = x.breach(made.trial)
	for i := 0; i < len(steps) && made.breach == nil; i++ {
		made.steps = append(made.steps, steps[i])
		x.send(made.trial, steps[i])
		made.breach = x.breach(made.trial)
	}
	if made.breach == nil && len(looks) > 0 {
		for _, o := range looks {
			sendLook(x, made.trial, o, nil)
		}
		made.breach, made.looks = x.breach(made.trial), true
	}
	return made
}

// breach is the first of what is wrong that no case found before; nil for none. A server that fails does so for
// another reason each time.
func (x *exploration) breach(trial *Case) *judge.Finding {
	trial.Broken() // judges what is left
	for _, f := range trial.Test.Result.Findings {
		if f.Severity != oracle.Notice && (fails(f) || !x.c.Known().Outcome.Found(f.Cause())) {
			return f
		}
	}
	return nil
}

// fails says whether a finding is that the server fails.
func fails(f *judge.Finding) bool { return f.Severity == oracle.Transport || f.Check == "server-error" }

// send sends a step.
func (x *exploration) send(c *Case, s step) {
	if !s.isOdd() {
		settle(c, s.at)
		s.move.send(x, c, s.at, s.n)
		return
	}
	part, class, shows := s.odd()
	var to *Matcher
	if shows {
		to = BeAccepted().OrRefused().Citing(s.at.Op.Effects["shows"])
	}
	if a := part.send(c, s.at, class, to); a != nil && a.OK && shows {
		c.Read(s.at)
	}
}

// odd is the request of a step that nobody listed, and whether it has to show what was sent if it is taken.
func (s step) odd() (*oddPart, oddity, bool) {
	if s.move.odd == nil {
		row := oddRows(s.at.Op)[s.n[0]]
		return row.part, row.oddity, false
	}
	change, words, shows := s.move.odd(s.at, s.n)
	user, header := s.n[len(s.n)-2], s.n[len(s.n)-1]
	all := []Change{change}
	if header > 0 {
		h := oddHeaders[len(oddHeaders)-header]
		all, words = append(all, Header(h[0], h[1])), words+", and "+h[0]+": "+h[1]
	}
	how := how(0)
	switch user {
	case 1:
		how, words = uninvited, "the key of another user, and "+words
	case 2:
		all, how, words = append(all, As(anonymous)), uninvited, "no key, and "+words
	}
	part := &oddPart{name: s.move.name, formless: header > 0 || s.move.name == "id" || s.move.name == "header"}
	return part, oddity{slug(words), words, func(r *Call) {
		for _, change := range all {
			change(r)
		}
	}, how}, shows && user == 0
}

// report reports a sequence that fails, and leaves out from now on what triggers it: its last odd step, or what
// makes the server fail.
func (x *exploration) report(f *failing) string {
	var texts, words []string
	var trigger *step
	for i, s := range f.steps {
		texts, words = append(texts, s.String()), append(words, s.words())
		if s.isOdd() || fails(f.breach) && i == len(f.steps)-1 {
			trigger = &f.steps[i]
		}
	}
	if trigger != nil {
		x.triggers = append(x.triggers, *trigger)
	}
	sequence := strings.Join(texts, "; ")
	x.c.Adopt(f.trial, f.breach, sequence, words)
	return sequence
}

// replay sends a sequence again that a report records.
func (x *exploration) replay(sequence string) {
	var steps []step
	for text := range strings.SplitSeq(sequence, "; ") {
		s, err := x.parse(strings.Fields(text))
		if err != nil {
			x.c.NotTested(ByOperator, fmt.Sprintf("%s in the report: %s", err, text))
			return
		}
		steps = append(steps, s)
	}
	made := x.run(steps, x.objects)
	if x.defect != nil {
		panic(x.defect)
	}
	if made.breach != nil {
		made.steps = steps
		x.report(&failing{attempt: made})
	}
}

// parse is the inverse of String.
func (x *exploration) parse(words []string) (s step, err error) {
	if len(words) < 3 {
		return s, errors.New("no step")
	}
	at := slices.IndexFunc(x.objects, func(o *Object) bool { return o.Op.ID == words[0] && keyOf(o) == words[1] })
	is := slices.IndexFunc(moves, func(m *move) bool { return m.name == words[2] })
	if at < 0 || is < 0 {
		return s, errors.New("a step that this version, or the target file, does not have")
	}
	s = step{at: x.objects[at], move: moves[is]}
	choices := s.choices()
	for i, word := range words[3:] {
		n, err := strconv.Atoi(word)
		if err != nil || i >= len(choices) || n < 0 || n >= choices[i] {
			return s, errors.New("a step with other numbers than it has")
		}
		s.n = append(s.n, n)
	}
	if len(s.n) < len(choices) {
		return s, errors.New("a step without some of its numbers")
	}
	return s, nil
}

// silent is a test that fails without a word: the suite reports by itself. Rapid calls no other
// methods of it than these.
type silent struct {
	rapid.TB
	failed bool
}

func (*silent) Helper() {}

func (*silent) Name() string { return "adconform" }

func (*silent) Logf(string, ...any) {}

func (s *silent) Errorf(string, ...any) { s.failed = true }

func (s *silent) Fatalf(string, ...any) { s.failed = true }

func (s *silent) FailNow() { s.failed = true }

func (s *silent) Failed() bool { return s.failed }
