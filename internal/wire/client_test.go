package wire

import (
	"bufio"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestBaseURLsThatCannotBeUsed(t *testing.T) {
	for _, baseURL := range strings.Fields(`localhost:80 ftp://a http:// http://a:b%zz http://me:secret-word@a http://a/?x http://a/#x`) {
		if _, err := New(Options{BaseURL: baseURL}); err == nil || !strings.Contains(err.Error(), "give scheme, host") ||
			strings.Contains(err.Error(), "secret-word") {
			t.Errorf("%s: error %v", baseURL, err)
		}
	}
}

const proxyPassword = "p@ss/word-1"

// connectProxy tunnels every CONNECT to one address, or answers it with a status. It counts the
// tunnels and records the credentials.
func connectProxy(t *testing.T, status int, to string) (url string, tunnels *atomic.Int64, credentials *atomic.Value) {
	tunnels, credentials = new(atomic.Int64), new(atomic.Value)
	address := listen(t, func(conn net.Conn, _ int) {
		in := bufio.NewReader(conn)
		r := nextRequest(in)
		if r == nil {
			return
		}
		credentials.Store(r.Header.Get("Proxy-Authorization"))
		if r.Method != http.MethodConnect || status != http.StatusOK {
			echo := r.Header.Get("Proxy-Authorization")
			fmt.Fprintf(conn, "HTTP/1.1 %d %s\r\nX-Echo: %s\r\nContent-Length: 0\r\n\r\n", status, echo, echo)
			return
		}
		target, err := net.Dial("tcp", to)
		if err != nil {
			return
		}
		defer target.Close()
		tunnels.Add(1)
		io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n")
		go func() {
			io.Copy(target, in)
			target.Close()
		}()
		io.Copy(conn, target)
	})
	return strings.Replace(address, "http://", "http://me:p%40ss%2Fword-1@", 1), tunnels, credentials
}

func noProxies(t *testing.T) {
	for _, name := range []string{"HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "REQUEST_METHOD"} {
		t.Setenv(name, "")
		t.Setenv(strings.ToLower(name), "")
	}
}

func TestProxyOfTheEnvironment(t *testing.T) {
	noProxies(t)
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { // its certificate is for example.com
		io.WriteString(w, r.Host+" "+r.Header.Get(keyHeader)+r.Header.Get("Proxy-Authorization"))
	}))
	t.Cleanup(server.Close)
	proxy, tunnels, credentials := connectProxy(t, 200, server.Listener.Addr().String())
	t.Setenv("HTTPS_PROXY", proxy)
	c := newClient(t, Options{BaseURL: "https://example.com/v2", TLS: server.Client().Transport.(*http.Transport).TLSClientConfig})
	for _, ex := range []*Exchange{
		c.Do(t.Context(), "c", get("/x")),
		c.Do(t.Context(), "c", Request{Method: "DELETE", Path: "/x", Credential: owner}),
		c.Do(t.Context(), "c", onRaw(get("/x"))),
	} {
		if status(t, ex, 200); string(ex.Response.Body) != "example.com "+ownerKey || ex.Raw {
			t.Errorf("the target saw %q, raw %t", ex.Response.Body, ex.Raw)
		}
	}
	if n := tunnels.Load(); n != 2 { // one is kept, and DELETE has its own
		t.Errorf("%d tunnels, want 2", n)
	}
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte("me:"+proxyPassword))
	if got := credentials.Load(); got != want {
		t.Errorf("the proxy saw the credentials %q, want %q", got, want)
	}
	t.Setenv("NO_PROXY", "example.com")
	if c := newClient(t, Options{BaseURL: "https://example.com/v2"}); c.proxy != nil {
		t.Error("NO_PROXY is not heeded")
	}
}

// Behind a proxy nothing shows its password, even if the proxy repeats it in an answer.
func TestThePasswordOfAProxyIsNotShown(t *testing.T) {
	noProxies(t)
	proxy, _, _ := connectProxy(t, 407, "")
	t.Setenv("HTTPS_PROXY", proxy)
	t.Setenv("HTTP_PROXY", proxy)
	for _, baseURL := range []string{"https://example.com", "http://example.com"} {
		ex := newClient(t, Options{BaseURL: baseURL}).Do(t.Context(), "c", get("/x"))
		expectKind(t, baseURL, ex, Proxy, "")
		shown := fmt.Sprint(ex.URL, ex.Err, ex.Curl(), ex.Shown(1000).Header)
		for _, secret := range []string{proxyPassword, "p%40ss", base64.StdEncoding.EncodeToString([]byte("me:" + proxyPassword))[4:]} {
			if strings.Contains(shown, secret) {
				t.Errorf("%s is in %s", secret, shown)
			}
		}
	}
}

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

// A connection that was used before may end without an answer: the client sends the request again on a
// fresh one, and later requests as well. A request that fails there, too, is lost, and so is an answer that
// was cut off on any connection. Bytes that are not HTTP may be left over from the previous answer.
const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

// answerInTurn answers the requests of a connection, which ends after an answer other than ok.
func answerInTurn(conn net.Conn, answers []string) {
	in := bufio.NewReader(conn)
	for _, answer := range answers {
		if nextRequest(in) == nil {
			return
		}
		if io.WriteString(conn, answer); answer != ok {
			return
		}
	}
}

func TestWhatAReusedConnectionDoesNotAnswer(t *testing.T) {
	for name, row := range map[string]struct {
		second, later string // what the connection answers to a second request, and what later ones answer
		kind          Kind
		attempts      int
	}{
		"ended":                {"", ok, "", 2},
		"gone":                 {"", "", Closed, 2},
		"in part":              {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{", ok, Truncated, 1},
		"no HTTP":              {"OK\r\n\r\n", ok, "", 2},
		"the rest of a longer": {"{}HTTP/1.1 200 OK\r\n\r\n", ok, "", 2},
	} {
		for _, r := range []Request{get("/x"), patch("/x", "{}"), {Method: "PATCH", Path: "/x"}} {
			c := newClient(t, Options{BaseURL: listen(t, func(conn net.Conn, number int) {
				answers := []string{row.later, row.later}
				if number == 1 {
					answers = []string{ok, row.second}
				}
				answerInTurn(conn, answers)
			})})
			status(t, c.Do(t.Context(), "c", get("/x")), 200)
			ex := c.Do(t.Context(), "c", r)
			expectKind(t, name, ex, row.kind, "")
			if ex.Attempts != row.attempts || ex.Resent != row.attempts-1 {
				t.Errorf("%s, %s: attempts %d, resent %d", name, r.Method, ex.Attempts, ex.Resent)
			}
		}
	}
}

// Each answer has the number of its connection.
func TestConnections(t *testing.T) {
	remove := Request{Method: "DELETE", Path: "/x"}
	c := newClient(t, Options{BaseURL: listen(t, func(conn net.Conn, number int) {
		in := bufio.NewReader(conn)
		for r := nextRequest(in); r != nil && !r.Close; r = nextRequest(in) {
			fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n%d", number)
		}
		fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\n%d", number)
	})})
	exchanges := []*Exchange{
		c.Do(t.Context(), "c", get("/x")),
		c.Do(t.Context(), "c", patch("/x", "{}")),
		c.Do(t.Context(), "c", remove), // a fresh connection
		c.Do(t.Context(), "c", remove), // another fresh connection
		c.Do(t.Context(), "c", get("/x")),
	}
	exchanges = append(exchanges, c.DoAll(t.Context(), "c", InOrder, get("/x"), remove, get("/x"))...) // on one connection of their own
	var seen []string
	for i, ex := range exchanges {
		status(t, ex, 200)
		seen = append(seen, string(ex.Response.Body))
		if ex.Seq != i+1 {
			t.Errorf("exchange %d has number %d", i+1, ex.Seq)
		}
	}
	const want = "1 1 2 3 1 4 4 4"
	if got := strings.Join(seen, " "); got != want {
		t.Errorf("connections %s, want %s", got, want)
	}
}

// The second connection comes late. Until it is established, the first must send nothing.
func TestTogetherAreReleasedAtOnce(t *testing.T) {
	sent := make(chan struct{}, 2)
	var dials atomic.Int64
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		if dials.Add(1) == 2 {
			select { // only a client that does not wait gets to the first case
			case <-sent:
				t.Error("one request was sent before the other had its connection")
			case <-time.After(50 * time.Millisecond):
			}
		}
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	c := newClient(t, Options{BaseURL: serve(t, func(http.ResponseWriter, *http.Request) { sent <- struct{}{} }), Dial: dial})
	for _, ex := range c.DoAll(t.Context(), "c", Together, get("/x"), patch("/x", "{}")) {
		status(t, ex, 200)
	}
}

const (
	done   = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
	denied = "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"
)

var stranger = Credential{Name: "stranger", Value: "stranger-Q7x-key", Send: true}

func as(c Credential, r Request) Request {
	r.Credential = c
	return r
}

// The server reports which user sent the last request before the second half came.
func TestAnotherRequestIsAnsweredBetweenTwoHalves(t *testing.T) {
	for _, request := range []Request{patch("/x", `{"name":"half and half"}`), get("/x")} {
		var last atomic.Value
		c := newClient(t, Options{BaseURL: serve(t, func(_ http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			last.Store(r.Header.Get("X-Api-Key"))
		})})
		exchanges := c.DoAll(t.Context(), "c", Around, as(stranger, request), request)
		for _, ex := range exchanges {
			status(t, ex, 200)
		}
		if !exchanges[1].Around || last.Load() != ownerKey {
			t.Errorf("%s: the stranger was answered between the halves: %t; last was %v", request.Method, exchanges[1].Around, last.Load())
		}
	}
}

func TestATargetThatServesOneConnectionAfterAnother(t *testing.T) {
	var turn sync.Mutex
	c := newClient(t, Options{Timeout: 2 * time.Second, BaseURL: listen(t, func(conn net.Conn, _ int) {
		turn.Lock()
		defer turn.Unlock()
		readRequest(conn)
		io.WriteString(conn, strings.Replace(done, "\r\n\r\n", "\r\nConnection: close\r\n\r\n", 1))
		conn.Close()
	})})
	for range 3 { // the later ones do not try again
		for _, ex := range c.DoAll(t.Context(), "c", Around, patch("/x", `{"name":"a"}`), patch("/x", `{"name":"b"}`)) {
			status(t, ex, 200)
			if ex.Around {
				t.Error("a request was answered between the halves of another")
			}
		}
	}
	if !c.oneByOne.Load() {
		t.Error("the client would try it again")
	}
}

func TestATargetThatServesOneConnectionUntilItEnds(t *testing.T) {
	var turn sync.Mutex
	c := newClient(t, Options{Timeout: 2 * time.Second, BaseURL: listen(t, func(conn net.Conn, _ int) {
		turn.Lock()
		defer turn.Unlock()
		for in := bufio.NewReader(conn); ; {
			r, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			io.Copy(io.Discard, r.Body)
			io.WriteString(conn, done)
		}
	})})
	for _, method := range []string{http.MethodGet, http.MethodDelete, http.MethodGet} { // a DELETE has its own connection
		status(t, c.Do(t.Context(), "c", as(owner, Request{Method: method, Path: "/x"})), 200)
	}
}

func TestATargetThatAnswersTheFirstHalf(t *testing.T) {
	for answer, want := range map[string]int{denied: 403, "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n": 408, "": 0} {
		c := newClient(t, Options{BaseURL: listen(t, func(conn net.Conn, _ int) {
			r, err := http.ReadRequest(bufio.NewReader(conn))
			switch {
			case err != nil:
			case r.Header.Get("X-Api-Key") == ownerKey:
				io.WriteString(conn, answer)
			default:
				io.ReadAll(r.Body)
				io.WriteString(conn, denied)
			}
		})})
		exchanges := c.DoAll(t.Context(), "c", Around, as(stranger, patch("/x", `{"name":"b"}`)), patch("/x", `{"name":"a"}`))
		status(t, exchanges[0], 403)
		if !exchanges[1].Around {
			t.Errorf("%q: the stranger's request was not answered between the owner's halves", answer)
		}
		if err := exchanges[1].Err; want == 0 && (err == nil || err.Kind != Closed && err.Kind != Reset) {
			t.Errorf("connection ended: got %v", err)
		}
		if want > 0 {
			status(t, exchanges[1], want)
		}
	}
}
