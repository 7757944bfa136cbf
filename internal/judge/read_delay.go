package judge

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/adconform/adconform/internal/model"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
)

// How soon a read shows what a request did is open: a replica may lag. A read that shows a state from before a recent
// change is sent again (session.T.untilShown), and only its last answer is judged.

// DefaultReadDelay is how long a read may show a state from before a change.
const DefaultReadDelay = 2 * time.Second

// A sight is what a read shows of the last recent change.
type sight struct {
	change *wire.Exchange // nil if nothing that the read shows was changed recently
	lags   bool           // the read shows a state from before the change
}

// Lags reports whether an answer to a read shows a state from before a recent change, and nothing else that is wrong.
func (t *Test) Lags(a *Answer) bool { return t.sightIn(a).lags }

// sightIn returns what an answer shows of recent changes, before the model knows the answer.
func (t *Test) sightIn(a *Answer) sight {
	c := a.Call
	if !a.OK || !t.isRead(c) {
		return sight{}
	}
	value := a.Value
	if value == nil {
		value = oracle.Decode(a.Exchange.Response.Body)
	}
	since := a.Exchange.Start.Add(-t.ReadDelay)
	at := c.Object.Thing()
	if c.Op.Lists() {
		p := PageOf(c.Op, value)
		if p == nil {
			return sight{}
		}
		return t.sightOf(t.Sequence.Shortened(at.Kind, at.ID, max(c.Page, 1), p, since))
	}
	shown := oracle.Representation(c.Op, value)
	rep := c.Op.Representation()
	if id := rep.Field("id"); id != nil && !at.ID.Is(oracle.IDOf(shown[id.Name])) {
		return sight{}
	}
	return t.sightOf(t.Sequence.Updated(at.Kind, at.ID, rep, shown, since))
}

// isRead reports whether a call only reads what its user may read: a list, a GET, or {} unless it was seen to reset
// fields. Its path, headers and spelling may have any form, as only a success counts.
func (t *Test) isRead(c *Call) bool {
	switch {
	case t.Recorded, c.Malformed, c.Halved, c.OutOfRange, !t.isOwn(c):
		return false
	case c.Body == nil, !c.Op.Updates():
		return c.Method == http.MethodGet
	}
	way := t.Way(c.Op)
	resets := slices.ContainsFunc(ShownFields(c.Op), func(f *spec.Field) bool { return len(way.Defaults(f)) > 0 })
	fields, isObject := oracle.Decode(c.Body.Raw).(map[string]any)
	isEmpty := isObject && len(fields) == 0
	return isEmpty && !resets
}

// isOwn reports whether a call names an object in the name of the object's user.
func (t *Test) isOwn(c *Call) bool {
	return c.namesObject() && c.As.Name == t.User(c.Object).Name
}

// sightOf returns what a read shows of a change, which may be nil.
func (s *State) sightOf(by *model.Exchange, isBefore bool) sight {
	if by == nil {
		return sight{}
	}
	return sight{s.Sequence.sent[by].Exchange, isBefore}
}

// ended returns when a request was answered.
func ended(ex *wire.Exchange) time.Time {
	return ex.Start.Add(ex.Duration)
}

// judgeReadDelay notes whether a read shows a recent change, and gives a notice if it did so only when it was sent
// again.
func (t *Test) judgeReadDelay(a *Answer) {
	s := a.sight
	if s.change == nil || s.lags {
		return
	}
	t.Covered("OPEN-13")
	if len(a.Before) == 0 {
		t.Observe("read-delay", spec.AtOnce)
		return
	}
	delay := a.Exchange.Start.Sub(ended(s.change)).Round(time.Millisecond)
	t.Observe("read-delay", spec.Later)
	t.Find(CheckReadDelay, Finding{
		Clause: "OPEN-13", Operation: a.Call.Op.ID, Pointer: "open:read-delay",
		Expected: "the state after the change, at once",
		Got: fmt.Sprintf(
			"the state before it, and the one after it only when asked again, %s after the change", delay),
		Requests: []oracle.Request{
			t.request(s.change, fmt.Sprint(s.change.Response.Status)),
			t.request(a.Before[0], "the state before"),
			t.request(a.Exchange, "the state after, "+delay.String()+" later"),
		},
	})
}
