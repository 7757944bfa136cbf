package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unicode"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/engine"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// A watched reference records its requests, and separately those that could change it.
type watched struct {
	*reference.Server
	target  *fixtures.Target
	before  map[string]string
	seed    uint64                      // of its runs
	onWrite func(nth int64) (lose bool) // whether to lose the answer to a write; nil loses none

	mu               sync.Mutex
	requests, writes []string // method and path below the base path
}

// watch starts a reference with a fault, a variant, or neither.
func watch(t *testing.T, fault, variant string) *watched {
	t.Helper()
	server, err := newReference(fault, variant, reference.Options{})
	noError(t, err)
	w, wrapped, writes := &watched{Server: server.Server}, server.handler(), new(atomic.Int64)
	front := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		request := r.Method + " " + strings.TrimPrefix(r.URL.EscapedPath(), basePath)
		if w.requests = append(w.requests, request); !wire.Safe(r.Method) {
			w.writes = append(w.writes, request)
		}
		w.mu.Unlock()
		if w.onWrite == nil || wire.Safe(r.Method) || !w.onWrite(writes.Add(1)) {
			wrapped.ServeHTTP(rw, r)
			return
		}
		wrapped.ServeHTTP(httptest.NewRecorder(), r.WithContext(context.WithoutCancel(r.Context())))
		io.Copy(io.Discard, r.Body) // or net/http would not notice the end of the connection
		<-r.Context().Done()        // by now the write is made and the client is gone
	}))
	t.Cleanup(front.Close)
	w.target = server.target(front.URL + basePath)
	w.before = w.objects(t)
	return w
}

var dateOfUpdate = regexp.MustCompile(`"updatedAt":[^,}]*`)

// objects returns the objects that the server holds, by kind and id, without the dates of their updates.
func (w *watched) objects(t *testing.T) map[string]string {
	t.Helper()
	all, world := map[string]string{}, w.World()
	show := func(kind string, id int64, v any) {
		data, err := json.Marshal(v)
		noError(t, err)
		all[fmt.Sprint(kind, " ", id)] = dateOfUpdate.ReplaceAllString(string(data), "")
	}
	for _, p := range world.Profiles {
		show("connection profile", p.ID, p.ConnectionProfile)
		for _, r := range p.Rules {
			show("rule", r.ID, r.ConnectionProfileRule)
			for _, h := range r.Hosts {
				show("rule host", h.ID, h)
			}
		}
	}
	for _, c := range world.Campaigns {
		show("campaign", c.ID, c)
	}
	for _, c := range world.Creatives {
		show("creative", c.ID, c)
	}
	return all
}

// damage returns the differences from the state before a run. A disposable may be gone, and what happens
// to its media files is open.
func (w *watched) damage(t *testing.T) []string {
	t.Helper()
	after := w.objects(t)
	for _, n := range w.target.Named() {
		if strings.HasPrefix(n.Bare, "disposable") {
			after[fmt.Sprint("creative ", n.ID)] = w.before[fmt.Sprint("creative ", n.ID)]
		}
	}
	all := maps.Clone(w.before)
	maps.Copy(all, after)
	var damage []string
	for key := range all {
		if w.before[key] != after[key] {
			damage = append(damage, fmt.Sprintf("%s was\n    %s and is\n    %s", key, w.before[key], after[key]))
		}
	}
	return damage
}

// trespasses returns the requests for ids that may exist but are not in the target file, and deletes and
// undeclared methods for objects that may not be deleted: by the path as it is, and as a lax server
// reads it.
func (w *watched) trespasses(contract *spec.Contract) (trespasses []string) {
	named := map[string]string{}
	for _, n := range w.target.Named() {
		named[fmt.Sprint(n.Kind, " ", n.ID)] = n.Bare
	}
	for _, request := range w.requests {
		method, asked, _ := strings.Cut(request, " ")
		for _, o := range objectsOf(contract, asked) {
			key := named[fmt.Sprint(o.Kind, " ", o.ID)]
			if o.isForbidden(method, key) {
				trespasses = append(trespasses, fmt.Sprintf("%s names %d (%s)", request, o.ID, key))
			}
		}
	}
	return trespasses
}

// A namedObject is one that a server may read from a path.
type namedObject struct {
	Kind string
	ID   int64
}

// objectsOf returns the objects that a strict or a lax server may read from a path.
func objectsOf(contract *spec.Contract, requested string) (all []namedObject) {
	decoded, _ := url.PathUnescape(requested)
	for _, read := range []string{requested, path.Clean(decoded)} {
		for _, op := range contract.Operations {
			ids, _ := op.Match(read)
			for i, text := range ids {
				for _, id := range readings(text) {
					all = append(all, namedObject{fixtures.KindOf(op.Params[i].Object), id})
				}
			}
		}
	}
	return all
}

// isForbidden reports whether a run may not send a method for an object, which has this key in the target file, or "".
func (o namedObject) isForbidden(method, key string) bool {
	const unknown = 1<<31 - 2000 // no object has this id or a greater one
	if o.ID <= 0 {
		return false
	}
	if key == "" {
		return o.ID < unknown
	}
	isUndone := slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodPatch}, method) // PATCH by the target file
	return !isUndone && !strings.HasPrefix(key, "disposable")
}

// number matches a number at the beginning of a text: digits, a fraction, a power of ten.
var number = regexp.MustCompile(`^[\s\x00]*([+-]?\d+)((?:\.\d+)?(?:[eE][+-]?\d+)?)`)

// readings returns the ids that servers may read from a text in the path: from all of it or from its
// beginning, in any digits and base, in 64 bits or in 32.
func readings(text string) (ids []int64) {
	plain, err := url.PathUnescape(text)
	if err != nil {
		plain = text
	}
	digits := strings.Map(func(r rune) rune {
		zero := r
		for unicode.IsDigit(zero - 1) {
			zero--
		}
		if unicode.IsDigit(r) {
			return '0' + (r-zero)%10
		}
		return r
	}, plain)
	for _, form := range []string{plain, digits} {
		based, _ := strconv.ParseInt(strings.TrimSpace(form), 0, 64)
		var decimal int64
		var float float64
		if begins := number.FindStringSubmatch(form); begins != nil {
			decimal, _ = strconv.ParseInt(begins[1], 10, 64)
			float, _ = strconv.ParseFloat(begins[1]+begins[2], 64)
		}
		for _, id := range []int64{decimal, based, int64(min(float, 1<<62))} {
			ids = append(ids, id, int64(int32(id)), int64(uint32(id)))
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// listed returns the objects to which a run writes according to the command cases, which sends nothing.
func (w *watched) listed(t *testing.T, depth judge.Depth) []written {
	t.Helper()
	file := filepath.Join(t.TempDir(), "target.yaml")
	noError(t, writeTarget(file, w.target))
	code, stdout, stderr := run(t, nil, "cases", file, "--json", "--depth", depth.String())
	var list caseList
	if err := json.Unmarshal([]byte(stdout), &list); err != nil || code != 0 || stderr != "" || len(w.requests) > 0 {
		t.Fatalf("exit code %d (%v), %d requests: %s", code, err, len(w.requests), stderr)
	}
	return list.Writes
}

// run runs the cases whose ids begin with a prefix.
func (w *watched) run(t *testing.T, ctx context.Context, cases string, depth judge.Depth, progress func(done int)) *report.Report {
	t.Helper()
	c := engine.NewConfig(w.target)
	c.Select = func(cs *judge.Case) bool { return strings.HasPrefix(cs.ID, cases) }
	c.Depth, c.Seed = depth, cmp.Or(w.seed, engine.DefaultSeed)
	c.Progress = func(done, _ int, _ *judge.Result) { progress(done) }
	r, err := engine.Execute(ctx, c)
	noError(t, err)
	return r
}

// withoutValues removes everything but the ids of objects from a target file.
func withoutValues(t *fixtures.Target) {
	for _, objects := range t.Objects {
		for i := range objects {
			objects[i].Values = nil
		}
	}
}

// little leaves a few objects of several kinds.
func little(t *fixtures.Target) {
	t.Objects = fixtures.Objects{
		"campaign": t.Objects["campaign"], "disposableCreatives": t.Objects["disposableCreatives"][:2],
		"vastCreative": t.Objects["vastCreative"],
	}
	t.Foreign = fixtures.Foreign{"campaign": t.Foreign["campaign"]}
}

// After a run everything is as before, except objects that may be deleted, and the run wrote only to objects that
// the target file names and the command cases lists. That holds on various conforming servers, on some that carry
// out refused writes, or more than was requested, and if the run is interrupted, even during a write that may or
// may not have taken effect.
func TestAfterARunAllIsAsBefore(t *testing.T) {
	rows := []restraint{
		{change: withoutValues},
		{write: 30},
		{fault: "refused/401-any-key/updateCampaign"},
		{cases: 160},
		{change: little, depth: judge.Deep},
		{},
		{depth: judge.Deep},
		{variant: "path/read-all", depth: judge.Deep},
		{variant: "path/read-campaign"},
		{variant: "body/read-only-refused"},
		{fault: "refused/403-foreign/updateCampaign"},
		{fault: "refused/403-foreign/updateCampaign", change: little, depth: judge.Deep},
		{fault: "refused/403-foreign/updateConnectionProfile"},
		{fault: "refused/403-foreign/updateConnectionProfileRuleHost"},
		{fault: "refused/403-stranger/updateConnectionProfile"},
		{fault: "deleteCreative/404/status-200"},
		{fault: "auth/any-key/deleteCreative", depth: judge.Deep},
		{fault: "effect/other-too/updateCampaign"},
		{fault: "effect/other-resets/updateConnectionProfile"},
		{fault: "effect/sibling-too/updateConnectionProfileRuleHost"},
	}
	for _, n := range []int{1, 40, 51, 90, 230, 300, 350} {
		rows = append(rows, restraint{cases: n})
	}
	for _, n := range []int64{1, 2, 100, 200} {
		rows = append(rows, restraint{write: n})
	}
	for _, seed := range []uint64{11, 4242, 900_001} {
		rows = append(rows, restraint{depth: judge.Deep, seed: seed})
	}
	for _, c := range rows[:reftest.Of(len(rows), 4)] {
		c.depth = max(c.depth, judge.Standard)
		name := fmt.Sprintf("%s%s %s %d %d %d", c.fault, c.variant, c.depth, c.cases, c.write, c.seed)
		t.Run(name, c.test)
	}
}

// A restraint is a run after which all has to be as before.
type restraint struct {
	fault, variant string
	change         func(*fixtures.Target)
	depth          judge.Depth
	cases          int   // number of cases after which the run is interrupted
	write          int64 // the write during which it is interrupted
	seed           uint64
}

func (c restraint) test(t *testing.T) {
	w := watch(t, c.fault, c.variant)
	w.seed = c.seed
	if c.change != nil {
		c.change(w.target)
	}
	w.target.Limits.Timeout = 2e9
	if c.write > 0 {
		w.target.Limits.Concurrency = 1 // so that the n-th write is the same each time
	}
	listed := w.listed(t, c.depth)
	r := c.run(t, w)
	isInterrupted := c.cases+int(c.write) > 0
	isBroken := r.Verdict == report.Nonconforming
	if r.Interrupted != isInterrupted || isBroken != (c.fault != "") || len(w.writes) == 0 {
		t.Errorf("interrupted %t, %d writes, %s: %s", r.Interrupted, len(w.writes), r.Verdict, r.Reason)
	}
	for _, d := range slices.Concat(w.damage(t), w.trespasses(spec.Load())) {
		t.Errorf("after the run (%s) %s", r.Verdict, d)
	}
	w.expectListed(t, listed)
	putBack(t, r)
}

// run runs the suite, interrupted after a case or during a write.
func (c restraint) run(t *testing.T, w *watched) *report.Report {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w.onWrite = func(nth int64) (isLost bool) {
		if nth != c.write || ctx.Err() != nil {
			return false
		}
		cancel()
		return true
	}
	return w.run(t, ctx, "", c.depth, func(done int) {
		if done == c.cases {
			cancel()
		}
	})
}

// expectListed expects the command cases to list each object that was written to, and each that may be deleted.
func (w *watched) expectListed(t *testing.T, listed []written) {
	t.Helper()
	for _, n := range w.target.Named() {
		isWritten := slices.ContainsFunc(w.writes, func(r string) bool {
			isDelete := strings.HasPrefix(r, "DELETE")
			return path.Base(r) == fmt.Sprint(n.ID) && isDelete == n.Creative
		})
		i := slices.IndexFunc(listed, func(o written) bool { return o.Key == n.Key })
		mustBeDeleted := strings.HasPrefix(n.Bare, "disposableCreatives")
		switch {
		case i < 0:
			if isWritten || mustBeDeleted {
				t.Errorf("%s is written to (%t), and cases does not list that", n.Key, isWritten)
			}
		case mustBeDeleted && !listed[i].Deleted:
			t.Errorf("%s is not listed as deleted", n.Key)
		}
	}
}

// On a server that does not keep updates nothing can be restored: the report
// names each object, with the request that would restore it.
func TestWhatIsLeftChangedIsToldWithItsRemedy(t *testing.T) {
	for _, fault := range reftest.Few(1, []string{
		"effect/stores-swapped/updateConnectionProfile", "effect/stores-last-lost-hostname/updateConnectionProfileRuleHost",
	}) {
		t.Run(fault, func(t *testing.T) {
			w := watch(t, fault, "")
			r := w.run(t, t.Context(), path.Base(fault), judge.Standard, func(int) {})
			damage := w.damage(t)
			if len(damage) == 0 {
				t.Error("nothing is left changed: another fault is needed here")
			}
			for _, d := range damage {
				i := slices.IndexFunc(r.Changes, func(c report.Change) bool { return strings.Contains(d, fmt.Sprintf(" %s was", c.ID)) })
				if i < 0 || r.Changes[i].Restored || r.Changes[i].Reason == "" || !strings.HasPrefix(r.Changes[i].Undo, "curl -i -X PATCH ") {
					t.Errorf("%s\n  is not reported in %+v", d, r.Changes)
				}
			}
		})
	}
}
