package faults

import (
	"net/http"
	"strings"
	"sync"

	"github.com/adconform/adconform/spec"
)

// authFaults are wrong ways to tell who asks.
func authFaults(c *spec.Contract) []Fault {
	// taken says which keys, beside the owner's own, pass for the owner's.
	ways := []struct {
		name, sentence string
		taken          func(key string, sent bool, owner string) bool
	}{
		{"no-key", "a request without a key is taken for the owner's", func(_ string, sent bool, _ string) bool { return !sent }},
		{"empty-key", "an empty key is the owner's", func(key string, sent bool, _ string) bool { return sent && key == "" }},
		{"any-key", "any key is the owner's", func(key string, sent bool, _ string) bool { return key != "" }},
		{"wildcard", "a % in the key stands for anything", func(key string, _ bool, _ string) bool { return strings.Contains(key, "%") }},
		{"long-key", "a key of more than 128 characters is not compared", func(key string, _ bool, _ string) bool { return len(key) > 128 }},
		{"letter-case", "keys are compared without regard to letter case", func(key string, _ bool, owner string) bool { return strings.EqualFold(key, owner) }},
		{"prefix", "only the first 8 characters of a key are compared", func(key string, _ bool, owner string) bool {
			return strings.HasPrefix(key, owner[:8])
		}},
		{"starts-with", "a key that starts with the owner's is the owner's", func(key string, _ bool, owner string) bool {
			return strings.HasPrefix(key, owner)
		}},
		{"part-of", "the start of the owner's key is the owner's", func(key string, _ bool, owner string) bool {
			return len(key) > 4 && strings.HasPrefix(owner, key)
		}},
		{"length", "any key of the right length is the owner's", func(key string, _ bool, owner string) bool { return len(key) == len(owner) }},
	}
	var all []Fault
	for _, op := range c.Operations {
		for _, way := range ways {
			all = append(all, Fault{
				ID: "auth/" + way.name + "/" + op.ID, Clause: "AUTH-1", Also: []string{"AUTH-3"},
				Sentence: op.ID + ": " + way.sentence + ".",
				Wrap: each(on(op.ID, func(x *exchange) *answer {
					_, sent := x.header[http.CanonicalHeaderKey(x.KeyHeader)]
					if !x.byOwner() && !x.byStranger() && way.taken(x.key(), sent, x.owner()) {
						return x.send(x.request.with(x.as(x.owner())))
					}
					return x.forward()
				})),
			})
		}
		all = append(all, ownerRefused(op)...)
		all = append(all, remembered(op)...)
	}
	return all
}

// ownerRefused are a user's own requests that are refused as somebody else's.
func ownerRefused(op *spec.Operation) []Fault {
	refuse := func(name, sentence string, status int, when func(x *exchange, n int64) bool) Fault {
		return Fault{
			ID: "auth/" + name + "/" + op.ID, Clause: "AUTH-4", Also: []string{"EFFECT-1", op.Clause}, Sentence: op.ID + ": " + sentence + ".",
			Wrap: fresh(func() behaviour {
				var seen counter
				return on(op.ID, func(x *exchange) *answer {
					if x.byOwner() && when(x, seen.next()) {
						return refusal(status)
					}
					return x.forward()
				})
			}),
		}
	}
	every := func(*exchange, int64) bool { return true }
	faults := []Fault{
		refuse("owner-unknown", "the owner's key is not known", http.StatusUnauthorized, every),
		refuse("owner-sometimes-unknown", "every fifth time the owner's key is not known", http.StatusUnauthorized, func(_ *exchange, n int64) bool { return n%5 == 0 }),
	}
	if op.Deletes() {
		return faults
	}
	return append(faults, refuse("owner-forbidden", "the owner gets 403 for the own object", http.StatusForbidden, func(x *exchange, _ int64) bool { return x.onMine() }))
}

// remembered are servers that still act as the user before.
func remembered(op *spec.Operation) []Fault {
	clause := []string{"AUTH-1", "AUTH-2"}
	cached := func(name, sentence string, serves func(x *exchange) bool) Fault {
		return Fault{
			ID: "auth/" + name + "/" + op.ID, Clause: "AUTH-3", Also: clause, Sentence: op.ID + ": " + sentence + ".",
			Wrap: fresh(func() behaviour {
				var cache sync.Map
				return on(op.ID, func(x *exchange) *answer {
					if a, ok := cache.Load(x.path); ok && serves(x) {
						cache.Delete(x.path) // the next request asks the server again
						copied := *a.(*answer)
						return &copied
					}
					a := x.forward()
					if x.byOwner() && a.ok() {
						copied := *a
						cache.Store(x.path, &copied)
					}
					return a
				})
			}),
		}
	}
	nobody := func(x *exchange) bool { return x.key() == "" }
	return []Fault{
		cached("cached-for-nobody", "right after the owner's success the same path without a key gets the owner's answer", nobody),
		cached("cached-for-stranger", "the first stranger after the owner's success gets the owner's answer", (*exchange).byStranger),
	}
}
