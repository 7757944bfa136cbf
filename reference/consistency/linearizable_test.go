package consistency

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/adconform/adconform/internal/reftest"
)

const (
	clients   = 16
	perClient = 120 // operations
	deletions = 15  // each so many operations all clients delete the same creative
	thinking  = time.Minute
)

// TestHistoriesAreLinearizable: 16 clients change, read and delete the same few
// objects; each client sends to any of the processes. There has to be an order
// of the operations on each object in which every answer is right and which no
// two operations contradict of which one ended before the other began.
func TestHistoriesAreLinearizable(t *testing.T) {
	for _, d := range databases {
		t.Run(d.name, func(t *testing.T) {
			db := d.create(t)
			processes := make([]*process, d.processes)
			for i := range processes {
				processes[i] = serve(t, db)
			}
			history := record(t, processes)
			check, information := porcupine.CheckOperationsVerbose(model, history, thinking)
			if check != porcupine.Ok {
				t.Errorf("the history of %d operations: %s; see %s, which go test -artifacts keeps", len(history), check, drawn(t, information))
			}
		})
	}
}

// record is the history of what the clients did and saw.
func record(t *testing.T, processes []*process) []porcupine.Operation {
	var (
		mu      sync.Mutex
		history []porcupine.Operation
		begin   = time.Now()
	)
	do := func(client int, p *process, o operation) {
		call := time.Since(begin)
		seen, err := o.send(p)
		end := time.Since(begin)
		if err != nil {
			t.Errorf("%+v: %v", o, err)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		history = append(history, porcupine.Operation{ClientId: client, Input: o, Call: int64(call), Output: seen, Return: int64(end)})
	}
	for _, o := range looks() { // the states that they begin with
		do(0, processes[0], o)
	}
	var all sync.WaitGroup
	for client := range clients {
		all.Go(func() {
			random := rand.New(rand.NewPCG(uint64(client), 1))
			for n := 0; n < perClient; n += reftest.Of(1, 3) {
				o := draw(random, client, n)
				do(client, processes[random.IntN(len(processes))], o)
			}
		})
	}
	all.Wait()
	for _, o := range looks() {
		do(0, processes[len(processes)-1], o)
	}
	return history
}

// The objects of fixtures.DefaultWorld that the clients use.
var (
	campaigns  = []string{"/campaigns/25", "/campaigns/26"}
	profile    = "/connection-profiles/12"
	plain      = []string{"301", "302", "303", "304", "305", "306", "307", "308"}
	containers = []struct {
		object string
		files  []string
	}{
		{"/creatives/240", []string{"241", "242"}},
		{"/creatives/250", []string{"251", "252", "253"}},
		{"/creatives/200", []string{"201", "202", "203"}},
	}
)

func looks() (all []operation) {
	for _, c := range campaigns {
		all = append(all, operation{c, readName, ""})
	}
	for _, c := range containers {
		all = append(all, operation{c.object, listFiles, ""})
	}
	return all
}

// draw chooses the n-th operation of a client. What is in a list is deleted late
// enough that there is something to see before.
func draw(random *rand.Rand, client, n int) operation {
	if n%deletions == 0 {
		return operation{"/creatives/" + plain[n/deletions], deleteObject, ""}
	}
	switch k := random.IntN(100); {
	case k < 20:
		return operation{campaigns[random.IntN(len(campaigns))], rename, fmt.Sprintf("by %d, %d", client, n)}
	case k < 35:
		return operation{campaigns[random.IntN(len(campaigns))], readName, ""}
	case k < 45:
		return operation{campaigns[random.IntN(len(campaigns))], readByNone, ""}
	case k < 55:
		return operation{profile, renameProfile, fmt.Sprintf("by %d, %d", client, n)}
	case k < 65:
		return operation{profile, setAction, []string{"pass", "warn", "fail"}[random.IntN(3)]}
	}
	c := containers[random.IntN(len(containers))]
	switch k := random.IntN(perClient); {
	case k < n/2:
		return operation{c.object, deleteFile, c.files[random.IntN(len(c.files))]}
	case k == perClient-1 && n > perClient/2:
		return operation{c.object, deleteObject, ""}
	}
	return operation{c.object, listFiles, ""}
}

// TestTheCheckCanFail: histories that no correct server shows.
func TestTheCheckCanFail(t *testing.T) {
	const campaign, container = "/campaigns/25", "/creatives/240"
	type step struct {
		operation
		seen      result
		call, end int64
	}
	for name, c := range map[string]struct {
		history []step
		want    porcupine.CheckResult
	}{
		"one after the other": {
			[]step{{operation{campaign, rename, "a"}, "a", 1, 2}, {operation{campaign, readName, ""}, "a", 3, 4}},
			porcupine.Ok,
		},
		"at once, either order": {
			[]step{
				{operation{campaign, rename, "a"}, "a", 1, 9},
				{operation{campaign, rename, "b"}, "b", 1, 9},
				{operation{campaign, readName, ""}, "a", 10, 11},
			},
			porcupine.Ok,
		},
		"lost update": {
			[]step{
				{operation{campaign, rename, "a"}, "a", 1, 2},
				{operation{campaign, rename, "b"}, "b", 3, 4},
				{operation{campaign, readName, ""}, "a", 5, 6},
			},
			porcupine.Illegal,
		},
		"stale read": {
			[]step{
				{operation{campaign, rename, "a"}, "a", 1, 2},
				{operation{campaign, rename, "b"}, "b", 3, 8},
				{operation{campaign, readName, ""}, "b", 4, 5},
				{operation{campaign, readByNone, ""}, "a", 6, 7},
			},
			porcupine.Illegal,
		},
		"one field lost": {
			[]step{
				{operation{profile, renameProfile, "a"}, "pass a", 1, 2},
				{operation{profile, setAction, "warn"}, "warn a", 3, 8},
				{operation{profile, renameProfile, "b"}, "pass b", 4, 7},
				{operation{profile, setAction, "fail"}, "fail a", 9, 10},
			},
			porcupine.Illegal,
		},
		"update shows another": {[]step{{operation{campaign, rename, "a"}, "b", 1, 2}}, porcupine.Illegal},
		"deleted twice": {
			[]step{{operation{"/creatives/301", deleteObject, ""}, deleted, 1, 9}, {operation{"/creatives/301", deleteObject, ""}, deleted, 2, 8}},
			porcupine.Illegal,
		},
		"listed when deleted": {
			[]step{
				{operation{container, listFiles, ""}, "241 242", 1, 2},
				{operation{container, deleteFile, "241"}, deleted, 3, 4},
				{operation{container, listFiles, ""}, "241 242", 5, 6},
			},
			porcupine.Illegal,
		},
		"file outlives its list": {
			[]step{
				{operation{container, listFiles, ""}, "241 242", 1, 2},
				{operation{container, deleteObject, ""}, deleted, 3, 4},
				{operation{container, deleteFile, "241"}, deleted, 5, 6},
			},
			porcupine.Illegal,
		},
	} {
		var history []porcupine.Operation
		for i, s := range c.history {
			history = append(history, porcupine.Operation{ClientId: i, Input: s.operation, Call: s.call, Output: s.seen, Return: s.end})
		}
		if got := porcupine.CheckOperationsTimeout(model, history, thinking); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// drawn is where a picture of a history is, for a browser.
func drawn(t *testing.T, information porcupine.LinearizationInfo) string {
	file := t.ArtifactDir() + "/history.html"
	if err := porcupine.VisualizePath(model, information, file); err != nil {
		t.Error(err)
	}
	return file
}
