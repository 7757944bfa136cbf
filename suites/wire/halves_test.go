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

// The server says who asked last when the second half came.
func TestAnotherRequestIsAnsweredBetweenTwoHalves(t *testing.T) {
	for name, request := range map[string]Request{"body": patch("/x", `{"name":"half and half"}`), "no body": get("/x")} {
		t.Run(name, func(t *testing.T) {
			var last atomic.Value
			c := newClient(t, Options{BaseURL: serve(t, func(_ http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				last.Store(r.Header.Get("X-Api-Key"))
			})})
			exchanges := c.DoAll(t.Context(), "c", Around, request, as(stranger, request))
			for _, ex := range exchanges {
				status(t, ex, 200)
			}
			if !exchanges[0].Around {
				t.Error("the stranger was not answered between the halves")
			}
			if last.Load() != ownerKey {
				t.Error("the second half did not come last")
			}
		})
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
				t.Error("no request was answered between the halves of another")
			}
		}
	}
	if c.halved[1].Load() != servesOneByOne {
		t.Error("the client would wait again")
	}
}

func TestATargetThatAnswersTheFirstHalf(t *testing.T) {
	for name, row := range map[string]struct {
		answer string
		status int
	}{"denied": {denied, 403}, "too slow": {"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n", 408}, "ended": {"", 0}} {
		t.Run(name, func(t *testing.T) {
			base := listen(t, func(conn net.Conn, _ int) {
				r, err := http.ReadRequest(bufio.NewReader(conn))
				if err != nil {
					return
				}
				if r.Header.Get("X-Api-Key") == ownerKey {
					io.WriteString(conn, row.answer)
					return
				}
				io.ReadAll(r.Body)
				io.WriteString(conn, denied)
			})
			c := newClient(t, Options{BaseURL: base})
			exchanges := c.DoAll(t.Context(), "c", Around, patch("/x", `{"name":"a"}`), as(stranger, patch("/x", `{"name":"b"}`)))
			status(t, exchanges[1], 403)
			if !exchanges[0].Around {
				t.Error("the owner's request was not around the stranger's")
			}
			if row.status == 0 {
				if err := exchanges[0].Err; err == nil || err.Kind != Closed && err.Kind != Reset {
					t.Errorf("got %v", err)
				}
				return
			}
			status(t, exchanges[0], row.status)
		})
	}
}
