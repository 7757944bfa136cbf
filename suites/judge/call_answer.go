package judge

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

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
	List     *ListPage

	// What has to be asked before the rest can be judged, see Continue; nil for nothing.
	Wanted *Wanted

	By     Judging // that judges it; nil: nothing was sent, or it was judged
	Call   *Call
	Expect oracle.Expect
	Why    string         // the request was given up by the run, in words
	Came   *wire.Exchange // with the body uncoded
	Coding error          // the body is not coded as its header says
}

// Read reads an answer as far as that needs no judgement. Why says in words that the
// run gave the request up, "" when it did not.
func Read(c *Call, ex *wire.Exchange, by Judging, why string) *Answer {
	read := *ex // what is recorded is what came
	a := &Answer{Exchange: ex, By: by, Call: c, Came: &read, Why: why}
	if ex.Err == nil {
		response := *ex.Response
		read.Response = &response
		a.Coding = decompress(&read)
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
	case a.By != nil:
		return a.By.Judge(a, e)
	case a.Call != nil:
		panic("an answer is judged once, before the next request: state all that is expected of it in one matcher")
	}
	return nil // it was not sent
}

// Judged says whether the answer was judged, or there is nothing to judge.
func (a *Answer) Judged() bool { return a.By == nil }

// SaysJSON says whether an answer announces a whole JSON text.
func (a *Answer) SaysJSON() bool {
	return a.Status != http.StatusPartialContent && strings.Contains(strings.ToLower(a.Exchange.Response.Header.Get("Content-Type")), "json")
}

// Escapes of a character beyond the basic plane, and of half of one.
var (
	surrogatePair = regexp.MustCompile(`(?i)\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}`)
	surrogate     = regexp.MustCompile(`(?i)\\ud[89a-f][0-9a-f]{2}`)
)

// MayShowDamage says whether what is no Unicode in an answer may be what was sent, as a server shows
// it that does not look: but for that it is JSON.
func (a *Answer) MayShowDamage(c *Call) bool {
	if c.Body == nil || !json.Valid(a.Exchange.Response.Body) {
		return false
	}
	sent := c.Body.Raw
	return !utf8.Valid(sent) || surrogate.Match(surrogatePair.ReplaceAll(sent, nil))
}

// Acceptance names what became of a request that may be refused, for Observe.
func (a *Answer) Acceptance() string {
	switch {
	case a.OK:
		return "accepted"
	case a.Status == http.StatusUnauthorized, a.Status == http.StatusForbidden, a.Status == http.StatusNotFound:
		return ""
	case a.Status >= 400 && a.Status < 500:
		return fmt.Sprintf("refused (%d)", a.Status)
	}
	return ""
}

// Choice is the status for Observe: one that is not allowed is no choice.
func (a *Answer) Choice() string {
	if !a.Expected {
		return ""
	}
	return a.StatusText()
}

// StatusText is the status with its name, "" where the answer was lost.
func (a *Answer) StatusText() string {
	if a.Status == 0 {
		return ""
	}
	return fmt.Sprintf("%d %s", a.Status, http.StatusText(a.Status))
}

// Wanted is what a judgement has to know before it can go on: what the owner's deletes
// of media files are answered. Each is told to FileWanted, until that says enough.
type Wanted struct {
	Deletes []*Object
}
