package reference

import (
	"net/http"

	"github.com/adconform/adconform/spec"
)

// The reads that ReadCampaign and ReadAll add are outside the five operations.

// readCampaign shows a campaign as an update does.
func (s *Server) readCampaign(r *http.Request, user int64) (*answer, error) {
	return read(s, r, user, []string{"campaignId"}, func(t *tx, ids []int64) (spec.Campaign, int64, error) {
		c, err := t.campaign(ids[0])
		return c, c.UserID, err
	})
}

// readConnectionProfile shows a connection profile as an update does.
func (s *Server) readConnectionProfile(r *http.Request, user int64) (*answer, error) {
	return read(s, r, user, []string{"connectionProfileId"}, func(t *tx, ids []int64) (spec.ConnectionProfile, int64, error) {
		return t.profile(ids[0])
	})
}

// readConnectionProfileRuleHost shows a host as an update does.
func (s *Server) readConnectionProfileRuleHost(r *http.Request, user int64) (*answer, error) {
	names := []string{"connectionProfileId", "connectionProfileRuleId", "connectionProfileRuleHostId"}
	return read(s, r, user, names, func(t *tx, ids []int64) (spec.ConnectionProfileRuleHost, int64, error) {
		return t.ruleHost(ids[0], ids[1], ids[2])
	})
}

// read shows the object that find returns with its owner.
func read[T any](s *Server, r *http.Request, user int64, names []string, find func(*tx, []int64) (T, int64, error)) (*answer, error) {
	ids, err := s.pathIDs(r, names...)
	if err != nil {
		return nil, err
	}
	var object T
	err = s.store.read(r.Context(), func(t *tx) error {
		var owner int64
		if object, owner, err = find(t, ids); err != nil {
			return err
		}
		return permit(user, owner)
	})
	if err != nil {
		return nil, err
	}
	return represent(http.StatusOK, object), nil
}
