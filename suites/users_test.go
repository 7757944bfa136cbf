package suites_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
)

func atOnce(c *judge.Case) bool { return strings.HasSuffix(c.ID, "/users-at-once") }

func selected(t *testing.T, h http.Handler, which func(*judge.Case) bool) *report.Report {
	t.Helper()
	target := serve(t, h)
	target.Limits.Timeout = time.Duration(reftest.Of(60, 20)) * time.Second // a tenth of it is enough to invite a body, also on a busy machine
	c := suites.NewConfig(target)
	c.Select = which
	return execute(t, c)
}

// A user who is kept where all requests find it shows in the one case that is about
// it, for the operation that is at fault and no other.
func TestAUserThatRequestsShare(t *testing.T) {
	t.Parallel()
	contract := reftest.Contract(t)
	seen := 0
	for _, f := range faults.All(contract) {
		if !strings.HasPrefix(f.ID, "user/shared-") {
			continue
		}
		if seen++; testing.Short() && seen%5 != 1 {
			continue
		}
		operation := f.ID[strings.LastIndexByte(f.ID, '/')+1:]
		r := selected(t, faulty(t, f.ID), atOnce)
		found := false
		for _, b := range r.Findings {
			found = found || b.Clause == "AUTH-3"
			if b.Operation != operation {
				t.Errorf("%s: a finding of %s: %s", f.ID, b.Operation, b.Got)
			}
		}
		if !found {
			t.Errorf("%s: %s, findings %+v", f.ID, r.Verdict, r.Findings)
		}
	}
}

// Nobody has to serve two requests at once, nor to take one in halves.
func TestServersOnWhichTwoUsersDoNotMeet(t *testing.T) {
	t.Parallel()
	for id, untested := range map[string]int{"one-at-a-time": 3, "late-body-408": 3, "late-body-closed": 3, "refused-before-the-body": 0} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			r := selected(t, faulty(t, "wire/"+id), atOnce)
			if len(r.Findings) > 0 || r.Lost > 0 {
				t.Errorf("%d lost, findings %+v", r.Lost, r.Findings)
			}
			if r.Cases.NotTested != untested {
				t.Errorf("%d cases not tested, expected %d", r.Cases.NotTested, untested)
				for _, cs := range r.Results {
					t.Log(cs.ID, cs.Status, cs.Reason)
				}
			}
		})
	}
}

// oneParser reads the heads of all connections into one place: a key counts for the
// request that ends next.
type oneParser struct {
	http.Handler
	mu  sync.Mutex
	key string
}

func (p *oneParser) serve(t *testing.T) *fixtures.Target {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go p.connection(conn)
		}
	}()
	return fixtures.DefaultWorld().Target("http://" + listener.Addr().String() + basePath)
}

func (p *oneParser) connection(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	var head strings.Builder
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		name, value, _ := strings.Cut(line, ":")
		if strings.EqualFold(name, fixtures.DefaultKeyHeader) {
			p.mu.Lock()
			p.key = strings.TrimSpace(value)
			p.mu.Unlock()
			continue
		}
		head.WriteString(line)
		if line == "\r\n" {
			break
		}
	}
	r, err := http.ReadRequest(bufio.NewReader(io.MultiReader(strings.NewReader(head.String()), in)))
	if err != nil {
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

// What a list and a delete send in halves is their head.
func TestHeadsOfTwoUsersThatOneParserReads(t *testing.T) {
	for _, operation := range []string{"listCreativeMediaFiles", "deleteCreative"} {
		c := suites.NewConfig((&oneParser{Handler: bundled(t)}).serve(t))
		c.Select = func(cs *judge.Case) bool { return cs.ID == operation+"/state/users-at-once" }
		r := execute(t, c)
		if r.Verdict != report.Nonconforming || len(r.Findings) == 0 || r.Findings[0].Clause != "AUTH-3" {
			t.Errorf("%s: %s, findings %+v", operation, r.Verdict, r.Findings)
		}
	}
}
