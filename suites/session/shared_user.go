package session

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// SendAround sends a request in two halves, and another between them. The answers are
// those of the second and the first, in the order in which they took effect. It says
// whether the second was answered while the first was under way: not every target does
// so, nor takes a request in halves, and none has to.
func (t *T) SendAround(halved, between judge.Call) (answers []*judge.Answer, met bool) {
	halved.Halved = true
	answers = t.sendAll(wire.Around, []judge.Call{between, halved})
	ex := answers[1].Exchange
	met = ex != nil && ex.Around && ex.Err == nil
	return answers, met && !slices.Contains(judge.TooSlow, answers[1].Status)
}

// UserID is the owner's id, as the target file gives it or an answer showed it; "" when
// none did.
func (t *T) UserID() string {
	const meaning = "userId"
	for _, op := range t.Known().Contract.Operations {
		rep := op.Representation()
		if rep == nil || !op.Updates() || rep.Field(meaning) == nil {
			continue
		}
		if o := t.Known().Objects[op.ID+" "+op.Key()]; o != nil {
			if id, ok := oracle.Integer(o.Constant[rep.Field(meaning).Name]); ok {
				return fmt.Sprint(id)
			}
		}
		if _, given := judge.Find(t.Known().Target, op.Key()); given[meaning] != nil {
			return fmt.Sprint(given[meaning])
		}
	}
	return t.listedUserID(meaning)
}

// listedUserID is the owner's id as a list shows it.
func (t *T) listedUserID(meaning string) string {
	const key = "vastCreative"
	for _, op := range t.Known().Contract.Operations {
		if !op.Lists() || op.Representation().Field(meaning) == nil || t.Known().Lookup(key) == 0 {
			continue
		}
		if id, seen := t.Known().SeenInList(op, meaning); seen {
			return fmt.Sprint(id)
		}
		read := judge.Call{Op: op, Object: t.Known().Object(op, key), As: t.Known().Owner()}
		a := t.Ask(read, judge.Expect{Success: true, Clause: op.Clause})
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
func (t *T) glance(o *judge.Object) {
	if o == nil || t.Known().Target.Credentials.Stranger == "" {
		return
	}
	t.Ask(judge.Call{Op: o.Op, Object: o, As: t.Test.User(o), Body: oracle.ObjectBody(o.Op.Body, map[string]any{})}, judge.Expect{
		Success: true, Statuses: []int{
			http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusUnprocessableEntity,
		},
	})
	o.Refusals = nil
}
