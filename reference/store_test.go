package reference

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference/postgrestest"
	"github.com/adconform/adconform/spec"
)

// onEach runs a test on every kind of database that keeps what it holds; dsn
// is a new one.
func onEach(t *testing.T, test func(t *testing.T, dsn string)) {
	t.Run("file", func(t *testing.T) { test(t, filepath.Join(t.TempDir(), "a b?c%20#d.db")) })
	t.Run("PostgreSQL", func(t *testing.T) { test(t, postgrestest.URL(t)) })
}

func TestContentIsKept(t *testing.T) { onEach(t, testContentIsKept) }

func testContentIsKept(t *testing.T, dsn string) {
	o := Options{World: testWorld(), DSN: dsn}
	first := newServerWith(t, o)
	ask(first, "PATCH /campaigns/25", `{"name":"kept"}`).is(t, 200)
	ask(first, hostPath, `{"regularExpression":null}`).is(t, 200)
	ask(first, "DELETE /creatives/203", "").is(t, 204)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	o.World.Users[0].Key = "another" // a database that has users is not filled again
	second := newServerWith(t, o)
	ask(second, "PATCH /campaigns/25", `{}`).is(t, 200).shows(t, "data.name", `"kept"`)
	ask(second, hostPath, `{}`).shows(t, "data.regularExpression", "null")
	if got := ids(t, ask(second, "GET /creatives/200/media-files", "")); got != "201 202 204 205" {
		t.Errorf("got %s", got)
	}

	second.Close()
	o.World = fixtures.World{} // nor does it need a world
	ask(newServerWith(t, o), "PATCH /campaigns/25", `{}`).is(t, 200)
}

func TestFileHasNoKey(t *testing.T) {
	file := filepath.Join(t.TempDir(), "world.db")
	s := newServerWith(t, Options{World: testWorld(), DSN: file})
	ask(s, "PATCH /campaigns/25", `{"name":"kept"}`).is(t, 200)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(content, []byte("kept")) || bytes.Contains(content, []byte(ownerKey)) {
		t.Error("the file has not what was written, or a key in clear text")
	}
}

func TestServersInMemoryAreApart(t *testing.T) {
	a, b := newServer(t, nil), newServer(t, nil)
	ask(a, "PATCH /campaigns/25", `{"name":"a"}`).is(t, 200)
	ask(b, "PATCH /campaigns/25", `{}`).shows(t, "data.name", `"Campaign 25"`)
}

func TestDefaultWorldIsServed(t *testing.T) {
	w := fixtures.DefaultWorld()
	s := newServerWith(t, Options{World: w})
	for _, c := range w.Objects.PagedVastCreatives {
		r := request(s, "GET /creatives/"+itoa(c.ID)+"/media-files?page=3", "", "X-API-Key", w.Users[0].Key).is(t, 200)
		r.shows(t, "meta.pagination.totalPages", "3")
	}
}

// TestRulesAreStored: they are never on the wire, but part of the world.
func TestRulesAreStored(t *testing.T) {
	s := newServer(t, nil)
	var rules int
	err := s.store.read(t.Context(), func(t *tx) error {
		return t.row(`SELECT COUNT(*) FROM connection_profile_rules WHERE action = 'fail' AND type = 'custom'`, nil, &rules)
	})
	if err != nil || rules != 4 {
		t.Errorf("got %d rules, %v", rules, err)
	}
}

func TestFailedWriteChangesNothing(t *testing.T) {
	t.Run("memory", func(t *testing.T) { testFailedWriteChangesNothing(t, "") })
	onEach(t, testFailedWriteChangesNothing)
}

func testFailedWriteChangesNothing(t *testing.T, dsn string) {
	s := newServerWith(t, Options{World: testWorld(), DSN: dsn})
	failure := errors.New("failure")
	change := func(t *tx) error {
		c, err := t.campaign(25)
		if err != nil {
			return err
		}
		c.Name = "changed"
		return t.updateCampaign(c)
	}
	err := s.store.write(t.Context(), func(t *tx) error { return errors.Join(change(t), failure) })
	if !errors.Is(err, failure) {
		t.Fatal(err)
	}
	func() {
		defer func() { recover() }()
		s.store.write(t.Context(), func(t *tx) error { panic(change(t)) })
	}()
	ask(s, "PATCH /campaigns/25", `{}`).shows(t, "data.name", `"Campaign 25"`)
}

func TestFailedSeedLeavesNothing(t *testing.T) { onEach(t, testFailedSeedLeavesNothing) }

func testFailedSeedLeavesNothing(t *testing.T, dsn string) {
	broken := testWorld()
	broken.Campaigns = append(broken.Campaigns, broken.Campaigns[0])
	if _, err := New(t.Context(), Options{World: broken, DSN: dsn}); err == nil || !strings.Contains(err.Error(), "campaigns, id 25") {
		t.Fatalf("got %v", err)
	}
	s := newServerWith(t, Options{World: testWorld(), DSN: dsn})
	ask(s, "PATCH /campaigns/25", `{}`).is(t, 200)
}

func TestWorldsThatCannotBeServed(t *testing.T) {
	for name, spoil := range map[string]func(*fixtures.World){
		"the world has no users": func(w *fixtures.World) { w.Users = nil },
		"user 2 of the world":    func(w *fixtures.World) { w.Users[1].Key = "" },
		"users, id 2":            func(w *fixtures.World) { w.Users[1].Key = w.Users[0].Key },
		"creatives, id 7":        func(w *fixtures.World) { w.Creatives = append(w.Creatives, spec.Creative{ID: 7, UserID: 99}) },
	} {
		w := testWorld()
		spoil(&w)
		_, err := New(t.Context(), Options{World: w})
		if err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), ownerKey) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestDatabasesThatCannotBeOpened(t *testing.T) {
	text := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(text, []byte(strings.Repeat("no database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	for dsn, want := range map[string]string{
		"mysql://user:password@host/db":            "mysql://...: give postgres://",
		filepath.Join(t.TempDir(), "none", "a.db"): "none/a.db",
		text: "notes.txt",
	} {
		_, err := New(t.Context(), Options{World: testWorld(), DSN: dsn})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "password") ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v", dsn, err)
		}
	}
}

// BenchmarkNew is what a self-test pays for each server.
func BenchmarkNew(b *testing.B) {
	o := Options{World: fixtures.DefaultWorld()}
	for b.Loop() {
		s, err := New(b.Context(), o)
		if err != nil {
			b.Fatal(err)
		}
		s.Close()
	}
}

func BenchmarkUpdate(b *testing.B) {
	s := newServer(b, nil)
	for b.Loop() {
		ask(s, "PATCH /campaigns/25", `{"name":"a"}`)
		ask(s, "PATCH /campaigns/25", `{"name":"b"}`)
	}
}
