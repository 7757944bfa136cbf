package suites_test

import (
	"bytes"
	"io"
	"net"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
)

// net/http refuses bad percent-encoding before any handler, so a server that fails
// on it fails below: its connections answer 500 to such a request line.
func TestBadPercentEncodingThatCrashes(t *testing.T) {
	server := httptest.NewUnstartedServer(bundled(t))
	server.Listener = failingListener{server.Listener}
	server.Start()
	t.Cleanup(server.Close)
	c := suites.NewConfig(fixtures.DefaultWorld().Target(server.URL + basePath))
	c.Select = func(cs *judge.Case) bool { return strings.HasSuffix(cs.ID, "/undecodable-path") }
	var broken []string
	for _, f := range execute(t, c).Findings {
		if f.Clause != "HTTP-1" {
			t.Errorf("%s in %s: expected %s, got %s", f.Clause, f.Case, f.Expected, f.Got)
		}
		broken = append(broken, f.Operation)
	}
	slices.Sort(broken)
	if broken = slices.Compact(broken); len(broken) != 5 {
		t.Errorf("the crash is found in %v, want all five operations", broken)
	}
}

type failingListener struct{ net.Listener }

func (l failingListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	return failingConn{conn}, err
}

type failingConn struct{ net.Conn }

var badEscape = regexp.MustCompile(`%([^0-9a-f]|.[^0-9a-f])`)

// Read gives what a request begins with: the client sends it in one piece.
func (c failingConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if line, _, _ := bytes.Cut(p[:n], []byte(" HTTP/1.1\r\n")); len(line) == n ||
		!badEscape.Match(append(line[:len(line):len(line)], "  "...)) {
		return n, err
	}
	io.WriteString(c.Conn, "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
	c.Conn.(*net.TCPConn).CloseWrite()
	io.Copy(io.Discard, c.Conn) // else the close resets the connection
	return 0, io.EOF
}
