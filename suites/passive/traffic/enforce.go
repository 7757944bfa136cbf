package traffic

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/passive"
	"github.com/adconform/adconform/suites/wire"
)

// Refusal is a request that the proxy answered itself, and why.
type Refusal = passive.WrongRequest

// RefusedBy is the header by which a client tells an answer of the proxy from
// one of the target; its value is the clause.
const RefusedBy = "X-Adconform-Refused"

// enforcer answers requests that are certainly wrong.
type enforcer struct {
	judge    *suites.Judge
	contract *spec.Contract
	refused  func(Refusal)
	limit    int
}

// let says whether a request may pass, or answers it. The request that passes is
// the one to send on: its body was read.
func (e *enforcer) let(w http.ResponseWriter, r *http.Request) (*http.Request, bool) {
	if !e.judge.Concerns(r.Method, r.URL.RequestURI()) {
		return r, true
	}
	asked := wire.Recorded{Method: r.Method, Target: r.URL.RequestURI(), RequestHeader: r.Header}
	if r.Body != nil && r.Body != http.NoBody {
		read, err := io.ReadAll(io.LimitReader(r.Body, int64(e.limit)))
		rest := io.Reader(r.Body)
		if err != nil {
			rest = failing{err}
		}
		passing := r.WithContext(r.Context())
		passing.Body = joined{io.MultiReader(bytes.NewReader(read), rest), r.Body}
		asked.RequestBody, asked.HasRequestBody, asked.RequestCut = read, true, err != nil || len(read) == e.limit
		r = passing
	}
	wrong := e.judge.Wrong(asked)
	if wrong == nil {
		return r, true
	}
	e.refused(*wrong)
	body := e.answer(wrong)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.Header().Set(RefusedBy, wrong.Clause)
	w.WriteHeader(wrong.Status)
	_, _ = w.Write(body) // the client may be gone
	return nil, false
}

// answer is the error body of the contract, by its wire names.
func (e *enforcer) answer(wrong *Refusal) []byte {
	section := e.contract.Error.Field("error")
	issues := section.Object.Field("issues")
	issue := func(field any) map[string]any {
		return map[string]any{
			issues.Items.Field("type").Name:         issueTypes[wrong.Clause],
			issues.Items.Field("message").Name:      wrong.Reason,
			issues.Items.Field("relatedField").Name: field,
		}
	}
	var all []any
	for _, name := range wrong.Fields {
		all = append(all, issue(name))
	}
	if all == nil {
		all = []any{issue(nil)}
	}
	body, _ := json.Marshal(map[string]any{section.Name: map[string]any{
		section.Object.Field("responseCode").Name: wrong.Status,
		issues.Name: all,
	}})
	return body
}

// issueTypes are the keys of issues, by clause; the contract leaves them open.
var issueTypes = map[string]string{
	"AUTH-1": "authentication-failed", "ERR-3": "malformed-body", "ERR-4": "wrong-type", "ERR-5": "unknown-value",
}

// joined is a body of which the beginning was read already.
type joined struct {
	io.Reader
	io.Closer
}

// failing is what a body is after it broke off.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
