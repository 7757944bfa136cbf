package specs

import (
	"regexp"
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	. "github.com/adconform/adconform/suites/match"
	"github.com/adconform/adconform/suites/wire"
)

// Interface document, Authentication 1: a request whose user cannot be identified is
// refused with 401.
var authentication = Behaviour{Of: EveryOperation, Specs: func(s *Specs, op *spec.Operation) {
	s.DescribeTable("A request %s is answered 401.", Class(401), Clause("AUTH-1"), s.OrUnknown(),
		func(c *Case, form keyForm, changes ...Change) {
			key, ok := form(c, c.Owner().Value)
			if !ok {
				c.NotTested(ByTarget, "the owner's key has no other form of this kind")
				return
			}
			o := object(c)
			request := Wrong(c, o, append(changes, As(key))...)
			request.Raw = key == anonymous
			a := c.Send(request)
			c.Expect(a).To(BeRefused(identityOr(o)...))
			observeScheme(c, a)
			if o.Nowhere() && a.Status != 401 {
				c.NotTested(ByOperator, "the target file names no object to ask for, and an unknown id is refused before the key")
			}
		},
		Entry("no-key", "without a key", noKey, Quick),
		Entry("empty-key", "with an empty key", emptyKey),
		Entry("percent-key", "with the key %", percentKey),
		Entry("unknown-key", "with a key that nobody has", unknownKey),
		Entry("long-key", "with an unknown key of 200 characters", longKey),
		Entry("changed-key", "with one character in the middle of the key changed", changedKey, Quick),
		Entry("longer-key", "with x after the key", longerKey),
		Entry("shorter-key", "without the last character of the key", shorterKey),
		Entry("other-case-key", "with the key in other letter case", otherCaseKey),
		Entry("last-third-key", "with the last third of the key changed", lastThirdKey),
		Entry("sql-key", "with a quote, a comment sign and SQL after the key", sqlKey),
		Entry("bearer-token", "with a bearer token in place of the key", noKey, Header("Authorization", "Bearer x")),
	)

	refusedChangesNothing(s, 401, func(c *Case, o *Object) {
		c.Expect(c.Send(Wrong(c, o, As(anonymous)))).To(BeRefused(401).Citing("AUTH-1"))
	})

	title := "A request without a key is answered 401, whatever user its headers name, and whatever object of the user it is for."
	s.It("user-headers", title, Class(401), Clause("AUTH-1"), Quick,
		func(c *Case) {
			request := Wrong(c, elsewhere(s, c, op), As(anonymous))
			for _, name := range addressHeaders {
				Header(name, "127.0.0.1")(&request)
			}
			user := c.UserID()
			for _, name := range userHeaders {
				if user != "" {
					Header(name, user)(&request)
				}
			}
			c.Expect(c.Send(request)).To(BeRefused(401))
			if user == "" {
				c.NotTested(ByTarget, "no answer shows the owner's userId, nor does the target file")
			}
		})
}}

// elsewhere is an object beside the one that most cases of an operation ask for, where
// there is one: a check may hang on the object.
func elsewhere(s *Specs, c *Case, op *spec.Operation) *Object {
	for _, o := range slices.Backward(alike(s, c, op)) {
		if !o.WasDeleted {
			return o
		}
	}
	return object(c)
}

// identityOr are the refusals of a request without a user: a path that names nothing is a
// second fault, and which of the two is told is open.
func identityOr(o *Object) []int {
	switch {
	case !o.Nowhere():
		return []int{401}
	case o.Op.Open["missing"] != "": // nor does the document say how that is refused
		return []int{401, 403, 404, 422}
	}
	return []int{401, 404}
}

// userHeaders are what proxies put a user into for the server behind them. On a way
// around the proxy they are anybody's word.
var userHeaders = []string{
	"X-User-Id", "X-User", "X-Userid", "User-Id", "X-Forwarded-User", "X-Forwarded-User-Id", "X-Remote-User", "Remote-User",
	"X-Authenticated-User", "X-Authenticated-User-Id", "X-Authenticated-Userid", "X-Auth-User", "X-Auth-User-Id",
	"X-Auth-Request-User", "X-Consumer-Custom-Id", "X-Webauth-User", "X-Account-Id", "X-Current-User",
}

// addressHeaders are what proxies put the client's address into. A server that lets its own
// machine in without a key lets everybody in who writes them.
var addressHeaders = []string{"X-Forwarded-For", "X-Real-Ip"}

// observeScheme notes by which scheme a 401 asks for a key.
func observeScheme(c *Case, a *judge.Answer) {
	if a.Status != 401 {
		return
	}
	scheme := string(spec.NoScheme)
	if h := a.Exchange.Response.Header.Get("WWW-Authenticate"); h != "" {
		scheme, _, _ = strings.Cut(c.Known().Presentable(h), " ") // a part of a key is not known as one
	}
	c.Observe("www-authenticate", spec.Choice(scheme))
}

// keyForm makes a key that identifies nobody out of the owner's, so that a server that
// compares only a part of it, or without case, shows. It is false where that makes no
// sense for this key.
type keyForm func(c *Case, owner string) (wire.Credential, bool)

var anonymous = wire.Credential{Name: "none"}

func noKey(*Case, string) (wire.Credential, bool) { return anonymous, true }

func emptyKey(*Case, string) (wire.Credential, bool) {
	return wire.Credential{Name: "empty", Send: true}, true
}

func percentKey(*Case, string) (wire.Credential, bool) { return public("percent", "%"), true }

func unknownKey(c *Case, owner string) (wire.Credential, bool) {
	return public("unknown", c.Fake.Key(max(16, len(owner)))), true
}

func longKey(c *Case, _ string) (wire.Credential, bool) {
	return public("unknown-long", c.Fake.Key(200)), true
}

func changedKey(_ *Case, owner string) (wire.Credential, bool) {
	key, ok := changeMiddle(owner)
	return derived("changed", key), ok
}

func longerKey(_ *Case, owner string) (wire.Credential, bool) {
	return derived("longer", owner+"x"), true
}

func shorterKey(_ *Case, owner string) (wire.Credential, bool) {
	return derived("shorter", owner[:len(owner)-1]), len(owner) > 1
}

func otherCaseKey(_ *Case, owner string) (wire.Credential, bool) {
	key := wire.SwapCase(owner)
	return derived("other-case", key), key != owner && !caseless.MatchString(owner)
}

// caseless are keys whose letter case means nothing: hexadecimal numbers and UUIDs.
var caseless = regexp.MustCompile(`^[0-9a-fA-F-]+$`)

func public(name, key string) wire.Credential {
	return wire.Credential{Name: name, Value: key, Send: true, Public: true}
}

func derived(name, key string) wire.Credential {
	return wire.Credential{Name: "owner-" + name, Value: key, Send: true}
}

// lastThirdKey is for servers that find a key by how it begins, and compare no more.
func lastThirdKey(_ *Case, owner string) (wire.Credential, bool) {
	b := []byte(owner)
	for i := len(b) - len(b)/3; i < len(b); i++ {
		b[i] = another(b[i])
	}
	return derived("last-third", string(b)), string(b) != owner
}

// sqlKey ends the text that a key is compared in, and does so in any condition around it.
func sqlKey(_ *Case, owner string) (wire.Credential, bool) {
	return derived("sql", owner+"'-- ' OR '1'='1"), true
}

// changeMiddle changes the letter or digit nearest to the middle into another
// of its kind.
func changeMiddle(key string) (string, bool) {
	b := []byte(key)
	for d := range b {
		i := len(b)/2 + (d+1)/2*(1-2*(d%2))
		if i >= 0 && i < len(b) && another(b[i]) != b[i] {
			b[i] = another(b[i])
			return string(b), true
		}
	}
	return key, false
}

// another is another letter or digit of the same kind, a hexadecimal one where it is that;
// other characters stay.
func another(c byte) byte {
	switch {
	case strings.IndexByte("fzFZ9", c) >= 0:
		return c - 1
	case c >= 'a' && c < 'z', c >= 'A' && c < 'Z', c >= '0' && c < '9':
		return c + 1
	}
	return c
}

// Interface document, Authentication 2: a user without permission for the object gets
// 403. A delete is tried in deletesOfStrangers.
var permission = Behaviour{
	Of: func(op *spec.Operation) bool { return NamesAnObject(op) && !op.Deletes() }, // everyone has a list of their own
	Specs: func(s *Specs, op *spec.Operation) {
		stranger := Needs("credentials.stranger")

		s.It("stranger", "A user without permission for the object gets 403.", Class(403), stranger, Clause("AUTH-2"), Quick,
			func(c *Case) { c.Expect(c.Send(Wrong(c, object(c), As(c.Stranger())))).To(BeRefused(403)) })

		if op.Updates() {
			s.It("stranger-empty-object", "A user without permission gets 403 for {} too, or 422 where the owner does.",
				Class(403), stranger, Clause("AUTH-2"),
				func(c *Case) {
					c.Expect(c.Send(Wrong(c, object(c), As(c.Stranger()), Only(map[string]any{})))).To(BeRefused(403, 422))
				})
		}

		s.It("stranger-elsewhere", "A user without permission gets 403 for each other object of the owner too.",
			Class(403), stranger, Clause("AUTH-2"),
			func(c *Case) {
				for _, o := range alike(s, c, op) {
					c.Expect(c.Send(Wrong(c, o, As(c.Stranger())))).To(BeRefused(403))
				}
				if op.Lists() {
					refusedOtherPage(c, op)
				}
			})

		s.It("owner-on-foreign", "The owner gets 403 for an object of another user.", Class(403), needsForeign(op), Clause("AUTH-2"), Quick,
			func(c *Case) {
				o := foreign(c, op)
				if op.Updates() {
					c.Read(o) // what it holds now, to judge the effect and to put it back
				}
				c.Expect(c.Send(Wrong(c, o))).To(BeRefused(403))
				c.VerifyNoTraceOf(o)
			})

		refusedChangesNothing(s, 403, func(c *Case, o *Object) {
			c.Expect(c.Send(Wrong(c, o, As(c.Stranger())))).To(BeRefused(403).Citing("AUTH-2"))
		}, stranger)
	},
}

// alike are the owner's objects beside the one that the operation's cases use.
func alike(s *Specs, c *Case, op *spec.Operation) []*Object {
	if op.Updates() {
		return others(c, op)
	}
	beside := slices.DeleteFunc(keysOf(s, op), func(key string) bool { return key == op.Key() })
	return named(c, op, beside...)
}

// refusedOtherPage asks for the second page as the stranger and without a key: a check
// that looks at the bare path only shows.
func refusedOtherPage(c *Case, op *spec.Operation) {
	o := c.Object(op, largest(op))
	if o == nil || c.PageParameter(op) == "" {
		return
	}
	page2 := Query(c.PageParameter(op), "2")
	// A target that does not know the parameter may refuse it, whoever asks.
	c.Expect(c.Send(Wrong(c, o, As(c.Stranger()), page2))).To(BeRefused(403).Or(unknownPage...).Citing("AUTH-2"))
	c.Expect(c.Send(Wrong(c, o, As(anonymous), page2))).To(BeRefused(401).Or(unknownPage...).Citing("AUTH-1"))
}

// Interface document, Authentication 2, for deletes: while all disposables are there.
var deletesOfStrangers = Behaviour{Of: Deletes, Specs: func(s *Specs, op *spec.Operation) {
	s.It("strangers", "A user without permission gets 403 for every disposable "+thing(op)+".",
		Class(403), Needs("credentials.stranger"), Clause("AUTH-2"), Quick,
		func(c *Case) {
			strangersDelete(c, op, op.Key())
			if first := object(c); !first.WasDeleted {
				strangerDeletes(c, first) // once more: the first refusal must not open the way
			}
			for _, more := range op.More() { // seen to exist before anything is deleted
				strangersDelete(c, op, more)
			}
		})
}}

// strangersDelete tries every object under a key of the target file.
func strangersDelete(c *Case, op *spec.Operation, key string) {
	for i := range c.Target.Objects.ByKey(key) {
		if o := c.Object(op, indexed(key, i)); !o.WasDeleted { // by a request that had to be refused
			strangerDeletes(c, o)
		}
	}
}

func strangerDeletes(c *Case, o *Object) {
	c.Expect(c.Send(Wrong(c, o, As(c.Stranger())))).To(BeRefused(403).Citing("AUTH-2"))
}
