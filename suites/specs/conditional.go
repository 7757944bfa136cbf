package specs

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/adconform/adconform/suites/engine"
	"github.com/adconform/adconform/suites/wire"
)

// Reads of a list that ask for it only where it has changed (RFC 9110, 13.1.2 and
// 13.1.3). They are for targets whose lists carry an entity tag or a date; nobody
// has to give them.

const conditionalClause = "HTTP-4"

// conditional plans reads of a list that nothing changes meanwhile.
func (p *planner) conditional() {
	object := p.object()
	p.add(engine.ClassState, "conditional", "A list that carries an entity tag or a date is answered 304 only to who names these.", func(t *engine.T) {
		o := object(t)
		first := list(t, o, 0)
		if first == nil {
			return
		}
		v := first.Validators()
		t.Observe("list-validators", v.String())
		if v.Tag != "" {
			withTags(t, o, v.Tag)
		}
		if !v.Modified.IsZero() {
			withDates(t, o, v.Modified)
		}
	}, clauses(conditionalClause, "AUTH-1", "AUTH-2", "HTTP-2"), observes("list-validators"))
}

// unchanged is an answer to who may know the list as it is.
var unchanged = []int{http.StatusNotModified}

// ask asks for a list with a condition.
func ask(t *engine.T, o *engine.Object, condition http.Header, also ...int) {
	c := call(t, o, expect{Success: true, Statuses: also, Clause: conditionalClause})
	c.Header, c.Raw = condition, true // only a raw connection shows what comes after a 304
	send(t, c)
}

func withTags(t *engine.T, o *engine.Object, tag string) {
	ask(t, o, engine.UnlessTag(tag), unchanged...)
	ask(t, o, engine.UnlessTag(fmt.Sprintf(`"adconform-%s", %s`, t.Fake.Key(8), tag)), unchanged...)
	ask(t, o, engine.UnlessTag(fmt.Sprintf(`"adconform-%s"`, t.Fake.Key(8))))
	if other, ok := changeMiddle(tag); ok {
		ask(t, o, engine.UnlessTag(other))
	}
	refused := func(as wire.Credential, status int, clause string) {
		c := call(t, o, expect{Statuses: []int{status}, Clause: clause})
		c.As, c.Header = as, engine.UnlessTag(tag)
		send(t, c)
	}
	refused(wire.Credential{Name: "none"}, http.StatusUnauthorized, "AUTH-1")
	if t.Target.Credentials.Stranger != "" && len(o.IDs) > 0 {
		refused(t.Stranger(), http.StatusForbidden, "AUTH-2")
	}
	for _, odd := range []string{"*", "adconform", `"adconform`, "W/", strings.Repeat(`"adconform", `, 100) + tag} {
		survives(t, o, engine.UnlessTag(odd))
	}
}

func withDates(t *engine.T, o *engine.Object, modified time.Time) {
	ask(t, o, engine.IfModifiedSince(inHTTP(modified)), unchanged...)
	ask(t, o, engine.IfModifiedSince(inHTTP(modified.AddDate(0, 0, -1))))
	for _, odd := range []string{"yesterday", "0", inHTTP(modified.AddDate(50, 0, 0))} {
		survives(t, o, engine.IfModifiedSince(odd))
	}
}

// survives asks with a condition of which only the failure of the target is judged.
func survives(t *engine.T, o *engine.Object, condition http.Header) {
	c := call(t, o, expect{OnlyCrash: true})
	c.Header = condition
	send(t, c)
}

func inHTTP(at time.Time) string { return at.UTC().Format(http.TimeFormat) }

// changed asks for a list that has changed, as one who knows it as it was before:
// 304 would leave that reader with what is gone. Whether an empty list is 404 is
// open.
func changed(t *engine.T, o *engine.Object, before engine.Validators) {
	if before.Tag != "" {
		ask(t, o, engine.UnlessTag(before.Tag), http.StatusNotFound)
	}
	if before.Settled() {
		ask(t, o, engine.IfModifiedSince(inHTTP(before.Modified)), http.StatusNotFound)
	}
}
