package judge

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/adconform/adconform/suites/oracle"
)

// Expect says which answers to a call are right.
type Expect = oracle.Expect

// Remember notes where each made-up text was sent, so that it is known when it
// shows elsewhere.
func (t *Test) Remember(c *Call) {
	t.Model.Remember(c.Object, c.Body.Fields, t.Case.ID)
	if t.Model.Mark == "" {
		return
	}
	t.Model.Outcome.NoteMade(string(c.Body.Raw)) // in whatever form
	for _, v := range c.Body.Fields {
		if text, ok := v.(string); ok {
			t.Model.Outcome.NoteMade(text)
		}
	}
}

// Judge judges an answer by what the case expects, in the order in which the answers
// came, and returns what was found.
func (t *Test) Judge(a *Answer, e Expect) []*Finding {
	first := len(t.Result.Findings)
	a.By, a.Expect = nil, e
	t.judgeAnswer(a)
	return t.Result.Findings[first:]
}

func (t *Test) judgeAnswer(a *Answer) {
	c, ex := a.Call, a.Exchange
	t.shown, t.sent = ex, c.Sent
	defer t.noteUser(ex)
	t.countAnswer(c, ex)
	t.Model.Outcome.NoteKey(c, a.Expect, ex)
	t.Result.Exchanges = append(t.Result.Exchanges, ex.Seq)
	t.answering = c.Op
	if !c.Malformed {
		t.judgeFraming(ex)
	}
	ex.Response, ex.Err = a.Came.Response, a.Came.Err
	t.judgeCoding(a)
	if ex.Err != nil {
		t.loseAnswer(a)
		t.Model.Followed(c.Object, false)
		return
	}
	t.Model.Outcome.Liveness.Answer(ex, c.Op.ID)
	if c.Method == c.Op.Method { // else it says nothing of the operation
		t.Covered("HTTP-1", "HTTP-2")
	}
	t.judgeResponse(c, a)
	t.judgeExpectation(c, a)
	if c.Body != nil {
		t.Model.NoteSent(c.Object, c.Body.Fields, t.Case.ID, withoutAnswer(ex), a.Status)
	}
	t.noteEvidence(c, a)
	if t.Model.Mark != "" && c.Object != nil {
		t.Model.Outcome.NoteOthers(c.Object, a.Shown)
	}
	t.noteDates(c, a)
	t.noteSuccessStatus(c, a)
	switch {
	case c.Method != c.Op.Method, t.Recorded:
	case c.Op.Deletes():
		t.noteDelete(c, a)
	case c.Op.Lists():
		t.noteList(c, a)
	case c.Op.Reads():
		t.noteRead(c, a)
	case c.Op.Updates():
		t.noteUpdate(c, a)
		t.Model.Followed(c.Object, a.OK)
	}
}

// judgeResponse applies what holds for every exchange.
func (t *Test) judgeResponse(c *Call, a *Answer) {
	r := oracle.Response{
		Status: a.Status, Header: a.Exchange.Response.Header, Body: a.Exchange.Response.Body,
		RequestedPage: c.RequestedPage(), Beside: c.Beside(),
	}
	if c.Object != nil {
		r.PathID = c.Object.ID()
	}
	op := c.Op
	if c.Method != op.Method { // a read that the document does not declare
		if a.Status >= 500 {
			t.addJudged(t.Model.oracle.Judge(op, r), c, a)
		}
		a.Value = oracle.Decode(r.Body)
	} else {
		j := t.Model.oracle.Judge(op, r)
		a.Value = j.Value
		t.addJudged(j, c, a)
	}
	if a.OK {
		a.Shown = oracle.Representation(op, a.Value)
	}
}

// errorForm are the clauses of the form of an error body.
var errorForm = []string{"ERR-6", "ERR-7", "ERR-8", "ERR-9", "ERR-11"}

func (t *Test) addJudged(j oracle.Judged, c *Call, a *Answer) {
	for i := range j.Findings {
		f := j.Findings[i]
		switch e := a.Expect; {
		case e.Unlisted && slices.Contains(e.Statuses, a.Status):
			continue
		case e.Unlisted && f.Clause == "JSON-1" && a.SaysJSON() && !a.MayShowDamage(c):
		case f.Clause == "HTTP-1", e.OnlyCrash && e.ErrorForm && j.Valid && slices.Contains(errorForm, f.Clause):
		case e.OnlyCrash, f.Clause == "ERR-12" && oracle.IsRefusal(a.Status) && (e.AnyRefusal || slices.Contains(e.Statuses, a.Status)):
			continue // the case allows it, whatever the document lists
		}
		f.Case, f.Operation = t.Case.ID, c.Op.ID
		if c.Sent != nil && f.Pointer == "" {
			f.Pointer = c.Sent.At // each class of requests has causes of its own
		}
		t.Add(&f)
	}
	if !a.Expect.OnlyCrash {
		t.Covered(j.Clauses...)
	}
}

// judgeExpectation compares the status with what the case allows.
func (t *Test) judgeExpectation(c *Call, a *Answer) {
	if twiceWrong(c, a) {
		a.Expect.Statuses = append(slices.Clone(a.Expect.Statuses), http.StatusNotFound)
	}
	e := a.Expect
	if c.Halved && slices.Contains(TooSlow, a.Status) {
		return
	}
	a.Expected = e.Allows(a.Status, oracle.Succeeds(c.Op, a.Status, a.Value), e.EmptyList && emptyList(c.Op, a))
	if e.Clause == "" || e.OnlyCrash || a.Status >= 500 {
		return
	}
	clause := e.Clause
	if e.Success && c.As.Name == OwnerName && !a.Expected && clause != "AUTH-3" {
		switch a.Status {
		case http.StatusUnauthorized, http.StatusForbidden:
			clause = "AUTH-4"
		case http.StatusNotFound:
			clause = "EFFECT-3"
		}
	}
	if clause == "AUTH-3" && !e.Success && c.As.Name == OwnerName &&
		a.Status != http.StatusUnauthorized && a.Status != http.StatusForbidden {
		clause = "ERR-1" // no other user would get that answer for an unknown id
	}
	if !a.Expected {
		f := t.Find(e.Check(a.Status), Finding{
			Clause: clause, WFC: 101, Expected: e.Words(c.Op), Got: t.gotWords(c, a),
		})
		t.Covered(clause)
		t.holdBack(c, a, f)
		return
	}
	if e.Field != "" && a.Status == http.StatusUnprocessableEntity {
		t.judgeRelatedField(e.Field, a)
	}
	// Where a success and a refusal are both right, the refusal shows nothing.
	t.CoveredIf(e.Success == a.OK && Met(e.Clause, c.Op, a.Status), e.Clause)
	if e.Success && a.OK && c.As.Name == OwnerName && c.Object != nil {
		t.Covered("AUTH-4")
		t.CoveredIf(c.Object.Alive || c.Object.ShownToExist, "EFFECT-3")
	}
}

// gotWords are the status of an answer that was not expected, and where that is one of
// success what it lacks.
func (t *Test) gotWords(c *Call, a *Answer) string {
	got := fmt.Sprintf("status %d", a.Status)
	switch {
	case !a.OK || c.Op.Success == nil || !a.Expect.Success && !a.Expect.EmptyList:
		return got
	case c.Op.Lists():
		return got + " with a list that is not empty"
	case len(a.Exchange.Response.Body) == 0:
		return got + " without a body"
	case a.Value == nil:
		return got + " with a body that is not JSON"
	}
	return got + " with " + oracle.ShowNames(a.Value) + ", and no object in " + c.Op.Success.Field("data").Name
}

// twiceWrong says whether a request that has to be answered 401 names what the
// suite has deleted: which of its two faults is told is open.
func twiceWrong(c *Call, a *Answer) bool {
	return c.Object != nil && c.Object.WasDeleted && slices.Equal(a.Expect.Statuses, []int{http.StatusUnauthorized})
}
