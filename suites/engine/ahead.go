package engine

import (
	"slices"
	"sync"

	"github.com/adconform/adconform/suites/wire"
)

// answersAhead are answers that wait for the cases whose requests they answer.
type answersAhead struct {
	mu   sync.Mutex
	kept []answerAhead
}

type answerAhead struct {
	ex  *wire.Exchange
	raw bool
}

// exchange sends a request in the name of a case.
func (t *T) exchange(caseID string, c *Call, req wire.Request) *wire.Exchange {
	if ex := t.Session.shared.ahead.take(caseID, c.Raw, &req); ex != nil {
		c.told = true
		return ex
	}
	if c.Raw {
		return t.Session.shared.client.DoRaw(t.Ctx, caseID, req)
	}
	return t.Session.shared.client.Do(t.Ctx, caseID, req)
}

func (b *answersAhead) keep(ex *wire.Exchange, raw bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.kept = append(b.kept, answerAhead{ex, raw})
}

// take is the answer that a request of a case got already, or nil.
func (b *answersAhead) take(caseID string, raw bool, req *wire.Request) *wire.Exchange {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, a := range b.kept {
		r := &a.ex.Request
		same := r.Method == req.Method && r.Path == req.Path && r.Credential == req.Credential
		if a.ex.Case == caseID && a.raw == raw && same && len(req.Header) == 0 && !req.HasBody {
			b.kept = slices.Delete(b.kept, i, i+1)
			return a.ex
		}
	}
	return nil
}

// KeepAhead keeps the answer to a request of a case that is still to come; raw, that
// it came on a raw connection.
func (s *Session) KeepAhead(ex *wire.Exchange, raw bool) { s.shared.ahead.keep(ex, raw) }

// LeaveAhead gives up the answers that no case took. They count as traffic.
func (s *Session) LeaveAhead() {
	s.shared.ahead.mu.Lock()
	left := s.shared.ahead.kept
	s.shared.ahead.kept = nil
	s.shared.ahead.mu.Unlock()
	for _, a := range left {
		s.Model.Outcome.note(a.ex)
	}
}

// note counts an exchange that no case judges.
func (b *Outcome) note(ex *wire.Exchange) {
	b.count(ex)
	if ex.Err == nil {
		b.answer(ex, "")
	}
}

// tell hands an exchange to whom the run's are told.
func (s *Session) tell(ex *wire.Exchange) {
	if s.shared.record != nil {
		s.shared.record(ex)
	}
}
