package model

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/finding"
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
	ended      *page           // a page after the last, which was empty
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
			of: o, op: op,
			members: map[spec.ID]*register{},
			items:   map[spec.ID]map[string]any{},
			pages:   map[int64]*page{},
		}
		s.lists[o.thing] = l
	}
	return l
}

// itemKind returns the kind of the items of a list. The files of a creative are creatives.
func itemKind(op *spec.Operation) string {
	return fixtures.KindOf(cmp.Or(op.Holds, op.Key()))
}

// member returns the register of whether a list holds an item.
func (l *list) member(id spec.ID) *register {
	if l.members[id] == nil {
		l.members[id] = newFact()
	}
	return l.members[id]
}

// change notes that a delete of one of the items has begun or ended.
func (l *list) change(at time.Time) {
	l.changes++
	l.changed = at
}

// version changes with each delete that may change the list. What the own list of a user holds is not known before all
// its pages were read.
func (s *State) version(l *list) [2]int {
	switch {
	case l.op.Effects["members"] == "":
		return [2]int{l.changes, s.turns}
	case l.isWhole:
		return [2]int{l.changes, 0}
	}
	return [2]int{l.changes, s.strays}
}

// isEmpty reports whether an object is known to have a list without items.
func (s *State) isEmpty(o *entity, at span) bool {
	l := s.lists[o.thing]
	if !l.isRead() {
		return false
	}
	for _, member := range l.members {
		if member.match(at, true) != nil {
			return false
		}
	}
	return true
}

// isRead reports whether all items of a list are known.
func (l *list) isRead() bool { return l != nil && l.isWhole }

// IsEmpty reports whether a container holds nothing now, as far as the target file and the answers say.
func (s *State) IsEmpty(kind string, id spec.ID) bool {
	o := s.entity(kind, id)
	given := o.container
	if given == nil || s.lists[o.thing].isRead() {
		return s.isEmpty(o, afterAll)
	}
	isThere := func(id spec.ID) bool { return !s.entity(kind, id).isGone(afterAll) }
	switch {
	case given.MediaFileIDs != nil, given.MediaFileCount == 0, o.key == "emptyVastCreative":
		return !slices.ContainsFunc(given.MediaFileIDs, isThere)
	}
	return false
}

// forever is after all answers.
var forever = time.Unix(math.MaxInt32, 0)

// IsListed reports whether a list of another container has shown any of these ids.
func (s *State) IsListed(kind string, other spec.ID, ids ...spec.ID) bool {
	for at, l := range s.lists {
		isShown := func(id spec.ID) bool { return l.items[id] != nil }
		if at != (thing{kind, other}) && slices.ContainsFunc(ids, isShown) {
			return true
		}
	}
	return false
}

// Pages returns how many pages of a list were shown by their numbers.
func (s *State) Pages(kind string, id spec.ID) int {
	if l := s.lists[thing{kind, id}]; l != nil {
		return len(l.pages)
	}
	return 0
}

// Shortened returns the last delete of an item of a list that was answered since a time, nil if there is none, and
// whether a page shows the list as it was before.
func (s *State) Shortened(
	kind string, id spec.ID, number int64, p *oracle.ListPage, since time.Time,
) (by *Exchange, isBefore bool) {
	l := s.lists[thing{kind, id}]
	if l == nil {
		return nil, false
	}
	for _, d := range s.deletes {
		switch {
		case !d.isAccepted(), d.End.Before(since), !isBeneath(d.of, l.of):
			continue
		}
		by = d
		raise(&isBefore, slices.Contains(p.IDs, d.of.id))
	}
	switch before := l.pages[number]; {
	case by == nil, before == nil, !by.End.After(before.by.End):
	default:
		raise(&isBefore, before.TotalCount == p.TotalCount && slices.Equal(before.IDs, p.IDs))
	}
	return by, isBefore
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
	case !x.isAccepted(), !x.mayAct(), x.allowed.IsLoose(), x.isConditional():
		return
	case p == nil, slices.Contains(p.IDs, ""), s.mayBeGone(x):
		return
	}
	l := s.list(x.of, x.read.op)
	read := &page{p, number, x, s.version(l)}
	s.judgeItems(l, read)
	switch {
	case number == noPage, number > max(1, p.TotalPages):
		s.judgeBeyond(l, read)
		return
	case !s.judgeNumber(l, read):
		return
	}
	isFirm := !l.changed.After(s.lagged(x.span()).Start) // otherwise it may show a state from before the last delete
	if isFirm {
		s.judgeRepeat(l, l.pages[number], read)
	}
	if s.judgeMembers(l, read); len(s.found) == 0 {
		s.judgeTotal(l, read)
	}
	before := l.pages[number]
	if delete(l.pages, number); isFirm {
		l.pages[number] = read
		l.last = read
		s.judgeWalk(l, read, before.isSame(read))
	}
	x.of.refused = nil
}

// isSame reports whether a page was read before as it is now, and no delete came between.
func (p *page) isSame(now *page) bool {
	return p.isOf(now) && slices.Equal(p.IDs, now.IDs)
}

// isOf reports whether a page was read of the same version of the list.
func (p *page) isOf(now *page) bool {
	return p != nil && p.version == now.version
}

// noPage is the number of a page that a request asks for by a text that is no such number.
const noPage = 0

// pageOf returns the number of the page that a request asks for. is is false for a request that may ask for something
// else.
func (s *State) pageOf(x *Exchange) (number int64, is bool) {
	_, query, _ := strings.Cut(x.Path, "?")
	values, err := url.ParseQuery(query)
	name := s.world.pageParameter(x.read.op)
	numbers := values[name]
	values.Del(s.world.Target.Credentials.Form().Query)
	values.Del(name)
	mayFilter := len(values) > 0 && !s.world.MadeUp
	switch {
	case err != nil, mayFilter:
		return noPage, false
	case len(numbers) == 0:
		return 1, true
	}
	switch number, err = strconv.ParseInt(numbers[0], 10, 64); {
	case err != nil, number < 1, len(numbers) > 1:
		return noPage, true
	}
	return number, true
}

// isConditional reports whether the answer may be for no list.
func (x *Exchange) isConditional() bool {
	return x.Header.Get("If-None-Match") != "" || x.Header.Get("If-Modified-Since") != ""
}

// mayBeGone reports whether the object whose list is read may have been deleted.
func (s *State) mayBeGone(x *Exchange) bool {
	w := x.of.exists.match(s.lagged(x.span()), false)
	return w != nil && !w.isFirst()
}

// judgeThere judges that a list which was answered otherwise is not answered 404. How the list of a creative without
// files, or of no container, is answered is open, but not from one request to the next.
func (s *State) judgeThere(x *Exchange) {
	before := x.of.listed
	x.of.noteMiss(x)
	switch {
	case x.isOpen(), x.isLost():
	case x.Status != http.StatusNotFound:
		if before != nil && x.isAccepted() {
			s.cover(x.read.op, "EFFECT-3")
		}
		switch {
		case before == nil, before.Path == x.Path, !hasQuery(x.read):
			x.of.listed = x
		}
	case before == nil, before.Path != x.Path, s.mayBeGone(x), s.wasEmptied(x):
	default:
		g := goneObject(x, false)
		g.since = before
		g.missed = x.of.missed
		g.cause = finding.GoneUnprompted
		g.expected = fmt.Sprintf("status %d for the list of %s, as before: no request deleted it",
			before.Status, x.of.name())
		s.explainGone(x, g)
	}
}

// noteMiss notes whether a request for the list of an object is answered 404, in whatever form.
func (o *entity) noteMiss(x *Exchange) {
	switch {
	case x.isAccepted():
		o.missed = nil
	case x.Status == http.StatusNotFound && o.missed == nil:
		o.missed = x
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

// pageBreach returns a breach in a number of a page.
func (l *list) pageBreach(kind Kind, meaning string, by ...*Exchange) Breach {
	clause := l.op.PageClause(meaning)
	return Breach{Kind: kind, Clause: clause, Op: l.op, Number: meaning, By: by}
}

// effectBreach returns a breach of an effect of the list.
func (l *list) effectBreach(kind Kind, effect string, by ...*Exchange) Breach {
	return Breach{Kind: kind, Clause: l.op.Effects[effect], Op: l.op, By: by}
}

// judgeNumber judges that a page after the first has both its number and other items than the first, and the totals of
// the first. It reports whether the page is one of several: if neither differs, the page parameter has no effect.
func (s *State) judgeNumber(l *list, p *page) bool {
	first := l.pages[1]
	switch {
	case p.number == 1:
		if p.TotalCount > 0 && p.Count == 0 {
			b := l.pageBreach(ListTotal, "totalCount")
			b.Expected = fmt.Sprintf("items on page 1, as totalCount is %d", p.TotalCount)
			b.Got = "none"
			s.breach(b)
		}
		return true
	case !first.isOf(p):
		return !l.isUnpaged
	}
	showsFirst := slices.Equal(first.IDs, p.IDs)
	items := "other items than"
	if showsFirst {
		items = "the items of"
	}
	l.isUnpaged = showsFirst && p.Page == 1
	switch {
	case l.isUnpaged:
		return false
	case showsFirst, p.Page != p.number:
		b := l.pageBreach(PageDiffers, "page", first.by)
		b.Expected = fmt.Sprintf("page %d with the items of page %d", p.number, p.number)
		b.Got = fmt.Sprintf("page %d with %s page 1", p.Page, items)
		now := fmt.Sprintf("page %d, %s", p.Page, shortIDs(p.IDs))
		b.Shown = []string{shortIDs(first.IDs), now}
		s.breach(b)
	}
	s.judgeSame(l, "totalCount", first, p, first.TotalCount, p.TotalCount)
	s.judgeSame(l, "totalPages", first, p, first.TotalPages, p.TotalPages)
	return true
}

// judgeSame judges that two pages have the same total.
func (s *State) judgeSame(l *list, meaning string, first, p *page, want, got int64) {
	if want == got {
		return
	}
	b := l.pageBreach(PagesDiffer, meaning, first.by)
	was := fmt.Sprintf("%s %d", meaning, want)
	b.Expected = was + ", as on page 1"
	b.Got = fmt.Sprintf("%d on page %d", got, p.number)
	b.Shown = []string{was, fmt.Sprintf("%s %d", meaning, got)}
	s.breach(b)
}

// judgeBeyond judges a page that does not exist: it has the totalCount of page 1, and no items if another such page has
// none.
func (s *State) judgeBeyond(l *list, p *page) {
	first := l.pages[1]
	if first.isOf(p) && !first.Twice() {
		s.cover(l.op, l.op.PageClause("totalCount"))
		if p.TotalCount != first.TotalCount {
			b := l.pageBreach(ListTotal, "totalCount", first.by)
			was := fmt.Sprint("totalCount ", first.TotalCount)
			b.Expected = was + ", as page 1 shows"
			b.Got = fmt.Sprint(p.TotalCount)
			b.Shown = []string{was, "totalCount " + b.Got}
			s.breach(b)
		}
	}
	last := max(1, p.TotalPages)
	isThere := 1 <= p.Page && p.Page <= last
	switch {
	case p.number == noPage:
	case len(p.IDs) == 0:
		l.ended = p
	case l.ended == nil, isThere:
	default:
		b := l.pageBreach(PageDiffers, "page", l.ended.by)
		b.Expected = fmt.Sprintf("no items on a page after the last, %d, as on page %d", last, l.ended.number)
		b.Shown = []string{"no items"}
		b.Got = fmt.Sprintf("%s on page %d", wording.Count(len(p.IDs), "item"), p.Page)
		s.breach(b)
	}
}

// judgeItems compares the properties of each item with those that an earlier answer showed.
func (s *State) judgeItems(l *list, p *page) {
	changesItems := func(op *spec.Operation) bool { return mayChangeItems(op, l.op) }
	areUpdated := slices.ContainsFunc(s.world.Contract.Operations, changesItems)
	for i, item := range p.Items {
		before := l.items[p.IDs[i]]
		if before == nil {
			l.items[p.IDs[i]] = item
			continue
		}
		s.cover(l.op, l.op.Effects["repeats"])
		for _, f := range l.op.Representation().Fields {
			was := before[f.Name]
			got := item[f.Name]
			switch {
			case areUpdated && !f.Stays, !hasMoved(f, was, got):
				continue
			}
			b := l.effectBreach(ListDiffers, "repeats")
			b.Cause = finding.ItemChanged
			b.Field = f
			b.Place = fmt.Sprint("/", i)
			b.Expected = fmt.Sprintf("%s of item %s as in the earlier read: %s",
				f.Name, p.IDs[i], oracle.Show(was))
			b.Got = oracle.Show(got)
			s.breach(b)
		}
	}
}

// mayChangeItems reports whether an update may change the items of a list.
func mayChangeItems(update, list *spec.Operation) bool {
	if !update.Updates() {
		return false
	}
	isSameKind := list.Holds != "" && list.Holds == update.Key()
	return isSameKind || list.Representation().Schema == update.Representation().Schema
}

// hasMoved reports whether a property of an item differs from that of an earlier read in a way in which it does not
// change by itself. A null may become a value: a server may measure a file after it has listed it.
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
	if !before.isOf(now) {
		return
	}
	s.coverRepeat(l, before)
	isAsMany := before.TotalCount == now.TotalCount
	switch {
	case isAsMany && sameIDs(before.IDs, now.IDs), now.Twice():
		return
	}
	g := l.lacks(now, before.by, less(before.IDs, now.IDs))
	g.before = before.words()
	g.expected = "the items of the earlier read: " + g.before
	if isAsMany && !before.Complete() { // in another order, for which no delete is needed
		s.breach(g.unexplained())
		return
	}
	s.explainGone(now.by, g)
}

// coverRepeat notes the clauses that a list shows which is as it was read before: those of deletes since then, if there
// are any.
func (s *State) coverRepeat(l *list, before *page) {
	g := l.lacks(before, before.by, nil)
	switch worst, by := s.suspects(&g); worst {
	case innocent:
		s.cover(l.op, l.op.Effects["repeats"])
	case acceptedOther, acceptedUnknown:
		op := by[0].read.op
		s.cover(op, op.Effects["others"])
	default:
		s.cover(by[0].read.op, "EFFECT-1")
	}
}

// lacks returns the words for what a list lacks, or has too much.
func (l *list) lacks(now *page, since *Exchange, ids []spec.ID) goneWords {
	return goneWords{
		op: l.op, clause: l.op.Effects["repeats"], kind: ListDiffers,
		of: l.of, since: since, names: ids, got: now.words(),
	}
}

// words returns what a page shows.
func (p *page) words() string {
	return fmt.Sprintf("%s of %d", shortIDs(p.IDs), p.TotalCount)
}

// less returns the ids of a that are not in b.
func less(a, b []spec.ID) []spec.ID {
	return slices.DeleteFunc(slices.Clone(a), func(id spec.ID) bool { return slices.Contains(b, id) })
}

// judgeMembers compares a page with what is known of the list's items.
func (s *State) judgeMembers(l *list, p *page) {
	at := p.by.span()
	for i, id := range p.IDs {
		o := s.entity(itemKind(l.op), id)
		isNew := l.members[id] == nil
		member := l.member(id)
		if isNew {
			o.lists = append(o.lists, l)
			s.judgeOrigin(l, o, i)
		}
		switch {
		case member.match(at, true) != nil:
			member.narrow(at, true, p.by)
			s.outlive(o)
		case member.match(s.lagged(at), true) == nil:
			by := member.candidates(at)[0].by
			member.narrow(at, true, p.by)
			s.breachListed(l, p, id, by)
		}
	}
	if p.Complete() && !p.Twice() {
		s.judgeWhole(l, p, p.IDs)
	}
}

// breachListed adds the breach that a page shows an item which a delete, or another reading, says is not there.
func (s *State) breachListed(l *list, p *page, id spec.ID, by *Exchange) {
	without := fmt.Sprintf("the %s of %s without %s, ", l.op.Items, l.of.name(), id)
	b := s.stillListed(l, by)
	b.Expected = without + "which was deleted"
	b.Shown = []string{"", p.words()}
	if by != nil && by.read.op.Lists() { // it has come back, though it was not deleted
		b = l.effectBreach(ListDiffers, "repeats", by)
		b.Expected = without + "as in the earlier read"
		b.Names = []spec.ID{id}
		b.Shown = []string{"without it", p.words()}
	}
	b.Got = "it is listed: " + p.words()
	s.breach(b)
}

// stillListed returns the breach that a list does not reflect a delete.
func (s *State) stillListed(l *list, by ...*Exchange) Breach {
	op := s.deleteOf(l)
	return Breach{Kind: StillListed, Clause: op.Effects["listed"], Op: op, By: by}
}

// judgeOrigin judges that the target file does not name an item elsewhere. The oracle reports a list that holds the
// object of the path.
func (s *State) judgeOrigin(l *list, o *entity, i int) {
	container, _, isFile := strings.Cut(o.key, ".mediaFiles")
	isOwn := isFile && container == l.of.key
	switch {
	case o.key == "", l.of.key == "", o.is(l.of):
		return
	case isOwn, strings.HasPrefix(o.key, "plainCreative"):
		return
	}
	b := l.effectBreach(Members, "members")
	b.Place = fmt.Sprint("/", i)
	b.Expected = "only " + l.op.Items + " of " + l.of.name()
	b.Got = fmt.Sprintf("creative %s, which is %s", o.id, o.key)
	s.breach(b)
}

// judgeWhole judges that the whole list, of which a page is the last, lacks nothing that it holds.
func (s *State) judgeWhole(l *list, p *page, ids []spec.ID) {
	at := p.by.span()
	var missing []spec.ID
	var since *Exchange
	for id, member := range l.members {
		if slices.Contains(ids, id) {
			continue
		}
		item := s.entity(itemKind(l.op), id)
		if !item.isGone(at) && member.match(at, false) == nil {
			missing = append(missing, id)
			since = member.candidates(at)[0].by
		}
		member.narrow(at, false, p.by)
	}
	if !l.isWhole {
		s.judgeGiven(l, p, ids)
	}
	if len(missing) > 0 {
		g := l.lacks(p, since, missing)
		g.expected = "the " + l.op.Items + " " + shortIDs(missing) + ", which no request deleted"
		s.explainGone(p.by, g)
	}
	l.isWhole = true
	l.isDoubtful = false
}

// judgeTotal judges that totalCount follows the deletes since the last read.
func (s *State) judgeTotal(l *list, p *page) {
	before := l.last
	late := p.by.span()
	switch {
	case before == nil, l.isDoubtful, before.version[1] != p.version[1]:
		return
	}
	if sameIDs(before.IDs, p.IDs) { // it may show the state before a delete
		late = s.lagged(late)
	}
	by, possible := l.deletesBetween(before.by.span(), late)
	most := before.TotalCount - int64(len(by))
	isRight := most-possible <= p.TotalCount && p.TotalCount <= most
	b := s.stillListed(l, by...)
	switch {
	case most-possible == before.TotalCount: // without a delete: judgeRepeat compares it
		return
	case isRight:
		if len(by) > 0 { // the answers to the others do not say that they were carried out
			s.cover(b.Op, b.Clause)
		}
		l.deletes = slices.DeleteFunc(l.deletes, func(d *Exchange) bool { return d.span().before(late) })
		return
	}
	if len(by) == 0 {
		b.By = slices.Clone(l.deletes)
	}
	b.Number = "totalCount"
	b.Expected = fmt.Sprintf("totalCount %d for the %s of %s: it was %d before %s",
		most, l.op.Items, l.of.name(), before.TotalCount, wording.Count(len(by), "delete"))
	b.Got = fmt.Sprintf("totalCount %d, items %s", p.TotalCount, shortIDs(p.IDs))
	s.breach(b)
}

// deletesBetween returns the deletes that were certainly carried out between two reads, and how many others may have
// been carried out.
func (l *list) deletesBetween(first, second span) (certain []*Exchange, possible int64) {
	for _, d := range l.deletes {
		switch {
		case !d.isAccepted():
			possible++
		case d.span().before(first):
		case d.span().before(second):
			certain = append(certain, d)
		default:
			possible++
		}
	}
	return certain, possible
}

// A walk is the pages of a list one after another, from the first.
type walk struct {
	pages        []*page
	ids          []spec.ID
	isWhole      bool    // it has all pages
	twice        spec.ID // the first item that is on two pages, "" for none
	first, again *page   // where that is
	repeated     int     // items that are there again
}

// walkOf returns the pages of a list, as far as each was read and no delete came between.
func (l *list) walkOf(last *page) *walk {
	w := &walk{}
	on := map[spec.ID]*page{}
	for number := int64(1); number <= last.TotalPages; number++ {
		p := l.pages[number]
		if !p.isOf(last) || p.TotalPages != last.TotalPages {
			return w
		}
		w.pages = append(w.pages, p)
		w.ids = append(w.ids, p.IDs...)
		for _, id := range p.IDs {
			other := on[id]
			if other == nil {
				on[id] = p
				continue
			}
			w.repeated++
			if other != p && w.twice == "" {
				w.twice = id
				w.first = other
				w.again = p
			}
		}
	}
	w.isWhole = true
	return w
}

// showsFirst reports whether another page shows the items of the first, which judgeNumber reports.
func (w *walk) showsFirst() bool {
	isFirst := func(p *page) bool { return slices.Equal(p.IDs, w.pages[0].IDs) }
	return len(w.pages) > 1 && slices.ContainsFunc(w.pages[1:], isFirst)
}

// judgeWalk judges all pages together, once each was read and no delete came between: each item is on one of them, and
// they are as many as totalCount says. A page that was read again as it was shows nothing new of an item on two others.
func (s *State) judgeWalk(l *list, last *page, isAgain bool) {
	if last.TotalPages < 2 {
		return
	}
	w := l.walkOf(last)
	switch {
	case w.showsFirst():
		return
	case w.twice != "":
		switch {
		case w.isWhole && !isAgain, w.first == last, w.again == last:
			s.breachTwice(l, w)
		}
		return
	case !w.isWhole:
		return
	}
	s.cover(l.op, l.op.Effects["unique"])
	s.cover(l.op, l.op.PageClause("totalCount"))
	s.cover(l.op, l.op.PageClause("totalPages"))
	s.cover(l.op, l.op.Effects["members"])
	switch {
	case w.repeated > 0: // an item is twice on one page, which the oracle reports
	case int64(len(w.ids)) == w.pages[0].TotalCount:
		s.judgeWhole(l, last, w.ids)
	default:
		s.breachSum(l, w, last)
	}
}

// mostPages is how many pages a breach shows at most.
const mostPages = 20

// breachSum adds the breach that all pages together have other items than totalCount says.
func (s *State) breachSum(l *list, w *walk, last *page) {
	total := w.pages[0].TotalCount
	b := l.effectBreach(PagesDiffer, "unique")
	b.Got = wording.Count(len(w.ids), "item")
	b.Expected = fmt.Sprintf("totalCount %d items on all pages together", total)
	if total == last.TotalCount && l.isShort(w.ids, total) {
		b.Cause = finding.MissingItems
	}
	byEnds := func(x, y *page) int { return byEnd(x.by, y.by) }
	pages := slices.SortedFunc(slices.Values(w.pages), byEnds)
	if len(pages) > mostPages {
		pages = []*page{w.pages[0], last}
	}
	for _, p := range pages {
		items := wording.Count(len(p.IDs), "item")
		b.By = append(b.By, p.by)
		b.Shown = append(b.Shown, fmt.Sprintf("%s of totalCount %d", items, p.TotalCount))
	}
	s.breach(b)
}

// breachTwice adds the breach that an item is on two pages.
func (s *State) breachTwice(l *list, w *walk) {
	on := "all pages"
	if !w.isWhole {
		on = fmt.Sprintf("pages 1 to %d", len(w.pages))
	}
	b := l.effectBreach(PagesDiffer, "unique", w.first.by, w.again.by)
	b.Cause = finding.ItemsTwice
	b.IsShown = true
	b.Title = fmt.Sprintf("item %s on pages %d and %d", w.twice, w.first.number, w.again.number)
	b.Shown = []string{"with the item", "with it again"}
	b.Expected = "each item on one page"
	b.Got = fmt.Sprintf("%s; %d items on %s together, %d of them again, where totalCount is %d",
		b.Title, len(w.ids), on, w.repeated, w.pages[0].TotalCount)
	s.breach(b)
}

// isShort reports whether a list lacks items that it counts: as its total is that of the target file, the file is
// right.
func (l *list) isShort(ids []spec.ID, total int64) bool {
	given := l.of.container
	if given == nil || int64(given.MediaFileCount) != total {
		return false
	}
	return int64(len(ids)) < total
}

// judgeGiven compares a list that is seen for the first time with the target file. The file may be wrong, unless it
// agrees with the number of items that the list claims.
func (s *State) judgeGiven(l *list, p *page, ids []spec.ID) {
	given := l.of.container
	if given == nil || l.changes > 0 {
		return
	}
	count := given.MediaFileCount
	if l.of.key == "emptyVastCreative" {
		count = max(count, 0)
	}
	isUnnamed := given.MediaFileIDs == nil && given.MediaFileCount != 0
	isNamed := isUnnamed || sameIDs(given.MediaFileIDs, ids)
	isCounted := count < 0 || int64(count) == p.TotalCount
	var b Breach
	items := l.op.Items
	name := l.of.name()
	switch {
	case isNamed && isCounted:
		s.cover(l.op, l.op.Effects["members"])
		s.cover(l.op, l.op.PageClause("totalCount"))
		return
	case isNamed:
		b = l.pageBreach(ListTotal, "totalCount")
		b.Got = fmt.Sprint(p.TotalCount)
		b.Expected = fmt.Sprintf("totalCount %d, the %s of %s", count, items, name)
		b.Given = &Given{Words: fmt.Sprintf("that it has %d %s, but the target lists %s", count, items, b.Got)}
	default:
		b = l.effectBreach(Members, "members")
		b.Got = shortIDs(ids)
		those := fmt.Sprintf("the %s %s", items, shortIDs(given.MediaFileIDs))
		b.Expected = those + " of " + name
		b.Given = &Given{
			Words:   fmt.Sprintf("that it has %s, but the target lists %s", those, b.Got),
			Missing: less(given.MediaFileIDs, ids),
			More:    less(ids, given.MediaFileIDs),
		}
	}
	switch {
	case l.isShort(ids, p.TotalCount):
		b.Cause = finding.MissingItems
		b.Given = nil
	case len(b.Given.Missing) != len(b.Given.More):
		b.Tentative = fmt.Sprintf("the target file says that %s has other %s than the target lists: %s",
			name, items, b.Got)
	}
	s.breach(b)
}

func sameIDs(a, b []spec.ID) bool {
	a = slices.Sorted(slices.Values(a))
	b = slices.Sorted(slices.Values(b))
	return slices.Equal(a, b)
}

// shortIDs formats ids, shortened if there are many.
func shortIDs(ids []spec.ID) string {
	ids = slices.SortedFunc(slices.Values(ids), spec.ID.Compare)
	if len(ids) > 8 {
		return fmt.Sprintf("%d items, %s … %s", len(ids), ids[0], ids[len(ids)-1])
	}
	return fmt.Sprint(ids)
}
