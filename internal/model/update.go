package model

import (
	"slices"
	"strings"
	"time"

	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/spec"
)

// field returns the register of a field of an object.
func (o *entity) field(f *spec.Field) *register {
	if o.fields[f.Meaning] == nil {
		o.fields[f.Meaning] = newRegister(func(a, b any) bool { return isSame(f, a, b) })
		o.fields[f.Meaning].given = o.given[f.Meaning]
	}
	return o.fields[f.Meaning]
}

// isSame reports whether a field shows a value that was sent or shown before, perhaps trimmed, normalised, or as the
// text of a number.
func isSame(f *spec.Field, before, shown any) bool {
	if oracle.Equal(f, before, shown) || oracle.Altered(before, shown) {
		return true
	}
	text, isCoerced := oracle.TextOf(f, before)
	return isCoerced && oracle.Equal(f, text, shown)
}

// beginUpdate notes what an update sets if it is carried out.
func (s *State) beginUpdate(x *Exchange) {
	x.writes = map[string]*write{}
	for _, f := range x.read.op.Body.Fields {
		if v, isSent := x.fields[f.Name]; isSent {
			w := &write{span: span{Start: x.Start}, value: v, by: x}
			x.writes[f.Name] = w
			x.of.field(f).begin(w)
		}
	}
}

// endUpdate notes whether an update was carried out, and judges what its answer shows.
func (s *State) endUpdate(x *Exchange) {
	switch {
	case x.asksOnly():
		if x.isAccepted() {
			s.observe(x)
		}
	case x.isLost():
		raise(&x.of.isTouched, len(x.Body) > 0)
		s.doubt(x)
	case !x.isAccepted():
		s.refuse(x)
	case !x.mayAct(), x.Unread:
		s.doubt(x)
	default:
		s.accept(x)
	}
	s.judgeExistence(x)
}

// doubt notes that it is not known whether an update was carried out, or what it has set.
func (s *State) doubt(x *Exchange) {
	for _, f := range x.read.op.Body.Fields {
		w := x.writes[f.Name]
		r := x.of.field(f)
		if w != nil {
			r.settle(w, x.End, true)
		}
		if w == nil || x.isAccepted() {
			r.doubt(x)
		}
	}
}

// refuse notes that an update was not carried out.
func (s *State) refuse(x *Exchange) {
	for _, f := range x.read.op.Body.Fields {
		if w := x.writes[f.Name]; w != nil {
			x.of.field(f).cancel(w)
		}
	}
	switch o := s.meant(x); {
	case o == nil, !x.isRefused(), o.holds(x):
	default:
		o.refused = append(o.refused, x)
	}
}

// meant returns the object that a refused update may have changed if it was carried out, or nil: the one whose id its
// path resembles, or the main one of the operation in place of one that nothing names.
func (s *State) meant(x *Exchange) *entity {
	switch {
	case x.resembles != nil:
		return x.resembles
	case !x.of.isUnknown():
		return x.of
	}
	return s.mains[x.read.op.Key()]
}

// holds reports whether an update would set an object only to what it holds.
func (o *entity) holds(x *Exchange) bool {
	for name, v := range x.fields {
		f := x.read.op.Body.Named(name)
		if f == nil {
			return false
		}
		r := o.field(f)
		if last, isKnown := r.known(afterAll); !isKnown || !r.equal(last, v) {
			return false
		}
	}
	return x.fields != nil
}

// accept notes what an update has set, and judges the fields that it left out.
func (s *State) accept(x *Exchange) {
	shown := s.shown(x)
	isChange := x.isChange()
	x.of.update(x, shown != nil)
	if !x.allowed.mayBeRead() {
		s.take(x, shown)
		return
	}
	for _, f := range x.read.op.Body.Fields {
		w := x.writes[f.Name]
		r := x.representation(f.Meaning)
		if w == nil || r == nil {
			continue
		}
		if shown != nil {
			s.acceptField(w, f, shown[r.Name])
		}
		x.of.field(f).settle(w, x.End, shown == nil)
	}
	if shown != nil {
		s.observe(x)
		s.judgeDate(x, shown, isChange)
	}
	if len(x.writes) > 0 {
		x.of.updated = x
	}
}

// acceptField notes what an answer shows of a field that its request set.
func (s *State) acceptField(w *write, f *spec.Field, got any) {
	x := w.by
	register := w.by.of.field(f)
	last, _ := register.last()
	switch isNull := w.value == nil; {
	case isNull && got != nil && !oracle.Equal(f, last, got): // so may updates without the field
		s.resets[x.resetTo(f, got)] = true
		w.value = got
	case isNull, x.allowed.IsLoose(), isSame(f, w.value, got):
		w.value = got
	default: // it was not sent: either may be what the object holds
		register.settle(&write{span: x.span(), value: got, by: x}, x.End, true)
	}
}

// representation returns the field of the answer that has a meaning, or nil.
func (x *Exchange) representation(meaning string) *spec.Field {
	return x.read.op.Representation().Field(meaning)
}

// take notes an update that was accepted, though it is open what it sets: what its answer shows, if that is known.
func (s *State) take(x *Exchange, shown map[string]any) {
	if shown == nil {
		s.doubt(x)
		return
	}
	for _, f := range x.read.op.Body.Fields {
		register := x.of.field(f)
		if w := x.writes[f.Name]; w != nil {
			register.cancel(w)
		}
		if r := x.representation(f.Meaning); r != nil {
			register.set(&write{span: x.span(), value: shown[r.Name], by: x})
		}
	}
}

// update notes an accepted update. One of all fields hides what the refused ones before it have done.
func (o *entity) update(x *Exchange, isShown bool) {
	if len(x.writes) == 0 {
		return
	}
	if !slices.Contains(o.updatedBy, x.read.op) {
		o.updatedBy = append(o.updatedBy, x.read.op)
	}
	if isShown && len(x.writes) == len(x.read.op.Body.Fields) {
		o.refused = nil
	}
}

// shown returns the representation that an answer shows, or nil if it is not the object's.
func (s *State) shown(x *Exchange) map[string]any {
	shown := oracle.Representation(x.read.op, x.Answer)
	id := x.representation("id")
	if id != nil && !x.of.id.Is(oracle.IDOf(shown[id.Name])) {
		return nil
	}
	return shown
}

// observe judges the fields that an answer shows and that its request did not set.
func (s *State) observe(x *Exchange) {
	shown := s.shown(x)
	if shown == nil || !s.isItsUser(x) {
		return
	}
	x.of.exists.narrow(x.span(), true, x)
	s.judgeConstants(x, shown)
	if isOpen := x.allowed.IsLoose() && x.Undeclared() == nil; isOpen {
		return
	}
	for _, f := range s.settable(x.read.op) {
		r := x.representation(f.Meaning)
		if _, isSent := x.fields[f.Name]; r != nil && !isSent {
			s.compare(x, f, r, shown[r.Name])
		}
	}
	if s.isLook(x) {
		x.of.refused = nil
	}
}

// isLook reports whether an answer shows all that the object holds.
func (s *State) isLook(x *Exchange) bool {
	if len(x.fields) > 0 || x.read.op.Reads() {
		return !x.read.op.Updates()
	}
	w := s.wayOf(x)
	isOpen := func(f *spec.Field) bool {
		return x.representation(f.Meaning) != nil && !w.record(f.Meaning).isTrusted()
	}
	return !slices.ContainsFunc(s.settable(x.read.op), isOpen)
}

// settable returns the fields that updates of an operation's objects can set.
func (s *State) settable(op *spec.Operation) []*spec.Field {
	if op.Updates() {
		return op.Body.Fields
	}
	var fields []*spec.Field
	for _, other := range s.world.Contract.Operations {
		if !other.Updates() || !other.SameObjects(op) {
			continue
		}
		for _, f := range other.Body.Fields {
			isSame := func(known *spec.Field) bool { return known.Meaning == f.Meaning }
			if !slices.ContainsFunc(fields, isSame) {
				fields = append(fields, f)
			}
		}
	}
	return fields
}

// isItsUser reports whether a request is that of the user whose object it names.
func (s *State) isItsUser(x *Exchange) bool {
	owner := Owner
	if strings.HasPrefix(x.of.key, foreignKeys) {
		owner = Stranger
	}
	return x.read.user == owner
}

// compare compares a field that a request left out with what it may hold.
func (s *State) compare(x *Exchange, f, r *spec.Field, got any) {
	way := s.wayOf(x)
	register := x.of.field(f)
	at := x.span()
	way.isUsed = true
	q := &question{
		s: s, x: x, of: x.of, f: f, got: got,
		register: register, record: way.record(f.Meaning),
	}
	isDeclared := !x.read.op.Updates()
	q.isTrusted = isDeclared || q.record.isTrusted()
	shows := register.match(at, got)
	if shows.isFirst() {
		q.noteFirst()
	}
	switch {
	case q.why != nil:
	case shows != nil:
		q.noteKept(at)
		raise(&s.isInTurn, !shows.back.IsZero())
		shows.shown = at.Start
		shows.back = time.Time{}
		register.narrow(s.latest(x), got, x)
		return
	case register.match(s.latest(x), got) != nil: // from before a recent change
		register.noteBack(at.End)
		q.noteInitial()
		return
	}
	s.explainField(q, r)
}

// noteFirst explains the first value of a field, if a request sent it that should not have set it. Otherwise it is from
// before the log, or a default.
func (q *question) noteFirst() {
	if q.why = q.trace(); q.why != nil {
		return
	}
	q.keepFirst()
	if q.x.asksOnly() || q.isOurs() {
		return
	}
	q.s.resets[q.resetTo()] = true
}

// keepFirst keeps the value of a field that an answer shows before any update.
func (q *question) keepFirst() {
	if _, isShown := q.of.firsts[q.f.Meaning]; isShown || q.of.updated != nil {
		return
	}
	isFresh := !q.isOurs() && !q.s.hasUpdated(q.of.kind)
	q.of.firsts[q.f.Meaning] = first{q.got, q.record, isFresh}
}

// hasUpdated reports whether an update of an object of a kind was accepted.
func (s *State) hasUpdated(kind string) bool {
	for _, o := range s.objects {
		if o.kind == kind && o.updated != nil {
			return true
		}
	}
	return false
}

// noteKept notes that a way of asking has told the last value.
func (q *question) noteKept(at span) {
	switch last, isKnown := q.register.known(at); {
	case !isKnown:
		return
	case oracle.Equal(q.f, last, q.got):
		q.omit(Kept)
	default:
		q.omit(Altered)
	}
	if q.isTrusted {
		q.s.coverKept(q.x)
	}
	isKept := func(v any) bool { return isSame(q.f, v, q.got) }
	if len(q.record.kept) < 2 && !slices.ContainsFunc(q.record.kept, isKept) {
		q.record.kept = append(q.record.kept, q.got)
	}
}

// latest returns when the state may have been that an answer shows: only a request that just reads may lag.
func (s *State) latest(x *Exchange) span {
	if x.asksOnly() || strings.TrimSpace(string(x.Body)) == "{}" {
		return s.lagged(x.span())
	}
	return x.span()
}

// lagged returns when the state may have been that a read which may lag shows.
func (s *State) lagged(read span) span {
	read.Start = read.Start.Add(-s.lag)
	return read
}

// Updated returns the last accepted update of an object that was answered since a time, nil if there is none, and
// whether a representation that was read now shows the object as it was before, and nothing else that is wrong.
func (s *State) Updated(
	kind string, id spec.ID, rep *spec.Object, shown map[string]any, since time.Time,
) (by *Exchange, isBefore bool) {
	o := s.entity(kind, id)
	for meaning, r := range o.fields {
		f := rep.Field(meaning)
		if f == nil {
			continue
		}
		for _, w := range r.past {
			switch {
			case w.by == nil, w.End.Before(since):
			case w.by.isAccepted() && len(w.by.writes) > 0:
				by = later(by, w.by)
			}
		}
		got := shown[f.Name]
		if r.match(afterAll, got) != nil {
			continue
		}
		switch before := r.matchEarlier(span{since, forever}, got); {
		case before == nil, before.isBreach(), before.isFirst() && !r.isGiven(got):
			return nil, false
		}
		isBefore = true
	}
	return by, isBefore
}

// coverKept notes the clauses that a trusted last value shows.
func (s *State) coverKept(x *Exchange) {
	if x.of.updated != nil {
		s.cover(x.read.op, keepClause(x.read.op))
	}
	if len(x.of.refused) > 0 {
		s.cover(x.read.op, "EFFECT-1")
	}
}

// keepClause returns the clause by which an answer shows what was set before.
func keepClause(op *spec.Operation) string {
	if op.Updates() {
		return op.Effects["persists"]
	}
	return op.Effects["shows"]
}

// judgeConstants compares the fields that no request can change with those that an answer showed first. A read that the
// document does not declare may show a field in another form.
func (s *State) judgeConstants(x *Exchange, shown map[string]any) {
	for _, f := range x.read.op.Representation().Fields {
		got, isShown := shown[f.Name]
		switch {
		case !f.Stays, !isShown, x.asksOnly() && !isTyped(f, got):
			continue
		}
		first, isKnown := x.of.constants[f.Name]
		if !isKnown {
			x.of.constants[f.Name] = constant{got, x}
			continue
		}
		clause := x.read.op.Effects["stays"]
		s.cover(x.read.op, clause)
		if oracle.Equal(f, first.value, got) || oracle.SameDate(first.value, got) {
			continue
		}
		s.breach(Breach{
			Kind: Stays, Clause: clause, Op: x.read.op, Field: f,
			By:       []*Exchange{first.by},
			Expected: f.Name + " " + oracle.Show(first.value) + ", as shown before",
			Got:      oracle.Show(got),
		})
	}
}

// isTyped reports whether a value is a text where the field is one.
func isTyped(f *spec.Field, v any) bool {
	_, isText := v.(string)
	return isText == (f.Type == "string")
}

// remember notes where each text is sent, so that it is recognised elsewhere. One that the object showed, and that no
// request had sent, is only sent back.
func (s *State) remember(x *Exchange) {
	for _, f := range x.read.op.Body.Fields {
		text, isText := x.fields[f.Name].(string)
		switch isSentBack := x.of.unknown[text]; {
		case !isText, isSentBack, len(f.Enum) > 0, len(text) < leastTrace:
			continue
		}
		for _, part := range partsOf(text) {
			s.parts[part] = true
		}
		isKnown := slices.ContainsFunc(s.texts[text], func(other *Exchange) bool {
			return other.of.is(x.of) && other.mayAct() == x.mayAct()
		})
		if !isKnown {
			s.texts[text] = append(s.texts[text], x)
		}
	}
}

// leastTrace is the least length of a text that is taken for the sender's own wherever it shows. A shorter one may be
// there by chance.
const leastTrace = 5
