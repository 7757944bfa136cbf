package model

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
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
	isUnpaged  bool            // the page parameter has no effect
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
		if member.match(at, true) != nil {
			return false
		}
	}
	return true
}

// endList judges an answer to a request for a list.
func (s *State) endList(x *Exchange) {
	number, isPage := s.pageOf(x)
	if !isPage || !s.isItsUser(x) {
		return
	}
	s.judgeThere(x)
	p := oracle.ReadList(x.read.op, x.Answer)
	switch {
	case p == nil, !x.isAccepted(), x.isOpen(), x.isConditional(), x.allowed.IsLoose(), slices.Contains(p.IDs, ""), s.mayBeGone(x):
		return
	}
	l := s.list(x.of, x.read.op)
	read := &page{p, number, x, s.version(l)}
	s.judgeItems(l, read)
	if number > max(1, p.TotalPages) || !s.judgeNumber(l, read) {
		return
	}
	isFirm := !l.changed.After(x.Start.Add(-s.lag)) // otherwise it may show a state from before the last delete
	if isFirm {
		s.judgeRepeat(l, l.pages[number], read)
	}
	if s.judgeMembers(l, read); len(s.found) == 0 {
		s.judgeTotal(l, read)
	}
	if delete(l.pages, number); isFirm {
		l.pages[number], l.last = read, read
		s.judgeWalk(l, read)
	}
	x.of.refused = nil
}

// pageOf returns the number of the page that a request asks for.
func (s *State) pageOf(x *Exchange) (number int64, is bool) {
	_, query, _ := strings.Cut(x.Path, "?")
	values, err := url.ParseQuery(query)
	name := s.pageParameter(x.read.op)
	text := values.Get(name)
	values.Del(s.world.Target.Credentials.Form().Query)
	switch {
	case err != nil, len(values) > 1, len(values[name]) > 1:
		return 0, false
	case len(values) == 0:
		return 1, true
	}
	number, err = strconv.ParseInt(text, 10, 32)
	return number, err == nil && number > 0
}

// pageParameter returns the query parameter that selects a page, "" if the target file says that there is none.
func (s *State) pageParameter(op *spec.Operation) string {
	if op.Page != "" {
		return op.Page
	}
	if pin, isPinned := s.world.Target.Open[spec.PageParameter]; isPinned {
		name, _ := pin.(string)
		return name
	}
	return "page"
}

// isConditional reports whether the answer may be for a part of the list, or for none.
func (x *Exchange) isConditional() bool {
	return slices.ContainsFunc([]string{"If-None-Match", "If-Modified-Since", "Range"}, func(name string) bool {
		return x.Header.Get(name) != ""
	})
}

// mayBeGone reports whether the object whose list is read may have been deleted.
func (s *State) mayBeGone(x *Exchange) bool {
	at := span{x.Start.Add(-s.lag), x.End}
	w := x.of.exists.match(at, false)
	return w != nil && !w.isFirst()
}

// judgeThere judges that a list which was answered otherwise is not answered 404. How the list of a creative without files,
// or of no container, is answered is open, but not from one request to the next.
func (s *State) judgeThere(x *Exchange) {
	before := x.of.listed
	switch {
	case x.isOpen(), x.isLost():
	case x.Status != http.StatusNotFound:
		x.of.listed = x
	case before == nil, before.Path != x.Path, s.mayBeGone(x), s.wasEmptied(x):
	default:
		s.explainGone(x, goneWords{
			op: x.read.op, clause: "EFFECT-3", kind: Unknown, of: x.of, since: before,
			expected: fmt.Sprintf("status %d for the list of %s, as before: no request deleted it", before.Status, x.of.name()),
			got:      "status 404",
		})
	}
}

// wasEmptied reports whether a list may have lost all of its items since it was read.
func (s *State) wasEmptied(x *Exchange) bool {
	l := s.lists[x.of.thing]
	switch {
	case l == nil, l.last == nil, l.last.TotalCount == 0:
		return false
	}
	for _, member := range l.members {
		if member.match(x.span(), false) == nil {
			return false
		}
	}
	return true
}

// judgeNumber judges that a page after the first has both its number and other items than the first. It reports whether the
// page is one of several: if neither differs, the page parameter has no effect.
func (s *State) judgeNumber(l *list, p *page) bool {
	first := l.pages[1]
	if p.number == 1 || first == nil || first.version != p.version {
		return !l.isUnpaged || p.number == 1
	}
	isFirst := p.Page == 1
	l.isUnpaged = isFirst && slices.Equal(first.IDs, p.IDs)
	if !l.isUnpaged && isFirst != slices.Equal(first.IDs, p.IDs) {
		s.breach(Breach{
			Kind: PageDiffers, Clause: l.op.PageClause("page"), Op: l.op, By: []*Exchange{first.by},
			Expected: fmt.Sprintf("page %d with the items of page %d", p.number, p.number),
			Got:      fmt.Sprintf("page %d with the items %s", p.Page, shortIDs(p.IDs)),
		})
	}
	return !l.isUnpaged
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
	if before == nil || before.version != now.version {
		return
	}
	s.cover(l.op, l.op.Effects["repeats"])
	isSame := before.TotalCount == now.TotalCount && sameIDs(before.IDs, now.IDs)
	if isSame || now.Twice() {
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
		o, isNew := s.object(l.op, id), l.members[id] == nil
		member := l.member(id)
		if isNew {
			o.lists = append(o.lists, l)
			s.judgeOrigin(l, o)
		}
		if member.match(at, true) != nil {
			member.narrow(at, true, p.by)
			s.outlive(o)
			continue
		}
		if member.match(late, true) != nil {
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

// judgeOrigin judges that the target file does not name an item elsewhere. The oracle reports a list that holds the object of
// the path.
func (s *State) judgeOrigin(l *list, o *entity) {
	container, _, isFile := strings.Cut(o.key, ".mediaFiles")
	isOwn := isFile && container == l.of.key
	switch {
	case o.key == "", l.of.key == "", o == l.of, isOwn, strings.HasPrefix(o.key, "plainCreative"):
		return
	}
	s.breach(Breach{
		Kind: Members, Clause: l.op.Effects["members"], Op: l.op, Expected: "only " + l.op.Items + " of " + l.of.name(),
		Got: fmt.Sprintf("creative %s, which is %s", o.id, o.key),
	})
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
		if member.match(at, false) == nil {
			missing = append(missing, id)
			since = member.candidates(at)[0].by
		}
		member.narrow(at, false, p.by)
	}
	if !l.isWhole {
		s.judgeGiven(l, p)
	}
	if len(missing) > 0 {
		s.explainList(l, p, since, ListDiffers, l.op.Effects["repeats"], "the "+l.op.Items+" "+shortIDs(missing)+", which no request deleted")
	}
	l.isWhole, l.isDoubtful = true, false
}

// judgeTotal judges that totalCount follows the deletes since the last read.
func (s *State) judgeTotal(l *list, p *page) {
	before, late := l.last, p.by.span()
	if before == nil || l.isDoubtful || before.version[1] != p.version[1] {
		return
	}
	if sameIDs(before.IDs, p.IDs) { // it may show the state before a delete
		late.Start = late.Start.Add(-s.lag)
	}
	certain, possible := int64(0), int64(0)
	for _, d := range l.deletes {
		switch {
		case !d.isAccepted():
			possible++
		case d.span().before(before.by.span()):
		case d.span().before(late):
			certain++
		default:
			possible++
		}
	}
	most := before.TotalCount - certain
	isRight := p.TotalCount >= most-possible && p.TotalCount <= most
	switch {
	case certain+possible == 0: // judgeRepeat compares it
		return
	case isRight:
		s.cover(s.deleteOf(l.of), s.deleteOf(l.of).Effects["listed"])
		l.deletes = slices.DeleteFunc(l.deletes, func(d *Exchange) bool { return d.span().before(late) })
		return
	}
	s.breach(Breach{
		Kind: StillListed, Clause: s.deleteOf(l.of).Effects["listed"], Op: s.deleteOf(l.of), By: l.deletes,
		Expected: fmt.Sprintf("totalCount %d, after %s of %d", most, wording.Count(int(certain), "delete"), before.TotalCount),
		Got:      fmt.Sprintf("totalCount %d", p.TotalCount),
	})
}

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
		switch {
		case p == nil, p.version != last.version, p.TotalPages != last.TotalPages:
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

// judgeGiven compares a list that is seen for the first time with the target file. The file may be wrong, unless it agrees
// with the number of items that the list claims.
func (s *State) judgeGiven(l *list, p *page) {
	given := l.of.container
	if given == nil || l.changes > 0 {
		return
	}
	isCounted := given.MediaFileCount < 0 || int64(given.MediaFileCount) == p.TotalCount
	isNamed := given.MediaFileIDs == nil || sameIDs(given.MediaFileIDs, p.IDs)
	if isCounted && isNamed {
		s.cover(l.op, l.op.Effects["members"])
		return
	}
	b := Breach{
		Kind: Members, Clause: l.op.Effects["members"], Op: l.op, Expected: "the " + l.op.Items + " that the target file gives " + l.of.name(),
		Got: shortIDs(p.IDs),
	}
	if len(given.MediaFileIDs) != len(p.IDs) {
		b.Tentative = fmt.Sprintf("the target file says that %s has other %s than the target lists: %s", l.of.name(), l.op.Items, b.Got)
	}
	s.breach(b)
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
