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
	path   []string // the kinds that they name
	fields *resource
	// apply makes the changes; where they change anything it dates the object too.
	apply func(s *Server, object *T, changes update) (changed bool)
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
		var value T
		err = s.store.transaction(func(t *tx) error {
			at, found, err := t.find(k.path, ids)
			if err != nil {
				return err
			}
			if err := permit(user, found.Owner); err != nil {
				return err
			}
			if wrongBody != nil {
				return wrongBody
			}
			if err := s.checkUnique(t, at, found.Owner, changes); err != nil {
				return err
			}
			value = found.Value.(T)
			if k.apply(s, &value, changes) {
				t.changes[at] = &object{found.Owner, found.Parent, value}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		return represent(s.choices.SuccessStatus, value), nil
	}
}

// read answers a GET, which choices add, as an update shows the object.
func (k *kind[T]) read(s *Server) operation {
	return func(r *http.Request, user int64) (*answer, error) {
		ids, err := s.pathIDs(r, k.params...)
		if err != nil {
			return nil, err
		}
		var found *object
		err = s.store.transaction(func(t *tx) error {
			if _, found, err = t.find(k.path, ids); err != nil {
				return err
			}
			return permit(user, found.Owner)
		})
		if err != nil {
			return nil, err
		}
		return represent(http.StatusOK, found.Value.(T)), nil
	}
}

// updatedAt is the date of an update that is made now. It is never before the
// creation or the update before, whatever the clock does.
func (s *Server) updatedAt(created time.Time, before *time.Time) *time.Time {
	now := s.now().UTC().Truncate(time.Microsecond)
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
func (s *Server) checkUnique(t *tx, at key, owner int64, changes update) error {
	name := changes["name"]
	if name == nil || !s.choices.UniqueNames || !t.nameTaken(at, owner, *name) {
		return nil
	}
	return &refusal{status: http.StatusUnprocessableEntity, issues: []spec.Issue{{
		Type: "nameTaken", Message: fmt.Sprintf("name is taken: another object is called %q.", *name),
		RelatedField: new(s.choices.RelatedFieldForm.of("name")),
	}}}
}

// profiles can be given another name and other default actions (interface document,
// Endpoints 1).
var profiles = kind[spec.ConnectionProfile]{
	params: []string{"connectionProfileId"},
	path:   []string{profileKind},
	fields: profileResource,
	apply: func(s *Server, p *spec.ConnectionProfile, changes update) bool {
		old := *p
		p.Name = changes.text("name", old.Name)
		p.WithoutCookiesAction = spec.Action(changes.text("withoutCookiesAction", string(old.WithoutCookiesAction)))
		p.WithCookiesAction = spec.Action(changes.text("withCookiesAction", string(old.WithCookiesAction)))
		if *p == old {
			return false
		}
		p.UpdatedAt = s.updatedAt(old.CreatedAt, old.UpdatedAt)
		return true
	},
}

// ruleHosts can be given another hostname and URL matching regex. The rule in the path
// has to be the profile's and the host the rule's (interface document, Endpoints 2).
var ruleHosts = kind[spec.ConnectionProfileRuleHost]{
	params: []string{"connectionProfileId", "connectionProfileRuleId", "connectionProfileRuleHostId"},
	path:   []string{profileKind, ruleKind, hostKind},
	fields: ruleHostResource,
	apply: func(s *Server, h *spec.ConnectionProfileRuleHost, changes update) bool {
		old := *h
		h.Hostname = changes.text("hostname", old.Hostname)
		h.RegularExpression = changes.optional("regularExpression", old.RegularExpression)
		if h.Hostname == old.Hostname && sameText(h.RegularExpression, old.RegularExpression) {
			return false
		}
		h.UpdatedAt = s.updatedAt(old.CreatedAt, old.UpdatedAt)
		return true
	},
}

func sameText(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// campaigns can be given another name (interface document, Endpoints 3).
var campaigns = kind[spec.Campaign]{
	params: []string{"campaignId"},
	path:   []string{campaignKind},
	fields: campaignResource,
	apply: func(s *Server, c *spec.Campaign, changes update) bool {
		old := *c
		if c.Name = changes.text("name", old.Name); *c == old {
			return false
		}
		c.UpdatedAt = *s.updatedAt(old.CreatedAt, &old.UpdatedAt)
		return true
	},
}
