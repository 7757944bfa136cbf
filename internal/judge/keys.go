package judge

import (
	"fmt"
	"slices"

	"github.com/adconform/adconform/internal/wire"
)

// stopped is a key that no longer works, with the first answer that a case got to it.
type stopped struct {
	*wire.KeyStop
	test  *Test
	first *Answer
}

// noteStop records that a key has stopped. Without the owner's the run cannot go on.
func (b *Outcome) noteStop(stop *wire.KeyStop) {
	if stop == nil || b.stops[stop.User] != nil {
		return
	}
	b.stops[stop.User] = &stopped{KeyStop: stop}
	if stop.User == OwnerName {
		b.Liveness.End(stop.Brief())
	}
}

// noteStopped records a refusal of a key that has stopped.
func (b *Outcome) noteStopped(t *Test, a *Answer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.stops[a.Exchange.Stop.User]
	if s.first == nil || a.Exchange.Seq < s.first.Exchange.Seq {
		s.test, s.first = t, a
	}
}

// KeyStopped returns why no more requests are sent as a user, or "".
func (b *Outcome) KeyStopped(user string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s := b.stops[user]; s != nil {
		return s.Brief()
	}
	return ""
}

// SettleKeys takes back what refusals of keys that have stopped seemed to show, once the run is over. It returns
// why the run ended with the owner's key, or "". That the stranger's has stopped is a mistake of the operator. A
// key that works again had not stopped: then its refusal is a finding.
func (b *Outcome) SettleKeys() (ended string) {
	for _, user := range []string{OwnerName, StrangerName} {
		s := b.stops[user]
		if s == nil {
			continue
		}
		b.takeBack(s.Refused(), s.Brief())
		switch {
		case s.Back() && s.first != nil:
			s.test.findRefused(s.first.Exchange)
		case user == StrangerName:
			b.NoteMistake(s.String())
		}
		if user == OwnerName {
			ended = s.String()
		}
	}
	return ended
}

// takeBack drops what was judged by these exchanges. The cases that sent them count as not tested, unless they
// have other violations.
func (b *Outcome) takeBack(exchanges []int, reason string) {
	isOne := func(f *Finding) bool { return slices.Contains(exchanges, f.Exchange) }
	for _, r := range b.Results() {
		isOf := func(seq int) bool { return slices.Contains(exchanges, seq) }
		if !slices.ContainsFunc(r.Exchanges, isOf) {
			continue
		}
		r.Findings = slices.DeleteFunc(r.Findings, isOne)
		r.Tentative = slices.DeleteFunc(r.Tentative, func(d TentativeFinding) bool {
			return isOne(d.finding)
		})
		b.void(r, reason)
	}
}

// judgeRefusedBeside judges an answer beside which ordinary requests of other operations were refused, and accepted a
// moment later.
func (t *Test) judgeRefusedBeside(a *Answer) {
	if a.Exchange.RefusedBeside > 0 && a.Expected {
		t.findRefused(a.Exchange)
	}
}

const elsewhere = ", for ordinary requests of other operations too"

// findRefused adds the finding that a key was refused for a while, whatever the operation.
func (t *Test) findRefused(refused *wire.Exchange) {
	clause := "AUTH-4"
	if refused.Request.Credential.Name == StrangerName {
		clause = "AUTH-2"
	}
	ex := *refused
	ex.Err, ex.Stop = nil, nil
	t.FindIn(&ex, CheckExpectedStatus, Finding{
		Clause: clause, Expected: "a key that is accepted, as before and after",
		Got: fmt.Sprintf("status %d%s", ex.Response.Status, elsewhere), Lack: elsewhere,
	})
}
