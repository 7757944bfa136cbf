package wire

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A stream that the server resets ends the exchange after at most two requests, however net/http would go on.
func TestHTTP2StreamResets(t *testing.T) {
	var aborted atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/abort") {
			aborted.Add(1)
			panic(http.ErrAbortHandler)
		}
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	authorities := x509.NewCertPool()
	authorities.AddCert(server.Certificate())
	trust := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: authorities}
	for name, test := range map[string]struct {
		request Request
		kind    Kind
	}{
		"malformed path of a read":      {get("/%zz"), Rejected},
		"malformed path of an update":   {patch("/%zz", "{}"), Rejected},
		"malformed path of a delete":    {Request{Method: "DELETE", Path: "/%zz", Credential: owner}, Rejected},
		"read that the server aborts":   {get("/abort"), Reset},
		"update that the server aborts": {patch("/abort", "{}"), Reset},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClient(t, Options{BaseURL: server.URL, TLS: trust, Timeout: time.Minute})
			for range 2 { // the second request finds a connection in the pool
				ordinary := c.Do(t.Context(), "c", get("/x"))
				status(t, ordinary, 200)
				if ordinary.Response.Proto != "HTTP/2.0" {
					t.Fatalf("the connection speaks %s", ordinary.Response.Proto)
				}
				m := c.begin("c", test.request)
				c.attempt(t.Context(), m, c.sendViaPool)
				expectKind(t, name, m.ex, test.kind, "HTTP/2 stream")
				if m.ex.Attempts > 2 {
					t.Errorf("%d requests were sent, at most 2 were expected", m.ex.Attempts)
				}
			}
		})
	}
	if n := aborted.Load(); n != 4 {
		t.Errorf("the server aborted %d requests, but 4 were sent", n)
	}
}
