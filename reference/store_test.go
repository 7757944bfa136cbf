package reference

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/adconform/adconform/fixtures"
)

// onEach runs a test in memory and on a new data file.
func onEach(t *testing.T, test func(t *testing.T, data string)) {
	t.Run("memory", func(t *testing.T) { test(t, "") })
	t.Run("file", func(t *testing.T) { test(t, filepath.Join(t.TempDir(), "a b?c%20#d.db")) })
}

// held returns the objects that the server holds.
func held(s *Server) string { return string((&Choices{DateFormat: time.RFC3339}).encode(s.World())) }

func TestContentIsKept(t *testing.T) {
	o := Options{World: testWorld(), Data: filepath.Join(t.TempDir(), "world.db")}
	first := newServerWith(t, o)
	ask(first, campaignPath, `{"name":"kept\u2028\u0438<"}`).is(t, 200)
	ask(first, hostPath, `{"regularExpression":null}`).is(t, 200)
	ask(first, "DELETE /creatives/203", "").is(t, 204)
	shown, before := ask(first, campaignPath, `{}`).body, held(first)
	noError(t, first.Close())
	ask(first, campaignPath, `{"name":"lost"}`).refuses(t, 500, "internalError null")

	for _, world := range []fixtures.World{testWorld(), {}} { // a file that is filled needs none
		o.World = world
		second := newServerWith(t, o)
		if got := ask(second, campaignPath, `{}`).body; got != shown || held(second) != before {
			t.Errorf("got %s, want %s", got, shown)
		}
		ask(second, listPath, "").shows(t, "data.1.id", "202").shows(t, "data.2", "absent")
		second.Close()
	}

	o.World = testWorld()
	o.World.Users[1].Key = "another"
	if _, err := New(o); err == nil || !strings.Contains(err.Error(), "another world, whose users have other keys") {
		t.Errorf("got %v", err)
	}
	data, err := os.ReadFile(o.Data)
	if err != nil || !bytes.Contains(data, []byte(hashKey(ownerKey))) || bytes.Contains(data, []byte(ownerKey)) {
		t.Errorf("want hashes of keys in the file, and no key (%v)", err)
	}
}

func TestFailedUpdateChangesNothing(t *testing.T) {
	onEach(t, func(t *testing.T, data string) {
		s := newServerWith(t, Options{World: testWorld(), Data: data})
		failure := errors.New("failure")
		if err := s.store.update(func(w *world) error { w.deleteCreative(200, false); return failure }); !errors.Is(err, failure) {
			t.Fatal(err)
		}
		ask(s, listPath, "").shows(t, "meta.pagination.totalCount", "3")
	})
}

func TestResetPutsTheWorldBack(t *testing.T) {
	onEach(t, func(t *testing.T, data string) {
		if _, err := New(Options{Data: data}); err == nil || !strings.Contains(err.Error(), "the world has no users") {
			t.Error(err)
		}
		var log bytes.Buffer
		s := newServerWith(t, Options{World: testWorld(), Data: data, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		before := held(s)
		ask(s, campaignPath, `{"name":"changed"}`).is(t, 200)
		ask(s, "DELETE /creatives/200", "").is(t, 204)
		if err := s.Reset(fixtures.World{}); err == nil || !strings.Contains(log.String(), "reset failed") {
			t.Errorf("a world without users was put in: %v, log %s", err, log.String())
		}
		ask(s, campaignPath, `{}`).shows(t, "data.name", `"changed"`)
		if err := s.Reset(testWorld()); err != nil || held(s) != before {
			t.Errorf("not all is as before (%v)", err)
		}
		if s.Close(); data != "" && held(newServerWith(t, Options{Data: data})) != before {
			t.Error("not all is in the file as before")
		}
	})
}

// TestFilesThatAreNotOurs: they are refused in one line and left unchanged.
func TestFilesThatAreNotOurs(t *testing.T) {
	dir := t.TempDir()
	ours := filepath.Join(dir, "ours.db")
	newServerWith(t, Options{World: testWorld(), Data: ours}).Close()
	whole, err := os.ReadFile(ours)
	noError(t, err)
	inUse := filepath.Join(dir, "used.db")
	newServerWith(t, Options{World: testWorld(), Data: inUse})
	others := filepath.Join(dir, "others.db")
	file, err := bbolt.Open(others, 0o600, &bbolt.Options{NoFreelistSync: true})
	noError(t, err)
	err = file.Update(func(t *bbolt.Tx) error { _, err := t.CreateBucket([]byte("their own")); return err })
	noError(t, errors.Join(err, file.Close()))
	broken := bytes.ReplaceAll(whole, []byte(`"name":`), []byte(`"name";`))
	for name, c := range map[string]struct {
		content []byte
		want    string
	}{
		"notes.txt":     {[]byte(strings.Repeat("no database ", 1000)), "is no data file of adconform serve"},
		"short.txt":     {[]byte("x"), "is no data file of adconform serve"},
		"cut.db":        {whole[:3*4096], "damaged"},
		"garbled.db":    {broken, "damaged"},
		"used.db":       {nil, "another process uses it"},
		"others.db":     {nil, "is no data file of adconform serve"},
		"none/world.db": {nil, "no such file"},
		"":              {nil, "is a directory"},
	} {
		path := filepath.Join(dir, name)
		if c.content != nil {
			noError(t, os.WriteFile(path, c.content, 0o600))
		}
		before, _ := os.ReadFile(path)
		_, err := New(Options{World: testWorld(), Data: path})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v", name, err)
		}
		if after, _ := os.ReadFile(path); !bytes.Equal(after, before) {
			t.Errorf("%s was changed", name)
		}
	}
	noError(t, os.WriteFile(filepath.Join(dir, "empty.db"), nil, 0o600))
	newServerWith(t, Options{World: testWorld(), Data: filepath.Join(dir, "empty.db")})
}
