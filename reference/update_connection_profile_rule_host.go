package reference

import (
	"net/http"

	"github.com/adconform/adconform/spec"
)

// updateConnectionProfileRuleHost changes the hostname and the URL matching
// regex of a host. The rule in the path has to be the profile's and the host
// the rule's (interface document, Endpoints 2).
func (s *Server) updateConnectionProfileRuleHost(r *http.Request, user int64) (*answer, error) {
	ids, err := s.pathIDs(r, "connectionProfileId", "connectionProfileRuleId", "connectionProfileRuleHostId")
	if err != nil {
		return nil, err
	}
	changes, wrongBody := s.readUpdate(r, ruleHostResource)
	if wrongBody != nil && s.choices.CheckBodyFirst {
		return nil, wrongBody
	}
	var host spec.ConnectionProfileRuleHost
	err = s.store.write(r.Context(), func(t *tx) error {
		old, owner, err := t.ruleHost(ids[0], ids[1], ids[2])
		if err != nil {
			return err
		}
		if err := permit(user, owner); err != nil {
			return err
		}
		if wrongBody != nil {
			return wrongBody
		}
		host = old
		host.Hostname = changes.text("hostname", old.Hostname)
		host.RegularExpression = changes.optional("regularExpression", old.RegularExpression)
		if host.Hostname == old.Hostname && sameText(host.RegularExpression, old.RegularExpression) {
			return nil
		}
		host.UpdatedAt = s.updatedAt(old.CreatedAt, old.UpdatedAt)
		return t.updateRuleHost(host)
	})
	if err != nil {
		return nil, err
	}
	return represent(s.choices.SuccessStatus, host), nil
}

func sameText(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
