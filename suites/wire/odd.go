package wire

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strings"
	"time"
)

// Odd says how a request is written that HTTP clients cannot write, or refuse to. It goes
// over a raw connection (HTTP/1.1); behind a proxy of the environment, and to a target that
// speaks HTTP/2 only, it is not sent.
type Odd struct {
	// Line is the request line, in which {method}, {target} and {origin} stand for those of
	// the request and for http://host; "": {method} {target} HTTP/1.1.
	Line    string
	Fields  []string // lines of the header after the others, as they are: "Host: a b"
	Without []string // names of header lines that are left out, in canonical form: Host
	// Framed says that the body is written as it is: nothing but Fields tells its length.
	Framed bool
	Cut    int  // bytes of the message that are left out at its end
	Ends   bool // nothing follows: the connection is closed for writing
}

// oddPatience is how long an answer is waited for to a request that may lack something.
const oddPatience = 2 * time.Second

// lines are the values of the key's header.
func (c Credential) lines() []string { return slices.Repeat([]string{c.Value}, max(1, c.Times)) }

// odd is the message of an odd request; nil, and Err set, where it cannot be sent.
func (c *Client) odd(ex *Exchange, r Request) *message {
	ex.URL = c.Redact(c.origin.scheme + "://" + c.origin.host + c.origin.base + r.Path)
	if c.proxy != nil || c.onlyHTTP2.Load() {
		ex.Err = transportErrorf(BadRequest, "not sent: no raw connection shows what HTTP clients do not write")
		return nil
	}
	all := c.oddBytes(ex.Case, r)
	return &message{method: r.Method, odd: all[:max(0, len(all)-r.Odd.Cut)], ends: r.Odd.Ends}
}

// oddBytes is the whole message.
func (c *Client) oddBytes(caseID string, r Request) []byte {
	o := r.Odd
	const end = "\r\n"
	line := strings.NewReplacer("{method}", r.Method, "{target}", c.origin.base+r.Path, "{origin}", c.origin.scheme+"://"+c.origin.host).
		Replace(cmp.Or(o.Line, "{method} {target} HTTP/1.1"))
	header := c.keyed(caseID, r)
	header["Host"], header["Connection"] = []string{c.origin.host}, []string{"close"}
	if !o.Framed && (r.HasBody || sendsLength(r.Method)) {
		header["Content-Length"] = []string{fmt.Sprint(len(r.Body))}
	}
	for _, name := range o.Without {
		delete(header, name)
	}
	var b bytes.Buffer
	b.WriteString(line + end)
	for _, name := range slices.SortedFunc(maps.Keys(header), hostFirst) {
		for _, v := range header[name] {
			b.WriteString(name + ": " + v + end)
		}
	}
	for _, field := range o.Fields {
		b.WriteString(field + end)
	}
	b.WriteString(end)
	b.Write(r.Body)
	return b.Bytes()
}

// hostFirst sorts names, Host before all others (RFC 9110 §7.2).
func hostFirst(a, b string) int {
	if (a == "Host") != (b == "Host") {
		return map[bool]int{true: -1, false: 1}[a == "Host"]
	}
	return strings.Compare(a, b)
}

// write writes a request on a raw connection.
func (m *message) write(ctx context.Context, conn net.Conn) error {
	if m.odd == nil {
		request := m.http(ctx)
		request.Close = true
		return request.Write(conn)
	}
	_, err := io.Copy(conn, bytes.NewReader(m.odd))
	if half, ok := conn.(interface{ CloseWrite() error }); ok && m.ends {
		_ = half.CloseWrite() // a failure shows where the answer is read
	}
	return err
}

// netcat is a line for a POSIX shell that sends an odd request again, which curl cannot.
func (c *Client) netcat(caseID string, r Request) string {
	host, port := c.origin.hostPort()
	all := c.oddBytes(caseID, r)
	if len(all) > maxArgument {
		return fmt.Sprintf("# %d bytes that curl does not write: %s %s", len(all), c.keys.Word(r.Method), c.keys.Word(c.origin.base+r.Path))
	}
	send := "nc -w 5 " + c.keys.Word(host) + " " + port
	switch {
	case c.origin.socket != "":
		send = "nc -w 5 -U " + c.keys.Word(c.origin.socket)
	case c.origin.scheme == "https":
		send = "openssl s_client -quiet -connect " + c.keys.Word(net.JoinHostPort(host, port))
	}
	return printf(string(all[:max(0, len(all)-r.Odd.Cut)]), c.keys) + " | " + send
}

// printf is the command that prints a text, whatever a shell or a terminal makes of it.
func printf(text string, keys *Keys) string {
	var format strings.Builder
	arguments := ""
	for _, p := range keys.Split(text) {
		if p.Shell != "" {
			format.WriteString("%s")
			arguments += " " + Join([]KeyPart{p})
			continue
		}
		for text := p.Text; text != ""; {
			plain, spaces, rest := untilSpaces(text)
			format.WriteString(printfFormat(plain))
			if spaces > 0 {
				fmt.Fprintf(&format, "%%%ds", spaces)
				arguments += " ''"
			}
			text = rest
		}
	}
	return "printf '" + format.String() + "'" + arguments
}
