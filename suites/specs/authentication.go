package specs

import (
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	. "github.com/adconform/adconform/suites/match"
)

// Interface document, Authentication 1: a request whose user cannot be identified is
// refused with 401.
var authentication = Behaviour{Of: EveryOperation, Specs: func(s *Specs, op *spec.Operation) {
	s.DescribeTable("A request %s is answered 401.", Class(401), Clause("AUTH-1"), s.OrUnknown(),
		func(c *Case, form keyForm) {
			key, ok := form(c, c.Owner().Value)
			if !ok {
				c.NotTested(ByTarget, "the owner's key has no other form of this kind")
				return
			}
			o := object(c)
			request := Wrong(c, o, As(key))
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
	)

	refusedChangesNothing(s, 401, func(c *Case, o *Object) {
		c.Expect(c.Send(Wrong(c, o, As(anonymous)))).To(BeRefused(401).Citing("AUTH-1"))
	})

	title := "A request without a key is answered 401, whatever user its headers name, and whatever object of the user it is for."
	s.It("user-headers", title, Class(401), Clause("AUTH-1"), Quick,
		func(c *Case) {
			user := c.UserID()
			if user == "" {
				c.NotTested(ByTarget, "no answer shows the owner's userId, nor does the target file")
				return
			}
			request := Wrong(c, elsewhere(s, c, op), As(anonymous))
			for _, name := range userHeaders {
				Header(name, user)(&request)
			}
			c.Expect(c.Send(request)).To(BeRefused(401))
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
		return []int{401, 404, 422}
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

// observeScheme notes by which scheme a 401 asks for a key.
func observeScheme(c *Case, a *judge.Answer) {
	if a.Status != 401 {
		return
	}
	scheme := "none"
	if h := a.Exchange.Response.Header.Get("WWW-Authenticate"); h != "" {
		scheme, _, _ = strings.Cut(c.Known().Presentable(h), " ") // a part of a key is not known as one
	}
	c.Observe("www-authenticate", scheme)
}
