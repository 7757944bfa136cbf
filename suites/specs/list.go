package specs

import (
	"strconv"

	"github.com/adconform/adconform/spec"
	. "github.com/adconform/adconform/suites/match"
)

// Interface document, operation 5: the owner gets a page of a list.
var shownLists = Behaviour{Of: Lists, Specs: func(s *Specs, op *spec.Operation) {
	s.It("ordinary", "The owner gets the list of "+op.Items+", the same each time.", Class("success"), Quick,
		Clause(op.Clause, "AUTH-4", "EFFECT-3", op.Effects["repeats"], op.Effects["members"]),
		func(c *Case) {
			for range 3 {
				c.Expect(c.Send(Valid(c, object(c)))).To(BeAccepted())
			}
		})

	s.It("raw", "The answer to a list is one well-framed HTTP message.", Class("success"), Clause("HTTP-2"),
		func(c *Case) { c.Expect(c.Send(Valid(c, object(c), Raw))).To(BeAccepted()) })
}}

// Interface document, Pagination: the pages together are the collection.
var pagesTogether = Behaviour{Of: Lists, Specs: func(s *Specs, op *spec.Operation) {
	for _, key := range keysOf(s, op) {
		s.It("walk-"+slug(key), "The pages of "+key+" together are its "+op.Items+", each once.",
			Class("success"), Needs("objects."+key), Clause(walked(op)...),
			func(c *Case) { walk(c, c.Object(op, key)) })
	}
	if !NamesAnObject(op) {
		s.It("walk", "The pages together are the "+op.Items+", each once.", Class("success"), Clause(walked(op)...), Quick,
			func(c *Case) { walk(c, object(c)) })
	}
}}

// A list that no id names is each user's own.
var ownLists = Behaviour{
	Of: func(op *spec.Operation) bool { return op.Lists() && !NamesAnObject(op) && op.Holds != "" },
	Specs: func(s *Specs, op *spec.Operation) {
		title := "Another user's list holds none of the owner's " + op.Items + ", not even right after the owner's."
		s.It("of-the-stranger", title, Class("success"), Needs("credentials.stranger"), Clause(op.Clause, held(op)),
			func(c *Case) {
				o := object(c)
				answers := inTurn(c, exchange{Valid(c, o), BeAccepted()}, exchange{Call{Op: op, As: c.Stranger()}, BeAccepted()})
				c.Test.JudgeOthers(o, answers[1])
			})
	},
}

// Interface document, operation 5, says nothing of what has no media files and of pages
// that do not exist.
var openLists = Behaviour{Of: Lists, Specs: func(s *Specs, op *spec.Operation) {
	if point := op.Open["missing"]; point != "" {
		s.It("missing", "The list of a creative that does not exist is answered 404, 422 or empty.",
			Class("open"), Observes(point), Clause("ERR-1"), s.OrUnknown(),
			func(c *Case) {
				a := c.Send(Wrong(c, object(c), At(0, c.UnknownID(0)), NoObject))
				c.Expect(a).To(BeRefused(404, 422).OrEmpty())
				c.Observe(point, a.Choice())
			})
	}
	if point := op.Open["nonVast"]; point != "" {
		s.It("non-vast", "The list of a creative that is no VAST container is answered 404, 422 or with a list.",
			Class("open"), Observes(point), Needs("objects.plainCreative"), Clause(op.Clause),
			func(c *Case) {
				a := c.Send(Valid(c, c.Object(op, "plainCreative")))
				c.Expect(a).To(BeAccepted().Or(404, 422))
				c.Observe(point, a.Choice())
			})
	}

	s.DescribeTable("A page that does not exist is answered without failing, by a number where it is answered with a list.",
		Class("open"), Observes("page-beyond"), Clause(op.Clause, op.PageClause("page"), op.PageClause("totalCount")),
		func(c *Case, name string, numbers ...string) {
			parameter := c.PageParameter(op)
			if parameter == "" {
				c.NotTested(ByTarget, noPaging)
				return
			}
			request := Valid(c, object(c), Query(parameter, numbers...))
			request.OutOfRange = true
			if n, err := strconv.ParseInt(numbers[0], 10, 64); err == nil && len(numbers) == 1 && n > 0 {
				request.Page = n
			}
			a := c.Send(request)
			c.Expect(a).To(BeAccepted().Or(400, 404, 422))
			if choice := a.Choice(); choice != "" {
				c.Observe("page-beyond", name+": "+choice)
			}
		},
		Entry("page-beyond", "", "beyond", "1000"),
		Entry("page-zero", "", "zero", "0"),
		Entry("page-negative", "", "negative", "-1"),
		Entry("page-letters", "", "letters", "abc"),
		Entry("page-fraction", "", "fraction", "1.5"),
		Entry("page-beyond-63-bit", "", "beyond-63-bit", "9223372036854775808"),
		Entry("page-beyond-64-bit", "", "beyond-64-bit", "100000000000000000000"),
		Entry("page-empty", "", "empty", ""),
		Entry("page-twice", "", "twice", "1", "2"),
	)
}}
