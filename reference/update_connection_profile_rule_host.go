package reference

import "github.com/adconform/adconform/spec"

// ruleHosts can be given another hostname and URL matching regex. The rule in the path
// has to be the profile's and the host the rule's (interface document, Endpoints 2).
var ruleHosts = kind[spec.ConnectionProfileRuleHost]{
	params: []string{"connectionProfileId", "connectionProfileRuleId", "connectionProfileRuleHostId"},
	find: func(t *tx, ids []int64) (spec.ConnectionProfileRuleHost, int64, error) {
		return t.ruleHost(ids[0], ids[1], ids[2])
	},
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
	save: (*tx).updateRuleHost,
}

func sameText(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
