package reference

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/adconform/adconform/fixtures"
)

// seed fills a database that has no users yet with a world; it leaves any other
// as it is. Of several servers that start on an empty database at once one fills
// it; the others fail at the first row that exists by then, all of them with it.
func (s *store) seed(ctx context.Context, w fixtures.World) error {
	err := s.write(ctx, func(t *tx) error {
		if filled, err := t.hasUsers(); err != nil || filled {
			return err
		}
		if len(w.Users) == 0 {
			return errors.New("the world has no users, so nobody could use the server; give a world such as fixtures.DefaultWorld()")
		}
		return t.insertWorld(w)
	})
	if err == nil {
		return nil
	}
	filled := false
	_ = s.read(ctx, func(t *tx) (err error) { // its error would hide the first
		filled, err = t.hasUsers()
		return err
	})
	if filled {
		return nil
	}
	return err
}

func (t *tx) hasUsers() (has bool, err error) {
	err = t.row(`SELECT COUNT(*) > 0 FROM users`, nil, &has)
	return has, err
}

func (t *tx) insertWorld(w fixtures.World) error {
	users := table{name: "users", columns: "id name key_hash"}
	for _, u := range w.Users {
		if u.Key == "" {
			return fmt.Errorf("user %d of the world has no key; give one", u.ID)
		}
		users.add(u.ID, u.Name, hashKey(u.Key))
	}

	profiles := table{name: "connection_profiles", columns: "" +
		"id user_id name created_at updated_at without_cookies_action with_cookies_action"}
	rules := table{name: "connection_profile_rules", columns: "" +
		"id connection_profile_id action type provider_id custom_name custom_description created_at updated_at"}
	hosts := table{name: "connection_profile_rule_hosts", columns: "" +
		"id connection_profile_rule_id hostname regular_expression created_at updated_at"}
	for _, p := range w.Profiles {
		profiles.add(p.ID, p.UserID, p.Name, date(p.CreatedAt), (*date)(p.UpdatedAt), p.WithoutCookiesAction, p.WithCookiesAction)
		for _, r := range p.Rules {
			rules.add(r.ID, p.ID, r.Action, r.Type, r.ProviderID, r.CustomName, r.CustomDescription, date(r.CreatedAt), (*date)(r.UpdatedAt))
			for _, h := range r.Hosts {
				hosts.add(h.ID, r.ID, h.Hostname, h.RegularExpression, date(h.CreatedAt), (*date)(h.UpdatedAt))
			}
		}
	}

	campaigns := table{name: "campaigns", columns: "id name created_at updated_at type share_url adspec_id user_id"}
	for _, c := range w.Campaigns {
		campaigns.add(c.ID, c.Name, date(c.CreatedAt), date(c.UpdatedAt), c.Type, c.ShareURL, c.AdspecID, c.UserID)
	}

	creatives := table{name: "creatives", columns: "id campaign_id name created_at updated_at parent_id source_type source_type_label " +
		"share_url live_preview_url preview_animation_url width height user_id nb_variations"}
	scans := table{name: "scans", columns: "creative_id id created_at updated_at finished_at sequence_type nb_issues processing_status"}
	for _, c := range w.Creatives {
		creatives.add(c.ID, c.CampaignID, c.Name, date(c.CreatedAt), date(c.UpdatedAt), c.ParentID, c.SourceType, c.SourceTypeLabel,
			c.ShareURL, c.LivePreviewURL, c.PreviewAnimationURL, c.Width, c.Height, c.UserID, c.NbVariations)
		if s := c.LatestScanStatus; s != nil {
			scans.add(c.ID, s.ID, date(s.CreatedAt), (*date)(s.UpdatedAt), (*date)(s.FinishedAt), s.SequenceType, s.NbIssues, s.ProcessingStatus)
		}
	}

	for _, rows := range []table{users, profiles, rules, hosts, campaigns, creatives, scans} {
		if err := t.insert(rows); err != nil {
			return err
		}
	}
	return nil
}

// table holds rows to insert.
type table struct {
	name    string
	columns string // names, separated by spaces; the first is the id
	rows    [][]any
}

func (t *table) add(values ...any) { t.rows = append(t.rows, values) }

// insert prepares the statement once: parsing it costs more than a row does.
func (t *tx) insert(into table) error {
	columns := strings.Fields(into.columns)
	places := make([]string, len(columns))
	for i := range places {
		places[i] = fmt.Sprintf("$%d", i+1)
	}
	statement, err := t.sql.PrepareContext(t.ctx, fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)",
		into.name, strings.Join(columns, ", "), strings.Join(places, ", ")))
	if err != nil {
		return err
	}
	defer statement.Close()
	for _, row := range into.rows {
		if _, err := statement.ExecContext(t.ctx, row...); err != nil {
			return fmt.Errorf("%s, id %v: %w", into.name, row[0], err)
		}
	}
	return nil
}
