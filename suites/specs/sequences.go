package specs

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	. "github.com/adconform/adconform/suites/match"
	"github.com/adconform/adconform/suites/oracle"
)

// Random sequences of requests against what the session knows of the target's state (depth deep).
// Rapid draws them from the moves of draws.go, and the seed of the run decides what is drawn. Half of the requests
// of a case are to its own operation, the rest to all, as what one does may show in another. A sequence that fails
// is shrunk here: rapid would send thousands of requests for that.
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
	longest        = 40 // steps
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
		headers := len(oddHeaders)
		if s.at.Op.Updates() { // some would have the body refused before it is read
			headers = harmless
		}
		choices = append(slices.Clone(choices), oddUsers, headers+1)
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
	sent     map[string]bool // odd steps, by key
	turn     map[string]int  // of headers, by operation
	triggers []step          // of what was found: they are left out
}

// exploration draws sequences for a case.
type exploration struct {
	c *Case
	*drawn
	own, objects []*Object // of the case's operation, and all
	requests     int       // that are left
	until        time.Time
}

// attempt is a sequence that was sent.
type attempt struct {
	steps  []step // as far as it went; nil: an object could not be set anew
	trial  *Case
	breach *judge.Finding // nil: it does not fail
	looks  bool           // the breach shows only when everything is read back
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
				if !o.Known() {
					c.Read(o)
				}
				return !o.MayWrite()
			})
		case !NamesAnObject(op):
			all = named(c, op, "")
		case len(all) == 0:
			all = append(all, c.Known().UnknownObject(op))
		}
		all = all[:min(len(all), 3)]
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

// explore draws sequences, shrinks and reports those that fail, and goes on without what triggers that. It
// returns what it reported.
func (x *exploration) explore() (found []string) {
	for seed := int(x.c.Known().Seed); !x.spent(); seed++ {
		looks := x.own
		if seed%3 == 0 || len(looks) == 0 {
			looks = x.objects
		}
		if made := x.run(x.unknown(slices.Concat(x.runs().Example(seed)...)), false, looks); made.breach != nil {
			found = append(found, x.report(x.shrink(made)))
		}
	}
	return found
}

// spent says whether no more is to be sent.
func (x *exploration) spent() bool {
	_, gone := x.c.Known().Outcome.Liveness.Gone()
	return gone || len(x.objects) == 0 || x.requests <= 0 || time.Now().After(x.until) || x.c.Ctx.Err() != nil
}

// besides say how many odd requests, one in so many, come from another user, or have another header, too.
var besides = []int{5, 2}

// runs generates steps in runs on one object, as what one does shows there first.
func (x *exploration) runs() *rapid.Generator[[][]step] {
	return rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) []step {
		op := x.c.Case.Operation
		if len(x.own) == 0 || choose(rt, 2) == 0 {
			op = x.objects[choose(rt, len(x.objects))].Op
		}
		on := slices.DeleteFunc(slices.Clone(x.objects), func(o *Object) bool { return o.Op != op })
		at := on[choose(rt, len(on))]
		return rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) step {
			all := movesOn(at)
			s := step{at: at, move: all[choose(rt, len(all))]}
			choices := s.choices()
			for i, n := range choices {
				if beside := i - len(choices) + len(besides); s.move.odd != nil && beside >= 0 && choose(rt, besides[beside]) > 0 {
					n = 1
				}
				s.n = append(s.n, choose(rt, n))
			}
			return s
		}), 1, 6).Draw(rt, "run")
	}), longest/2, longest)
}

// choose draws one of n numbers, each as likely as the others: rapid itself prefers small ones.
func choose(rt *rapid.T, n int) (chosen int) {
	for _, bit := range rapid.SliceOfN(rapid.Bool(), 12, 12).Draw(rt, "choice") {
		if chosen *= 2; bit {
			chosen++
		}
	}
	return chosen % n
}

// unknown leaves out of a sequence the odd steps that were sent before, and what is known to fail. The headers of
// the others take turns.
func (x *exploration) unknown(steps []step) (all []step) {
	for _, s := range steps {
		if len(all) == longest || !slices.Contains(x.objects, s.at) || x.sent[s.key()] ||
			slices.ContainsFunc(x.triggers, func(t step) bool { return t.covers(s) }) {
			continue
		}
		if last := len(s.n) - 1; s.move.odd != nil && s.n[last] > 0 {
			s.n[last] = 1 + x.turn[s.at.Op.ID]%(s.choices()[last]-1)
			x.turn[s.at.Op.ID]++
		}
		all = append(all, s)
	}
	return all
}

// key is what tells an odd step from others, whatever header it has beside.
func (s step) key() string {
	if s.move.odd != nil {
		s.n = s.n[:len(s.n)-1]
	}
	return s.String()
}

// shrink shortens a sequence that fails: to its last steps, one most often, then by any that it does without;
// and it simplifies those that are left.
func (x *exploration) shrink(found attempt) attempt {
	f := &shrinking{x, found, shrinkRequests, map[string]bool{}}
	for n := 1; n < len(f.steps) && !f.still(f.steps[len(f.steps)-n:]); n *= 2 {
	}
	for size := len(f.steps) / 2; size > 0; size /= 2 {
		for at := 0; at+size <= len(f.steps) && len(f.steps) > 1; {
			if !f.still(slices.Delete(slices.Clone(f.steps), at, at+size)) {
				at += size
			}
		}
	}
	if last := len(f.steps) - 1; f.steps[last].header() >= 0 { // it may be the header alone
		f.still(append(slices.Clone(f.steps[:last]), step{moveNamed("header"), f.steps[last].at, []int{f.steps[last].header(), 0, 0}}))
	}
	for i := 0; i < len(f.steps); i++ { // a simpler sequence may fail earlier, and so be shorter
		for j := len(f.steps[i].n) - 1; j >= 0 && i < len(f.steps); j-- {
			f.simplify(i, j)
		}
	}
	return f.attempt
}

// shrinking is a sequence that is being shrunk.
type shrinking struct {
	*exploration
	attempt
	left  int // requests
	tried map[string]bool
}

// simplify tries 0 for a number of an odd step, and then the least that still fails.
func (f *shrinking) simplify(i, j int) {
	fails := func(n int) bool {
		steps := slices.Clone(f.steps)
		steps[i].n = slices.Clone(steps[i].n)
		steps[i].n[j] = n
		return f.still(steps)
	}
	if i >= len(f.steps) || !f.steps[i].isOdd() || f.steps[i].kind(j) == 'a' || f.steps[i].n[j] == 0 || fails(0) || f.steps[i].kind(j) != 'g' {
		return
	}
	for least, most := 0, f.steps[i].n[j]; most-least > 1 && i < len(f.steps); {
		if half := (least + most) / 2; fails(half) {
			most = half
		} else {
			least = half
		}
	}
}

// still sends another sequence in place of the one that fails, and keeps it if it fails alike. Where an object
// cannot be set anew before, everything fails: that shows nothing.
func (f *shrinking) still(steps []step) bool {
	key := fmt.Sprint(steps)
	if f.tried[key] || f.left <= 0 || f.c.Ctx.Err() != nil {
		return false
	}
	f.tried[key] = true
	left := f.requests
	made := f.run(steps, true, slices.DeleteFunc(slices.Clone(f.objects), func(o *Object) bool {
		return !f.looks || o.Op.ID != f.breach.Operation
	}))
	f.left, f.requests = f.left-left+f.requests, left
	switch b := made.breach; {
	case b != nil && made.steps == nil: // and is of no more use
		f.left, f.objects = 0, slices.DeleteFunc(f.objects, func(o *Object) bool { return o.Op.ID == b.Operation })
		return false
	case b == nil || b.Operation != f.breach.Operation || b.Clause != f.breach.Clause || b.Check != f.breach.Check:
		return false
	}
	f.attempt = made
	return true
}

// run sets, if asked to, each object anew that is in doubt, and sends the steps until something is wrong, in the end with a look
// at some objects.
func (x *exploration) run(steps []step, anew bool, looks []*Object) (made attempt) {
	defer func() { x.requests -= max(1, len(made.trial.Test.Result.Exchanges)) }()
	made.trial = x.c.Trial()
	for _, o := range x.objects {
		if anew && o.Op.Updates() && o.Uncertain() {
			c := made.trial
			c.Write(o, c.Ordinary(o, 0))
		}
	}
	made.breach = x.breachIn(made.trial)
	for i := 0; i < len(steps) && made.breach == nil; i++ {
		made.steps = append(made.steps, steps[i])
		x.send(made.trial, steps[i])
		made.breach = x.breachIn(made.trial)
	}
	if made.breach == nil && len(looks) > 0 {
		for _, o := range looks {
			sendLook(x, made.trial, o, nil)
		}
		made.breach, made.looks = x.breachIn(made.trial), true
	}
	return made
}

// breachIn is the first of what is wrong that no case found before; nil for none. A server that fails does so for
// another reason each time.
func (x *exploration) breachIn(trial *Case) *judge.Finding {
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
		s.move.send(x, c, s.at, s.n)
		return
	}
	x.sent[s.key()] = true
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
func (x *exploration) report(made attempt) string {
	var texts, words []string
	var trigger []step
	for i, s := range made.steps {
		texts, words = append(texts, s.String()), append(words, s.words())
		if s.isOdd() || fails(made.breach) && i == len(made.steps)-1 {
			trigger = made.steps[i : i+1]
		}
	}
	x.triggers = append(x.triggers, trigger...)
	sequence := strings.Join(texts, "; ")
	x.c.Adopt(made.trial, made.breach, sequence, words)
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
	if made := x.run(steps, true, x.objects); made.breach != nil {
		made.steps = steps
		x.report(made)
	}
}

// parse is the inverse of String.
func (x *exploration) parse(words []string) (s step, err error) {
	if len(words) < 3 {
		return s, errors.New("no step")
	}
	at := slices.IndexFunc(x.objects, func(o *Object) bool { return o.Op.ID == words[0] && keyOf(o) == words[1] })
	m := moveNamed(words[2])
	if at < 0 || m == nil {
		return s, errors.New("a step that this version, or the target file, does not have")
	}
	s = step{at: x.objects[at], move: m}
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
