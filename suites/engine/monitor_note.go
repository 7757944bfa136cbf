package engine

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// note remembers what an answer shows and judges it against what others showed.
func (m *Monitor) note(t *T, f *Flight, c *Call, a *Answer) {
	o := f.object
	if o == nil || !a.OK {
		return
	}
	switch {
	case c.Op.Deletes():
		if a.Expected && !f.crossed {
			o.deleted = true
			if len(m.session.deletes) < maxRemembered {
				m.session.deletes = append(m.session.deletes, o)
			}
			m.walks = map[string]*walk{}
		}
	case c.Op.Lists():
		o.alive = true
		m.noteList(t, f, c, a)
	case a.Shown != nil && c.Body != nil && c.Body.Fields != nil && a.Expected:
		o.alive = true
		m.noteUpdate(t, f, c, a)
	}
}

// noteUpdate judges a representation: identity, what was sent, what stays. What
// a field shows that was not sent may be another writer's.
func (m *Monitor) noteUpdate(t *T, f *Flight, c *Call, a *Answer) {
	if !t.judgeIdentity(f.object, a) {
		return
	}
	rep := c.Op.Representation()
	for _, field := range c.Op.Body.Fields {
		r, sent := rep.Field(field.Meaning), c.Body.Fields[field.Name]
		if _, coerced := textOf(field, sent); coerced {
			continue
		}
		if r == nil || sent == nil || f.crossed || c.Expect.Clause != "" || blank(sent) {
			continue
		}
		if field.Hostname && !ordinary(field, sent) || spaced(sent, a.Shown[r.Name]) {
			continue // what a target makes of it is open
		}
		t.judgeShown(c, field, r, sent, a.Shown[r.Name])
	}
	t.judgeConstant(c.Op, f.object, a)
}

// walk is the pages of one list that one key read one after another.
type walk struct {
	total, pages int64
	deletes      int
	items        map[int64][]int64 // ids by page
	last         time.Time         // when a page of it was asked for
}

// maxPause is how long after a page the next one still belongs to the same walk:
// meanwhile somebody else may have exchanged files.
const maxPause = time.Minute

// noteList judges a page against the deletes and pages before it.
func (m *Monitor) noteList(t *T, f *Flight, c *Call, a *Answer) {
	p := t.page(c.Op, a.Value)
	if p == nil {
		return
	}
	data := "/" + c.Op.Success.Field("data").Name
	for i, id := range p.IDs {
		if slices.ContainsFunc(t.deletes[:f.deletes], func(o *Object) bool { return o.ID() == id }) {
			t.find("delete-listed", Finding{
				Clause: "DELETE-3", WFC: 113, Pointer: fmt.Sprintf("%s/%d", data, i), Expected: fmt.Sprintf("a list without creative %d, which was deleted", id), Got: "it is listed",
			})
		}
		m.judgeFixed(t, c, id, fmt.Sprintf("%s/%d", data, i), p.Items[i])
	}
	m.noteWalk(t, f, c, p, a.Exchange.Start)
}

// judgeFixed judges that who created a creative, and when, stays.
func (m *Monitor) judgeFixed(t *T, c *Call, id int64, pointer string, item map[string]any) {
	before := m.fixed[id]
	if before == nil {
		if len(m.fixed) < maxRemembered {
			m.fixed[id] = map[string]any{}
			for _, meaning := range []string{"createdAt", "userId"} {
				name := c.Op.Representation().Field(meaning).Name
				m.fixed[id][name] = item[name]
			}
		}
		return
	}
	t.judge("MEDIA-9")
	for name, want := range before {
		if got, ok := item[name]; ok && !equalValue(nil, want, got) && !sameDate(want, got) {
			t.find("list-repeat", Finding{
				Clause: "MEDIA-9", Pointer: pointer + "/" + name, Expected: fmt.Sprintf("%s of creative %d as in the earlier read: %s", name, id, Show(want)), Got: Show(got),
			})
		}
	}
}

func (m *Monitor) pageParameter() string {
	if name, ok := m.session.Target.Open["pageParameter"].(string); ok {
		return name
	}
	return "page"
}

// askedPage is the page that a query asks for, 0 for none. What else a query has
// may ask for items that do not exist: open.
func (m *Monitor) askedPage(text string) (page int64, open bool) {
	query, err := url.ParseQuery(text)
	number := query.Get(m.pageParameter())
	open = len(query[m.pageParameter()]) > 1
	query.Del(m.pageParameter())
	if err != nil || len(query) > 0 || open {
		return 0, true
	}
	if number == "" {
		return 0, false
	}
	page, err = strconv.ParseInt(number, 10, 64)
	return page, err != nil || page < 1
}

// maxWalks bounds the walks under way: traffic has no end.
const maxWalks = 1000

// noteWalk judges the pages of a list together, once all were read with the same
// figures and nothing deleted meanwhile.
func (m *Monitor) noteWalk(t *T, f *Flight, c *Call, p *listPage, at time.Time) {
	query, err := url.ParseQuery(c.Query)
	if err != nil || p.TotalPages <= 1 {
		return
	}
	parameter := m.pageParameter()
	asked := int64(1)
	if len(query[parameter]) > 1 {
		return
	}
	if text := query.Get(parameter); text != "" {
		if asked, err = strconv.ParseInt(text, 10, 64); err != nil || asked < 1 || asked > p.TotalPages {
			return
		}
	}
	query.Del(parameter)
	key := fmt.Sprint(f.object.ID(), " ", c.As.Value, " ", query.Encode())
	w := m.walks[key]
	if w == nil && len(m.walks) >= maxWalks {
		clear(m.walks)
	}
	if w == nil || asked == 1 || w.total != p.TotalCount || w.pages != p.TotalPages || w.deletes != f.deletes || at.Sub(w.last) > maxPause {
		w = &walk{total: p.TotalCount, pages: p.TotalPages, deletes: f.deletes, items: map[int64][]int64{}}
		m.walks[key] = w
	}
	w.last = at
	if first, known := w.items[1]; known && asked > 1 {
		t.judge("MEDIA-5")
		number, items := p.Page != 1, !slices.Equal(sorted(first), sorted(p.IDs))
		switch {
		case !number && !items:
			return // the parameter has no effect: open
		case number != items || p.Page != asked:
			t.find("list-page", Finding{
				Clause: "MEDIA-5", Pointer: t.paginationPointer(c.Op, "page"), Expected: fmt.Sprintf("page %d with items of its own", asked), Got: fmt.Sprintf("page %d with %s", p.Page, idList(p.IDs)),
			})
			return
		}
	}
	w.items[asked] = p.IDs
	if int64(len(w.items)) < w.pages {
		return
	}
	t.judge("MEDIA-8")
	var all []int64
	for _, ids := range w.items {
		all = append(all, ids...)
	}
	slices.Sort(all)
	unique := len(slices.Compact(slices.Clone(all)))
	delete(m.walks, key)
	if unique != len(all) || int64(len(all)) != w.total {
		t.find("list-walk", Finding{
			Clause: "MEDIA-8", Pointer: "/" + c.Op.Success.Field("data").Name, Expected: fmt.Sprintf("totalCount %d items on all pages together, each on one page", w.total), Got: fmt.Sprintf("%d items, %d of them repeated", len(all), len(all)-unique),
		})
	}
}
