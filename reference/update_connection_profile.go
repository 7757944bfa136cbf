package reference

import "github.com/adconform/adconform/spec"

// profiles can be given another name and other default actions (interface document,
// Endpoints 1).
var profiles = kind[spec.ConnectionProfile]{
	params: []string{"connectionProfileId"},
	find:   func(t *tx, ids []int64) (spec.ConnectionProfile, int64, error) { return t.profile(ids[0]) },
	fields: profileResource,
	table:  "connection_profiles",
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
	save: (*tx).updateProfile,
}
