package suites_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
)

// Servers with a limit of a megabyte answer 413 and close at once, as RFC 9110, 15.5.14
// allows, and the reset often overtakes the answer. That is neither a finding nor a pass.
func TestAConnectionThatEndsDuringALargeBodyIsNoFinding(t *testing.T) {
	t.Parallel()
	reset := func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		conn.(*net.TCPConn).SetLinger(0) // the close is a reset
		conn.Close()
	}
	for limit, allowed := range map[int64]bool{1 << 20: true, 3 << 10: false} {
		r := runOn(t, instead(bundled(t), func(r *http.Request) bool { return r.ContentLength > limit }, reset), func(c *suites.Config) {
			c.Select = func(cs *judge.Case) bool {
				return strings.HasSuffix(cs.ID, "/open/megabyte-body") || strings.HasSuffix(cs.ID, "/text/name-length-5000")
			}
		})
		if found := r.Lost > 0 || len(r.Findings) > 0; found == allowed {
			t.Errorf("%d bytes: %s, %d lost, %d findings", limit, r.Verdict, r.Lost, len(r.Findings))
		}
		for i := range r.Results {
			if cs := &r.Results[i]; strings.HasSuffix(cs.ID, "megabyte-body") && cs.Status != judge.NotTested {
				t.Errorf("%d bytes: %s %s", limit, cs.ID, cs.Status)
			}
		}
	}
}

// A oneParser keeps the keys of all connections in one place: the last one counts for the request that ends
// next. It answers 500 to a request line that it cannot read, which net/http would refuse before any handler.
type oneParser struct {
	http.Handler
	mu  sync.Mutex
	key string
}

func (p *oneParser) connection(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	var head strings.Builder
	for line := ""; line != "\r\n"; {
		var err error
		if line, err = in.ReadString('\n'); err != nil {
			return
		}
		if name, value, _ := strings.Cut(line, ":"); strings.EqualFold(name, fixtures.DefaultKeyHeader) {
			p.mu.Lock()
			p.key = strings.TrimSpace(value)
			p.mu.Unlock()
			continue
		}
		head.WriteString(line)
	}
	r, err := http.ReadRequest(bufio.NewReader(io.MultiReader(strings.NewReader(head.String()), in)))
	if err != nil {
		_, _ = io.WriteString(conn, "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	r.Header.Set(fixtures.DefaultKeyHeader, p.key)
	answer := httptest.NewRecorder()
	p.ServeHTTP(answer, r)
	response := answer.Result()
	response.Close = true
	response.ContentLength = int64(answer.Body.Len())
	_ = response.Write(conn)
}

// Requests for a list and deletes have their head sent in halves. A path that cannot be decoded makes every operation fail.
func TestRequestsThatOneParserReads(t *testing.T) {
	for cases, want := range map[string]struct {
		clause     string
		operations []string
		workers    int
	}{
		"listCreativeMediaFiles/state/users-at-once": {"AUTH-3", []string{"listCreativeMediaFiles"}, 0},
		"deleteCreative/state/users-at-once":         {"AUTH-3", []string{"deleteCreative"}, 0},
		"/undecodable-path": {"HTTP-1", []string{
			"deleteCreative", "listCreativeMediaFiles", "updateCampaign", "updateConnectionProfile", "updateConnectionProfileRuleHost",
		}, 1},
	} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		noError(t, err)
		t.Cleanup(func() { listener.Close() })
		p := &oneParser{Handler: bundled(t)}
		go func() {
			for conn, err := listener.Accept(); err == nil; conn, err = listener.Accept() {
				go p.connection(conn)
			}
		}()
		c := suites.NewConfig(fixtures.DefaultWorld().Target("http://" + listener.Addr().String() + basePath))
		c.Target.Limits.Concurrency = want.workers
		selecting(cases)(c)
		var broken []string
		for _, f := range execute(t, c).Findings {
			if f.Clause != want.clause {
				t.Errorf("%s in %s: expected %s, got %s", f.Clause, f.Case, f.Expected, f.Got)
			}
			broken = append(broken, f.Operations...)
		}
		slices.Sort(broken)
		if broken = slices.Compact(broken); !slices.Equal(broken, want.operations) {
			t.Errorf("%s: found in %v, want %v", cases, broken, want.operations)
		}
	}
}
