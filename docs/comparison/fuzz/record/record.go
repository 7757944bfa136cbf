package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Reached is the header in which a server that has defects without showing them says which
// of them the request meets. It is not passed on.
const reached = "X-Reached"

// What FILE holds.
type seen struct {
	Requests int                 `json:"requests"`
	Seconds  float64             `json:"seconds"` // from the first request to the last
	Classes  map[string]int      `json:"classes"` // reached by which request, counted from 1
	Members  map[string]int      `json:"members"` // "class: member", likewise
	Reached  map[string]int      `json:"reached"` // defects, likewise
	Shown    int                 `json:"shown"`   // answers of 500
	First    map[string]exchange `json:"first"`   // of those of 500 and above for each status and resource
	Statuses map[string]int      `json:"statuses"`
	begun    time.Time
}

type exchange struct {
	Number  int    `json:"number"`
	Request string `json:"request"` // its beginning
	Status  int    `json:"status"`
}

type recorder struct {
	listener net.Listener
	behind   string
	passing  sync.WaitGroup // connections

	mu    sync.Mutex
	seen  seen
	state state
}

func listen(behind string) (*recorder, error) {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	return &recorder{listener: listener, behind: behind, state: newState(), seen: seen{
		Classes: map[string]int{}, Members: map[string]int{}, Reached: map[string]int{},
		First: map[string]exchange{}, Statuses: map[string]int{},
	}}, err
}

func (r *recorder) serve() {
	for {
		connection, err := r.listener.Accept()
		if err != nil {
			return
		}
		r.passing.Go(func() { r.pass(connection.(*net.TCPConn)) })
	}
}

// under is a request on its way, with its number.
type under struct {
	*request
	number int
	raw    []byte
	done   bool // its body is there
	status int  // of the last answer to it, once there is one
}

func (r *recorder) pass(client *net.TCPConn) {
	defer client.Close()
	server, err := new(net.Dialer).DialContext(context.Background(), "tcp", r.behind)
	if err != nil {
		return
	}
	defer server.Close()
	waiting := make(chan *under, 1024)
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		r.answers(client, bufio.NewReader(server), waiting)
		client.CloseWrite() //nolint:errcheck // it may be gone
	}()
	r.requests(bufio.NewReader(client), server, waiting)
	close(waiting)
	server.(*net.TCPConn).CloseWrite() //nolint:errcheck // it may be gone
	<-answered
	for one := range waiting {
		r.answer(one, 0, "")
	}
}

func (r *recorder) requests(from *bufio.Reader, to io.Writer, waiting chan<- *under) {
	var one *under
	for {
		m, raw, err := readHead(from)
		if len(raw) == 0 {
			return
		}
		one = r.begin(m, raw, one)
		waiting <- one
		if _, failed := to.Write(raw); failed != nil && err == nil {
			err = failed
		}
		if err == nil {
			err = m.copyBody(to, from, false)
		}
		r.end(one)
		if err != nil {
			io.Copy(to, from) //nolint:errcheck // what follows is no message
			return
		}
	}
}

func (r *recorder) answers(to io.Writer, from *bufio.Reader, waiting <-chan *under) {
	var one *under
	for {
		m, raw, err := readHead(from)
		if err != nil {
			to.Write(raw) //nolint:errcheck // the client may be gone
			if one != nil {
				r.answer(one, 0, "")
			}
			return
		}
		if one == nil {
			select {
			case one = <-waiting:
			default: // the server speaks unasked
			}
		}
		parts := strings.Fields(m.start + " 0 0")
		status, _ := strconv.Atoi(parts[1])
		r.answer(one, status, m.first(reached))
		if _, err := to.Write(withoutReached(raw)); err != nil {
			return
		}
		if interim(status) {
			continue
		}
		none := status == http.StatusNoContent || status == http.StatusNotModified || one != nil && one.method == http.MethodHead
		one = nil
		if none {
			continue
		}
		if m.copyBody(to, from, true) != nil {
			return
		}
	}
}

func interim(status int) bool { return status/100 == 1 && status != http.StatusSwitchingProtocols }

func withoutReached(head []byte) []byte {
	at := bytes.Index(head, []byte("\n"+reached+":"))
	if at < 0 {
		return head
	}
	end := at + 1 + bytes.IndexByte(head[at+1:], '\n')
	return append(append([]byte{}, head[:at]...), head[end:]...)
}

// begin takes up a request that comes after another on its connection, or after none.
func (r *recorder) begin(m *message, raw []byte, before *under) *under {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seen.Requests == 0 {
		r.seen.begun = time.Now()
	}
	r.seen.Requests++
	r.seen.Seconds = time.Since(r.seen.begun).Seconds()
	one := &under{request: parse(m), number: r.seen.Requests, raw: raw[:min(len(raw), 600)]}
	r.state.begin(one.request)
	if before != nil {
		one.follows(before.status)
	}
	return one
}

func (r *recorder) end(one *under) {
	one.read()
	r.mu.Lock()
	r.state.end(one.request)
	one.sequences["broken off"] = !one.complete && one.status == 0 && one.first("Expect") == ""
	one.done = true
	r.mu.Unlock()
	for _, m := range members {
		if m.is(one.request) {
			r.mu.Lock()
			note(r.seen.Classes, m.class, one.number)
			note(r.seen.Members, m.class+": "+m.name, one.number)
			r.mu.Unlock()
		}
	}
}

func note(first map[string]int, name string, number int) {
	if before, ok := first[name]; !ok || number < before {
		first[name] = number
	}
}

func (r *recorder) answer(one *under, status int, defects string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if status > 0 {
		r.seen.Statuses[strconv.Itoa(status)]++
	}
	if one == nil || interim(status) {
		return
	}
	one.status = status
	r.state.underWay[place(one.request)]--
	for _, id := range strings.Fields(strings.ReplaceAll(defects, ",", " ")) {
		note(r.seen.Reached, id, one.number)
	}
	if status < http.StatusInternalServerError {
		return
	}
	if status == http.StatusInternalServerError {
		if r.seen.Shown++; r.seen.Shown == 1 {
			os.Stdout.WriteString("shown\n") //nolint:errcheck // whoever waits for it is gone
		}
	}
	place := strconv.Itoa(status) + " " + one.method + " " + one.shape()
	if _, ok := r.seen.First[place]; !ok && len(r.seen.First) < 50 {
		text := string(one.raw)
		if one.done {
			text += string(one.body[:min(len(one.body), 600)])
		}
		r.seen.First[place] = exchange{one.number, text, status}
	}
}

func (r *recorder) write(file string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	data, err := json.Marshal(r.seen)
	if err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o600)
}
