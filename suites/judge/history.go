package judge

import (
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// Event is one thing that was sent to an object, or came back. What is known of an object
// is a function of its events in their order, in this file; nothing else is kept. Events
// hold no answers, which may be large.
type Event struct {
	What   What
	Op     *spec.Operation // whose request it was; its fields name the values
	Status int             // of the answer, 0 where it was lost
	In     *wire.Exchange  // the request, without its answer; nil where no finding shows it
	By     *Result         // Refused: of the case that sent it
	Values map[string]any  // by wire name: what was sent, set or shown
	As     As              // Shown: what explains the value
	Wrote  bool            // Lost: a body was sent, and may have arrived
	Late   bool            // Lost: and timed out, so that it may still land at any time
	Beside bool            // Shown: by another way of asking than those that tell what the object holds
	// Updates counts those of all objects of its kind by then; of a Set that changed nothing it is 0.
	Updates int
	Date    *dating // Dated

	Way     *Way // Shown, NoWay: of asking
	fresh   bool // the value was neither sent to the object before nor made up by the run
	unknown bool // a text that nobody of this run sent, at its first sight
	trails  bool // what the field held before the last success, though it may be a default
}

// What tells events apart.
type What int

// The kinds of events.
const (
	Served    What = iota + 1 // its user was let at it
	Forbidden                 // its user got 403
	Denied                    // another user got 403
	Tried                     // an update is sent
	Taken                     // an update was accepted, with the values that it sent, or a text as it came back altered
	Set                       // what the object has to hold from then on, by an accepted update
	Shown                     // a field that was not sent
	NoWay                     // the target does not let itself be asked so
	Kept                      // the last values were shown after others of its kind were updated
	Constant                  // fields that no request can change, at their first sight
	Dated                     // updatedAt of an update
	Refused                   // a write
	Looked                    // it was read back: what was refused before can no longer be seen
	Lost                      // an answer was lost, or was 5xx: what was asked for may have been done
	Unsure                    // what it holds is not known from then on
	Sure                      // it is known again
	Deleted                   // it is gone, or may be
)

// As says what explains a value that is shown.
type As int

// The explanations.
const (
	AsSent    As = iota // altered, or as an update sent it
	First               // no value was known, or none for certain
	Elsewhere           // as First, and a text that was sent to something else
	Default             // an update that left the field out reset it
	NoDefault           // the like, and not to one fixed default
	Stale               // an update was not made, or undone
	OfRefused           // a request that was refused
	OfOther             // a request to another object
	Same                // the last value known
)

// A History is what happened to one object, the first event first. Operations on the same
// object share it.
type History struct{ events []*Event }

// dating is the date that the answer to an update showed.
type dating struct {
	shows   oracle.Moment
	at      time.Time // when it was answered, by our clock
	changed bool      // the update changed something
}

// note appends an event: the one place where what is known of an object changes.
func (o *Object) note(e Event) *Event {
	if e.Op == nil {
		e.Op = o.Op
	}
	o.history.events = append(o.history.events, &e)
	if e.Way != nil {
		e.Way.events = append(e.Way.events, &e)
	}
	return &e
}

// noteOnce appends an event that tells nothing more when it comes again.
func (o *Object) noteOnce(what What) {
	if !o.seen(what) {
		o.note(Event{What: what})
	}
}

// LoseTrack notes that what the object holds is not known: which of several writes came last.
func (o *Object) LoseTrack() { o.note(Event{What: Unsure}) }

// LookedAt notes that the object was read back, so that what was refused before is judged.
func (o *Object) LookedAt() {
	if o.Refused() {
		o.note(Event{What: Looked})
	}
}

// in is the request of an event; nil for none.
func (e *Event) in() *wire.Exchange {
	if e == nil {
		return nil
	}
	return e.In
}

// first is the first event of the object's own operation that is as asked; nil for none.
func (o *Object) first(is func(*Event) bool) *Event {
	for _, e := range o.history.events {
		if e.Op == o.Op && is(e) {
			return e
		}
	}
	return nil
}

// last is the last event that is as asked, of whatever operation; nil for none.
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

// Alive says whether an answer showed that it exists and that its user may use it.
func (o *Object) Alive() bool { return o.seen(Served) }

// ShownToExist says whether another user got 403 for it.
func (o *Object) ShownToExist() bool { return o.seen(Denied) }

// Deleted says whether the suite deleted it, or may have.
func (o *Object) Deleted() bool { return o.seen(Deleted) }

// Removed says whether its delete was answered 204.
func (o *Object) Removed() bool {
	return o.first(func(e *Event) bool { return e.What == Deleted && e.Status == http.StatusNoContent }) != nil
}

// deletedIn is the delete that was accepted, nil where one before it may have been carried out.
func (o *Object) deletedIn() *wire.Exchange {
	return o.first(func(e *Event) bool { return e.What == Deleted }).in()
}

// sets says whether an event is an accepted update.
func (e *Event) sets() bool { return e.What == Set && len(e.Values) > 0 }

// Changed says whether an update of its own operation was accepted, written whether one of any was.
func (o *Object) Changed() bool { return o.first((*Event).sets) != nil }

func (o *Object) written() bool { return o.last((*Event).sets) != nil }

// setIn is the last update that set something and showed it.
func (o *Object) setIn() *wire.Exchange {
	return o.last(func(e *Event) bool { return e.sets() && e.In != nil }).in()
}

// Touched says whether it may have changed without an update that was accepted: by one whose answer
// was lost, by a refused one, or by one of something else.
func (o *Object) Touched() bool {
	return o.first(func(e *Event) bool {
		return e.Wrote || slices.Contains([]As{Elsewhere, NoDefault, Stale, OfRefused, OfOther}, e.As)
	}) != nil
}

// wasStale says whether an answer showed what an update before the last had set.
func (o *Object) wasStale() bool {
	return o.first(func(e *Event) bool { return e.As == Stale || e.As == NoDefault }) != nil
}

// Uncertain says whether it is not known what the object holds.
func (o *Object) Uncertain() bool {
	e := o.last(func(e *Event) bool { return slices.Contains([]What{Lost, Unsure, Sure}, e.What) })
	return e != nil && e.What != Sure
}

// late says whether a write timed out, which may still land at any time.
func (o *Object) late() bool { return o.last(func(e *Event) bool { return e.Late }) != nil }

// looked counts the updates of objects of its kind when it was last looked at, or updated itself.
func (o *Object) looked() int {
	if e := o.last(func(e *Event) bool { return e.Op == o.Op && e.What != Shown && e.Updates > 0 }); e != nil {
		return e.Updates
	}
	return 0
}

// Refusals are the refused writes whose effect is not looked at yet, the first first. What a later
// success sets hides them.
func (o *Object) Refusals() []*Event { return o.refusalsIn(o.history.events) }

// refusalsBeforeDelete are those before the delete that was accepted.
func (o *Object) refusalsBeforeDelete() []*Event {
	deleted := func(e *Event) bool { return e.Op == o.Op && e.What == Deleted && e.In != nil }
	return o.refusalsIn(o.history.events[:max(0, slices.IndexFunc(o.history.events, deleted))])
}

func (o *Object) refusalsIn(events []*Event) (left []*Event) {
	for _, e := range events {
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

// Refused says whether refused writes wait for a look at their effect.
func (o *Object) Refused() bool { return len(o.Refusals()) > 0 }

// refusedWith is a refused write that would have set the field to this value
// and that no accepted write set.
func (o *Object) refusedWith(field string, got any) *Event {
	for _, r := range slices.Backward(o.Refusals()) {
		if v, ok := r.Values[field]; ok && v != nil && oracle.Equal(nil, v, got) && !o.had(field, got) {
			return r
		}
	}
	return nil
}

// value is what an event says of a field of the object's operation.
func (o *Object) value(e *Event, field string) (any, bool) {
	if e.Op != o.Op {
		f := o.Op.Body.Named(field)
		if f == nil || e.Op.Body.Field(f.Meaning) == nil {
			return nil, false
		}
		field = e.Op.Body.Field(f.Meaning).Name
	}
	v, ok := e.Values[field]
	return v, ok
}

// held is what an event says that a field holds.
func (o *Object) held(e *Event, field string) (any, bool) {
	if e.What != Set && (e.What != Shown || e.Beside) {
		return nil, false
	}
	return o.value(e, field)
}

// Holds is the value that a field has to hold, as far as an answer told, certain or not.
func (o *Object) Holds(field string) (any, bool) {
	for _, e := range slices.Backward(o.history.events) {
		if v, ok := o.held(e, field); ok {
			return v, true
		}
	}
	return nil, false
}

// Last is the value that a field has to hold, and whether that is known.
func (o *Object) Last(field string) (any, bool) {
	v, ok := o.Holds(field)
	return v, ok && !o.Uncertain()
}

// earlier are the values that updates replaced, the first first.
func (o *Object) earlier(field string) (values []any) {
	var last any
	known := false
	for _, e := range o.history.events {
		if v, ok := o.held(e, field); ok {
			if known && e.What == Set && !oracle.Equal(nil, last, v) {
				values = append(values, last)
			}
			last, known = v, true
		}
	}
	return values
}

// original is the event that first showed a field, before any update was accepted; nil for none.
func (o *Object) original(field string) *Event {
	for _, e := range o.history.events {
		switch _, ok := o.value(e, field); {
		case e.sets():
			return nil
		case ok && e.What == Shown && e.As == First:
			return e
		}
	}
	return nil
}

// SeenLate says whether a field that the target file does not give was first seen after updates of
// objects of its kind.
func (o *Object) SeenLate() bool {
	return o.first(func(e *Event) bool {
		if e.As != First || e.Updates == 0 {
			return false
		}
		for name := range e.Values {
			if _, given := o.Given[o.Op.Body.Named(name).Meaning]; !given {
				return true
			}
		}
		return false
	}) != nil
}

// firstShown is what an update without the field showed before any write.
func (o *Object) firstShown(field string) (any, bool) {
	for _, e := range o.history.events {
		if v, ok := o.held(e, field); ok || e.sets() {
			return v, ok && e.What == Shown && !e.Way.reads()
		}
	}
	return nil, false
}

// Constant is a field that stays, as it was first seen, and the request that showed it so.
func (o *Object) Constant(field string) (v any, in *wire.Exchange) {
	e := o.first(func(e *Event) bool { _, ok := e.Values[field]; return ok && e.What == Constant })
	if e == nil {
		return nil, nil
	}
	return e.Values[field], e.In
}

// dated is the last date of an update, nil for none, and standing the first of the changes since
// which it is the same, nil where nothing of this run has dated the object.
func (o *Object) dated() (last, standing *dating) {
	for _, e := range slices.Backward(o.history.events) {
		switch d := e.Date; {
		case e.Op != o.Op || d == nil:
		case last == nil:
			last = d
			if d.changed {
				standing = d
			}
		case standing == nil || !d.changed || !d.shows.Time.Equal(standing.shows.Time):
			return last, standing
		default:
			standing = d
		}
	}
	return last, standing
}

// sent says whether an update sent a value for one of its fields whose text, or JSON, is as asked.
func (o *Object) sent(accepted bool, is func(text string) bool) bool {
	return o.last(func(e *Event) bool {
		for _, v := range e.Values {
			text, ok := v.(string)
			if !ok {
				text = string(oracle.JSON(v))
			}
			if (e.What == Taken || e.What == Tried && !accepted) && len(text) <= maxTried && is(text) {
				return true
			}
		}
		return false
	}) != nil
}

// took says whether an update that was accepted set a field to this text of the run's.
func (o *Object) took(text string) bool {
	return len(text) >= minTaint && o.sent(true, func(t string) bool { return t == text })
}

// had says whether an update set a field to a value, or the object was seen to hold it.
func (o *Object) had(field string, v any) bool {
	text, _ := v.(string)
	f := o.Op.Body.Named(field)
	given, named := o.Given[f.Meaning]
	return o.took(text) || named && oracle.Equal(f, given, v) || contains(o.earlier(field), f, v)
}

// tookLast says whether the last update of the field that was accepted sent this value, and the
// field was not reset since. The object may show it, also where the answer to the update did not.
func (o *Object) tookLast(f *spec.Field, got any) bool {
	for _, e := range slices.Backward(o.history.events) {
		v, ok := o.value(e, f.Name)
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

// heldEver says whether the target file or an answer gave the text as a value of the
// object.
func (o *Object) heldEver(text string) bool {
	is := func(values map[string]any) bool {
		return slices.Contains(slices.Collect(maps.Values(values)), any(text))
	}
	return is(o.Given) || o.last(func(e *Event) bool {
		shown := e.What == Shown && (!e.Beside || e.As == First)
		return (shown || e.What == Set || e.What == Constant) && is(e.Values)
	}) != nil
}

// UnknownTexts are the texts that appeared on it from nowhere, sorted.
func (o *Object) UnknownTexts() (texts []string) {
	for _, e := range o.history.events {
		for _, v := range e.Values {
			if text, ok := v.(string); ok && e.unknown {
				texts = append(texts, text)
			}
		}
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}
