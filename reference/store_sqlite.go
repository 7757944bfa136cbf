package reference

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"strings"

	_ "modernc.org/sqlite" // registers the driver
)

// openSQLite opens a file, or a new database in memory when dsn is empty.
// Nothing outside this file knows which database it is.
func openSQLite(ctx context.Context, dsn string) (*sql.DB, error) {
	if scheme, _, found := strings.Cut(dsn, "://"); found {
		return nil, fmt.Errorf("database %s://...: only SQLite is supported; give the path of a file, or nothing for a database in memory", scheme)
	}
	// A write takes the lock when it begins (immediate): one that read first and
	// then asked for it could only fail.
	settings := url.Values{
		"_txlock": {"immediate"},
		"_pragma": {"busy_timeout(5000)", "foreign_keys(1)"},
	}
	location := ":memory:"
	if dsn != "" {
		location = (&url.URL{Path: dsn}).EscapedPath()
		settings.Add("_pragma", "journal_mode(wal)") // readers and the writer do not wait for each other
	}
	db, err := sql.Open("sqlite", "file:"+location+"?"+settings.Encode())
	if err != nil {
		return nil, err
	}
	if dsn == "" {
		db.SetMaxOpenConns(1) // each connection would be a database of its own
	}
	if err := db.PingContext(ctx); err != nil {
		db.Close()
		return nil, fmt.Errorf("database file %s: %w; check the path and its permissions", dsn, err)
	}
	return db, nil
}
