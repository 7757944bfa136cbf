package wire

import (
	"context"
	"net"
	"net/http"
	"testing"
	"time"
)

func TestRate(t *testing.T) {
	inBubble(t, Options{Rate: 10}, func(http.ResponseWriter, *http.Request) {}, func(t *testing.T, c *Client) {
		for range 3 {
			status(t, c.Do(t.Context(), "c", get("/x")), 200)
		}
		c.DoAll(t.Context(), "c", Together, get("/x"), get("/x"))
		if got := time.Since(epoch); got != 400*time.Millisecond {
			t.Errorf("five requests at 10/s took %s, want 400ms", got)
		}
	})
}

func TestInterruption(t *testing.T) {
	hanging := make(chan struct{})
	c := newClient(t, Options{BaseURL: listen(t, func(conn net.Conn, _ int) {
		readRequest(conn)
		hanging <- struct{}{}
		untilGone(conn)
	}), Timeout: time.Hour})
	for _, r := range []Request{get("/x"), onRaw(get("/x"))} {
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-hanging; cancel() }()
		expectKind(t, "under way", c.Do(ctx, "c", r), Canceled, "under way")
		ex := c.Do(ctx, "c", r)
		expectKind(t, "after", ex, Canceled, "not sent")
		if ex.Attempts != 0 {
			t.Errorf("%d attempts after the interruption", ex.Attempts)
		}
		for _, ex := range append(c.DoAll(ctx, "c", Together, get("/x"), get("/y")), c.DoAll(ctx, "c", InOrder, get("/x"))...) {
			expectKind(t, "after", ex, Canceled, "not sent")
		}
	}
}
