package traffic

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// BenchmarkProxy compares what a judging proxy costs with a bare
// httputil.ReverseProxy and with no proxy at all, in turns of the same run: the
// median time of a request by one client, and requests a second by eight.
//
//	go test ./suites/passive/traffic -run - -bench Proxy -benchtime 20x
func BenchmarkProxy(b *testing.B) {
	answer := campaign(25, "a")
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		answering(200, answer)(w, r)
	}))
	defer target.Close()
	at, _ := url.Parse(target.URL)
	bare := httputil.NewSingleHostReverseProxy(at)
	bare.Transport = &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}
	plain := httptest.NewServer(bare)
	defer plain.Close()
	judging := proxyTo(b, target.URL, ProxyOptions{})

	ways := []struct {
		name, address string
		latency       []time.Duration
		rate          []float64
	}{{name: "direct", address: target.URL}, {name: "bare", address: plain.URL}, {name: "judging", address: judging.front.URL}}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}
	for b.Loop() {
		for i := range ways {
			w := &ways[i]
			for range 100 {
				start := time.Now()
				renameCampaign(b, client, w.address)
				w.latency = append(w.latency, time.Since(start))
			}
			start := time.Now()
			var all sync.WaitGroup
			for range 8 {
				all.Go(func() {
					for range 50 {
						renameCampaign(b, client, w.address)
					}
				})
			}
			all.Wait()
			w.rate = append(w.rate, 400/time.Since(start).Seconds())
		}
	}
	for i := range ways {
		slices.Sort(ways[i].latency)
		slices.Sort(ways[i].rate)
	}
	median := func(i int) float64 { return float64(ways[i].latency[len(ways[i].latency)/2]) }
	rate := func(i int) float64 { return ways[i].rate[len(ways[i].rate)/2] }
	b.ReportMetric(median(2)/median(1), "latency÷bare")
	b.ReportMetric((median(2)-median(1))/1000, "µs-added-to-bare")
	b.ReportMetric(rate(2)/rate(1), "throughput÷bare")
	b.ReportMetric(median(1)/median(0), "bare-latency÷direct")
	c := judging.observer.Counts()
	b.ReportMetric(float64(c.Skipped[behind]+c.Skipped[beside])/float64(max(1, c.Judged+c.Skipped[behind]+c.Skipped[beside])), "not-judged")
}

func renameCampaign(b *testing.B, c *http.Client, address string) {
	r, err := http.NewRequest("PATCH", address+"/v2/campaigns/25", strings.NewReader(`{"name":"a"}`))
	if err != nil {
		b.Fatal(err)
	}
	r.Header = http.Header{"X-Api-Key": {key}, "Content-Type": {"application/json"}}
	res, err := c.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	io.Copy(io.Discard, res.Body)
	res.Body.Close()
}
