package engine

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// SendAround sends a request in two halves, and another between them. The answers are
// those of the second and the first, in the order in which they took effect. It says
// whether the second was answered while the first was under way: not every target does
// so, nor takes a request in halves, and none has to.
func (t *T) SendAround(halved, between Call) (answers []*Answer, met bool) {
	halved.halved = true
	answers = t.sendAll(func(ctx context.Context, id string, reqs ...wire.Request) []*wire.Exchange {
		exchanges := t.Session.shared.client.DoAround(ctx, id, reqs[1], reqs[0])
		met = exchanges[0].Around && exchanges[0].Err == nil
		return []*wire.Exchange{exchanges[1], exchanges[0]}
	}, []Call{between, halved})
	return answers, met && !slices.Contains(tooSlow, answers[1].Status)
}

// tooSlow are statuses of a target that takes no request in halves, or none that asks
// to be told when the head is read.
var tooSlow = []int{http.StatusRequestTimeout, http.StatusExpectationFailed}

// givenUp says whether the target ended a request that came in halves, as it may:
// that is no answer that was lost.
func (c *Call) givenUp(ex *wire.Exchange) bool {
	if !c.halved || ex.Err == nil {
		return false
	}
	switch ex.Err.Kind {
	case wire.Closed, wire.Reset, wire.Timeout:
		return true
	}
	return false
}

// UserID is the owner's id, as the target file gives it or an answer showed it; "" when
// none did.
func (t *T) UserID() string {
	const meaning = "userId"
	for _, op := range t.Test.Model.Contract.Operations {
		rep := op.Representation()
		if rep == nil || !op.Updates() || rep.Field(meaning) == nil {
			continue
		}
		if o := t.Test.Model.objects[op.ID+" "+op.Key()]; o != nil {
			if id, ok := oracle.Integer(o.constant[rep.Field(meaning).Name]); ok {
				return fmt.Sprint(id)
			}
		}
		if _, given := find(t.Test.Model.Target, op.Key()); given[meaning] != nil {
			return fmt.Sprint(given[meaning])
		}
	}
	return t.listedUserID(meaning)
}

// listedUserID is the owner's id as a list shows it.
func (t *T) listedUserID(meaning string) string {
	const key = "vastCreative"
	for _, op := range t.Test.Model.Contract.Operations {
		if !op.Lists() || op.Representation().Field(meaning) == nil || t.Test.Model.Lookup(key) == 0 {
			continue
		}
		a := t.ask(Call{Op: op, Object: t.Test.Model.Object(op, key), As: t.Test.Model.Owner()}, Expect{Success: true, Clause: op.Clause})
		if a.List == nil || len(a.List.Items) == 0 {
			continue
		}
		if id, ok := oracle.Integer(a.List.Items[0][op.Representation().Field(meaning).Name]); ok {
			return fmt.Sprint(id)
		}
	}
	return ""
}

// glance notes what an object of the stranger's holds before anything is changed.
// Whether it is there is for the cases to say that are about it.
func (t *T) glance(o *Object) {
	if o == nil || t.Test.Model.Target.Credentials.Stranger == "" {
		return
	}
	t.ask(Call{Op: o.Op, Object: o, As: t.Test.user(o), Body: ObjectBody(o.Op.Body, map[string]any{})}, Expect{
		Success: true, Statuses: []int{
			http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusUnprocessableEntity,
		},
	})
	o.refused = nil
}
