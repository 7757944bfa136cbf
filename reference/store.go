package reference

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

// errNotExist is the error of looking for an object that is not there.
var errNotExist = errors.New("no such object")

//go:embed migrations/*.sql
var migrations embed.FS

// store keeps the world in an SQL database. Everything is read and written in
// transactions; the queries are plain SQL with $1 parameters.
type store struct{ db *sql.DB }

// openStore opens the database and brings its tables up to date.
func openStore(ctx context.Context, dsn string) (*store, error) {
	db, err := openSQLite(ctx, dsn)
	if err != nil {
		return nil, err
	}
	if err := migrate(ctx, db); err != nil {
		db.Close()
		return nil, fmt.Errorf("tables of the database: %w", err)
	}
	return &store{db}, nil
}

func migrate(ctx context.Context, db *sql.DB) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	_, err = provider.Up(ctx)
	return err
}

func (s *store) close() error { return s.db.Close() }

// tx is a transaction.
type tx struct {
	ctx context.Context
	sql *sql.Tx
}

// read runs do on a state of the world that does not change meanwhile.
func (s *store) read(ctx context.Context, do func(*tx) error) error {
	return s.transaction(ctx, &sql.TxOptions{ReadOnly: true}, do)
}

// write runs do and keeps what it wrote, or nothing if it fails or panics.
func (s *store) write(ctx context.Context, do func(*tx) error) error {
	return s.transaction(ctx, nil, do)
}

// transaction is not ended by the request's context: whether a write is made
// should not hang on a client's patience, and an in-memory database would be
// lost with the connection that a cancelled query breaks.
func (s *store) transaction(ctx context.Context, options *sql.TxOptions, do func(*tx) error) error {
	ctx = context.WithoutCancel(ctx)
	t, err := s.db.BeginTx(ctx, options)
	if err != nil {
		return err
	}
	defer func() { _ = t.Rollback() }()
	if err := do(&tx{ctx, t}); err != nil {
		return err
	}
	return t.Commit()
}

// user returns the user whose key's hash begins like this one, and the whole
// hash, or errNotExist. 64 of its bits are as good as unique.
func (s *store) user(ctx context.Context, keyHash string) (id int64, stored string, err error) {
	err = s.db.QueryRowContext(context.WithoutCancel(ctx), `SELECT id, key_hash FROM users WHERE substr(key_hash, 1, 16) = $1`, keyHash[:16]).Scan(&id, &stored)
	return id, stored, existing(err)
}

// row reads the one row of a query into dest, or returns errNotExist.
func (t *tx) row(query string, args []any, dest ...any) error {
	return existing(t.sql.QueryRowContext(t.ctx, query, args...).Scan(dest...))
}

func (t *tx) exec(query string, args ...any) error {
	_, err := t.sql.ExecContext(t.ctx, query, args...)
	return err
}

// nameTaken says whether another object of the user in the table has the name.
func (t *tx) nameTaken(table string, user, id int64, name string) (taken bool, err error) {
	query := fmt.Sprintf(`SELECT COUNT(*) > 0 FROM %s WHERE user_id = $1 AND id <> $2 AND name = $3`, table)
	err = t.row(query, []any{user, id, name}, &taken)
	return taken, err
}

func existing(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return errNotExist
	}
	return err
}
