//go:build unix

package main

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
)

// serveData starts a server with a data file. kill ends it as kill -9 does.
func serveData(t *testing.T, data string) (baseURL string, kill func()) {
	t.Helper()
	cmd, stdout, _ := program(t, "serve", "--quiet", "--addr", "127.0.0.1:0", "--data", data)
	noError(t, cmd.Start())
	stdout.await(t, "\n")
	return strings.TrimSpace(stdout.String()), func() {
		cmd.Process.Kill()
		cmd.Wait()
	}
}

// sendOwn sends a request of the owner. An error means that nobody knows whether it was carried out.
func sendOwn(method, url, body string) (status int, answer string, err error) {
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	r.Header.Set(fixtures.DefaultKeyHeader, fixtures.DefaultWorld().Users[0].Key)
	r.GetBody = nil // net/http shall not send it again
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	return response.StatusCode, string(data), err
}

// TestKillLosesNothingAcknowledged: writers change an object each, one request after the
// other, until the server is killed in the middle of it. Then each object shows the last
// acknowledged change, or the one that got no answer.
func TestKillLosesNothingAcknowledged(t *testing.T) {
	t.Parallel() // it waits for the disk
	const enough = 60
	data := filepath.Join(t.TempDir(), "world.db")
	writers := []*struct{ path, field, kept, unknown string }{
		{path: "/campaigns/25", field: "name"},
		{path: "/connection-profiles/12", field: "name"},
		{path: "/connection-profiles/12/rules/34/hosts/56", field: "hostname"},
	}
	base, kill := serveData(t, data)
	for round := range reftest.Of(6, 2) {
		var all sync.WaitGroup
		var acknowledged atomic.Int64
		reached := make(chan struct{})
		for _, w := range writers {
			all.Go(func() {
				for n := 0; ; n++ {
					w.unknown = fmt.Sprintf(`"%s":"r%d-n%d.example.com"`, w.field, round, n)
					status, body, err := sendOwn("PATCH", base+w.path, "{"+w.unknown+"}")
					if err != nil {
						return
					}
					if status != 200 {
						t.Errorf("%s: %d %s", w.path, status, body)
						return
					}
					w.kept, w.unknown = w.unknown, ""
					if acknowledged.Add(1) == enough {
						close(reached)
					}
				}
			})
		}
		<-reached
		status, body, err := sendOwn("DELETE", fmt.Sprintf("%s/creatives/%d", base, 301+round), "")
		if err != nil || status != 204 {
			t.Errorf("%d %s (%v)", status, body, err)
		}
		kill()
		all.Wait()

		base, kill = serveData(t, data)
		for _, w := range writers {
			_, body, err := sendOwn("PATCH", base+w.path, "{}")
			if err != nil || !strings.Contains(body, w.kept) && (w.unknown == "" || !strings.Contains(body, w.unknown)) {
				t.Errorf("%s: %s was acknowledged, %s was not; got %s (%v)", w.path, w.kept, w.unknown, body, err)
			}
		}
		if status, body, err := sendOwn("DELETE", fmt.Sprintf("%s/creatives/%d", base, 301+round), ""); status != 404 {
			t.Errorf("a deleted creative is back: %d %s (%v)", status, body, err)
		}
	}
	kill()
}
