package reference

import "github.com/adconform/adconform/spec"

// campaign returns a campaign, or errNotExist.
func (t *tx) campaign(id int64) (c spec.Campaign, err error) {
	err = t.rowToChange("campaigns", `
		SELECT id, name, created_at, updated_at, type, share_url, adspec_id, user_id
		FROM campaigns
		WHERE id = $1`, []any{id},
		&c.ID, &c.Name, (*date)(&c.CreatedAt), (*date)(&c.UpdatedAt), &c.Type, &c.ShareURL, &c.AdspecID, &c.UserID)
	return c, err
}

func (t *tx) updateCampaign(c spec.Campaign) error {
	return t.exec(`UPDATE campaigns SET name = $2, updated_at = $3 WHERE id = $1`, c.ID, c.Name, date(c.UpdatedAt))
}
