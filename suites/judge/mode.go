package judge

import (
	"maps"
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
)

// modeKey is a way of asking: the operation and the fields that were sent.
type modeKey struct {
	op     string
	fields string // sorted wire names joined by commas; "GET" for a read
}

// Mode is what a way of asking was seen to show of the fields it left out.
type Mode struct {
	Kept     Values // last values that were shown
	Defaults Values // other values that were shown
	Trailing Values // values from before the last success
	Refused  bool
}

// Values are values of fields as they were shown, by field.
type Values map[string]map[string]bool

// Note adds a value of a field.
func (v Values) Note(field string, shown any) {
	if v[field] == nil {
		v[field] = map[string]bool{}
	}
	v[field][oracle.Show(shown)] = true
}

// Keeps says whether the way of asking was seen twice to show the last value.
func (m *Mode) Keeps(field string) bool {
	return m != nil && len(m.Kept[field]) >= 2 && len(m.Defaults[field]) == 0
}

// Mode is what a way of asking, named by the fields that it sends, was seen to show.
func (s *State) Mode(op *spec.Operation, fields string) *Mode {
	key := modeKey{op.ID, fields}
	m := s.modes[key]
	if m == nil {
		m = &Mode{Kept: Values{}, Defaults: Values{}, Trailing: Values{}}
		s.modes[key] = m
	}
	return m
}

// ReadMode is GET of the object's path.
const ReadMode = "GET"

// ModeOf names the way of asking with a body.
func ModeOf(b *oracle.Body) string { return strings.Join(slices.Sorted(maps.Keys(b.Fields)), ",") }

// TakesParts says whether updates with a single field were taken.
func (s *State) TakesParts(o *Object) bool {
	for _, f := range FieldNames(o.Op) {
		if m := s.modes[modeKey{o.Op.ID, f}]; m == nil || m.Refused {
			return false
		}
	}
	return len(o.Op.Body.Fields) > 1
}

// Readable says whether a way of asking was seen to tell all these fields.
func (s *State) Readable(op *spec.Operation, fields string, names []string) bool {
	m := s.modes[modeKey{op.ID, fields}]
	return m != nil && !m.Refused && m.KeepsAll(names)
}

// FieldNames are the wire names of the fields that an update sends and its answer shows.
func FieldNames(op *spec.Operation) []string {
	var names []string
	for _, f := range op.Body.Fields {
		if op.Representation().Field(f.Meaning) != nil { // a password, say, is not shown
			names = append(names, f.Name)
		}
	}
	return names
}

// KeepsAll says whether the way of asking was seen to show the last values of all fields.
func (m *Mode) KeepsAll(fields []string) bool {
	return !slices.ContainsFunc(fields, func(f string) bool { return !m.Keeps(f) })
}
