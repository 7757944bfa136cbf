package passive

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/adconform/adconform/suites/judge/call"
	"github.com/adconform/adconform/suites/wire"
)

// WrongRequest is what is certainly wrong with a request.
type WrongRequest struct {
	Operation string
	Clause    string   // that an answer breaks which takes it
	Status    int      // of a right answer: 401 or 422
	Fields    []string // wrong ones, by wire name; none: the request as a whole
	Reason    string   // in words
}

// Wrong says whether a request breaks the contract for certain; nil where that
// is open. The path is as for Begin. It is safe for concurrent use.
func (m *Monitor) Wrong(path string, r *wire.Request) *WrongRequest {
	op, _ := m.model.Contract.Match(r.Method, path)
	if op == nil {
		return nil
	}
	w := &WrongRequest{Operation: op.ID, Clause: "AUTH-1", Status: http.StatusUnauthorized, Reason: "the request carries no key"}
	if m.keys && keyless(r) {
		return w
	}
	wrong := m.readBody(&call.Call{Op: op}, r)
	if wrong.clause == "" {
		return nil
	}
	w.Clause, w.Status, w.Fields, w.Reason = wrong.clause, http.StatusUnprocessableEntity, wrong.fields, "the body is not a JSON object"
	if len(w.Fields) > 0 {
		var wants []string
		for _, name := range w.Fields {
			field := op.Body.Named(name)
			want := field.Type
			if len(field.Enum) > 0 {
				want = strings.Join(field.Enum, ", ")
			}
			wants = append(wants, fmt.Sprintf("%s is not as it has to be (%s)", name, want))
		}
		w.Reason = strings.Join(wants, "; ")
	}
	return w
}
