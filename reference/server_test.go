package reference

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.etcd.io/bbolt"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
)

func TestAccessLog(t *testing.T) {
	var log bytes.Buffer
	choices := DefaultChoices()
	choices.KeyInQuery, choices.KeyAsBearer = true, true
	logger := slog.New(slog.NewJSONHandler(&log, nil))
	s := accessLog(logger, newServerWith(t, Options{World: testWorld(), Choices: choices, Logger: logger}))
	ask(s, campaignPath, `{"name":"a"}`, "X-Adconform-Case", "updateCampaign/200", "X-Request-Id", "r1").is(t, 200)
	for _, want := range []string{
		`"method":"PATCH"`, `"path":"/v2/campaigns/25"`, `"status":200`, `"duration":`, `"case":"updateCampaign/200"`, `"requestId":"r1"`,
	} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("no %s in %s", want, log.String())
		}
	}
	ask(s, "PATCH /nowhere", `{`)
	request(s, "PATCH /campaigns/25?api_key="+ownerKey, `{`).is(t, 422)
	request(s, "GET /creatives/200/media-files", "", "Authorization", "Bearer "+ownerKey).is(t, 200)
	request(s, "DELETE /creatives/200", "", "X-API-Key", strangerKey).is(t, 403)
	request(s, "DELETE /creatives/200", "", "X-API-Key", ownerKey+"x").is(t, 401)
	if n := strings.Count(log.String(), `"msg":"request"`); n != 6 {
		t.Errorf("%d lines for 6 requests: %s", n, log.String())
	}
	if strings.Contains(log.String(), ownerKey) || strings.Contains(log.String(), strangerKey) {
		t.Errorf("a key in the log: %s", log.String())
	}
}

// Sixteen writers work at once, in memory and on a file: nothing is lost and nothing is
// deleted twice.
func TestConcurrentRequests(t *testing.T) {
	onEach(t, func(t *testing.T, data string) {
		s := newServerWith(t, Options{World: testWorld(), Data: data})
		var deleted atomic.Int64
		var group sync.WaitGroup
		for i := range 16 {
			group.Go(func() {
				for round := range 3 {
					field := []string{`{"withoutCookiesAction":"fail"}`, `{"withCookiesAction":"fail"}`, `{"name":"both"}`}[i%3]
					ask(s, "PATCH /connection-profiles/12", field).shows(t, "data.id", "12")
					name := fmt.Sprintf(`"%d %d"`, i, round)
					ask(s, fmt.Sprint("PATCH /campaigns/", 25+i%2), `{"name":`+name+`}`).shows(t, "data.name", name)
					r := ask(s, fmt.Sprint("DELETE /creatives/", 201+round), "")
					if r.status == 204 {
						deleted.Add(1)
					} else if r.status != 404 {
						t.Errorf("%d %s", r.status, r.body)
					}
					page := ask(s, listPath, "")
					page.shows(t, "meta.pagination.totalCount", fmt.Sprint(strings.Count(page.body, `"campaignId"`)))
				}
			})
		}
		group.Wait()
		if deleted.Load() != 3 {
			t.Errorf("3 creatives were deleted %d times", deleted.Load())
		}
		ask(s, "PATCH /connection-profiles/12", `{}`).
			shows(t, "data.name", `"both"`).shows(t, "data.withoutCookiesAction", `"fail"`).shows(t, "data.withCookiesAction", `"fail"`)
	})
}

// A request that has begun is answered. A closed listener is an error; an ended context ends the
// server without one.
func TestServeEnds(t *testing.T) {
	s := newServer(t, nil)
	begun, finish, served := make(chan bool), make(chan bool), make(chan error)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	noError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		served <- s.Serve(ctx, listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			begun <- true
			<-finish
			s.ServeHTTP(w, r)
		}))
	}()
	answered := make(chan error)
	go func() {
		response, err := http.Get("http://" + listener.Addr().String() + "/v2/x")
		if err == nil && response.StatusCode != 404 {
			err = errors.New(response.Status)
		}
		answered <- err
	}()
	<-begun
	cancel()
	finish <- true
	noError(t, errors.Join(<-answered, <-served))
	if err := s.Serve(t.Context(), listener, s); err == nil {
		t.Error("a closed listener was served")
	}
}

// oneConn is a listener with one connection, which is in memory.
type oneConn struct {
	net.Listener
	conns chan net.Conn
}

func (l oneConn) Accept() (net.Conn, error) {
	if conn, ok := <-l.conns; ok {
		return conn, nil
	}
	return nil, net.ErrClosed
}
func (l oneConn) Close() error { return nil }

// A connection ends within a limited time, whatever its client does.
func TestSlowClients(t *testing.T) {
	patch, withKey := "PATCH /v2/campaigns/25 HTTP/1.1\r\nHost: x\r\n", "X-API-Key: "+ownerKey+"\r\n"
	for name, c := range map[string]struct {
		head, each  string // what is written at once, and then each second
		begins      string // the answer
		from, until time.Duration
	}{
		"slow header": {patch + "X-Slow: ", "a", "", 5 * time.Second, 5 * time.Second},
		"slow body":   {patch + withKey + "Content-Length: 1000\r\n\r\n{", " ", "HTTP/1.1 408 ", readTimeout, writeTimeout},
		// The client does not have to send a body that waits for 100 (Continue).
		"too large": {
			patch + withKey + "Expect: 100-continue\r\nContent-Length: 9000000000\r\n\r\n", "", "HTTP/1.1 413 ", 0, 2 * time.Second,
		},
		"idle": {patch + withKey + "Content-Length: 2\r\n\r\n{}", "", "HTTP/1.1 200 ", 2 * time.Minute, 2 * time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			client, server := net.Pipe()
			l := oneConn{conns: make(chan net.Conn, 1)}
			l.conns <- server
			s := newServer(t, nil)
			go s.HTTP(s).Serve(l)
			gone := make(chan struct{})
			go func() {
				defer close(gone)
				_, err := io.WriteString(client, c.head)
				for c.each != "" && err == nil {
					time.Sleep(time.Second)
					_, err = io.WriteString(client, c.each)
				}
			}()
			start := time.Now()
			answer, _ := io.ReadAll(client)
			if ended := time.Since(start); ended < c.from || ended > c.until || !strings.HasPrefix(string(answer), c.begins) {
				t.Errorf("%s: ended after %v with %.160q, want %v to %v with %q", name, ended, answer, c.from, c.until, c.begins)
			}
			client.Close()
			<-gone
			close(l.conns)
		})
	}
}

// contract answers like an operation and records that it was reached.
var contract = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Reached", r.URL.EscapedPath())
	w.WriteHeader(http.StatusTeapot)
})

// askFront sends a request such as "GET /docs" with headers by name and value.
func askFront(h http.Handler, name string, headers ...string) reply {
	return requestAt(h, "", name, "", headers...)
}

// TestTheContractIsReached: requests that are not for the front pass unchanged.
func TestTheContractIsReached(t *testing.T) {
	h := Front{OpenAPI: spec.OpenAPI()}.Before(contract)
	for _, path := range []string{
		"/v2/campaigns/25", "/", "//docs", "/docsx", "/v2/../docs", "/v2//campaigns/25", "/%2e%2e/docs", "/v2/campaigns%2F25", "/healthz/",
		"/DOCS", "/docs", "/healthz", ResetPath, // of other methods
	} {
		if w := askFront(h, "PATCH "+path); w.status != http.StatusTeapot || w.header.Get("X-Reached") != path {
			t.Errorf("%s: %d, reached as %q", path, w.status, w.header.Get("X-Reached"))
		}
	}
	h = Front{}.Before(contract)
	if w := askFront(h, "GET /docs"); w.status != http.StatusTeapot {
		t.Errorf("documentation without a document: %d", w.status)
	}
	if w := askFront(h, "GET "+HealthPath); w.status != 200 || w.body != "{\"status\":\"ok\"}\n" {
		t.Errorf("health: %d %s", w.status, w.body)
	}
}

func TestResetOverHTTP(t *testing.T) {
	resets, broken := 0, error(nil)
	h := Front{Reset: func() error { resets++; return broken }}.Before(contract)
	if w := askFront(h, "POST "+ResetPath); w.status != 204 || resets != 1 {
		t.Errorf("%d, %d resets", w.status, resets)
	}
	for _, w := range []reply{
		askFront(h, "POST "+ResetPath, "Origin", "http://evil.example"), askFront(h, "POST "+ResetPath, "Sec-Fetch-Site", "cross-site"),
	} {
		if w.status != 403 || resets != 1 {
			t.Errorf("from another origin: %d, %d resets", w.status, resets)
		}
	}
	broken = errors.New("secret cause")
	if w := askFront(h, "POST "+ResetPath); w.status != 500 || strings.Contains(w.body, "secret") {
		t.Errorf("%d %s", w.status, w.body)
	}
}

func TestOrigins(t *testing.T) {
	h := Front{Origins: []string{"http://localhost:3000"}}.Before(contract)
	preflight := []string{
		"Origin", "http://localhost:3000", "Access-Control-Request-Method", "PATCH", "Access-Control-Request-Headers",
		"content-type,x-api-key",
	}
	w := askFront(h, "OPTIONS /v2/campaigns/25", preflight...)
	if w.status != 204 || w.header.Get("X-Reached") != "" || w.header.Get("Access-Control-Allow-Origin") != "http://localhost:3000" ||
		!strings.Contains(w.header.Get("Access-Control-Allow-Headers"), "x-api-key") ||
		w.header.Get("Access-Control-Allow-Methods") != "PATCH" {
		t.Errorf("preflight: %d %s", w.status, w.header)
	}
	w = askFront(h, "PATCH /v2/campaigns/25", "Origin", "http://localhost:3000")
	if w.status != 418 || !strings.Contains(w.header.Get("Access-Control-Expose-Headers"), "X-Ratelimit-Ipremaining") {
		t.Errorf("%d %s", w.status, w.header)
	}
	preflight[1] = "http://evil.example"
	if w := askFront(h, "OPTIONS /v2/campaigns/25", preflight...); w.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("another origin: %s", w.header)
	}
	if w := askFront(Front{}.Before(contract), "OPTIONS /v2/campaigns/25", preflight...); w.status != 418 || w.header.Get("Vary") != "" {
		t.Errorf("without --cors: %d %s", w.status, w.header)
	}
}

var linked = regexp.MustCompile(`(?:src|href)="([^"]*)"`)

// TestDocumentationIsWhole: everything that the page loads is on this server, and
// the policy allows nothing else.
func TestDocumentationIsWhole(t *testing.T) {
	h := Front{OpenAPI: spec.OpenAPI()}.Before(contract)
	index := askFront(h, "GET "+DocsPath)
	links := linked.FindAllStringSubmatch(index.body, -1)
	if index.status != 200 || len(links) < 4 {
		t.Fatalf("%d %s", index.status, index.body)
	}
	for _, link := range links {
		for _, encoding := range []string{"", "gzip"} {
			w := askFront(h, "GET "+link[1], "Accept-Encoding", encoding)
			policy := w.header.Get("Content-Security-Policy")
			if !strings.HasPrefix(link[1], DocsPath+"/") || w.status != 200 || len(w.body) == 0 || !strings.Contains(policy, "default-src 'none'") {
				t.Errorf("%s (%q): %d, %d bytes, policy %q", link[1], encoding, w.status, len(w.body), policy)
			}
		}
	}
	if strings.Contains(index.body, "<script>") || strings.Contains(policy, "script-src 'self' 'unsafe") {
		t.Error("a script inside the page needs a weaker policy")
	}
	document := askFront(h, "GET "+DocsPath+"/openapi.yaml").body
	if !strings.Contains(document, "url: /v2") || strings.Contains(document, "127.0.0.1") {
		t.Error("the document names another server")
	}
	if w := askFront(h, "GET "+DocsPath+"/x"); w.status != 404 {
		t.Errorf("an unknown page: %d", w.status)
	}
}

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
