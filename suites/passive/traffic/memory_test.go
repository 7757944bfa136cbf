package traffic

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/adconform/adconform/suites/oracle"
)

// here answers without a network, so that only what the observer and the judge
// keep is measured.
type here struct{}

func (here) RoundTrip(r *http.Request) (*http.Response, error) {
	res := &http.Response{StatusCode: 204, Proto: "HTTP/1.1", Header: http.Header{}, Body: http.NoBody, Request: r}
	if r.Method == http.MethodPatch {
		io.Copy(io.Discard, r.Body)
		return nil, fmt.Errorf("the connection was lost")
	}
	return res, nil
}

// Traffic has no end, what is kept of it has: deletes of ever other creatives by
// ever other users with ever other tokens, some answers lost.
func TestMemoryStaysFlat(t *testing.T) {
	if testing.Short() {
		t.Skip("100,000 exchanges take some seconds")
	}
	p := proxyTo(t, "http://127.0.0.1:1", ProxyOptions{})
	room := make(chan struct{}, 500) // the bound of the observer is not what is tested here
	p.observer.options.Judged = func([]oracle.Finding) { <-room }
	client := &transport{observer: p.observer, next: here{}, target: func(r *http.Request) string { return r.URL.RequestURI() }}
	send := func(from, to int) {
		for i := from; i < to; i++ {
			room <- struct{}{}
			r, err := http.NewRequest("DELETE", fmt.Sprintf("http://127.0.0.1:1/v2/creatives/%d", 1+i%3000), nil)
			if i%50 == 0 {
				r, err = http.NewRequest("PATCH", "http://127.0.0.1:1/v2/campaigns/25", strings.NewReader(strings.Repeat("x", 10_000)))
			}
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("X-API-Key", fmt.Sprintf("the-key-of-user-%d", i/1000))
			r.Header.Set("X-Padding", strings.Repeat("x", 1000))
			if res, err := client.RoundTrip(r); err == nil {
				res.Body.Close()
			}
		}
		for range cap(room) { // all are judged
			room <- struct{}{}
		}
		for range cap(room) {
			<-room
		}
	}
	heap := func() float64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	send(0, 10_000)
	first := heap()
	send(10_000, 100_000)
	last := heap()
	t.Logf("heap after 10,000 exchanges %.1f MB, after 100,000 %.1f MB", first/1e6, last/1e6)
	if c := p.observer.Counts(); c.Judged != 100_000 {
		t.Errorf("%+v", c)
	}
	if last > 1.5*first {
		t.Errorf("the heap grew from %.1f to %.1f MB", first/1e6, last/1e6)
	}
}
