package passive

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/model"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/wire"
)

// A sequence judges what several exchanges show together. It needs a target file, which says whose each key is and which
// objects are whose; it takes the traffic for all that is sent to these objects.
type sequence struct {
	*Judge
	state *model.State
	form  fixtures.KeyForm
	users map[string]model.User
	stop  map[string]time.Time               // of keys that were refused several times after they had last been accepted
	of    map[*wire.Exchange]*model.Exchange // whose answers are to come
	by    map[*model.Exchange]*wire.Exchange
}

// newSequence returns a sequence, or nil if it is not known whose keys the requests have.
func newSequence(j *Judge, o judge.ModelOptions) *sequence {
	keys := o.Target.Credentials
	if keys.Owner == "" || !j.keys {
		return nil
	}
	// Our own reports replace keys by variables.
	users := map[string]model.User{keys.Owner: model.Owner, "$" + wire.Variable(judge.OwnerName): model.Owner}
	if keys.Stranger != "" {
		users[keys.Stranger] = model.Stranger
	}
	users["$"+wire.Variable(judge.StrangerName)] = model.Stranger
	lag := cmp.Or(o.ReadDelay, judge.DefaultReadDelay)
	if pin, isPinned := o.Target.Open["readDelay"]; isPinned && pin == int64(0) {
		lag = 0
	}
	return &sequence{
		Judge: j, form: keys.Form(), users: users, state: model.NewState(model.World{Contract: o.Contract, Target: o.Target, Users: users}, lag),
		of: map[*wire.Exchange]*model.Exchange{}, by: map[*model.Exchange]*wire.Exchange{},
	}
}

// JudgeAll judges the exchanges of an archive and calls judged with each. With a target file it judges them in the order in
// which they happened, and what they show together.
func (j *Judge) JudgeAll(entries []Entry, judged func(Entry)) {
	if j.sequence == nil || !haveTimes(entries) {
		for _, e := range entries {
			if e.Missing == "" {
				_, e.Missing = j.Judge(e.Exchange)
			}
			judged(e)
		}
		return
	}
	j.sequence.stop = j.sequence.stops(entries)
	for _, m := range momentsOf(entries) {
		switch e := entries[m.entry]; {
		case m.begins:
			isUnread := e.Missing == NotWhole && e.Request.Body == nil || e.Missing == OutOfScope
			j.sequence.begin(e.Exchange, isUnread)
		case e.Missing != "":
			j.sequence.after(e.Exchange, nil)
			judged(e)
		default:
			_, e.Missing = j.Judge(e.Exchange)
			judged(e)
		}
	}
}

// A moment is when a request was sent, or when its answer was complete.
type moment struct {
	at     time.Time
	entry  int // its index
	begins bool
}

// momentsOf returns the moments of all entries in their order. What a cache answered was not sent.
func momentsOf(entries []Entry) (all []moment) {
	for i, e := range entries {
		if e.Missing != FromCache {
			all = append(all, moment{e.Start, i, true}, moment{ended(e.Exchange), i, false})
		}
	}
	slices.SortStableFunc(all, func(a, b moment) int { return a.at.Compare(b.at) })
	return all
}

// haveTimes reports whether a recorder says when each exchange was on the wire.
func haveTimes(entries []Entry) bool {
	return !slices.ContainsFunc(entries, func(e Entry) bool {
		return e.Missing != FromCache && (e.Start.IsZero() || e.Duration <= 0)
	})
}

// begin notes that a request is sent, in a sequence.
func (j *Judge) begin(ex *wire.Exchange) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.sequence != nil {
		j.sequence.begin(ex, false)
	}
}

// begin notes that a request was sent. Its path is the one in the request line. unread says that its body is unknown.
func (s *sequence) begin(ex *wire.Exchange, unread bool) {
	r := &ex.Request
	x := &model.Exchange{
		Start: ex.Start, Unread: unread,
		Request: model.Request{
			Method: r.Method, Path: strings.TrimPrefix(r.Path, s.base.EscapedPath()), Header: maps.Clone(r.Header), Body: r.Body,
		},
	}
	s.of[ex], s.by[x] = x, ex
	s.learnUser(r)
	s.state.Begin(x)
}

// ofReports begins the names by which our own reports show keys of no user.
const ofReports = "$ADCONFORM_"

// key returns the key of a request that has not been adopted yet.
func (s *sequence) key(r *wire.Request) string {
	value := r.Header.Get(s.form.Header)
	return strings.TrimSuffix(strings.TrimPrefix(value, s.form.Before), s.form.After)
}

// leastRefusals is how often a key has to be refused at the end of an archive to count as one that has stopped.
const leastRefusals = 3

// stops returns when each key was last accepted, if it was refused several times since: it has expired, or its quota is
// used up.
func (s *sequence) stops(entries []Entry) map[string]time.Time {
	last, refusals := map[string]time.Time{}, map[string]int{}
	for _, e := range entries {
		key := s.key(&e.Request)
		switch isAnswered := e.Response != nil; {
		case isAnswered && e.Response.Status/100 == 2:
			last[key], refusals[key] = e.Start, 0
		case isAnswered && isOfKey(e.Response.Status):
			refusals[key]++
		}
	}
	maps.DeleteFunc(last, func(key string, _ time.Time) bool { return refusals[key] < leastRefusals })
	return last
}

// isOfKey reports whether a status may say that a key is not accepted.
func isOfKey(status int) bool {
	return status == http.StatusUnauthorized || status == http.StatusForbidden
}

// hasStopped reports whether a request that had to be carried out was refused because its key has stopped, and notes it.
func (s *sequence) hasStopped(ex *wire.Exchange) bool {
	accepted, isStop := s.stop[s.key(&ex.Request)]
	if !isStop || !isOfKey(ex.Response.Status) || ex.Start.Before(accepted) || len(s.right(ex).Faults()) > 0 {
		return false
	}
	s.model.Outcome.NoteMistake(fmt.Sprintf("a key is refused with %d from some request on: has it expired, or is its quota used up?",
		ex.Response.Status))
	return true
}

// learnUser notes that a key which the target file does not have may be of any user.
func (s *sequence) learnUser(r *wire.Request) {
	key := s.key(r)
	if _, isKnown := s.users[key]; !isKnown && key != "" && !strings.HasPrefix(key, ofReports) {
		s.users[key] = model.Someone
	}
}

// right returns which answers to a request are right, after those before it.
func (s *sequence) right(ex *wire.Exchange) model.Allowed {
	x := s.of[ex]
	x.End = ended(ex)
	return s.state.Right(x)
}

// after judges an answer against those before it. t is the case that it counts for, or nil if it cannot be judged alone.
func (s *sequence) after(ex *wire.Exchange, t *judge.Test) {
	x := s.of[ex]
	if x == nil {
		return
	}
	if delete(s.of, ex); t == nil {
		s.client.Adopt(ex, "", strings.TrimPrefix(ex.Request.Path, s.base.EscapedPath()))
	}
	x.Seq = ex.Seq
	if ex.Response != nil {
		x.Status, x.End = ex.Response.Status, ended(ex)
	}
	if t != nil {
		x.Answer = oracle.Decode(ex.Response.Body)
	}
	breaches, judged := s.state.After(x)
	if t == nil {
		return
	}
	for _, one := range judged {
		t.Covered(one.Clause)
	}
	for _, b := range breaches {
		s.find(t, ex, b)
	}
}

// ended returns when an answer was complete, or given up.
func ended(ex *wire.Exchange) time.Time { return ex.Start.Add(ex.Duration) }

// find adds the finding of a breach. One that the operator or another client may have caused is a mistake of the operator.
func (s *sequence) find(t *judge.Test, ex *wire.Exchange, b model.Breach) {
	if b.Tentative != "" {
		s.model.Outcome.NoteMistake(s.model.Presentable(b.Tentative))
		return
	}
	f := judge.Finding{Clause: b.Clause, Operation: b.Op.ID, Expected: b.Expected, Got: b.Got}
	if b.Field != nil {
		f.Pointer = judge.Pointer(b.Op, b.Field)
	}
	for _, x := range b.By {
		by := s.by[x]
		f.Requests = append(f.Requests, oracle.Request{Curl: by.Curl(), Exchange: by.Seq, Then: status(x.Status)})
	}
	if len(f.Requests) > 0 {
		f.Requests = append(f.Requests, oracle.Request{Curl: ex.Curl(), Exchange: ex.Seq, Then: s.model.Presentable(b.Got)})
	}
	isKind := func(c judge.Check) bool { return c.ID == string(b.Kind) }
	t.FindIn(ex, &judge.Checks[slices.IndexFunc(judge.Checks, isKind)], f)
}

// status describes the status of an answer.
func status(code int) string {
	if code == 0 {
		return "no answer"
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", code, http.StatusText(code)))
}
