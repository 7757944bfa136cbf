package reference

import (
	"net/http"

	"github.com/adconform/adconform/spec"
)

// updateCampaign changes the name of a campaign (interface document,
// Endpoints 3).
func (s *Server) updateCampaign(r *http.Request, user int64) (*answer, error) {
	id, err := s.pathID(r, "campaignId")
	if err != nil {
		return nil, err
	}
	changes, wrongBody := s.readUpdate(r, campaignResource)
	if wrongBody != nil && s.choices.CheckBodyFirst {
		return nil, wrongBody
	}
	var campaign spec.Campaign
	err = s.store.write(r.Context(), func(t *tx) error {
		old, err := t.campaign(id)
		if err != nil {
			return err
		}
		if err := permit(user, old.UserID); err != nil {
			return err
		}
		if wrongBody != nil {
			return wrongBody
		}
		if err := s.checkUnique(t, "campaigns", user, id, changes); err != nil {
			return err
		}
		campaign = old
		campaign.Name = changes.text("name", old.Name)
		if campaign == old {
			return nil
		}
		campaign.UpdatedAt = *s.updatedAt(old.CreatedAt, &old.UpdatedAt)
		return t.updateCampaign(campaign)
	})
	if err != nil {
		return nil, err
	}
	return represent(s.choices.SuccessStatus, campaign), nil
}
