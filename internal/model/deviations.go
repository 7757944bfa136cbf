package model

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
)

// A Kind is what a breach is about.
type Kind string

// The kinds of breaches.
const (
	Stays         Kind = "stays"          // a value that nothing can change has changed
	UpdatedAt     Kind = "updated-at"     // the date of an update is another one
	Stale         Kind = "stale"          // an accepted update does not show
	RefusedWrite  Kind = "refused-write"  // a refused one does
	OtherObject   Kind = "other-object"   // one of another object does
	Gone          Kind = "delete-effect"  // what was deleted is there again
	RefusedDelete Kind = "refused-delete" // a refused delete removed something
	OtherDeleted  Kind = "delete-other"   // a delete removed something else
	StillListed   Kind = "delete-listed"  // a list does not reflect a delete
	ListDiffers   Kind = "list-repeat"    // a list differs though nothing was deleted
	PagesDiffer   Kind = "list-walk"      // the pages together do not make up the collection
	PageDiffers   Kind = "list-page"      // a page is not the one that was asked for
	Members       Kind = "list-members"   // a list holds what belongs elsewhere
	ListTotal     Kind = "list-total"     // totalCount is not the number of items
	Unknown       Kind = "expected-status"
)

// A Breach is an answer that the answers before it do not allow.
type Breach struct {
	Kind     Kind
	Clause   string
	Op       *spec.Operation // whose clause it is
	Field    *spec.Field     // of the answer; nil for none
	Expected string
	Got      string
	Last     any         // what the field held
	Value    any         // what it shows
	IsMadeUp bool        // the target seems to have made the value itself
	By       []*Exchange // the requests that explain it, in order
	Or       *Exchange   // an accepted delete after these refused ones, which may explain it as well, or nil
	Aspect   finding.Aspect
	Shown    []string     // what the answers to By showed, then the last one; "" for the status or what it got
	IsShown  bool         // By show it without the last request
	Title    string       // what its title names, if not Names
	Cause    finding.Kind // if it says more than Kind
	Place    string       // of the item of a list that it is about, below the items, such as /0; "" for none
	Number   string       // the meaning of the number of a page that it is about, "" for none
	Names    []spec.ID    // of what is gone
	Given    *Given       // how a list differs from the target file, which may be wrong; nil for other breaches
	Unseen   bool         // no answer has shown the object: the target file may be wrong
	IsStatus bool         // the status is wrong, rather than what the answer shows
	// Tentative says what else than the target may be the cause, "" for nothing.
	Tentative string

	sign *sign // see IsAsBefore
}

// A Given says how a list differs from the target file: in words, by the ids that it lacks, and by those that are only
// there.
type Given struct {
	Words         string
	Missing, More []spec.ID
}

// breach adds a breach, unless an overlay has taken its clause away, or the same answer breaks it already.
func (s *State) breach(b Breach) {
	isSame := func(other Breach) bool { return other.place() == b.place() }
	if b.Clause == "" || slices.ContainsFunc(s.found, isSame) {
		return
	}
	s.cover(b.Op, b.Clause)
	switch b.Kind {
	case ListDiffers:
		s.unsteady[b.Op] = true
	case Gone, StillListed:
		if len(b.By) > 0 {
			o := b.By[0].of
			b.sign = s.lost(o, o.exists, s.reading, true)
		}
	}
	s.found = append(s.found, b)
}

// place returns what a breach is about: two of the same answer are one.
func (b *Breach) place() [4]any {
	return [4]any{b.Clause, b.Op, b.Field, b.Number}
}

// A question is why a field shows a value that it cannot hold.
type question struct {
	s         *State
	x         *Exchange
	of        *entity
	f         *spec.Field
	register  *register
	got       any
	record    *record
	isTrusted bool
	why       *answer
}

// An answer to a question is the deviation that explains the value, with the requests that explain it.
type answer struct {
	kind     Kind
	clause   func(*spec.Operation) string
	words    string
	aspect   finding.Aspect
	omission Omission
	by       []*Exchange
}

// effect returns a clause that all operations have.
func effect(clause string) func(*spec.Operation) string {
	return func(*spec.Operation) string { return clause }
}

// fieldDeviations are the ways in which a target may deviate in a field, the first that allows the value is its cause.
var fieldDeviations = []func(*question) *answer{
	(*question).refusedOne,
	(*question).otherObjects,
	(*question).inTurn,
	(*question).earlier,
	(*question).untrustedRead,
	(*question).reset,
	(*question).oneOfRefused,
	(*question).oneOfOthers,
	(*question).notKept,
}

// explainField judges a field that shows a value which it cannot hold, and notes that it holds the value now.
func (s *State) explainField(q *question, r *spec.Field) {
	for i := 0; q.why == nil; i++ {
		q.why = fieldDeviations[i](q)
	}
	why := q.why
	x := q.x
	last, isKnown := q.register.last()
	tentative := q.anotherWriters()
	isMadeUp := !q.isOurs() && !q.wasHeld()
	isStale := why.kind == Stale
	if why.omission != Kept && !x.asksOnly() {
		q.omit(why.omission)
	}
	var lost *sign
	if isStale && tentative == "" {
		lost = s.lost(q.of, q.register, x, q.register.isInitial(q.got))
	}
	if why.clause != nil || !x.asksOnly() {
		q.register.narrow(x.span(), q.got, x)
	}
	if why.clause == nil {
		return
	}
	q.of.isTouched = true
	raise(&q.of.trails, isStale)
	b := Breach{
		Kind: why.kind, Clause: why.clause(x.read.op), Op: x.read.op, Field: r,
		Expected: q.expected(r.Name, last, isKnown),
		Got:      oracle.Show(q.got) + why.words,
		By:       why.by, Tentative: tentative, Aspect: why.aspect,
		Last: last, Value: q.got, IsMadeUp: isMadeUp, sign: lost,
	}
	if isStale && len(b.By) > 0 {
		b.Shown = []string{"with " + oracle.Show(last)}
	}
	s.breach(b)
}

// expected describes what the field has to show.
func (q *question) expected(name string, last any, isKnown bool) string {
	object := q.of.name()
	value := oracle.Show(last)
	words := fmt.Sprintf("%s %s, as %s was before the run", name, value, object)
	switch {
	case !isKnown:
		words = fmt.Sprintf("%s of %s, which no request named yet", name, object)
	case q.of.updated != nil:
		words = fmt.Sprintf("%s %s, which the last successful update of %s set", name, value, object)
	}
	if q.why.kind == RefusedWrite {
		words += ": a request that is refused changes nothing"
	}
	return words
}

// trace explains a value by the request that sent it, if that request should not have set it.
func (q *question) trace() *answer {
	if why := q.refusedOne(); why != nil {
		return why
	}
	return q.otherObjects()
}

// wasHeld reports whether the field held a value before, by rights.
func (q *question) wasHeld() bool {
	isIt := func(w *write) bool { return q.register.maySet(w, q.got) && !w.isBreach() }
	return q.isGiven() || slices.ContainsFunc(q.register.past, isIt)
}

// isGiven reports whether the target file gives the value.
func (q *question) isGiven() bool { return q.register.isGiven(q.got) }

// isSentBy reports whether a request sends the value.
func (q *question) isSentBy(x *Exchange) bool {
	v := x.fields[q.f.Name]
	return v != nil && isSame(q.f, v, q.got)
}

// isOurs reports whether a request of the log sent the value, which nobody else would.
func (q *question) isOurs() bool {
	text, _ := q.got.(string)
	return len(q.s.texts[text]) > 0
}

// A reset is a value to which an update may reset a field that it leaves out.
type reset struct{ op, field, value string }

func (x *Exchange) resetTo(f *spec.Field, v any) reset {
	return reset{x.read.op.ID, f.Meaning, string(oracle.JSON(v))}
}

func (q *question) resetTo() reset {
	return q.x.resetTo(q.f, q.got)
}

// refusedOne: a refused request to the object was carried out.
func (q *question) refusedOne() *answer {
	isOther := func(x *Exchange) bool { return !q.isSentBy(x) }
	by := slices.DeleteFunc(slices.Clone(q.of.refused), isOther)
	isFromLog := q.isTrusted || q.isOurs()
	if len(by) == 0 || q.wasHeld() || !isFromLog {
		return nil
	}
	requests := "the refused request"
	if len(by) > 1 {
		requests = wording.Count(len(by), "refused request")
	}
	return refusedWrite(", which only "+requests+" sent", by...)
}

// refusedWrite is the answer that refused requests set the value.
func refusedWrite(words string, by ...*Exchange) *answer {
	return &answer{kind: RefusedWrite, clause: effect("EFFECT-1"), words: words, by: by}
}

// otherObject is the answer that requests to another object set the value.
func otherObject(words string, by ...*Exchange) *answer {
	return &answer{kind: OtherObject, clause: effect("EFFECT-2"), words: words, by: by}
}

// otherObjects: a request to another object was carried out on this one.
func (q *question) otherObjects() *answer {
	text, _ := q.got.(string)
	if text == "" || q.wasHeld() {
		return nil
	}
	for _, from := range q.s.texts[text] {
		switch {
		case from.of.is(q.of):
			return nil
		case from.isRefused():
			return refusedWrite(", which was sent to "+from.of.name()+" and refused", from)
		case from.isAccepted():
			return otherObject(", which was sent to "+from.of.name(), from)
		}
	}
	return nil
}

// earlier: an update was not made, or was undone.
func (q *question) earlier() *answer {
	isListed := len(q.f.Enum) > 0
	switch {
	case !q.wasHeld():
		return nil
	case q.isTrusted:
		if isListed && slices.ContainsFunc(q.of.refused, q.isSentBy) {
			return nil
		}
	case isListed, !q.isNoDefault():
		return nil
	}
	return &answer{
		kind: Stale, clause: keepClause, omission: Back, by: q.lastUpdate(),
		words: ", the value from before the last success",
	}
}

// isNoDefault reports whether the value cannot be a default to which the request has reset the field.
func (q *question) isNoDefault() bool {
	text, _ := q.got.(string)
	switch {
	case text == "":
		return false
	case q.isOurs(), q.isGiven():
		return true
	}
	return !q.f.Optional && !q.s.resets[q.resetTo()]
}

// lastUpdate returns the last accepted update of the object.
func (q *question) lastUpdate() []*Exchange {
	if q.of.updated == nil {
		return nil
	}
	return []*Exchange{q.of.updated}
}

// untrustedRead: a GET that the document does not declare may show anything, until it is trusted.
func (q *question) untrustedRead() *answer {
	if q.isTrusted || !q.x.asksOnly() {
		return nil
	}
	q.record.defaults = append(q.record.defaults, q.got)
	return &answer{omission: Reset}
}

// reset: an update that leaves the field out resets it, to one fixed value.
func (q *question) reset() *answer {
	if q.isTrusted {
		return nil
	}
	q.s.resets[q.resetTo()] = true
	defaults := q.record.defaults
	if len(defaults) > 0 && isSame(q.f, defaults[0], q.got) {
		return &answer{omission: Reset}
	}
	q.record.defaults = append(defaults, q.got)
	if len(defaults) == 0 {
		q.noteInitial()
		return &answer{omission: Reset}
	}
	return &answer{
		kind: Stale, clause: keepClause, omission: Reset, aspect: finding.NeitherOne,
		by: q.lastUpdate(), words: ", neither the last value nor one fixed default",
	}
}

// anotherWriters returns what says that somebody else may have written a text that no request of the log sent, or "".
func (q *question) anotherWriters() string {
	text, _ := q.got.(string)
	isPlain := strings.TrimSpace(text) != "" && !strings.ContainsFunc(text, unicode.IsControl)
	isListed := len(q.f.Enum) > 0
	if !isPlain || isListed || q.isFromLog(text) {
		return ""
	}
	q.of.unknown[text] = true
	mayBeReset := q.why.clause == nil || q.why.omission != Kept
	if mayBeReset {
		return ""
	}
	return "another client may have set " + q.f.Name + " of " + q.of.name()
}

// isFromLog reports whether the text may come from a request of the log, or from an object.
func (q *question) isFromLog(text string) bool {
	return q.wasHeld() || q.s.isDerived(text) || q.s.isHeldElsewhere(text)
}

// isHeldElsewhere reports whether any object holds, or held, a text by rights.
func (s *State) isHeldElsewhere(text string) bool {
	isText := func(w *write) bool { return w.value == any(text) && !w.isBreach() }
	for _, o := range s.objects {
		for _, given := range o.given {
			if given == any(text) {
				return true
			}
		}
		for _, r := range o.fields {
			if slices.ContainsFunc(r.past, isText) {
				return true
			}
		}
	}
	return false
}

// oneOfRefused: one of the requests that were refused since the object was last looked at was carried out.
func (q *question) oneOfRefused() *answer {
	refused := q.of.refused
	isMain := q.of.key == q.x.read.op.Key()
	if len(refused) == 0 || !isMain || q.of.trails {
		return nil
	}
	return refusedWrite(" after "+wording.Count(len(refused), "refused request"), refused...)
}

// oneOfOthers: an update of another object changed this one.
func (q *question) oneOfOthers() *answer {
	if q.of.updated != nil {
		return nil
	}
	return otherObject(", though no request named this object")
}

// notKept: what was set has changed, and nothing explains it.
func (q *question) notKept() *answer {
	return &answer{kind: Stale, clause: keepClause, words: ", which nothing explains", by: q.lastUpdate()}
}

// sharedPart is the length of a common part that shows that one text was made from another: cut, in other letters,
// escaped.
const sharedPart = 5

// isDerived reports whether a text may have been made from one that a request sent.
func (s *State) isDerived(text string) bool {
	return slices.ContainsFunc(partsOf(text), func(part string) bool { return s.parts[part] })
}

// longestTrace is the length of the longest text whose parts are remembered.
const longestTrace = 1000

// partsOf returns the parts of a text that are compared with those of others.
func partsOf(text string) (parts []string) {
	text = strings.ToLower(text[:min(len(text), longestTrace)])
	for i := 0; i+sharedPart <= len(text); i++ {
		parts = append(parts, text[i:i+sharedPart])
	}
	return parts
}
