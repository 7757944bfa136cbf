package fuzz

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge/call"
	"github.com/adconform/adconform/suites/wire"
)

// recording notes the bytes of what comes.
type recording struct {
	net.Listener
	mu   sync.Mutex
	came bytes.Buffer
}

type recordedConn struct {
	net.Conn
	by *recording
}

func (r *recording) Accept() (net.Conn, error) {
	conn, err := r.Listener.Accept()
	return &recordedConn{conn, r}, err
}

func (c *recordedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.by.mu.Lock()
	defer c.by.mu.Unlock()
	c.by.came.Write(p[:n])
	return n, err
}

// taken is what came since it was asked last.
func (r *recording) taken() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	text := r.came.String()
	r.came.Reset()
	return text
}

// asOrdinary are the texts that are no difference on an operation: its own method, and what takes
// commas out of a body that has none.
func asOrdinary(op *spec.Operation, m Mutation) bool {
	switch m.Class {
	case "method/safe", "method/other":
		return m.Text == op.Method
	case "json/syntax":
		return len(op.Body.Fields) == 1 && (m.Text == "no commas" || m.Text == "semicolons")
	}
	return false
}

// Every class makes another request of the ordinary one, which comes on the connection: none is
// what HTTP clients refuse to send, or mend.
func TestEachClassChangesTheRequest(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusNotFound)
	}))
	record := &recording{Listener: server.Listener}
	server.Listener = record
	server.Start()
	defer server.Close()
	s := against(t, server)
	send := func(call call.Call) (string, *wire.TransportError) {
		record.taken()
		a := hand(t, s).Send(call)
		return record.taken(), a.Exchange.Err
	}
	ordinary := map[string]string{} // by operation, whether apart, whether raw
	for in := range everyListed(s.Model.Contract) {
		d, call := makes(hand(t, s), in)
		if d.copies > 1 || d.plain > 0 {
			continue // the request itself is as ever
		}
		kind := fmt.Sprint(in.Operation, in.Apart(), d.odd != nil)
		if ordinary[kind] == "" {
			plain := begun(hand(t, s), in)
			if d.odd != nil {
				plain.raw()
			}
			ordinary[kind], _ = send(plain.call(in))
		}
		got, err := send(call)
		switch {
		case err != nil && err.Kind == wire.BadRequest, got == "":
			t.Errorf("%s is not sent: %v", in, err)
		case got == ordinary[kind] && !asOrdinary(d.op, in.Mutations[0]):
			t.Errorf("%s is the ordinary request:\n%.300s", in, got)
		}
	}
}

// everyListed are the inputs of one mutation that come before any are drawn; with -short some
// of each class.
func everyListed(contract *spec.Contract) iter.Seq[Input] {
	return func(yield func(Input) bool) {
		for _, op := range contract.Operations {
			for _, c := range catalogue {
				if !c.appliesTo(op) {
					continue
				}
				for i, m := range c.listed() {
					if (i < 2 || !testing.Short()) && !yield(Input{op.ID, []Mutation{m}}) {
						return
					}
				}
			}
		}
	}
}

// However mutations come together, a request stays small enough for the machine that sends it.
func TestNoInputIsHuge(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	s := against(t, server)
	op := s.Model.Contract.Operation("updateCampaign")
	large := slices.DeleteFunc(slices.Clone(catalogue), func(c *class) bool {
		return len(c.sizes) == 0 || !c.appliesTo(op) || c.family() != "json" && (c.family() != "text" || testing.Short())
	})
	for _, first := range large {
		for _, then := range large {
			in := Input{Operation: op.ID}
			for _, c := range []*class{first, then} {
				_, most := c.bounds()
				in.Mutations = append(in.Mutations, Mutation{Class: c.id, N: most})
			}
			if _, call := makes(hand(t, s), in); call.Body != nil && len(call.Body.Raw) > 8*mostRepeated {
				t.Errorf("%s and %s: a body of %d bytes", first.id, then.id, len(call.Body.Raw))
			}
		}
	}
}
