package load

import (
	"testing"
	"time"

	"github.com/adconform/adconform/suites/wire"
)

func TestLatenciesBeyondTheBoundsAreKept(t *testing.T) {
	h := newHistogram()
	record(h, 5*time.Hour)
	record(h, -time.Second)
	if h.TotalCount() != 2 || milliseconds(h.Max()) < 3.6e6 {
		t.Errorf("%d values up to %g ms", h.TotalCount(), milliseconds(h.Max()))
	}
}

func TestCountsOfAnExchange(t *testing.T) {
	var c Counts
	for _, ex := range []*wire.Exchange{
		{Attempts: 3, RateLimited: 1, Unavailable: 1, Response: &wire.Response{Status: 200}},
		{Attempts: 1, Response: &wire.Response{Status: 503}},
		{Attempts: 2, Resent: 1, Err: &wire.TransportError{Kind: wire.Timeout}},
	} {
		c.add(ex)
	}
	want := Counts{Requests: 6, Exchanges: 3, Lost: 1, ServerErrors: 1, RateLimited: 1, Unavailable: 1, Resent: 1}
	if c != want || c.ErrorRate() != 2.0/3 {
		t.Errorf("%+v", c)
	}
}
