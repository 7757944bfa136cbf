package reference

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

func itoa(id int64) string { return strconv.FormatInt(id, 10) }

func TestUnreadableBodyGets400(t *testing.T) {
	s := newServer(t, nil)
	r := httptest.NewRequest("PATCH", "/v2/campaigns/25", iotest.ErrReader(io.ErrUnexpectedEOF))
	r.Header.Set("X-API-Key", ownerKey)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	reply{w.Code, w.Header(), w.Body.String()}.refuses(t, 400, "unreadableBody null")
}

func TestAccessLog(t *testing.T) {
	var log bytes.Buffer
	choices := DefaultChoices()
	choices.KeyInQuery, choices.KeyAsBearer = true, true
	logger := slog.New(slog.NewJSONHandler(&log, nil))
	server := newServerWith(t, Options{World: testWorld(), Choices: choices, Logger: logger})
	s := accessLog(logger, server)
	ask(s, "PATCH /campaigns/25", `{"name":"a"}`, "X-Adconform-Case", "updateCampaign/200", "X-Request-Id", "r1").is(t, 200)
	line := log.String()
	for _, want := range []string{
		`"method":"PATCH"`, `"path":"/v2/campaigns/25"`, `"status":200`, `"duration":`, `"case":"updateCampaign/200"`,
		`"requestId":"r1"`,
	} {
		if !strings.Contains(line, want) {
			t.Errorf("no %s in %s", want, line)
		}
	}

	ask(s, "PATCH /nowhere", `{`)
	request(s, "PATCH /campaigns/25?api_key="+ownerKey, `{`).is(t, 422)
	request(s, "GET /creatives/200/media-files", "", "Authorization", "Bearer "+ownerKey).is(t, 200)
	request(s, "DELETE /creatives/200", "", "X-API-Key", strangerKey).is(t, 403)
	request(s, "DELETE /creatives/200", "", "X-API-Key", ownerKey+"x").is(t, 401)
	ask(s, "PATCH /campaigns/99", `{}`).is(t, 404)
	if n := strings.Count(log.String(), `"msg":"request"`); n != 7 {
		t.Errorf("%d lines for 7 requests: %s", n, log.String())
	}
	if strings.Contains(log.String(), ownerKey) || strings.Contains(log.String(), strangerKey) {
		t.Errorf("a key in the log: %s", log.String())
	}
}

// TestConcurrentRequests lets sixteen writers work at once, in memory and on
// a file: nothing gets lost and nothing is deleted twice.
func TestConcurrentRequests(t *testing.T) {
	onEach(t, func(t *testing.T, data string) {
		s := newServerWith(t, Options{World: testWorld(), Data: data})
		var deleted atomic.Int64
		var group sync.WaitGroup
		for i := range 16 {
			group.Go(func() {
				for round := range 5 {
					field := []string{`{"withoutCookiesAction":"fail"}`, `{"withCookiesAction":"fail"}`, `{"name":"both"}`}[i%3]
					name := fmt.Sprintf(`"%d %d"`, i, round)
					campaign := "PATCH /campaigns/" + itoa(25+int64(i%2))
					for _, r := range []reply{ask(s, "PATCH /connection-profiles/12", field), ask(s, campaign, `{"name":`+name+`}`)} {
						if r.status != 200 {
							t.Errorf("%d %s", r.status, r.body)
						}
						if got := r.at("data.name"); strings.HasPrefix(r.body, `{"data":{"id":2`) && got != name {
							t.Errorf("sent %s, got %s", name, got)
						}
					}
					r := ask(s, "DELETE /creatives/"+itoa(201+int64(round)), "")
					if r.status == 204 {
						deleted.Add(1)
					} else if r.status != 404 {
						t.Errorf("%d %s", r.status, r.body)
					}
					page := ask(s, "GET /creatives/200/media-files", "")
					if page.at("meta.pagination.count") != page.at("meta.pagination.totalCount") ||
						len(strings.Fields(ids(t, page))) != atoi(page.at("meta.pagination.count")) {
						t.Errorf("a page that is not one moment's: %s", page.body)
					}
				}
			})
		}
		group.Wait()
		if deleted.Load() != 5 {
			t.Errorf("5 creatives were deleted %d times", deleted.Load())
		}
		ask(s, "PATCH /connection-profiles/12", `{}`).
			shows(t, "data.name", `"both"`).shows(t, "data.withoutCookiesAction", `"fail"`).shows(t, "data.withCookiesAction", `"fail"`)
	})
}

func atoi(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return n
}

// pipes is a listener whose connections are in memory.
type pipes struct {
	accepted chan net.Conn
	closed   chan struct{}
	once     sync.Once
}

func newPipes() *pipes { return &pipes{accepted: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.accepted:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.accepted <- server:
		return client, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// serving serves until cancel, and then tells the error.
func serving(t *testing.T, s *Server) (listener *pipes, cancel func(), served chan error) {
	listener, served = newPipes(), make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { served <- s.Serve(ctx, listener) }()
	return listener, cancel, served
}

func TestServeFinishesRequestsThatHaveBegun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, nil)
		finish := make(chan struct{})
		s.mux.Handle("GET /v2/slow", endpoint{s, func(*http.Request, int64) (*answer, error) {
			<-finish
			return represent(200, "done"), nil
		}})
		listener, cancel, served := serving(t, s)

		transport := &http.Transport{DialContext: listener.dial}
		defer transport.CloseIdleConnections()
		get := func() string {
			r, _ := http.NewRequest("GET", "http://reference/v2/slow", nil)
			r.Header.Set("X-API-Key", ownerKey)
			response, err := transport.RoundTrip(r)
			if err != nil {
				return err.Error()
			}
			defer response.Body.Close()
			body, _ := io.ReadAll(response.Body)
			return string(body)
		}
		got := make(chan string, 1)
		go func() { got <- get() }()

		synctest.Wait() // the request waits in its operation
		cancel()
		synctest.Wait() // the server waits for the request
		select {
		case err := <-served:
			t.Errorf("Serve returned before the request was answered: %v", err)
		default:
		}
		if late := get(); late != net.ErrClosed.Error() {
			t.Errorf("a request after the end: %s", late)
		}
		close(finish)
		if body := <-got; body != `{"data":"done"}` {
			t.Errorf("got %s", body)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}

// TestServeGivesUpOnHangingRequests: the end does come.
func TestServeGivesUpOnHangingRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, nil)
		finish := make(chan struct{})
		s.mux.Handle("GET /v2/hang", endpoint{s, func(*http.Request, int64) (*answer, error) {
			<-finish
			return represent(200, "done"), nil
		}})
		listener, cancel, served := serving(t, s)
		conn, err := listener.dial(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "GET /v2/hang HTTP/1.1\r\nHost: x\r\nX-API-Key: %s\r\n\r\n", ownerKey)
		synctest.Wait()
		cancel()
		if err := <-served; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if _, err := conn.Read(make([]byte, 1)); err == nil {
			t.Error("the connection is still open")
		}
		close(finish)
	})
}

// TestServeWithoutRequests: a listener that is closed is an error; a context that has
// ended before is an end.
func TestServeWithoutRequests(t *testing.T) {
	for _, broken := range []bool{true, false} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		if broken {
			listener.Close()
		} else {
			cancel()
		}
		if err := newServer(t, nil).Serve(ctx, listener); err != nil != broken {
			t.Errorf("broken %t: %v", broken, err)
		}
		cancel()
	}
}

// TestOverTheWire is for what net/http adds to or takes from answers.
func TestOverTheWire(t *testing.T) {
	server := httptest.NewServer(newServer(t, nil))
	defer server.Close()
	for _, step := range []struct {
		method, path, body string
		status             int
		length             bool
	}{
		{"PATCH", "/campaigns/25", `{"name":"x"}`, 200, true},
		{"GET", "/creatives/200/media-files", "", 200, true},
		{"HEAD", "/creatives/200/media-files", "", 200, true},
		{"DELETE", "/creatives/230", "", 204, false},
		{"PATCH", "/campaigns/25", strings.Repeat(" ", maxBody+1), 413, true},
		{"PATCH", "/campaigns/25/", "{}", 404, true},
	} {
		r, _ := http.NewRequest(step.method, server.URL+"/v2"+step.path, strings.NewReader(step.body))
		r.Header.Set("X-API-Key", ownerKey)
		response, err := http.DefaultTransport.RoundTrip(r) // a client would follow redirects
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(response.Body)
		response.Body.Close()
		hasLength := response.Header.Get("Content-Length") != ""
		wantBody := step.length && step.method != "HEAD"
		if response.StatusCode != step.status || hasLength != step.length || len(body) > 0 != wantBody {
			t.Errorf("%s %s: %d %v %s", step.method, step.path, response.StatusCode, response.Header, body)
		}
	}
}

// drip runs a client that writes what head says and then one byte a second, and
// tells when the server ended the connection and what it answered before.
func drip(t *testing.T, head, each string) (ended time.Duration, answer string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		listener, cancel, served := serving(t, newServer(t, nil))
		conn, err := listener.dial(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			if _, err := io.WriteString(conn, head); err != nil {
				return
			}
			for each != "" {
				time.Sleep(time.Second)
				if _, err := io.WriteString(conn, each); err != nil {
					return
				}
			}
		}()
		all, err := io.ReadAll(conn)
		if err != nil && !errors.Is(err, io.ErrClosedPipe) {
			t.Error(err)
		}
		ended, answer = time.Since(start), string(all)
		conn.Close()
		<-gone
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return ended, answer
}

// TestSlowClients: a connection ends in a bounded time, whatever its client does.
func TestSlowClients(t *testing.T) {
	const (
		patch   = "PATCH /v2/campaigns/25 HTTP/1.1\r\nHost: x\r\n"
		get     = "GET /v2/creatives/200/media-files HTTP/1.1\r\nHost: x\r\n"
		withKey = "X-API-Key: " + ownerKey + "\r\n"
		forty   = "Content-Length: 40\r\n\r\n{" // which is less than its length
	)
	for name, c := range map[string]struct {
		head, each  string // what is written at once, and then each second
		begins      string // the answer
		from, until time.Duration
	}{
		"slow header":                   {patch + "X-Slow: ", "a", "", readHeaderTimeout, readHeaderTimeout},
		"slow body":                     {patch + withKey + "Content-Length: 1000\r\n\r\n{", " ", "HTTP/1.1 408 ", readTimeout, writeTimeout},
		"large body without a key":      {patch + "Content-Length: 1000000\r\n\r\n{", " ", "HTTP/1.1 401 ", 0, 2 * time.Second},
		"slow, small and without a key": {patch + forty, " ", "HTTP/1.1 401 ", 0, 2 * unreadTime},
		// The rest is read for the next request on the connection.
		"small and without a key": {patch + forty + strings.Repeat(" ", 39), "", "HTTP/1.1 401 ", idleTimeout, idleTimeout},
		// Nor does the client have to send a body that waits for 100 (Continue).
		"too large": {
			patch + withKey + "Expect: 100-continue\r\nContent-Length: 9000000000\r\n\r\n", "", "HTTP/1.1 413 ", 0, 2 * time.Second,
		},
		"idle": {get + withKey + "\r\n", "", "HTTP/1.1 200 ", idleTimeout, idleTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			ended, answer := drip(t, c.head, c.each)
			if ended < c.from || ended > c.until || !strings.HasPrefix(answer, c.begins) || c.begins == "" && answer != "" {
				t.Errorf("ended after %v with %.160q, want %v to %v with %q", ended, answer, c.from, c.until, c.begins)
			}
			if closes := strings.Contains(answer, "Connection: close"); closes != (ended < idleTimeout && answer != "") {
				t.Errorf("after %v: %.160q", ended, answer)
			}
			if strings.Contains(answer, " 408 ") && !strings.Contains(answer, `"type":"bodyTooSlow"`) {
				t.Errorf("got %s", answer)
			}
		})
	}
}

// TestReadersWhoStopAreCutOff: an answer that nobody reads does not keep its
// connection for ever.
func TestReadersWhoStopAreCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		listener, cancel, served := serving(t, newServer(t, nil))
		conn, err := listener.dial(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, "GET /v2/creatives/200/media-files HTTP/1.1\r\nHost: x\r\nX-API-Key: "+ownerKey+
			"\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(writeTimeout + time.Second) // nothing is read meanwhile
		if n, err := conn.Read(make([]byte, 1)); n > 0 || !errors.Is(err, io.EOF) {
			t.Errorf("%d bytes, %v: the connection is still open", n, err)
		}
		cancel()
		if err := <-served; err != nil && !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	})
}
