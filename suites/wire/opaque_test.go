package wire

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// Bad percent-encoding reaches the wire as it is, whichever way it is sent, and
// stands so in the record and in the line to send it again.
func TestBadEncodingReachesTheWire(t *testing.T) {
	lines := make(chan string, 3)
	address := listen(t, func(conn net.Conn, _ int) {
		in := bufio.NewReader(conn)
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			lines <- strings.TrimSpace(line)
			for line != "\r\n" {
				if line, err = in.ReadString('\n'); err != nil {
					return
				}
			}
			io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
		}
	})
	c := newClient(t, Options{BaseURL: address + "/v2"})
	for _, path := range []string{"/campaigns/%zz", "/creatives/%/media-files", "/campaigns/%zz?page=%"} {
		for name, send := range map[string]func() *Exchange{
			"pooled": func() *Exchange { return c.Do(t.Context(), "c", get(path)) },
			"raw":    func() *Exchange { return c.Do(t.Context(), "c", onRaw(get(path))) },
			"fresh": func() *Exchange {
				return c.Do(t.Context(), "c", Request{Method: http.MethodDelete, Path: path, Credential: owner})
			},
		} {
			ex := send()
			status(t, ex, http.StatusBadRequest)
			if got, want := <-lines, fmt.Sprintf("%s /v2%s HTTP/1.1", ex.Request.Method, path); got != want {
				t.Errorf("%s: the target saw %q, want %q", name, got, want)
			}
			if ex.URL != address+"/v2"+path || !strings.Contains(ex.Curl(), "/v2"+path) {
				t.Errorf("%s: recorded as %q, %s", name, ex.URL, ex.Curl())
			}
		}
	}
}
