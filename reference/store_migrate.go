package reference

import (
	"context"
	"database/sql"
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
	scripts, err := readMigrations()
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(s.dialect, s.writer, nil, goose.WithDisableGlobalRegistry(true), goose.WithGoMigrations(scripts...))
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
		err = fmt.Errorf("they are of version %d, newer than the %d that this adconform knows; "+
			"use a newer adconform or another database", current, known)
	}
	return err
}

// readMigrations reads the scripts, which have the number of their version in the
// name. goose could read them itself, with 4 MiB for each of them to do so: then
// the start of the server would be most of the memory of a run.
func readMigrations() (all []*goose.Migration, err error) {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		version, err := goose.NumericComponent(name)
		if err != nil {
			return nil, err
		}
		script, err := migrations.ReadFile(name)
		if err != nil {
			return nil, err
		}
		run := func(ctx context.Context, t *sql.Tx) error {
			_, err := t.ExecContext(ctx, string(script))
			return err
		}
		all = append(all, goose.NewGoMigration(version, &goose.GoFunc{RunTx: run}, nil))
	}
	return all, nil
}
