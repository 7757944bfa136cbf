package reference

import (
	"fmt"
	"net/http"
	"time"

	"github.com/adconform/adconform/spec"
)

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
