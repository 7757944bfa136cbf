package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/wire"
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
func (t *T) halted(op *spec.Operation) *Answer {
	if t.Case.Class == classRestore {
		return nil
	}
	if why, gone := t.Gone(); gone {
		t.NotTested(ByOperator, "the target does not answer: "+why)
		return &Answer{Exchange: t.lastLost()}
	}
	if t.silent(op) {
		t.NotTested(ByOperator, "the operation gives no answers any more")
		return &Answer{Exchange: t.lastLost()}
	}
	if t.spent != nil && t.caseTime > 0 && *t.spent >= t.caseTime {
		why := fmt.Sprintf("the target took more than %s to answer the requests of the case", t.caseTime)
		t.NotTested(ByOperator, why)
		return &Answer{Exchange: &wire.Exchange{Case: t.Case.ID, Err: &wire.TransportError{Kind: wire.Canceled, Detail: "not sent: " + why}}}
	}
	return nil
}
