package wire

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// The second connection comes late. Until it is there, the first must not send.
func TestTogetherAreReleasedAtOnce(t *testing.T) {
	c := newClient(t, Options{BaseURL: counting(t), Concurrency: 1})
	sent := make(chan struct{})
	var dials atomic.Int64
	var early atomic.Bool
	dial := c.pooled.DialContext
	c.pooled.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		if dials.Add(1) == 2 {
			select { // only a client that does not wait leaves by the first way
			case <-sent:
				early.Store(true)
			case <-time.After(50 * time.Millisecond):
			}
		}
		conn, err := dial(ctx, network, address)
		return &watchedConn{Conn: conn, sent: sent}, err
	}
	for _, ex := range c.DoAll(t.Context(), "c", Together, get("/x"), patch("/x", "{}")) {
		status(t, ex, 200)
	}
	if early.Load() {
		t.Error("one request was sent before the other had its connection")
	}
	status(t, c.Do(t.Context(), "c", get("/x")), 200) // the slots were given back
}

type watchedConn struct {
	net.Conn
	sent chan struct{}
	once sync.Once
}

func (w *watchedConn) Write(b []byte) (int, error) {
	w.once.Do(func() {
		select {
		case w.sent <- struct{}{}:
		default:
		}
	})
	return w.Conn.Write(b)
}

// One request that fails to connect must not hold the others back for ever.
func TestTogetherWithFailures(t *testing.T) {
	c := newClient(t, Options{BaseURL: "unix://" + t.TempDir() + "/none"})
	for _, ex := range c.DoAll(t.Context(), "c", Together, get("/x"), get("/y"), get("bad")) {
		if ex.Err == nil || ex.Err.Kind != Refused && ex.Err.Kind != BadRequest {
			t.Errorf("%s: %v", ex.URL, ex.Err)
		}
	}
}

func TestTogetherWhenOneCannotConnect(t *testing.T) {
	c := newClient(t, Options{BaseURL: counting(t)})
	var dials atomic.Int64
	dial := c.pooled.DialContext
	c.pooled.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		if dials.Add(1) == 2 {
			return nil, &net.OpError{Op: "dial", Err: errors.New("no route to host")}
		}
		return dial(ctx, network, address)
	}
	kinds := map[Kind]int{}
	for _, ex := range c.DoAll(t.Context(), "c", Together, get("/x"), get("/y")) {
		if ex.Err != nil {
			kinds[ex.Err.Kind]++
		}
	}
	if len(kinds) != 1 || kinds[Unreachable] != 1 {
		t.Errorf("failures %v, want one unreachable", kinds)
	}
}
