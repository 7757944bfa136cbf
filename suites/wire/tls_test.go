package wire

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
)

func tlsServer(t *testing.T, http2 bool, config *tls.Config) (server *httptest.Server, trust *tls.Config) {
	server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %d", r.Proto, len(r.TLS.PeerCertificates))
	}))
	server.Config.ErrorLog = discardLog
	server.EnableHTTP2, server.TLS = http2, config
	server.StartTLS()
	t.Cleanup(server.Close)
	return server, server.Client().Transport.(*http.Transport).TLSClientConfig
}

// A target that speaks both gets HTTP/1.1 on a raw connection, one that speaks
// HTTP/2 only an ordinary one: that is no fault of the target.
func TestRawRequestsToHTTP2(t *testing.T) {
	for name, test := range map[string]struct {
		speaks []string
		raw    bool
		proto  string
	}{
		"both":        {[]string{"h2", "http/1.1"}, true, "HTTP/1.1"},
		"HTTP/2 only": {[]string{"h2"}, false, "HTTP/2.0"},
	} {
		t.Run(name, func(t *testing.T) {
			var server *httptest.Server
			var trust *tls.Config
			server, trust = tlsServer(t, true, &tls.Config{GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
				speaks := test.speaks
				if !slices.ContainsFunc(speaks, func(p string) bool { return slices.Contains(hello.SupportedProtos, p) }) {
					speaks = []string{"none"} // Go lets HTTP/1.1 pass where h2 alone is configured
				}
				return &tls.Config{Certificates: server.TLS.Certificates, NextProtos: speaks}, nil
			}})
			c := newClient(t, Options{BaseURL: server.URL, TLS: trust})
			for range 2 {
				for _, r := range []Request{get("/x"), patch("/x", "{}"), {Method: "DELETE", Path: "/x"}} {
					ex := c.Do(t.Context(), "c", onRaw(r))
					status(t, ex, 200)
					if ex.Raw != test.raw || ex.Response.Proto != test.proto || ex.Attempts != 1 || string(ex.Response.Body) != test.proto+" 0" {
						t.Errorf("%s: raw %t after %d attempts, %s; the target saw %s", r.Method, ex.Raw, ex.Attempts, ex.Response.Proto, ex.Response.Body)
					}
				}
			}
		})
	}
}

// A certificate that nobody vouches for is TLS trouble unless it is to be
// ignored; a client certificate goes over every kind of connection.
func TestCertificates(t *testing.T) {
	var asked atomic.Int64
	server, trust := tlsServer(t, false, &tls.Config{ClientAuth: tls.RequireAnyClientCert, VerifyConnection: func(tls.ConnectionState) error {
		asked.Add(1)
		return nil
	}})
	identified := trust.Clone()
	identified.Certificates = server.TLS.Certificates[:1]
	unchecked := &tls.Config{InsecureSkipVerify: true, Certificates: identified.Certificates}
	for name, test := range map[string]struct {
		config *tls.Config
		ok     bool
	}{
		"unknown authority":     {&tls.Config{Certificates: identified.Certificates}, false},
		"no client certificate": {trust, false},
		"trusted":               {identified, true},
		"not checked":           {unchecked, true},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClient(t, Options{BaseURL: server.URL, TLS: test.config})
			r := get("/x")
			for _, ex := range append(c.DoAll(t.Context(), "c", InOrder, r), c.Do(t.Context(), "c", r), c.Do(t.Context(), "c", onRaw(r))) {
				if !test.ok {
					// With TLS 1.3 the target may end the connection before its alert is read.
					if ex.Err == nil || ex.Err.Kind != TLS && ex.Err.Kind != Reset {
						t.Errorf("raw %t: %v", ex.Raw, ex.Err)
					}
					continue
				}
				if status(t, ex, 200); string(ex.Response.Body) != "HTTP/1.1 1" {
					t.Errorf("raw %t: the target saw %s", ex.Raw, ex.Response.Body)
				}
			}
		})
	}
	if asked.Load() == 0 {
		t.Error("no handshake came to its end")
	}
}
