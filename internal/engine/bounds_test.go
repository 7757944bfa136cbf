package engine_test

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/engine"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/model"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/internal/session"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// quickRequests is how many requests a run at depth quick may send.
const quickRequests = 120

// elsewhereRequests is how many a standard run may send to any target, and roundTrips how many of them may follow one
// another.
const (
	elsewhereRequests = 1850
	roundTrips        = 580
)

// largeWorld returns the default world with more objects under each key that holds a list.
func largeWorld() fixtures.World {
	w := fixtures.DefaultWorld()
	w.Objects = fixtures.Objects{}
	for key, objects := range fixtures.DefaultWorld().Objects {
		w.Objects[key] = slices.Clone(objects)
	}
	creative := func(of string, id int64) *spec.Creative {
		first, _ := w.Objects[of][0].ID.Integer()
		i := slices.IndexFunc(w.Creatives, func(c spec.Creative) bool { return c.ID == first })
		c := w.Creatives[i]
		c.ID = id
		w.Creatives = append(w.Creatives, c)
		return &w.Creatives[len(w.Creatives)-1]
	}
	next := int64(100_000)
	for key, more := range map[string]int{"disposableCreatives": 60, "disposableVastCreatives": 12, "pagedVastCreatives": 6} {
		for range more {
			next += 1000
			creative(key, next)
			object := fixtures.Object{ID: spec.ID(fmt.Sprint(next))}
			files := map[string]int64{"disposableVastCreatives": 2, "pagedVastCreatives": 150}[key]
			for n := range files {
				id := next + 1 + n
				parent := next
				creative("disposableCreatives", id).ParentID = &parent
				object.MediaFileIDs = append(object.MediaFileIDs, spec.ID(fmt.Sprint(id)))
			}
			object.MediaFileCount = len(object.MediaFileIDs)
			w.Objects[key] = append(w.Objects[key], object)
		}
	}
	return w
}

// refusing refuses what the document leaves open, but for some points.
func refusing(next http.Handler, target *fixtures.Target, but ...string) http.HandlerFunc {
	w := model.World{Contract: spec.Load(), Target: target, Existence: func(_ string, id spec.ID) (model.Existence, bool) {
		n, _ := id.Integer()
		return model.Absent, n > 1<<30 // no object of a world has such an id
	}}
	isRefused := func(d model.Departure) bool { return !slices.Contains(but, d.Point) }
	return func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		_, path, _ := strings.Cut(r.RequestURI, reference.BasePath)
		a := w.Right(model.Request{
			Method: r.Method, Path: path, Header: r.Header, Body: body, Proto: r.Proto,
		})
		at := slices.IndexFunc(a.Openings(), isRefused)
		if a.Op == nil || len(a.Faults()) > 0 || at < 0 {
			next.ServeHTTP(rw, r)
			return
		}
		d, status := a.Openings()[at], http.StatusUnprocessableEntity
		if len(d.Statuses) > 0 && !slices.Contains(d.Statuses, status) {
			status = d.Statuses[0]
		}
		rw.Header().Set("Content-Type", "application/json")
		rw.WriteHeader(status)
		_, _ = fmt.Fprintf(rw, `{"error":{"responseCode":%d,"issues":[{"type":"refused","message":%q,"relatedField":%q}]}}`,
			status, d.Words, cmp.Or(d.Field, "body"))
	}
}

// A run stays within the bound of its depth whatever the target refuses alone and however many objects the target file
// names. Most requests are sent to a target that refuses all that is open but a way to read back.
func TestBoundsOnRequests(t *testing.T) {
	ways := []string{"page-beyond", "name-uniqueness", "list-validators", "empty-object", "required-fields"}
	for _, at := range []struct {
		what  string
		world fixtures.World
		depth judge.Depth
		bound int
		but   []string // the points at which the target refuses nothing; nil if it refuses nothing
	}{
		{"quick, many objects", largeWorld(), judge.Quick, quickRequests, nil},
		{"many objects", largeWorld(), judge.Standard, elsewhereRequests, nil},
		{"open forms refused", fixtures.DefaultWorld(), judge.Standard, elsewhereRequests, ways},
		{
			"all that is open refused", fixtures.DefaultWorld(), judge.Standard, elsewhereRequests,
			[]string{"page-beyond", "name-uniqueness", "list-validators"},
		},
		{"many objects, open forms refused", largeWorld(), judge.Standard, elsewhereRequests, ways},
	} {
		t.Run(at.what, func(t *testing.T) {
			if isMost := at.depth == judge.Quick || at.what == "open forms refused"; testing.Short() && !isMost {
				t.Skip("a run of many requests")
			}
			t.Parallel()
			server := http.Handler(reftest.New(t, at.world, nil))
			target := at.world.Target("")
			if at.but != nil {
				server = refusing(server, target, at.but...)
			}
			target.BaseURL = reftest.Serve(t, server)
			r := runOf(t, target, func(c *engine.Config) { c.Depth = at.depth })
			if r.Requests > at.bound {
				t.Errorf("%d requests, at most %d were expected", r.Requests, at.bound)
			}
			for _, f := range r.Findings {
				if f.Severity != report.Notice { // the server is right
					t.Error(f.Case, f.Clause, f.Got)
				}
			}
		})
	}
}

// With one set of objects, cases on the same object wait for one another: so many round trips does a run take on a target
// that answers any number of requests at once.
func TestBoundOnRoundTrips(t *testing.T) {
	target := fixtures.DefaultWorld().Target(reftest.Serve(t, reftest.New(t, fixtures.DefaultWorld(), nil)))
	c := engine.NewConfig(target)
	c.Exchanges = true
	r := execute(t, c)
	sent := map[string]int{}
	for _, ex := range r.Exchanges {
		sent[ex["_case"].(string)]++
	}
	chains, left := map[int]int{}, len(r.Exchanges)
	for _, chain := range session.Chains(c.Plan()) {
		n := 0
		for _, cs := range chain.Cases {
			n += sent[cs.ID]
		}
		chains[chain.Phase], left = max(chains[chain.Phase], n), left-n
	}
	trips := left // before and after the cases
	for _, n := range chains {
		trips += n
	}
	if trips > roundTrips {
		t.Errorf("%d round trips, at most %d were expected", trips, roundTrips)
	}
}
