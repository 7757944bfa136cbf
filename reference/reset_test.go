package reference

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/adconform/adconform/fixtures"
)

func TestResetPutsTheWorldBack(t *testing.T) {
	s := newServer(t, nil)
	name, hosts := ask(s, "PATCH /campaigns/25", `{}`).at("data.name"), ask(s, hostPath, `{}`).body
	ask(s, "PATCH /campaigns/25", `{"name":"changed"}`).is(t, 200)
	ask(s, hostPath, `{"regularExpression":null}`).is(t, 200)
	ask(s, "DELETE /creatives/200", "").is(t, 204)
	if err := s.Reset(t.Context(), testWorld()); err != nil {
		t.Fatal(err)
	}
	ask(s, "PATCH /campaigns/25", `{}`).shows(t, "data.name", name)
	if got := ask(s, hostPath, `{}`).body; got != hosts {
		t.Errorf("got %s, want %s", got, hosts)
	}
	ask(s, "GET /creatives/200/media-files", "").shows(t, "meta.pagination.totalCount", "5")
}

// TestResetIsOneStep: a world that cannot be put in leaves the old one.
func TestResetIsOneStep(t *testing.T) {
	var log bytes.Buffer
	s := newServerWith(t, Options{World: testWorld(), Logger: slog.New(slog.NewTextHandler(&log, nil))})
	broken := testWorld()
	broken.Campaigns = append(broken.Campaigns, broken.Campaigns[0])
	if err := s.Reset(t.Context(), broken); err == nil {
		t.Error("two campaigns with one id were put in")
	}
	if !strings.Contains(log.String(), "reset failed") {
		t.Errorf("log: %s", log.String())
	}
	ask(s, "GET /creatives/200/media-files", "").shows(t, "meta.pagination.totalCount", "5")
}

// TestResetAmongRequests: each request sees the old world or the new one, whole.
func TestResetAmongRequests(t *testing.T) {
	s := newServer(t, nil)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 10 {
				if r := ask(s, "GET /creatives/200/media-files", ""); r.at("meta.pagination.totalCount") != "5" {
					t.Errorf("%d %s", r.status, r.body)
				}
				if err := s.Reset(t.Context(), testWorld()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
}

func TestHealthy(t *testing.T) {
	s := newServer(t, nil)
	if err := s.Healthy(t.Context()); err != nil {
		t.Error(err)
	}
	s.Close()
	if err := s.Healthy(t.Context()); err == nil {
		t.Error("a closed server is healthy")
	}
}

// TestKeysAreStoredHashed: who reads the database finds no key.
func TestKeysAreStoredHashed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "world.db")
	s := newServerWith(t, Options{World: testWorld(), DSN: file})
	s.Close()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(data, []byte(hashKey(ownerKey))) {
		t.Error("the hash of the key is not in the file: what does this test look at?")
	}
	for _, key := range []string{ownerKey, strangerKey} {
		if bytes.Contains(data, []byte(key)) {
			t.Errorf("the key %s is in the file", key)
		}
	}
}

// TestKeysWhoseHashBeginsAlike: the part by which a user is found is not enough.
func TestKeysWhoseHashBeginsAlike(t *testing.T) {
	s := newServer(t, nil)
	almost := hashKey(ownerKey)[:16] + strings.Repeat("0", 48)
	err := s.store.write(t.Context(), func(t *tx) error { return t.exec(`UPDATE users SET key_hash = $1 WHERE id = $2`, almost, ownerID) })
	if err != nil {
		t.Fatal(err)
	}
	ask(s, "PATCH /campaigns/25", `{}`).refuses(t, 401, "authenticationFailed null")
}

func TestCheckUsers(t *testing.T) {
	s := newServer(t, nil)
	if err := s.CheckUsers(t.Context(), testWorld()); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*fixtures.World){
		"other key":  func(w *fixtures.World) { w.Users[1].Key = "another-key" },
		"other user": func(w *fixtures.World) { w.Users[0].Key, w.Users[1].Key = w.Users[1].Key, w.Users[0].Key },
	} {
		w := testWorld()
		change(&w)
		if err := s.CheckUsers(t.Context(), w); err == nil || !strings.Contains(err.Error(), "another world") {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.Close()
	if err := s.CheckUsers(t.Context(), testWorld()); err == nil || errors.Is(err, errNotExist) {
		t.Errorf("closed: %v", err)
	}
}
