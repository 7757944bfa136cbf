package engine_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/engine"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// quickRequests is how many requests a run at depth quick may send.
const quickRequests = 120

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

// However many objects the target file names, a run stays within the bound of its depth, and has its level.
func TestBoundsOnRequestsHoldWhateverTheTargetFileNames(t *testing.T) {
	w := largeWorld()
	for depth, bound := range map[judge.Depth]int{judge.Quick: quickRequests, judge.Standard: standardRequests} {
		target := w.Target(reftest.Serve(t, reftest.New(t, w, nil)))
		r := runOf(t, target, func(c *engine.Config) { c.Depth = depth })
		if r.ExitCode != report.ExitConforming || r.Requests > bound {
			t.Errorf("depth %s: %d requests, at most %d were expected; %s", depth, r.Requests, bound, r.Reason)
		}
	}
}
