package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// A field of a head as it came: names in any letter case, values without blanks around.
type field struct{ name, value string }

// A message of HTTP/1.1 as it was on the wire, malformed or not.
type message struct {
	head     string // all before the body
	start    string // its first line
	fields   []field
	body     []byte   // without the framing of chunks; what exceeds mostBody is left out
	framing  []string // what is unusual about the chunks
	complete bool     // not broken off by who sends it
}

const (
	mostHead = 8 << 20
	mostBody = 8 << 20
)

func (m *message) values(name string) []string {
	var values []string
	for _, f := range m.fields {
		if strings.EqualFold(f.name, name) {
			values = append(values, f.value)
		}
	}
	return values
}

func (m *message) first(name string) string {
	if values := m.values(name); len(values) > 0 {
		return values[0]
	}
	return ""
}

func (m *message) chunked() bool {
	return strings.Contains(strings.ToLower(strings.Join(m.values("Transfer-Encoding"), ",")), "chunked")
}

// readHead reads up to the empty line and gives the bytes as well. Blank lines before are skipped.
func readHead(from *bufio.Reader) (*message, []byte, error) {
	var raw []byte
	m := &message{}
	defer func() { m.head = string(raw) }()
	for {
		line, err := from.ReadBytes('\n')
		raw = append(raw, line...)
		text := strings.TrimRight(string(line), "\r\n")
		switch {
		case m.start == "":
			m.start = text
		case text != "":
			name, value, _ := strings.Cut(text, ":")
			m.fields = append(m.fields, field{name, strings.Trim(value, " \t")})
		case err == nil:
			return m, raw, nil
		}
		if err == nil && len(raw) > mostHead {
			err = fmt.Errorf("a head of more than %d bytes", mostHead)
		}
		if err != nil {
			return m, raw, err
		}
	}
}

var errFraming = errors.New("nobody can tell where the body ends")

// copyBody passes a body on as it comes, and keeps what it is in the message. Without
// length and chunks it has none, or with toEnd lasts until the connection ends.
func (m *message) copyBody(to io.Writer, from *bufio.Reader, toEnd bool) error {
	if m.chunked() {
		return m.copyChunks(to, from)
	}
	lengths := strings.Join(slices.Compact(m.values("Content-Length")), ",")
	n, err := strconv.ParseUint(lengths, 10, 63)
	switch {
	case !toEnd && (lengths != "" && err != nil || m.first("Transfer-Encoding") != ""):
		m.complete = true
		return errFraming
	case !toEnd && lengths == "":
		m.complete = true
		return nil
	case err != nil:
		n = 1 << 62
	}
	err = m.pass(to, from, int64(n))
	m.complete = m.complete || err == nil || toEnd && lengths == ""
	return err
}

func (m *message) pass(to io.Writer, from *bufio.Reader, n int64) error {
	buffer := make([]byte, 16<<10)
	for n > 0 {
		got, err := from.Read(buffer[:min(n, int64(len(buffer)))])
		n -= int64(got)
		if room := mostBody - len(m.body); room > 0 {
			m.body = append(m.body, buffer[:min(got, room)]...)
		}
		if _, err := to.Write(buffer[:got]); err != nil {
			m.complete = true
			return err
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *message) copyChunks(to io.Writer, from *bufio.Reader) error {
	line := func() (string, error) {
		line, err := from.ReadBytes('\n')
		if _, failed := to.Write(line); failed != nil {
			m.complete = true
			return "", failed
		}
		return string(bytes.TrimRight(line, "\r\n")), err
	}
	for {
		head, err := line()
		if err != nil {
			return err
		}
		size, extension, _ := strings.Cut(head, ";")
		if extension != "" {
			m.framing = append(m.framing, "extension")
		}
		if strings.TrimSpace(size) != size || len(size) > 1 && size[0] == '0' {
			m.framing = append(m.framing, "odd size")
		}
		n, err := strconv.ParseInt(strings.TrimSpace(size), 16, 64)
		if err != nil || n < 0 {
			m.framing = append(m.framing, "odd size")
			m.complete = true
			return errFraming
		}
		if n == 0 {
			break
		}
		if err := m.pass(to, from, n); err != nil {
			return err
		}
		if _, err := line(); err != nil {
			return err
		}
	}
	for {
		trailer, err := line()
		if err != nil {
			return err
		}
		if trailer == "" {
			m.complete = true
			return nil
		}
		m.framing = append(m.framing, "trailer")
	}
}
