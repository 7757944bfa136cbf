package judge

import (
	"fmt"
	"net/http"
	"slices"
	"time"

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

// sightIn returns what an answer shows of recent changes, before the answer is noted.
func (t *Test) sightIn(a *Answer) sight {
	c := a.Call
	if !a.OK || !t.isRead(c) {
		return sight{}
	}
	value := a.Value
	if value == nil {
		value = oracle.Decode(a.Exchange.Response.Body)
	}
	since := a.Exchange.Start.Add(-t.Model.ReadDelay)
	if c.Op.Lists() {
		return t.Model.sightOfList(c, PageOf(c.Op, value), since)
	}
	shown, rep := oracle.Representation(c.Op, value), c.Op.Representation()
	if id := rep.Field("id"); id != nil && !c.Object.ID().Is(oracle.IDOf(shown[id.Name])) {
		return sight{}
	}
	if !c.Op.Reads() {
		return c.Object.sightOf(rep, shown, since)
	}
	for _, twin := range t.Model.Twins(c.Object) {
		if s := twin.sightOf(rep, shown, since); s.change != nil {
			return s
		}
	}
	return sight{}
}

// isRead reports whether a call only reads what its user may read: a list, a GET, or {} unless it was seen to reset fields.
func (t *Test) isRead(c *Call) bool {
	isPlain := len(c.Header) == 0 && c.Target == "" && c.Wire == nil && !c.Malformed && !c.Halved && !c.OutOfRange
	if !isPlain || t.Recorded || c.Object == nil || !c.namesObject() || c.As.Name != t.User(c.Object).Name {
		return false
	}
	if c.Body == nil || !c.Op.Updates() {
		return c.Method == http.MethodGet
	}
	way := t.Model.Way(c.Op)
	resets := slices.ContainsFunc(FieldNames(c.Op), func(name string) bool { return len(way.Defaults(name)) > 0 })
	return string(c.Body.Raw) == "{}" && !resets
}

// sightOf compares the fields that a read shows with the updates of the object.
func (o *Object) sightOf(rep *spec.Object, shown map[string]any, since time.Time) (s sight) {
	for _, f := range o.Op.Body.Fields {
		r, last := rep.Field(f.Meaning), o.last(func(e *Event) bool { return e.accepted(f) })
		if r == nil || last == nil {
			continue
		}
		isRecent := !ended(last.In).Before(since)
		if isRecent && (s.change == nil || s.change.Seq < last.In.Seq) {
			s.change = last.In
		}
		switch got := shown[r.Name]; {
		case o.mayHold(f, last, got):
		case !isRecent || !o.replaced(f, got, since):
			return sight{}
		default:
			s.lags = true
		}
	}
	return s
}

// accepted reports whether an event is an update that sent a field and was answered 2xx.
func (e *Event) accepted(f *spec.Field) bool {
	_, sent := e.Values[f.Name]
	return e.What == Tried && sent && e.In != nil && e.Status/100 == 2
}

// mayHold reports whether a field may hold a value: the last one, or that of another update under way at the same time.
func (o *Object) mayHold(f *spec.Field, last *Event, got any) bool {
	held, _ := o.Holds(f.Name)
	return oracle.Equal(f, held, got) || o.tookLast(f, got) || o.last(func(e *Event) bool {
		v := e.Values[f.Name]
		return e.accepted(f) && ended(e.In).After(last.In.Start) && (oracle.Equal(f, v, got) || oracle.Altered(v, got))
	}) != nil
}

// replaced reports whether an update that was answered since then replaced a value.
func (o *Object) replaced(f *spec.Field, got any, since time.Time) (recently bool) {
	var by *wire.Exchange
	last, known := o.Given[f.Meaning]
	for _, e := range o.history.events {
		if e.accepted(f) {
			by = e.In
		}
		v, ok := e.held(f.Name)
		if !ok {
			continue
		}
		if known && e.What == Set && oracle.Equal(f, last, got) && !oracle.Equal(f, v, got) {
			recently = by != nil && !ended(by).Before(since)
		}
		last, known = v, true
	}
	return recently
}

// sightOfList compares a page with the deletes that shortened the list.
func (s *State) sightOfList(c *Call, p *ListPage, since time.Time) sight {
	isPast := func(d *Event) bool {
		return d.In == nil || d.Status != http.StatusNoContent || ended(d.In).Before(since)
	}
	all := s.shortened(c.Object)
	recent := slices.DeleteFunc(slices.Clone(all), isPast)
	if p == nil || len(recent) == 0 {
		return sight{}
	}
	isListed := slices.ContainsFunc(idsOf(recent), func(id spec.ID) bool { return slices.Contains(p.IDs, id) })
	before := c.Object.lastRead(max(c.Page, 1))
	isAsBefore := before != nil && before.Page.TotalCount == p.TotalCount && slices.Equal(before.Page.IDs, p.IDs) &&
		slices.ContainsFunc(before.since(all), func(d *Event) bool { return slices.Contains(recent, d) })
	return sight{recent[len(recent)-1].In, isListed || isAsBefore}
}

// ended returns when a request was answered.
func ended(ex *wire.Exchange) time.Time { return ex.Start.Add(ex.Duration) }

// judgeReadDelay notes whether a read shows a recent change, and gives a notice if it did so only when it was sent again.
func (t *Test) judgeReadDelay(a *Answer) {
	s := t.sightIn(a)
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
		Got:      fmt.Sprintf("the state before it, and the one after it only when asked again, %s after the change", delay),
		Requests: []oracle.Request{
			t.request(s.change, fmt.Sprint(s.change.Response.Status)), t.request(a.Before[0], "the state before"),
			t.request(a.Exchange, "the state after, "+delay.String()+" later"),
		},
	})
}
