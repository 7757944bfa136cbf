package reference

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// drip runs a client that writes what head says and then one byte a second, and
// tells when the server ended the connection and what it answered before.
func drip(t *testing.T, head, each string) (ended time.Duration, answer string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		listener := newPipes()
		ctx, cancel := context.WithCancel(t.Context())
		served := make(chan error, 1)
		s := newServer(t, nil)
		go func() { served <- s.Serve(ctx, listener) }()
		conn, err := listener.dial(ctx, "", "")
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
		listener := newPipes()
		ctx, cancel := context.WithCancel(t.Context())
		served := make(chan error, 1)
		s := newServer(t, nil)
		go func() { served <- s.Serve(ctx, listener) }()
		conn, err := listener.dial(ctx, "", "")
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
