package judge

import (
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/model"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
)

// Right returns which answers to a call are right by the document, whatever its case expects. r is the request of the
// call.
func (s *State) Right(c *Call, r *wire.Request) model.Allowed {
	w := s.World(c.Object)
	switch r.Credential.Name { // whose key may have been renewed since
	case OwnerName:
		w.Users[r.Credential.Value] = model.Owner
	case StrangerName:
		w.Users[r.Credential.Value] = model.Stranger
	}
	return w.Right(s.OnWire(c, r))
}

// World returns what is known of the target when a request to an object is sent; nil for no object.
func (s *State) World(to *Object) *model.World {
	return &model.World{
		Contract: s.Contract, Target: s.Target, Named: s.named, Existence: s.existence,
		Users: map[string]model.User{
			s.Owner().Value:    model.Owner,
			s.Stranger().Value: model.Stranger,
		},
		Unique: func(text string) bool {
			var at Thing
			if to != nil {
				at = to.Thing()
			}
			isOurs := len(fixtures.Tokens(strings.ToLower(text))) > 0
			return isOurs && !s.Sequence.IsSentElsewhere(at.Kind, at.ID, text)
		},
	}
}

// existence returns what is known of an id, and whether that is more than the target file says.
func (s *State) existence(kind string, id spec.ID) (model.Existence, bool) {
	for _, o := range s.Order {
		if o.ID() == "" || o.Thing() != (Thing{kind, id}) {
			continue
		}
		switch {
		case o.Removed():
			return model.Deleted, true
		case o.Deleted(), o.Uncertain() && o.Op.Deletes():
			return model.Unclear, true
		case o.Op.Lists() && s.KnownEmpty(o):
			return model.Empty, true
		}
	}
	return model.Absent, s.isMadeUp(id)
}

// isMadeUp reports whether an id is one that UnknownID returns, or has more than 31 bits: no target is so full.
func (s *State) isMadeUp(id spec.ID) bool {
	n, isInteger := id.Integer()
	last := topID - int64(s.Seed%97)*10 - 1
	if isInteger {
		return n <= last && n > last-mostMadeUp || n > topID
	}
	return slices.Contains(s.madeUp(), id)
}

// mostMadeUp is how many ids the suite makes up for an operation.
const mostMadeUp = 20

// madeUpIDs returns the ids that UnknownID returns.
func (s *State) madeUpIDs() (all []spec.ID) {
	for _, op := range s.Contract.Operations {
		for i := range op.Params {
			for n := range mostMadeUp {
				all = append(all, s.UnknownID(op, i, n))
			}
		}
	}
	return all
}

// OnWire returns the request of a call as it is on the wire.
func (s *State) OnWire(c *Call, r *wire.Request) model.Request {
	sent, malformed := r.OnWire(s.Target)
	return model.Request{
		Method: sent.Method, Path: sent.Path, Proto: sent.Proto,
		Header: sent.Header, Body: sent.Body,
		Halved: c.Halved, Malformed: c.Malformed || malformed,
	}
}
