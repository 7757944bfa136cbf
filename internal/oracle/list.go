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
	Items                               []map[string]any // nil for one that is no object
	IDs                                 []spec.ID        // of the items, "" for one that cannot be read
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
	items, all := object[op.Success.Field("data").Name].([]any)
	for _, item := range items {
		shown, _ := item.(map[string]any)
		p.Items, p.IDs = append(p.Items, shown), append(p.IDs, IDOf(shown[op.Representation().Field("id").Name]))
	}
	for meaning, n := range map[string]*int64{"count": &p.Count, "totalCount": &p.TotalCount, "page": &p.Page, "totalPages": &p.TotalPages} {
		f := op.Pagination().Field(meaning)
		shown := numbers[f.Name]
		if text, isText := shown.(string); isText && f.Type == openapi3.TypeString {
			shown = json.Number(text)
		}
		i, ok := Integer(shown)
		*n, all = i, all && ok
	}
	if !all {
		return nil
	}
	return p
}

// PagePointer returns the JSON pointer of a number of a list's pagination.
func PagePointer(op *spec.Operation, meaning string) string {
	meta := op.Success.Field("meta")
	return pointer(meta.Name, meta.Object.Field("pagination").Name, op.Pagination().Field(meaning).Name)
}

// AnyPage stands for a requested page that may not exist. Its number in the answer may have more than 64 bits.
const AnyPage = math.MaxInt64

func isList(j *judging) bool { return j.page != nil }

// agrees reports whether a rule holds for the size of the page: for count or for the number of
// items. Where these differ, that is one mismatch, not two.
func (p *ListPage) agrees(rule func(size int64) bool) bool {
	return rule(int64(len(p.Items))) || rule(p.Count)
}

// last returns the number of the last page.
func (p *ListPage) last() int64 { return max(1, p.TotalPages) }

// beyond reports whether the request asked for a page after the last.
func (j *judging) beyond() bool { return j.RequestedPage > j.page.last() }

// nowhere reports whether the page is beyond the last, as was asked. One with the number of an
// existing page is judged as that page, unless it is empty: then its number is wrong.
func (j *judging) nowhere() bool {
	return j.beyond() && (!j.page.exists() || len(j.page.Items) == 0 && j.page.Count == 0)
}

// exists reports whether the number of the page is that of one.
func (p *ListPage) exists() bool { return p.Page >= 1 && p.Page <= p.last() }

// all reports whether the page is the whole collection. Clauses about collections need that, or a
// walk through the pages.
func (j *judging) all() bool { return j.page.TotalPages <= 1 && !j.nowhere() }

// judgedIf adds the clause of the check to those judged, if the answer could have broken it.
func (j *judging) judgedIf(shows bool) {
	if shows {
		j.judged(j.check.judges(j.op))
	}
}

// wrong reports the number of the pagination that the check judges.
func (j *judging) wrong(got int64, expected string, args ...any) {
	j.breach(Finding{
		Clause: j.check.judges(j.op), Pointer: PagePointer(j.op, j.check.about), Name: strconv.FormatInt(got, 10),
		Expected: fmt.Sprintf(expected, args...), Got: Describe(got),
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
	j.judgedIf(j.all())
	switch {
	case j.all() && !p.agrees(func(size int64) bool { return size == p.TotalCount }):
		j.wrong(p.TotalCount, "%d, the items of the only page", len(p.Items))
	case !p.agrees(func(size int64) bool { return size <= p.TotalCount }):
		j.wrong(p.TotalCount, "at least %d, the items of this page", len(p.Items))
	}
}

func judgePageNumber(j *judging) {
	p, asked, last := j.page, j.RequestedPage, j.page.last()
	j.judgedIf(!j.beyond() && p.TotalPages <= 1) // of more than one, which one it is
	switch {
	case j.nowhere() && p.exists() && p.TotalCount > 0:
		j.wrong(p.Page, "a number after that of the last page, %d, for a page without items", last)
	case j.beyond():
		// A number of JSON need not hold more than 53 bits, and an empty page may be the last that the server knows.
		if asked != AnyPage && p.Page > last && float64(p.Page) != float64(asked) && len(p.Items) > 0 {
			j.wrong(p.Page, "%d, the page that was asked for, or one from 1 to %d", asked, last)
		}
	case !p.exists():
		j.wrong(p.Page, "a number from 1 to %d", last)
	case asked >= 1 && p.Page != asked && p.Page != 1:
		j.wrong(p.Page, "%d, the page that was asked for", asked)
	}
}

func judgeTotalPages(j *judging) {
	j.judgedIf(j.all())
	p := j.page
	pages, total := p.TotalPages, p.TotalCount
	if pages < 0 || total == 0 && pages > 1 || total > 0 && (pages == 0 || pages > 1 && !j.sizeFits()) {
		j.wrong(pages, "as many pages as totalCount %d and the %d items of page %d make", total, len(p.Items), p.Page)
	}
}

// sizeFits reports whether some page size explains the page. All pages but the last
// have the same size; the last has what is left. Where the page number is wrong
// nothing follows from it.
func (j *judging) sizeFits() bool {
	p := j.page
	if p.Page < 1 || p.Page > p.TotalPages || j.nowhere() || j.broke(j.op.PageClause("page")) {
		return true
	}
	pages, total := p.TotalPages, p.TotalCount
	return p.agrees(func(n int64) bool {
		if p.Page < pages {
			return n > 0 && (total-1)/n+1 == pages
		}
		return n > 0 && n <= (total-n)/(pages-1) && (total-n)%(pages-1) == 0
	})
}

func judgeOwnID(j *judging) {
	if j.PathID == "" || j.check.judges(j.op) == "" { // the items are of another kind
		return
	}
	j.judgedIf(j.all() && len(j.page.Items) > 0)
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
	return pointer(j.op.Success.Field("data").Name, strconv.Itoa(item), j.op.Representation().Field("id").Name)
}
