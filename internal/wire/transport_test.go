package wire

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
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

// expectAnomalies expects a body, and anomalies with these texts and with a source.
func expectAnomalies(t *testing.T, got *Response, body string, texts []string) {
	t.Helper()
	if string(got.Body) != body || len(got.Anomalies) != len(texts) {
		t.Fatalf("body %q, anomalies %+v", got.Body, got.Anomalies)
	}
	for i, a := range got.Anomalies {
		isOf204 := got.Status == http.StatusNoContent
		if !strings.Contains(a.Sentence, texts[i]) || a.Source == "" || a.Of204 != isOf204 {
			t.Errorf("%+v, want %s", a, texts[i])
		}
	}
}

func TestRawAnomalies(t *testing.T) {
	const (
		ok    = "HTTP/1.1 200 OK\r\n"
		none  = "HTTP/1.1 204 No Content\r\n"
		pairs = "Transfer-Encoding: chunked\r\n\r\n"
	)
	for answer, want := range map[string][]string{ // the body, and texts of the anomalies
		ok + "Content-Length: 2\r\n\r\n{}":                             {"{}"},
		ok + pairs + "1;x=y\r\n{\r\n1\r\n}\r\n0\r\nTrailer: t\r\n\r\n": {"{}"},
		ok + "\r\n{}":                                                 {"{}"},
		"HTTP/1.0 200 OK\r\n\r\n{}":                                   {"{}"},
		"HTTP/1.1 200\nContent-Length: 2\n\n{}":                       {"{}"},
		none + "\r\n":                                                 {""},
		none + "Content-Length: 2\r\n\r\n{}":                          {"{}"},
		none + pairs + "0\r\n\r\n":                                    {"0\r\n\r\n", "204 has Transfer-Encoding"},
		"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n":      {""},
		ok + "Content-Length: 2\r\n\r\n{}{}":                          {"{}", "2 bytes follow"},
		ok + pairs + "0\r\n\r\nx":                                     {"", "1 bytes follow"},
		ok + "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}":       {"{}", "more than once"},
		ok + "Content-Length: 9\r\n" + pairs + "2\r\n{}\r\n0\r\n\r\n": {"{}", "both"},
		ok + pairs + "2\r\n{}\r\n":                                    {"{}", "chunk of size 0"},
		ok + pairs + "2\r\n{}\r\n0\r\n":                               {"{}", "chunk of size 0"},
		ok + "Content-Length : 2\r\n\r\n{}x":                          {"{}x", "is malformed"},
		ok + "a b: c\r\nContent-Length: 2\r\n\r\n{}":                  {"{}", "is malformed"},
		ok + "A: b\r\n c\r\nContent-Length: 2\r\n\r\n{}":              {"{}", "is malformed"},
	} {
		t.Run(answer, func(t *testing.T) {
			t.Parallel()
			url := listen(t, func(conn net.Conn, _ int) {
				readRequest(conn)
				io.WriteString(conn, answer)
				if strings.HasPrefix(answer, none) { // a target that ignores Connection: close costs a moment, not the time-out
					untilGone(conn)
				}
			})
			c := newClient(t, Options{BaseURL: url, Timeout: time.Hour})
			ex := c.Do(t.Context(), "c", onRaw(patch("/x", "{}")))
			if isCut := slices.Contains(want, "chunk of size 0"); isCut {
				expectKind(t, answer, ex, Truncated, "")
			} else if ex.Err != nil {
				t.Fatal(ex.Err)
			}
			expectAnomalies(t, ex.Response, want[0], want[1:])
		})
	}
}

// A raw request is the same on the wire as one that is not, except for Connection: close. Bad
// percent-encoding stays as it is, even in the record and in the line that sends it again.
// readAsWritten returns the lines of a request's head, in order but for the first, and its body; nil at the end.
func readAsWritten(in *bufio.Reader) (lines []string, body string) {
	size := 0
	for len(lines) == 0 || lines[len(lines)-1] != "" {
		line, err := in.ReadString('\n')
		if err != nil {
			return nil, ""
		}
		fmt.Sscanf(line, "Content-Length: %d", &size)
		lines = append(lines, strings.TrimSpace(line))
	}
	slices.Sort(lines[1:])
	text := make([]byte, size)
	io.ReadFull(in, text)
	return lines, string(text)
}

func TestRawSendsTheSameRequest(t *testing.T) {
	requests := make(chan string, 1)
	base := listen(t, func(conn net.Conn, _ int) {
		in := bufio.NewReader(conn)
		for isOpen := true; isOpen; {
			lines, body := readAsWritten(in)
			if lines == nil {
				return
			}
			isOpen = !slices.Contains(lines, "Connection: close")
			lines = slices.DeleteFunc(lines, func(line string) bool { return line == "Connection: close" || line == "" })
			requests <- strings.Join(append(lines, body), "\n")
			io.WriteString(conn, "HTTP/1.1 204 No Content\r\n\r\n")
		}
	})
	c := newClient(t, Options{BaseURL: base, UserAgent: "adconform/1.2.3"})
	for _, r := range []Request{
		patch("/campaigns/%2B25?q=%20a", `{"name":"x"}`),
		{Method: "PATCH", Path: "/campaigns/25", Body: []byte{}},
		{Method: "PATCH", Path: "/campaigns/25"},
		{Method: "GET", Path: "/creatives/1/media-files", Header: http.Header{"Accept": nil, "x-extra": {"1", "2"}}},
		{Method: "DELETE", Path: "/creatives/1", Credential: Credential{Name: "empty", Send: true}},
		get("/campaigns/%zz"), get("/creatives/%/media-files"), get("/campaigns/%zz?page=%"),
	} {
		ex := c.Do(t.Context(), "case/1", r)
		status(t, ex, 204)
		pooled := <-requests
		status(t, c.Do(t.Context(), "case/1", onRaw(r)), 204)
		raw := <-requests
		isWhole := strings.HasPrefix(raw, r.Method+" "+r.Path+" HTTP/1.1\n") && strings.HasSuffix(raw, "\n"+string(r.Body))
		if raw != pooled || !isWhole {
			t.Errorf("%s %s:\n%s\nraw:\n%s", r.Method, r.Path, pooled, raw)
		}
		if ex.URL != base+r.Path || !strings.Contains(ex.Curl(), r.Path) {
			t.Errorf("%s is recorded as %q, %s", r.Path, ex.URL, ex.Curl())
		}
	}
}

// A target that speaks both versions gets HTTP/1.1 on a raw connection, and one that
// speaks only HTTP/2 an ordinary request: that is not a fault of the target.
// serveProtocols serves with TLS, to clients that offer one of these protocols.
func serveProtocols(t *testing.T, speaks []string) *httptest.Server {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.Proto)
	}))
	server.Config.ErrorLog = discardLog
	server.EnableHTTP2 = true
	server.TLS = &tls.Config{GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		protocols := speaks
		isOffered := func(p string) bool { return slices.Contains(hello.SupportedProtos, p) }
		if !slices.ContainsFunc(speaks, isOffered) {
			protocols = []string{"none"} // Go accepts HTTP/1.1 even if only h2 is configured
		}
		return &tls.Config{Certificates: server.TLS.Certificates, NextProtos: protocols}, nil
	}}
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

func TestRawRequestsToHTTP2(t *testing.T) {
	for proto, speaks := range map[string][]string{"HTTP/1.1": {"h2", "http/1.1"}, "HTTP/2.0": {"h2"}} {
		t.Run(proto, func(t *testing.T) {
			isRaw := proto == "HTTP/1.1"
			server := serveProtocols(t, speaks)
			c := newClient(t, Options{BaseURL: server.URL, TLS: server.Client().Transport.(*http.Transport).TLSClientConfig})
			odd := onRaw(get("/x"))
			odd.Odd = &Odd{Edits: []string{"Accept", "X-A"}}
			for range 2 {
				ex := c.Do(t.Context(), "c", odd)
				if isSent := ex.Err == nil; isSent != isRaw {
					t.Errorf("a request that HTTP clients do not write: %v", ex.Err)
				}
			}
			for _, r := range []Request{get("/x"), patch("/x", "{}"), {Method: "DELETE", Path: "/x"}} {
				ex := c.Do(t.Context(), "c", onRaw(r))
				status(t, ex, 200)
				seen := []any{ex.Raw, ex.Response.Proto, ex.Attempts, string(ex.Response.Body)}
				if want := []any{isRaw, proto, 1, proto}; !slices.Equal(seen, want) {
					t.Errorf("%s: raw, protocol, attempts, what the target saw: %v, want %v", r.Method, seen, want)
				}
			}
			expectAllWays(t, c)
		})
	}
}

func expectAllWays(t *testing.T, c *Client) {
	t.Helper()
	for _, way := range []Way{InOrder, Together, Around} {
		for _, ex := range c.DoAll(t.Context(), "c", way, patch("/x", "{}"), get("/x")) {
			status(t, ex, 200)
		}
	}
}
