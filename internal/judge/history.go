package judge

import (
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
)

// An Event is something that was sent to an object, or that an answer showed. Everything known about an object is
// computed from its events, in their order, by the functions in this file. Events hold no answers, which may be
// large.
type Event struct {
	What   What
	Op     *spec.Operation // the operation of the request; its fields name the values
	Status int             // of the answer, 0 if it was lost
	In     *wire.Exchange  // the request, without its answer; nil if no finding shows it
	By     *Result         // Refused: the result of the case that sent it
	Values map[string]any  // what was sent, set or shown, by wire name
	As     As              // Shown: what explains the value
	Wrote  bool            // Lost: a body was sent, and may have arrived
	Late   bool            // Lost: the request timed out, and may still be carried out
	Beside bool            // Shown: by a request that may not show what the object holds
	Date   *dating         // Dated

	Way     *Way // Shown, NoWay: the way of asking
	of      *Object
	fresh   bool // no update of this run can have set the value
	unknown bool // the value is a text that this run did not send, and is first seen here
}

// What is the kind of an event.
type What int

// The kinds of events.
const (
	Served    What = iota + 1 // a request of its user succeeded
	Forbidden                 // its user got 403
	Denied                    // another user got 403
	Tried                     // an update is sent
	Taken                     // an update was accepted; Values are those that it sent, or a text as it came back altered
	Set                       // an update was accepted; Values are what the object has to hold from then on
	Shown                     // an answer showed a field that its request did not send
	NoWay                     // the target refuses this way of asking
	Constant                  // fields that no request can change were first shown
	Dated                     // an update showed updatedAt
	Refused                   // a write was refused
	Looked                    // the object was read back, so that refused writes before are judged
	Lost                      // an answer was lost or 5xx, and the request may have been carried out
	Unsure                    // it is unknown from then on what the object holds
	Sure                      // it is known again
	Deleted                   // the object is gone, or may be
)

// As is the explanation of a value that is shown.
type As int

// The explanations.
const (
	AsSent    As = iota // altered, or as an update sent it
	First               // no value was known for certain
	Default             // an update that left the field out reset it to a fixed default
	NoDefault           // an update that left the field out reset it to another value
	Stale               // an update was not made, or was undone
	OfRefused           // a refused request was carried out
	OfOther             // a request to another object was carried out on this one
	Same                // it is the last value
)

// A History holds the events of one object, the first event first. Operations on the same object share it.
type History struct{ events []*Event }

// A dating is the updatedAt in the answer to an update.
type dating struct {
	shows   oracle.Moment
	at      time.Time // when it was answered, by our clock
	changed bool      // the update changed something
}

// note appends an event. Nothing else changes what is known about an object.
func (o *Object) note(e Event) *Event {
	if e.of = o; e.Op == nil {
		e.Op = o.Op
	}
	o.history.events = append(o.history.events, &e)
	if e.Way != nil {
		e.Way.events = append(e.Way.events, &e)
	}
	return &e
}

// LoseTrack notes that it is unknown what the object holds, because several writes raced.
func (o *Object) LoseTrack() { o.note(Event{What: Unsure}) }

// LookedAt notes that the object was read back, so that the writes refused before are judged.
func (o *Object) LookedAt() { o.note(Event{What: Looked}) }

// in returns the request of an event, or nil.
func (e *Event) in() *wire.Exchange {
	if e == nil {
		return nil
	}
	return e.In
}

// first returns the first event of the object's own operation for which is holds, or nil.
func (o *Object) first(is func(*Event) bool) *Event {
	for _, e := range o.history.events {
		if e.Op == o.Op && is(e) {
			return e
		}
	}
	return nil
}

// last returns the last event of any operation for which is holds, or nil.
func (o *Object) last(is func(*Event) bool) *Event {
	for _, e := range slices.Backward(o.history.events) {
		if is(e) {
			return e
		}
	}
	return nil
}

func (o *Object) seen(what What) bool {
	return o.first(func(e *Event) bool { return e.What == what }) != nil
}

// Alive reports whether an answer showed that the object exists and that its user may use it.
func (o *Object) Alive() bool { return o.seen(Served) }

// ShownToExist reports whether another user got 403 for the object.
func (o *Object) ShownToExist() bool { return o.seen(Denied) }

// Deleted reports whether the suite deleted the object, or may have.
func (o *Object) Deleted() bool { return o.seen(Deleted) }

// Removed reports whether a delete of the object was answered 204.
func (o *Object) Removed() bool {
	return o.first(func(e *Event) bool { return e.What == Deleted && e.Status == http.StatusNoContent }) != nil
}

// deletedIn returns the delete that was accepted, or nil if an earlier one may have been carried out.
func (o *Object) deletedIn() *wire.Exchange {
	return o.first(func(e *Event) bool { return e.What == Deleted }).in()
}

// sets reports whether an event is an accepted update.
func (e *Event) sets() bool { return e.What == Set && len(e.Values) > 0 }

// Changed reports whether an update by its own operation was accepted; written includes those by other operations.
func (o *Object) Changed() bool { return o.first((*Event).sets) != nil }

func (o *Object) written() bool { return o.last((*Event).sets) != nil }

// setIn returns the last accepted update whose answer showed the object, or nil.
func (o *Object) setIn() *wire.Exchange {
	return o.last(func(e *Event) bool { return e.sets() && e.In != nil }).in()
}

// Touched reports whether the object may have changed without an accepted update of its own: by an update whose answer
// was lost, by a refused one, or by one of another object.
func (o *Object) Touched() bool {
	return o.first(func(e *Event) bool {
		return e.Wrote || slices.Contains([]As{NoDefault, Stale, OfRefused, OfOther}, e.As)
	}) != nil
}

// Uncertain reports whether it is unknown what the object holds.
func (o *Object) Uncertain() bool {
	e := o.last(func(e *Event) bool { return slices.Contains([]What{Lost, Unsure, Sure}, e.What) })
	return e != nil && e.What != Sure
}

// Late reports whether a write timed out, and so may still be carried out at any time.
func (o *Object) Late() bool { return o.last(func(e *Event) bool { return e.Late }) != nil }

// Refusals returns the refused writes whose effect could still be seen and was not looked for yet, in order. An
// accepted update of all fields hides the effect of those before it.
func (o *Object) Refusals() (left []*Event) {
	for _, e := range o.history.events {
		own := e.Op == o.Op
		switch {
		case own && e.What == Refused:
			left = append(left, e)
		case own && (e.What == Looked || e.What == Deleted && e.In != nil),
			own && e.sets() && e.In != nil && len(e.Values) == len(e.Op.Body.Fields), !own && e.sets():
			left = nil
		}
	}
	return left
}

// Refused reports whether Refusals returns any.
func (o *Object) Refused() bool { return len(o.Refusals()) > 0 }

// refusedWith returns the refused writes that would have set the field to this value, unless an accepted write did.
func (o *Object) refusedWith(field string, got any) []*Event {
	return slices.DeleteFunc(o.Refusals(), func(r *Event) bool {
		v := r.Values[field]
		return v == nil || !oracle.Equal(nil, v, got) || o.had(field, got)
	})
}

// held returns the value that a field holds according to an event.
func (e *Event) held(field string) (any, bool) {
	v, ok := e.Values[field]
	return v, ok && (e.What == Set || e.What == Shown && !e.Beside)
}

// Holds returns the value that a field has to hold, even if it is uncertain.
func (o *Object) Holds(field string) (any, bool) {
	for _, e := range slices.Backward(o.history.events) {
		if v, ok := e.held(field); ok {
			return v, true
		}
	}
	return nil, false
}

// Last returns the value that a field has to hold, and whether it is known.
func (o *Object) Last(field string) (any, bool) {
	v, ok := o.Holds(field)
	return v, ok && !o.Uncertain()
}

// earlier returns the values that updates replaced, oldest first.
func (o *Object) earlier(field string) (values []any) {
	var last any
	known := false
	for _, e := range o.history.events {
		if v, ok := e.held(field); ok {
			if known && e.What == Set && !oracle.Equal(nil, last, v) {
				values = append(values, last)
			}
			last, known = v, true
		}
	}
	return values
}

// original returns the value of a field before any update was accepted, and the event that first showed it, or nil.
func (o *Object) original(field string) (any, *Event) {
	for _, e := range o.history.events {
		switch v, ok := e.Values[field]; {
		case e.sets():
			return nil, nil
		case ok && e.What == Shown && e.As == First:
			return v, e
		}
	}
	return nil, nil
}

// Constant returns the first value of a field that no request can change, and the request that showed it.
func (o *Object) Constant(field string) (v any, in *wire.Exchange) {
	e := o.first(func(e *Event) bool { _, ok := e.Values[field]; return ok && e.What == Constant })
	if e == nil {
		return nil, nil
	}
	return e.Values[field], e.In
}

// dated returns the last dating of the object by an update, or nil, and the first of the changes in a row that gave it
// the same date, or nil if no change of this run has dated it.
func (o *Object) dated() (last, standing *dating) {
	for _, e := range o.history.events {
		if d := e.Date; d != nil && e.Op == o.Op {
			last = d
			if d.changed && (standing == nil || !d.shows.Time.Equal(standing.shows.Time)) {
				standing = d
			}
		}
	}
	return last, standing
}

// sent reports whether an update sent a value whose text or JSON satisfies is.
func (o *Object) sent(is func(text string) bool) bool {
	return o.last(func(e *Event) bool {
		for _, v := range e.Values {
			text, ok := v.(string)
			if !ok {
				text = string(oracle.JSON(v))
			}
			if (e.What == Taken || e.What == Tried) && len(text) <= maxTried && is(text) {
				return true
			}
		}
		return false
	}) != nil
}

// had reports whether the object has held a value in a field.
func (o *Object) had(field string, v any) bool {
	text, _ := v.(string)
	f := o.Op.Body.Named(field)
	given, named := o.Given[f.Meaning]
	took := func(e *Event) bool { return e.What == Taken && hasText(e.Values, text) } // the run made it up
	return len(text) >= minTaint && o.last(took) != nil || named && oracle.Equal(f, given, v) || contains(o.earlier(field), f, v)
}

// tookLast reports whether the last accepted update of the field sent this value and the field was not reset later.
// The object may show it even if the answer to the update did not.
func (o *Object) tookLast(f *spec.Field, got any) bool {
	for _, e := range slices.Backward(o.history.events) {
		v, ok := e.Values[f.Name]
		switch {
		case !ok, e.Beside:
		case e.What == Shown && (e.As == Default || e.As == NoDefault):
			return false
		case e.What == Taken:
			if text, coerced := oracle.TextOf(f, v); coerced {
				v = text
			}
			return oracle.Equal(f, v, got) || oracle.Altered(v, got)
		}
	}
	return false
}

// HasUnknown reports whether the object showed the text and this run did not send it.
func (o *Object) HasUnknown(text string) bool {
	return o.last(func(e *Event) bool { return e.unknown && hasText(e.Values, text) }) != nil
}

func hasText(values map[string]any, text string) bool {
	return slices.Contains(slices.Collect(maps.Values(values)), any(text))
}
