package specs

import (
	"fmt"
	"slices"

	"github.com/adconform/adconform/suites/judge"
	. "github.com/adconform/adconform/suites/match"
)

const noPaging = "the target file says that there is no paging"

// unknownPage are the statuses of a target that does not know a page, or the parameter.
var unknownPage = []int{400, 404, 422}

// maxPages bounds a walk; a container with more pages is walked in part.
const maxPages = 60

// walk reads every page of a list, the first one twice, and expects the whole.
func walk(c *Case, o *Object) {
	first := list(c, o, 0)
	if first == nil || first.List == nil {
		return
	}
	list(c, o, 0)
	pages := first.List.TotalPages
	c.Observe("page-size", c.Known().PageSize(first.List))
	if pages <= 1 {
		return
	}
	if c.PageParameter(o.Op) == "" {
		c.Test.InPart(o.Op, noPaging)
		return
	}
	second := secondPage(c, o)
	if second == nil || second.List == nil || c.Test.NoPaging(o, first, second) {
		return
	}
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
