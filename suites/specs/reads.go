package specs

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	. "github.com/adconform/adconform/suites/match"
)

// Interface document, operation 5: the owner gets a page of a list.
var shownLists = Behaviour{Of: Lists, Specs: func(s *Specs, op *spec.Operation) {
	s.It("ordinary", "The owner gets the list of "+op.Items+", the same each time.", Class("success"), Quick,
		Clause(op.Clause, "AUTH-4", "EFFECT-3", op.Effects["repeats"], op.Effects["members"]),
		func(c *Case) {
			for n := range 4 {
				a := c.Send(Valid(c, object(c)))
				c.Expect(a).To(BeAccepted())
				if n == 2 && !(c.Test.ItemsMadeNow(a) && c.Pause(aSecond)) {
					return // else their date of creation may be that of the read
				}
			}
		})

	s.It("raw", "The answer to a list is one well-framed HTTP message.", Class("success"), Clause("HTTP-2"),
		func(c *Case) { c.Expect(c.Send(Valid(c, object(c), Raw))).To(BeAccepted()) })
}}

// aSecond is a little more than one: after it a time in whole seconds is another.
const aSecond = 1100 * time.Millisecond

// Interface document, Pagination: the pages together are the collection.
var pagesTogether = Behaviour{Of: Lists, Specs: func(s *Specs, op *spec.Operation) {
	for _, key := range keysOf(s, op) {
		s.It("walk-"+slug(key), "The pages of "+key+" together are its "+op.Items+", each once.",
			Class("success"), Needs("objects."+key), Clause(walked(op)...), looksAtEmpty(key),
			func(c *Case) { walk(c, c.Object(op, key)) })
	}
	if !NamesAnObject(op) {
		s.It("walk", "The pages together are the "+op.Items+", each once.", Class("success"), Clause(walked(op)...), Quick,
			func(c *Case) { walk(c, object(c)) })
	}
}}

// looksAtEmpty has a container without media files looked at first: if something removes it, the
// 404 is one that an empty list may have.
func looksAtEmpty(key string) Decorator {
	if key == "emptyVastCreative" {
		return Looks(key)
	}
	return func(*judge.Case) {}
}

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
				c.Expect(a).To(BeRefused(403, 404, 422).OrEmpty())
				c.Observe(point, a.Choice())
			})
	}
	if point := op.Open["nonVast"]; point != "" {
		s.It("non-vast", "The list of a creative that is no VAST container is answered 404, 422 or with a list.",
			Class("open"), Observes(point), Needs("objects.plainCreative"), Clause(op.Clause), Looks("plainCreative"),
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
			c.Observe("page-beyond", a.Choice().Of(name))
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

	s.It("page-overflow", "A page beyond what integers hold, or its first item is, is as empty as others beyond the last, or refused.",
		Class("open"), Clause("HTTP-1", op.Clause, op.PageClause("page"), op.PageClause("totalCount")),
		func(c *Case) {
			parameter := c.PageParameter(op)
			if parameter == "" {
				c.NotTested(ByTarget, noPaging)
				return
			}
			var answers []*judge.Answer
			for _, number := range []int64{1001, math.MaxInt32, math.MaxInt32 + 1, math.MaxUint32, math.MaxUint32 + 1, math.MaxInt64} {
				request := Valid(c, object(c), Query(parameter, fmt.Sprint(number)))
				request.OutOfRange, request.Page = true, number
				a := c.Send(request)
				c.Expect(a).To(BeAccepted().Or(unknownPage...))
				answers = append(answers, a)
			}
			c.Test.JudgeBeyond(object(c), answers)
		})
}}

const noPaging = "the target file says that there is no paging"

// unknownPage are the statuses of a target that does not know a page, or the parameter.
var unknownPage = []int{400, 404, 422}

// maxPages bounds a walk; a container with more pages is walked in part.
const maxPages = 60

// walk reads every page of a list, the first one by its number too, and expects the whole.
func walk(c *Case, o *Object) {
	first := list(c, o, 0)
	if first == nil || first.List == nil {
		return
	}
	pages := first.List.TotalPages
	c.Observe("page-size", c.Known().PageSize(first.List))
	switch {
	case c.PageParameter(o.Op) == "":
		list(c, o, 0)
		if pages > 1 {
			c.Test.InPart(o.Op, fmt.Sprintf("%s, and %s has %d pages; pin pageParameter as it is called", noPaging, o.Name(), pages))
		}
		return
	case pages <= 1:
		if a := page(c, o, 1, unknownPage...); a.Expected && !a.OK {
			list(c, o, 0)
		}
		if strings.HasPrefix(o.Key, "paged") {
			c.NotTested(ByOperator, o.Name()+" has one page; name one with more "+o.Op.Items+
				" than a page holds, or pin pageParameter: null where there is no paging")
			c.Test.Result.Lacks = true
		}
		return
	}
	second := secondPage(c, o)
	if second == nil || second.List == nil || c.Test.NoPaging(o, first, second) {
		return
	}
	list(c, o, 1) // page 2 was shown: page 1 is there by its number, too
	c.Test.JudgePage(o, first, second, 2)
	ids := slices.Concat(first.List.IDs, second.List.IDs)
	for number := int64(3); number <= min(pages, maxPages); number++ {
		a := list(c, o, number)
		if a == nil || a.List == nil {
			return
		}
		c.Test.JudgePage(o, first, a, number)
		ids = append(ids, a.List.IDs...)
	}
	if pages > maxPages {
		c.Test.ReadInPart(o.Op, fmt.Sprintf("a list has %d pages, and only %d of them are read", pages, maxPages))
		return
	}
	c.Test.JudgeWalk(o, first, ids)
}

// allIDs are the ids on all pages of a list, and whether all could be read.
func allIDs(c *Case, o *Object) (ids []int64, whole bool) {
	first := list(c, o, 0)
	if first == nil || first.List == nil {
		return nil, false
	}
	ids = first.List.IDs
	pages := first.List.TotalPages
	if pages > 1 && c.PageParameter(o.Op) == "" || pages > maxPages {
		return ids, false
	}
	for number := int64(2); number <= pages; number++ {
		a := page(c, o, number, unknownPage...)
		if a.List == nil {
			return ids, false
		}
		ids = append(ids, a.List.IDs...)
	}
	return ids, true
}

// secondPage asks for page 2. The name of the parameter is open: a target that
// refuses it may not know it, unless it takes page 1 or the target file says so.
func secondPage(c *Case, o *Object) *judge.Answer {
	if _, pinned := c.Target.Open["pageParameter"]; pinned {
		return list(c, o, 2)
	}
	if a := page(c, o, 2, unknownPage...); a.OK {
		return a
	}
	if first := page(c, o, 1, unknownPage...); first.OK {
		return list(c, o, 2) // it knows the parameter, so page 2 has to be there
	}
	c.Observe("page-parameter", "refused")
	c.Test.InPart(o.Op,
		"the target refuses the query parameter "+c.PageParameter(o.Op)+"; pin pageParameter in the target file if it has another name")
	return nil
}

// list asks for a page of an object's list; 0 asks without the parameter. It is nil
// where another answer came than was expected.
func list(c *Case, o *Object, number int64) *judge.Answer {
	if a := page(c, o, number); a.Expected {
		return a
	}
	return nil
}

// page asks for a page, which may be refused with the statuses given.
func page(c *Case, o *Object, number int64, also ...int) *judge.Answer {
	request := Valid(c, o)
	if number > 0 {
		request.Page = number
		Query(c.PageParameter(o.Op), fmt.Sprint(number))(&request)
	}
	empty := c.Known().KnownEmpty(o)
	if empty {
		also = append(also, 404) // nothing to list may be nothing that is found
	}
	a := c.Send(request)
	c.Expect(a).To(BeAccepted().Or(also...))
	if empty && a.Expected {
		c.Observe("media-files-of-empty", a.Choice())
	}
	return a
}

// RFC 9110, 13.1.2 and 13.1.3: a list is asked for only where it has changed. These are
// for targets whose lists carry an entity tag or a date; nobody has to give them.
var conditionalReads = Behaviour{Of: Lists, Specs: func(s *Specs, op *spec.Operation) {
	s.It("conditional", "A list that carries an entity tag or a date is answered 304 only to who names these.",
		Class("state"), Clause(conditional, "AUTH-1", "AUTH-2", "HTTP-2"), Observes("list-validators"), Quick,
		func(c *Case) {
			o := object(c)
			first := list(c, o, 0)
			if first == nil {
				return
			}
			v := first.Validators()
			c.Observe("list-validators", spec.Choice(v.String()))
			if v.Tag != "" {
				namingTags(c, o, v.Tag)
			}
			if !v.Modified.IsZero() {
				namingDates(c, o, v.Modified)
			}
		})
}}

// conditional is the clause of an answer to who may know it already.
const conditional = "HTTP-4"

// notModified is an answer to who may know the list as it is.
const notModified = 304

func namingTags(c *Case, o *Object, tag string) {
	ask(c, o, unlessTag(tag), notModified)
	ask(c, o, unlessTag(fmt.Sprintf(`"adconform-%s", %s`, c.Fake.Key(8), tag)), notModified)
	ask(c, o, unlessTag(fmt.Sprintf(`"adconform-%s"`, c.Fake.Key(8))))
	if other, ok := changeMiddle(tag); ok {
		ask(c, o, unlessTag(other))
	}
	c.Expect(c.Send(Wrong(c, o, As(anonymous), unlessTag(tag)))).To(BeRefused(401).Citing("AUTH-1"))
	if c.Target.Credentials.Stranger != "" && len(o.IDs) > 0 {
		c.Expect(c.Send(Wrong(c, o, As(c.Stranger()), unlessTag(tag)))).To(BeRefused(403).Citing("AUTH-2"))
	}
	for _, odd := range []string{"*", "adconform", `"adconform`, "W/", strings.Repeat(`"adconform", `, 100) + tag} {
		c.Expect(c.Send(Valid(c, o, unlessTag(odd)))).To(BeAnswered())
	}
}

func namingDates(c *Case, o *Object, modified time.Time) {
	ask(c, o, unlessChangedSince(inHTTP(modified)), notModified)
	ask(c, o, unlessChangedSince(inHTTP(modified.AddDate(0, 0, -1))))
	for _, odd := range []string{"yesterday", "0", inHTTP(modified.AddDate(50, 0, 0))} {
		c.Expect(c.Send(Valid(c, o, unlessChangedSince(odd)))).To(BeAnswered())
	}
}

// ask asks for a list with a condition, on a raw connection: only that shows what comes
// after a 304.
func ask(c *Case, o *Object, condition Change, also ...int) {
	c.Expect(c.Send(Valid(c, o, condition, Raw))).To(BeAccepted().Or(also...).Citing(conditional))
}

func unlessTag(tags string) Change { return Header("If-None-Match", tags) }

func unlessChangedSince(date string) Change { return Header("If-Modified-Since", date) }

func inHTTP(at time.Time) string { return at.UTC().Format(http.TimeFormat) }

// changedSince asks for a list that has changed, as one who knows it as it was before:
// 304 would leave that reader with what is gone. Whether an empty list is 404 is open.
func changedSince(c *Case, o *Object, before judge.Validators) {
	if before.Tag != "" {
		ask(c, o, unlessTag(before.Tag), 404)
	}
	if before.Settled() {
		ask(c, o, unlessChangedSince(inHTTP(before.Modified)), 404)
	}
}

// The five operations read no single object; one of a vendor's document that does has
// these specs.
var shownObjects = Behaviour{Of: Reads, Specs: func(s *Specs, op *spec.Operation) {
	shown := Clause(op.Effects["identity"], op.Effects["stays"])

	s.It("ordinary", "The owner gets the object of the path, the same each time.",
		Class("success"), Clause(op.Clause, "AUTH-4", "EFFECT-3", op.Effects["repeats"]), shown, Quick,
		func(c *Case) {
			o := object(c)
			first := c.Send(Valid(c, o))
			c.Expect(first).To(BeAccepted())
			for range 2 {
				again := c.Send(Valid(c, o))
				c.Expect(again).To(BeAccepted())
				c.Test.JudgeRepeat(o, first, again)
			}
		})

	s.It("raw", "The answer to a read is one well-framed HTTP message.", Class("success"), Clause("HTTP-2"),
		func(c *Case) { c.Expect(c.Send(Valid(c, object(c), Raw))).To(BeAccepted()) })

	for _, key := range keysOf(s, op)[1:] {
		s.It("of-"+slug(key), "A read of "+key+" shows that object, and no other.",
			Class("success"), Needs("objects."+key), Clause(op.Clause), shown,
			func(c *Case) {
				for _, o := range []*Object{c.Object(op, key), object(c)} { // a cache that looks at less than the path shows
					c.Expect(c.Send(Valid(c, o))).To(BeAccepted())
				}
			})
	}
}}

// readsAfterUpdates: a read shows what an update of the same object set, and nothing of
// what was refused.
var readsAfterUpdates = Behaviour{Of: Reads, Specs: func(s *Specs, op *spec.Operation) {
	for _, update := range s.Contract.Operations {
		if !update.Updates() || !update.SameObjects(op) {
			continue
		}
		s.It("after-"+slug(update.ID), fmt.Sprintf("A read shows what %s set, and nothing of what it refused.", update.ID),
			Class("effects"), Clause(op.Effects["shows"], "EFFECT-1"), Writes,
			func(c *Case) {
				o, updated := object(c), c.Object(update, op.Key())
				read := func() { c.Expect(c.Send(Valid(c, o))).To(BeAccepted()) }
				read() // what to put back
				c.Probe(updated)
				for round := range 2 {
					c.Write(updated, c.Ordinary(updated, round))
					read()
				}
				c.Expect(c.Send(Wrong(c, updated, As(anonymous)))).To(BeRefused(401).Citing("AUTH-1"))
				read()
			})
	}
}}
