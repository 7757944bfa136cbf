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

func TestServeFinishesRequestsThatHaveBegun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, nil)
		finish := make(chan struct{})
		s.mux.Handle("GET /v2/slow", endpoint{s, func(*http.Request, int64) (*answer, error) {
			<-finish
			return represent(200, "done"), nil
		}})
		listener := newPipes()
		ctx, cancel := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- s.Serve(ctx, listener) }()

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
		listener := newPipes()
		ctx, cancel := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- s.Serve(ctx, listener) }()
		conn, err := listener.dial(ctx, "", "")
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
