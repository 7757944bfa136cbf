package judge

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/model"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
)

// A Call is a request of a case. The case states what it expects once it has the answer, see Answer.
type Call struct {
	Op      *spec.Operation
	Method  string   // Op.Method unless set
	Path    []string // the ids in the path
	Object  *Object  // the object that the path names, or nil
	As      wire.Credential
	Body    *oracle.Body
	Query   string
	Page    int64       // the page that Query asks for, or 0
	Header  http.Header // further headers, without the key and Content-Type
	Encoded bool        // the last id in Path is not to be escaped
	Raw     bool        // send on a raw connection, which shows what HTTP clients hide
	Target  string      // the request target after the base URL, if not that of Path and Query
	Wire    *wire.Odd   // a form in which no HTTP client would send the request
	// Malformed marks invalid HTTP, or more than a server need accept. The server may close the connection, and may
	// answer the rest of the request separately.
	Malformed bool
	Sent      []finding.Sent // the odd parts of the request, see Note and Parts

	Succeeds   bool // the request should succeed, and so may have been carried out even if its answer is lost
	Looks      bool // the request sets nothing new, so if it is refused, there is no effect to look for
	Part       bool // the body is well formed, with some of the fields, and the user is the object's own
	Loose      bool // the contract leaves open what an accepted request shows
	OutOfRange bool // the requested page does not exist

	Asked      int64 // the page that recorded traffic asks for, or 0 if the page parameter may have no effect
	Halved     bool  // sent in two halves, see SendAround
	Prefetched bool  // sent, and recorded, before its case
}

// TooSlow lists the statuses with which a target may refuse a request that is sent in halves.
var TooSlow = []int{http.StatusRequestTimeout, http.StatusExpectationFailed}

// namesObject reports whether there is an object and the path is exactly its own.
func (c *Call) namesObject() bool {
	return c.Object != nil && slices.Equal(c.Path, c.Object.Path())
}

// isDeclared reports whether the call is of its operation, not of another method that the document does not declare.
func (c *Call) isDeclared() bool { return c.Method == c.Op.Method }

// inOtherLetters reports whether the path is that of the object but for the letter case of an id: a server may take it
// for the object, and show the id as it holds it.
func (c *Call) inOtherLetters() bool {
	if c.Object == nil || c.namesObject() {
		return false
	}
	return slices.EqualFunc(c.Path, c.Object.Path(), strings.EqualFold)
}

// Note describes a changed part of the call. It replaces an earlier description of that part.
func (c *Call) Note(at finding.Place, what finding.Oddity, value string) {
	c.Sent = slices.DeleteFunc(slices.Clone(c.Sent), func(s finding.Sent) bool {
		return s.At == at
	})
	c.Sent = append(c.Sent, finding.Sent{At: at, What: what, Value: value})
}

// Parts returns the parts of a call that a finding may name: those that Note described, an object in the path that is
// not the user's or was deleted, and the fields of the body.
func (c *Call) Parts() []finding.Sent {
	parts := append(slices.Clone(c.Sent), c.oddObject()...)
	isNoted := func(at finding.Place) bool {
		return slices.ContainsFunc(parts, func(s finding.Sent) bool { return s.At == at })
	}
	switch {
	case c.Body == nil, c.Op.Body == nil, !c.isDeclared(), isNoted(finding.PlaceOf(finding.Body, "")):
		return parts
	}
	for _, f := range c.Op.Body.Fields {
		v, isSent := c.Body.Fields[f.Name]
		part := finding.Sent{At: finding.PlaceOf(finding.Field, f.Name), Value: oracle.Show(v)}
		if v == nil {
			part.What = finding.Null
		}
		if isSent && !isNoted(part.At) {
			parts = append(parts, part)
		}
	}
	return parts
}

// oddObject returns the part of the path that names an object which is not the user's, or was deleted.
func (c *Call) oddObject() []finding.Sent {
	id := func(i int, what finding.Oddity) []finding.Sent {
		at := finding.PlaceOf(finding.Path, c.Op.Params[i].Name)
		return []finding.Sent{{At: at, What: what, Value: c.Path[i]}}
	}
	o := c.Object
	last := len(c.Path) - 1
	switch {
	case last < 0, !c.namesObject():
	case o.Foreign && c.As.Name != StrangerName:
		return id(0, finding.OthersID)
	case o.Removed():
		return id(last, finding.DeletedID)
	}
	return nil
}

// An Answer is the answer to a call. It is judged when its case states an expectation, or else before the case's next
// request or at its end: then any status below 500 is expected.
type Answer struct {
	Exchange *wire.Exchange
	Before   []*wire.Exchange // other exchanges of the same request, which are not judged
	Others   int              // requests beside which the request timed out, before it was answered alone
	// Undecided marks a read that shows a state from before a change, which the target may only show late.
	Undecided bool
	Status    int  // 0 if the answer was lost in transport
	OK        bool // 2xx

	// Set when the answer is judged.
	Expected bool           // the expectation allows it
	Value    any            // decoded body
	Shown    map[string]any // the representation, by wire name, or nil
	List     *ListPage

	by       func(*Answer, oracle.Expect) []*oracle.Finding // nil if nothing was sent, or the answer is judged
	stated   bool                                           // its case has stated what it expects
	found    []*oracle.Finding
	sight    sight          // what a read shows of recent changes
	breaches []model.Breach // what it breaks, as the answers before it show
	judged   []model.Judged // what it could have broken
	omitted  []model.Omitted
	Call     *Call
	Expect   oracle.Expect
}

// Read undoes the content coding of the answer in an exchange and returns the answer, which by will judge.
func Read(c *Call, ex *wire.Exchange, by func(*Answer, oracle.Expect) []*oracle.Finding) *Answer {
	a := &Answer{Exchange: ex, by: by, Call: c}
	if ex.Err == nil {
		response := *ex.Response // it was recorded as it came
		ex.Response = &response
		decompress(ex)
		Bound(ex)
	}
	if ex.Err == nil {
		a.Status = ex.Response.Status
		a.OK = a.Status/100 == 2
	}
	return a
}

// Unsent returns an answer that stands in for the answer to a request that was not sent.
func Unsent(caseID, why string) *Answer {
	err := &wire.TransportError{Kind: wire.Canceled, Detail: "not sent: " + why}
	return &Answer{Exchange: &wire.Exchange{Case: caseID, Err: err}}
}

// Judge judges an answer by what its case expects and returns the findings. It may be called any number of times: the
// first call adds findings to the case, and a later one compares only the status.
func (a *Answer) Judge(e oracle.Expect) []*oracle.Finding {
	switch {
	case a.by != nil:
		a.stated = true
		a.found = a.by(a, e)
		return a.found
	case a.Call == nil: // it was not sent
		return nil
	case !a.stated:
		panic("an answer is judged by the next request at the latest: state what is expected of it before")
	}
	found := slices.DeleteFunc(slices.Clone(a.found), isUnmet)
	switch {
	case e.OnlyCrash, a.Status == 0, a.isFailure(), a.allowedBy(e):
		return found
	}
	return append(found, &oracle.Finding{
		Check: e.Check(a.Status), Clause: e.Clause,
		Operation: a.Call.Op.ID, Severity: oracle.Violation,
		Expected: e.Words(a.Call.Op), Got: "status " + a.StatusText(),
	})
}

// isFailure reports whether the target says that it has failed.
func (a *Answer) isFailure() bool { return a.Status >= http.StatusInternalServerError }

// allowedBy reports whether an expectation allows the status, and what a success brings.
func (a *Answer) allowedBy(e Expect) bool {
	return e.Allows(a.Call.Op, a.Status, a.Value)
}

// isUnmet reports whether a finding is that an answer is not the expected one.
func isUnmet(f *oracle.Finding) bool {
	return f.Check == CheckExpectedStatus.ID || f.Check == CheckNotRefused.ID
}

// Broken reports whether the answer has a violation.
func (a *Answer) Broken() bool {
	return slices.ContainsFunc(a.found, func(f *oracle.Finding) bool {
		return f.Severity != oracle.Notice
	})
}

// Judged reports whether the answer was judged, or there is nothing to judge.
func (a *Answer) Judged() bool { return a.by == nil }

// breaksJSON reports whether an answer that announces a complete JSON text is none, other than by showing what was
// sent.
func (a *Answer) breaksJSON() bool {
	r := a.Exchange.Response
	isJSON := strings.Contains(strings.ToLower(r.Header.Get("Content-Type")), "json")
	switch {
	case !isJSON, r.Status == http.StatusPartialContent:
		return false
	case a.Call.Body == nil, !json.Valid(r.Body):
		return true
	}
	return !Damaged(a.Call.Body.Raw)
}

// Escapes of a character beyond the basic multilingual plane, and of a surrogate.
var (
	surrogatePair = regexp.MustCompile(`(?i)\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}`)
	surrogate     = regexp.MustCompile(`(?i)\\ud[89a-f][0-9a-f]{2}`)
)

// Damaged reports whether a body, JSON or not, holds invalid Unicode, such as a lone surrogate.
func Damaged(sent []byte) bool {
	return !utf8.Valid(sent) || surrogate.Match(surrogatePair.ReplaceAll(sent, nil))
}

// Acceptance returns the choice to accept or to refuse the request, for Observe, or "" if the answer shows neither.
func (a *Answer) Acceptance() spec.Choice {
	switch {
	case a.OK:
		return spec.Accepted
	case a.Status == http.StatusUnprocessableEntity, oracle.IsRefusal(a.Status) && !refused(a.Status):
		return spec.Refused.With("(%d)", a.Status)
	}
	return ""
}

// Choice returns the status for Observe, or "" if it is not allowed.
func (a *Answer) Choice() spec.Choice {
	if !a.Expected {
		return ""
	}
	return spec.Choice(a.StatusText())
}

// StatusText returns the status with its name, or "" if the answer was lost.
func (a *Answer) StatusText() string {
	if a.Status == 0 {
		return ""
	}
	return fmt.Sprintf("%d %s", a.Status, http.StatusText(a.Status))
}

// Validators show whether something has changed since an answer (RFC 9110, 8.8).
type Validators struct {
	Tag      string    // ETag, or ""
	Modified time.Time // Last-Modified, or zero
	Settled  bool      // any later change must give another date
}

// settled is how much older than its answer Last-Modified has to be for any later change to give another date: it
// counts whole seconds, perhaps by another clock (RFC 9110, 8.8.2.2), which only the Date of the answer shows.
const (
	settled           = time.Minute
	settledByOurClock = time.Hour
)

// Validators returns the validators of an answer that can be read.
func (a *Answer) Validators() (v Validators) {
	if a.Exchange.Response != nil {
		h := a.Exchange.Response.Header
		v.Tag = h.Get("ETag")
		v.Modified, _ = http.ParseTime(h.Get("Last-Modified")) // zero if invalid
		least := settledByOurClock
		if _, err := http.ParseTime(h.Get("Date")); err == nil {
			least = settled
		}
		answered := clocksOf(a.Exchange)[0] // which Last-Modified comes from, too
		v.Settled = !v.Modified.IsZero() && answered.Time.Sub(v.Modified) >= least
	}
	return v
}

// String names the validators.
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
