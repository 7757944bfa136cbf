package oracle

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/adconform/adconform/spec"
)

// listNames are the wire names of a list.
type listNames struct {
	meta, pagination, count, totalCount, page, totalPages, data, id string

	clauses listClauses
}

// listClauses are what a list is judged by.
type listClauses struct{ count, total, page, pages, members, unique string }

func newListClauses(op *spec.Operation) listClauses {
	return listClauses{
		count: op.PageClause("count"), total: op.PageClause("totalCount"), page: op.PageClause("page"), pages: op.PageClause("totalPages"),
		members: op.Effects["members"], unique: op.Effects["unique"],
	}
}

// newListNames returns nil for an operation that does not list.
func newListNames(op *spec.Operation) *listNames {
	meta, data := op.Success.Field("meta"), op.Success.Field("data")
	if meta == nil || data == nil {
		return nil
	}
	pagination := meta.Object.Field("pagination")
	if pagination == nil {
		return nil
	}
	names := &listNames{meta: meta.Name, pagination: pagination.Name, data: data.Name, clauses: newListClauses(op)}
	for meaning, name := range map[string]*string{
		"count": &names.count, "totalCount": &names.totalCount, "page": &names.page, "totalPages": &names.totalPages,
	} {
		f := pagination.Object.Field(meaning)
		if f == nil {
			return nil
		}
		*name = f.Name
	}
	if f := data.Items.Field("id"); f != nil {
		names.id = f.Name
	}
	return names
}

// listPage is one page of a list. A number that the body does not have, or not
// as an integer, is nil: the schema reports it, and nothing is compared with it.
type listPage struct {
	*listNames
	count, totalCount, page, totalPages *int64
	items                               []any
}

// AnyPage stands for a requested page of which nothing is known but that it may not
// exist.
const AnyPage = math.MaxInt64

// boundPage lets a page that does not exist have a number beyond 64 bits: a server
// may show what it was asked for, and an integer it is.
func (j *judging) boundPage() {
	names := j.known.list
	if names == nil || !j.success() || j.RequestedPage != AnyPage {
		return
	}
	body, _ := j.Value.(map[string]any)
	meta, _ := body[names.meta].(map[string]any)
	pagination, _ := meta[names.pagination].(map[string]any)
	number, _ := pagination[names.page].(json.Number)
	if large, ok := new(big.Int).SetString(wholeNumber(string(number)), 10); ok && !large.IsInt64() {
		pagination[names.page] = json.Number(strconv.FormatInt(AnyPage, 10))
	}
}

// wholeNumber writes an integer that a double may show, such as 1e+20, in digits.
func wholeNumber(number string) string {
	if f, err := strconv.ParseFloat(number, 64); err == nil && strings.ContainsAny(number, "eE") && f == math.Trunc(f) {
		return strconv.FormatFloat(f, 'f', 0, 64)
	}
	return number
}

func (j *judging) readPage() *listPage {
	names := j.known.list
	if names == nil || !j.success() {
		return nil
	}
	body, _ := j.Value.(map[string]any)
	items, ok := body[names.data].([]any)
	meta, _ := body[names.meta].(map[string]any)
	pagination, _ := meta[names.pagination].(map[string]any)
	if !ok || pagination == nil {
		return nil
	}
	number := func(name string) *int64 {
		if i, ok := integerOf(pagination[name]); ok {
			return &i
		}
		return nil
	}
	return &listPage{
		listNames: names, items: items, count: number(names.count), totalCount: number(names.totalCount),
		page: number(names.page), totalPages: number(names.totalPages),
	}
}

func isList(j *judging) bool { return j.page != nil }

// at points at a number of the pagination.
func (p *listPage) at(name string) string { return pointer(p.meta, p.pagination, name) }

// agrees says whether a rule holds for the size of the page. Where count is not
// the number of items, that is one mismatch, not two: the rule may hold for
// either.
func (p *listPage) agrees(rule func(size int64) bool) bool {
	return rule(int64(len(p.items))) || p.count != nil && rule(*p.count)
}

// beyond says whether the request asked for a page after the last.
func (j *judging) beyond() bool {
	p := j.page
	return p.totalPages != nil && j.RequestedPage > max(1, *p.totalPages)
}

// nowhere says whether the page stands beyond the last, as was asked. One that calls itself
// a page of the list is held to be that page, whatever was asked for.
func (p *listPage) nowhere(j *judging) bool {
	return j.beyond() && (p.page == nil || *p.page < 1 || *p.page > max(1, *p.totalPages))
}

// whole says that the page is the whole collection. What is said of collections is
// judged by that, or by a walk through the pages.
func (p *listPage) whole(j *judging) bool {
	return p.totalPages != nil && *p.totalPages <= 1 && !p.nowhere(j)
}

func judgeCount(j *judging) {
	p := j.page
	if p.count == nil {
		return
	}
	j.judged(p.clauses.count)
	if *p.count != int64(len(p.items)) {
		j.find(p.clauses.count, 0, p.at(p.listNames.count), fmt.Sprintf("%d, the number of items", len(p.items)), show(*p.count))
	}
}

func judgeTotalCount(j *judging) {
	p := j.page
	if p.totalCount == nil {
		return
	}
	total, at := *p.totalCount, p.at(p.listNames.totalCount)
	only := p.whole(j)
	if only {
		j.judged(p.clauses.total)
	}
	switch {
	case only && !p.agrees(func(size int64) bool { return size == total }):
		j.find(p.clauses.total, 0, at, fmt.Sprintf("%d, the items of the only page", len(p.items)), show(total))
	case !p.agrees(func(size int64) bool { return size <= total }):
		j.find(p.clauses.total, 0, at, fmt.Sprintf("at least %d, the items of this page", len(p.items)), show(total))
	}
}

func judgePageNumber(j *judging) {
	p := j.page
	if p.page == nil || p.totalPages == nil {
		return
	}
	if j.beyond() {
		if asked := j.RequestedPage; asked != AnyPage && *p.page > max(1, *p.totalPages) && *p.page != asked {
			expected := fmt.Sprintf("%d, the page that was asked for, or one from 1 to %d", asked, max(1, *p.totalPages))
			j.find(p.clauses.page, 0, p.at(p.listNames.page), expected, show(*p.page))
		}
		return
	}
	if *p.totalPages <= 1 { // of more than one, which one it is
		j.judged(p.clauses.page)
	}
	page, asked, at := *p.page, j.RequestedPage, p.at(p.listNames.page)
	last := max(1, *p.totalPages)
	switch {
	case page < 1 || page > last:
		j.find(p.clauses.page, 0, at, fmt.Sprintf("a number from 1 to %d", last), show(page))
	case asked >= 1 && page != asked && (page != 1 || j.PageWorks):
		j.find(p.clauses.page, 0, at, fmt.Sprintf("%d, the page that was asked for", asked), show(page))
	}
}

func judgeTotalPages(j *judging) {
	p := j.page
	if p.totalPages == nil || p.totalCount == nil {
		return
	}
	if p.whole(j) {
		j.judged(p.clauses.pages)
	}
	pages, total, at := *p.totalPages, *p.totalCount, p.at(p.listNames.totalPages)
	switch {
	case pages < 0:
		j.find(p.clauses.pages, 0, at, "a number from 0", show(pages))
	case total == 0 && pages > 1:
		j.find(p.clauses.pages, 0, at, "0 or 1, as totalCount is 0", show(pages))
	case total > 0 && pages == 0:
		j.find(p.clauses.pages, 0, at, fmt.Sprintf("at least 1, as totalCount is %d", total), show(pages))
	case total > 0 && pages > 1 && !p.sizeFits(j):
		j.find(p.clauses.pages, 0, at,
			fmt.Sprintf("as many pages as totalCount %d and the %d items of page %d make", total, len(p.items), *p.page), show(pages))
	}
}

// sizeFits says whether some page size explains the page. All pages but the last
// have the same size; the last has what is left. Where the page number is wrong
// nothing follows from it.
func (p *listPage) sizeFits(j *judging) bool {
	if p.page == nil || *p.page < 1 || p.nowhere(j) || j.broke(p.clauses.page) {
		return true
	}
	pages, total := *p.totalPages, *p.totalCount
	switch {
	case *p.page < pages:
		return p.agrees(func(size int64) bool { return size > 0 && (total-1)/size+1 == pages })
	case *p.page == pages:
		return p.agrees(func(left int64) bool {
			size := (total - left) / (pages - 1)
			return left > 0 && left <= size && (total-left)%(pages-1) == 0
		})
	}
	return true
}

func judgeOwnID(j *judging) {
	if j.PathID == 0 || j.page.clauses.members == "" { // the items are of another kind
		return
	}
	j.page.ids(func(i int, id int64) {
		if j.page.whole(j) {
			j.judged(j.page.clauses.members)
		}
		if id == j.PathID {
			j.find(j.page.clauses.members, 0, j.page.itemAt(i), "media files of the creative in the path", fmt.Sprintf("the creative %d itself", id))
		}
	})
}

func judgeUnique(j *judging) {
	first := make(map[int64]int, len(j.page.items))
	j.page.ids(func(i int, id int64) {
		if before, ok := first[id]; ok {
			j.find(j.page.clauses.unique, 0, j.page.itemAt(i), "each item once", fmt.Sprintf("id %d, as item %d has", id, before))
			return
		}
		first[id] = i
	})
}

// ids visits the items that have a readable id.
func (p *listPage) ids(visit func(i int, id int64)) {
	for i, item := range p.items {
		object, _ := item.(map[string]any)
		if id, ok := integerOf(object[p.id]); ok {
			visit(i, id)
		}
	}
}

func (p *listPage) itemAt(i int) string { return pointer(p.data, strconv.Itoa(i), p.id) }
