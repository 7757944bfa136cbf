package wire

import (
	"io"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// With each hostile target the exchange ends in bounded time, with the kind that
// names what the target did, over net/http and over a raw connection.
func TestHostileTargets(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	const chunked = ok + "Transfer-Encoding: chunked\r\n\r\n"
	kilobyte := strings.Repeat("a", 1000)
	again := func(text string) func(net.Conn) { return func(conn net.Conn) { endless(conn, text) } }
	drip := func(conn net.Conn) {
		for range time.Tick(time.Millisecond) {
			if _, err := conn.Write([]byte("x")); err != nil {
				return
			}
		}
	}
	end := func(net.Conn) {}
	reset := func(conn net.Conn) { conn.(*net.TCPConn).SetLinger(0) }
	for name, test := range map[string]struct {
		begin  string
		then   func(net.Conn)
		kind   Kind
		detail string // a part of the error's detail
	}{
		"hang before the head": {"", untilGone, Timeout, "waiting for the response"},
		"hang in the head":     {ok + "A: b\r\n", untilGone, Timeout, "of the response head"},
		"hang in the body":     {ok + "Content-Length: 9\r\n\r\n{}", untilGone, Timeout, "of the response body"},
		"drip":                 {ok + "Content-Length: 1000000\r\n\r\n", drip, Timeout, "of the response body"},
		"endless headers":      {ok, again("X-More: " + kilobyte + "\r\n"), TooLarge, "head"},
		"flood of 1xx":         {"", again("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"), TooLarge, "head"},
		"endless chunked body": {chunked, again("3e8\r\n" + kilobyte + "\r\n"), TooLarge, "body"},
		"body of 300 MB announced and never sent": {
			ok + "Content-Length: 300000000\r\n\r\n", untilGone, TooLarge, "300000000",
		},
		"Content-Length larger than the body": {ok + "Content-Length: 9\r\n\r\n{}", end, Truncated, ""},
		"no final chunk":                      {chunked + "2\r\n{}\r\n", end, Truncated, ""},
		"chunk size that is no number":        {chunked + "zz\r\n{}\r\n0\r\n\r\n", end, Malformed, ""},
		"malformed status line":               {"HTTP/1.1 OK 200\r\n\r\n", end, Malformed, ""},
		"header line without a colon":         {ok + "nonsense\r\nContent-Length: 2\r\n\r\n{}", end, Malformed, ""},
		"end before the first byte":           {"", end, Closed, "before a response"},
		"end in the head":                     {ok + "A: b\r\n", end, Truncated, ""},
		"reset in the body":                   {ok + "Content-Length: 9\r\n\r\n{}", reset, Reset, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := listen(t, func(conn net.Conn, _ int) {
				readRequest(conn)
				io.WriteString(conn, test.begin)
				test.then(conn)
			})
			c := newClient(t, Options{BaseURL: url, Timeout: time.Minute})
			if test.kind == Timeout {
				c = newClient(t, Options{BaseURL: url, Timeout: 2 * time.Second}) // enough for a connection and a head
			}
			expectKind(t, "Do", c.Do(t.Context(), "c", get("/x")), test.kind, test.detail)
			expectKind(t, "raw", c.Do(t.Context(), "c", onRaw(get("/x"))), test.kind, test.detail)
		})
	}
}

func expectKind(t *testing.T, how string, ex *Exchange, want Kind, detail string) {
	t.Helper()
	switch {
	case want == "" && ex.Err != nil:
		t.Errorf("%s: %v, want an answer", how, ex.Err)
	case want == "" && string(ex.Response.Body) != "{}":
		t.Errorf("%s: body %q", how, ex.Response.Body)
	case want == "":
	case ex.Err == nil:
		t.Errorf("%s: an answer, want %s", how, want)
	case ex.Err.Kind != want || !strings.Contains(ex.Err.Detail, detail):
		t.Errorf("%s: %v, want %s: … %s …", how, ex.Err, want, detail)
	case want == TooLarge && ex.Response != nil && len(ex.Response.Body) > keptOfTooLarge:
		t.Errorf("%s: kept %d bytes", how, len(ex.Response.Body))
	}
}

func endless(conn net.Conn, text string) {
	block := []byte(strings.Repeat(text, 1+64<<10/len(text)))
	for {
		if _, err := conn.Write(block); err != nil {
			return
		}
	}
}

func TestNoConnection(t *testing.T) {
	untrusted := httptest.NewTLSServer(nil)
	t.Cleanup(untrusted.Close)
	untrusted.Config.ErrorLog = discardLog
	plain := answering(t, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
	for url, want := range map[string]Kind{
		"http://127.0.0.1:0": Refused,
		untrusted.URL:        TLS,
		strings.Replace(plain, "http:", "https:", 1): TLS,
	} {
		c := newClient(t, Options{BaseURL: url})
		expectKind(t, "Do", c.Do(t.Context(), "c", get("/x")), want, "")
		expectKind(t, "raw", c.Do(t.Context(), "c", onRaw(get("/x"))), want, "")
		for _, ex := range c.DoAll(t.Context(), "c", Around, patch("/x", "{}"), get("/x")) {
			expectKind(t, "around", ex, want, "")
		}
		for _, ex := range c.DoAll(t.Context(), "c", Together, get("/x"), get("/y")) { // neither request blocks the other
			expectKind(t, "together", ex, want, "")
		}
	}
}
