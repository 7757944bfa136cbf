package faults

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// refusals refuse a right request of one operation, or know nothing of an object that they showed elsewhere to be
// there: a part of the server has lost it, or never learned of it.
func refusals(s *seeds, _ *spec.Operation) {
	moment := func(x *exchange) bool {
		n := x.count()
		return anyUser(x) && n > 300 && n <= 305
	}
	s.fault("auth/unknown-for-a-moment", "AUTH-4 AUTH-2 AUTH-3 ERR-1 ERR-2 ERR-3 ERR-4 ERR-5",
		"Five requests in a row know no key",
		when(moment, refuse(401)))
	refused := func(id, clauses, op, sentence string, status int, is ...condition) {
		s.fault(id, clauses, sentence,
			when(of(op), when(all(is...), refuse(status))))
	}
	const (
		gone = "EFFECT-3 AUTH-2 EFFECT-1 DELETE-4 DELETE-5 MEDIA-7"
		list = "MEDIA-1 ERR-12 EFFECT-3 AUTH-4"
	)
	refused("alive/listed-file-for-all", gone, creativeDelete, "The delete of a listed media file is answered 404", 404,
		anyUser, isListedFile)
	refused("alive/lists", gone, mediaFileList, "Every list is answered 404, for every user", 404, anyUser)
	refused("alive/profile-of-host", gone, profileUpdate, "A profile whose hosts can be updated is answered 404", 404,
		anyUser, onMine)
	refused("alive/campaign-for-owner", gone, campaignUpdate,
		"A campaign that is 403 for the stranger is 404 for its owner", 404, byOwner)
	refused("list/wants-page", list, mediaFileList, "A list without a page is answered 422", 422, byOwner, asks(""))
	refused("list/page-1-missing", list, mediaFileList, "A list whose first page is asked for is 404", 404,
		byOwner, asks("page=1"))
	refused("list/empty-is-422", list, mediaFileList, "The list of an empty VAST creative is answered 422", 422,
		names("emptyVastCreative"))
	refused("delete/wants-content-type", "DELETE-6 DELETE-1 ERR-12", creativeDelete,
		"A delete without a Content-Type is answered 415", 415,
		byOwner, func(x *exchange) bool { return x.header.Get("Content-Type") == "" })
}

// isListedFile selects requests for the media files of the first list.
var isListedFile = idIs(equalTo("241", "242"))

// wrongKeys take keys other than the owner's for the owner's.
func wrongKeys(s *seeds, op *spec.Operation) {
	taken := topic(s, "auth/", keyTaken, takenFor)
	compared := topic(s, "auth/", keyTaken, func(is func(key, owner string) bool) behaviour {
		return takenFor(func(x *exchange) bool {
			return is(x.key(), x.owner())
		})
	})
	// alike compares one part of keys of the same length.
	alike := func(part func(key string) string) func(key, owner string) bool {
		return func(key, owner string) bool {
			return len(key) == len(owner) && part(key) == part(owner)
		}
	}
	taken("no-key", "a request without a key is treated as the owner's", not(sendsKey))
	taken("empty-key", "an empty key is the owner's", all(sendsKey, noKey))
	taken("no-key-elsewhere", "a request without a key for another object than the first is the owner's",
		all(noKey, not(onMine)))
	taken("any-key", "any key is the owner's", not(noKey))
	taken("long-key", "a key of more than 128 characters is not compared", longKey)
	taken("null-key", "the key null, of a user who has none, is the owner's", keyIs(equalTo("null")))
	taken("wildcard", "a % in the key stands for anything", keyIs(has("%")))
	taken("injected", "a quote and SQL in a key end its comparison", keyIs(has("%' OR '1'='1")))
	taken("injected-in-parentheses", "a quote, a parenthesis and SQL in a key end its comparison",
		keyIs(has("%') OR ('1'='1")))
	taken("any-secret", "the start of the owner's key and the end of any other's are the owner's",
		func(x *exchange) bool {
			begins := x.owner()[:len(x.owner())-3]
			ends := x.stranger()[len(x.stranger())-3:]
			return x.key() == begins+ends
		})
	compared("letter-case", "keys are compared without regard to letter case", strings.EqualFold)
	compared("starts-with", "a key that starts with the owner's is the owner's", strings.HasPrefix)
	compared("ends-with", "a key that ends with the owner's is the owner's", strings.HasSuffix)
	compared("part-of", "a part of the owner's key is the owner's",
		func(key, owner string) bool {
			return len(key) > 4 && strings.Contains(owner, key)
		})
	compared("length", "any key of the right length is the owner's", alike(func(string) string { return "" }))
	compared("last-two-thirds", "the first third of a key is not compared",
		alike(func(key string) string { return key[len(key)/3:] }))
	compared("all-but-three", "the last three characters of a key are not compared, only its length",
		alike(func(key string) string { return key[:len(key)-3] }))
	compared("commented-out", "what follows a quote and a comment sign in a key is not compared",
		func(key, owner string) bool { return strings.HasPrefix(key, owner+"'--") })
}

// keyTaken is what breaks where a request is taken for the owner's.
const keyTaken = "AUTH-1 AUTH-3"

// takenFor takes requests that would be answered 401 for the owner's.
func takenFor(is condition) behaviour { return instead(401, is, asOwner) }

func sendsKey(x *exchange) bool { return x.header.Values(fixtures.DefaultKeyHeader) != nil }

// trustedHeaders take requests without a key for the owner's because of a header or of another thing, or trust
// headers that a proxy sets to name the user, though not every request comes through the proxy.
func trustedHeaders(s *seeds, op *spec.Operation) {
	taken := topic(s, "auth/", keyTaken, takenFor)
	taken("any-bearer", "without a key any bearer token is the owner's",
		all(not(sendsKey), header("Authorization", "Bearer ")))
	taken("any-basic", "without a key HTTP's Basic authentication is the owner's",
		all(noKey, header("Authorization", "Basic ")))
	taken("preflight", "a request without a key that names a method, as preflights do, is the owner's",
		all(not(sendsKey), header("Access-Control-Request-Method", "")))
	taken("local-forwarded", "a request without a key that is forwarded for the server's own machine is the owner's",
		all(not(sendsKey), header("X-Forwarded-For", "127.0.0.1")))
	if op.Lists() {
		outside := func(name, sentence string, is condition) {
			s.everywhere("auth/"+name, "AUTH-1", sentence+" is the owner's",
				when(all(noKey, is), before(func(x *exchange) {
					x.path = strings.TrimSuffix(x.path, "/")
					x.hooks.Authenticate = x.ownerID
				})))
		}
		outside("head", "HEAD without a key", func(x *exchange) bool { return x.method == http.MethodHead })
		outside("any-accept", "a request without a key that does not ask for JSON", not(header("Accept", "json")))
		outside("trailing-slash", "a request without a key with a slash behind its path",
			func(x *exchange) bool { return strings.HasSuffix(x.path, "/") })
		outside("encoded-path", "a request without a key with an encoded letter in its path",
			func(x *exchange) bool { return strings.Contains(x.written, "%63") })
	}
	owner := func(x *exchange) string { return itoa(x.ownerID(0)) }
	s.fault("user/named-by-X-User-Id", keyTaken, "without a key the user is the one that X-User-Id names",
		takenFor(func(x *exchange) bool {
			return noKey(x) && x.header.Get("X-User-Id") == owner(x)
		}))
	renamed := func(by, sentence string, is condition) {
		s.fault("user/renamed-by-"+by, "AUTH-3 AUTH-2", "a stranger is the user that "+sentence,
			instead(403, all(byStranger, is), asOwner))
	}
	if op.Updates() {
		renamed("body", "the body names", func(x *exchange) bool {
			return fmt.Sprint(x.fields()["userId"]) == owner(x)
		})
	}
	renamed("query",
		"the query names", func(x *exchange) bool { return x.query == "userId="+owner(x) })
	renamed("X-User-Id", "X-User-Id names", header("X-User-Id", ""))
}

// keyForms are the ways in which requests carry keys; a server's own code reads most of them.
var keyForms = []struct {
	name, sentence string
	choose         func(*reference.Choices)
}{
	{"bearer", "bearer token", func(c *reference.Choices) { c.KeyHeader = "Authorization: Bearer {key}" }},
	{"basic", "password", func(c *reference.Choices) { c.KeyHeader = "Authorization: Basic {key}" }},
	{"cookie", "cookie", func(c *reference.Choices) { c.KeyHeader = "Cookie: session={key}" }},
	{"query", "query parameter", func(c *reference.Choices) { c.KeyQuery = "api_key" }},
	{"tenant", "key behind a gateway", func(c *reference.Choices) { c.Tenant = "X-Tenant: eu-1" }},
}

// wrongForms read a key of another form wrongly, each operation two forms.
func wrongForms(s *seeds, op *spec.Operation) {
	for i, form := range keyForms {
		place := slices.Index(s.contract.Operations, op)
		if i != place && i != (place+2)%len(keyForms) {
			continue
		}
		s.at(form.name, form.sentence)
		taken := func(id, sentence string, is condition) {
			s.fault("auth/{name}/"+id, keyTaken, sentence+" is the owner's",
				takenFor(is)).choosing(form.choose)
		}
		taken("any", "any {words}", not(noKey))
		taken("empty", "an empty {words}", all(noKey, sendsKey))
		taken("start", "a {words} that starts with the first 16 characters of the owner's",
			func(x *exchange) bool {
				return strings.HasPrefix(x.key(), x.owner()[:16])
			})
		if form.name == "basic" {
			isOther := func(x *exchange) bool {
				return strings.HasSuffix(x.key(), ":"+x.owner())
			}
			hasNoPassword := func(key string) bool { return strings.HasSuffix(key, ":") }
			taken("other-user", "the owner's password with another name", isOther)
			taken("no-password", "the owner's name with an empty password", keyIs(hasNoPassword))
			taken("only-user", "the owner's name with any password", all(not(noKey), not(isOther)))
		}
		if form.name == "bearer" {
			taken("other-scheme", "any credential of another scheme", all(noKey, header("Authorization", "Basic ")))
		}
	}
}

func longKey(x *exchange) bool { return len(x.key()) > 128 }

// refusedOwner refuse the owner's own requests, answer that an object is gone which was never deleted, or answer as
// if a router did not know the operation.
func refusedOwner(s *seeds, op *spec.Operation) {
	for status, name := range map[int]string{404: "unrouted", 200: "page-instead", 302: "login-instead"} {
		s.fault("route/"+name, "AUTH-1 ERR-6 HTTP-3 operation",
			"every request is answered "+itoa(status)+" with a page for people",
			htmlPage(status, "<!doctype html><title>Welcome</title>")).graded(spec.Major)
	}
	s.fault("auth/owner-sometimes-unknown", "AUTH-4 EFFECT-1 operation",
		"every fifth time the owner's key is not known",
		when(all(byOwner, nth(5)), refuse(401)))
	later := topic(s, "auth/", "AUTH-4 AUTH-2 AUTH-3 EFFECT-1 ERR-1 ERR-3 ERR-4 operation", func(status int) behaviour {
		return when(all(byOwner, beyond(4)), refuse(status))
	})
	later("owner-unknown-later", "from the fifth request on the owner's key is not known", 401)
	later("owner-forbidden-later", "from the fifth request on the owner has no permission", 403)
	if !op.Deletes() {
		s.fault("life/gone-after-five", "EFFECT-3 DELETE-4 operation",
			"after five requests the object is not found any more",
			when(all(byOwner, onMine, beyond(5)), refuse(404)))
	}
}

// remembered answer one request of another user with the owner's last success for the same key of a cache.
func remembered(s *seeds, op *spec.Operation) {
	cached := func(name, sentence string, is condition, key func(x *exchange) string) {
		s.fault("auth/"+name, "AUTH-3 AUTH-1 AUTH-2", sentence, func(x *exchange) *answer {
			if kept, had := recall[answer](x, key(x)); had && is(x) {
				x.keep(key(x), nil)
				return &kept
			}
			a := x.forward()
			if byOwner(x) && a.ok() {
				x.keep(key(x), *a)
			}
			return a
		})
	}
	cached("cached-for-nobody", "right after the owner's success the same path without a key gets the owner's answer",
		noKey, samePath)
	cached("cached-for-stranger", "the first stranger after the owner's success gets the owner's answer",
		byStranger, samePath)
	if op.Updates() {
		cached("replayed-for-stranger", "a stranger who repeats the owner's request gets the owner's answer",
			byStranger, func(x *exchange) string { return x.path + string(x.body) })
	}
}

// permissions let a user do what only another user may do.
func permissions(s *seeds, op *spec.Operation) {
	const clauses = "AUTH-2 AUTH-3 EFFECT-1"
	allowed := topic(s, "permission/", clauses,
		func(is condition) behaviour { return instead(403, is, permitted) })
	allowed("stranger-allowed", "any user may act on any object", always)
	allowed("stranger-second-time", "a user without permission is refused once, then allowed", beyond(1))
	allowed("stranger-sometimes", "every third request without permission is allowed", nth(3))
	if !op.Deletes() {
		allowed("owner-on-foreign", "the first user may act on everybody's objects", byOwner)
		allowed("stranger-on-own", "the second user may act on the first user's objects", byStranger)
	}
	if op.Updates() {
		allowed("empty-object-allowed", "{} of a user without permission is answered with the representation",
			func(x *exchange) bool { return byStranger(x) && string(x.body) == "{}" })
		if manyFields(op) {
			hasNoName := func(x *exchange) bool {
				return x.fields()[nameOf(op)] == nil
			}
			allowed("unnamed-allowed", "a user without permission may update the other fields than "+nameOf(op),
				all(byStranger, changing, hasNoName))
		}
	}
	s.fault("permission/stranger-is-owner", clauses, "the second user is taken for the first one",
		when(byStranger, asOwner))
	s.fault("permission/not-found-instead", clauses,
		"a user without permission is answered that the object does not exist",
		instead(403, always, refuse(404))).graded(spec.Major)
}

// sharedUser keep the user in a variable that all requests share: they set it when the head of a request arrives and
// read it when the body has arrived. Without a body, two requests under way at once swap their users.
func sharedUser(s *seeds, op *spec.Operation) {
	shared := func(name, sentence string, confused condition) {
		mixed := func(x *exchange) *answer {
			user := x.key()
			x.keep(x.path, user)
			isOf := of(op.ID)(x)
			switch {
			case !isOf, op.Updates():
				x.arrive()
				user, _ = recall[string](x, x.path)
			case op.Deletes(), onMine(x):
				if other, met := x.meet("", user); met {
					user = other
				}
			}
			if isOf && confused(x) {
				x.header.Set(fixtures.DefaultKeyHeader, user)
			}
			return x.forward()
		}
		f := s.fault("user/shared-"+name, "AUTH-3 AUTH-1 AUTH-2 AUTH-4 EFFECT-1",
			sentence+" acts as the user of the request that came while it was under way", nil)
		f.Wrap = behaviour(mixed).early
	}
	shared("owner", "the owner's request", byOwner)
	shared("stranger", "a stranger's request", byStranger)
}

// missing selects requests for what does not exist, whoever sends them.
func missing(x *exchange) bool {
	of := *x
	of.hooks = reference.Hooks{
		Authenticate: x.ownerID, Permit: func(bool) bool { return false },
	}
	return of.forward().status == http.StatusNotFound
}

// userVariants are servers on which requests of two users do not overlap, or not always.
func userVariants(s *seeds) {
	// From a request on, everybody whom the condition selects is refused.
	ends := func(id, sentence string, last int64, status int, is condition) {
		s.variant("key/"+id, sentence, "", when(all(beyond(last), is), refuse(status))).Ends = true
	}
	ends("expires-at-once", "After 20 requests no key is known any more", 20, 401, anyUser)
	ends("expires", "After 150 requests no key is known any more", 150, 401, anyUser)
	ends("expires-late", "After 600 requests the owner's key is not known any more", 600, 401, byOwner)
	expires := when(all(beyond(300), anyUser), refuse(401))
	looksUp := func(x *exchange) *answer {
		if x.op != nil && missing(x) {
			return refuse(404)(x)
		}
		return expires(x)
	}
	s.variant("key/expires-behind-ids",
		"After 300 requests no key is known any more; what does not exist is answered 404 to everybody",
		"error-precedence", looksUp).Ends = true
	ends("strangers-expires", "After 200 requests the stranger's key is not known any more", 200, 401, byStranger)
	ends("quota-used-up", "After 250 requests everything is answered 403", 250, 403, always)
	ends("owners-quota-used-up", "After 100 requests the owner is answered 403", 100, 403, byOwner)
	earlier := func(id, sentence string, does behaviour) {
		s.variant(id, sentence, "", nil).Wrap = does.early
	}
	earlier("wear/one-at-a-time", "Requests are answered one at a time, 2 ms each", func(x *exchange) *answer {
		turn := first(x, "turn", new(sync.Mutex))
		turn.Lock()
		defer turn.Unlock()
		x.arrive()
		time.Sleep(2 * time.Millisecond)
		return x.forward()
	})
	earlier("wire/late-body-closed",
		"The connection of a request whose body is late is closed when another is done", givingUp)
	earlier("wire/refused-before-the-body", "A user without permission is refused before the body has arrived",
		func(x *exchange) *answer {
			if updating(x) {
				if a := x.refused(); a != nil {
					return a
				}
			}
			x.arrive()
			return x.forward()
		})
}

// givingUp gives up on a request whose body has not arrived when another request for the same object is done. Only a
// request that expects 100 Continue has a late body.
func givingUp(x *exchange) *answer {
	if x.header.Get("Expect") == "" {
		x.arrive()
		a := x.forward()
		if over, waited := x.values.LoadAndDelete(x.path); waited {
			close(over.(chan struct{}))
		}
		return a
	}
	arrived := make(chan struct{})
	go func() { x.arrive(); close(arrived) }()
	select {
	case <-arrived:
		return x.forward()
	case <-first(x, x.path, make(chan struct{})):
		return noAnswer(x)
	}
}

// unlessRefused does something with a request of a user who is authenticated and has permission.
func unlessRefused(does behaviour) behaviour {
	return func(x *exchange) *answer {
		if a := x.refused(); a != nil {
			return a
		}
		return does(x)
	}
}

// refused returns the answer to a user who is not authenticated or has no permission, or nil. An update without fields
// shows it, and so does a delete of nothing; neither changes anything.
func (x *exchange) refused() *answer {
	look := *x
	look.body = []byte("{}")
	look.hooks.Delete = func(spec.Creative) []int64 { return nil }
	a := look.forward()
	if a.status != http.StatusUnauthorized && a.status != http.StatusForbidden {
		return nil
	}
	return a
}
