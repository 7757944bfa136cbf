package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/session"
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
				c.to.writes = append(c.to.writes, string(m[1])+" "+strings.TrimPrefix(string(m[2]), basePath))
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
	on, err := disguise{fault: fault, variant: variant}.put(w.world, &options)
	noError(t, err)
	if w.Server, err = reference.New(options); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Server.Close() })
	front := httptest.NewUnstartedServer(on.wrap(w.Server))
	front.Listener = watchedListener{front.Listener, w}
	front.Start()
	t.Cleanup(front.Close)
	w.target = w.world.Target(front.URL + basePath)
	w.target.Open = on.pins
	w.before = w.snapshot(t)
	return w
}

func (w *watched) snapshot(t *testing.T) reference.Snapshot {
	t.Helper()
	s, err := w.Snapshot()
	noError(t, err)
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
		kind, id, _ := strings.Cut(key, " ")
		n, _ := strconv.ParseInt(id, 10, 64)
		switch {
		case kind == "creatives" && disposable[n]: // it may go, and what becomes of its media files is open
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
	noError(t, err)
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
		mustBeAsBefore(t, w, w.run(t, t.Context(), func(c *suites.Config) { c.Depth = judge.Deep }))
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
				c.Progress = func(done, _ int, _ *judge.Result) {
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
	for i, nth := range []int64{1, 2, 30, 100, 200} {
		if testing.Short() && i%3 > 0 {
			continue
		}
		t.Run(fmt.Sprint(nth), func(t *testing.T) {
			w := watch(t, "", "")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var writes atomic.Int64
			front := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				a := httptest.NewRecorder()
				w.ServeHTTP(a, r.WithContext(context.WithoutCancel(r.Context())))
				if !wire.Safe(r.Method) && ctx.Err() == nil && writes.Add(1) == nth {
					cancel()
					io.Copy(io.Discard, r.Body) // else the end of the connection is not seen
					<-r.Context().Done()        // the client has gone, the write is made
					return
				}
				maps.Copy(rw.Header(), a.Header())
				rw.WriteHeader(a.Code)
				rw.Write(a.Body.Bytes())
			}))
			defer front.Close()
			w.target.BaseURL = front.URL + basePath
			mustBeAsBefore(t, w, w.run(t, ctx, nil))
		})
	}
}

// Every write names objects of the target file, or unknown ids; no
// delete names what is foreign, or what is not there to be deleted.
func TestNothingButTheTargetFileIsWrittenTo(t *testing.T) {
	contract, err := spec.Load()
	noError(t, err)
	for i, server := range []struct{ fault, variant string }{
		{}, {"", "path/read-all"}, {"refused/403-foreign/updateCampaign", ""}, {"deleteCreative/404/status-200", ""},
	} {
		if testing.Short() && i > 0 {
			continue
		}
		for name, change := range map[string]func(*fixtures.Target){
			"complete": func(*fixtures.Target) {},
			"little": func(t *fixtures.Target) {
				t.Objects = fixtures.Objects{
					Campaign: t.Objects.Campaign, DisposableCreatives: t.Objects.DisposableCreatives[:2],
					VastCreative: t.Objects.VastCreative,
				}
				t.Foreign = fixtures.Foreign{Campaign: t.Foreign.Campaign}
			},
		} {
			if testing.Short() && name == "complete" {
				continue
			}
			t.Run(name+" "+server.fault+server.variant, func(t *testing.T) {
				w := watch(t, server.fault, server.variant)
				change(w.target)
				w.run(t, t.Context(), func(c *suites.Config) { c.Depth = judge.Deep })
				if len(w.writes) == 0 {
					t.Fatal("nothing was sent")
				}
				for _, write := range w.writes {
					method, path, _ := strings.Cut(write, " ")
					for table, id := range idsIn(contract, method, path) {
						_, exists := w.before[table+" "+id]
						key := keyOf(w.target, table, id)
						switch {
						case exists && key == "":
							t.Errorf("%s: %s %s is there and not in the target file", write, table, id)
						case method == http.MethodDelete && key != "" && !strings.HasPrefix(key, "objects.disposable"):
							t.Errorf("%s: deletes %s", write, key)
						}
					}
				}
			})
		}
	}
}

// idsIn are the ids of a path, by the table that holds such objects.
func idsIn(contract *spec.Contract, method, path string) map[string]string {
	tables := map[string]string{
		"connection profile": "connection_profiles", "rule": "connection_profile_rules", "rule host": "connection_profile_rule_hosts",
		"campaign": "campaigns", "creative": "creatives",
	}
	ids := map[string]string{}
	op, inPath := contract.Match(method, path)
	for i, id := range inPath {
		ids[tables[fixtures.KindOf(op.Params[i].Object)]] = id
	}
	return ids
}

// keyOf is where a target file names an object, "" where it does not.
func keyOf(target *fixtures.Target, table, id string) string {
	for _, n := range target.Named() {
		if fmt.Sprint(n.ID) == id && (n.Creative() == (table == "creatives")) && (n.Rule() == (table == "connection_profile_rules")) {
			switch {
			case n.Creative(), n.Rule(), strings.ReplaceAll(n.Kind, " ", "_")+"s" == table,
				n.Kind == "rule host" && table == "connection_profile_rule_hosts":
				return n.Key
			}
		}
	}
	return ""
}

// planned are the writes of a standard run as cases tells them, and their methods and paths.
func planned(t *testing.T, target *fixtures.Target) (*report.Writes, []string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "target.yaml")
	noError(t, writeTarget(file, target))
	code, stdout, stderr := run(t, nil, "cases", file, "--json")
	var list struct{ Writes *report.Writes }
	if err := json.Unmarshal([]byte(stdout), &list); err != nil || code != 0 || stderr != "" || list.Writes == nil {
		t.Fatalf("exit code %d (%v): %s", code, err, stderr)
	}
	var paths []string
	for _, o := range list.Writes.Objects {
		for _, r := range o.Requests {
			paths = append(paths, slices.Repeat([]string{r.Method + " " + r.Path}, r.Times)...)
		}
	}
	slices.Sort(paths)
	return list.Writes, paths
}

// What cases says that a run would write is what it then writes, and nothing is sent before.
func TestCasesListsWhatARunThenSends(t *testing.T) {
	for name, change := range map[string]func(*fixtures.Target){
		"complete":  func(*fixtures.Target) {},
		"no values": withoutValues,
		"partial": func(t *fixtures.Target) {
			t.Credentials.Stranger = ""
			t.Objects.ConnectionProfile, t.Objects.EmptyVastCreative = nil, nil
			t.Objects.DisposableCreatives = t.Objects.DisposableCreatives[:1]
		},
		"a creative in two roles": func(t *fixtures.Target) {
			t.Objects.VastCreative = &t.Objects.PagedVastCreatives[0]
			t.Foreign.Creative, t.Foreign.VastCreative = 96, 96 // which is a VAST creative there
		},
	} {
		if testing.Short() && name != "partial" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			w := watch(t, "", "")
			change(w.target)
			plan, paths := planned(t, w.target)
			if len(w.writes) > 0 {
				t.Fatalf("%d writes reached the target", len(w.writes))
			}
			r := w.run(t, t.Context(), nil)
			slices.Sort(w.writes)
			if !slices.Equal(paths, w.writes) || plan.Writes != len(paths) || plan.Requests != r.Requests {
				t.Errorf("told %d writes of %d requests, sent %d of %d", plan.Writes, plan.Requests, len(w.writes), r.Requests)
			}
			if got, want := len(plan.Deleted), len(w.target.Objects.DisposableCreatives); got < want {
				t.Errorf("%d deletions are told, at least the %d disposables are deleted", got, want)
			}
		})
	}
}

// TestFaultsArePrepared: a fault that needs other choices gets them.
func TestFaultsArePrepared(t *testing.T) {
	contract, err := spec.Load()
	noError(t, err)
	prepared := 0
	for _, f := range faults.All(contract) {
		if f.Choices == nil || prepared == 3 { // a few are enough: each is looked up among all
			continue
		}
		prepared++
		want := reference.DefaultChoices()
		f.Choices(&want)
		var options reference.Options
		on, err := disguise{fault: f.ID}.put(fixtures.DefaultWorld(), &options)
		if err != nil || options.Choices != want || len(on.pins) != len(f.Pins) {
			t.Fatalf("%s: %+v, %+v (%v)", f.ID, options.Choices, on, err)
		}
	}
	if prepared == 0 {
		t.Error("no fault has choices")
	}
}
