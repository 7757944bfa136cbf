package dialect

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strconv"
)

// answer holds a body back until it is complete, and sends it translated. A server that sends a part of it first, or
// takes the connection over, speaks to the client itself.
type answer struct {
	http.ResponseWriter
	translated func(status int, body []byte) []byte
	status     int // 0 before the header
	held       bytes.Buffer
	sent       bool // the header was sent
}

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) {
	if isInformation := status < http.StatusOK; isInformation || a.sent {
		a.ResponseWriter.WriteHeader(status)
	} else if a.status == 0 {
		a.status = status
	}
}

// Write implements http.ResponseWriter.
func (a *answer) Write(data []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	if a.sent {
		return a.ResponseWriter.Write(data)
	}
	return a.held.Write(data)
}

// FlushError implements the interface that http.ResponseController looks for.
func (a *answer) FlushError() error {
	a.WriteHeader(http.StatusOK)
	if a.Header().Get("Content-Length") == strconv.Itoa(a.held.Len()) {
		a.end()
	} else {
		a.send(a.held.Bytes())
	}
	return http.NewResponseController(a.ResponseWriter).Flush()
}

// Unwrap lets http.ResponseController reach the connection.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// end sends the answer, if the server has given one.
func (a *answer) end() {
	if a.status == 0 || a.sent {
		return
	}
	body := a.held.Bytes()
	if a.Header().Get("Content-Encoding") == "gzip" {
		body = recompressed(body,
			func(plain []byte) []byte { return a.translated(a.status, plain) })
	} else {
		body = a.translated(a.status, body)
	}
	if len(body) != a.held.Len() {
		a.Header().Set("Content-Length", strconv.Itoa(len(body)))
	}
	a.send(body)
}

func (a *answer) send(body []byte) {
	if a.sent {
		return
	}
	a.sent = true
	a.ResponseWriter.WriteHeader(a.status)
	_, _ = a.ResponseWriter.Write(body) // net/http leaves it out where a status or a method has none
}

// recompressed changes the text of a gzip stream; what cannot be read stays.
func recompressed(data []byte, change func([]byte) []byte) []byte {
	compressed, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return data
	}
	plain, err := io.ReadAll(compressed)
	if err != nil {
		return data
	}
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(change(plain)) // into memory
	_ = w.Close()
	return out.Bytes()
}
