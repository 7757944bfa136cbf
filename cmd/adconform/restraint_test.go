package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/adconform/adconform/cmd/adconform/internal/bundled"
	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/session"
	"github.com/adconform/adconform/suites/testcase"
	"github.com/adconform/adconform/suites/wire"
)

// watched is a reference that notes the requests which could change it.
type watched struct {
	*reference.Server
	target *fixtures.Target
	world  fixtures.World
	before reference.Snapshot

	mu     sync.Mutex
	writes []string // method and path below the base path
}

// watchedListener gives connections of which the request lines are noted as they
// come: what is no path at all a server refuses before any handler sees it.
type watchedListener struct {
	net.Listener
	to *watched
}

func (l watchedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	return &watchedConn{Conn: conn, to: l.to}, err
}

type watchedConn struct {
	net.Conn
	to   *watched
	line []byte // the end of what came since the last line feed
}

var requestLine = regexp.MustCompile(`([A-Z]+) (/\S*) HTTP/1\.1\r$`)

func (c *watchedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	for i, part := range bytes.Split(p[:n], []byte("\n")) {
		if i > 0 {
			if m := requestLine.FindSubmatch(c.line); m != nil && !wire.Safe(string(m[1])) {
				c.to.mu.Lock()
				c.to.writes = append(c.to.writes, string(m[1])+" "+strings.TrimPrefix(string(m[2]), bundled.BasePath))
				c.to.mu.Unlock()
			}
			c.line = nil
		}
		c.line = append(c.line, part...)
		c.line = c.line[max(0, len(c.line)-4096):]
	}
	return n, err
}

// watch starts a reference with a fault, a variant, or neither.
func watch(t *testing.T, fault, variant string) *watched {
	t.Helper()
	w := &watched{world: fixtures.DefaultWorld()}
	options := reference.Options{World: w.world}
	on, err := bundled.Disguise{Fault: fault, Variant: variant}.Put(w.world, &options)
	if err != nil {
		t.Fatal(err)
	}
	if w.Server, err = reference.New(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Server.Close() })
	front := httptest.NewUnstartedServer(on.Wrap(w.Server))
	front.Listener = watchedListener{front.Listener, w}
	front.Start()
	t.Cleanup(front.Close)
	w.target = w.world.Target(front.URL + bundled.BasePath)
	w.target.Open = on.Pins
	w.before = w.snapshot(t)
	return w
}

func (w *watched) snapshot(t *testing.T) reference.Snapshot {
	t.Helper()
	s, err := w.Snapshot(context.WithoutCancel(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// damage is what is not as before a run, disposables that are gone left out.
func (w *watched) damage(t *testing.T) []string {
	t.Helper()
	disposable := map[int64]bool{}
	for _, c := range w.target.Objects.DisposableCreatives {
		disposable[c.ID] = true
	}
	for _, c := range w.target.Objects.DisposableVastCreatives {
		disposable[c.ID] = true
		for _, id := range c.MediaFileIDs {
			disposable[id] = true
		}
	}
	var damage []string
	after := w.snapshot(t)
	for key, row := range w.before {
		now, there := after[key]
		table, id, _ := strings.Cut(key, " ")
		n, _ := strconv.ParseInt(id, 10, 64)
		switch {
		case (table == "creatives" || table == "scans") && disposable[n]: // it may go, and what becomes of its media files is open
		case !there:
			damage = append(damage, key+" is gone")
		case now != row:
			damage = append(damage, fmt.Sprintf("%s was\n    %s and is\n    %s", key, row, now))
		}
	}
	for key := range after {
		if _, there := w.before[key]; !there {
			damage = append(damage, key+" is new")
		}
	}
	slices.Sort(damage)
	return damage
}

func (w *watched) run(t *testing.T, ctx context.Context, change func(*suites.Config)) *report.Report {
	t.Helper()
	c := suites.NewConfig(w.target)
	if change != nil {
		change(c)
	}
	r, err := suites.Execute(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func mustBeAsBefore(t *testing.T, w *watched, r *report.Report) {
	t.Helper()
	for _, d := range w.damage(t) {
		t.Errorf("after the run (%s) %s", r.Verdict, d)
	}
	for _, c := range r.Changes {
		if c.Change != "deleted" && !c.Restored {
			t.Errorf("%s is not put back: %s", c.Object, c.Reason)
		}
	}
	if t.Failed() {
		t.Logf("changes: %+v", r.Changes)
	}
}

// Servers that conform, each in its own way.
var various = []string{
	"", "path/read-all", "path/read-campaign", "body/read-only-refused",
}

func TestAfterARunAllIsAsBefore(t *testing.T) {
	for _, variant := range various {
		t.Run("variant "+variant, func(t *testing.T) {
			reftest.Long(t)
			w := watch(t, "", variant)
			mustBeAsBefore(t, w, w.run(t, t.Context(), nil))
		})
	}
	t.Run("deep", func(t *testing.T) {
		reftest.Long(t)
		w := watch(t, "", "")
		mustBeAsBefore(t, w, w.run(t, t.Context(), func(c *suites.Config) { c.Depth = testcase.Deep }))
	})
	t.Run("no values in the target file", func(t *testing.T) {
		w := watch(t, "", "")
		withoutValues(w.target)
		mustBeAsBefore(t, w, w.run(t, t.Context(), nil))
	})
}

// withoutValues takes away what a target file says of objects beside their ids.
func withoutValues(t *fixtures.Target) {
	o := &t.Objects
	for _, object := range []*fixtures.Object{
		o.ConnectionProfile, o.OtherConnectionProfile, o.ConnectionProfileRuleHost, o.ConnectionProfileOtherRuleHost,
		o.ConnectionProfileRuleOtherHost, o.Campaign, o.OtherCampaign,
	} {
		object.Values = nil
	}
}

// Servers that make writes which they refuse, or lose answers.
func TestAfterARunOnABrokenServerAllIsAsBefore(t *testing.T) {
	for i, fault := range broken {
		if testing.Short() && i > 0 {
			continue
		}
		t.Run(fault, func(t *testing.T) {
			w := watch(t, fault, "")
			r := w.run(t, t.Context(), func(c *suites.Config) { c.Target.Limits.Timeout = 2e9 })
			if r.Verdict != report.Nonconforming {
				t.Errorf("the fault shows nothing: %s", r.Reason)
			}
			mustBeAsBefore(t, w, r)
		})
	}
}

var broken = []string{
	"refused/401-any-key/updateCampaign",
	"refused/403-foreign/updateCampaign",
	"refused/403-foreign/updateConnectionProfile",
	"refused/403-foreign/updateConnectionProfileRuleHost",
	"refused/403-stranger/updateConnectionProfile",
	"effect/other-too/updateCampaign",
	"effect/other-resets/updateConnectionProfile",
	"effect/sibling-too/updateConnectionProfileRuleHost",
}

// On a server that does not keep what it is told nothing can be put back: the
// report names each object, with the request that would.
func TestWhatIsLeftChangedIsToldWithItsRemedy(t *testing.T) {
	for i, fault := range []string{
		"effect/other-instead/updateCampaign",
		"effect/stores-last-lost-hostname/updateConnectionProfileRuleHost", "effect/stores-swapped/updateConnectionProfile",
	} {
		if testing.Short() && i > 0 {
			continue
		}
		t.Run(fault, func(t *testing.T) {
			w := watch(t, fault, "")
			r := w.run(t, t.Context(), nil)
			damage := w.damage(t)
			if len(damage) == 0 {
				t.Error("nothing is left changed: another fault is needed here")
			}
			for _, d := range damage {
				i := slices.IndexFunc(r.Changes, func(c session.Change) bool { return strings.Contains(d, fmt.Sprintf("s %d was", c.ID)) })
				if i < 0 || r.Changes[i].Restored || r.Changes[i].Reason == "" || !strings.HasPrefix(r.Changes[i].Undo, "curl -i -X PATCH ") {
					t.Errorf("%s\n  is not told in %+v", d, r.Changes)
				}
			}
		})
	}
}

func TestAfterAnInterruptedRunAllIsAsBefore(t *testing.T) {
	for i, at := range []int{1, 40, 50, 51, 90, 160, 161, 230, 300, 330, 350} {
		if testing.Short() && i%6 > 0 {
			continue
		}
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			w := watch(t, "", "")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			r := w.run(t, ctx, func(c *suites.Config) {
				c.Progress = func(done, _ int, _ *testcase.Result) {
					if done == at {
						cancel()
					}
				}
			})
			if !r.Interrupted {
				t.Fatal("the run was not interrupted")
			}
			mustBeAsBefore(t, w, r)
		})
	}
}

// The run is interrupted while a write is under way: whether it was made is
// not known, so the object is put back.
func TestAWriteThatAnInterruptCutOffIsPutBack(t *testing.T) {
	t.Parallel() // it waits
	for i, nth := range []int{1, 2, 30, 100, 200} {
		if testing.Short() && i%3 > 0 {
			continue
		}
		t.Run(fmt.Sprint(nth), func(t *testing.T) {
			w := watch(t, "", "")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			writes := 0
			inner := w.target.BaseURL
			front := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				forward := func() *http.Response {
					req, err := http.NewRequestWithContext(context.WithoutCancel(r.Context()), r.Method,
						strings.TrimSuffix(inner, bundled.BasePath)+r.URL.RequestURI(), r.Body)
					if err != nil {
						panic(err)
					}
					req.Header = r.Header
					res, err := http.DefaultTransport.RoundTrip(req)
					if err != nil {
						panic(err)
					}
					return res
				}
				res := forward()
				defer res.Body.Close()
				if !wire.Safe(r.Method) && ctx.Err() == nil {
					if writes++; writes == nth {
						cancel()
						<-r.Context().Done() // the client has gone, the write is made
						return
					}
				}
				for name, values := range res.Header {
					rw.Header()[name] = values
				}
				rw.WriteHeader(res.StatusCode)
				io.Copy(rw, res.Body)
			}))
			defer front.Close()
			w.target.BaseURL = front.URL + bundled.BasePath
			r := w.run(t, ctx, nil)
			mustBeAsBefore(t, w, r)
		})
	}
}
