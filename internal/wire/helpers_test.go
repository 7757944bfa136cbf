package wire

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/adconform/adconform/fixtures"
)

var discardLog = log.New(io.Discard, "", 0)

// net/http reports bytes beyond Content-Length to the standard logger.
func init() { log.SetOutput(io.Discard) }

const (
	keyHeader = "X-API-Key"
	ownerKey  = "owner-7Kx_9+Qz81-key"
)

var owner = Credential{Name: "owner", Value: ownerKey, Send: true}

// listen passes each connection to handle, numbered from 1, and closes it when
// handle returns. It returns the base URL.
func listen(t *testing.T, handle func(conn net.Conn, number int)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for number := 1; ; number++ {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				handle(conn, number)
			}()
		}
	}()
	return "http://" + listener.Addr().String()
}

// answering reads one request from each connection, writes the text as it is and
// ends the connection.
func answering(t *testing.T, text string) string {
	return listen(t, func(conn net.Conn, _ int) {
		readRequest(conn)
		io.WriteString(conn, text)
	})
}

// readRequest reads a request with its body. It returns nil if there is none.
func readRequest(conn net.Conn) *http.Request {
	return nextRequest(bufio.NewReader(conn))
}

func nextRequest(in *bufio.Reader) *http.Request {
	r, err := http.ReadRequest(in)
	if err != nil {
		return nil
	}
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	return r
}

// untilGone reads until the client has closed its end.
func untilGone(conn net.Conn) { io.Copy(io.Discard, conn) }

func newClient(t *testing.T, o Options) *Client {
	t.Helper()
	o.Key = cmp.Or(o.Key, fixtures.Credentials{}.Form())
	if o.Secrets == nil {
		o.Secrets = []Credential{{Name: "owner", Value: ownerKey}}
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// serve serves until the test ends, and returns the base URL.
func serve(t *testing.T, handle http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	return server.URL
}

func get(path string) Request { return Request{Method: "GET", Path: path, Credential: owner} }

// onRaw returns the request to be sent on a raw connection.
func onRaw(r Request) Request {
	r.Raw = true
	return r
}

func patch(path, body string) Request {
	return Request{Method: "PATCH", Path: path, Body: []byte(body), Credential: owner}
}

// epoch is the time at which a bubble begins.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// inBubble runs a test in a bubble of testing/synctest, with a client of a server that it reaches
// without a network: there the clock moves only while everything waits.
func inBubble(t *testing.T, o Options, handle http.HandlerFunc, test func(*testing.T, *Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		conns := make(pipes)
		server := &http.Server{Handler: handle, ErrorLog: discardLog}
		go server.Serve(conns)
		defer server.Close()
		o.BaseURL, o.Dial = "http://127.0.0.1", conns.dial
		c := newClient(t, o)
		defer c.Close()
		test(t, c)
	})
}

// pipes is a listener for connections in memory.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	if conn := <-p; conn != nil {
		return conn, nil
	}
	return nil, net.ErrClosed
}

func (p pipes) Close() error   { close(p); return nil }
func (p pipes) Addr() net.Addr { return new(net.TCPAddr) }

func (p pipes) dial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	p <- theirs
	return ours, nil
}

func status(t *testing.T, ex *Exchange, want int) {
	t.Helper()
	if ex.Err != nil {
		t.Fatalf("%s %s: %v", ex.Request.Method, ex.URL, ex.Err)
	}
	if ex.Response.Status != want {
		t.Fatalf("%s %s: status %d, want %d", ex.Request.Method, ex.URL, ex.Response.Status, want)
	}
}
