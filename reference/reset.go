package reference

import (
	"context"
	"fmt"

	"github.com/adconform/adconform/fixtures"
)

// Reset empties the database and fills it with a world, in one step: requests
// see the old world or the new one. After an error the old one is still there.
func (s *Server) Reset(ctx context.Context, w fixtures.World) error {
	err := s.store.write(ctx, func(t *tx) error {
		for _, name := range []string{ // before what they refer to
			"scans", "creatives", "campaigns", "connection_profile_rule_hosts", "connection_profile_rules", "connection_profiles", "users",
		} {
			if err := t.exec("DELETE FROM " + name); err != nil {
				return fmt.Errorf("emptying %s: %w", name, err)
			}
		}
		return t.insertWorld(w)
	})
	if err != nil {
		s.log.ErrorContext(ctx, "reset failed", "error", err)
	}
	return err
}

// Healthy returns an error when the database cannot be read.
func (s *Server) Healthy(ctx context.Context) error {
	return s.store.read(ctx, func(t *tx) error {
		var users int64
		return t.row(`SELECT COUNT(*) FROM users`, nil, &users)
	})
}
