package judge

import (
	"net/http"
	"slices"

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
	Sent      *oracle.Sent // what of it matters; nil: that is read off the request

	// Meant to succeed: what refused writes left is looked for first, before an update
	// overwrites it, and a delete whose answer is lost may have been carried out.
	Succeeds   bool
	Part       bool // a well-formed body with some of the fields, as the object's own user
	Loose      bool // what an accepted request shows is open
	OutOfRange bool // the page asked for does not exist

	Asked   int64     // the page that recorded traffic asks for; 0: none
	Halved  bool      // sent in two halves, see SendAround
	Told    bool      // was sent, and told, before its case
	Pending []Refusal // of a delete: refused ones before it
}

// RequestedPage is the page for the oracle. Where the parameter is not known to work only
// a page beyond all pages is told, which frees the answer's number: the one that was asked
// for, or any where that was none.
func (c *Call) RequestedPage() int64 {
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

// GivenUp says whether the target ended a request that came in halves, or is no valid one,
// as it may: that is no answer that was lost.
func (c *Call) GivenUp(ex *wire.Exchange) bool {
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

// NamesObject says whether the path is that of the object, not one like it.
func (c *Call) NamesObject() bool { return slices.Equal(c.Path, c.Object.Path()) }
