package passive

import (
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/judge/call"
	"github.com/adconform/adconform/suites/wire"
)

// expect says which answers to a request are right, as far as the request alone
// shows it.
func (m *Monitor) expect(f *Flight, c *call.Call, ex *wire.Exchange) (e judge.Expect) {
	r := &ex.Request
	wrong := m.readBody(c, r)
	refusals := []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusUnprocessableEntity}
	if c.Object == nil || c.Object.ID() > math.MaxInt32 || wrong.open { // a malformed id, or a body that may be refused as such
		refusals = append(refusals, unread...)
	}
	odd := wrong.odd || slices.ContainsFunc(c.Path, func(id string) bool { return strings.Contains(id, "%") })
	defer func() { e.AnyRefusal = odd }()
	switch {
	case m.keys && keyless(r):
		e = judge.Expect{Statuses: []int{http.StatusUnauthorized}, Clause: "AUTH-1"}
		if c.Object == nil || !c.Object.Alive || f.gone || f.crossed || wrong.clause != "" || wrong.open { // which error wins is open
			e.Statuses = refusals
		}
	case wrong.damaged:
		e = judge.Expect{OnlyCrash: true}
	case wrong.clause != "":
		e = judge.Expect{Statuses: append(refusals, http.StatusRequestEntityTooLarge), Clause: wrong.clause, Field: wrong.field}
	case c.Op.Deletes() && f.gone && wrong.open:
		e = judge.Expect{Statuses: refusals, Clause: c.Op.Effects["gone"]}
	case c.Op.Deletes() && f.gone:
		e = judge.Expect{Statuses: refusals[:3], Clause: c.Op.Effects["gone"]}
	default: // the key may be anyone's
		c.Loose = wrong.open
		e = judge.Expect{Success: true}
	}
	return e
}

// unread are the statuses of a request that is refused before anybody reads what
// it asks for.
var unread = []int{
	http.StatusBadRequest, http.StatusNotAcceptable, http.StatusRequestEntityTooLarge, http.StatusRequestURITooLong,
	http.StatusUnsupportedMediaType, http.StatusRequestHeaderFieldsTooLarge,
}

// keyless says whether a request carries no key, nor anything that may be one:
// keys elsewhere than in the key header are open.
func keyless(r *wire.Request) bool {
	if r.Credential.Send && r.Credential.Value != "" || r.Credential.Name == wire.UnknownKey {
		return false
	}
	for _, name := range []string{"Authorization", "Proxy-Authorization", "Cookie"} {
		if len(r.Header[name]) > 0 {
			return false
		}
	}
	_, query, _ := strings.Cut(r.Path, "?")
	return !wire.MayBeKey(query)
}
