package reference

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
)

// net/http answers what it cannot read as a request itself, in plain text and
// past every handler: a header that is too large (431), a malformed request
// line or header (400), an expectation that it does not know (417), an unknown
// transfer coding (501), an HTTP version that is none (505). shapedListener gives
// these answers the error shape.
type shapedListener struct{ net.Listener }

// Accept implements net.Listener.
func (l shapedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return shapedConn{conn}, nil
}

type shapedConn struct{ net.Conn }

// plainHead is what net/http writes after the status line of such an answer,
// and of no other: the answer of a handler has a Date (TestPlainErrors).
var plainHead = []byte("\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")

// unmetHead begins the answer to an unknown expectation, which has no content.
var unmetHead = []byte("HTTP/1.1 417 Expectation Failed\r\nConnection: close\r\n")

// Write implements net.Conn. net/http gives such an answer in one piece.
func (c shapedConn) Write(data []byte) (int, error) {
	if bytes.HasPrefix(data, unmetHead) {
		if err := refuseUnread(c.Conn, http.StatusExpectationFailed, "The only expectation that can be met is 100-continue."); err != nil {
			return 0, err
		}
		return len(data), nil
	}
	line, said, found := bytes.Cut(data, plainHead)
	const version = "HTTP/1.1 "
	if !found || !bytes.HasPrefix(line, []byte(version)) || bytes.ContainsAny(line, "\r\n") {
		return c.Conn.Write(data)
	}
	status, err := strconv.Atoi(string(line[len(version):min(len(line), len(version)+3)]))
	if err != nil {
		return c.Conn.Write(data)
	}
	why := strings.TrimPrefix(strings.TrimPrefix(string(said), strconv.Itoa(status)+" "), http.StatusText(status)+": ")
	if err := refuseUnread(c.Conn, status, fmt.Sprintf("The request cannot be read: %s.", why)); err != nil {
		return 0, err
	}
	return len(data), nil
}

// Read implements net.Conn. Who speaks plain HTTP to a TLS port is told so.
func (c shapedConn) Read(data []byte) (int, error) {
	n, err := c.Conn.Read(data)
	if err == nil {
		return n, nil
	}
	noTLS, is := errors.AsType[tls.RecordHeaderError](err)
	if is && noTLS.Conn != nil && startsMethod(noTLS.RecordHeader[:]) {
		_ = refuseUnread(noTLS.Conn, http.StatusBadRequest, "This port speaks HTTPS; the request came as plain HTTP.")
	}
	return n, err
}

func startsMethod(data []byte) bool {
	for _, method := range []string{"GET /", "HEAD ", "POST ", "PUT /", "PATCH", "DELET", "OPTIO"} {
		if string(data) == method {
			return true
		}
	}
	return false
}

func refuseUnread(conn net.Conn, status int, message string) error {
	body := errorBody(status, "unreadableRequest", message)
	_, err := fmt.Fprintf(conn, "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n%s",
		status, http.StatusText(status), len(body), body)
	return err
}

// CloseWrite ends the answer before the connection is closed: a client that is
// still sending would otherwise lose it.
func (c shapedConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
