package judge

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/model"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
)

// A Sequence is what was sent and answered, for the model, which judges it without knowing the cases.
type Sequence struct {
	*model.State
	Users map[string]model.User // by key
	sent  map[*model.Exchange]sent
}

// A sent is a request that the model knows, without its answer, and the test that sent it.
type sent struct {
	*wire.Exchange
	by *Test
}

// NewSequence returns a sequence in which only the target file is known. A read may show a state from before a change
// for as long as delay.
func NewSequence(w model.World, delay time.Duration) *Sequence {
	return &Sequence{State: model.NewState(w, delay), Users: w.Users, sent: map[*model.Exchange]sent{}}
}

// ownSequence returns the sequence of a chain. No read of it shows an earlier state: it was sent again before.
func ownSequence(o *ModelOptions) *Sequence {
	return NewSequence(model.World{
		Contract: o.Contract, Target: o.Target, Users: map[string]model.User{},
		MadeUp: true, Undeclared: true,
	}, 0)
}

// join adds what another chain has sent and got.
func (q *Sequence) join(other *Sequence) {
	q.Join(other.State)
	maps.Copy(q.sent, other.sent)
	maps.Copy(q.Users, other.Users)
}

// Note notes which request the model knows by an exchange, and the test that sent it, or nil.
func (q *Sequence) Note(x *model.Exchange, ex *wire.Exchange, by *Test) { q.sent[x] = sent{ex, by} }

// Settle adds the answer to an exchange. A request that timed out may still be carried out.
func (q *Sequence) Settle(x *model.Exchange, ex *wire.Exchange) {
	if ex.Err == nil || ex.Err.Kind != wire.Timeout {
		x.End = ended(ex)
	}
	if ex.Response != nil && ex.Err == nil {
		x.Status = ex.Response.Status
		x.Answer = oracle.Decode(ex.Response.Body)
		x.Date, _ = http.ParseTime(ex.Response.Header.Get("Date")) // zero if it cannot be read
	}
}

// Follow gives answers and their requests to the model, in the order in which they were on the wire.
func (t *Test) Follow(answers ...*Answer) {
	var moments []moment
	for _, a := range answers {
		a.sight = t.sightIn(a)
		if a.Undecided {
			continue
		}
		for _, ex := range append(slices.Clone(a.Before), a.Exchange) {
			switch {
			case ex.Attempts == 0: // it was not sent
			case ex == a.Exchange, ex.Err != nil:
				moments = append(moments, t.momentsOf(a, ex)...)
			}
		}
	}
	slices.SortStableFunc(moments, func(a, b moment) int {
		return a.at.Compare(b.at)
	})
	for _, m := range moments {
		m.pass()
	}
}

// A moment is when a request was sent, or when its answer was complete.
type moment struct {
	at   time.Time
	pass func() // tells the model
}

// momentsOf returns the moments of an exchange that belongs to an answer.
func (t *Test) momentsOf(a *Answer, ex *wire.Exchange) []moment {
	q := t.Sequence
	x := t.asModel(a.Call, ex)
	q.Note(x, withoutAnswer(ex), t)
	begin := func() { q.Begin(x) }
	settle := func() {
		q.Settle(x, ex)
		breaches, judged := q.After(x)
		if ex == a.Exchange {
			a.breaches = breaches
			a.judged = judged
			a.omitted = x.Omitted
		}
	}
	return []moment{{ex.Start, begin}, {ended(ex), settle}}
}

// asModel returns a request as the model reads it.
func (s *State) asModel(c *Call, ex *wire.Exchange) *model.Exchange {
	s.Sequence.Users[s.Owner().Value] = model.Owner
	if key := s.Stranger().Value; key != "" {
		s.Sequence.Users[key] = model.Stranger
	}
	return &model.Exchange{
		Request: s.OnWire(c, &ex.Request), Seq: ex.Seq, Start: ex.Start, Again: ex.Unsure,
	}
}

// judgeSequence adds the findings of what an answer breaks, as the answers before it show.
func (t *Test) judgeSequence(a *Answer) {
	if t.Recorded { // whoever follows the recording judges it
		return
	}
	for _, one := range a.judged {
		t.Outcome.cover(one.Clause, t.Case.ID, one.Op.ID)
	}
	for _, b := range a.breaches {
		t.addBreach(a, b)
	}
}

// isExplained reports whether the status of an answer is wrong because of what requests before it did.
func (a *Answer) isExplained() bool {
	isOfStatus := func(b model.Breach) bool { return b.IsStatus }
	return slices.ContainsFunc(a.breaches, isOfStatus)
}

// isGone reports whether an answer shows that a creative is gone, or was never there.
func (a *Answer) isGone() bool {
	return a.Status == http.StatusNotFound && a.isExplained()
}

// addBreach adds the finding of a breach.
func (t *Test) addBreach(a *Answer, b model.Breach) {
	check, f := t.FindingOf(b)
	by := t
	if b.Cause == finding.ItemsTwice {
		by = t.beforeTwice(b)
	}
	var found *Finding
	switch b.Kind {
	case model.RefusedDelete, model.RefusedWrite:
		f.WFC = 114
		by = t.Sequence.sent[b.By[len(b.By)-1]].by
		found = t.blame(t.Sequence.refusals(b.By), check, f)
	case model.Stale, model.OtherObject:
		found = t.findUpdate(check, b, f)
	case model.Gone:
		f.WFC = 113
		f.Cause = finding.OfSecondDelete(a.Status)
		t.withdrawStrangers(a, b.By[0].Seq)
		found = t.Find(check, f)
	default:
		found = by.Find(check, f)
	}
	if found != nil {
		t.holdBreach(a, b, found, by.Result)
	}
}

// findUpdate adds the finding that a field does not show what the last update set.
func (t *Test) findUpdate(check *Check, b model.Breach, f Finding) *Finding {
	if spread := t.sameAnswer(finding.OtherObject); spread != nil { // the same update shows both fields
		f.Cause = spread.Cause
		f.Requests = spread.Requests
	} else if b.Kind == model.Stale {
		if b.IsMadeUp {
			f.Cause = finding.Changed(b.Last, b.Value)
		}
		if n := len(b.By); n > 0 {
			f.Sent = t.matters(t.Sequence.sent[b.By[n-1]].Exchange, f.Pointer)
		}
	}
	return t.Find(check, f)
}

// beforeTwice withdraws what follows from an item on two pages, and what fewer pages showed of it. It returns the test
// that adds a finding about the second of the two.
func (t *Test) beforeTwice(b model.Breach) *Test {
	again := b.By[len(b.By)-1]
	t.withdraw(func(f *Finding) bool {
		if f.IsPageTotal() && f.Exchange >= again.Seq {
			return true
		}
		return f.Cause.Kind == finding.ItemsTwice && f.Names == b.Title
	})
	if sent := t.Sequence.sent[again]; sent.by == t {
		return t.showing(sent.Exchange)
	}
	return t
}

// holdBreach makes a finding tentative if the target file may be wrong. in is the result that it belongs to.
func (t *Test) holdBreach(a *Answer, b model.Breach, found *Finding, in *Result) {
	o := a.Call.Object
	isOfUpdate := o != nil && o.Op.Body != nil
	isOfValue := b.Field != nil && b.Value != nil
	switch {
	case isOfUpdate && isOfValue:
		t.MayBeAnotherWriters(found, in, o, o.Op.Body.Field(b.Field.Meaning), b.Value)
	case b.Given != nil:
		t.Outcome.hold(TentativeFinding{
			finding: found, Result: in, Object: o,
			Misnamed: b.Given.Words, Missing: b.Given.Missing, More: b.Given.More,
		})
	case b.Unseen:
		t.hold(found, in, o, a.Status, a.Call.As.Name)
		if in != t.Result {
			t.NotTested(ByOperator, o.Key+" is gone, probably deleted by an earlier run")
		}
	}
}

// withdrawStrangers withdraws that other users, who were answered like the owner since a request, were mistaken for the
// owner.
func (t *Test) withdrawStrangers(a *Answer, since int) {
	t.withdraw(func(f *Finding) bool {
		isOther := f.Check == CheckNotRefused.ID && f.Operation == a.Call.Op.ID
		isAlike := f.Exchange > since && f.IsAnswered(a.Status)
		return isOther && isAlike
	})
}

// FindingOf returns the check and the finding of a breach that the last answer shows.
func (t *Test) FindingOf(b model.Breach) (*Check, Finding) {
	f := Finding{
		Clause: b.Clause, Operation: b.Op.ID, Pointer: pointerOf(t.answering, b),
		Expected: b.Expected, Got: b.Got,
		Cause: finding.CauseOf(b.Cause), Aspect: b.Aspect, Value: b.Value,
		Names: cmp.Or(b.Title, strings.Trim(IDList(b.Names), "[]")),
	}
	by := explaining(b)
	shown := append(slices.Clone(b.Shown), make([]string, len(by)+1)...)
	for i, x := range by {
		then := cmp.Or(shown[i], statusOf(x.Status))
		f.Requests = append(f.Requests, t.request(t.Sequence.sent[x].Exchange, then))
	}
	n := len(by)
	if isLater := n > 0 && by[n-1].Seq != t.shown.Seq; isLater && !b.IsShown {
		f.Requests = append(f.Requests, t.request(t.shown, cmp.Or(shown[n], b.Got)))
	}
	return checkOf(string(b.Kind)), f
}

// explaining returns the requests that explain a breach. Of refused deletes there may be dozens: the last with each
// status, and with a malformed id.
func explaining(b model.Breach) (by []*model.Exchange) {
	if b.Kind != model.RefusedDelete && b.Kind != model.RefusedWrite {
		return b.By
	}
	for i, x := range b.By {
		isAlike := func(later *model.Exchange) bool {
			return later.Status == x.Status && later.IsMalformed() == x.IsMalformed()
		}
		if !slices.ContainsFunc(b.By[i+1:], isAlike) {
			by = append(by, x)
		}
	}
	if b.Or != nil {
		by = append(by, b.Or)
	}
	return by
}

// pointerOf returns the place in an answer of an operation that a breach is about, "" if it is about the status.
func pointerOf(op *spec.Operation, b model.Breach) string {
	switch {
	case b.IsStatus:
		return ""
	case b.Number != "":
		return oracle.PagePointer(op, b.Number)
	case b.Field != nil:
		return dataPointer(b.Op) + b.Place + "/" + b.Field.Name
	}
	return dataPointer(op) + b.Place
}

// refusals returns refused requests with the results of their cases.
func (q *Sequence) refusals(all []*model.Exchange) (by []refusal) {
	for _, x := range all {
		s := q.sent[x]
		by = append(by, refusal{s.Exchange, s.by.Result})
	}
	return by
}

// statusOf describes the status of an answer.
func statusOf(code int) string {
	if code == 0 {
		return "no answer"
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", code, http.StatusText(code)))
}
