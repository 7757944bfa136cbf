package reference

import "github.com/adconform/adconform/spec"

// campaigns can be given another name (interface document, Endpoints 3).
var campaigns = kind[spec.Campaign]{
	params: []string{"campaignId"},
	find: func(t *tx, ids []int64) (spec.Campaign, int64, error) {
		c, err := t.campaign(ids[0])
		return c, c.UserID, err
	},
	fields: campaignResource,
	table:  "campaigns",
	apply: func(s *Server, c *spec.Campaign, changes update) bool {
		old := *c
		if c.Name = changes.text("name", old.Name); *c == old {
			return false
		}
		c.UpdatedAt = *s.updatedAt(old.CreatedAt, &old.UpdatedAt)
		return true
	},
	save: (*tx).updateCampaign,
}
