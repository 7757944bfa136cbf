package reference

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
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

func TestSlowHeadersAreCutOff(t *testing.T) {
	ended, answer := drip(t, "PATCH /v2/campaigns/25 HTTP/1.1\r\nHost: x\r\nX-Slow: ", "a")
	if ended != readHeaderTimeout || answer != "" {
		t.Errorf("ended after %v with %q, want %v and nothing", ended, answer, readHeaderTimeout)
	}
}

func TestSlowBodiesGet408(t *testing.T) {
	ended, answer := drip(t, "PATCH /v2/campaigns/25 HTTP/1.1\r\nHost: x\r\nX-API-Key: "+ownerKey+"\r\nContent-Length: 1000\r\n\r\n{", " ")
	response, err := http.ReadResponse(bufio.NewReader(strings.NewReader(answer)), nil)
	if err != nil {
		t.Fatalf("after %v: %v", ended, err)
	}
	body, _ := io.ReadAll(response.Body)
	reply{response.StatusCode, response.Header, string(body)}.refuses(t, 408, "bodyTooSlow null")
	if ended < readTimeout || ended > writeTimeout {
		t.Errorf("ended after %v, want %v", ended, readTimeout)
	}
}

// TestSlowBodiesWithoutKeyAreNotAwaited: who has no key is refused before.
func TestSlowBodiesWithoutKeyAreNotAwaited(t *testing.T) {
	ended, answer := drip(t, "PATCH /v2/campaigns/25 HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n{", " ")
	if !strings.HasPrefix(answer, "HTTP/1.1 401 ") || ended > 2*time.Second {
		t.Errorf("ended after %v with %.60q", ended, answer)
	}
}

// TestSmallBodiesWithoutKeyAreAwaitedBriefly: the rest is read for the next
// request on the connection, if it comes soon.
func TestSmallBodiesWithoutKeyAreAwaitedBriefly(t *testing.T) {
	const begun = "PATCH /v2/campaigns/25 HTTP/1.1\r\nHost: x\r\nContent-Length: 40\r\n\r\n{"
	ended, answer := drip(t, begun, " ")
	if !strings.HasPrefix(answer, "HTTP/1.1 401 ") || !strings.Contains(answer, "Connection: close") || ended > 2*unreadTime {
		t.Errorf("ended after %v with %.160q", ended, answer)
	}
	ended, answer = drip(t, begun+strings.Repeat(" ", 39), "")
	if !strings.HasPrefix(answer, "HTTP/1.1 401 ") || strings.Contains(answer, "Connection: close") || ended != idleTimeout {
		t.Errorf("ended after %v with %.160q", ended, answer)
	}
}

// TestBodiesThatAreTooLargeAreNotAwaited: nor does the client have to send one
// that waits for 100 (Continue).
func TestBodiesThatAreTooLargeAreNotAwaited(t *testing.T) {
	ended, answer := drip(t,
		"PATCH /v2/campaigns/25 HTTP/1.1\r\nHost: x\r\nX-API-Key: "+ownerKey+"\r\nExpect: 100-continue\r\nContent-Length: 9000000000\r\n\r\n",
		"")
	if !strings.HasPrefix(answer, "HTTP/1.1 413 ") || ended > 2*time.Second {
		t.Errorf("ended after %v with %.60q", ended, answer)
	}
}

func TestIdleConnectionsAreClosed(t *testing.T) {
	ended, answer := drip(t, "GET /v2/creatives/200/media-files HTTP/1.1\r\nHost: x\r\nX-API-Key: "+ownerKey+"\r\n\r\n", "")
	if ended != idleTimeout || !strings.HasPrefix(answer, "HTTP/1.1 200 ") {
		t.Errorf("ended after %v with %.60q, want %v", ended, answer, idleTimeout)
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
