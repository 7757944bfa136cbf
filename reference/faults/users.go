package faults

import (
	"bytes"
	"io"
	"net/http"
	"sync"

	"github.com/adconform/adconform/spec"
)

// userFaults take one user for another: a user kept where all requests find it, one
// that a header names, and what is done to the objects of somebody else.
func userFaults(c *spec.Contract) []Fault {
	var all []Fault
	for _, op := range c.Operations {
		all = append(all, sharedUser(op)...)
		all = append(all, namedUser(op)...)
		if op.Updates() {
			all = append(all, foreignToo(op)...)
		}
	}
	return all
}

// sharedUser are servers that note the user of a request where all requests find it
// when its head is there, and look it up when the body is. Where there is no body,
// two requests that are under way at once take the user of each other.
func sharedUser(op *spec.Operation) []Fault {
	fault := func(name, sentence string, confused func(x *exchange) bool) Fault {
		return Fault{
			ID: "user/shared-" + name + "/" + op.ID, Clause: "AUTH-3", Also: []string{"AUTH-1", "AUTH-2", "AUTH-4", "EFFECT-1"},
			Sentence: op.ID + ": " + sentence + " acts as the user of the request that came while it was under way.",
			Wrap: func(next http.Handler, env Env) http.Handler {
				var current memory[string]
				here := &meetings{}
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					x := env.head(next, r)
					if x.op != op {
						next.ServeHTTP(w, r)
						return
					}
					user := x.key()
					current.put(x.path, user)
					switch {
					case op.Updates():
						x.body, _ = io.ReadAll(r.Body)
						user, _ = current.get(x.path)
					case op.Deletes() || x.onMine():
						if other, met := here.meet("", user); met {
							user = other
						}
					}
					if user != x.key() && confused(x) {
						env.Fired.Add(1)
						x.header.Set(env.KeyHeader, user)
					}
					x.forward().write(w)
				})
			},
		}
	}
	return []Fault{
		fault("owner", "the owner's request", (*exchange).byOwner),
		fault("stranger", "a stranger's request", (*exchange).byStranger),
		fault("any", "every request", func(*exchange) bool { return true }),
	}
}

// head is an exchange whose body is not read yet.
func (env *Env) head(next http.Handler, r *http.Request) *exchange {
	bare := r.Clone(r.Context())
	bare.Body = http.NoBody
	return env.exchange(next, bare)
}

// namedUser are servers that believe what a header says of the user, as it is put
// there by a proxy that not every request goes through.
func namedUser(op *spec.Operation) []Fault {
	var all []Fault
	for _, name := range []string{
		"X-User-Id", "X-User", "X-Forwarded-User", "X-Remote-User", "Remote-User", "X-Authenticated-User", "X-Authenticated-Userid", "X-Auth-User",
	} {
		all = append(all, Fault{
			ID: "user/named-by-" + name + "/" + op.ID, Clause: "AUTH-1", Also: []string{"AUTH-3"},
			Sentence: op.ID + ": without a key the user is the one that " + name + " names.",
			Wrap: each(on(op.ID, func(x *exchange) *answer {
				if x.key() == "" && x.header.Get(name) == itoa(int(x.World.Users[0].ID)) {
					return x.send(x.request.with(x.as(x.owner())))
				}
				return x.forward()
			})),
		})
	}
	return all
}

// foreignToo are updates that do something to the stranger's object.
func foreignToo(op *spec.Operation) []Fault {
	also := []string{"EFFECT-1", op.Effects["persists"]}
	too := func(name, clause, sentence string, when func(x *exchange, a *answer) bool, fields func(x *exchange) map[string]any) Fault {
		return effect(op, "foreign-"+name, clause, sentence, append(also, "EFFECT-2"), func() behaviour {
			return func(x *exchange) *answer {
				a := x.forward()
				if when(x, a) {
					answered := x.last
					x.send(x.request.with(x.as(x.stranger()), to(x.at(op, x.foreign(op)...)), saying(encode(fields(x)))))
					x.last = answered
				}
				return a
			}
		})
	}
	made := func(x *exchange, a *answer) bool { return a.ok() && x.setsMine() }
	sent := func(x *exchange) map[string]any { return onlyFields(op, x.fields()) }
	reset := func(*exchange) map[string]any {
		doc := map[string]any{}
		for _, f := range op.Body.Fields {
			doc[f.Name] = "untitled.example.com"
			if len(f.Enum) > 0 {
				doc[f.Name] = f.Enum[0]
			}
		}
		return doc
	}
	all := []Fault{
		too("too", "EFFECT-2", "an update changes the stranger's object too", made, sent),
		too("resets", "EFFECT-2", "an update resets the stranger's object", made, reset),
		too("made", "EFFECT-1", "the owner's update of the stranger's object is refused and made", func(x *exchange, a *answer) bool {
			return x.byOwner() && x.onForeign() && a.status == http.StatusForbidden
		}, sent),
		too("in-place", "EFFECT-1", "the stranger's update of the owner's object is refused and made on the stranger's own", func(x *exchange, a *answer) bool {
			return x.byStranger() && x.onMine() && a.status == http.StatusForbidden && len(x.fields()) > 0
		}, sent),
	}
	for _, f := range op.Body.Fields {
		if len(op.Body.Fields) > 1 {
			all = append(all, too("too-"+f.Name, "EFFECT-2", "an update sets "+f.Name+" of the stranger's object too", func(x *exchange, a *answer) bool {
				return made(x, a) && x.fields()[f.Name] != nil
			}, func(x *exchange) map[string]any { return map[string]any{f.Name: x.fields()[f.Name]} }))
		}
	}
	return all
}

// userVariants are servers on which two users do not meet, or not always.
func userVariants() []Variant {
	wrapped := func(id, sentence string, wrap func(http.Handler, Env) http.Handler) Variant {
		return Variant{ID: "wire/" + id, Sentence: sentence + ".", Wrap: wrap}
	}
	return []Variant{
		wrapped("one-at-a-time", "One request is served after another, its body included", func(next http.Handler, _ Env) http.Handler {
			var turn sync.Mutex
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				turn.Lock()
				defer turn.Unlock()
				body, _ := io.ReadAll(r.Body)
				r.Body = io.NopCloser(bytes.NewReader(body))
				next.ServeHTTP(w, r)
			})
		}),
		wrapped("late-body-408", "A request whose body is late is answered 408 when another is done", givingUp(func(w http.ResponseWriter) {
			w.Header().Set("Connection", "close")
			w.WriteHeader(http.StatusRequestTimeout)
		})),
		wrapped("late-body-closed", "The connection of a request whose body is late is closed when another is done", givingUp(func(w http.ResponseWriter) {
			if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
				conn.Close()
			}
		})),
		wrapped("refused-before-the-body", "Who may not is told so before the body is there", refusedEarly),
	}
}

// givingUp gives up on a request whose body is not there when another for the same
// object is done.
func givingUp(end func(http.ResponseWriter)) func(http.Handler, Env) http.Handler {
	return func(next http.Handler, _ Env) http.Handler {
		var mu sync.Mutex
		waiting := map[string][]chan struct{}{}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			other, complete := make(chan struct{}), make(chan []byte, 1)
			mu.Lock()
			waiting[r.URL.Path] = append(waiting[r.URL.Path], other)
			mu.Unlock()
			go func() {
				body, _ := io.ReadAll(r.Body)
				complete <- body
			}()
			serve := func(body []byte) {
				r.Body = io.NopCloser(bytes.NewReader(body))
				next.ServeHTTP(w, r)
				mu.Lock()
				for _, one := range waiting[r.URL.Path] {
					if one != other {
						close(one)
					}
				}
				delete(waiting, r.URL.Path)
				mu.Unlock()
			}
			select {
			case body := <-complete:
				serve(body)
			case <-other:
				select {
				case body := <-complete: // both came: it is whole
					serve(body)
				default:
					end(w)
				}
			}
		})
	}
}

func refusedEarly(next http.Handler, env Env) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := env.head(next, r)
		if x.op == nil || !x.op.Updates() {
			next.ServeHTTP(w, r)
			return
		}
		a := x.peek(x.request.with(saying([]byte("{}"))))
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
