package wire

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

func TestBadRequestIsNotSent(t *testing.T) {
	c := newClient(t, Options{BaseURL: answering(t, "HTTP/1.1 204 No Content\r\n\r\n")})
	for _, r := range []Request{
		get("campaigns"), get("/a#b"), get("/%zz é"),
		{Method: "GE T", Path: "/"},
		{Method: "GET", Path: "/", Header: http.Header{"A": {"b\r\nX-Api-Key: c"}}},
		{Method: "GET", Path: "/", Header: http.Header{"A b": {"c"}}},
	} {
		for _, ex := range append(c.DoAll(t.Context(), "c", Together, r), c.Do(t.Context(), "c", r), c.Do(t.Context(), "c", onRaw(r))) {
			if ex.Err == nil || ex.Err.Kind != BadRequest || ex.Attempts != 0 {
				t.Errorf("%+v: %v after %d attempts", r, ex.Err, ex.Attempts)
			}
		}
	}
}

func TestKeyHeader(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%q %q", r.Header["X-Custom-Key"], r.Header[CaseHeader])
	})
	c := newClient(t, Options{BaseURL: url, KeyHeader: "X-CUSTOM-key"})
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

// stale serves some connections that answer one request each and end after
// they have read a second; later connections answer everything, or nothing.
func stale(t *testing.T, connections int, later bool, requests *atomic.Int64) string {
	return listen(t, func(conn net.Conn, number int) {
		in := bufio.NewReader(conn)
		for i := 1; nextRequest(in) != nil; i++ {
			if requests.Add(1); number <= connections && i == 2 || number > connections && !later {
				return
			}
			io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
		}
	})
}

// What fails on a fresh connection, too, is lost.
func TestWhatAReusedConnectionDoesNotAnswerIsSentAgain(t *testing.T) {
	for _, r := range []Request{get("/x"), patch("/x", "{}"), {Method: "PATCH", Path: "/x"}} {
		for kind, later := range map[Kind]bool{"": true, Closed: false} {
			var requests atomic.Int64
			c := newClient(t, Options{BaseURL: stale(t, 1, later, &requests)})
			status(t, c.Do(t.Context(), "c", get("/x")), 200)
			ex := c.Do(t.Context(), "c", r)
			expectKind(t, r.Method, ex, kind, "")
			if ex.Attempts != 2 || ex.Resent != 1 || ex.Reused || requests.Load() != 3 {
				t.Errorf("%s: attempts %d, resent %d, reused %t, target saw %d requests", r.Method, ex.Attempts, ex.Resent, ex.Reused, requests.Load())
			}
		}
	}
}

// An answer that began is lost, whatever the connection. What is no HTTP may be left
// over from the answer before.
func TestWhatAReusedConnectionAnswersInPart(t *testing.T) {
	for rest, want := range map[string]struct {
		kind     Kind
		attempts int
	}{
		"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{": {Truncated, 1},
		"OK\r\n\r\n":                {"", 2},
		"{}HTTP/1.1 200 OK\r\n\r\n": {"", 2}, // a body that was longer than it said
	} {
		c := newClient(t, Options{BaseURL: listen(t, func(conn net.Conn, _ int) {
			in := bufio.NewReader(conn)
			nextRequest(in)
			io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
			if nextRequest(in) != nil {
				io.WriteString(conn, rest)
			}
		})})
		both := c.DoAll(t.Context(), "c", InOrder, get("/x"), get("/x"))
		status(t, both[0], 200)
		expectKind(t, rest, both[1], want.kind, "")
		if both[1].Attempts != want.attempts {
			t.Errorf("%q: %d attempts, %d of them resends", rest, both[1].Attempts, both[1].Resent)
		}
	}
}

// Once a connection ended without a word each request has its own, so that what is
// lost then is lost for certain.
func TestConnectionsThatAreNotKeptAreNotUsedAgain(t *testing.T) {
	var requests atomic.Int64
	c := newClient(t, Options{BaseURL: stale(t, 1, true, &requests)})
	for i := range 5 {
		ex := c.Do(t.Context(), "c", get("/x"))
		if status(t, ex, 200); ex.Reused {
			t.Errorf("request %d went over a reused connection", i+1)
		}
	}
}

func TestInOrderTheRestGoesOnFreshConnections(t *testing.T) {
	c := newClient(t, Options{BaseURL: listen(t, func(conn net.Conn, _ int) {
		if nextRequest(bufio.NewReader(conn)) != nil {
			io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
		}
	})})
	for range 20 { // the end is seen before, or after the next request is sent
		for i, ex := range c.DoAll(t.Context(), "c", InOrder, get("/x"), patch("/x", "{}"), Request{Method: "DELETE", Path: "/x"}) {
			if status(t, ex, 200); ex.Reused {
				t.Errorf("request %d went over a connection that had ended", i+1)
			}
		}
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
	exchanges = append(exchanges, c.DoAll(t.Context(), "c", InOrder, get("/x"), remove, get("/x"))...) // one of their own
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

// The second connection comes late. Until it is there, the first must not send.
func TestTogetherAreReleasedAtOnce(t *testing.T) {
	sent := make(chan struct{}, 2)
	c := newClient(t, Options{BaseURL: serve(t, func(http.ResponseWriter, *http.Request) { sent <- struct{}{} })})
	var dials atomic.Int64
	c.dialer.Control = func(string, string, syscall.RawConn) error {
		if dials.Add(1) == 2 {
			select { // only a client that does not wait leaves by the first way
			case <-sent:
				t.Error("one request was sent before the other had its connection")
			case <-time.After(50 * time.Millisecond):
			}
		}
		return nil
	}
	for _, ex := range c.DoAll(t.Context(), "c", Together, get("/x"), patch("/x", "{}")) {
		status(t, ex, 200)
	}
}

func TestTogetherWhenOneCannotConnect(t *testing.T) {
	c := newClient(t, Options{BaseURL: counting(t)})
	var dials atomic.Int64
	c.dialer.Control = func(string, string, syscall.RawConn) error {
		if dials.Add(1) == 2 {
			return errors.New("no route to host")
		}
		return nil
	}
	kinds := map[Kind]int{}
	for _, ex := range c.DoAll(t.Context(), "c", Together, get("/x"), get("/y")) {
		if ex.Err != nil {
			kinds[ex.Err.Kind]++
		}
	}
	if len(kinds) != 1 || kinds[Unreachable] != 1 {
		t.Errorf("failures %v, want one unreachable", kinds)
	}
}
