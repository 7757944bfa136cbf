package doctor

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
)

// look is a named object with the owner's answer to a read of it: of a creative its list of media
// files, of an object that updates name GET of its path, which is published for campaigns and may
// exist for others.
type look struct {
	fixtures.Named
	op     *spec.Operation // nil where no operation names the object, as for a rule
	ids    []int64         // of the path; nil where one is not named
	given  map[string]any  // values in the target file
	answer *judge.Answer
	files  *fixtures.Container // of a VAST creative
	page   *judge.ListPage     // of a creative
}

// shows says whether an answer shows an object.
func shows(a *judge.Answer) bool { return a.OK && a.Shown != nil }

// plain says whether it should be a creative of the owner's that is no VAST creative.
func (l *look) plain() bool { return l.Creative() && !l.Foreign() && l.files == nil }

// objects asks for all that the target file names, then judges what came for each.
func (p *preflight) objects() {
	s := p.Known()
	p.unknown = p.read(p.lists, unknownKey, s.UnknownObject(p.lists).IDs, s.Owner())
	p.offered = map[*spec.Operation]bool{p.lists: p.unknown.Status == http.StatusNotFound}
	for _, n := range s.Target.Named() {
		l := &look{Named: n, op: p.reads(n), ids: []int64{n.ID}}
		switch {
		case l.op == nil && !n.Rule():
			continue
		case l.op == nil:
		case n.Creative():
			l.answer = p.read(l.op, n.Key, l.ids, s.Owner())
			l.page, l.files = judge.PageOf(l.op, l.answer.Value), judge.ContainerOf(s.Target, n.Bare())
		default:
			if l.ids, l.given = s.PathIDs(l.op, n.Bare()); l.ids != nil {
				l.answer = p.read(l.op, n.Key, l.ids, s.Owner())
				p.offered[l.op] = p.offered[l.op] || shows(l.answer) || l.answer.Status == http.StatusForbidden
			}
		}
		p.looks = append(p.looks, l)
	}
	for _, l := range p.looks {
		status, detail := p.verdict(l)
		p.note(l.Key, status, "%s", detail)
		p.checks[len(p.checks)-1].ID = l.ID
	}
}

// reads is the operation whose path shows an object, or nil.
func (p *preflight) reads(n fixtures.Named) *spec.Operation {
	if n.Creative() && !n.File {
		return p.lists
	}
	key := strings.TrimPrefix(n.Bare(), judge.ForeignPrefix)
	for _, op := range p.Known().Contract.Operations {
		if op.Updates() && !n.Creative() && slices.Contains([]string{op.Key(), spec.Other(op.Key()), spec.Sibling(op.Key())}, key) {
			return op
		}
	}
	return nil
}

func (p *preflight) verdict(l *look) (CheckStatus, string) {
	switch a := l.answer; {
	case l.op == nil && p.beneath(l):
		return Fine, "a host is read under it"
	case l.op == nil:
		return Unchecked, "no operation reads a rule, and no host under it was read"
	case !judge.Has(p.Known().Target, l.Key) && !l.File:
		return Wrong, judge.NotGiven(p.Known().Target, l.Key)
	case l.ids == nil:
		return Unchecked, "the objects above it are missing in the target file"
	case a.Status == 0 || a.Status >= 500:
		return p.unread(l)
	case p.unknown.OK && l.page != nil && l.page.TotalCount == 0 && !l.plain():
		return Unchecked, "its list is empty, as that of an unknown id"
	case l.Foreign():
		return p.foreign(l)
	case a.Status == http.StatusForbidden:
		return Wrong, "the owner has no permission for it (403)"
	case l.files != nil:
		return p.container(l)
	case l.Creative():
		return p.plainCreative(l)
	case shows(a):
		return p.values(l)
	case a.Status == http.StatusNotFound:
		if where := p.elsewhere(l); where != "" || p.offered[l.op] {
			return Wrong, "is not there (404)" + where
		}
	}
	return p.unread(l)
}

// beneath says whether an object was read whose path names a rule.
func (p *preflight) beneath(rule *look) bool {
	return slices.ContainsFunc(p.looks, func(l *look) bool {
		return l.answer != nil && !l.Foreign() && shows(l.answer) && slices.ContainsFunc(l.op.Params, func(param spec.Param) bool {
			return fixtures.KindOf(param.Object) == rule.Kind
		}) && slices.Contains(l.ids, rule.ID)
	})
}

// unread is the check of an object that the target does not let read. Where a run changes it and
// the target file does not give its values, they cannot be put back.
func (p *preflight) unread(l *look) (CheckStatus, string) {
	text := "GET of its path is answered " + l.answer.StatusText()
	for _, u := range judge.UnnamedOf(p.Known().Contract, p.Known().Target) {
		if u.Key == l.Key {
			text += "; the target file does not give its " + strings.Join(u.Fields, ", ") +
				", which a run changes: unless an update with {} shows them, they cannot be put back"
		}
	}
	return Unchecked, text
}

// foreign checks the owner's answer for an object of the stranger.
func (p *preflight) foreign(l *look) (CheckStatus, string) {
	switch a := l.answer; {
	case a.Status == http.StatusForbidden:
		return Fine, "is there, and not the owner's"
	case a.OK:
		return Wrong, "the owner reads it: it has to be an object without permission for the owner; if it is one, the target does not check"
	case a.Status == http.StatusNotFound && p.offered[l.op]:
		return Wrong, "is not there (404), or the target hides what it has to forbid (403)"
	}
	return p.unread(l)
}

// container compares the list of a VAST creative with the target file.
func (p *preflight) container(l *look) (CheckStatus, string) {
	a, c, page, want := l.answer, l.files, l.page, l.files.MediaFileCount
	if l.Bare() == "emptyVastCreative" {
		want = 0
	}
	switch {
	case a.Status == http.StatusNotFound && want == 0: // whether the list of an empty container is found is open
		return Unchecked, "its list is answered 404, as that of an empty container may be"
	case !a.OK && a.Status == p.unknown.Status:
		return Wrong, fmt.Sprintf("is not there: answered %d, as an unknown id", a.Status)
	case !a.OK:
		return Wrong, fmt.Sprintf("is no VAST creative: its list is answered %d", a.Status)
	case page == nil:
		return Unchecked, "its list cannot be read"
	case want >= 0 && page.TotalCount != int64(want):
		return Differs, fmt.Sprintf("has %d media files, and the target file says %d", page.TotalCount, want)
	case c.MediaFileIDs != nil && page.Complete() && !slices.Equal(judge.Sorted(page.IDs), judge.Sorted(c.MediaFileIDs)):
		return Differs, fmt.Sprintf("has the media files %s, and the target file says %s", judge.IDList(page.IDs), judge.IDList(c.MediaFileIDs))
	case strings.HasPrefix(l.Bare(), "paged"):
		return p.paged(l)
	}
	return Fine, "is there"
}

// paged checks that a list has several pages, of which the second can be asked for.
func (p *preflight) paged(l *look) (CheckStatus, string) {
	parameter := p.Known().PageParameter(l.op)
	switch {
	case parameter == "" && l.page.TotalPages > 1:
		return Wrong, fmt.Sprintf("has %d pages, and open.pageParameter says that there is no paging", l.page.TotalPages)
	case parameter == "":
		return Fine, "is there"
	case l.page.TotalPages <= 1:
		return Wrong, "fits on one page: name one with more " + l.op.Items +
			" than a page holds, or pin pageParameter: null where there is no paging"
	}
	p.Case = &judge.Case{ID: preflightCase(l.op, l.Key), Operation: l.op}
	a := p.Ask(judge.Call{
		Op: l.op, Method: http.MethodGet, Path: []string{fmt.Sprint(l.ID)}, As: p.Known().Owner(), Query: parameter + "=2", Page: 2,
	}, judge.Expect{})
	if second := judge.PageOf(l.op, a.Value); !a.OK || second != nil && second.Page == l.page.Page && slices.Equal(second.IDs, l.page.IDs) {
		return Wrong, fmt.Sprintf("has %d pages, and the query parameter %s does not show the second: pin pageParameter as it is called",
			l.page.TotalPages, parameter)
	}
	return Fine, "is there"
}

// plainCreative checks a creative that should be no VAST creative. One that is answered as an
// unknown id is not there where the target answers another plain creative otherwise.
func (p *preflight) plainCreative(l *look) (CheckStatus, string) {
	switch status := l.answer.Status; {
	case l.page != nil && l.page.TotalCount > 0:
		return Wrong, fmt.Sprintf("is a VAST creative: it has %d media files", l.page.TotalCount)
	case status != p.unknown.Status:
		return Fine, "is there"
	}
	text := fmt.Sprintf("answered %d, as an unknown id", l.answer.Status)
	for _, o := range p.looks {
		if !o.plain() || o.page != nil && o.page.TotalCount > 0 {
			continue
		}
		if s := o.answer.Status; s != 0 && s < 500 && s != http.StatusForbidden && s != p.unknown.Status {
			return Wrong, fmt.Sprintf("is not there: %s, and not %d, as %s %d is", text, s, o.Bare(), o.ID)
		}
	}
	return Unchecked, text
}

// values compares an object with the values in the target file.
func (p *preflight) values(l *look) (CheckStatus, string) {
	for _, f := range l.op.Representation().Fields {
		want, known := l.given[f.Meaning]
		got, shown := l.answer.Shown[f.Name]
		if known && shown && !oracle.Equal(f, want, got) && !(f.Date && oracle.SameDate(want, got)) {
			return Differs, fmt.Sprintf("%s is %s, and the target file says %s", f.Name, oracle.Show(got), oracle.Show(want))
		}
	}
	return Fine, "is there"
}

// elsewhere says under which other parent of the target file an object is found; "" for none.
func (p *preflight) elsewhere(l *look) string {
	for i, param := range l.op.Params[:len(l.op.Params)-1] {
		kind := fixtures.KindOf(param.Object)
		for _, n := range p.Known().Target.Named() {
			if n.Kind != kind || n.ID == l.ids[i] || n.Foreign() {
				continue
			}
			ids := slices.Clone(l.ids)
			ids[i] = n.ID
			if shows(p.read(l.op, l.Key, ids, p.Known().Owner())) {
				return fmt.Sprintf(": it belongs to %s %d, not to %s %d", n.Bare(), n.ID, kind, l.ids[i])
			}
		}
	}
	return ""
}
