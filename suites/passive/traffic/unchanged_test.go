package traffic

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"strings"
	"testing"

	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
)

// raw sends bytes to a server and gives what comes back until it closes.
func raw(t *testing.T, server, request string) string {
	t.Helper()
	conn, err := net.Dial("tcp", server)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	return string(answer)
}

// echo is a target that keeps the requests as their bytes came and gives one
// answer, with Connection: close.
func echo(t *testing.T, answer string) (address string, requests <-chan string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	seen := make(chan string, 10)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			in := bufio.NewReader(conn)
			var head strings.Builder
			length := 0
			for {
				line, err := in.ReadString('\n')
				if err != nil || line == "\r\n" {
					break
				}
				head.WriteString(line)
				if n, ok := strings.CutPrefix(strings.ToLower(line), "content-length: "); ok {
					fmt.Sscan(n, &length)
				}
			}
			body := make([]byte, length)
			io.ReadFull(in, body)
			seen <- head.String() + "\r\n" + string(body)
			io.WriteString(conn, answer)
			conn.Close()
		}
	}()
	return l.Addr().String(), seen
}

// Paths, queries and bodies reach the target byte for byte, and nothing is added.
func TestRequestsPassUnchanged(t *testing.T) {
	address, requests := echo(t, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
	p := proxyTo(t, "http://"+address, ProxyOptions{})
	for _, target := range []string{
		"/v2/campaigns/25", "/v2/campaigns/%32%35", "/v2/campaigns/%2e%2E/25", "/v2/../v2/./campaigns/25", "/v2//campaigns//25/",
		"//v2/campaigns/25", "/v2/campaigns/a%2Fb", `/v2/campaigns/a"b|c^`, "/v2/x?a=1;b=2&c=%zz&d", "/v2/x?", "/v2/caf%c3%a9", "/other;x=1,2",
	} {
		raw(t, p.front.Listener.Addr().String(),
			"PATCH "+target+
				" HTTP/1.1\r\nHost: client.example\r\nContent-Length: 3\r\nX-Forwarded-For: 1.2.3.4\r\nX-Odd: a,  b\r\nConnection: close\r\n\r\n{ x")
		got := <-requests
		want := "PATCH " + target + " HTTP/1.1\r\nHost: " + address +
			"\r\nContent-Length: 3\r\nX-Forwarded-For: 1.2.3.4\r\nX-Odd: a,  b\r\n\r\n{ x"
		if got != want {
			t.Errorf("%s: the target got\n%q, want\n%q", target, got, want)
		}
	}
}

func TestHostAndForwardedHeadersWhenAsked(t *testing.T) {
	address, requests := echo(t, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
	p := proxyTo(t, "http://"+address, ProxyOptions{KeepHost: true, Forwarded: true})
	raw(t, p.front.Listener.Addr().String(), "GET /v2/x HTTP/1.1\r\nHost: client.example\r\nConnection: close\r\n\r\n")
	got := <-requests
	for _, line := range []string{
		"\r\nHost: client.example\r\n", "X-Forwarded-For: 127.0.0.1\r\n", "X-Forwarded-Host: client.example\r\n",
		"X-Forwarded-Proto: http\r\n",
	} {
		if !strings.Contains(got, line) {
			t.Errorf("%q is missing in %q", line, got)
		}
	}
}

// A response comes as it was: no header is added, none but those of the
// connection are gone.
func TestResponsesPassUnchanged(t *testing.T) {
	for _, answer := range []string{
		"HTTP/1.1 204 No Content\r\n\r\n",
		"HTTP/1.1 299 Odd\r\nContent-Length: 2\r\nX-A: 1\r\nX-A: 2\r\n\r\nhi",
		"HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n<html>a</html>\n",
		"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
	} {
		address, _ := echo(t, strings.Replace(answer, "\r\n\r\n", "\r\nConnection: close\r\n\r\n", 1))
		p := proxyTo(t, "http://"+address, ProxyOptions{})
		got := raw(t, p.front.Listener.Addr().String(), "DELETE /v2/creatives/3 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
		got = strings.Replace(got, "Connection: close\r\n", "", 1)
		_, got, _ = strings.Cut(got, " ") // the reason phrase is that of net/http
		_, want, _ := strings.Cut(answer, " ")
		_, gotRest, _ := strings.Cut(got, "\r\n")
		_, wantRest, _ := strings.Cut(want, "\r\n")
		if got[:3] != want[:3] || gotRest != wantRest {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Compressed bodies pass as they are and are judged decoded.
func TestCompressionPassesAndIsJudged(t *testing.T) {
	var coded bytes.Buffer
	z := gzip.NewWriter(&coded)
	io.WriteString(z, campaign(26, "a"))
	z.Close()
	p := inFrontOf(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(coded.Bytes())
	}, ProxyOptions{})
	r, _ := http.NewRequest("PATCH", p.front.URL+"/v2/campaigns/25", strings.NewReader(`{"name":"a"}`))
	r.Header = http.Header{"Accept-Encoding": {"gzip"}, "X-Api-Key": {key}, "Content-Type": {"application/json"}}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	got, _ := io.ReadAll(res.Body)
	if !bytes.Equal(got, coded.Bytes()) || res.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("the compressed body came as %q", got)
	}
	if rep := p.report(); len(rep.Findings) != 1 || rep.Findings[0].Clause != "CAMPAIGN-2" {
		t.Errorf("%s: %+v", rep.Reason, rep.Findings)
	}
}

// What a target sends in parts arrives in parts, with early hints and trailers;
// a client that waits for 100 gets it from the target.
func TestStreamsHintsTrailersAndContinue(t *testing.T) {
	part := make(chan struct{})
	p := inFrontOf(t, func(w http.ResponseWriter, r *http.Request) {
		if body, err := io.ReadAll(r.Body); string(body) != `{"name":"a"}` || err != nil || r.Trailer.Get("X-Sum") != "9" {
			t.Errorf("the target got %q, %v, trailer %q", body, err, r.Trailer)
		}
		w.Header().Set("Link", "</a.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Set("Trailer", "X-Count")
		w.Header().Set("Content-Type", "application/json")
		half := campaign(25, "a")
		io.WriteString(w, half[:20])
		w.(http.Flusher).Flush()
		<-part
		io.WriteString(w, half[20:])
		w.Header().Set("X-Count", "7")
	}, ProxyOptions{})
	r, _ := http.NewRequest("PATCH", p.front.URL+"/v2/campaigns/25", struct{ io.Reader }{strings.NewReader(`{"name":"a"}`)})
	r.Header = http.Header{"Expect": {"100-continue"}, "X-Api-Key": {key}, "Content-Type": {"application/json"}}
	r.Trailer = http.Header{"X-Sum": {"9"}}
	var hints, continued int
	r = r.WithContext(httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
		Got100Continue: func() { continued++ },
		Got1xxResponse: func(code int, _ textproto.MIMEHeader) error {
			if code == http.StatusEarlyHints {
				hints++
			}
			return nil
		},
	}))
	res, err := (&http.Transport{ExpectContinueTimeout: 1 << 40}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	first := make([]byte, 20)
	if _, err := io.ReadFull(res.Body, first); err != nil {
		t.Fatal(err)
	}
	close(part)
	rest, err := io.ReadAll(res.Body)
	if err != nil || string(first)+string(rest) != campaign(25, "a") || hints != 1 || continued != 1 || res.Trailer.Get("X-Count") != "7" {
		t.Errorf("body %q %v, %d hints, %d continues, trailer %v", rest, err, hints, continued, res.Trailer)
	}
	if rep := p.report(); rep.Verdict != report.Conforming || rep.Recording.Judged != 1 {
		t.Errorf("%s; %s", rep.Reason, rep.Recording)
	}
}

// So does an answer of which the length is known.
func TestPartsOfAKnownLengthPassInParts(t *testing.T) {
	part := make(chan struct{})
	p := inFrontOf(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "10")
		io.WriteString(w, "first")
		w.(http.Flusher).Flush()
		<-part
		io.WriteString(w, "later")
	}, ProxyOptions{})
	res, err := http.Get(p.front.URL + "/v2/creatives/200/media-files")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	first := make([]byte, 5)
	if _, err := io.ReadFull(res.Body, first); err != nil {
		t.Fatal(err)
	}
	close(part)
	if rest, err := io.ReadAll(res.Body); err != nil || string(first)+string(rest) != "firstlater" {
		t.Errorf("%q %q %v", first, rest, err)
	}
}

// Other protocols pass over a connection that was upgraded.
func TestUpgradesPass(t *testing.T) {
	p := inFrontOf(t, func(w http.ResponseWriter, r *http.Request) {
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		io.WriteString(rw, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: "+r.Header.Get("Upgrade")+"\r\n\r\n")
		rw.Flush()
		line, _ := rw.ReadString('\n')
		io.WriteString(rw, "echo "+line)
		rw.Flush()
	}, ProxyOptions{})
	conn, err := net.Dial("tcp", p.front.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, "GET /live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
	in := bufio.NewReader(conn)
	res, err := http.ReadResponse(in, nil)
	if err != nil || res.StatusCode != 101 {
		t.Fatal(res, err)
	}
	io.WriteString(conn, "hello\n")
	if line, _ := in.ReadString('\n'); line != "echo hello\n" {
		t.Errorf("over the upgraded connection came %q", line)
	}
}

// HTTP/2 on both sides: without TLS to the proxy, with TLS to the target.
func TestHTTP2(t *testing.T) {
	target := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 2 {
			t.Errorf("the target is asked by %s", r.Proto)
		}
		answering(200, campaign(25, "a"))(w, r)
	}))
	target.EnableHTTP2 = true
	target.StartTLS()
	t.Cleanup(target.Close)
	trust := target.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	p := proxyTo(t, target.URL, ProxyOptions{}, func(c *suites.Config) { c.TLS = &tls.Config{RootCAs: trust, MinVersion: tls.VersionTLS12} })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	ctx, stop := contextOf(t)
	go func() { ended <- p.proxy.Serve(ctx, l) }()
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	client := &http.Client{Transport: &http.Transport{Protocols: protocols}}
	r := &http.Request{
		Method: "PATCH", URL: &url.URL{Scheme: "http", Host: l.Addr().String(), Path: "/v2/campaigns/25"},
		Header: http.Header{"X-Api-Key": {key}, "Content-Type": {"application/json"}},
		Body:   io.NopCloser(strings.NewReader(`{"name":"a"}`)), ContentLength: 12,
	}
	res, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(res.Body)
	if res.ProtoMajor != 2 || string(body) != campaign(25, "a") {
		t.Errorf("%s %q", res.Proto, body)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if rep := p.report(); rep.Verdict != report.Conforming || rep.Recording.Judged != 1 {
		t.Errorf("%s; %s", rep.Reason, rep.Recording)
	}
}
