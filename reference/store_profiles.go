package reference

import "github.com/adconform/adconform/spec"

// profile returns a connection profile and its owner, or errNotExist.
func (t *tx) profile(id int64) (p spec.ConnectionProfile, owner int64, err error) {
	err = t.rowToChange("connection_profiles", `
		SELECT user_id, id, name, created_at, updated_at, without_cookies_action, with_cookies_action
		FROM connection_profiles
		WHERE id = $1`, []any{id},
		&owner, &p.ID, &p.Name, (*date)(&p.CreatedAt), nullDate{&p.UpdatedAt}, &p.WithoutCookiesAction, &p.WithCookiesAction)
	return p, owner, err
}

func (t *tx) updateProfile(p spec.ConnectionProfile) error {
	return t.exec(`
		UPDATE connection_profiles
		SET name = $2, without_cookies_action = $3, with_cookies_action = $4, updated_at = $5
		WHERE id = $1`,
		p.ID, p.Name, p.WithoutCookiesAction, p.WithCookiesAction, (*date)(p.UpdatedAt))
}

// ruleHost returns a host and the owner of its profile. It is errNotExist too
// when the rule is not the profile's or the host not the rule's.
func (t *tx) ruleHost(profileID, ruleID, hostID int64) (h spec.ConnectionProfileRuleHost, owner int64, err error) {
	err = t.rowToChange("h", `
		SELECT p.user_id, h.id, h.hostname, h.regular_expression, h.created_at, h.updated_at
		FROM connection_profile_rule_hosts h
		JOIN connection_profile_rules r ON r.id = h.connection_profile_rule_id
		JOIN connection_profiles p ON p.id = r.connection_profile_id
		WHERE p.id = $1 AND r.id = $2 AND h.id = $3`, []any{profileID, ruleID, hostID},
		&owner, &h.ID, &h.Hostname, &h.RegularExpression, (*date)(&h.CreatedAt), nullDate{&h.UpdatedAt})
	return h, owner, err
}

func (t *tx) updateRuleHost(h spec.ConnectionProfileRuleHost) error {
	return t.exec(`
		UPDATE connection_profile_rule_hosts
		SET hostname = $2, regular_expression = $3, updated_at = $4
		WHERE id = $1`,
		h.ID, h.Hostname, h.RegularExpression, (*date)(h.UpdatedAt))
}
