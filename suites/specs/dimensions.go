package specs

import (
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/spec"
)

// A request is made of dimensions, such as its path, its media type and the value of each field. The table of
// dimensions lists, for each of them, the rows: ways in which a request may differ from an ordinary one. Every
// operation gets the same rows, as far as it has such a part. Defects often show only where two rows meet, so
// arrays.go sends rows together.

// A dimension is one part of what a request is made of. A request has at most one of its rows.
type dimension struct {
	name string
	rows []*row
}

// A row is one way in which a request may differ from an ordinary one.
type row struct {
	name   string // unique among the rows of an operation; baselines and replays know a row by it
	words  string // in the title of a finding: "a slash behind the path"
	is     claim
	kind   string // of a fault
	change shape
	// parts are the parts of the request that the row changes as a whole, separated by spaces. Two rows with a part in
	// common clash: one would undo the other.
	parts string
	how   how
	at    int // index of its dimension
}

// A shape changes an ordinary request.
type shape func(c Case, r *Call)

// claim says what a row claims of the answer to a request with nothing else odd.
type claim int

// The claims.
const (
	plain claim = iota // the request has to be accepted
	open               // it may be refused
	fault              // it has to be refused
)

func (r *row) isFault() bool { return r.is == fault }

// setsField reports whether the row gives a field a value that it may have.
func (r *row) setsField() bool { return strings.HasPrefix(r.parts, "field:") && !r.isFault() }

// clashes reports whether one of two rows would undo the other.
func (r *row) clashes(other *row) bool {
	theirs := strings.Fields(other.parts)
	return slices.ContainsFunc(strings.Fields(r.parts), func(part string) bool { return slices.Contains(theirs, part) })
}

// always returns the shape of a change that needs no case.
func always(changes ...Change) shape {
	return func(_ Case, r *Call) { combined(changes...)(r) }
}

// dimensionsOf returns the dimensions of a request of an operation, in the order in which their rows are applied.
func dimensionsOf(s *Specs, op *spec.Operation) []dimension {
	all := []dimension{{"object", wrongObjects(s, op)}, {"who", wrongUsers(s, op)}}
	if op.Updates() {
		all = append(all, dimension{"fields", fieldRows(op)})
		for _, f := range op.Body.Fields {
			all = append(all, dimension{"value of " + f.Name, append(valueRows(op, f), wrongValueRows(op, f)...)})
		}
		all = append(all, []dimension{
			{"members", memberRows(op)}, {"JSON", append(spellingRows(), wrongBodyRows(op)...)},
		}...)
	}
	all = append(all, []dimension{
		{"path", pathRows},
		{"query", queryRows(s, op)},
		{"key header", keyRows(s)},
		{"media type", mediaRows},
		{"accepted types", acceptRows},
		{"headers", free(clientHeaders, s.Target)},
		{"claims", free(claimHeaders, s.Target)},
		{"transfer", transferRows},
	}...)
	for i, d := range all {
		all[i].rows = slices.DeleteFunc(slices.Clone(d.rows), func(r *row) bool { return !r.how.suits(op) })
	}
	all = slices.DeleteFunc(all, func(d dimension) bool { return len(d.rows) == 0 })
	for i, d := range all {
		for j, r := range d.rows {
			own := *r
			own.at, d.rows[j] = i, &own
		}
	}
	return all
}

// A mix is what a request is made of: some rows, at most one of each dimension, in the order of the dimensions.
type mix []*row

// names identifies the rows: "no-key+slash-behind".
func (m mix) names() string {
	var all []string
	for _, r := range m {
		all = append(all, r.name)
	}
	return strings.Join(all, "+")
}

// words describes the rows: "no key; a slash behind the path".
func (m mix) words() string {
	var all []string
	for _, r := range m {
		all = append(all, r.words)
	}
	return strings.Join(all, "; ")
}

// has reports whether all of some rows are in the mix.
func (m mix) has(rows mix) bool {
	return !slices.ContainsFunc(rows, func(r *row) bool { return !slices.Contains(m, r) })
}

// without returns the mix less one row.
func (m mix) without(one *row) mix {
	return slices.DeleteFunc(slices.Clone(m), func(r *row) bool { return r == one })
}

// with returns the mix with one more row, without other rows of its dimension and rows that clash with it.
func (m mix) with(one *row) mix {
	all := slices.DeleteFunc(slices.Clone(m), func(r *row) bool { return r.at == one.at || r.clashes(one) })
	i := slices.IndexFunc(all, func(r *row) bool { return r.at > one.at })
	if i < 0 {
		i = len(all)
	}
	return slices.Insert(all, i, one)
}

// is reports whether any row has a property.
func (m mix) is(one how) bool {
	return slices.ContainsFunc(m, func(r *row) bool { return r.how.is(one) })
}

// made returns the request for an object that is made of the rows. A single row is described by its change.
func (m mix) made(c Case, o *Object) Call {
	call := Request(c, o)
	for _, r := range m {
		r.change(c, &call)
	}
	if o.Op.Deletes() && m.is(strays) { // it is unknown what such a request deletes, if it deletes anything
		call.Path, call.Object = idsOf(&call), nil
	}
	if len(m) > 1 {
		call.Sent = nil
		call.Note(finding.PlaceOf(finding.Class, m.names()), finding.Oddity(m.words()), "")
	}
	return call
}

// numbered replaces § in a text by a number that no other text of the run has, so that the text is recognised wherever
// it shows. It stands inside the text, which keeps its meaning: =1+4821345.
func numbered(c Case, text string) string {
	if !strings.Contains(text, "§") {
		return text
	}
	sum := fnv.New32()
	_, _ = sum.Write([]byte(unique(c))) // into memory
	const least, others = 1_000_000, 9_000_000
	return strings.Replace(text, "§", strconv.Itoa(least+int(sum.Sum32()%others)), 1)
}
