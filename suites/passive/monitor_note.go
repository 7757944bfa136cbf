package passive

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/judge/call"
	"github.com/adconform/adconform/suites/judge/model"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/value"
)

// note remembers what an answer shows and judges it against what others showed.
func (m *Monitor) note(t *judge.Test, f *Flight, c *call.Call, a *call.Answer) {
	o := f.object
	if o == nil || !a.OK {
		return
	}
	switch {
	case c.Op.Deletes():
		if a.Expected && !f.crossed {
			o.WasDeleted, o.Op = true, c.Op // a list may have named it first
			if len(m.model.Deletes) < maxRemembered {
				m.model.Deletes = append(m.model.Deletes, o)
			}
			m.walks = map[string]*walk{}
		}
	case c.Op.Lists():
		o.Alive = true
		m.noteList(t, f, c, a)
	case c.Op.Reads():
		o.Alive = true
		t.JudgeIdentity(c.Op, o, a)
		t.JudgeConstant(c.Op, o, a)
	case a.Shown != nil && c.Body != nil && c.Body.Fields != nil && a.Expected:
		o.Alive = true
		m.noteUpdate(t, f, c, a)
	}
}

// noteUpdate judges a representation: identity, what was sent, what stays. What
// a field shows that was not sent may be another writer's.
func (m *Monitor) noteUpdate(t *judge.Test, f *Flight, c *call.Call, a *call.Answer) {
	if !t.JudgeIdentity(c.Op, f.object, a) {
		return
	}
	rep := c.Op.Representation()
	for _, field := range c.Op.Body.Fields {
		r, sent := rep.Field(field.Meaning), c.Body.Fields[field.Name]
		if _, coerced := value.TextOf(field, sent); coerced {
			continue
		}
		if r == nil || sent == nil || f.crossed || a.Expect.Clause != "" || blank(sent) {
			continue
		}
		if field.Hostname && !ordinary(field, sent) || spaced(sent, a.Shown[r.Name]) {
			continue // what a target makes of it is open
		}
		t.JudgeShown(c, field, r, sent, a.Shown[r.Name])
	}
	t.JudgeConstant(c.Op, f.object, a)
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
func (m *Monitor) noteList(t *judge.Test, f *Flight, c *call.Call, a *call.Answer) {
	p := model.PageOf(c.Op, a.Value)
	if p == nil {
		return
	}
	data := "/" + c.Op.Success.Field("data").Name
	for i, id := range p.IDs {
		for _, o := range t.Model.Deletes[:f.deletes] {
			if o.ID() == id && c.Op.ShowsWhat(o.Op) {
				t.Find("delete-listed", judge.Finding{
					Operation: o.Op.ID, Clause: o.Op.Effects["listed"], WFC: 113, Pointer: fmt.Sprintf("%s/%d", data, i),
					Expected: fmt.Sprintf("a list without %s, which was deleted", o.Key),
					Got:      "it is listed",
				})
				break
			}
		}
		m.judgeFixed(t, c, model.ItemKey(c.Op, f.object, id), fmt.Sprintf("%s/%d", data, i), p.Items[i])
	}
	m.noteWalk(t, f, c, p, a.Exchange.Start)
}

// judgeFixed judges that who created a creative, and when, stays.
func (m *Monitor) judgeFixed(t *judge.Test, c *call.Call, key model.ListKey, pointer string, item map[string]any) {
	id, clause := key.ID, c.Op.Effects["repeats"]
	before := m.fixed[key]
	if before == nil {
		if len(m.fixed) < maxRemembered {
			m.fixed[key] = map[string]any{}
			for _, meaning := range []string{"createdAt", "userId"} {
				if r := c.Op.Representation().Field(meaning); r != nil && r.Stays {
					m.fixed[key][r.Name] = item[r.Name]
				}
			}
		}
		return
	}
	t.Covered(clause)
	for name, want := range before {
		if got, ok := item[name]; ok && !oracle.Equal(nil, want, got) && !value.SameDate(want, got) {
			t.Find("list-repeat", judge.Finding{
				Clause: clause, Pointer: pointer + "/" + name,
				Expected: fmt.Sprintf("%s of item %d as in the earlier read: %s", name, id, value.Show(want)),
				Got:      value.Show(got),
			})
		}
	}
}

func (m *Monitor) pageParameter(op *spec.Operation) string {
	return cmp.Or(m.model.PageParameter(op), "page")
}

// askedPage is the page that a query asks for, 0 for none. What else a query has
// may ask for items that do not exist: open.
func (m *Monitor) askedPage(c *call.Call) (page int64, open bool) {
	query, err := url.ParseQuery(c.Query)
	name := m.pageParameter(c.Op)
	number := query.Get(name)
	open = len(query[name]) > 1
	query.Del(name)
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
func (m *Monitor) noteWalk(t *judge.Test, f *Flight, c *call.Call, p *model.ListPage, at time.Time) {
	w, asked := m.walkOf(f, c, p, at)
	if w == nil {
		return
	}
	if first, known := w.items[1]; known && asked > 1 {
		clause := c.Op.PageClause("page")
		t.Covered(clause)
		number, items := p.Page != 1, !slices.Equal(model.Sorted(first), model.Sorted(p.IDs))
		switch {
		case !number && !items:
			return // the parameter has no effect: open
		case number != items || p.Page != asked:
			t.Find("list-page", judge.Finding{
				Clause: clause, Pointer: oracle.PagePointer(c.Op, "page"),
				Expected: fmt.Sprintf("page %d with items of its own", asked),
				Got:      fmt.Sprintf("page %d with %s", p.Page, model.IDList(p.IDs)),
			})
			return
		}
	}
	w.items[asked] = p.IDs
	if int64(len(w.items)) < w.pages {
		return
	}
	var all []int64
	for _, page := range slices.Sorted(maps.Keys(w.items)) {
		all = append(all, w.items[page]...)
	}
	maps.DeleteFunc(m.walks, func(_ string, under *walk) bool { return under == w })
	t.JudgeUnion(c.Op, all, w.total)
}

// walkOf is the walk that a page belongs to, and the page that was asked for; nil for a
// page that belongs to none.
func (m *Monitor) walkOf(f *Flight, c *call.Call, p *model.ListPage, at time.Time) (w *walk, asked int64) {
	query, err := url.ParseQuery(c.Query)
	parameter := m.pageParameter(c.Op)
	if err != nil || p.TotalPages <= 1 || len(query[parameter]) > 1 {
		return nil, 0
	}
	asked = 1
	if text := query.Get(parameter); text != "" {
		if asked, err = strconv.ParseInt(text, 10, 64); err != nil || asked < 1 || asked > p.TotalPages {
			return nil, 0
		}
	}
	query.Del(parameter)
	key := fmt.Sprint(c.Op.ID, " ", f.object.ID(), " ", c.As.Value, " ", query.Encode())
	w = m.walks[key]
	if w == nil && len(m.walks) >= maxWalks {
		clear(m.walks)
	}
	if w == nil || asked == 1 || w.total != p.TotalCount || w.pages != p.TotalPages || w.deletes != f.deletes || at.Sub(w.last) > maxPause {
		w = &walk{total: p.TotalCount, pages: p.TotalPages, deletes: f.deletes, items: map[int64][]int64{}}
		m.walks[key] = w
	}
	w.last = at
	return w, asked
}
