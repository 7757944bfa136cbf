package doctor

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
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
