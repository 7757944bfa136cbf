package play

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/judge/call"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// byItself does something while no other player sends.
func (p *Player) byItself(do func()) {
	if p.Gate != nil && !p.alone {
		p.Gate.Lock()
		p.alone = true
		defer func() {
			p.alone = false
			p.Gate.Unlock()
		}()
	}
	do()
}

// lost finds out why an answer did not come: whether the target is gone, and whether it is
// so each time. Where the request is no valid one, the end of the connection is an answer.
func (p *Player) lost(s *sent) {
	p.byItself(func() {
		kind := s.answers[len(s.answers)-1].Exchange.Err.Kind
		wait := p.over
		if wait == "" {
			wait = p.waitFor(s)
		}
		switch {
		case wait != "" && kind == wire.Refused: // another one ended it
			s.trial.Test.Result.Findings = nil
			return
		case wait != "":
			s.gone(wait)
			return
		}
		if len(s.trial.Test.Result.Findings) > 0 && p.again(s, func(a *call.Answer) bool { return a.Exchange.Err != nil }) {
			for _, f := range s.trial.Test.Result.Findings {
				if f.Severity == oracle.Transport {
					f.Severity = oracle.Violation
					f.Got += fmt.Sprintf(", each of %d times; others are answered", 1+againTimes)
				}
			}
		}
	})
}

// How often something is tried once more, and how long a target that is gone is waited for.
const (
	againTimes = 2
	goneFor    = 5 * time.Second
	askEvery   = 250 * time.Millisecond
)

// again says whether an input is answered so each time.
func (p *Player) again(s *sent, so func(*call.Answer) bool) bool {
	for range againTimes {
		next := p.send(s.in)
		if next == nil || !so(next.answers[len(next.answers)-1]) || p.waitFor(s) != "" {
			return false
		}
	}
	return true
}

// waitFor sends ordinary requests until one is answered. It says how long none was, "" where
// the first is.
func (p *Player) waitFor(s *sent) string {
	begun := time.Now()
	for try := 0; ; try++ {
		a := p.ask(s)
		switch {
		case a.Call == nil || time.Since(begun) > goneFor:
			p.over = fmt.Sprintf("the target answers nothing any more after %s", s.in.Words())
			return "any more"
		case a.Exchange.Err == nil && try == 0:
			return ""
		case a.Exchange.Err == nil:
			return fmt.Sprintf("for %s", time.Since(begun).Round(100*time.Millisecond))
		}
		select {
		case <-time.After(askEvery):
		case <-p.Hand.Ctx.Done():
			return "any more"
		}
	}
}

// ask sends an ordinary request of the operation, of which nothing is judged but that it is
// answered.
func (p *Player) ask(s *sent) *call.Answer {
	t := p.trial(s.in)
	c := s.in.Ordinary(t, s.op, s.object)
	a := t.Send(c)
	t.Judge(a, judge.Expect{OnlyCrash: true})
	if a.Call != nil && a.Exchange.Err == nil { // also where a delete finds nothing
		p.ordinary.add(s.op, a.Exchange.Duration)
	}
	return a
}

// gone is the finding that the target does not answer any more.
func (s *sent) gone(howLong string) {
	a := s.answers[len(s.answers)-1]
	s.trial.Test.Result.Findings = nil // that the answer was lost is said with it
	s.trial.Test.FindIn(a.Exchange, "transport", judge.Finding{
		Clause: "HTTP-2", Operation: s.op.ID, Pointer: s.calls[0].Sent.At, Sent: s.calls[0].Sent,
		Expected: "an answer, and answers to the requests after it", Got: "no answer, and then none to ordinary requests " + howLong,
		CauseWords: "a request with " + s.calls[0].Sent.What + " ends the server",
	})
}

// What is slow: so many times the median of ordinary requests, and so long at least. What is
// large may take its time.
const (
	slowTimes   = 20
	slowLeast   = 200 * time.Millisecond
	slowRepeats = 3
	smallSize   = 20 << 10 // bytes
)

// timed tells of an answer that takes much longer than ordinary ones, each time: also than those
// that are sent between its repeats, which a machine that is busy answers late, too.
func (p *Player) timed(s *sent, a *call.Answer) {
	ex := a.Exchange
	if len(s.calls) > 1 || len(ex.Request.Body)+len(ex.Request.Path) > smallSize || ex.RateLimited+ex.Unavailable > 0 {
		return
	}
	if ex.Duration < max(slowLeast, slowTimes*p.ordinary.median(s.op)) {
		return
	}
	p.byItself(func() {
		var plain, odd []time.Duration
		for range slowRepeats {
			took, answered := p.plain(s)
			next := p.send(s.in)
			if !answered || next == nil || next.answers[0].Exchange.Err != nil {
				return
			}
			after, answered := p.plain(s)
			odd, plain = append(odd, next.answers[0].Exchange.Duration), append(plain, took, after)
			if least := slices.Min(odd); !answered || least < max(slowLeast, slowTimes*middle(plain), 2*slices.Max(plain)) {
				return
			}
		}
		s.trial.Test.FindIn(ex, "transport", judge.Finding{
			Clause: "HTTP-2", Operation: s.op.ID, Severity: oracle.Notice, Timing: true, Pointer: s.calls[0].Sent.At, Sent: s.calls[0].Sent,
			Expected: "an answer about as soon as to other requests",
			Got: fmt.Sprintf("one after %d times as long as ordinary requests take, each of %d times", middle(odd)/max(middle(plain), 1),
				1+slowRepeats),
			CauseWords: "a request with " + s.calls[0].Sent.What + " takes the server very long",
		})
	})
}

// plain is how long an ordinary request of the operation takes; false where it is not answered.
func (p *Player) plain(s *sent) (took time.Duration, answered bool) {
	a := p.ask(s)
	return a.Exchange.Duration, a.Call != nil && a.Exchange.Err == nil
}

// middle is the median.
func middle(all []time.Duration) time.Duration {
	return slices.Sorted(slices.Values(all))[len(all)/2]
}

// times are how long ordinary requests took, the last of each operation.
type times struct {
	mu sync.Mutex
	of map[string][]time.Duration
}

// keptTimes is how many are kept of each operation, fewTimes how many say nothing.
const keptTimes, fewTimes = 64, 5

func (t *times) add(op *spec.Operation, d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of == nil {
		t.of = map[string][]time.Duration{}
	}
	t.of[op.ID] = append(t.of[op.ID], d)
	if all := t.of[op.ID]; len(all) > keptTimes {
		t.of[op.ID] = all[1:]
	}
}

// median is that of an operation; 0 where it is not known.
func (t *times) median(op *spec.Operation) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := t.of[op.ID]
	if len(all) < fewTimes {
		return 0
	}
	return middle(all)
}
