package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
)

// Deadline is the cause of a context that ended because the run took too long.
type Deadline struct{ After time.Duration }

func (d Deadline) Error() string { return fmt.Sprintf("the deadline of %s passed", d.After) }

// StopReason says why a context ended.
func StopReason(ctx context.Context) string {
	var deadline Deadline
	if errors.As(context.Cause(ctx), &deadline) {
		return deadline.Error()
	}
	return "the run was interrupted"
}

// halted says that a case may send no more: its answer stands for those that do
// not come. It is nil when the case may go on.
func (t *T) halted(op *spec.Operation) *judge.Answer {
	if t.Test.Case.Class == classRestore {
		return nil
	}
	why, _ := t.Known().Outcome.Liveness.Gone()
	if why == "" {
		why = t.Known().Outcome.Liveness.Silent(op.ID)
	}
	if why == "" && t.spent != nil && t.Session.Shared.caseTime > 0 && *t.spent >= t.Session.Shared.caseTime {
		why = fmt.Sprintf("the target took more than %s to answer the requests of the case", t.Session.Shared.caseTime)
	}
	if why == "" {
		return nil
	}
	t.Test.NotTested(judge.ByOperator, why)
	return judge.Unsent(t.Test.Case.ID, why)
}

var errSpared = errors.New("the target failed to take back others, and took long for it")

// spare keeps a request that puts an object back from being sent, where others like it
// failed and took long for it: it is only said what it would be.
func (t *T) spare(op *spec.Operation) {
	if t.Test.Case.Class != classRestore || !t.Known().Outcome.Liveness.Spared(op.ID) {
		return
	}
	ctx, end := context.WithCancelCause(t.Ctx)
	end(errSpared)
	t.Ctx = ctx
}
