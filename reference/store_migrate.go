package reference

import (
	"context"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrate brings the tables to the version that this program knows. Each step
// is a transaction with the number of its version, so that of several servers
// that start on a new database at once one makes the step; the others fail at
// what exists by then, and find it made when they look again.
func (s *store) migrate(ctx context.Context) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(s.dialect, s.writer, files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	steps := len(provider.ListSources()) + 1 // and the table of versions itself
	for range steps {
		if _, err = provider.Up(ctx); err == nil {
			break
		}
	}
	if err != nil {
		return err
	}
	current, known, err := provider.GetVersions(ctx)
	if err == nil && current > known {
		err = fmt.Errorf("they are of version %d, newer than the %d that this adconform knows; use a newer adconform or another database", current, known)
	}
	return err
}
