package wire

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/adconform/adconform/fixtures"
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
		io.WriteString(w, r.Host+" "+r.Header.Get(fixtures.DefaultKeyHeader)+r.Header.Get("Proxy-Authorization"))
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
