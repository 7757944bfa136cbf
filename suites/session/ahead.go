package session

import (
	"slices"
	"sync"

	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/wire"
)

// answersAhead are answers that wait for the cases whose requests they answer.
type answersAhead struct {
	mu   sync.Mutex
	kept []*wire.Exchange
}

// Exchange sends a request in the name of a case.
func (t *T) Exchange(caseID string, c *judge.Call, req wire.Request) *wire.Exchange {
	if ex := t.Session.Shared.ahead.take(caseID, &req); ex != nil {
		c.Told = true
		return ex
	}
	return t.Session.Shared.Client.Do(t.Ctx, caseID, req)
}

func (b *answersAhead) keep(ex *wire.Exchange) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.kept = append(b.kept, ex)
}

// take is the answer that a request of a case got already, or nil.
func (b *answersAhead) take(caseID string, req *wire.Request) *wire.Exchange {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, ex := range b.kept {
		r := &ex.Request
		same := r.Method == req.Method && r.Path == req.Path && r.Credential == req.Credential && r.Raw == req.Raw
		if ex.Case == caseID && same && len(req.Header) == 0 && !req.HasBody {
			b.kept = slices.Delete(b.kept, i, i+1)
			return ex
		}
	}
	return nil
}

// KeepAhead keeps the answer to a request of a case that is still to come.
func (s *Session) KeepAhead(ex *wire.Exchange) { s.Shared.ahead.keep(ex) }

// LeaveAhead gives up the answers that no case took. They count as traffic.
func (s *Session) LeaveAhead() {
	s.Shared.ahead.mu.Lock()
	left := s.Shared.ahead.kept
	s.Shared.ahead.kept = nil
	s.Shared.ahead.mu.Unlock()
	for _, ex := range left {
		s.Model.Outcome.Note(ex)
	}
}

// Tell hands an exchange to whom the run's are told.
func (s *Session) Tell(ex *wire.Exchange) {
	if s.Shared.record != nil {
		s.Shared.record(ex)
	}
}
