package reference

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/sethvargo/go-retry"
)

// errNotExist is the error of looking for an object that is not there.
var errNotExist = errors.New("no such object")

// store keeps the world in an SQL database. Everything is read and written in
// transactions; the queries are plain SQL with $1 parameters, the same for
// every database.
type store struct{ database }

// database is an open database and what a store has to know of its kind.
type database struct {
	name    string // as errors show it, without a password
	dialect goose.Dialect
	// Every transaction sees one state of the database: what was committed when
	// it began, and what it wrote itself.
	readers, writer *sql.DB
	isolation       sql.IsolationLevel
	// rowLock ends the query for a row that a write may change, up to the name of
	// its table: of two writes that get the row, one waits for the other, and
	// fails in passing if the other changed it. It is empty where a write has the
	// whole database to itself.
	rowLock string
	// passing says of the error of a transaction that nothing of it was kept and
	// that it may succeed if it is run again.
	passing  func(error) bool
	patience time.Duration // how long it is run again and again
	timeout  time.Duration // of a transaction with all its runs; 0 for none
	noNUL    bool          // a text cannot hold U+0000
}

// openStore opens the database that dsn names and brings its tables up to date.
func openStore(ctx context.Context, dsn string) (*store, error) {
	open := openSQLite
	switch scheme, _, isURL := strings.Cut(dsn, "://"); {
	case meansPostgres(dsn):
		open = openPostgres
	case isURL:
		return nil, fmt.Errorf("database %s://...: give postgres://..., the path of an SQLite file, or nothing for a database in memory", scheme)
	}
	db, err := open(ctx, dsn)
	if err != nil {
		return nil, err
	}
	s := &store{*db}
	if err := s.migrate(ctx); err != nil {
		s.close()
		return nil, fmt.Errorf("tables of the %s: %w", s.name, err)
	}
	return s, nil
}

func (d *database) close() error {
	if d.readers == d.writer {
		return d.writer.Close()
	}
	return errors.Join(d.readers.Close(), d.writer.Close())
}

// tx is a transaction.
type tx struct {
	ctx     context.Context
	sql     *sql.Tx
	rowLock string // empty in a read
}

// read runs do on a state of the world that does not change meanwhile. It may
// run it several times, of which the last one counts.
func (s *store) read(ctx context.Context, do func(*tx) error) error {
	return s.transaction(ctx, do, func(ctx context.Context) (*tx, error) {
		t, err := s.readers.BeginTx(ctx, &sql.TxOptions{Isolation: s.isolation, ReadOnly: true})
		return &tx{ctx, t, ""}, err
	})
}

// write runs do and keeps what it wrote, or nothing if it fails or panics. It
// may run it several times, of which the last one counts.
func (s *store) write(ctx context.Context, do func(*tx) error) error {
	return s.transaction(ctx, do, func(ctx context.Context) (*tx, error) {
		t, err := s.writer.BeginTx(ctx, &sql.TxOptions{Isolation: s.isolation})
		return &tx{ctx, t, s.rowLock}, err
	})
}

// A transaction that fails in passing is run again after a pause that doubles
// each time, within bounds and give or take some of it.
const (
	shortestPause = time.Millisecond
	longestPause  = 32 * time.Millisecond
	jitter        = 50 // per cent
)

// transaction is not ended by the request's context: whether a write is made
// should not hang on a client's patience, and an in-memory database would be
// lost with the connection that a cancelled query breaks.
func (s *store) transaction(ctx context.Context, do func(*tx) error, begin func(context.Context) (*tx, error)) error {
	ctx = context.WithoutCancel(ctx)
	if s.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.timeout)
		defer cancel()
	}
	pauses := retry.WithJitterPercent(jitter, retry.WithCappedDuration(longestPause, retry.NewExponential(shortestPause)))
	pauses = retry.WithMaxDuration(s.patience, pauses)
	return retry.Do(ctx, pauses, func(ctx context.Context) error {
		err := once(ctx, do, begin)
		if err != nil && s.passing(err) {
			return retry.RetryableError(err)
		}
		return err
	})
}

func once(ctx context.Context, do func(*tx) error, begin func(context.Context) (*tx, error)) error {
	t, err := begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = t.sql.Rollback() }()
	if err := do(t); err != nil {
		return err
	}
	return t.sql.Commit()
}

// user returns the user whose key's hash begins like this one, and the whole
// hash, or errNotExist. 64 of its bits are as good as unique.
func (s *store) user(ctx context.Context, keyHash string) (id int64, stored string, err error) {
	row := s.readers.QueryRowContext(context.WithoutCancel(ctx),
		`SELECT id, key_hash FROM users WHERE substr(key_hash, 1, 16) = $1`, keyHash[:16])
	err = row.Scan(&id, &stored)
	return id, stored, existing(err)
}

// row reads the one row of a query into dest, or returns errNotExist.
func (t *tx) row(query string, args []any, dest ...any) error {
	return existing(t.sql.QueryRowContext(t.ctx, query, args...).Scan(dest...))
}

// rowToChange is row for one that a write may change: of two such writes the
// later reads what the earlier wrote. The query ends with its WHERE clause; table
// is the name that it has in there.
func (t *tx) rowToChange(table, query string, args []any, dest ...any) error {
	if t.rowLock != "" {
		query += t.rowLock + table
	}
	return t.row(query, args, dest...)
}

func (t *tx) exec(query string, args ...any) error {
	_, err := t.sql.ExecContext(t.ctx, query, args...)
	return err
}

// nameTaken says whether another object of the user in the table has the name.
// Touching the user's row stands for taking a name: else two objects could be
// given the same one at once, each unseen by the other.
func (t *tx) nameTaken(table string, user, id int64, name string) (taken bool, err error) {
	if err := t.exec(`UPDATE users SET name = name WHERE id = $1`, user); err != nil {
		return false, err
	}
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
