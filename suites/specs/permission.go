package specs

import (
	"slices"

	"github.com/adconform/adconform/spec"
	. "github.com/adconform/adconform/suites/match"
)

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
