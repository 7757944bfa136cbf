package judge

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// Call is a request as a case asks for it. What is expected of its answer is said
// when that is there, see Answer.
type Call struct {
	Op      *spec.Operation
	Method  string   // Op.Method unless given
	Path    []string // ids as they stand in the path
	Object  *Object  // the object that the path names; nil when it names none that is known
	As      wire.Credential
	Body    *oracle.Body
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
	Sent      []oracle.Sent // what is odd about it, see Note and Parts

	Succeeds   bool // meant to: a delete may have been carried out though its answer was lost
	Looks      bool // sets nothing new: a refusal of it is no write whose effect is in question
	Part       bool // a well-formed body with some of the fields, as the object's own user
	Loose      bool // what an accepted request shows is open
	OutOfRange bool // the page asked for does not exist

	Asked      int64 // the page that recorded traffic asks for; 0: none
	Halved     bool  // sent in two halves, see SendAround
	Prefetched bool  // was sent, and recorded, before its case
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

// Request headers that ask for an answer only where something has changed.
const (
	ifNoneMatch     = "If-None-Match"
	ifModifiedSince = "If-Modified-Since"
)

// Beside are statuses that the way allows in which a request is sent, whatever the
// document says: 304 where it asks for what has changed only.
func (c *Call) Beside() []int {
	switch {
	case c.Halved:
		return TooSlow
	case len(c.Header[ifNoneMatch]) > 0 || len(c.Header[ifModifiedSince]) > 0:
		return []int{http.StatusNotModified}
	}
	return nil
}

// namesObject says whether the path is that of the object, not one like it.
func (c *Call) namesObject() bool { return slices.Equal(c.Path, c.Object.Path()) }

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
	List     *ListPage

	by     Judging        // nil: nothing was sent, or it was judged
	stated *oracle.Expect // by which it was judged; nil for none
	found  []*oracle.Finding
	Call   *Call
	Expect oracle.Expect
	why    string         // the request was given up by the run, in words
	came   *wire.Exchange // with the body uncoded
	coding error          // the body is not coded as its header says
}

// Judging judges an answer in its case.
type Judging = func(*Answer, oracle.Expect) []*oracle.Finding

// Read reads an answer as far as that needs no judgement. Why says in words that the
// run gave the request up, "" when it did not.
func Read(c *Call, ex *wire.Exchange, by Judging, why string) *Answer {
	read := *ex // what is recorded is what came
	a := &Answer{Exchange: ex, by: by, Call: c, came: &read, why: why}
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

// Judge judges an answer by what its case expects and returns what was found. It may be asked any
// number of times: the first time decides what is remembered and found, another expectation than
// that is held against the status.
func (a *Answer) Judge(e oracle.Expect) []*oracle.Finding {
	switch {
	case a.by != nil:
		a.stated = &e
		a.found = a.by(a, e)
	case a.Call == nil: // it was not sent
	case a.stated == nil:
		panic("an answer is judged by the next request at the latest: state what is expected of it before")
	case !reflect.DeepEqual(*a.stated, e):
		return a.judgeStatus(e)
	}
	return a.found
}

// judgeStatus is what was found, but for the expectation by which it was: that is e.
func (a *Answer) judgeStatus(e oracle.Expect) []*oracle.Finding {
	op := a.Call.Op
	found := slices.DeleteFunc(slices.Clone(a.found), isUnmet)
	open := e.OnlyCrash || e.AnyStatus || a.Status == 0 || a.Status >= http.StatusInternalServerError
	if !open && !e.Allows(a.Status, oracle.Succeeds(op, a.Status, a.Value), e.EmptyList && emptyList(op, a)) {
		found = append(found, &oracle.Finding{
			Check: e.Check(a.Status), Clause: e.Clause, Operation: op.ID, Severity: oracle.Violation,
			Expected: e.Words(op), Got: "status " + a.StatusText(),
		})
	}
	return found
}

// isUnmet says whether a finding is that an answer is not the one that was expected.
func isUnmet(f *oracle.Finding) bool {
	return f.Check == CheckExpectedStatus.ID || f.Check == CheckNotRefused.ID
}

// Broken says whether something is wrong with an answer, by the expectation by which it was judged.
func (a *Answer) Broken() bool {
	return slices.ContainsFunc(a.found, func(f *oracle.Finding) bool { return f.Severity != oracle.Notice || !f.Counts() })
}

// Judged says whether the answer was judged, or there is nothing to judge.
func (a *Answer) Judged() bool { return a.by == nil }

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
	return c.Body != nil && json.Valid(a.Exchange.Response.Body) && Damaged(c.Body.Raw)
}

// Damaged says whether a body holds what is no Unicode.
func Damaged(sent []byte) bool {
	return !utf8.Valid(sent) || surrogate.Match(surrogatePair.ReplaceAll(sent, nil))
}

// Acceptance names what became of a request that may be refused, for Observe.
func (a *Answer) Acceptance() spec.Choice {
	switch {
	case a.OK:
		return spec.Accepted
	case oracle.IsRefusal(a.Status) && (a.Status == http.StatusUnprocessableEntity || !refused(a.Status)):
		return spec.Refused.With("(%d)", a.Status)
	}
	return ""
}

// Choice is the status for Observe: one that is not allowed is no choice.
func (a *Answer) Choice() spec.Choice {
	if !a.Expected {
		return ""
	}
	return spec.Choice(a.StatusText())
}

// StatusText is the status with its name, "" where the answer was lost.
func (a *Answer) StatusText() string {
	if a.Status == 0 {
		return ""
	}
	return fmt.Sprintf("%d %s", a.Status, http.StatusText(a.Status))
}

// Validators are what an answer says that tells whether something has changed
// since (RFC 9110, 8.8).
type Validators struct {
	Tag      string    // as it stands in ETag, "" for none
	Modified time.Time // zero for none
	answered time.Time // as the answer says; zero where it does not
}

// Validators are those of an answer, as far as they can be read.
func (a *Answer) Validators() (v Validators) {
	if a.Exchange.Response == nil {
		return v
	}
	h := a.Exchange.Response.Header
	v.Tag = h.Get("ETag")
	v.Modified, _ = http.ParseTime(h.Get("Last-Modified")) // zero for what is no date
	v.answered, _ = http.ParseTime(h.Get("Date"))
	return v
}

// String names what there is.
func (v Validators) String() string {
	switch {
	case v.Tag != "" && !v.Modified.IsZero():
		return "ETag and Last-Modified"
	case v.Tag != "":
		return "ETag"
	case !v.Modified.IsZero():
		return "Last-Modified"
	}
	return "neither"
}

// settled is how much older than its answer a date has to be to tell of any change
// after the answer: it counts seconds, and is perhaps of another clock (RFC 9110,
// 8.8.2.2).
const settled = time.Minute

// Settled says whether any change after the answer gives another date.
func (v Validators) Settled() bool {
	return !v.Modified.IsZero() && !v.answered.IsZero() && v.answered.Sub(v.Modified) >= settled
}
