package model

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
)

// A list is what is known of the items of an object.
type list struct {
	of         *entity
	op         *spec.Operation
	members    map[spec.ID]*register // whether it holds an item
	items      map[spec.ID]map[string]any
	pages      map[int64]*page // as they were last read
	last       *page           // that was read last
	deletes    []*Exchange     // of its items, of which the last page may not know yet
	changes    int             // begins and ends of deletes of its items
	changed    time.Time       // the last of them
	isWhole    bool            // all of its items are known
	isDoubtful bool            // an accident may have changed it since it was read as a whole
	unpaged    bool            // the page parameter has no effect
}

// A page is a page of a list as an answer showed it.
type page struct {
	*oracle.ListPage
	number  int64
	by      *Exchange
	version [2]int // of the list
}

// list returns what is known of the list of an object.
func (s *State) list(o *entity, op *spec.Operation) *list {
	l := s.lists[o.thing]
	if l == nil {
		l = &list{
			of: o, op: op, members: map[spec.ID]*register{}, items: map[spec.ID]map[string]any{}, pages: map[int64]*page{},
		}
		s.lists[o.thing] = l
	}
	return l
}

// member returns the register of whether a list holds an item.
func (l *list) member(id spec.ID) *register {
	if l.members[id] == nil {
		l.members[id] = newFact()
	}
	return l.members[id]
}

// change notes that a delete of one of the items has begun or ended.
func (l *list) change(at time.Time) { l.changes, l.changed = l.changes+1, at }

// version changes with each delete that may change the list.
func (s *State) version(l *list) [2]int {
	if l.isWhole {
		return [2]int{l.changes, 0}
	}
	return [2]int{l.changes, s.strays}
}

// isEmpty reports whether an object is known to have a list without items.
func (s *State) isEmpty(o *entity, at span) bool {
	l := s.lists[o.thing]
	if l == nil || !l.isWhole {
		return false
	}
	for _, member := range l.members {
		if !member.isKnown(at) || member.fits(at, true) != nil {
			return false
		}
	}
	return true
}

// endList judges an answer to a request for a list.
func (s *State) endList(x *Exchange) {
	number, isPage := s.pageOf(x)
	if !isPage || x.asksOnlyInPart() || !s.isItsUser(x) {
		return
	}
	s.judgeThere(x)
	p := oracle.ReadList(x.read.op, x.Answer)
	if !x.isAccepted() || p == nil || !x.mayAct() || x.allowed.IsLoose() || slices.Contains(p.IDs, "") || s.mayBeGone(x) {
		return
	}
	l := s.list(x.of, x.read.op)
	read := &page{p, number, x, s.version(l)}
	s.judgeItems(l, read)
	if l.isUnpaged(read) || number > max(1, p.TotalPages) {
		return
	}
	isFirm := !l.changed.After(x.Start.Add(-s.lag))
	if before := l.pages[number]; before != nil && before.version == read.version && isFirm {
		s.judgeRepeat(l, before, read)
	}
	if s.judgeMembers(l, read); len(s.found) == 0 {
		s.judgeTotal(l, read)
	}
	if delete(l.pages, number); isFirm {
		l.pages[number], l.last = read, read
		s.judgeWalk(l, read)
	}
	x.of.refused, x.of.looked, x.of.seen = nil, x.at, x
}

// pageOf returns the number of the page that a request asks for.
func (s *State) pageOf(x *Exchange) (number int64, is bool) {
	_, query, hasQuery := strings.Cut(x.Path, "?")
	values, err := url.ParseQuery(query)
	name := s.pageParameter(x.read.op)
	text := values.Get(name)
	values.Del(s.world.Target.Credentials.Form().Query)
	switch {
	case err != nil, hasQuery && len(values) > 1, len(values[name]) > 1:
		return 0, false
	case len(values) == 0:
		return 1, true
	}
	number, err = strconv.ParseInt(text, 10, 32)
	return number, err == nil && number > 0
}

// pageParameter returns the query parameter that selects a page, "" if the target file says that there is none.
func (s *State) pageParameter(op *spec.Operation) string {
	if pin, isPinned := s.world.Target.Open[spec.PageParameter]; isPinned && op.Page == "" {
		name, _ := pin.(string)
		return name
	}
	if op.Page != "" {
		return op.Page
	}
	return "page"
}

// asksOnlyInPart reports whether the request has a condition.
func (x *Exchange) asksOnlyInPart() bool {
	return x.Header.Get("If-None-Match") != "" || x.Header.Get("If-Modified-Since") != "" || x.Header.Get("Range") != ""
}

// mayBeGone reports whether the object whose list is read may have been deleted.
func (s *State) mayBeGone(x *Exchange) bool {
	at := span{x.Start.Add(-s.lag), x.End}
	w := x.of.exists.fits(at, false)
	return w != nil && !(w.anything && w.isFirst())
}

// judgeThere judges that a list which was there is not answered 404. Whether the list of a creative without files is there
// is open, but not from one request to the next.
func (s *State) judgeThere(x *Exchange) {
	before, e := x.of.listed, x.allowed.Expect()
	isOpen := e.AnyRefusal || e.Elsewhere || e.OnlyCrash || !x.mayAct()
	switch {
	case x.isAccepted():
		x.of.listed = x
	case x.Status != http.StatusNotFound, isOpen, before == nil || before.Path != x.Path, s.mayBeGone(x), s.wasEmptied(x):
	default:
		s.explainGone(x, goneWords{
			op: x.read.op, clause: "EFFECT-3", kind: Unknown, of: x.of, since: before,
			expected: "the list of " + x.of.name() + ", as before: no request deleted it", got: "status 404",
		})
	}
}

// wasEmptied reports whether a list may have lost all of its items since it was read.
func (s *State) wasEmptied(x *Exchange) bool {
	l := s.lists[x.of.thing]
	if l == nil || l.last == nil || l.last.TotalCount == 0 {
		return false
	}
	for _, member := range l.members {
		if member.fits(x.span(), false) == nil {
			return false
		}
	}
	return true
}

// isUnpaged reports whether the page parameter has no effect, as page 1 was shown in place of another page.
func (l *list) isUnpaged(p *page) bool {
	first := l.pages[1]
	if p.number > 1 && p.Page == 1 && (first == nil || slices.Equal(first.IDs, p.IDs)) {
		l.unpaged = true
	}
	return l.unpaged && p.number > 1
}

// judgeItems compares the properties of each item with those that an earlier answer showed.
func (s *State) judgeItems(l *list, p *page) {
	clause := l.op.Effects["repeats"]
	for i, item := range p.Items {
		before := l.items[p.IDs[i]]
		if before == nil {
			l.items[p.IDs[i]] = item
			continue
		}
		s.cover(l.op, clause)
		for _, f := range l.op.Representation().Fields {
			if !hasMoved(f, before[f.Name], item[f.Name]) {
				continue
			}
			s.breach(Breach{
				Kind: ListDiffers, Clause: clause, Op: l.op, Field: f,
				Expected: fmt.Sprintf("%s of item %s as in the earlier read: %s", f.Name, p.IDs[i], oracle.Show(before[f.Name])),
				Got:      oracle.Show(item[f.Name]),
			})
		}
	}
}

// hasMoved reports whether a property of an item differs from that of an earlier read in a way in which it does not change
// by itself. A null may become a value: a server may measure a file after it has listed it.
func hasMoved(f *spec.Field, before, now any) bool {
	if before == nil {
		return false
	}
	switch f.Moves {
	case spec.MovesWhole:
		return false
	case spec.MovesQuery:
		return withoutQuery(before) != withoutQuery(now)
	case spec.MovesLater:
		was, wasDate := oracle.ReadMoment(before)
		is, isDate := oracle.ReadMoment(now)
		return now == nil || wasDate && isDate && is.Before(was)
	}
	return !oracle.Equal(f, before, now)
}

// withoutQuery returns a URL without its query, or any other value as it is.
func withoutQuery(value any) any {
	if text, isText := value.(string); isText {
		address, _, _ := strings.Cut(text, "?")
		return address
	}
	return value
}

// judgeRepeat compares a page with an earlier read of it, between which no delete could change it.
func (s *State) judgeRepeat(l *list, before, now *page) {
	s.cover(l.op, l.op.Effects["repeats"])
	if now.Twice() || before.TotalCount == now.TotalCount && sameIDs(before.IDs, now.IDs) {
		return
	}
	s.explainList(l, now, before.by, ListDiffers, l.op.Effects["repeats"], fmt.Sprintf("the items of the earlier read, %s of %d",
		shortIDs(before.IDs), before.TotalCount))
}

// explainList adds the breach that a list differs from what it holds: by a delete, by an update, or by itself.
func (s *State) explainList(l *list, now *page, since *Exchange, kind Kind, clause, expected string) {
	s.explainGone(now.by, goneWords{
		op: l.op, clause: clause, kind: kind, of: l.of, since: since, expected: expected,
		got: fmt.Sprintf("%s of %d", shortIDs(now.IDs), now.TotalCount),
	})
}

// judgeMembers compares a page with what is known of the list's items.
func (s *State) judgeMembers(l *list, p *page) {
	at := p.by.span()
	late := span{at.Start.Add(-s.lag), at.End}
	for _, id := range p.IDs {
		isNew := l.members[id] == nil
		if other := s.objects[thing{l.of.kind, id}]; other != nil && s.isElsewhere(l, other) {
			s.breach(Breach{
				Kind: Members, Clause: l.op.Effects["members"], Op: l.op, Expected: "only " + l.op.Items + " of " + l.of.name(),
				Got: fmt.Sprintf("creative %s, which is %s", id, other.key),
			})
		}
		member := l.member(id)
		if isNew {
			o := s.object(l.op, id)
			o.lists = append(o.lists, l)
		}
		if member.fits(late, true) != nil || isNew {
			if member.fits(at, true) != nil || isNew {
				member.narrow(at, true, p.by)
				s.outlive(s.object(l.op, id))
			}
			continue
		}
		by := member.candidates(at)[0].by
		member.narrow(at, true, p.by)
		s.breach(Breach{
			Kind: StillListed, Clause: s.deleteOf(l.of).Effects["listed"], Op: s.deleteOf(l.of), By: []*Exchange{by},
			Expected: fmt.Sprintf("the %s of %s without %s, which was deleted", l.op.Items, l.of.name(), id), Got: "it is listed",
		})
	}
	if p.Complete() && !p.Twice() {
		s.judgeAbsent(l, p)
	}
}

// isElsewhere reports whether the target file names an object that is no item of the list, or of another list.
func (s *State) isElsewhere(l *list, o *entity) bool {
	container, _, isFile := strings.Cut(o.key, ".mediaFiles")
	if o.key == "" || o == l.of || strings.HasPrefix(o.key, "plainCreative") {
		return false // the oracle reports a list that holds the object of the path
	}
	return l.of.key != "" && !(isFile && container == l.of.key)
}

// judgeAbsent judges that a page with the whole list lacks nothing that the list holds.
func (s *State) judgeAbsent(l *list, p *page) {
	at, shown := p.by.span(), map[spec.ID]bool{}
	for _, id := range p.IDs {
		shown[id] = true
	}
	var missing []spec.ID
	var since *Exchange
	for id, member := range l.members {
		if shown[id] {
			continue
		}
		if member.fits(at, false) == nil {
			missing = append(missing, id)
			since = member.candidates(at)[0].by
		}
		member.narrow(at, false, p.by)
	}
	if len(missing) > 0 {
		s.explainList(l, p, since, ListDiffers, l.op.Effects["repeats"], "the "+l.op.Items+" "+shortIDs(missing)+", which no request deleted")
	}
	l.isWhole, l.isDoubtful = true, false
}

// judgeTotal judges that totalCount follows the deletes since the last read.
func (s *State) judgeTotal(l *list, p *page) {
	before := l.last
	late := p.by.span()
	if before != nil && sameIDs(before.IDs, p.IDs) { // it may show the state before a delete
		late.Start = late.Start.Add(-s.lag)
	}
	certain, possible := int64(0), int64(0)
	for _, d := range l.deletes {
		switch {
		case before != nil && d.isAccepted() && d.span().before(before.by.span()):
		case d.isAccepted() && d.span().before(late) && l.held(d):
			certain++
		default:
			possible++
		}
	}
	if before == nil || l.isDoubtful || before.version[1] != s.version(l)[1] {
		return
	}
	least, most := before.TotalCount-certain-possible, before.TotalCount-certain
	if p.TotalCount >= least && p.TotalCount <= most {
		if certain > 0 {
			s.cover(s.deleteOf(l.of), s.deleteOf(l.of).Effects["listed"])
			l.deletes = slices.DeleteFunc(l.deletes, func(d *Exchange) bool { return d.span().before(p.by.span()) })
		}
		return
	}
	if certain+possible == 0 {
		return // judgeRepeat compares it
	}
	s.breach(Breach{
		Kind: StillListed, Clause: s.deleteOf(l.of).Effects["listed"], Op: s.deleteOf(l.of), By: l.deletes,
		Expected: fmt.Sprintf("totalCount %d, after %s of %d", most, wording.Count(int(certain), "delete"), before.TotalCount),
		Got:      fmt.Sprintf("totalCount %d", p.TotalCount),
	})
}

// held reports whether the list certainly held what a delete removed.
func (l *list) held(d *Exchange) bool { return l.members[d.of.id] != nil }

// judgeWalk judges all pages together, once each was read and no delete came between: each item is on one of them, and they
// are as many as totalCount says.
func (s *State) judgeWalk(l *list, last *page) {
	if last.TotalPages < 2 {
		return
	}
	clause := l.op.Effects["unique"]
	on := map[spec.ID]int64{}
	count := int64(0)
	for number := int64(1); number <= last.TotalPages; number++ {
		p := l.pages[number]
		if p == nil || p.version != last.version || p.TotalPages != last.TotalPages {
			return
		}
		for _, id := range p.IDs {
			if other, isTwice := on[id]; isTwice && other != number {
				s.breach(Breach{
					Kind: PagesDiffer, Clause: clause, Op: l.op, By: []*Exchange{l.pages[other].by, p.by},
					Expected: "each item on one page", Got: fmt.Sprintf("item %s on pages %d and %d", id, other, number),
				})
				return
			}
			on[id] = number
		}
		count += int64(len(p.IDs))
	}
	s.cover(l.op, clause)
	if count != last.TotalCount {
		s.breach(Breach{
			Kind: PagesDiffer, Clause: clause, Op: l.op, Expected: fmt.Sprintf("totalCount %d items on all pages together", last.TotalCount),
			Got: wording.Count(int(count), "item"),
		})
		return
	}
	l.isWhole = true
	s.cover(l.op, l.op.Effects["members"])
}

func sameIDs(a, b []spec.ID) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// shortIDs formats ids, shortened if there are many.
func shortIDs(ids []spec.ID) string {
	ids = slices.SortedFunc(slices.Values(ids), spec.ID.Compare)
	if len(ids) > 8 {
		return fmt.Sprintf("%d items, %s … %s", len(ids), ids[0], ids[len(ids)-1])
	}
	return fmt.Sprint(ids)
}
