package session

import (
	"context"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites/judge/model"
	"github.com/adconform/adconform/suites/testcase"
)

// Session returns one for other cases of the same run, which knows nothing of
// the target yet.
func (s *Session) Session(objectSet int, target *fixtures.Target) *Session {
	return &Session{s.Model.With(s.Model.Another(objectSet, target)), s.Shared}
}

// Fork returns a session for cases of an operation on the objects of another set. How
// the target shows the state of an object it knows as s does.
func (s *Session) Fork(objectSet int, target *fixtures.Target) *Session {
	return &Session{s.Model.With(s.Model.Fork(objectSet, target)), s.Shared}
}

// Join adds what other sessions on the same objects know, for the cases that
// look at all of it. The others are not used any more.
func (s *Session) Join(others ...*Session) {
	for _, o := range others {
		s.Model.Join(o.Model.State)
	}
}

// snapshot looks at an object of a further set before the first request that names it, so
// that what it held can be put back, and what a refused request does to it can be
// told. In set 0 the case that probes does that.
func (t *T) snapshot(o *model.Object) {
	if o == nil || o.ObjectSet == 0 || o.Met || !t.Known().Probed[o.Op.ID] || t.Test.Case.Class == classRestore {
		return
	}
	o.Met = true
	if _, unknown := o.Before(); len(unknown) == 0 && t.Test.Case.Class == testcase.ClassSuccess {
		t.Get(o) // what no update may change
		return   // what it held is given, and what it will hold is about to be set
	}
	if len(t.Read(o)) == 0 && o.IsMain() {
		t.Write(o, t.Ordinary(o, 0))
	}
}

// VerifyNoTrace looks whether the refused requests in a further set left a trace, when its last
// case has run. In set 0 the cases that come last do that.
func (s *Session) VerifyNoTrace(ctx context.Context, last *testcase.Result) {
	if s.Model.ObjectSet == 0 {
		return
	}
	t := s.resume(ctx, last, "leave")
	s.Model.Guard(last.Case.ID, func() {
		for _, o := range s.Model.Order {
			t.VerifyNoTraceOf(o)
		}
	})
}
