package front

import (
	"math/rand/v2"
	"net/http"
	"time"
)

// Latency is how long each answer is held back: between Min and Max, evenly.
type Latency struct{ Min, Max time.Duration }

func (l Latency) handler(next http.Handler) http.Handler {
	if l.Max <= 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		timer := time.NewTimer(l.Min + rand.N(l.Max-l.Min+1))
		defer timer.Stop()
		select {
		case <-timer.C:
			next.ServeHTTP(w, r)
		case <-r.Context().Done(): // the client has gone; its request never arrived
			panic(http.ErrAbortHandler)
		}
	})
}
