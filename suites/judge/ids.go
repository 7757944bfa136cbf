package judge

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
)

// Thing is an object, whatever operation names it.
type Thing struct {
	Kind string
	ID   int64
}

// Things are the objects that a path names, the last its own.
func (o *Object) Things() []Thing {
	var all []Thing
	for i, p := range o.Op.Params {
		all = append(all, Thing{fixtures.KindOf(p.Object), o.IDs[i]})
	}
	return all
}

// Thing is the object, whatever operation names it.
func (o *Object) Thing() Thing {
	return Thing{fixtures.KindOf(o.Op.Key()), o.ID()}
}

// UnknownID is an id just below 2^31 that no object has; n tells several apart.
func (s *State) UnknownID(n int) string { return fmt.Sprint(s.unknownID(n)) }

func (s *State) unknownID(n int) int64 {
	const top = 1<<31 - 1
	return top - int64(s.Seed%97)*10 - int64(n) - 1
}

// OperationAt is the operation of a path, whatever the method.
func (s *State) OperationAt(path string) (*spec.Operation, []string) {
	for _, op := range s.Contract.Operations {
		if ids, ok := op.Match(path); ok {
			return op, ids
		}
	}
	return nil, nil
}

// OddID is the first id in the path that names no object of the owner's there. Which ids
// others use is not known, so of what they recorded the size of an id says nothing.
func (s *State) OddID(op *spec.Operation, ids []string, recorded bool) *oracle.Sent {
	for i, p := range op.Params {
		id := ids[i]
		if plain, err := url.PathUnescape(id); err == nil {
			id = plain
		}
		if what := s.idWords(op, ids, i, id, recorded); what != "" {
			return &oracle.Sent{At: "path:" + p.Name, What: what, Value: id}
		}
	}
	return nil
}

// OthersID are the words for an id of the stranger's.
const OthersID = "the id of another user's object"

// unknownRange is how far below 2^31 the ids begin that nobody has, see UnknownID.
const unknownRange = 2000

// idWords say what is wrong with the id at a place of a path; "" for nothing.
func (s *State) idWords(op *spec.Operation, path []string, i int, id string, recorded bool) string {
	n, err := strconv.ParseInt(id, 10, 64)
	key := op.Params[i].Object
	// An id is unique among those of a kind, and may be of any size.
	named := func(among []*Object, foreign bool) bool {
		return slices.ContainsFunc(among, func(o *Object) bool {
			return o.Foreign == foreign && i < len(o.IDs) && o.IDs[i] == n && o.Op.Params[i].Name == op.Params[i].Name
		})
	}
	switch {
	case err != nil || n <= 0 || fmt.Sprint(n) != id:
		return "a malformed id"
	case i == len(op.Params)-1 && named(s.Deletes, false):
		return "the id of what was deleted"
	case len(op.Params) > 1 && n == s.Lookup(spec.Other(key)) && !s.isPathOf(op, spec.Other(op.Key()), path):
		return "an id that belongs elsewhere"
	case recorded, named(s.Order, false):
		return ""
	case named(s.Order, true):
		return OthersID
	case n >= 1<<32:
		return "an id beyond 32 bits"
	case n > 1<<31-unknownRange && n < 1<<31:
		return "an unknown id"
	}
	return ""
}

// isPathOf says whether ids are those by which the path names the object under a key.
func (s *State) isPathOf(op *spec.Operation, key string, path []string) bool {
	ids, _ := s.PathIDs(op, key)
	return slices.EqualFunc(ids, path, func(id int64, text string) bool { return fmt.Sprint(id) == text })
}
