package reference

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference/postgrestest"
)

const (
	clients        = 8
	perClient      = 25 // requests in a burst
	manyCampaigns  = 1000
	constantAnswer = `{"data":{"id":1000,"name":"Campaign","createdAt":"2024-03-01T09:00:00Z",` +
		`"updatedAt":"2024-03-01T09:00:00Z","type":"video","shareURL":"https://example.com/c","adspecId":3,"userId":1}}`
)

// BenchmarkThroughput compares the reference over the loopback with a bare
// net/http server that answers a constant: bursts of the same requests go to
// the one and the other by turns. "ratio" is the reference's share of the
// constant server's requests a second. Each client has a campaign of its own;
// a list has 5 items.
func BenchmarkThroughput(b *testing.B) {
	databases := []struct {
		name string
		dsn  func() string
	}{
		{"memory", func() string { return "" }},
		{"file", func() string { return filepath.Join(b.TempDir(), "world.sqlite") }},
		{"postgres", func() string { return postgrestest.URL(b) }},
	}
	requests := map[string]func(base string, client, n int) *http.Request{
		"update": func(base string, client, n int) *http.Request {
			body := fmt.Sprintf(`{"name":"Name %d"}`, n)
			return httptest.NewRequest("PATCH", fmt.Sprintf("%s/campaigns/%d", base, manyCampaigns+client), strings.NewReader(body))
		},
		"list": func(base string, _, _ int) *http.Request {
			return httptest.NewRequest("GET", base+"/creatives/200/media-files", nil)
		},
	}
	world := testWorld()
	for i := range clients {
		c := world.Campaigns[0]
		c.ID = manyCampaigns + int64(i)
		world.Campaigns = append(world.Campaigns, c)
	}
	constant := listening(b, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		io.WriteString(w, constantAnswer)
	}))
	for _, db := range databases {
		for _, operation := range []string{"update", "list"} {
			b.Run(db.name+"/"+operation, func(b *testing.B) {
				served := listening(b, newServerWith(b, Options{World: world, DSN: db.dsn()}))
				send := requests[operation]
				burst(b, constant, send) // opens the connections
				burst(b, served, send)
				var theirs, ours time.Duration
				bursts := 0
				for b.Loop() {
					theirs += burst(b, constant, send)
					ours += burst(b, served, send)
					bursts++
				}
				perSecond := func(d time.Duration) float64 { return float64(bursts*clients*perClient) / d.Seconds() }
				b.ReportMetric(perSecond(ours), "requests/s")
				b.ReportMetric(perSecond(theirs), "constant/s")
				b.ReportMetric(perSecond(ours)/perSecond(theirs), "ratio")
				b.ReportMetric(0, "ns/op") // of a burst to both: says nothing
			})
		}
	}
}

// listening is the base URL of a handler on the loopback.
func listening(b *testing.B, h http.Handler) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	server := &http.Server{Handler: h}
	go server.Serve(l)
	b.Cleanup(func() { server.Close() })
	return "http://" + l.Addr().String() + "/v2"
}

var (
	benchClient = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	sequence    atomic.Int64 // makes every name a new one
)

// burst is how long clients take that send perClient requests each.
func burst(b *testing.B, base string, send func(base string, client, n int) *http.Request) time.Duration {
	var all sync.WaitGroup
	begin := time.Now()
	for client := range clients {
		all.Go(func() {
			for range perClient {
				r := send(base, client, int(sequence.Add(1)))
				r.RequestURI = ""
				r.Header.Set(fixtures.DefaultKeyHeader, ownerKey)
				response, err := benchClient.Do(r)
				if err != nil {
					b.Error(err)
					return
				}
				io.Copy(io.Discard, response.Body)
				response.Body.Close()
				if response.StatusCode != http.StatusOK {
					b.Errorf("status %d", response.StatusCode)
				}
			}
		})
	}
	all.Wait()
	return time.Since(begin)
}
