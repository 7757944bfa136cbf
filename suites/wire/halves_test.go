package wire

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const (
	done   = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
	denied = "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"
)

var stranger = Credential{Name: "stranger", Value: "stranger-Q7x-key", Send: true}

func as(c Credential, r Request) Request {
	r.Credential = c
	return r
}

// The server reports which user sent the last request before the second half came.
func TestAnotherRequestIsAnsweredBetweenTwoHalves(t *testing.T) {
	for _, request := range []Request{patch("/x", `{"name":"half and half"}`), get("/x")} {
		var last atomic.Value
		c := newClient(t, Options{BaseURL: serve(t, func(_ http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			last.Store(r.Header.Get("X-Api-Key"))
		})})
		exchanges := c.DoAll(t.Context(), "c", Around, as(stranger, request), request)
		for _, ex := range exchanges {
			status(t, ex, 200)
		}
		if !exchanges[1].Around || last.Load() != ownerKey {
			t.Errorf("%s: the stranger was answered between the halves: %t; last was %v", request.Method, exchanges[1].Around, last.Load())
		}
	}
}

func TestATargetThatServesOneConnectionAfterAnother(t *testing.T) {
	var turn sync.Mutex
	c := newClient(t, Options{Timeout: 2 * time.Second, BaseURL: listen(t, func(conn net.Conn, _ int) {
		turn.Lock()
		defer turn.Unlock()
		readRequest(conn)
		io.WriteString(conn, strings.Replace(done, "\r\n\r\n", "\r\nConnection: close\r\n\r\n", 1))
		conn.Close()
	})})
	for range 3 { // the later ones do not try again
		for _, ex := range c.DoAll(t.Context(), "c", Around, patch("/x", `{"name":"a"}`), patch("/x", `{"name":"b"}`)) {
			status(t, ex, 200)
			if ex.Around {
				t.Error("a request was answered between the halves of another")
			}
		}
	}
	if !c.oneByOne.Load() {
		t.Error("the client would try it again")
	}
}

func TestATargetThatAnswersTheFirstHalf(t *testing.T) {
	for answer, want := range map[string]int{denied: 403, "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n": 408, "": 0} {
		c := newClient(t, Options{BaseURL: listen(t, func(conn net.Conn, _ int) {
			r, err := http.ReadRequest(bufio.NewReader(conn))
			switch {
			case err != nil:
			case r.Header.Get("X-Api-Key") == ownerKey:
				io.WriteString(conn, answer)
			default:
				io.ReadAll(r.Body)
				io.WriteString(conn, denied)
			}
		})})
		exchanges := c.DoAll(t.Context(), "c", Around, as(stranger, patch("/x", `{"name":"b"}`)), patch("/x", `{"name":"a"}`))
		status(t, exchanges[0], 403)
		if !exchanges[1].Around {
			t.Errorf("%q: the stranger's request was not answered between the owner's halves", answer)
		}
		if err := exchanges[1].Err; want == 0 && (err == nil || err.Kind != Closed && err.Kind != Reset) {
			t.Errorf("connection ended: got %v", err)
		}
		if want > 0 {
			status(t, exchanges[1], want)
		}
	}
}
