package k6

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/judge/call"
	"github.com/adconform/adconform/suites/wire"
)

// Case is a case as the script has it.
type Case struct {
	ID     string `json:"id"`
	Class  string `json:"class"`
	Clause string `json:"clause"` // what the case is about
	Steps  []Step `json:"steps"`
}

// Step is one request and what may come back.
type Step struct {
	Operation string            `json:"operation"`
	Method    string            `json:"method"`
	Path      string            `json:"path"` // from the base URL on
	As        string            `json:"as"`   // owner, stranger, none, or a form of the owner's key
	Key       *string           `json:"key,omitempty"`
	Headers   map[string]string `json:"headers,omitempty"` // beside, or in place of, what each request has
	Body      *string           `json:"body,omitempty"`
	Text      *int              `json:"text,omitempty"`   // or which of the texts is the body
	Base64    *string           `json:"base64,omitempty"` // or a body that is not valid UTF-8
	Expect    Expect            `json:"expect"`
}

// Expect is what is judged of the answer.
type Expect struct {
	OnlyCrash bool   `json:"onlyCrash,omitempty"` // a status of 500 or above, and nothing else
	Success   bool   `json:"success,omitempty"`   // a 2xx with the representation or the list
	EmptyList bool   `json:"emptyList,omitempty"` // or a 2xx with an empty list
	Statuses  []int  `json:"statuses,omitempty"`  // or one of these
	Clause    string `json:"clause,omitempty"`    // broken by any other; "" judges no status
	Field     string `json:"field,omitempty"`     // the only wrong field, which a 422 has to name
	ID        string `json:"id,omitempty"`        // of the object that the path names
	Loose     bool   `json:"loose,omitempty"`     // what an accepted request shows is open
}

// forms are the credentials that the script makes from the owner's key: no key
// is written into it.
var forms = []string{"owner", "stranger", "none", "empty", "owner-changed", "owner-longer", "owner-shorter", "owner-other-case"}

func newStep(contract *spec.Contract, c *call.Call, e judge.Expect, r wire.Request) (Step, error) {
	s := Step{Operation: c.Op.ID, Method: r.Method, Path: r.Path, As: r.Credential.Name, Expect: newExpect(contract, c, e)}
	switch {
	case r.Credential.Public:
		s.Key = &r.Credential.Value
	case !slices.Contains(forms, s.As):
		return s, fmt.Errorf("the script cannot make the key %q", s.As)
	}
	for name, values := range r.Header {
		if len(values) != 1 {
			return s, fmt.Errorf("the script cannot send the header %s %d times", name, len(values))
		}
		if s.Headers == nil {
			s.Headers = map[string]string{}
		}
		s.Headers[name] = values[0]
	}
	if r.HasBody {
		text := string(r.Body)
		if utf8.Valid(r.Body) {
			s.Body = &text
		} else {
			text = base64.StdEncoding.EncodeToString(r.Body)
			s.Base64 = &text
		}
	}
	return s, nil
}

func newExpect(contract *spec.Contract, c *call.Call, e judge.Expect) Expect {
	if e.OnlyCrash || e.AnyRefusal || c.Method != c.Op.Method { // the document does not declare the other method
		return Expect{OnlyCrash: true}
	}
	x := Expect{
		Success: e.Success, EmptyList: e.EmptyList, Statuses: slices.Clone(e.Statuses),
		Clause: judged(contract, e.Clause), Field: e.Field, Loose: c.Loose || c.Odd,
	}
	if c.Page > 1 { // how many pages there are is the target's choice
		x.Statuses = append(x.Statuses, http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity)
	}
	if c.Object != nil {
		x.ID = strconv.FormatInt(c.Object.ID(), 10)
	}
	return x
}

// judged is a clause that fails a run when it is broken, "" for what is only a
// notice.
func judged(contract *spec.Contract, id string) string {
	if c := contract.Clause(id); c == nil || c.Basis == spec.Chosen {
		return ""
	}
	return id
}
