package wire

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestRawAnomalies(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	const none = "HTTP/1.1 204 No Content\r\n"
	tests := map[string]struct {
		answer string
		body   string
		want   []AnomalyKind
	}{
		"plain":                  {ok + "Content-Length: 2\r\n\r\n{}", "{}", nil},
		"chunked":                {ok + "Transfer-Encoding: chunked\r\n\r\n1;x=y\r\n{\r\n1\r\n}\r\n0\r\nTrailer: t\r\n\r\n", "{}", nil},
		"until close":            {ok + "\r\n{}", "{}", nil},
		"HTTP/1.0":               {"HTTP/1.0 200 OK\r\n\r\n{}", "{}", nil},
		"bare LF, no reason":     {"HTTP/1.1 200\nContent-Length: 2\n\n{}", "{}", nil},
		"after 1xx":              {"HTTP/1.1 103 Early Hints\r\nbad line\r\n\r\n" + ok + "Content-Length: 2\r\n\r\n{}", "{}", nil},
		"204":                    {none + "\r\n", "", nil},
		"204 Content-Length: 0":  {none + "Content-Length: 0\r\n\r\n", "", []AnomalyKind{ZeroContentLengthOn204}},
		"204 Content-Length: 2":  {none + "Content-Length: 2\r\n\r\n", "", []AnomalyKind{ContentLengthOn204}},
		"204 with a body":        {none + "Content-Length: 2\r\n\r\n{}", "{}", []AnomalyKind{ContentLengthOn204, BodyOn204}},
		"204 with a hidden body": {none + "\r\n{}", "{}", []AnomalyKind{BodyOn204}},
		"204 chunked": {
			none + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
			"0\r\n\r\n",
			[]AnomalyKind{TransferEncodingOn204, BodyOn204},
		},
		"304 with Content-Length":     {"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", "", nil},
		"more than announced":         {ok + "Content-Length: 2\r\n\r\n{}{}", "{}", []AnomalyKind{SurplusBytes}},
		"more than the last chunk":    {ok + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nx", "", []AnomalyKind{SurplusBytes}},
		"two Content-Lengths":         {ok + "Content-Length: 2\r\nContent-Length: 4\r\n\r\n{}", "{}", []AnomalyKind{ConflictingContentLength}},
		"two Content-Lengths in one":  {ok + "Content-Length: 2, 4\r\n\r\n{}", "{}", []AnomalyKind{ConflictingContentLength}},
		"the same twice":              {ok + "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", "{}", []AnomalyKind{RepeatedContentLength}},
		"Content-Length not a number": {ok + "Content-Length: -2\r\n\r\n{}", "{}", []AnomalyKind{BadContentLength}},
		"both framings": {
			ok + "Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
			"{}",
			[]AnomalyKind{ContentLengthWithEncoding},
		},
		"header without colon":   {ok + "oops\r\nContent-Length: 2\r\n\r\n{}", "{}", []AnomalyKind{MalformedHeader}},
		"space before the colon": {ok + "Content-Length : 2\r\n\r\n{}x", "{}", []AnomalyKind{MalformedHeader, SurplusBytes}},
		"name not a token":       {ok + "a b: c\r\nContent-Length: 2\r\n\r\n{}", "{}", []AnomalyKind{MalformedHeader}},
		"folded header":          {ok + "A: b\r\n c\r\nContent-Length: 2\r\n\r\n{}", "{}", []AnomalyKind{MalformedHeader}},
		"control character":      {ok + "A: b\x01\r\nContent-Length: 2\r\n\r\n{}", "{}", []AnomalyKind{MalformedHeader}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClient(t, Options{BaseURL: answering(t, test.answer)})
			ex := c.Do(t.Context(), "c", onRaw(patch("/x", "{}")))
			if ex.Err != nil {
				t.Fatal(ex.Err)
			}
			if string(ex.Response.Body) != test.body {
				t.Errorf("body %q, want %q", ex.Response.Body, test.body)
			}
			expectAnomalies(t, ex, test.want...)
		})
	}
}

func expectAnomalies(t *testing.T, ex *Exchange, want ...AnomalyKind) {
	t.Helper()
	var got []AnomalyKind
	for _, a := range ex.Response.Anomalies {
		got = append(got, a.Kind)
		if a.Source == "" || a.Sentence == "" {
			t.Errorf("%s has no source or no sentence: %+v", a.Kind, a)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("anomalies %q, want %q", got, want)
	}
}

// A cut chunked body is a transport error whose anomaly may still be judged.
func TestRawMissingFinalChunk(t *testing.T) {
	c := newClient(t, Options{BaseURL: answering(t, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n")})
	ex := c.Do(t.Context(), "c", onRaw(get("/x")))
	expectKind(t, "raw", ex, Truncated, "chunked")
	expectAnomalies(t, ex, MissingFinalChunk)
}

// A target that ignores Connection: close costs a moment, not the time-out: the
// exchange would not end before the test's own deadline otherwise.
func TestRawDoesNotWaitForTheEnd(t *testing.T) {
	url := listen(t, func(conn net.Conn, _ int) {
		readRequest(conn)
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
		untilGone(conn)
	})
	c := newClient(t, Options{BaseURL: url, Timeout: time.Hour})
	status(t, c.Do(t.Context(), "c", onRaw(get("/x"))), 200)
}

// Raw and not raw put the same request on the wire, but for Connection: close.
func TestRawSendsTheSameRequest(t *testing.T) {
	requests := make(chan *http.Request, 2)
	url := listen(t, func(conn net.Conn, _ int) {
		in := bufio.NewReader(conn)
		for r := nextRequest(in); r != nil; r = nextRequest(in) {
			requests <- r
			io.WriteString(conn, "HTTP/1.1 204 No Content\r\n\r\n")
			if r.Close {
				return
			}
		}
	})
	c := newClient(t, Options{BaseURL: url, UserAgent: "adconform/1.2.3"})
	bodies := []Request{
		patch("/campaigns/%2B25?q=%20a", `{"name":"x"}`),
		{Method: "PATCH", Path: "/campaigns/25", HasBody: true},
		{Method: "PATCH", Path: "/campaigns/25"},
		{Method: "GET", Path: "/creatives/1/media-files", Header: http.Header{"Accept": nil, "x-extra": {"1", "2"}}},
		{Method: "DELETE", Path: "/creatives/1", Credential: Credential{Name: "empty", Send: true}},
	}
	for _, r := range bodies {
		status(t, c.Do(t.Context(), "case/1", r), 204)
		status(t, c.Do(t.Context(), "case/1", onRaw(r)), 204)
		pooled, raw := <-requests, <-requests
		if !raw.Close {
			t.Errorf("%s %s: raw without Connection: close", r.Method, r.Path)
		}
		raw.Header.Del("Connection")
		pooled.Header.Del("Connection") // DELETE, see Do
		if !reflect.DeepEqual(pooled.Header, raw.Header) || pooled.RequestURI != raw.RequestURI || pooled.Host != raw.Host {
			t.Errorf("%s %s differs:\n%s %v\n%s %v", r.Method, r.Path, pooled.RequestURI, pooled.Header, raw.RequestURI, raw.Header)
		}
		a, _ := io.ReadAll(pooled.Body)
		b, _ := io.ReadAll(raw.Body)
		if string(a) != string(r.Body) || string(b) != string(r.Body) {
			t.Errorf("%s %s: bodies %q and %q, want %q", r.Method, r.Path, a, b, r.Body)
		}
		if raw.RequestURI != r.Path {
			t.Errorf("path %q, want %q", raw.RequestURI, r.Path)
		}
	}
}

func TestRawOverTLS(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.Proto)
	}))
	t.Cleanup(server.Close)
	c := newClient(t, Options{BaseURL: server.URL, TLS: server.Client().Transport.(*http.Transport).TLSClientConfig})
	ex := c.Do(t.Context(), "c", onRaw(get("/x")))
	status(t, ex, 200)
	if !ex.Raw || string(ex.Response.Body) != "HTTP/1.1" {
		t.Errorf("raw %t, the target saw %s", ex.Raw, ex.Response.Body)
	}
	expectAnomalies(t, ex)
}

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

// Bad percent-encoding reaches the wire as it is, whichever way it is sent, and
// stands so in the record and in the line to send it again.
func TestBadEncodingReachesTheWire(t *testing.T) {
	lines := make(chan string, 3)
	address := listen(t, func(conn net.Conn, _ int) {
		in := bufio.NewReader(conn)
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			lines <- strings.TrimSpace(line)
			for line != "\r\n" {
				if line, err = in.ReadString('\n'); err != nil {
					return
				}
			}
			io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
		}
	})
	c := newClient(t, Options{BaseURL: address + "/v2"})
	for _, path := range []string{"/campaigns/%zz", "/creatives/%/media-files", "/campaigns/%zz?page=%"} {
		for name, send := range map[string]func() *Exchange{
			"pooled": func() *Exchange { return c.Do(t.Context(), "c", get(path)) },
			"raw":    func() *Exchange { return c.Do(t.Context(), "c", onRaw(get(path))) },
			"fresh": func() *Exchange {
				return c.Do(t.Context(), "c", Request{Method: http.MethodDelete, Path: path, Credential: owner})
			},
		} {
			ex := send()
			status(t, ex, http.StatusBadRequest)
			if got, want := <-lines, fmt.Sprintf("%s /v2%s HTTP/1.1", ex.Request.Method, path); got != want {
				t.Errorf("%s: the target saw %q, want %q", name, got, want)
			}
			if ex.URL != address+"/v2"+path || !strings.Contains(ex.Curl(), "/v2"+path) {
				t.Errorf("%s: recorded as %q, %s", name, ex.URL, ex.Curl())
			}
		}
	}
}
