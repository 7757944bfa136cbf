package reference

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference/postgrestest"
)

// TestPostgresAnswersAsSQLiteDoes: the same requests to both, answer by answer.
func TestPostgresAnswersAsSQLiteDoes(t *testing.T) {
	inMemory := newServer(t, nil)
	inPostgres := newServerWith(t, Options{World: testWorld(), DSN: postgrestest.URL(t)})
	for _, r := range []struct{ name, body string }{
		{"GET /creatives/200/media-files", ""},
		{"GET /creatives/200/media-files?page=2", ""},
		{"GET /creatives/210/media-files", ""},
		{"GET /creatives/230/media-files", ""},
		{"GET /creatives/93/media-files", ""},
		{"PATCH /campaigns/25", `{"name":"日 é 🎈 ' \" \\ %s $1"}`},
		{"PATCH /campaigns/25", `{}`},
		{"PATCH /campaigns/25", `{"name":"a\u0000b"}`},
		{"PATCH /campaigns/92", `{"name":"x"}`},
		{"PATCH /campaigns/9223372036854775807", `{"name":"x"}`},
		{"PATCH /connection-profiles/12", `{"name":"x","withCookiesAction":"fail"}`},
		{"PATCH /connection-profiles/12", `{}`},
		{hostPath, `{"regularExpression":null}`},
		{hostPath, `{"regularExpression":"^/a"}`},
		{strings.Replace(hostPath, "34", "35", 1), `{}`},
		{"DELETE /creatives/201", ""},
		{"DELETE /creatives/201", ""},
		{"GET /creatives/200/media-files", ""},
		{"DELETE /creatives/200", ""},
		{"DELETE /creatives/202", ""},
		{"DELETE /creatives/93", ""},
	} {
		want, got := ask(inMemory, r.name, r.body), ask(inPostgres, r.name, r.body)
		updated := got.at("data.updatedAt") // seconds may pass between the two
		if got.status != want.status || strings.ReplaceAll(got.body, updated, want.at("data.updatedAt")) != want.body {
			t.Errorf("%s %s: expected %d %s, got %d %s", r.name, r.body, want.status, want.body, got.status, got.body)
		}
	}
}

func TestPassingFailuresAreRepeated(t *testing.T) {
	s := newServerWith(t, Options{World: testWorld(), DSN: postgrestest.URL(t)})
	fail := func(t *tx, code string) error {
		return t.exec(`DO $$ BEGIN RAISE 'on purpose' USING ERRCODE = '` + code + `'; END $$`)
	}
	for _, c := range []struct {
		code     string
		failures int // that come first
		enough   func(attempts int) bool
		kept     bool
	}{
		{"40001", 3, func(n int) bool { return n == 4 }, true},
		{"40P01", 1, func(n int) bool { return n == 2 }, true},
		{"40001", 1000, func(n int) bool { return n > 1 && n < 1000 }, false},
		{"23505", 1, func(n int) bool { return n == 1 }, false},
	} {
		s.store.patience = patience
		if !c.kept {
			s.store.patience = time.Second // some attempts, fewer than fail
		}
		attempts := 0
		name := fmt.Sprintf("after %s %d times", c.code, c.failures)
		err := s.store.write(t.Context(), func(t *tx) error {
			attempts++
			campaign, err := t.campaign(25)
			if err != nil {
				return err
			}
			campaign.Name = name
			if err := t.updateCampaign(campaign); err != nil {
				return err
			}
			if attempts <= c.failures {
				return fail(t, c.code)
			}
			return nil
		})
		e, fromServer := errors.AsType[*pgconn.PgError](err)
		if !c.enough(attempts) || (err == nil) != c.kept || err != nil && (!fromServer || e.Code != c.code) {
			t.Errorf("%s: %d attempts, %v", name, attempts, err)
		}
		if got := ask(s, "PATCH /campaigns/25", `{}`).at("data.name"); (got == `"`+name+`"`) != c.kept {
			t.Errorf("%s: the name is %s", name, got)
		}
	}
}

// TestDeadlocksAreResolved: two writes lock two campaigns in either order, each
// its second when the other has its first.
func TestDeadlocksAreResolved(t *testing.T) {
	s := newServerWith(t, Options{World: testWorld(), DSN: postgrestest.URL(t) + "?deadlock_timeout=20ms"})
	var all, first sync.WaitGroup
	first.Add(2)
	for _, order := range [][]int64{{25, 26}, {26, 25}} {
		all.Go(func() {
			once := sync.OnceFunc(func() { first.Done(); first.Wait() })
			err := s.store.write(t.Context(), func(t *tx) error {
				if _, err := t.campaign(order[0]); err != nil {
					return err
				}
				once()
				_, err := t.campaign(order[1])
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

func TestServerGoesOnAfterItsConnectionsBroke(t *testing.T) {
	dsn := postgrestest.URL(t)
	s := newServerWith(t, Options{World: testWorld(), DSN: dsn})
	ask(s, "PATCH /campaigns/25", `{"name":"before"}`).is(t, 200)
	postgrestest.Execute(t, dsn,
		`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`)
	for ask(s, "PATCH /campaigns/25", `{}`).status == 500 { // once for each connection that is not known to be broken
		if t.Context().Err() != nil {
			t.Fatal("it does not")
		}
	}
	ask(s, "PATCH /campaigns/25", `{}`).shows(t, "data.name", `"before"`)
}

func TestPostgresThatCannotBeUsed(t *testing.T) {
	dsn := postgrestest.URL(t)
	change := func(do func(*url.URL)) string {
		u, err := url.Parse(dsn)
		if err != nil {
			t.Fatal(err)
		}
		do(u)
		return u.String()
	}
	latin := change(func(u *url.URL) { u.Path += "_latin" })
	postgrestest.Execute(t, dsn, "CREATE DATABASE "+latin[strings.LastIndex(latin, "/")+1:]+" ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
	defer postgrestest.Execute(t, dsn, "DROP DATABASE "+latin[strings.LastIndex(latin, "/")+1:])
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	silent.Close()
	other := httptest.NewServer(nil)
	defer other.Close()
	for name, c := range map[string]struct{ dsn, want string }{
		"no such database": {change(func(u *url.URL) { u.Path = "/nowhere" }), `database "nowhere" does not exist`},
		"nobody there":     {"postgres://a:hush@" + silent.Addr().String() + "/db", "connection refused; is PostgreSQL running there?"},
		"not PostgreSQL": {
			"postgres://a:hush@" + other.Listener.Addr().String() + "/db?connect_timeout=1",
			"no answer in the time to connect",
		},
		"encoding":           {latin, "its encoding is LATIN1"},
		"unknown setting":    {"postgres://a:hush@localhost/db?sslmode=maybe", "sslmode"},
		"port":               {"postgres://a:hush@localhost:hush/db", "malformed"},
		"slash in password":  {"postgres://a:hu/sh@localhost/db", "malformed"},
		"digits before it":   {"postgres://a:12/hush@localhost/db", "malformed"},
		"hash in password":   {"postgres://a:12#hush@localhost/db", "malformed"},
		"mark in password":   {"postgres://a:12?hush@localhost/db", "malformed"},
		"one slash":          {"postgres:/a:hush@localhost/db", "malformed"},
		"no slash":           {"postgres:a:hush@localhost/db", "malformed"},
		"words":              {"host=localhost password=hush", "malformed"},
		"without a password": {"user=a dbname=b", "malformed"},
		"at and hash":        {"postgres://a:x@hush#y@localhost/db", "malformed"},
		"at and slash":       {"postgres://a:x@hush/y@localhost/db", "malformed"},
		"percent":            {"postgres://a:%hush@localhost/db", "malformed"},
	} {
		_, err := New(t.Context(), Options{World: testWorld(), DSN: c.dsn})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: expected %q, got %v", name, c.want, err)
			continue
		}
		t.Logf("%s: %v", name, err)
		for _, never := range []string{"hush", "a:12", "\n"} {
			if strings.Contains(err.Error(), never) {
				t.Errorf("%s: %q is in %q", name, never, err)
			}
		}
	}
}

func TestWrongPasswordIsNotShown(t *testing.T) {
	wrong := postgrestest.WrongPassword(t, postgrestest.URL(t), "hush/%?#@hush")
	u, err := url.Parse(wrong)
	if err != nil {
		t.Fatal(err)
	}
	password, _ := u.User.Password()
	u.User, u.RawQuery = url.User("postgres"), "password="+url.QueryEscape(password)
	for _, dsn := range []string{wrong, u.String()} {
		_, err := New(t.Context(), Options{World: testWorld(), DSN: dsn})
		if err == nil || !strings.Contains(err.Error(), "the user or the password is wrong") || strings.Contains(err.Error(), "hush") {
			t.Errorf("got %v", err)
		}
	}
}

func TestPostgresTextsHoldNoNUL(t *testing.T) {
	o := Options{World: testWorld(), DSN: postgrestest.URL(t), Choices: DefaultChoices()}
	o.Choices.ControlCharacters = Accept
	if _, err := New(t.Context(), o); err == nil || !strings.Contains(err.Error(), "U+0000") {
		t.Errorf("got %v", err)
	}
}

// TestClientThatLeavesIsNoFailure: whether a write is made does not hang on it.
func TestClientThatLeavesIsNoFailure(t *testing.T) {
	s := newServerWith(t, Options{World: fixtures.DefaultWorld(), DSN: postgrestest.URL(t)})
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.store.write(gone, func(t *tx) error { _, err := t.campaign(25); return err }); err != nil {
		t.Error(err)
	}
}
