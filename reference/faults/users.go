package faults

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"sync"

	"github.com/adconform/adconform/spec"
)

// sharedUser are servers that note the user of a request where all requests find it
// when its head is there, and look it up when the body is. Where there is no body,
// two requests that are under way at once take the user of each other.
func sharedUser(op *spec.Operation) []row {
	shared := func(name, sentence string, confused condition) row {
		return row{
			name: "shared-" + name, clauses: "AUTH-3 AUTH-1 AUTH-2 AUTH-4 EFFECT-1",
			sentence: sentence + " acts as the user of the request that came while it was under way",
			wrap: behaviour(func(x *exchange) *answer {
				user := x.key()
				x.keep(x.path, user)
				switch {
				case !of(op.ID)(x):
					x.arrive()
				case op.Updates():
					x.arrive()
					user, _ = recall[string](x, x.path)
				case op.Deletes() || onMine(x):
					if other, met := x.meet("", user); met {
						user = other
					}
				}
				if user != x.key() && confused(x) {
					return x.send(x.with(x.as(user)))
				}
				return x.forward()
			}).early,
		}
	}
	return []row{
		shared("owner", "the owner's request", byOwner),
		shared("stranger", "a stranger's request", byStranger),
		shared("any", "every request", always),
	}
}

// namedUser are servers that believe what a header says of the user, as it is put
// there by a proxy that not every request goes through.
func namedUser(*spec.Operation) []row {
	var rows []row
	for _, name := range []string{
		"X-User-Id", "X-User", "X-Forwarded-User", "X-Remote-User", "Remote-User",
		"X-Authenticated-User", "X-Authenticated-Userid", "X-Auth-User",
	} {
		names := func(x *exchange) bool { return noKey(x) && x.header.Get(name) == itoa(x.World.Users[0].ID) }
		rows = append(rows, fault("named-by-"+name, "AUTH-1 AUTH-3", "without a key the user is the one that "+name+" names",
			when(names, asOwner)))
	}
	return rows
}

// userVariants are servers on which two users do not meet, or not always.
func userVariants() []Variant {
	return []Variant{
		wrapped("wire/one-at-a-time", "One request is served after another, its body included", oneAtATime),
		wrapped("wire/late-body-408", "A request whose body is late is answered 408 when another is done", givingUp(func(w http.ResponseWriter) {
			w.Header().Set("Connection", "close")
			w.WriteHeader(http.StatusRequestTimeout)
		})),
		wrapped("wire/late-body-closed", "The connection of a request whose body is late is closed when another is done",
			givingUp(func(w http.ResponseWriter) {
				if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
					conn.Close()
				}
			})),
		wrapped("wire/refused-before-the-body", "Who may not is told so before the body is there", refusedEarly),
	}
}

func oneAtATime(next http.Handler, _ Env) http.Handler {
	var turn sync.Mutex
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		turn.Lock()
		defer turn.Unlock()
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

// late is a request whose body is waited for.
type late struct {
	whole chan []byte   // the body
	over  chan struct{} // closed when another request was done first
}

// givingUp gives up on a request whose body is not there when another for the same
// object is done. A body that did not have to be invited comes with its head.
func givingUp(end func(http.ResponseWriter)) func(http.Handler, Env) http.Handler {
	return func(next http.Handler, _ Env) http.Handler {
		var mu sync.Mutex
		waiting := map[string][]*late{}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Expect") != "" {
				one := &late{make(chan []byte, 1), make(chan struct{})}
				mu.Lock()
				waiting[r.URL.Path] = append(waiting[r.URL.Path], one)
				mu.Unlock()
				go func() {
					body, _ := io.ReadAll(r.Body)
					one.whole <- body
				}()
				var body []byte
				select {
				case body = <-one.whole:
				case <-one.over:
				}
				mu.Lock()
				all := waiting[r.URL.Path]
				given := !slices.Contains(all, one)
				waiting[r.URL.Path] = slices.DeleteFunc(all, func(o *late) bool { return o == one })
				mu.Unlock()
				if given { // also where the rest came in the same moment
					end(w)
					return
				}
				r.Body = io.NopCloser(bytes.NewReader(body))
			}
			next.ServeHTTP(w, r)
			mu.Lock()
			defer mu.Unlock()
			waiting[r.URL.Path] = slices.DeleteFunc(waiting[r.URL.Path], func(one *late) bool {
				if len(one.whole) > 0 {
					return false
				}
				close(one.over)
				return true
			})
		})
	}
}

func refusedEarly(next http.Handler, env Env) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := env.exchange(next, r, nil)
		if x.op == nil || !x.op.Updates() {
			next.ServeHTTP(w, r)
			return
		}
		a := x.peek(x.with(saying(object{})))
		if a.status != http.StatusUnauthorized && a.status != http.StatusForbidden {
			next.ServeHTTP(w, r)
			return
		}
		env.Fired.Add(1)
		control := http.NewResponseController(w)
		_ = control.EnableFullDuplex() // else the server reads the body first
		a.promised = len(a.body)       // else the answer ends with the request, for which a proxy may wait
		a.write(w)
		_ = control.Flush()
		_, _ = io.Copy(io.Discard, r.Body)
	})
}
