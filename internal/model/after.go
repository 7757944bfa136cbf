package model

import (
	"net/http"
	"slices"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
)

// An Exchange is a request, its answer, and when both were on the wire.
type Exchange struct {
	Request
	Seq    int // the number by which findings name it
	Start  time.Time
	End    time.Time // of the answer; zero if none came
	Date   time.Time // that the answer says; zero if it does not
	Status int       // 0 if the answer was lost
	Answer any       // the decoded body; nil if it is not JSON, or was not recorded
	// Unread says that its body was not recorded.
	Unread bool
	// Again says that an attempt before this one may have been carried out.
	Again bool

	read    *reading
	allowed Allowed
	of      *entity // that the path names, or nil; one without id if a delete names none
	// resembles is the object whose id a malformed id begins with, or nil.
	resembles *entity
	// Omitted are the fields that it left out, as its answer shows them.
	Omitted []Omitted
	isOver  bool              // no answer comes any more
	fields  map[string]any    // of the body, by wire name
	writes  map[string]*write // what it sets if it is carried out, by the wire name of the field
	removes []removal         // what it removes if it is carried out
}

// span returns when the request may have taken effect.
func (x *Exchange) span() span { return span{x.Start, x.End} }

func (x *Exchange) isAccepted() bool { return x.Status/100 == 2 }

// isLost reports whether the answer does not say whether the request was carried out.
func (x *Exchange) isLost() bool {
	return x.Status == 0 || x.Status >= http.StatusInternalServerError
}

// isRefused reports whether the answer says that the request changed nothing.
func (x *Exchange) isRefused() bool {
	switch x.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusUnprocessableEntity:
		return true
	}
	return false
}

// mayAct reports whether the request may be carried out.
func (x *Exchange) mayAct() bool {
	return x.allowed.Op != nil && len(x.allowed.Faults()) == 0
}

// isOpen reports whether almost anything may be the answer.
func (x *Exchange) isOpen() bool {
	switch e := x.allowed.Expect(); {
	case !x.mayAct(), e.AnyRefusal, e.Elsewhere, e.OnlyCrash:
		return true
	}
	return false
}

// mayMiss reports whether the request may be answered 404 though what it names exists.
func (x *Exchange) mayMiss() bool {
	return x.isOpen() || slices.Contains(x.allowed.Expect().Statuses, http.StatusNotFound)
}

// A thing identifies an object for all operations.
type thing struct {
	kind string
	id   spec.ID
}

// An entity is what is known of an object of the target.
type entity struct {
	thing
	op        *spec.Operation  // the first that named it
	key       string           // under which the target file names it, or ""
	given     map[string]any   // the values that it gives, by meaning
	container *fixtures.Object // what the target file says of its files, nil for no container
	exists    *register
	fields    map[string]*register // by meaning
	constants map[string]constant  // by wire name
	firsts    map[string]first     // the values before any update, by meaning
	unknown   map[string]bool      // texts that it showed and that no request sent
	refused   []*Exchange          // writes that were refused since the object was last looked at
	updated   *Exchange            // the last update that was accepted
	updatedBy []*spec.Operation    // whose updates were accepted
	isTouched bool                 // a request may have changed it that was not accepted, or that named another object
	trails    bool                 // it showed a value from before an accepted update
	dated     *dating              // the last date of a change
	first     *dating              // the first date of a change
	standing  *dating              // the first of the changes in a row with the same date
	lists     []*list              // that hold it, or have held it
	listed    *Exchange            // the last answer that showed its own list
	missed    *Exchange            // the first 404 for its own list since the last success, or nil
}

// A first is the value of a field that an answer showed before any update.
type first struct {
	value   any
	by      *record // of the way of asking
	isFresh bool    // no request of the log can have set it
}

// A constant is the first value of a field that no request can change.
type constant struct {
	value any
	by    *Exchange
}

// A State is what the answers so far say about a target. Exchanges are given to it in the order in which they happened:
// Begin at the first byte of a request, After at the last byte of its answer.
type State struct {
	world    World
	lag      time.Duration // how long a read may show a state from before a change
	objects  map[thing]*entity
	lists    map[thing]*list
	ways     map[wayKey]*Way
	texts    map[string][]*Exchange   // the requests that sent a text, one for each object, field and outcome
	parts    map[string]bool          // of these texts
	resets   map[reset]bool           // what an update may have reset a field to
	mains    map[string]*entity       // that cases update, by the key of the target file
	deletes  []*Exchange              // that were accepted, and those that were refused, in order
	outlived map[int]bool             // statuses of refused deletes that a creative has outlived
	unsteady map[*spec.Operation]bool // lists that differ without a delete
	turns    int                      // begins and ends of deletes
	strays   int                      // deletes of creatives of which no list is known
	reading  *Exchange                // whose answer is judged
	now      time.Time                // when the last answer was complete
	signs    []*sign                  // of a restart
	isInTurn bool                     // an answer showed a change that one before it lacked
	found    []Breach
	judged   []Judged
}

// Judged is a clause that an answer could have broken, and the operation for which.
type Judged struct {
	Clause string
	Op     *spec.Operation
}

// NewState returns a state in which only the target file is known. A read may lag, unless the file says that none does.
func NewState(w World, lag time.Duration) *State {
	if pin, isPinned := w.Target.Open["readDelay"]; isPinned && pin == int64(0) {
		lag = 0
	}
	s := &State{
		world: w, lag: lag,
		objects:  map[thing]*entity{},
		lists:    map[thing]*list{},
		ways:     map[wayKey]*Way{},
		texts:    map[string][]*Exchange{},
		parts:    map[string]bool{},
		resets:   map[reset]bool{},
		mains:    map[string]*entity{},
		outlived: map[int]bool{},
		unsteady: map[*spec.Operation]bool{},
	}
	s.world.Existence = s.existence
	s.world.Named = w.Target.Named()
	s.readTarget()
	return s
}

// readTarget notes the objects that the target file names, and the values that it gives. The file may be wrong: that
// they exist is not certain.
func (s *State) readTarget() {
	t := s.world.Target
	for _, named := range s.world.Named {
		if o := s.entity(named.Kind, named.ID); o.key == "" {
			o.key = named.Bare
			s.mains[o.key] = o
		}
	}
	for key, all := range t.Objects {
		for _, o := range all {
			named := s.entity(fixtures.KindOf(key), o.ID)
			if named.given = o.Values; fixtures.Vast(key) {
				named.container = &o
			}
		}
	}
}

// Begin notes that a request is under way: what it sets may show from now on.
func (s *State) Begin(x *Exchange) {
	s.Right(x)
	if x.read.op == nil && s.world.Undeclared && x.asksOnly() {
		x.read.readUndeclared()
	}
	if !x.namesObject() {
		return
	}
	op := x.read.op
	id := x.read.last()
	if x.of = s.object(op, id.ID); id.spelled == malformedID {
		x.resembles = s.resembled(x)
	}
	if op.Updates() && !x.asksOnly() {
		x.fields = x.read.body.lenient
		s.remember(x)
	}
	switch {
	case !x.mayAct():
	case op.Updates():
		s.beginUpdate(x)
	case op.Deletes():
		s.beginDelete(x)
	}
}

// namesObject reports whether the path names an object that the state follows, or resembles its id and may change it.
func (x *Exchange) namesObject() bool {
	op := x.read.op
	switch {
	case op == nil, x.Method == http.MethodHead:
		return false
	case len(x.read.ids) == 0:
		return op.Lists()
	case x.read.last().spelled == malformedID:
		return op.Deletes() || op.Updates()
	}
	return true
}

// Undeclared returns the update that has the path of a read which the document does not declare, or nil for other
// requests.
func (x *Exchange) Undeclared() *spec.Operation {
	switch {
	case x.of == nil, !x.asksOnly(), !x.read.op.Updates():
		return nil
	}
	return x.read.op
}

// Right returns which answers to a request are right, after those before it.
func (s *State) Right(x *Exchange) Allowed {
	s.reading = x
	if x.read == nil {
		x.read = s.world.read(x.Request)
	}
	for i := range x.read.ids { // what is known of them may have changed
		if id := &x.read.ids[i]; id.ID != "" {
			x.read.identify(id)
		}
	}
	x.allowed = x.read.right()
	return x.allowed
}

// After judges an answer against those before it, and notes what it says about the target. It returns what the answer
// breaks, and the clauses that it could have broken.
func (s *State) After(x *Exchange) ([]Breach, []Judged) {
	s.found = nil
	s.judged = nil
	x.isOver = true
	s.now = lastOf(s.now, x.End)
	if x.of == nil {
		return nil, nil
	}
	s.Right(x) // what was deleted while it was under way may be gone
	if x.Status == http.StatusNotFound {
		x.of.noteGone(x.span())
	}
	switch op := x.read.op; {
	case op.Updates():
		s.endUpdate(x)
	case op.Deletes():
		s.endDelete(x)
	case op.Lists():
		s.endList(x)
	case op.Reads() && x.isAccepted() && x.mayAct():
		s.observe(x)
	}
	return s.found, s.judged
}

// noteGone notes that an answer 404 shows the delete of an object that ended before.
func (o *entity) noteGone(read span) {
	switch w := o.exists.changeBefore(nil); {
	case w == nil, w.lost != nil, !w.before(read):
	default:
		w.shown = read.Start
	}
}

// Follow judges exchanges in the order in which they happened, for the sake of the state alone.
func (s *State) Follow(all []*Exchange) {
	type moment struct {
		at    time.Time
		notes func()
	}
	var moments []moment
	for _, x := range all {
		begin := moment{x.Start, func() { s.Begin(x) }}
		end := moment{lastOf(x.Start, x.End), func() { s.After(x) }}
		moments = append(moments, begin, end)
	}
	slices.SortStableFunc(moments, func(a, b moment) int { return a.at.Compare(b.at) })
	for _, one := range moments {
		one.notes()
	}
}

func newObject(at thing) *entity {
	return &entity{
		thing: at, exists: newFact(),
		fields:    map[string]*register{},
		constants: map[string]constant{},
		firsts:    map[string]first{},
		unknown:   map[string]bool{},
	}
}

// newFact returns a register of what is true or false.
func newFact() *register {
	return newRegister(func(a, b any) bool { return a == b })
}

// object returns what is known of the object of an operation.
func (s *State) object(op *spec.Operation, id spec.ID) *entity {
	o := s.entity(fixtures.KindOf(op.Key()), id)
	if o.op == nil {
		o.op = op
	}
	return o
}

// entity returns what is known of an object.
func (s *State) entity(kind string, id spec.ID) *entity {
	at := thing{kind, id}
	if s.objects[at] == nil {
		s.objects[at] = newObject(at)
	}
	return s.objects[at]
}

// is reports whether two entities are the same object. A state that another one has joined may have another of it.
func (o *entity) is(other *entity) bool { return o.thing == other.thing }

// name returns the name of an object for messages.
func (o *entity) name() string {
	if o.key != "" {
		return o.key
	}
	return o.kind + " " + string(o.id)
}

// existence implements World.Existence at the time of the exchange that is judged.
func (s *State) existence(kind string, id spec.ID) (e Existence, isKnown bool) {
	o := s.objects[thing{kind, id}]
	if o == nil || s.reading == nil {
		return Unclear, false
	}
	at := s.reading.span()
	if at.End.IsZero() {
		at.End = at.Start
	}
	known := o.exists.candidates(at)[0]
	isGone := known.value == false
	switch {
	case !o.exists.isKnown(at): // the target file may be wrong
	case isGone && known.by.read.op.Deletes():
		e = Deleted
	case isGone:
	case s.isEmpty(o, at):
		e = Empty
	default:
		e = Exists
	}
	return e, true
}

// cover notes that an answer could have broken a clause.
func (s *State) cover(op *spec.Operation, clause string) {
	if j := (Judged{clause, op}); clause != "" && !slices.Contains(s.judged, j) {
		s.judged = append(s.judged, j)
	}
}
