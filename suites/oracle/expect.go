package oracle

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
)

// Expect says which answers to a request are right. The zero value lets every answer
// below 500 pass.
type Expect struct {
	Success    bool   // a 2xx with the representation, the list, or 204
	Statuses   []int  // and these
	EmptyList  bool   // and a 2xx with an empty list
	AnyRefusal bool   // and every 4xx
	Clause     string // broken by any other answer; "" judges no status
	Field      string // the only wrong field of the request, which a 422 has to name
	AnyStatus  bool   // no status below 500 is judged, but what a success shows
	OnlyCrash  bool   // nothing but a status ≥ 500 is judged
	ErrorForm  bool   // with OnlyCrash: and the form of an error that can be read
	// Unlisted, with OnlyCrash, is for odd input: a 5xx other than Statuses is judged, malformed
	// JSON, and the effects of a refused request.
	Unlisted bool
}

// Allows reports whether an answer with this status is right. Success says whether it
// is what the operation succeeds with, empty whether it is an empty list.
func (e Expect) Allows(status int, success, empty bool) bool {
	return e.Success && success || e.EmptyList && empty || e.AnyRefusal && IsRefusal(status) || slices.Contains(e.Statuses, status)
}

// Check returns the id of the check that finds an answer which is not allowed. A success of a
// request that has to be refused is worse than another error: a baseline entry for the
// one does not cover the other.
func (e Expect) Check(status int) string {
	if status/100 == 2 && !e.Success && !e.EmptyList {
		return "not-refused"
	}
	return "expected-status"
}

// Words returns what is expected of the operation's answer, as a finding has it.
func (e Expect) Words(op *spec.Operation) string { return wording.Or(e.answers(op, "status ")) }

// Answers returns the expected answers, in short: "404", "a 4xx status".
func (e Expect) Answers(op *spec.Operation) []string { return e.answers(op, "") }

func (e Expect) answers(op *spec.Operation, status string) (parts []string) {
	if e.Success && op.Success == nil {
		parts = append(parts, status+"204")
	} else if e.Success {
		parts = append(parts, "a 2xx status with "+content(op))
	}
	if e.EmptyList {
		parts = append(parts, "an empty list")
	}
	if e.AnyRefusal {
		parts = append(parts, "a 4xx status")
	}
	for _, s := range e.Statuses {
		parts = append(parts, fmt.Sprintf("%s%d", status, s))
	}
	return parts
}

// content returns what a success of an operation holds, in words.
func content(op *spec.Operation) string {
	switch {
	case op.Lists():
		return "the list"
	case op.Reads():
		return "the object"
	}
	return "the new representation"
}

// IsRefusal reports whether a status blames the request.
func IsRefusal(status int) bool { return status >= 400 && status < 500 }

// Succeeds reports whether a status and a decoded body are what the operation succeeds
// with: 204, a list, or the representation.
func Succeeds(op *spec.Operation, status int, body any) bool {
	if op.Success == nil {
		return status == http.StatusNoContent
	}
	return status/100 == 2 && (op.Lists() || Representation(op, body) != nil)
}

// Representation returns the object in a decoded body of a success, or nil if there is none.
func Representation(op *spec.Operation, body any) map[string]any {
	object, _ := body.(map[string]any)
	data := op.Success.Field("data")
	if data == nil {
		return nil
	}
	shown, _ := object[data.Name].(map[string]any)
	return shown
}
