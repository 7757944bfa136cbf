package reference

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

const (
	maxConnections     = 16 // of one server; PostgreSQL allows 100 in all unless told otherwise
	connectTimeout     = 10 * time.Second
	patience           = 10 * time.Second
	transactionTimeout = 20 * time.Second
)

// openPostgres opens a PostgreSQL database, or one that speaks its protocol and
// these parts of its SQL:
//
//   - transactions are REPEATABLE READ (snapshot isolation) or stricter, and see
//     every write that was committed before they began: a list fits its counts, on
//     whatever server its items were deleted;
//   - a write locks the row that it is about with SELECT ... FOR UPDATE, so that
//     the changes of an object come one after the other;
//   - a transaction that comes too late for its state of the database fails with
//     40001 (serialization failure) or 40P01 (deadlock), and is run again.
//
// Errors never show the password.
func openPostgres(ctx context.Context, dsn string) (*database, error) {
	name, secrets, err := postgresName(dsn)
	if err != nil {
		return nil, err
	}
	failed := func(err error) error { return fmt.Errorf("%s: %w", name, postgresCause(err, secrets)) }
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		if cause := errors.Unwrap(err); cause != nil { // err itself shows the URL
			err = cause
		}
		return nil, failed(err)
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	db := stdlib.OpenDB(*config)
	db.SetMaxOpenConns(maxConnections)
	db.SetMaxIdleConns(maxConnections)
	var encoding string
	if err := db.QueryRowContext(ctx, `SHOW server_encoding`).Scan(&encoding); err != nil {
		db.Close()
		return nil, failed(err)
	}
	if encoding != "UTF8" {
		db.Close()
		return nil, failed(fmt.Errorf("its encoding is %s; create it with ENCODING 'UTF8'", encoding))
	}
	return &database{
		name:      name,
		dialect:   goose.DialectPostgres,
		readers:   db,
		writer:    db,
		isolation: sql.LevelRepeatableRead,
		rowLock:   " FOR UPDATE OF ",
		passing:   passingInPostgres,
		patience:  patience,
		timeout:   transactionTimeout,
		noNUL:     true,
	}, nil
}

// meansPostgres says whether dsn is the URL of a PostgreSQL database or looks
// like a slip in writing one, which shall not make a file of its name.
func meansPostgres(dsn string) bool {
	scheme, _, _ := strings.Cut(dsn, ":")
	return scheme == "postgres" || scheme == "postgresql" || keywords.MatchString(dsn) && !strings.Contains(dsn, "://")
}

// keywords are those with which a connection string of libpq begins or goes on.
var keywords = regexp.MustCompile(`(?:^|\s)(?:host|hostaddr|port|dbname|user|password|service|sslmode)\s*=`)

func passingInPostgres(err error) bool {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code == "40001" || e.Code == "40P01"
	}
	return pgconn.SafeToRetry(err) // nothing was sent
}

// postgresName is how errors call the database of a URL, and what of the URL no
// error may show. A URL that is malformed is not shown at all: where its
// password ends is anyone's guess.
func postgresName(dsn string) (name string, secrets []string, err error) {
	u, err := url.Parse(dsn)
	if err != nil || !strings.Contains(dsn, "://") || u.Fragment != "" || strings.Contains(u.EscapedPath()+u.RawQuery, "@") {
		return "", nil, errors.New("the URL of the PostgreSQL database is malformed; " +
			"want postgres://user:password@host:5432/database, with a / in the password as %2F, # as %23, ? as %3F, % as %25")
	}
	query := u.Query()
	password, _ := u.User.Password()
	for _, secret := range []string{password, query.Get("password"), query.Get("sslpassword")} {
		if secret != "" {
			secrets = append(secrets, secret, url.QueryEscape(secret), url.PathEscape(secret))
		}
	}
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	if u.User != nil {
		shown.User = url.User(u.User.Username())
	}
	return "database " + shown.String(), secrets, nil
}

// postgresCause says in one line, without secrets, why a database cannot be
// used.
func postgresCause(err error, secrets []string) error {
	var text string
	server, fromServer := errors.AsType[*pgconn.PgError](err)
	network, fromNetwork := errors.AsType[net.Error](err)
	switch {
	case fromServer && server.Code == "28P01":
		text = "the user or the password is wrong (" + server.Message + ")"
	case fromServer:
		text = server.Message + " (SQLSTATE " + server.Code + ")"
	case errors.Is(err, context.DeadlineExceeded):
		text = "no answer in the time to connect (connect_timeout); is PostgreSQL running there?"
	case fromNetwork:
		text = network.Error() + "; is PostgreSQL running there?"
	default:
		text = err.Error()
	}
	text = strings.Join(strings.Fields(text), " ")
	for _, secret := range secrets {
		text = strings.ReplaceAll(text, secret, "xxxxx")
	}
	return errors.New(text)
}
