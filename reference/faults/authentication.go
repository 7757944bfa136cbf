package faults

import (
	"net/http"
	"strings"

	"github.com/adconform/adconform/spec"
)

// wrongKeys are keys, beside the owner's own, that pass for the owner's.
func wrongKeys(*spec.Operation) []row {
	taken := func(name, sentence string, is condition) row {
		wrong := all(not(byOwner), not(byStranger), is)
		return fault(name, "AUTH-1 AUTH-3", sentence, when(wrong, asOwner))
	}
	key := func(is func(key, owner string) bool) condition {
		return func(x *exchange) bool { return is(x.key(), x.owner()) }
	}
	sent := func(x *exchange) bool { return x.header[http.CanonicalHeaderKey(x.KeyHeader)] != nil }
	return []row{
		taken("no-key", "a request without a key is taken for the owner's", not(sent)),
		taken("empty-key", "an empty key is the owner's", all(sent, noKey)),
		taken("no-key-elsewhere", "a request without a key for another object than the first is the owner's", all(noKey, not(onMine))),
		taken("any-key", "any key is the owner's", not(noKey)),
		taken("wildcard", "a % in the key stands for anything", key(func(k, _ string) bool { return strings.Contains(k, "%") })),
		taken("long-key", "a key of more than 128 characters is not compared", key(func(k, _ string) bool { return len(k) > 128 })),
		taken("letter-case", "keys are compared without regard to letter case", key(strings.EqualFold)),
		taken("prefix", "only the first 8 characters of a key are compared", key(func(k, owner string) bool {
			return strings.HasPrefix(k, owner[:8])
		})),
		taken("starts-with", "a key that starts with the owner's is the owner's", key(strings.HasPrefix)),
		taken("part-of", "the start of the owner's key is the owner's", key(func(k, owner string) bool {
			return len(k) > 4 && strings.HasPrefix(owner, k)
		})),
		taken("length", "any key of the right length is the owner's", key(func(k, owner string) bool { return len(k) == len(owner) })),
	}
}

// ownerRefused are a user's own requests that are refused as somebody else's.
func ownerRefused(op *spec.Operation) []row {
	const clauses = "AUTH-4 EFFECT-1 operation"
	rows := []row{
		fault("owner-unknown", clauses, "the owner's key is not known", when(byOwner, refuse(401))),
		fault("owner-sometimes-unknown", clauses, "every fifth time the owner's key is not known", when(all(byOwner, nth(5)), refuse(401))),
	}
	if op.Deletes() {
		return rows
	}
	return append(rows, fault("owner-forbidden", clauses, "the owner gets 403 for the own object", when(all(byOwner, onMine), refuse(403))))
}

// remembered are servers that still act as the user before.
func remembered(*spec.Operation) []row {
	const clauses = "AUTH-3 AUTH-1 AUTH-2"
	return []row{
		fault("cached-for-nobody", clauses, "right after the owner's success the same path without a key gets the owner's answer", cached(noKey)),
		fault("cached-for-stranger", clauses, "the first stranger after the owner's success gets the owner's answer", cached(byStranger)),
	}
}

// cached gives the owner's last success to the next request for the same path that
// it is for.
func cached(is condition) behaviour {
	return func(x *exchange) *answer {
		if kept, had := recall[answer](x, x.path); had && is(x) {
			x.keep(x.path, nil)
			return &kept
		}
		a := x.forward()
		if byOwner(x) && a.ok() {
			x.keep(x.path, *a)
		}
		return a
	}
}
