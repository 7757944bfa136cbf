package reference

import (
	"net/http"

	"github.com/adconform/adconform/spec"
)

// updateConnectionProfile changes the name and the two default actions of a
// connection profile (interface document, Endpoints 1).
func (s *Server) updateConnectionProfile(r *http.Request, user int64) (*answer, error) {
	id, err := s.pathID(r, "connectionProfileId")
	if err != nil {
		return nil, err
	}
	changes, wrongBody := s.readUpdate(r, profileResource)
	if wrongBody != nil && s.choices.CheckBodyFirst {
		return nil, wrongBody
	}
	var profile spec.ConnectionProfile
	err = s.store.write(r.Context(), func(t *tx) error {
		old, owner, err := t.profile(id)
		if err != nil {
			return err
		}
		if err := permit(user, owner); err != nil {
			return err
		}
		if wrongBody != nil {
			return wrongBody
		}
		if err := s.checkUnique(t, "connection_profiles", owner, id, changes); err != nil {
			return err
		}
		profile = old
		profile.Name = changes.text("name", old.Name)
		profile.WithoutCookiesAction = spec.Action(changes.text("withoutCookiesAction", string(old.WithoutCookiesAction)))
		profile.WithCookiesAction = spec.Action(changes.text("withCookiesAction", string(old.WithCookiesAction)))
		if profile == old {
			return nil
		}
		profile.UpdatedAt = s.updatedAt(old.CreatedAt, old.UpdatedAt)
		return t.updateProfile(profile)
	})
	if err != nil {
		return nil, err
	}
	return represent(s.choices.SuccessStatus, profile), nil
}
