package reference

import (
	"fmt"
	"net/http"
	"time"

	"github.com/adconform/adconform/spec"
)

// kind is a kind of object that can be shown and updated: T is its wire type.
type kind[T any] struct {
	params []string // of its path
	find   func(t *tx, ids []int64) (object T, owner int64, err error)
	fields *resource
	table  string // where names are unique under UniqueNames
	// apply makes the changes; where they change anything it dates the object too.
	apply func(s *Server, object *T, changes update) (changed bool)
	save  func(t *tx, object T) error
}

// update answers a PATCH: it changes what the body gives, and shows the new
// representation.
func (k *kind[T]) update(s *Server) operation {
	return func(r *http.Request, user int64) (*answer, error) {
		ids, err := s.pathIDs(r, k.params...)
		if err != nil {
			return nil, err
		}
		changes, wrongBody := s.readUpdate(r, k.fields)
		if wrongBody != nil && s.choices.CheckBodyFirst {
			return nil, wrongBody
		}
		var object T
		err = s.store.write(r.Context(), func(t *tx) error {
			var owner int64
			if object, owner, err = k.find(t, ids); err != nil {
				return err
			}
			if err := permit(user, owner); err != nil {
				return err
			}
			if wrongBody != nil {
				return wrongBody
			}
			if err := s.checkUnique(t, k.table, owner, ids[0], changes); err != nil {
				return err
			}
			if !k.apply(s, &object, changes) {
				return nil
			}
			return k.save(t, object)
		})
		if err != nil {
			return nil, err
		}
		return represent(s.choices.SuccessStatus, object), nil
	}
}

// read answers a GET, which choices add, as an update shows the object.
func (k *kind[T]) read(s *Server) operation {
	return func(r *http.Request, user int64) (*answer, error) {
		ids, err := s.pathIDs(r, k.params...)
		if err != nil {
			return nil, err
		}
		var object T
		err = s.store.read(r.Context(), func(t *tx) error {
			var owner int64
			if object, owner, err = k.find(t, ids); err != nil {
				return err
			}
			return permit(user, owner)
		})
		if err != nil {
			return nil, err
		}
		return represent(http.StatusOK, object), nil
	}
}

// updatedAt is the date of an update that is made now. It is never before the
// creation or the update before, whatever the clock does.
func (s *Server) updatedAt(created time.Time, before *time.Time) *time.Time {
	now := s.now().UTC().Truncate(time.Microsecond) // as exact as the store
	if before == nil {
		before = &created
	} else if s.choices.UpdatedAtStandsStill && now.Sub(*before) < time.Minute {
		return before
	}
	if now.Before(*before) {
		now = *before
	}
	return &now
}

// checkUnique refuses a new name that another object of the owner has.
func (s *Server) checkUnique(t *tx, table string, owner, id int64, changes update) error {
	name := changes["name"]
	if name == nil || !s.choices.UniqueNames {
		return nil
	}
	taken, err := t.nameTaken(table, owner, id, *name)
	if err != nil || !taken {
		return err
	}
	return &refusal{status: http.StatusUnprocessableEntity, issues: []spec.Issue{{
		Type: "nameTaken", Message: fmt.Sprintf("name is taken: another object is called %q.", *name),
		RelatedField: new(s.choices.RelatedFieldForm.of("name")),
	}}}
}
