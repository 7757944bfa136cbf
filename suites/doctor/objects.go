package doctor

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
)

// creatives looks at the creatives by their lists of media files, which also
// tell what is none of the owner's and, as a rule, what is no VAST creative.
func (p *preflight) creatives() {
	for _, n := range p.T.Known().Target.Named() {
		if !n.Creative() || n.File {
			continue
		}
		if p.nobody == nil {
			p.nobody = p.list("unknown", p.T.Known().UnknownObject(p.lists).ID(), p.T.Known().Owner())
		}
		a := p.list(n.Key, n.ID, p.T.Known().Owner())
		switch {
		case a.Status == 0 || a.Status >= 500:
			p.note(n.Key, n.ID, Unchecked, "its list is answered %s", a.StatusText())
		case n.Foreign():
			if page := judge.PageOf(p.lists, a.Value); p.nobody.OK && page != nil && page.TotalCount == 0 {
				p.note(n.Key, n.ID, Unchecked, "its list is empty, as that of an unknown id")
				break
			}
			p.foreign(n, a, a.Status == p.nobody.Status)
		case a.Status == http.StatusForbidden:
			p.note(n.Key, n.ID, Wrong, "the owner has no permission for it (403)")
		case judge.ContainerOf(p.T.Known().Target, n.Bare()) != nil:
			p.container(n, a)
		default:
			p.plain(n, a)
		}
	}
	p.missing()
}

// container compares the list of a VAST creative with the target file.
func (p *preflight) container(n fixtures.Named, a *judge.Answer) {
	c := judge.ContainerOf(p.T.Known().Target, n.Bare())
	page := judge.PageOf(p.lists, a.Value)
	want := c.MediaFileCount
	if n.Bare() == "emptyVastCreative" {
		want = 0
	}
	switch {
	case a.Status == http.StatusNotFound && want == 0: // whether an empty container's list is found is open
		p.note(n.Key, n.ID, Unchecked, "its list is answered 404, as that of an empty container may be")
	case !a.OK && a.Status == p.nobody.Status:
		p.note(n.Key, n.ID, Wrong, "is not there: answered %d, as an unknown id", a.Status)
	case !a.OK:
		p.note(n.Key, n.ID, Wrong, "is no VAST creative: its list is answered %d", a.Status)
	case page == nil:
		p.note(n.Key, n.ID, Unchecked, "its list cannot be read")
	case p.nobody.OK && page.TotalCount == 0:
		p.note(n.Key, n.ID, Unchecked, "its list is empty, as that of an unknown id")
	case want >= 0 && page.TotalCount != int64(want):
		p.note(n.Key, n.ID, Differs, "has %d media files, and the target file says %d", page.TotalCount, want)
	case c.MediaFileIDs != nil && page.Complete() && !slices.Equal(judge.Sorted(page.IDs), judge.Sorted(c.MediaFileIDs)):
		p.note(n.Key, n.ID, Differs, "has the media files %s, and the target file says %s", judge.IDList(page.IDs), judge.IDList(c.MediaFileIDs))
	case strings.HasPrefix(n.Bare(), "paged") && page.TotalPages <= 1:
		p.note(n.Key, n.ID, Fine, "is there, and fits on one page: its pages tell nothing")
	default:
		p.note(n.Key, n.ID, Fine, "is there")
	}
}

// plain looks at a creative that should be no VAST creative.
func (p *preflight) plain(n fixtures.Named, a *judge.Answer) {
	page := judge.PageOf(p.lists, a.Value)
	switch {
	case a.OK && page != nil && page.TotalCount > 0:
		p.note(n.Key, n.ID, Wrong, "is a VAST creative: it has %d media files", page.TotalCount)
	case a.Status == p.nobody.Status:
		p.note(n.Key, n.ID, Unchecked, "answered %d, as an unknown id", a.Status)
		p.doubtful = append(p.doubtful, len(p.checks)-1)
	default:
		p.note(n.Key, n.ID, Fine, "is there")
		p.plainly = fmt.Sprintf("%d, as %s %d is", a.Status, n.Bare(), n.ID)
	}
}

// missing settles the doubt about creatives that are answered as an id that
// nobody has is: a target that answers another one of their kind otherwise tells
// the two apart.
func (p *preflight) missing() {
	if p.plainly == "" {
		return
	}
	for _, i := range p.doubtful {
		k := &p.checks[i]
		k.Status, k.Detail = Wrong, "is not there: "+k.Detail+", and not "+p.plainly
	}
}

// A rule stands in the paths of its hosts alone. Where hosts can be read, they tell what
// they belong to: a host is found under its own rule and profile, and under no others.

// parentKey is an object of a target file that is the parent of others.
type parentKey struct {
	kind string
	id   int64
}

// parentsOf are those of an object that an operation names, the nearest last.
func parentsOf(op *spec.Operation, l look) []parentKey {
	var all []parentKey
	for i, param := range op.Params[:len(op.Params)-1] {
		all = append(all, parentKey{fixtures.KindOf(param.Object), l.ids[i]})
	}
	return all
}

// read asks for the object of a look, perhaps under other parents.
func (p *preflight) read(op *spec.Operation, key string, ids []int64) *judge.Answer {
	path := make([]string, len(ids))
	for i, id := range ids {
		path[i] = strconv.FormatInt(id, 10)
	}
	return p.get(op, key, path, p.T.Known().Owner())
}

// ignores says which parents reads of an operation's objects do not look at, as one that
// was read is read under unknown ones, too; "" for none.
func (p *preflight) ignores(op *spec.Operation, l look) string {
	for i, param := range op.Params[:len(op.Params)-1] {
		ids := slices.Clone(l.ids)
		ids[i] = p.T.Known().UnknownObject(op).IDs[i]
		if a := p.read(op, l.Key, ids); a.OK && a.Shown != nil {
			return fixtures.KindOf(param.Object)
		}
	}
	return ""
}

// elsewhere is where an object that is not under its parents is found: under others;
// "" for nowhere.
func (p *preflight) elsewhere(op *spec.Operation, l look) string {
	for i, own := range parentsOf(op, l) {
		for _, n := range p.T.Known().Target.Named() {
			if n.Kind != own.kind || n.ID == own.id || n.Foreign() {
				continue
			}
			ids := slices.Clone(l.ids)
			ids[i] = n.ID
			if a := p.read(op, l.Key, ids); a.OK && a.Shown != nil {
				return fmt.Sprintf("belongs to %s %d, not to %s %d", n.Bare(), n.ID, own.kind, own.id)
			}
		}
	}
	return ""
}

// parents keeps what the answers to an operation's objects tell of their parents.
func (p *preflight) parents(op *spec.Operation, looks []look) {
	if len(op.Params) < 2 {
		return
	}
	ignored, asked := "", false
	for _, l := range looks {
		if l.Foreign() || !l.answer.OK || l.answer.Shown == nil {
			continue
		}
		if !asked {
			ignored, asked = p.ignores(op, l), true
		}
		for _, parent := range parentsOf(op, l) {
			if p.below[parent] == nil {
				p.below[parent] = &children{ignored: ignored}
			}
			p.below[parent].names = append(p.below[parent].names, fmt.Sprintf("%s %d", l.Bare(), l.ID))
		}
	}
}

// children are the objects that were read beneath another, and the kind of a parent that
// such reads do not look at.
type children struct {
	names   []string
	ignored string
}

// rules says of rules, which no operation reads, what their hosts showed.
func (p *preflight) rules() {
	for _, n := range p.T.Known().Target.Named() {
		if !n.Rule() {
			continue
		}
		switch hosts := p.below[parentKey{n.Kind, n.ID}]; {
		case hosts == nil:
			p.note(n.Key, n.ID, Unchecked, "no operation reads a rule, and no host beneath it was read")
		case hosts.ignored != "":
			p.note(n.Key, n.ID, Unchecked, "hosts are read under any %s, so reading does not tell whose they are", hosts.ignored)
		default:
			p.note(n.Key, n.ID, Fine, "%s is read under it, and not under others", hosts.names[0])
		}
	}
}

// absent notes an object that is answered 404.
func (p *preflight) absent(op *spec.Operation, l look, offered bool) {
	where := p.elsewhere(op, l)
	switch {
	case where != "":
		p.note(l.Key, l.ID, Wrong, "%s", where)
	case offered:
		p.note(l.Key, l.ID, Wrong, "is not there (%d)", http.StatusNotFound)
	default:
		p.unread(l)
	}
}
