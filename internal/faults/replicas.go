package faults

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// A replica is a second server that carries out each change of the first one a while later.
type replica struct {
	mu      sync.Mutex
	server  http.Handler
	behind  time.Duration
	changes []replayed // not carried out yet, the oldest first
}

// replayed is a request that changed the first server.
type replayed struct {
	at time.Time
	x  exchange
}

// answers returns the replica's answer to a request.
func (r *replica) answers(x *exchange) *answer {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.changes) > 0 &&
		time.Since(r.changes[0].at) >= r.behind {
		change := r.changes[0].x
		change.next = r.server
		r.changes = r.changes[1:]
		change.forward()
	}
	reading := *x
	reading.next = r.server
	return reading.forward()
}

// follows lets the first server answer, and the replica carry out later what that changed.
func (r *replica) follows(x *exchange) *answer {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := x.forward()
	if a.ok() {
		change := *x
		change.ctx = context.WithoutCancel(x.ctx)
		r.changes = append(r.changes, replayed{time.Now(), change})
	}
	return a
}

// lags answers certain requests by a replica that is behind, and the others by the first server.
func lags(behind time.Duration, byReplica condition) behaviour {
	return func(x *exchange) *answer {
		if known, _ := recall[*replica](x, "replica"); known == nil {
			choices := reference.DefaultChoices()
			choices.ReadAll = true
			server, err := reference.New(reference.Options{World: x.World, Choices: choices})
			if err != nil {
				panic(err)
			}
			first(x, "replica", &replica{server: server, behind: behind})
		}
		r, _ := recall[*replica](x, "replica")
		switch {
		case byReplica(x):
			return r.answers(x)
		case x.method == http.MethodGet:
			return x.forward()
		}
		return r.follows(x)
	}
}

// Requests that a replica may answer.
func readsList(x *exchange) bool   { return x.op != nil && x.op.Lists() }
func readsObject(x *exchange) bool { return x.op == nil && x.method == http.MethodGet }
func setsNothing(x *exchange) bool {
	return updating(x) && x.fields() != nil && len(x.fields()) == 0
}

// replicaVariants read from a replica that lags, for less than the time in which a change has to be seen.
func replicaVariants(s *seeds) {
	ways := []struct {
		name, sentence string
		is             condition
	}{
		{"lists", "Lists come", readsList},
		{"gets", "A GET of an object comes", readsObject},
		{"empty-updates", "The answer to {} comes", setsNothing},
		{"reads", "All reads come", func(x *exchange) bool {
			return readsList(x) || readsObject(x) || setsNothing(x)
		}},
	}
	for _, way := range ways {
		for _, behind := range []int{100, 700} {
			s.variant(fmt.Sprintf("replica/%s-%dms", way.name, behind),
				fmt.Sprintf("%s from a replica that lags %d ms", way.sentence, behind),
				"read-delay", lags(time.Duration(behind)*time.Millisecond,
					way.is)).choosing(readAll)
		}
	}
}

// behindForLong show changes after more than the time in which a change has to be seen, or never.
func behindForLong(s *seeds, _ *spec.Operation) {
	s.fault("replica/lists-5s", "DELETE-5 MEDIA-9 MEDIA-7 MEDIA-4", "Lists come from a replica that lags 5 s",
		lags(5*time.Second, readsList))
	stale := "Lists come from a replica that no delete reaches"
	s.fault("replica/list-for-ever", "DELETE-5 MEDIA-9 MEDIA-7 MEDIA-4", stale, lags(time.Hour, readsList))
	s.fault("replica/empty-updates-5s", "CAMPAIGN-4 PROFILE-4 HOST-4",
		"The answer to {} comes from a replica that lags 5 s",
		lags(5*time.Second, setsNothing))
}
