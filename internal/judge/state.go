package judge

import (
	"cmp"
	"slices"
	"sync"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
)

// State is what is known about a target from the cases of one chain. Chains that run at the same time have states of
// their own, so that a run finds the same however many workers it has.
type State struct {
	ModelOptions

	Order    []*Object               // in the order of their first use
	Surveyed map[string]bool         // operations for which the ways of asking are known
	issues   map[oracle.Issue]string // issues about a field that was wrong, with the first case that got them
	Sequence *Sequence
	named    []fixtures.Named // in the target file
	madeUp   func() []spec.ID // see madeUpIDs
}

// New returns a state in which nothing is known about the target.
func New(o ModelOptions) *State {
	s := &State{
		ModelOptions: o, Surveyed: map[string]bool{},
		issues: map[oracle.Issue]string{}, Sequence: ownSequence(&o),
		named: o.Target.Named(),
	}
	s.madeUp = sync.OnceValue(s.madeUpIDs)
	return s
}

// Join adds what is known in other states, which may not be used any more.
func (s *State) Join(others ...*State) {
	for _, o := range others {
		isUsed := func(o *Object) bool {
			return s.Used(o.Op, o.Key) != nil
		}
		s.Order = append(s.Order, slices.DeleteFunc(slices.Clone(o.Order), isUsed)...)
		add(s.Surveyed, o.Surveyed)
		s.Sequence.join(o.Sequence)
		o.Sequence = s.Sequence
	}
}

// add copies the missing entries of a map.
func add[K comparable, V any](to, from map[K]V) {
	for k, v := range from {
		if _, known := to[k]; !known {
			to[k] = v
		}
	}
}

// Owner returns the credential of the user whose objects are tested.
func (s *State) Owner() wire.Credential {
	return s.user(OwnerName, s.Target.Credentials.Owner)
}

// Stranger returns the credential of a user without permission for the owner's objects.
func (s *State) Stranger() wire.Credential {
	return s.user(StrangerName, s.Target.Credentials.Stranger)
}

// user returns the credential of a user whose first key this is, with the newest one.
func (s *State) user(name, key string) wire.Credential {
	if s.Key != nil {
		key = cmp.Or(s.Key(name), key)
	}
	return wire.Credential{Name: name, Value: key, Send: true}
}

// OwnerName is the name of the owner's credential.
const OwnerName = "owner"

// StrangerName is the name of the stranger's credential.
const StrangerName = "stranger"

// A Thing identifies an object for all operations.
type Thing struct {
	Kind string
	ID   spec.ID
}

// Thing returns what identifies the object for all operations.
func (o *Object) Thing() Thing {
	return Thing{fixtures.KindOf(o.Op.Key()), o.ID()}
}

// topID is above the ids that the suite makes up: the largest of 31 bits.
const topID = 1<<31 - 1

// UnknownID returns an id for the path of an operation at position i that no object has, another one for each n: an
// integer just below 2^31, or a text like those in the target file.
func (s *State) UnknownID(op *spec.Operation, i, n int) spec.ID {
	param := op.Params[i]
	kind := fixtures.KindOf(param.Object)
	isText := false // numbers in quotes may be read as numbers
	var ids []spec.ID
	for _, named := range s.Target.Named() {
		if named.Kind == kind && named.ID != "" {
			ids = append(ids, named.ID)
			if _, isInteger := named.ID.Integer(); !isInteger {
				isText = true
			}
		}
	}
	if mayBeText := isText || len(ids) == 0; mayBeText && param.HasTexts() {
		return fixtures.Unknown(ids, param.IDs().Format == "uuid", s.Seed, n)
	}
	return spec.Decimal(topID - int64(s.Seed%97)*10 - int64(n) - 1)
}
