package reference

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"

	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
)

// maxReaders is how many reads of an SQLite file may go on at once; a further
// one waits.
const maxReaders = 8

// openSQLite opens a file, or a new database in memory when path is empty.
func openSQLite(ctx context.Context, path string) (*database, error) {
	d := &database{
		name:    "database in memory",
		dialect: goose.DialectSQLite3,
		passing: func(error) bool { return false }, // a transaction waits for its turn
	}
	var err error
	if path == "" {
		if d.writer, err = openSQLiteAt(":memory:"); err != nil {
			return nil, err
		}
		d.writer.SetMaxOpenConns(1) // each connection would be a database of its own
		d.readers = d.writer
		return d, nil
	}

	d.name = "database file " + path
	escaped := (&url.URL{Path: path}).EscapedPath()
	// Readers and the writer do not wait for each other (WAL). A commit is on the
	// disk before it is answered (synchronous=full, the default, said for clarity).
	if d.writer, err = openSQLiteAt(escaped, "journal_mode(wal)", "synchronous(full)"); err != nil {
		return nil, err
	}
	if d.readers, err = openSQLiteAt(escaped, "query_only(1)"); err != nil {
		return nil, err
	}
	d.writer.SetMaxOpenConns(1) // writes queue here, in order; SQLite's own lock is polled
	d.readers.SetMaxOpenConns(maxReaders)
	d.readers.SetMaxIdleConns(maxReaders)
	if err := d.writer.PingContext(ctx); err != nil {
		d.close()
		return nil, fmt.Errorf("%s: %w; check the path and its permissions", d.name, err)
	}
	return d, nil
}

// openSQLiteAt opens a file, or memory. A write takes the lock when it begins
// (immediate): one that read first and then asked for it could only fail.
// Another process may hold it for a while.
func openSQLiteAt(escapedPath string, pragmas ...string) (*sql.DB, error) {
	settings := url.Values{
		"_txlock": {"immediate"},
		"_pragma": append([]string{"busy_timeout(5000)", "foreign_keys(1)"}, pragmas...),
	}
	connector, err := sqlite.NewConnector("file:" + escapedPath + "?" + settings.Encode())
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}
