package traffic

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
	"github.com/adconform/adconform/internal/wire"
)

// A sequence judges what several exchanges show together. It needs a target file, which says whose each key is and
// which objects are whose; it takes the traffic for all that is sent to these objects.
type sequence struct {
	*Judge
	*judge.Sequence
	form         fixtures.KeyForm
	lastAccepted map[string]time.Time // of keys that have stopped
	unanswered   map[*wire.Exchange]*model.Exchange
	held         []held
}

// held is a finding that a restart of the target may explain, which the whole sequence shows.
type held struct {
	*judge.Finding
	test   *judge.Test
	breach model.Breach
}

// newSequence returns a sequence, or nil if it is not known whose keys the requests have.
func newSequence(j *Judge, o judge.ModelOptions) *sequence {
	keys := o.Target.Credentials
	if keys.Owner == "" || !j.keys {
		return nil
	}
	// Our own reports replace keys by variables.
	users := map[string]model.User{
		keys.Owner:                              model.Owner,
		"$" + wire.Variable(judge.OwnerName):    model.Owner,
		"$" + wire.Variable(judge.StrangerName): model.Stranger,
	}
	if keys.Stranger != "" {
		users[keys.Stranger] = model.Stranger
	}
	lag := cmp.Or(o.ReadDelay, judge.DefaultReadDelay)
	world := model.World{
		Contract: o.Contract, Target: o.Target, Users: users, Undeclared: true,
	}
	j.model.Sequence = judge.NewSequence(world, lag)
	return &sequence{
		Judge: j, Sequence: j.model.Sequence, form: keys.Form(),
		unanswered: map[*wire.Exchange]*model.Exchange{},
	}
}

// JudgeAll judges the exchanges of an archive and calls judged with each. With a target file and times it judges them
// in the order in which they happened, and what they show together.
func (j *Judge) JudgeAll(entries []Entry, judged func(Entry)) {
	if !hasTimes(entries) {
		j.sequence = nil
	}
	judgeOne := func(e Entry) {
		if e.Missing == "" {
			_, e.Missing = j.Judge(e.Exchange)
		} else if j.sequence != nil {
			j.sequence.take(e.Exchange, nil)
		}
		judged(e)
	}
	if j.sequence == nil {
		for _, e := range entries {
			judgeOne(e)
		}
		return
	}
	j.sequence.lastAccepted = j.sequence.stoppedKeys(entries)
	for _, m := range momentsOf(entries) {
		e := entries[m.entry]
		if m.begins {
			j.sequence.begin(e.Exchange, isUnread(e))
		} else {
			judgeOne(e)
		}
	}
	j.sequence.conclude()
}

// conclude drops the findings that a restart of the target explains, and notes which of the others two servers explain.
func (s *sequence) conclude() {
	switch explanation := model.Explanation(s.State); explanation {
	case model.Restarted:
		s.model.Outcome.NoteMistake(explanation)
		for _, one := range s.held {
			if one.breach.IsAsBefore() {
				one.test.Drop(one.Finding)
			}
		}
	case model.InTurn:
		for _, one := range s.held {
			if one.breach.Kind == model.Stale {
				one.Got += explanation
			}
		}
	}
}

// isUnread reports whether the body of a request is unknown.
func isUnread(e Entry) bool {
	switch e.Missing {
	case OutOfScope:
		return true
	case NotWhole:
		return e.Request.Body == nil
	}
	return false
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
			all = append(all, moment{e.Start, i, true})
			all = append(all, moment{e.End(), i, false})
		}
	}
	slices.SortStableFunc(all,
		func(a, b moment) int { return a.at.Compare(b.at) })
	return all
}

// hasTimes reports whether a recorder says when each exchange was on the wire.
func hasTimes(entries []Entry) bool {
	for _, e := range entries {
		isTimed := !e.Start.IsZero() && e.Duration > 0
		if !isTimed && e.Missing != FromCache {
			return false
		}
	}
	return true
}

// Begin notes that a request is sent, in a sequence.
func (j *Judge) Begin(ex *wire.Exchange) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.sequence != nil {
		j.sequence.begin(ex, false)
	}
}

// Begin notes that a request was sent. Its path is the one in the request line. isUnread says that its body is unknown.
func (s *sequence) begin(ex *wire.Exchange, isUnread bool) {
	r := &ex.Request
	x := &model.Exchange{
		Start: ex.Start, Unread: isUnread,
		Request: model.Request{
			Method: r.Method, Path: s.pathOf(ex), Header: maps.Clone(r.Header),
			Body: r.Body,
		},
	}
	s.unanswered[ex] = x
	s.Note(x, ex, nil)
	s.learnUser(r)
	s.Sequence.Begin(x)
}

// reportedKey begins the names by which our own reports show keys of no user.
const reportedKey = "$ADCONFORM_"

// key returns the key of a request that has not been adopted yet.
func (s *sequence) key(r *wire.Request) string {
	value := r.Header.Get(s.form.Header)
	return strings.TrimSuffix(strings.TrimPrefix(value, s.form.Before), s.form.After)
}

// leastRefusals is how often a key has to be refused at the end of an archive to count as one that has stopped.
const leastRefusals = 3

// stoppedKeys returns when each key was last accepted, if it was refused several times after that: it has expired, or
// its quota is used up.
func (s *sequence) stoppedKeys(entries []Entry) map[string]time.Time {
	last := map[string]time.Time{}
	refusals := map[string]int{}
	for _, e := range entries {
		if e.Response == nil {
			continue
		}
		key := s.key(&e.Request)
		switch {
		case e.Response.Status/100 == 2:
			last[key] = e.Start
			refusals[key] = 0
		case mayRefuseKey(e.Response.Status):
			refusals[key]++
		}
	}
	maps.DeleteFunc(last,
		func(key string, _ time.Time) bool { return refusals[key] < leastRefusals })
	return last
}

func mayRefuseKey(status int) bool {
	return status == http.StatusUnauthorized || status == http.StatusForbidden
}

// hasStopped reports whether a request that had to be carried out was refused because its key has stopped, and notes
// that.
func (s *sequence) hasStopped(ex *wire.Exchange) bool {
	accepted, isStopped := s.lastAccepted[s.key(&ex.Request)]
	status := ex.Response.Status
	switch {
	case !isStopped, !mayRefuseKey(status), ex.Start.Before(accepted), len(s.allowed(ex).Faults()) > 0:
		return false
	}
	s.model.Outcome.NoteMistake(fmt.Sprintf(
		"a key is refused with %d from some request on: has it expired, or is its quota used up?", status))
	return true
}

// learnUser notes that a key which the target file does not have may be of any user.
func (s *sequence) learnUser(r *wire.Request) {
	key := s.key(r)
	if key == "" || strings.HasPrefix(key, reportedKey) {
		return
	}
	if _, isKnown := s.Users[key]; !isKnown {
		s.Users[key] = model.Someone
	}
}

// allowed returns which answers to a request are right, after the answers before it.
func (s *sequence) allowed(ex *wire.Exchange) model.Allowed {
	x := s.unanswered[ex]
	x.End = ex.End()
	return s.Right(x)
}

// take judges an answer against the answers before it. t is the case that it counts for, or nil if it cannot be judged
// alone.
func (s *sequence) take(ex *wire.Exchange, t *judge.Test) {
	x := s.unanswered[ex]
	if x == nil {
		return
	}
	delete(s.unanswered, ex)
	if t == nil {
		s.client.Adopt(ex, "", s.pathOf(ex))
	}
	x.Seq = ex.Seq
	if ex.Response != nil {
		s.Settle(x, ex)
	}
	op := x.Undeclared()
	if isRead := ex.Response != nil && op != nil; isRead {
		t = s.test(op, ex.Response.Status)
	}
	if t == nil {
		x.Answer = nil
	}
	breaches, judged := s.After(x)
	if t == nil {
		return
	}
	for _, one := range judged {
		t.Covered(one.Clause)
	}
	for _, b := range breaches {
		s.addFinding(t, ex, b)
	}
}

// addFinding adds the finding of a breach. One that the operator or another client may have caused is a mistake of the
// operator.
func (s *sequence) addFinding(t *judge.Test, ex *wire.Exchange, b model.Breach) {
	switch {
	case b.Unseen: // whether it was there is unknown
	case b.Tentative != "":
		s.model.Outcome.NoteMistake(s.model.Presentable(b.Tentative))
	default:
		check, f := t.FindingOf(b)
		if found := t.FindIn(ex, check, f); found != nil {
			s.held = append(s.held, held{found, t, b})
		}
	}
}
