package judge

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge/model"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/premise"
	"github.com/adconform/adconform/suites/value"
	"github.com/adconform/adconform/suites/wire"
)

// Call is a request as a case asks for it. What is expected of its answer is said
// when that is there, see Answer.
type Call struct {
	Op      *spec.Operation
	Method  string        // Op.Method unless given
	Path    []string      // ids as they stand in the path
	Object  *model.Object // the object that the path names; nil when it names none that is known
	As      wire.Credential
	Body    *value.Body
	Query   string
	Page    int64       // the page that Query asks for; 0: none
	Header  http.Header // beside the key and Content-Type
	Encoded bool        // Path stands in the request line as it is, be it encoded or not
	Raw     bool        // on a raw connection, which shows what HTTP clients hide
	Target  string      // path and query as they stand in the request line, from the base URL on; "": Path and Query
	Wire    *wire.Odd   // how it is written, where no HTTP client would write it so; it goes on a raw connection
	// Malformed is no valid HTTP, or more than a server need take: it may be answered by the
	// end of the connection, and what follows an answer may answer what is left of it.
	Malformed bool
	Sent      *oracle.Sent // what of it matters; nil: that is read off the request

	// Meant to succeed: what refused writes left is looked for first, before an update
	// overwrites it, and a delete whose answer is lost may have been carried out.
	Succeeds   bool
	Odd        bool // likely to be refused: what an accepted one shows is the target's choice
	Part       bool // a well-formed body with some of the fields, as the object's own user
	Loose      bool // what an accepted request shows is open
	OutOfRange bool // the page asked for does not exist

	Asked   int64           // the page that recorded traffic asks for; 0: none
	Halved  bool            // sent in two halves, see SendAround
	Told    bool            // was sent, and told, before its case
	Pending []model.Refusal // of a delete: refused ones before it
}

// Expect says which answers to a call are right.
type Expect = oracle.Expect

// Judging is the case that an answer is judged in, see Answer.
type Judging interface {
	Judge(*Answer, oracle.Expect) []*oracle.Finding
}

// Answer is what came back, and what could be made of it. It is judged in its case
// when an expectation of it is stated, and at the latest before the case's next
// request or at its end; then every answer below 500 is expected.
type Answer struct {
	Exchange *wire.Exchange
	Status   int  // 0 when the answer was lost in transport
	OK       bool // 2xx

	// Known when it was judged.
	Expected bool           // one that the expectation allows
	Value    any            // decoded body
	Shown    map[string]any // the representation, by wire name; nil when there is none
	List     *model.ListPage

	// What has to be asked before the rest can be judged, see Continue; nil for nothing.
	Wanted *Wanted

	by     Judging // that judges it; nil: nothing was sent, or it was judged
	Call   *Call
	Expect oracle.Expect
	why    string         // the request was given up by the run, in words
	read   *wire.Exchange // with the body uncoded
	coding error          // the body is not coded as its header says
}

// Read reads an answer as far as that needs no judgement. Why says in words that the
// run gave the request up, "" when it did not.
func Read(c *Call, ex *wire.Exchange, by Judging, why string) *Answer {
	read := *ex // what is recorded is what came
	a := &Answer{Exchange: ex, by: by, Call: c, read: &read, why: why}
	if ex.Err == nil {
		response := *ex.Response
		read.Response = &response
		a.coding = decompress(&read)
		Bound(&read)
	}
	if read.Err == nil {
		a.Status = ex.Response.Status
		a.OK = a.Status >= 200 && a.Status < 300
	}
	return a
}

// Unsent stands for the answers to requests that were not sent.
func Unsent(caseID, why string) *Answer {
	return &Answer{Exchange: &wire.Exchange{Case: caseID, Err: &wire.TransportError{Kind: wire.Canceled, Detail: "not sent: " + why}}}
}

// Judge judges an answer by what its case expects and returns what was found.
func (a *Answer) Judge(e oracle.Expect) []*oracle.Finding {
	switch {
	case a.by != nil:
		return a.by.Judge(a, e)
	case a.Call != nil:
		panic("an answer is judged once, before the next request: state all that is expected of it in one matcher")
	}
	return nil // it was not sent
}

// Judged says whether the answer was judged, or there is nothing to judge.
func (a *Answer) Judged() bool { return a.by == nil }

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
	a.by, a.Expect = nil, e
	t.judgeAnswer(a)
	return t.Result.Findings[first:]
}

func (t *Test) judgeAnswer(a *Answer) {
	c, ex := a.Call, a.Exchange
	t.shown, t.sent = ex, c.Sent
	defer t.noteUser(ex)
	t.countAnswer(c, ex)
	t.Model.Outcome.NoteKey(c, a.Expect, ex)
	if t.Model.onJudged != nil {
		t.Model.onJudged(t.Case, c, a.Expect, ex)
	}
	t.Result.Exchanges = append(t.Result.Exchanges, ex.Seq)
	t.answering = c.Op
	if !c.Malformed {
		t.judgeFraming(ex)
	}
	ex.Response, ex.Err = a.read.Response, a.read.Err
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
		RequestedPage: c.requestedPage(), Beside: c.beside(),
	}
	if c.Object != nil {
		r.PathID = c.Object.ID()
	}
	op := c.Op
	if c.Method != op.Method { // a read that the document does not declare
		if a.Status >= 500 {
			t.addJudged(t.Model.oracle.Judge(op, r), c, a)
		}
		a.Value = value.Decode(r.Body)
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
		case e.Unlisted && f.Clause == "JSON-1" && a.saysJSON() && !a.mayShowDamage(c):
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

// saysJSON says whether an answer announces a whole JSON text.
func (a *Answer) saysJSON() bool {
	return a.Status != http.StatusPartialContent && strings.Contains(strings.ToLower(a.Exchange.Response.Header.Get("Content-Type")), "json")
}

// Escapes of a character beyond the basic plane, and of half of one.
var (
	surrogatePair = regexp.MustCompile(`(?i)\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}`)
	surrogate     = regexp.MustCompile(`(?i)\\ud[89a-f][0-9a-f]{2}`)
)

// mayShowDamage says whether what is no Unicode in an answer may be what was sent, as a server shows
// it that does not look: but for that it is JSON.
func (a *Answer) mayShowDamage(c *Call) bool {
	if c.Body == nil || !json.Valid(a.Exchange.Response.Body) {
		return false
	}
	sent := c.Body.Raw
	return !utf8.Valid(sent) || surrogate.Match(surrogatePair.ReplaceAll(sent, nil))
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
	if e.Success && c.As.Name == model.OwnerName && !a.Expected && clause != "AUTH-3" {
		switch a.Status {
		case http.StatusUnauthorized, http.StatusForbidden:
			clause = "AUTH-4"
		case http.StatusNotFound:
			clause = "EFFECT-3"
		}
	}
	if clause == "AUTH-3" && !e.Success && c.As.Name == model.OwnerName &&
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
	t.CoveredIf(e.Success == a.OK && premise.Met(e.Clause, c.Op, a.Status), e.Clause)
	if e.Success && a.OK && c.As.Name == model.OwnerName && c.Object != nil {
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

// requestedPage is the page for the oracle. Where the parameter is not known to work only
// a page beyond all pages is told, which frees the answer's number: the one that was asked
// for, or any where that was none.
func (c *Call) requestedPage() int64 {
	switch {
	case !c.OutOfRange:
		return c.Asked
	case c.Page > 0:
		return c.Page
	}
	return oracle.AnyPage
}

// TooSlow are statuses of a target that takes no request in halves, or none that asks
// to be told when the head is read.
var TooSlow = []int{http.StatusRequestTimeout, http.StatusExpectationFailed}

// givenUp says whether the target ended a request that came in halves, or is no valid one,
// as it may: that is no answer that was lost.
func (c *Call) givenUp(ex *wire.Exchange) bool {
	if !c.Halved && !c.Malformed || ex.Err == nil {
		return false
	}
	switch ex.Err.Kind {
	case wire.Closed, wire.Reset, wire.Timeout:
		return true
	case wire.Malformed, wire.Truncated:
		return c.Malformed
	}
	return false
}
