package specs

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	. "github.com/adconform/adconform/suites/match"
)

// Interface document, Pagination: the pages together are the collection.
func pagesTogether(s *Specs, op *spec.Operation) {
	for _, key := range keysOf(s.Target, op) {
		// A container without media files is read first: if something removes it later, its 404 could
		// be taken for that of an empty list.
		looks := optionIf(key == "emptyVastCreative", Looks(key))
		s.Case("success/walk-"+wording.Slug(key), "The pages of "+key+" together are its "+op.Items+", each once.",
			Options{Needs(judge.OwnKey(key)), Clause(walked(op)...), looks},
			func(c *Case, _ *Object) { walk(c, c.Object(op, key)) })
	}
	if len(op.Params) == 0 {
		s.Case("success/walk", "The pages together are the "+op.Items+", each once.", Options{Clause(walked(op)...), Quick},
			func(c *Case, o *Object) { walk(c, o) })
	}
}

// Interface document, operation 5, says nothing about creatives without media files and about
// pages that do not exist.
func openLists(s *Specs, op *spec.Operation) {
	if point := op.Open["missing"]; point != "" {
		s.Case("open/missing", "The list of a creative that does not exist is answered 404, 422 or empty.",
			Options{Observes(point), Clause("ERR-1"), s.OrUnknown()},
			func(c *Case, o *Object) {
				a := send(c, Request(c, o, Unknown(c, 0, 0), NoObject), BeRefused(403, 404, 422).OrEmpty())
				c.Observe(point, a.Choice())
			})
	}
	if point := op.Open["nonVast"]; point != "" {
		s.Case("open/non-vast", "The list of a creative that is not a VAST container is answered 404, 422 or with a list.",
			Options{Observes(point), Needs("objects.plainCreative"), Clause(op.Clause), Looks("plainCreative")},
			func(c *Case, _ *Object) {
				a := send(c, Request(c, c.Object(op, "plainCreative")), BeAccepted().Or(404, 422))
				c.Observe(point, a.Choice())
			})
	}

	for _, row := range [][]string{
		{"beyond", "1000"},
		{"zero", "0"},
		{"negative", "-1"},
		{"letters", "abc"},
		{"fraction", "1.5"},
		{"beyond-63-bit", "9223372036854775808"},
		{"beyond-64-bit", "100000000000000000000"},
		{"empty", ""},
		{"twice", "1", "2"},
	} {
		s.Case("open/page-"+row[0], "A request for a page that does not exist does not fail; a list in the answer has a page number.",
			Options{Observes("page-beyond"), Clause(op.Clause, op.PageClause("page"), op.PageClause("totalCount"))},
			func(c *Case, o *Object) {
				a := askBeyond(c, o, BeAccepted().Or(unknownPage...), row[1:]...)
				c.Observe("page-beyond", a.Choice().Of(row[0]))
			})
	}

	s.Case("open/page-overflow", "A page whose number or first item exceeds an integer type is refused, or as empty as a page after the last.",
		Options{Clause("HTTP-1", op.Clause, op.PageClause("page"), op.PageClause("totalCount"))},
		func(c *Case, o *Object) {
			var answers []*judge.Answer
			for _, number := range []int64{1001, math.MaxInt32, math.MaxInt32 + 1, math.MaxUint32, math.MaxUint32 + 1, math.MaxInt64} {
				answers = append(answers, askBeyond(c, o, BeAccepted().Or(unknownPage...), fmt.Sprint(number)))
			}
			c.Test.JudgeBeyond(o, answers)
		})
}

// askBeyond requests a page that does not exist, if there is paging.
func askBeyond(c *Case, o *Object, to *Matcher, numbers ...string) *judge.Answer {
	parameter := c.PageParameter(o.Op)
	skipUnless(c, parameter != "", judge.ByTarget, noPaging)
	request := Request(c, o, Query(parameter, numbers...).Called("a page that does not exist"))
	request.OutOfRange = true
	if n, err := strconv.ParseInt(numbers[0], 10, 64); err == nil && len(numbers) == 1 && n > 0 {
		request.Page = n
	}
	return send(c, request, to)
}

const noPaging = "the target file says that there is no paging"

// unknownPage lists the statuses of a target that does not know a page, or the parameter.
var unknownPage = []int{400, 404, 422}

// maxPages limits a walk; only a part of a container with more pages is walked.
const maxPages = 60

// walk reads every page of a list, the first one also by its number, and expects the whole. It returns
// the ids that it saw, and whether they are all.
func walk(c *Case, o *Object) (ids []int64, whole bool) {
	first := list(c, o, 0)
	if first == nil || first.List == nil {
		return nil, false
	}
	pages := first.List.TotalPages
	ids = first.List.IDs
	if pages > 1 {
		c.Observe("page-size", spec.Choice(fmt.Sprint(first.List.Count)))
	}
	switch {
	case c.PageParameter(o.Op) == "":
		list(c, o, 0)
		if pages > 1 {
			c.Test.InPart(o.Op, fmt.Sprintf("%s, and %s has %d pages; pin pageParameter as it is called", noPaging, o.Name(), pages))
		}
		return ids, pages <= 1
	case pages <= 1:
		page(c, o, 1, unknownPage...)
		if strings.HasPrefix(o.Key, "paged") {
			c.NotTested(judge.ByOperator, o.Name()+" has one page; name one with more "+o.Op.Items+
				" than a page holds, or pin pageParameter: null where there is no paging")
			c.Test.Result.Missing = true
		}
		return ids, true
	}
	second := secondPage(c, o)
	if second == nil || second.List == nil || c.Test.NoPaging(o, first, second) {
		return ids, false
	}
	list(c, o, 1) // page 2 was shown, so page 1 must exist by its number, too
	all, a := []*judge.Answer{first}, second
	for number := int64(2); number <= min(pages, maxPages); number++ {
		if number > 2 {
			a = list(c, o, number)
		}
		if a == nil || a.List == nil {
			return ids, false
		}
		c.Test.JudgePage(o, first, a, number)
		all, ids = append(all, a), slices.Concat(ids, a.List.IDs)
	}
	if pages > maxPages {
		c.Test.ReadInPart(o.Op, fmt.Sprintf("a list has %d pages, and only %d of them are read", pages, maxPages))
		return ids, false
	}
	c.Test.JudgeWalk(o, all)
	return ids, true
}

// secondPage requests page 2. The name of the parameter is open: a target that refuses
// it may not know it, unless it accepts page 1 or the target file names it.
func secondPage(c *Case, o *Object) *judge.Answer {
	if _, pinned := c.Target.Open["pageParameter"]; !pinned {
		if a := page(c, o, 2, unknownPage...); a.OK {
			return a
		}
		if !page(c, o, 1, unknownPage...).OK {
			c.Observe("page-parameter", "refused")
			c.Test.InPart(o.Op,
				"the target refuses the query parameter "+c.PageParameter(o.Op)+"; pin pageParameter in the target file if it has another name")
			return nil
		}
	}
	return list(c, o, 2) // the target knows the parameter, so page 2 must exist
}

// list requests a page of an object's list; 0 omits the parameter. It returns nil if
// the answer is not the expected one.
func list(c *Case, o *Object, number int64) *judge.Answer {
	if a := page(c, o, number); a.Expected {
		return a
	}
	return nil
}

// page requests a page, which may be refused with the statuses given.
func page(c *Case, o *Object, number int64, also ...int) *judge.Answer {
	request := Request(c, o)
	if number > 0 {
		request.Page = number
		Query(c.PageParameter(o.Op), fmt.Sprint(number))(&request)
	}
	empty := c.Known().KnownEmpty(o)
	if empty {
		also = append(also, 404) // a list without items may not be found
	}
	a := send(c, request, BeAccepted().Or(also...))
	if empty && a.Expected {
		c.Observe("media-files-of-empty", a.Choice())
	}
	return a
}
