package oracle

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/adconform/adconform/spec"
)

// A ListPage is one page of a list.
type ListPage struct {
	Count, TotalCount, Page, TotalPages int64
	Items                               []map[string]any // nil for an item that is not an object
	IDs                                 []spec.ID        // of the items, "" for an id that cannot be read
}

// Complete reports whether the page is the whole collection.
func (p *ListPage) Complete() bool { return p.TotalPages <= 1 && p.Page <= 1 }

// Twice reports whether an item is twice on the page.
func (p *ListPage) Twice() bool {
	ids := slices.Sorted(slices.Values(p.IDs))
	return len(slices.Compact(ids)) < len(p.IDs)
}

// ReadList returns the page in a decoded body. It returns nil if a number or the items are missing or of
// another type: the schema reports that, and nothing is compared with it.
func ReadList(op *spec.Operation, body any) *ListPage {
	if op.Pagination() == nil {
		return nil
	}
	object, _ := body.(map[string]any)
	meta := op.Success.Field("meta")
	inner, _ := object[meta.Name].(map[string]any)
	numbers, _ := inner[meta.Object.Field("pagination").Name].(map[string]any)
	p := new(ListPage)
	id := op.Representation().Field("id").Name
	items, isReadable := object[op.Success.Field("data").Name].([]any)
	for _, item := range items {
		shown, _ := item.(map[string]any)
		p.Items = append(p.Items, shown)
		p.IDs = append(p.IDs, IDOf(shown[id]))
	}
	read := func(meaning string) int64 {
		f := op.Pagination().Field(meaning)
		shown := numbers[f.Name]
		if text, isText := shown.(string); isText && f.Type == openapi3.TypeString {
			shown = json.Number(text)
		}
		n, isInteger := Integer(shown)
		if !isInteger {
			isReadable = false
		}
		return n
	}
	p.Count = read("count")
	p.TotalCount = read("totalCount")
	p.Page = read("page")
	p.TotalPages = read("totalPages")
	if !isReadable {
		return nil
	}
	return p
}

// PagePointer returns the JSON pointer of a number of a list's pagination.
func PagePointer(op *spec.Operation, meaning string) string {
	meta := op.Success.Field("meta")
	pagination := meta.Object.Field("pagination").Name
	return pointer(meta.Name, pagination, op.Pagination().Field(meaning).Name)
}

// AnyPage stands for a requested page that may not exist. Its number in the answer may have more than 64 bits.
const AnyPage = math.MaxInt64

func isList(j *judging) bool { return j.page != nil }

// agrees reports whether a rule holds for the size of the page: for count or for the number of
// items. Where these differ, that is one mismatch, not two.
func (p *ListPage) agrees(rule func(size int64) bool) bool {
	return rule(int64(len(p.Items))) || rule(p.Count)
}

// lastPage returns the number of the last page.
func (p *ListPage) lastPage() int64 { return max(1, p.TotalPages) }

// isBeyond reports whether the request asked for a page after the last.
func (j *judging) isBeyond() bool { return j.RequestedPage > j.page.lastPage() }

// isPastEnd reports whether the page is beyond the last, as was asked. One with the number of an
// existing page is judged as that page, unless it is empty: then its number is wrong.
func (j *judging) isPastEnd() bool {
	if !j.isBeyond() {
		return false
	}
	isEmpty := len(j.page.Items) == 0 && j.page.Count == 0
	return isEmpty || !j.page.isInRange()
}

// isInRange reports whether the page number is within 1 and TotalPages.
func (p *ListPage) isInRange() bool {
	return p.Page >= 1 && p.Page <= p.lastPage()
}

// isWhole reports whether the page is the whole collection. Clauses about collections need that, or a
// walk through the pages.
func (j *judging) isWhole() bool {
	return j.page.TotalPages <= 1 && !j.isPastEnd()
}

// judgedIf adds the clause of the check to those judged, if the answer could have broken it.
func (j *judging) judgedIf(shows bool) {
	if shows {
		j.judged(j.check.judges(j.op))
	}
}

// wrong reports the number of the pagination that the check judges.
func (j *judging) wrong(got int64, expected string, args ...any) {
	j.breach(Finding{
		Clause: j.check.judges(j.op), Pointer: PagePointer(j.op, j.check.about),
		Name: strconv.FormatInt(got, 10), Got: Describe(got), Expected: fmt.Sprintf(expected, args...),
	})
}

func judgeCount(j *judging) {
	j.judgedIf(true)
	if p := j.page; p.Count != int64(len(p.Items)) {
		j.wrong(p.Count, "%d, the number of items", len(p.Items))
	}
}

func judgeTotalCount(j *judging) {
	p := j.page
	j.judgedIf(j.isWhole())
	isTotal := func(size int64) bool { return size == p.TotalCount }
	isPart := func(size int64) bool { return size <= p.TotalCount }
	switch {
	case j.isWhole() && !p.agrees(isTotal):
		j.wrong(p.TotalCount, "%d, the items of the only page", len(p.Items))
	case !p.agrees(isPart):
		j.wrong(p.TotalCount, "at least %d, the items of this page", len(p.Items))
	}
}

func judgePageNumber(j *judging) {
	p := j.page
	last := p.lastPage()
	asked := j.RequestedPage
	j.judgedIf(!j.isBeyond() && p.TotalPages <= 1) // of more than one page, which one it is
	switch {
	case j.isBeyond():
		j.judgeNumberBeyond()
	case !p.isInRange():
		j.wrong(p.Page, "a number from 1 to %d", last)
	case asked >= 1 && !slices.Contains([]int64{1, asked}, p.Page):
		j.wrong(p.Page, "%d, the page that was asked for", asked)
	}
}

// judgeNumberBeyond judges the number of a page where one after the last was asked for.
func (j *judging) judgeNumberBeyond() {
	p := j.page
	last := p.lastPage()
	if p.isInRange() {
		if j.isPastEnd() && p.TotalCount > 0 {
			j.wrong(p.Page, "a number above %d, which is the last page, as this page has no items", last)
		}
		return
	}
	// A number of JSON need not hold more than 53 bits.
	isAsked := j.RequestedPage == AnyPage || float64(p.Page) == float64(j.RequestedPage)
	mayBeLast := len(p.Items) == 0 // that the server knows
	if p.Page > last && !isAsked && !mayBeLast {
		j.wrong(p.Page, "%d, the page that was asked for, or one from 1 to %d", j.RequestedPage, last)
	}
}

func judgeTotalPages(j *judging) {
	j.judgedIf(j.isWhole())
	p := j.page
	if !j.isRightTotal() {
		j.wrong(p.TotalPages, "as many pages as totalCount %d and the %d items of page %d make",
			p.TotalCount, len(p.Items), p.Page)
	}
}

// isRightTotal reports whether TotalPages agrees with the number of all items.
func (j *judging) isRightTotal() bool {
	p := j.page
	switch {
	case p.TotalCount < 0: // its clause is broken
		return p.TotalPages >= 0
	case p.TotalCount == 0:
		return p.TotalPages == 0 || p.TotalPages == 1
	case p.TotalPages == 1:
		return true
	}
	return p.TotalPages > 1 && j.hasSize()
}

// hasSize reports whether some page size explains the page. All pages but the last
// have the same size; the last has what is left. Where the page number is wrong
// nothing follows from it.
func (j *judging) hasSize() bool {
	p := j.page
	if !p.isInRange() || j.isPastEnd() || j.isBroken(j.op.PageClause("page")) {
		return true
	}
	others := p.TotalPages - 1
	isSize := func(n int64) bool { return (p.TotalCount-1)/n == others }
	if p.Page > others {
		isSize = func(rest int64) bool {
			full := (p.TotalCount - rest) / others
			return rest <= full && (p.TotalCount-rest)%others == 0
		}
	}
	return p.agrees(func(n int64) bool { return n > 0 && isSize(n) })
}

func judgeOwnID(j *judging) {
	if j.PathID == "" || j.check.judges(j.op) == "" { // the items are of another kind
		return
	}
	j.judgedIf(j.isWhole() && len(j.page.Items) > 0)
	if i := slices.Index(j.page.IDs, j.PathID); i >= 0 {
		j.find(j.atID(i), "media files of the creative in the path", fmt.Sprintf("the creative %s itself", j.PathID))
	}
}

func judgeUnique(j *judging) {
	seen := map[spec.ID]bool{}
	for i, id := range j.page.IDs {
		if seen[id] {
			j.find(j.atID(i), "each item once", fmt.Sprintf("id %s again", id))
		}
		seen[id] = id != ""
	}
}

// atID returns the pointer of an item's id.
func (j *judging) atID(item int) string {
	data := j.op.Success.Field("data").Name
	return pointer(data, strconv.Itoa(item), j.op.Representation().Field("id").Name)
}
