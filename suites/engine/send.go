package engine

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// Call is a request as a case asks for it, and what may come back.
type Call struct {
	Op      *spec.Operation
	Method  string   // Op.Method unless given
	Path    []string // ids as they stand in the path
	Object  *Object  // the object that the path names; nil when it names none that is known
	As      wire.Credential
	Body    *Body
	Query   string
	Page    int64       // the page that Query asks for; 0: none
	Header  http.Header // beside the key and Content-Type
	Encoded bool        // Path stands in the request line as it is, be it encoded or not
	Raw     bool        // on a raw connection, which shows what HTTP clients hide
	Expect  Expect

	asked  int64 // the page that recorded traffic asks for; 0: none
	halved bool  // sent in two halves, see SendAround
	told   bool  // was sent, and told, before its case
}

// Expect says which answers are right. The zero value lets every answer below
// 500 pass.
type Expect struct {
	Success    bool   // a 2xx with the representation, the list, or 204
	Statuses   []int  // and these
	Clause     string // broken by any other answer; "" judges no status
	Field      string // the only wrong field of the request, by wire name
	AnyRefusal bool   // every 4xx is right too
	OnlyCrash  bool   // nothing but a status ≥ 500 is judged
	ErrorForm  bool   // with OnlyCrash: and the form of an error that can be read
	Reads      bool   // the request reads state back: it sets no field
	Loose      bool   // what an accepted request shows is open
	Part       bool   // a well-formed body with some of the fields, as the object's own user
	OutOfRange bool   // the page asked for does not exist
	EmptyList  bool   // a 2xx with an empty list is right too
	Odd        bool   // likely to be refused: refused writes before it are not looked at first
}

// Answer is what came back, and what could be made of it.
type Answer struct {
	Exchange *wire.Exchange
	Status   int            // 0 when the answer was lost in transport
	OK       bool           // 2xx
	Expected bool           // an answer that Expect lists
	Value    any            // decoded body
	Shown    map[string]any // the representation, by wire name; nil when there is none
	List     *listPage
}

// Send sends one request, records it and judges the answer.
func (t *T) Send(c Call) *Answer {
	if a := t.halted(c.Op); a != nil {
		return a
	}
	t.meet(c.Object)
	if c.Expect.Success && c.Op.Updates() && !c.Expect.Reads && !c.Expect.Odd && c.Object != nil {
		t.settleAll(c.Object) // before a success overwrites the traces
	}
	t.spare(c.Op)
	req := t.request(&c)
	if t.withholds(req) {
		return t.withheld(req)
	}
	return t.judgeAnswer(&c, t.exchange(t.Case.ID, &c, req))
}

// SendTogether sends requests at the same instant. The answers are judged in
// the order of the calls; what they do to remembered state is up to the case.
func (t *T) SendTogether(calls ...Call) []*Answer { return t.sendAll(t.client.DoTogether, calls) }

// SendInOrder sends requests one after another on one connection.
func (t *T) SendInOrder(calls ...Call) []*Answer { return t.sendAll(t.client.DoInOrder, calls) }

func (t *T) sendAll(send func(context.Context, string, ...wire.Request) []*wire.Exchange, calls []Call) []*Answer {
	if a := t.halted(calls[0].Op); a != nil {
		return slices.Repeat([]*Answer{a}, len(calls))
	}
	reqs := make([]wire.Request, len(calls))
	for i := range calls {
		t.meet(calls[i].Object)
		if o := calls[i].Object; o != nil && o.Op.Updates() {
			t.settleAll(o)
		}
		reqs[i] = t.request(&calls[i])
	}
	var answers []*Answer
	if a := t.halted(calls[0].Op); a != nil { // while a refusal was settled
		return slices.Repeat([]*Answer{a}, len(calls))
	}
	if slices.ContainsFunc(reqs, t.withholds) {
		for _, req := range reqs {
			answers = append(answers, t.withheld(req))
		}
		return answers
	}
	for i, ex := range send(t.Ctx, t.Case.ID, reqs...) {
		answers = append(answers, t.judgeAnswer(&calls[i], ex))
	}
	return answers
}

func (t *T) request(c *Call) wire.Request {
	if c.Method == "" {
		c.Method = c.Op.Method
	}
	if c.Path == nil && c.Object != nil {
		c.Path = c.Object.Path()
	}
	path := c.Op.Path
	for i, p := range c.Op.Params {
		segment := c.Path[i]
		if !c.Encoded {
			segment = url.PathEscape(segment)
		}
		path = strings.Replace(path, "{"+p.Name+"}", segment, 1)
	}
	if c.Query != "" {
		path += "?" + c.Query
	}
	r := wire.Request{Method: c.Method, Path: path, Header: c.Header, Credential: c.As}
	if c.Body != nil {
		r.Body, r.HasBody = c.Body.Raw, true
		t.remember(c)
	}
	return r
}

// remember notes where each made-up text was sent, so that it is known when it
// shows elsewhere.
func (t *T) remember(c *Call) {
	for name, v := range c.Body.Fields {
		t.noteMade(v)
		if c.Object != nil {
			c.Object.try(v)
		}
		if text, ok := v.(string); ok && len(text) >= minTaint {
			if _, known := t.sent[text]; !known {
				t.sent[text] = origin{c.Object, name, t.Case.ID}
			}
		}
	}
}

// minTaint is the length from which a text is taken to be ours alone: shorter
// ones (pass, true) mean nothing where they show.
const minTaint = 12

func (t *T) judgeAnswer(c *Call, ex *wire.Exchange) *Answer {
	first := len(t.Result.Findings)
	t.countAnswer(c, ex)
	t.noteKey(c, ex)
	if !c.told {
		t.tell(ex)
	}
	if t.onSent != nil {
		t.onSent(t.Case, c, ex)
	}
	t.Result.Exchanges = append(t.Result.Exchanges, ex.Seq)
	t.answering = c.Op
	a := &Answer{Exchange: ex}
	t.judgeFraming(ex)
	if ex.Err == nil {
		t.decompress(ex)
		bound(ex)
	}
	if ex.Err != nil {
		t.loseAnswer(c, ex)
		t.followed(c.Object, false)
		return a
	}
	t.book.answer(ex, c.Op.ID)
	if c.Method == c.Op.Method { // else it says nothing of the operation
		t.judge("HTTP-1", "HTTP-2")
	}
	a.Status = ex.Response.Status
	a.OK = a.Status >= 200 && a.Status < 300
	t.judgeResponse(c, a)
	t.judgeExpectation(c, a)
	t.noteEvidence(c, a)
	t.noteOthers(c.Object, a.Shown)
	t.noteDates(c, a)
	t.noteSuccessStatus(c, a)
	switch {
	case c.Method != c.Op.Method, t.flight != nil:
	case c.Op.Deletes():
		t.noteDelete(c, a)
	case c.Op.Lists():
		t.noteList(c, a)
	case c.Op.Reads():
		t.noteRead(c, a)
	case c.Op.Updates():
		t.noteUpdate(c, a)
		t.followed(c.Object, a.OK)
	}
	for _, f := range t.Result.Findings[first:] {
		if f.Curl == "" {
			f.Curl, f.Exchange = ex.Curl(), ex.Seq
		}
	}
	return a
}

// judgeResponse applies what holds for every exchange.
func (t *T) judgeResponse(c *Call, a *Answer) {
	r := oracle.Response{Status: a.Status, Header: a.Exchange.Response.Header, Body: a.Exchange.Response.Body, RequestedPage: c.requestedPage(), Beside: c.beside()}
	if c.Object != nil {
		r.PathID = c.Object.ID()
	}
	op := c.Op
	if c.Method != op.Method { // a read that the document does not declare
		if a.Status >= 500 {
			t.addJudged(t.oracle.Judge(op, r), c, a)
		}
		a.Value = decode(r.Body)
	} else {
		j := t.oracle.Judge(op, r)
		a.Value = j.Value
		t.addJudged(j, c, a)
	}
	if a.OK {
		a.Shown = representation(op, a.Value)
	}
}

// errorForm are the clauses of the form of an error body.
var errorForm = []string{"ERR-6", "ERR-7", "ERR-8", "ERR-9", "ERR-11"}

// isRefusal says whether a status blames the request.
func isRefusal(status int) bool { return status >= 400 && status < 500 }

func (t *T) addJudged(j oracle.Judged, c *Call, a *Answer) {
	for i := range j.Findings {
		f := j.Findings[i]
		switch e := c.Expect; {
		case f.Clause == "HTTP-1", e.OnlyCrash && e.ErrorForm && slices.Contains(errorForm, f.Clause):
		case e.OnlyCrash, e.AnyRefusal && f.Clause == "ERR-12" && isRefusal(a.Status):
			continue
		}
		f.Case, f.Operation = t.Case.ID, c.Op.ID
		t.add(&f)
	}
	if !c.Expect.OnlyCrash {
		t.judge(j.Clauses...)
	}
}

// judgeExpectation compares the status with what the case allows.
func (t *T) judgeExpectation(c *Call, a *Answer) {
	if t.twiceWrong(c) {
		c.Expect.Statuses = append(slices.Clone(c.Expect.Statuses), http.StatusNotFound)
	}
	e := c.Expect
	if c.halved && slices.Contains(tooSlow, a.Status) {
		return
	}
	a.Expected = e.Success && success(c.Op, a) || slices.Contains(e.Statuses, a.Status) || e.EmptyList && t.emptyList(c.Op, a) || e.AnyRefusal && isRefusal(a.Status)
	if e.Clause == "" || e.OnlyCrash || a.Status >= 500 {
		return
	}
	clause := e.Clause
	if e.Success && c.As.Name == ownerName && !a.Expected && clause != "AUTH-3" {
		switch a.Status {
		case http.StatusUnauthorized, http.StatusForbidden:
			clause = "AUTH-4"
		case http.StatusNotFound:
			clause = "EFFECT-3"
		}
	}
	if !a.Expected {
		f := t.find(e.check(a), Finding{
			Clause: clause, WFC: 101, Expected: t.expected(c), Got: fmt.Sprintf("status %d", a.Status),
		})
		t.judge(clause)
		t.doubt(c, a, f)
		return
	}
	if e.Field != "" && a.Status == http.StatusUnprocessableEntity {
		t.judgeRelatedField(e.Field, a)
	}
	// Where a success and a refusal are both right, the refusal shows nothing.
	t.judgeIf(e.Success == a.OK && premiseOf(e.Clause, c.Op).met(a.Status), e.Clause)
	if e.Success && a.OK && c.As.Name == ownerName && c.Object != nil {
		t.judge("AUTH-4")
		t.judgeIf(c.Object.alive || c.Object.shownToExist, "EFFECT-3")
	}
}

// twiceWrong says whether a request that has to be answered 401 names what the
// suite has deleted: which of its two faults is told is open.
func (t *T) twiceWrong(c *Call) bool {
	return c.Object != nil && c.Object.deleted && slices.Equal(c.Expect.Statuses, []int{http.StatusUnauthorized})
}

// check is what finds an answer that is not expected. That a request which has to be
// refused succeeds is worse than another error: who bears the one does not bear the
// other.
func (e Expect) check(a *Answer) string {
	if a.OK && !e.Success && !e.EmptyList {
		return "not-refused"
	}
	return "expected-status"
}

const ownerName = "owner"

// success says whether an answer is what the operation succeeds with.
func success(op *spec.Operation, a *Answer) bool {
	if op.Success == nil {
		return a.Status == http.StatusNoContent
	}
	return a.OK && (a.Shown != nil || op.Lists())
}

func (t *T) expected(c *Call) string {
	var parts []string
	if c.Expect.Success {
		switch {
		case c.Op.Success == nil:
			parts = append(parts, "status 204")
		case c.Op.Lists():
			parts = append(parts, "a 2xx status with the list")
		case c.Op.Reads():
			parts = append(parts, "a 2xx status with the object")
		default:
			parts = append(parts, "a 2xx status with the new representation")
		}
	}
	if c.Expect.EmptyList {
		parts = append(parts, "an empty list")
	}
	if c.Expect.AnyRefusal {
		parts = append(parts, "a 4xx status")
	}
	for _, s := range c.Expect.Statuses {
		parts = append(parts, fmt.Sprintf("status %d", s))
	}
	return either(parts)
}

// either lists choices: "a, b or c".
func either(parts []string) string {
	if n := len(parts); n > 1 {
		return strings.Join(parts[:n-1], ", ") + " or " + parts[n-1]
	}
	return strings.Join(parts, "")
}

// representation is what a success shows inside its envelope.
func representation(op *spec.Operation, body any) map[string]any {
	object, _ := body.(map[string]any)
	data := op.Success.Field("data")
	if data == nil {
		return nil
	}
	shown, _ := object[data.Name].(map[string]any)
	return shown
}

// requestedPage is the page for the oracle. Where the parameter is not known to
// work only a page beyond all pages is told, which frees the answer's number.
func (c *Call) requestedPage() int64 {
	if c.Expect.OutOfRange {
		return oracle.AnyPage
	}
	return c.asked
}
