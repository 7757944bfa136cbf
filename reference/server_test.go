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
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestAccessLog(t *testing.T) {
	var log bytes.Buffer
	choices := DefaultChoices()
	choices.KeyInQuery, choices.KeyAsBearer = true, true
	logger := slog.New(slog.NewJSONHandler(&log, nil))
	s := accessLog(logger, newServerWith(t, Options{World: testWorld(), Choices: choices, Logger: logger}))
	ask(s, campaignPath, `{"name":"a"}`, "X-Adconform-Case", "updateCampaign/200", "X-Request-Id", "r1").is(t, 200)
	for _, want := range []string{
		`"method":"PATCH"`, `"path":"/v2/campaigns/25"`, `"status":200`, `"duration":`, `"case":"updateCampaign/200"`, `"requestId":"r1"`,
	} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("no %s in %s", want, log.String())
		}
	}
	ask(s, "PATCH /nowhere", `{`)
	request(s, "PATCH /campaigns/25?api_key="+ownerKey, `{`).is(t, 422)
	request(s, "GET /creatives/200/media-files", "", "Authorization", "Bearer "+ownerKey).is(t, 200)
	request(s, "DELETE /creatives/200", "", "X-API-Key", strangerKey).is(t, 403)
	request(s, "DELETE /creatives/200", "", "X-API-Key", ownerKey+"x").is(t, 401)
	if n := strings.Count(log.String(), `"msg":"request"`); n != 6 {
		t.Errorf("%d lines for 6 requests: %s", n, log.String())
	}
	if strings.Contains(log.String(), ownerKey) || strings.Contains(log.String(), strangerKey) {
		t.Errorf("a key in the log: %s", log.String())
	}
}

// Sixteen writers work at once, in memory and on a file: nothing is lost and nothing is
// deleted twice.
func TestConcurrentRequests(t *testing.T) {
	onEach(t, func(t *testing.T, data string) {
		s := newServerWith(t, Options{World: testWorld(), Data: data})
		var deleted atomic.Int64
		var group sync.WaitGroup
		for i := range 16 {
			group.Go(func() {
				for round := range 3 {
					field := []string{`{"withoutCookiesAction":"fail"}`, `{"withCookiesAction":"fail"}`, `{"name":"both"}`}[i%3]
					ask(s, "PATCH /connection-profiles/12", field).shows(t, "data.id", "12")
					name := fmt.Sprintf(`"%d %d"`, i, round)
					ask(s, fmt.Sprint("PATCH /campaigns/", 25+i%2), `{"name":`+name+`}`).shows(t, "data.name", name)
					r := ask(s, fmt.Sprint("DELETE /creatives/", 201+round), "")
					if r.status == 204 {
						deleted.Add(1)
					} else if r.status != 404 {
						t.Errorf("%d %s", r.status, r.body)
					}
					page := ask(s, listPath, "")
					page.shows(t, "meta.pagination.totalCount", fmt.Sprint(strings.Count(page.body, `"campaignId"`)))
				}
			})
		}
		group.Wait()
		if deleted.Load() != 3 {
			t.Errorf("3 creatives were deleted %d times", deleted.Load())
		}
		ask(s, "PATCH /connection-profiles/12", `{}`).
			shows(t, "data.name", `"both"`).shows(t, "data.withoutCookiesAction", `"fail"`).shows(t, "data.withCookiesAction", `"fail"`)
	})
}

// A request that has begun is answered. A closed listener is an error; an ended context ends the
// server without one.
func TestServeEnds(t *testing.T) {
	s := newServer(t, nil)
	begun, finish, served := make(chan bool), make(chan bool), make(chan error)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	noError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		served <- s.Serve(ctx, listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			begun <- true
			<-finish
			s.ServeHTTP(w, r)
		}))
	}()
	answered := make(chan error)
	go func() {
		response, err := http.Get("http://" + listener.Addr().String() + "/v2/x")
		if err == nil && response.StatusCode != 404 {
			err = errors.New(response.Status)
		}
		answered <- err
	}()
	<-begun
	cancel()
	finish <- true
	if err := errors.Join(<-answered, <-served); err != nil {
		t.Error(err)
	}
	if err := s.Serve(t.Context(), listener, s); err == nil {
		t.Error("a closed listener was served")
	}
}

// oneConn is a listener with one connection, which is in memory.
type oneConn struct {
	net.Listener
	conns chan net.Conn
}

func (l oneConn) Accept() (net.Conn, error) {
	if conn, ok := <-l.conns; ok {
		return conn, nil
	}
	return nil, net.ErrClosed
}
func (l oneConn) Close() error { return nil }

// A connection ends within a limited time, whatever its client does.
func TestSlowClients(t *testing.T) {
	patch, withKey := "PATCH /v2/campaigns/25 HTTP/1.1\r\nHost: x\r\n", "X-API-Key: "+ownerKey+"\r\n"
	for name, c := range map[string]struct {
		head, each  string // what is written at once, and then each second
		begins      string // the answer
		from, until time.Duration
	}{
		"slow header": {patch + "X-Slow: ", "a", "", 5 * time.Second, 5 * time.Second},
		"slow body":   {patch + withKey + "Content-Length: 1000\r\n\r\n{", " ", "HTTP/1.1 408 ", readTimeout, writeTimeout},
		// The client does not have to send a body that waits for 100 (Continue).
		"too large": {
			patch + withKey + "Expect: 100-continue\r\nContent-Length: 9000000000\r\n\r\n", "", "HTTP/1.1 413 ", 0, 2 * time.Second,
		},
		"idle": {patch + withKey + "Content-Length: 2\r\n\r\n{}", "", "HTTP/1.1 200 ", 2 * time.Minute, 2 * time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			client, server := net.Pipe()
			l := oneConn{conns: make(chan net.Conn, 1)}
			l.conns <- server
			s := newServer(t, nil)
			go s.HTTP(s).Serve(l)
			gone := make(chan struct{})
			go func() {
				defer close(gone)
				_, err := io.WriteString(client, c.head)
				for c.each != "" && err == nil {
					time.Sleep(time.Second)
					_, err = io.WriteString(client, c.each)
				}
			}()
			start := time.Now()
			answer, _ := io.ReadAll(client)
			if ended := time.Since(start); ended < c.from || ended > c.until || !strings.HasPrefix(string(answer), c.begins) {
				t.Errorf("%s: ended after %v with %.160q, want %v to %v with %q", name, ended, answer, c.from, c.until, c.begins)
			}
			client.Close()
			<-gone
			close(l.conns)
		})
	}
}
