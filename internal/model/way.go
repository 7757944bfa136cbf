package model

import (
	"maps"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
)

// get stands for a GET of an object's path.
const get = "GET"

// A Way is a way of asking what objects hold: an update that sends some of the fields, or a GET. It is trusted for a
// field once it has told two different last values of it, and never a default: a target may reset what a request leaves
// out.
type Way struct {
	IsRefused bool               // by the target, as whoever uses it says
	isUsed    bool               // an answer showed a field
	records   map[string]*record // what it has told, by field
}

// A record is what a way of asking has told of a field.
type record struct {
	kept     []any // last values, no more than two different ones
	defaults []any // values to which updates without the field reset it
}

func (r *record) isTrusted() bool {
	return len(r.kept) > 1 && len(r.defaults) == 0
}

// wayKey identifies a way by its operation and the wire names of the fields, sorted and joined by commas; or by the
// kind of the objects and get.
type wayKey struct{ of, sends string }

// Way returns the way of asking by an update that sends these fields.
func (s *State) Way(op *spec.Operation, sends ...string) *Way {
	return s.way(wayKey{op.ID, strings.Join(slices.Sorted(slices.Values(sends)), ",")})
}

func (s *State) way(key wayKey) *Way {
	w := s.ways[key]
	if w == nil {
		w = &Way{records: map[string]*record{}}
		s.ways[key] = w
	}
	return w
}

// Get returns the way of asking by a GET of the path of an operation.
func (s *State) Get(op *spec.Operation) *Way {
	return s.way(wayKey{fixtures.KindOf(op.Key()), get})
}

// wayOf returns the way of asking of an exchange.
func (s *State) wayOf(x *Exchange) *Way {
	if x.asksOnly() {
		return s.Get(x.read.op)
	}
	return s.Way(x.read.op, slices.Collect(maps.Keys(x.fields))...)
}

// asksOnly reports whether the request is a GET.
func (x *Exchange) asksOnly() bool { return x.Method == get }

// record returns what a way of asking has told of a field.
func (w *Way) record(meaning string) *record {
	if w.records[meaning] == nil {
		w.records[meaning] = &record{}
	}
	return w.records[meaning]
}

// WasUsed reports whether an answer to this way of asking showed a field.
func (w *Way) WasUsed() bool { return w.isUsed }

// Defaults returns the values to which updates reset a field that they leave out.
func (w *Way) Defaults(f *spec.Field) []any { return w.record(f.Meaning).defaults }

// Tells reports whether the way shows what fields hold.
func (w *Way) Tells(fields ...*spec.Field) bool {
	isOpen := func(f *spec.Field) bool { return !w.record(f.Meaning).isTrusted() }
	return !w.IsRefused && !slices.ContainsFunc(fields, isOpen)
}
