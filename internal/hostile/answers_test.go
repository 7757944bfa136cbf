package hostile

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// connectionModes do their worst before a request is read.
func connectionModes() []mode {
	return []mode{
		{
			id: "hang/after-accept", does: "accepts connections and reads nothing", conn: untilGone,
			says: words("timeout: gave up after .* waiting for the response"), timeout: hanging,
		},
		{
			id: "hang/tls-handshake", does: "never answers the TLS handshake", conn: untilGone, scheme: "https",
			says: words("timeout: .* waiting for the TLS handshake"), timeout: hanging,
		},
		{
			id: "hang/never-accepting", does: "listens and never accepts a connection", idle: true,
			says: words("timeout: .* waiting for the"), timeout: hanging, short: true,
		},
		{
			id: "reset/after-accept", does: "resets each connection at once", conn: reset,
			says: words("connection reset|reset: |closed: "), short: true,
		},
	}
}

// dyingModes answer some requests, break off in the next answer and are gone: nothing
// listens any more.
func dyingModes() (all []mode) {
	for _, n := range []int64{1, 20, 150} {
		all = append(all, mode{
			id: fmt.Sprintf("death/after-%d-requests", n), does: fmt.Sprintf("dies after %d requests", n),
			says: words(`refused: |closed: |reset: |truncated: `), short: n == 20,
			answer: func(s *site) behaviour {
				var seen atomic.Int64
				die := s.raw(func(c net.Conn) {
					io.WriteString(c, "HTTP/1.1 200 OK\r\n")
					s.die()
				})
				return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
					if seen.Add(1) <= n {
						next.ServeHTTP(w, r)
						return
					}
					die(w, r, next)
				}
			},
		})
	}
	return all
}

// gzipModes compress what nobody asked to have compressed.
func gzipModes() (all []mode) {
	for _, row := range []struct {
		id, does, says string
		body           func() []byte
	}{
		{"bomb-of-zeros", "sends 1 GiB of zeros in 1 MB", "too-large: .*unpacks to more than", func() []byte { return bomb("", "\x00") }},
		{"bomb-of-json", "sends a name of 1 GiB in 1 MB", "too-large: .*unpacks to more than", func() []byte { return bomb(someJSON, "a") }},
		{"cut-short", "breaks off in the compressed data", "HTTP-2: .*unexpected EOF", func() []byte {
			b := squeeze(`{"data":{}}`)
			return b[:len(b)-9]
		}},
		{"not-gzip", "calls plain JSON gzip", "HTTP-2: .*gzip", func() []byte { return []byte(`{"data":{}}`) }},
	} {
		body := sync.OnceValue(row.body)
		all = append(all, mode{
			id: "gzip/" + row.id, does: row.does, says: words(row.says), at: byNetHTTP, short: row.id == "bomb-of-json",
			answer: func(*site) behaviour { return answering(http.StatusOK, "gzip", body) },
		})
	}
	return all
}

func answering(status int, coding string, body func() []byte) behaviour {
	return func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		io.Copy(io.Discard, r.Body) //nolint:errcheck // a request that is cut off is answered all the same
		w.Header().Set("Content-Type", "application/json")
		if coding != "" {
			w.Header().Set("Content-Encoding", coding)
		}
		w.WriteHeader(status)
		w.Write(body())
	}
}

// bomb is 1 GiB of a letter after a beginning, compressed: gzip lets members follow one
// another, so one of a MiB is enough.
func bomb(first, letter string) []byte {
	return append(squeeze(first), bytes.Repeat(squeeze(strings.Repeat(letter, 1<<20)), 1<<10)...)
}

func squeeze(text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	w.Close()
	return b.Bytes()
}

// untilGone reads until the other side ends the connection.
func untilGone(c net.Conn) { io.Copy(io.Discard, c) } //nolint:errcheck // how it ends is no matter

// drip sends a byte a second: that is the hostility, nothing waits for it.
func drip(c net.Conn, text string) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for i := range len(text) {
		if _, err := c.Write([]byte{text[i]}); err != nil {
			return
		}
		<-tick.C
	}
}

func endless(c net.Conn, again string) {
	block := []byte(strings.Repeat(again, 1+64<<10/len(again)))
	for {
		if _, err := c.Write(block); err != nil {
			return
		}
	}
}

// reset ends a connection with RST.
func reset(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		tcp.SetLinger(0) //nolint:errcheck // it is closed all the same
	}
	c.Close()
}
