package reference

import (
	"context"
	"fmt"
	"strings"
)

// Snapshot is what a server holds: by table and id ("campaigns 25") the values
// of the row, dates of updates left out. Two snapshots that are equal show that
// nothing was changed between them.
type Snapshot map[string]string

// Snapshot reads all that the server holds at one moment.
func (s *Server) Snapshot(ctx context.Context) (Snapshot, error) {
	all := Snapshot{}
	err := s.store.read(ctx, func(t *tx) error {
		for _, table := range []string{
			"users", "connection_profiles", "connection_profile_rules", "connection_profile_rule_hosts", "campaigns", "creatives",
		} {
			if err := t.snapshot(table, "id", all); err != nil {
				return fmt.Errorf("%s: %w", table, err)
			}
		}
		return t.snapshot("scans", "creative_id", all)
	})
	return all, err
}

func (t *tx) snapshot(table, key string, all Snapshot) error {
	rows, err := t.sql.QueryContext(t.ctx, "SELECT * FROM "+table)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	for rows.Next() {
		values, places := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			places[i] = &values[i]
		}
		if err := rows.Scan(places...); err != nil {
			return err
		}
		var id any
		var row []string
		for i, column := range columns {
			switch column {
			case key:
				id = values[i]
			case "updated_at":
			default:
				row = append(row, fmt.Sprintf("%s=%s", column, text(values[i])))
			}
		}
		all[fmt.Sprintf("%s %v", table, id)] = strings.Join(row, " ")
	}
	return rows.Err()
}

// text tells null from any text.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case []byte:
		return fmt.Sprintf("%q", v)
	case string:
		return fmt.Sprintf("%q", v)
	}
	return fmt.Sprint(v)
}
