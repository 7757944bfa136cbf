package wire

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestNewRefusesBadOptions(t *testing.T) {
	tests := []struct {
		o    Options
		want string
	}{
		{Options{}, "not absolute"},
		{Options{BaseURL: "localhost:80"}, "not absolute"},
		{Options{BaseURL: "ftp://a"}, "not absolute"},
		{Options{BaseURL: "http://"}, "not absolute"},
		{Options{BaseURL: "http://a:b%zz"}, "cannot be parsed"},
		{Options{BaseURL: "http://me:secret-word@a"}, "user name"},
		{Options{BaseURL: "http://a/?x"}, "query"},
		{Options{BaseURL: "http://a/#x"}, "fragment"},
		{Options{BaseURL: "unix://socket"}, "unix:///path"},
		{Options{BaseURL: "unix:///a:b"}, "unix:///path"},
		{Options{BaseURL: "http://a", KeyHeader: "X Key"}, "header name"},
		{Options{BaseURL: "http://a", Timeout: -1}, "negative"},
		{Options{BaseURL: "http://a", Rate: -1}, "rate"},
		{Options{BaseURL: "http://a", Concurrency: -1}, "concurrency"},
		{Options{BaseURL: "http://a", MaxBody: -1}, "size"},
	}
	for _, test := range tests {
		_, err := New(test.o)
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "secret-word") {
			t.Errorf("%+v: error %v, want … %s …", test.o, err, test.want)
		}
	}
}

func TestURLsKeepTheirEncoding(t *testing.T) {
	c := newClient(t, Options{BaseURL: "https://a.example:8443/v%32/"})
	for _, path := range []string{"/campaigns/%2B25", "/campaigns/%00", "/campaigns/+25?page=%20", "//b.example/x", "/a/../b", "/@b.example"} {
		ex, m := c.begin("c", get(path))
		if want := "https://a.example:8443/v%32" + path; ex.Err != nil || ex.URL != want || m.url.String() != want {
			t.Errorf("%s: URL %s, %v; want %s", path, ex.URL, ex.Err, want)
		}
	}
}

func TestBadRequestIsNotSent(t *testing.T) {
	c := newClient(t, Options{BaseURL: answering(t, "HTTP/1.1 204 No Content\r\n\r\n")})
	for _, r := range []Request{
		get("campaigns"), get("/a#b"), get("/%zz"), {Method: "GE T", Path: "/"},
		{Method: "GET", Path: "/", Header: http.Header{"A": {"b\r\nX-Api-Key: c"}}},
		{Method: "GET", Path: "/", Header: http.Header{"A b": {"c"}}},
	} {
		for _, ex := range append(c.DoTogether(t.Context(), "c", r), c.Do(t.Context(), "c", r), c.DoRaw(t.Context(), "c", r)) {
			if ex.Err == nil || ex.Err.Kind != BadRequest || ex.Attempts != 0 {
				t.Errorf("%+v: %v after %d attempts", r, ex.Err, ex.Attempts)
			}
		}
	}
}

func TestKeyHeader(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%q %q", r.Header["X-Custom-Key"], r.Header[CaseHeader])
	}))
	t.Cleanup(server.Close)
	c := newClient(t, Options{BaseURL: server.URL, KeyHeader: "X-CUSTOM-key"})
	for credential, want := range map[Credential]string{
		{Name: "none", Value: "unused"}: `[] ["c"]`,
		{Name: "empty", Send: true}:     `[""] ["c"]`,
		owner:                           fmt.Sprintf("[%q] [%q]", ownerKey, "c"),
	} {
		ex := c.Do(t.Context(), "c", Request{Method: "GET", Path: "/", Credential: credential})
		if status(t, ex, 200); string(ex.Response.Body) != want {
			t.Errorf("%s: the target saw %s, want %s", credential, ex.Response.Body, want)
		}
	}
}

// stale serves a first connection that answers one request and ends after it
// has read a second; later connections answer everything.
func stale(t *testing.T, requests *atomic.Int64) string {
	return listen(t, func(conn net.Conn, number int) {
		in := bufio.NewReader(conn)
		for i := 1; ; i++ {
			if nextRequest(in) == nil {
				return
			}
			requests.Add(1)
			if number == 1 && i == 2 {
				return
			}
			io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
		}
	})
}

func TestConnectionThatEndedWhileIdle(t *testing.T) {
	for _, r := range []Request{get("/x"), patch("/x", "{}"), {Method: "PATCH", Path: "/x"}} {
		var requests atomic.Int64
		c := newClient(t, Options{BaseURL: stale(t, &requests), IdleGrace: 1})
		status(t, c.Do(t.Context(), "c", get("/x")), 200)
		ex := c.Do(t.Context(), "c", r)
		status(t, ex, 200)
		if ex.Attempts != 2 || len(ex.Retried) != 1 || ex.Reused || requests.Load() != 3 {
			t.Errorf("%s: attempts %d, retried %q, reused %t, target saw %d requests", r.Method, ex.Attempts, ex.Retried, ex.Reused, requests.Load())
		}
	}
}

// net/http would send the GET again without a word.
func TestNothingIsResentSilently(t *testing.T) {
	for _, r := range []Request{get("/x"), patch("/x", "{}"), {Method: "PATCH", Path: "/x"}} {
		var requests atomic.Int64
		c := newClient(t, Options{BaseURL: stale(t, &requests), IdleGrace: time.Hour})
		status(t, c.Do(t.Context(), "c", get("/x")), 200)
		ex := c.Do(t.Context(), "c", r)
		expectKind(t, r.Method, ex, Closed, "used before")
		if ex.Attempts != 1 || !ex.Reused || requests.Load() != 2 {
			t.Errorf("%s: attempts %d, reused %t, target saw %d requests", r.Method, ex.Attempts, ex.Reused, requests.Load())
		}
	}
}

func TestDeleteIsNeverResent(t *testing.T) {
	var requests atomic.Int64
	c := newClient(t, Options{BaseURL: stale(t, &requests), IdleGrace: 1})
	both := c.DoInOrder(t.Context(), "c", get("/x"), Request{Method: "DELETE", Path: "/x"})
	status(t, both[0], 200)
	expectKind(t, "DELETE", both[1], Closed, "")
	if requests.Load() != 2 {
		t.Errorf("the target saw %d requests, want 2", requests.Load())
	}
}

// counting answers each request with the number of its connection.
func counting(t *testing.T) string {
	return listen(t, func(conn net.Conn, number int) {
		in := bufio.NewReader(conn)
		for r := nextRequest(in); r != nil && !r.Close; r = nextRequest(in) {
			fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n%d", number)
		}
		fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\n%d", number)
	})
}

func TestConnections(t *testing.T) {
	remove := Request{Method: "DELETE", Path: "/x"}
	c := newClient(t, Options{BaseURL: counting(t)})
	exchanges := []*Exchange{
		c.Do(t.Context(), "c", get("/x")),
		c.Do(t.Context(), "c", patch("/x", "{}")),
		c.Do(t.Context(), "c", remove), // a fresh one
		c.Do(t.Context(), "c", remove), // again a fresh one
		c.Do(t.Context(), "c", get("/x")),
	}
	exchanges = append(exchanges, c.DoInOrder(t.Context(), "c", get("/x"), remove, get("/x"))...) // one of their own
	var seen []string
	for i, ex := range exchanges {
		status(t, ex, 200)
		seen = append(seen, fmt.Sprintf("%s/%t", ex.Response.Body, ex.Reused))
		if ex.Seq != i+1 {
			t.Errorf("exchange %d has number %d", i+1, ex.Seq)
		}
	}
	const want = "1/false 1/true 2/false 3/false 1/true 4/false 4/true 4/true"
	if got := strings.Join(seen, " "); got != want {
		t.Errorf("connections %s, want %s", got, want)
	}
}

func TestUnixSocket(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Skip(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.Host+r.RequestURI)
	})}
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })
	c := newClient(t, Options{BaseURL: "unix://" + socket + ":/v2"})
	for _, ex := range []*Exchange{c.Do(t.Context(), "c", get("/x")), c.DoRaw(t.Context(), "c", get("/x"))} {
		if status(t, ex, 200); string(ex.Response.Body) != "localhost/v2/x" {
			t.Errorf("raw %t: the target saw %s", ex.Raw, ex.Response.Body)
		}
	}
}

func TestHTTP2(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.Proto)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	c := newClient(t, Options{BaseURL: server.URL, TLS: server.Client().Transport.(*http.Transport).TLSClientConfig})
	exchanges := append(c.DoTogether(t.Context(), "c", get("/x"), patch("/x", "{}"), get("/y")), c.Do(t.Context(), "c", get("/x")))
	for _, ex := range exchanges {
		if status(t, ex, 200); ex.Response.Proto != "HTTP/2.0" || string(ex.Response.Body) != "HTTP/2.0" {
			t.Errorf("%s, the target saw %s", ex.Response.Proto, ex.Response.Body)
		}
	}
}

// The second connection comes late. Until it is there, the first must not send.
func TestTogetherAreReleasedAtOnce(t *testing.T) {
	c := newClient(t, Options{BaseURL: counting(t), Concurrency: 1})
	sent := make(chan struct{})
	var dials atomic.Int64
	var early atomic.Bool
	dial := c.pooled.DialContext
	c.pooled.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		if dials.Add(1) == 2 {
			select { // only a client that does not wait leaves by the first way
			case <-sent:
				early.Store(true)
			case <-time.After(50 * time.Millisecond):
			}
		}
		conn, err := dial(ctx, network, address)
		return &watchedConn{Conn: conn, sent: sent}, err
	}
	for _, ex := range c.DoTogether(t.Context(), "c", get("/x"), patch("/x", "{}")) {
		status(t, ex, 200)
	}
	if early.Load() {
		t.Error("one request was sent before the other had its connection")
	}
	status(t, c.Do(t.Context(), "c", get("/x")), 200) // the slots were given back
}

type watchedConn struct {
	net.Conn
	sent chan struct{}
	once sync.Once
}

func (w *watchedConn) Write(b []byte) (int, error) {
	w.once.Do(func() {
		select {
		case w.sent <- struct{}{}:
		default:
		}
	})
	return w.Conn.Write(b)
}

// One request that fails to connect must not hold the others back for ever.
func TestTogetherWithFailures(t *testing.T) {
	c := newClient(t, Options{BaseURL: "unix://" + t.TempDir() + "/none"})
	for _, ex := range c.DoTogether(t.Context(), "c", get("/x"), get("/y"), get("bad")) {
		if ex.Err == nil || ex.Err.Kind != Refused && ex.Err.Kind != BadRequest {
			t.Errorf("%s: %v", ex.URL, ex.Err)
		}
	}
}

func TestConcurrencyBound(t *testing.T) {
	var now, most atomic.Int64
	two := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		n := now.Add(1)
		defer now.Add(-1)
		if n > most.Load() {
			most.Store(n)
		}
		if n == 2 {
			two <- struct{}{}
		} else {
			<-two // so that two are under way for sure
		}
	}))
	t.Cleanup(server.Close)
	c := newClient(t, Options{BaseURL: server.URL, Concurrency: 2})
	var lanes sync.WaitGroup
	for range 6 {
		lanes.Go(func() { c.Do(t.Context(), "c", get("/x")) })
	}
	lanes.Wait()
	if most.Load() != 2 {
		t.Errorf("%d requests at once, want 2", most.Load())
	}
}

func TestRate(t *testing.T) {
	var clock clock
	c := newClient(t, Options{BaseURL: counting(t), Rate: 10, Now: clock.Now, Sleep: clock.Sleep})
	for range 3 {
		status(t, c.Do(t.Context(), "c", get("/x")), 200)
	}
	c.DoTogether(t.Context(), "c", get("/x"), get("/x"))
	if got := clock.Now().Sub(epoch); got != 400*time.Millisecond {
		t.Errorf("five requests at 10/s took %s, want 400ms", got)
	}
}

func TestInterruption(t *testing.T) {
	hanging := make(chan struct{})
	c := newClient(t, Options{BaseURL: listen(t, func(conn net.Conn, _ int) {
		readRequest(conn)
		hanging <- struct{}{}
		untilGone(conn)
	}), Timeout: time.Hour})
	for _, send := range []func(context.Context, string, Request) *Exchange{c.Do, c.DoRaw} {
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-hanging; cancel() }()
		expectKind(t, "under way", send(ctx, "c", get("/x")), Canceled, "under way")
		ex := send(ctx, "c", get("/x"))
		expectKind(t, "after", ex, Canceled, "not sent")
		if ex.Attempts != 0 {
			t.Errorf("%d attempts after the interruption", ex.Attempts)
		}
		for _, ex := range append(c.DoTogether(ctx, "c", get("/x"), get("/y")), c.DoInOrder(ctx, "c", get("/x"))...) {
			expectKind(t, "after", ex, Canceled, "not sent")
		}
	}
}

// Large bodies share a buffer, but not what they hold.
func TestLargeBodies(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, strings.Repeat(r.URL.Path[1:], 3*largeBody))
	}))
	t.Cleanup(server.Close)
	c := newClient(t, Options{BaseURL: server.URL, MaxBody: 3 * largeBody})
	exchanges := c.DoTogether(t.Context(), "c", get("/a"), get("/b"), get("/c"))
	exchanges = append(exchanges, c.DoRaw(t.Context(), "c", get("/d")))
	for i, ex := range exchanges {
		want := strings.Repeat(string(rune('a'+i)), 3*largeBody)
		if status(t, ex, 200); string(ex.Response.Body) != want {
			t.Errorf("%s: %d bytes, not the %d as sent", ex.URL, len(ex.Response.Body), len(want))
		}
	}
	expectKind(t, "one byte more", c.Do(t.Context(), "c", get("/abcd")), TooLarge, "body")
}
