// Package model is the interface document as a program: it says which answers to a request are right. It reads a
// request as it is on the wire, with the contract, the target file, and what is known of the objects that exist. It
// knows neither the case that sends the request nor what other requests did.
//
// A request departs from an ordinary one in any number of ways. Each departure is a row of document.go or fields.go: a
// sentence of the document, which refuses it with certain statuses, or a point that the document leaves open, which may
// be refused with certain statuses. Without a departure the operation succeeds. A refusal may be the one of any
// departure, as the document does not say which error wins.
package model

import (
	"net/http"
	"slices"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/spec"
)

// A Request is a request as it is on the wire.
type Request struct {
	Method string
	Path   string      // with its query, as in the request line, after the path of the base URL
	Header http.Header // with the key
	Body   []byte      // nil for none
	Proto  string      // "" for HTTP/1.1 or later
	// Halved says that it arrives in two halves, which a server may refuse to wait for.
	Halved bool
	// Malformed says that it is invalid HTTP, or more than a server need accept.
	Malformed bool
}

// A User is who sends a request.
type User string

// The users.
const (
	Owner    User = "owner"
	Stranger User = "stranger"
	Nobody   User = "nobody"  // the request has no key, or a key of no user
	Someone  User = "someone" // it is unknown whose key it is, and whether it is a user's
)

// An Existence says what is known of an object.
type Existence int

// What may be known of an object.
const (
	Unclear Existence = iota
	Exists
	Empty   // it exists, and holds nothing that a list could show
	Absent  // no object ever had the id
	Deleted // a delete of it was answered 204
)

// A World is what is known of a target when a request is sent. Only Contract and Target are required.
type World struct {
	Contract *spec.Contract
	Target   *fixtures.Target // its keys, objects, and the open points that it settles
	Named    []fixtures.Named // what the target file names; nil to list it for each request
	Users    map[string]User  // by key, in place of the target file's, where keys are renewed
	// Existence returns what is known of an id of a kind of objects, and false if no more is known than what the target
	// file says.
	Existence func(kind string, id spec.ID) (Existence, bool)
	// Unique reports whether no object but the one of the path can have a text.
	Unique func(text string) bool
	// MadeUp says that the query parameters which the document does not know are made up, so that none of them selects
	// items.
	MadeUp bool
	// Undeclared says that reads which the document does not declare count, too.
	Undeclared bool
}

// A Departure is one way in which a request differs from an ordinary one, and how that may be answered.
type Departure struct {
	Words    string // the sentence of the document, or what is open
	Point    string // in spec/open.yaml; "" for a fault, or where no point is about it
	Clause   string // broken by an answer that the departure does not allow
	Field    string // the field of the body that it is about, "" if it is about the whole request
	Named    bool   // an issue of a 422 has to name the field
	Statuses []int  // with which it may be refused
	Any      bool   // or with any 4xx
	Open     bool   // it may also be accepted
	Empty    bool   // or answered with an empty list
	Loose    bool   // what an accepted request shows, of the field if it is about one, is open
	// Elsewhere says that the request need not reach the operation: whatever is no success of it may be the answer.
	Elsewhere bool
	// Wild says that only a failure of the server is wrong, or a success where something else has to be refused.
	Wild bool
}

// An Allowed says which answers to a request are right.
type Allowed struct {
	Op         *spec.Operation // nil if no operation has the method and the path
	User       User
	Departures []Departure // the faults first
	Shows      []Shown     // what a success has to show of an update
}

// A Shown is a field of an update and the value that the answer has to show for it.
type Shown struct {
	*spec.Field
	Value any
}

// Right returns which answers to a request are right.
func (w *World) Right(r Request) Allowed {
	return w.read(r).right()
}

// right returns which answers to a request are right.
func (r *reading) right() Allowed {
	a := Allowed{Op: r.op, User: r.user}
	for _, d := range r.departures() {
		a.add(r.World, d)
	}
	if a.mayBeRead() {
		a.Shows = r.shown(a)
	}
	return a
}

// mayBeRead reports whether a target that accepts the request reads in it what the contract reads.
func (a Allowed) mayBeRead() bool {
	isMisread := func(d Departure) bool { return d.Loose && d.Field == "" }
	return len(a.Faults()) == 0 && !a.has(isMisread)
}

// add adds a departure, as far as the target file does not settle it.
func (a *Allowed) add(w *World, d Departure) {
	d, isOrdinary := w.settled(d)
	switch {
	case isOrdinary:
	case d.Open:
		a.Departures = append(a.Departures, d)
	default:
		a.Departures = slices.Insert(a.Departures, len(a.Faults()), d)
	}
}

// Faults returns the departures that have to be refused.
func (a Allowed) Faults() []Departure {
	for i, d := range a.Departures {
		if d.Open {
			return a.Departures[:i]
		}
	}
	return a.Departures
}

// Openings returns the departures that may be refused.
func (a Allowed) Openings() []Departure {
	return a.Departures[len(a.Faults()):]
}

// Without returns what is allowed if the target accepts departures that are open, as it did when each was sent alone.
func (a Allowed) Without(accepted func(Departure) bool) Allowed {
	isAccepted := func(d Departure) bool { return d.Open && accepted(d) }
	a.Departures = slices.DeleteFunc(slices.Clone(a.Departures), isAccepted)
	return a
}

// has reports whether any departure has a property.
func (a Allowed) has(property func(Departure) bool) bool {
	return slices.ContainsFunc(a.Departures, property)
}

// IsLoose reports whether it is open what a success shows.
func (a Allowed) IsLoose() bool {
	return a.has(func(d Departure) bool { return d.Loose })
}

// isWild reports whether any answer but a failure of the server is right.
func (a Allowed) isWild() bool {
	if a.Op == nil {
		return true
	}
	return len(a.Faults()) == 0 && a.has(func(d Departure) bool { return d.Wild })
}

// Expect returns the expectation of an answer.
func (a Allowed) Expect() oracle.Expect {
	var statuses []int
	for _, d := range a.Departures {
		statuses = append(statuses, d.Statuses...)
	}
	slices.Sort(statuses)
	statuses = slices.Compact(statuses)
	if a.isWild() {
		return oracle.Expect{Statuses: statuses, OnlyCrash: true, Unlisted: true, ErrorForm: a.Op != nil}
	}
	e := oracle.Expect{Statuses: statuses, Clause: a.clause(), Field: a.field()}
	e.Success = len(a.Faults()) == 0
	isOfUser := a.has(Departure.isAboutUser)
	for _, d := range a.Departures {
		raise(&e.AnyRefusal, d.Any)
		raise(&e.Elsewhere, d.Elsewhere)
		raise(&e.EmptyList, d.Empty && !isOfUser)
	}
	return e
}

// isAboutUser reports whether a departure is a fault of who asks: such a request shows not even an empty list.
func (d Departure) isAboutUser() bool { return d.Clause == noUser || d.Clause == noPermission }

// clause returns the clause that any other answer breaks.
func (a Allowed) clause() string {
	if faults := a.Faults(); len(faults) > 0 {
		return faults[0].Clause
	}
	return a.Op.Clause
}

// field returns the field that an issue of a 422 has to name, if a 422 can be about nothing else.
func (a Allowed) field() string {
	var about []string
	for _, d := range a.Departures {
		switch {
		case d.Named:
			about = append(about, d.Field)
		case d.Any || slices.Contains(d.Statuses, http.StatusUnprocessableEntity):
			return ""
		}
	}
	if len(about) != 1 {
		return ""
	}
	return about[0]
}
