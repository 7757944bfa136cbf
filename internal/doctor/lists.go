package doctor

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/session"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
)

// FirstLists holds the first answer for each list that was read before anything was written, by key of the target file.
type FirstLists map[string]firstList

// A firstList is the first answer to the owner's request for a list.
type firstList struct {
	status int
	body   string
	page   *judge.ListPage // nil unless it is a list
}

// Add adds the answer for a list, if one came.
func (lists FirstLists) Add(key string, op *spec.Operation, r *wire.Response) {
	if r == nil || r.Status == 0 {
		return
	}
	l := firstList{status: r.Status, body: string(r.Body)}
	if r.Status/100 == 2 {
		l.page = judge.PageOf(op, oracle.Decode(r.Body))
	}
	lists[key] = l
}

// Look reads lists that no case reads before others write.
func (lists FirstLists) Look(ctx context.Context, s *session.Session, keys []string) {
	cs := &judge.Case{ID: "preflight"}
	v := &survey{T: s.Aside(ctx, cs, cs.ID)}
	op := s.Model.Contract.ListOf("vastCreative")
	for _, key := range keys {
		if ids, _ := s.Model.PathIDs(op, key); ids != nil {
			lists.Add(key, op, v.list(op, ids[0], v.Known().Owner(), ""))
		}
	}
}

// list requests a list as a user.
func (v *survey) list(op *spec.Operation, id spec.ID, as wire.Credential, query string) *wire.Response {
	return v.ask(judge.Call{Op: op, Method: http.MethodGet, Path: []string{string(id)}, As: as, Query: query})
}

const plainCreative = "plainCreative"

// Mistakes returns a part for each list that the target file describes wrongly, as far as the lists agree with themselves:
// otherwise the target is at fault.
func (lists FirstLists) Mistakes(ctx context.Context, s *session.Session) (wrong []Part) {
	op := s.Model.Contract.ListOf("vastCreative")
	if op == nil {
		return nil
	}
	cs := &judge.Case{ID: "preflight"}
	look := &listLook{&survey{T: s.Aside(ctx, cs, cs.ID)}, op, lists}
	s.Model.Guard(cs.ID, func() {
		for _, n := range s.Model.Target.Named() {
			if _, isRead := lists[n.Bare()]; !isRead || n.File {
				continue
			}
			if words := look.mistake(n.Bare(), n.ID); words != "" {
				wrong = append(wrong, Part{Need: n.Key, ID: n.ID, Status: Wrong, Detail: words})
			}
		}
	})
	return wrong
}

// A listLook finds out whether the target file or a list is wrong. It sends requests only where they differ.
type listLook struct {
	*survey
	op    *spec.Operation
	lists FirstLists
}

// mistake describes what the target file says wrongly about the list under a key, or returns "".
func (v *listLook) mistake(key string, id spec.ID) string {
	l := v.lists[key]
	c := judge.ContainerOf(v.Known().Target, key)
	switch {
	case l.page != nil && key == plainCreative:
		return v.ofPlain(l.page)
	case l.page != nil && c != nil && c.MediaFileIDs != nil:
		return v.ofItems(key, c.MediaFileIDs, l.page)
	case l.page != nil && c != nil:
		return v.ofCount(key, c.MediaFileCount, l.page)
	case !v.servesAnother(key):
	case l.status == http.StatusForbidden && v.isStrangers(id):
		return "is the stranger's: the owner has no permission for it (403); name a creative of the owner's"
	case l.status == http.StatusNotFound && c != nil && !isDisposable(key) && v.isGoneForAll(id, c.MediaFileCount):
		return "does not exist (404)"
	case l.status == http.StatusUnprocessableEntity && c != nil && v.isRefusedAsPlain(l, id):
		return "is not a VAST creative: its list is answered 422; name a container"
	}
	return ""
}

func isDisposable(key string) bool { return strings.HasPrefix(key, "disposable") }

// servesAnother reports whether the owner got another list.
func (v *listLook) servesAnother(key string) bool {
	for other, l := range v.lists {
		if other != key && l.page != nil {
			return true
		}
	}
	return false
}

// isStrangers reports whether the stranger is not refused a list that the owner is refused. One of an unknown creative is
// answered to both alike.
func (v *listLook) isStrangers(id spec.ID) bool {
	if v.Known().Target.Credentials.Stranger == "" {
		return false
	}
	status := v.list(v.op, id, v.Known().Stranger(), "").Status
	return status/100 == 2 || status == http.StatusNotFound || status == http.StatusUnprocessableEntity
}

// isGoneForAll reports whether the stranger, too, gets 404 for a list, and not 403 as for one that is there. Without a
// stranger it may be empty, unless the target file names its files.
func (v *listLook) isGoneForAll(id spec.ID, files int) bool {
	if v.Known().Target.Credentials.Stranger == "" {
		return files > 0
	}
	return v.list(v.op, id, v.Known().Stranger(), "").Status == http.StatusNotFound
}

// isRefusedAsPlain reports whether a list is refused like that of plainCreative, as far as that was read.
func (v *listLook) isRefusedAsPlain(l firstList, id spec.ID) bool {
	plain, isRead := v.lists[plainCreative]
	words := func(l firstList, id spec.ID) string { return strings.ReplaceAll(l.body, string(id), "") }
	return !isRead || plain.status == l.status && words(plain, v.Known().Lookup(plainCreative)) == words(l, id)
}

func (v *listLook) ofPlain(p *judge.ListPage) string {
	if len(p.IDs) == 0 || v.areElsewhere(plainCreative, p.IDs) {
		return ""
	}
	return fmt.Sprintf("is a VAST creative: it has %d media files; name a creative that is not", p.TotalCount)
}

// areElsewhere reports whether something else in the target file names one of these items, or another list shows it, too: then
// the list is wrong.
func (v *listLook) areElsewhere(key string, ids []spec.ID) bool {
	return v.Known().NamesElsewhere(key, ids...) || slices.ContainsFunc(ids, func(id spec.ID) bool { return v.lists.showElsewhere(key, id) })
}

// showElsewhere reports whether another list shows an item.
func (lists FirstLists) showElsewhere(key string, id spec.ID) bool {
	for other, l := range lists {
		if other != key && l.page != nil && slices.Contains(l.page.IDs, id) {
			return true
		}
	}
	return false
}

// ofItems compares the items of a list with the ids that the target file gives. An id that the list lacks is its mistake only
// if there is no such creative; an earlier run may have deleted a disposable one.
func (v *listLook) ofItems(key string, given []spec.ID, p *judge.ListPage) string {
	if !p.Complete() || p.Twice() || judge.SaysEmpty(v.Known().Target, key) {
		return ""
	}
	isListed := func(id spec.ID) bool { return slices.Contains(p.IDs, id) }
	isGiven := func(id spec.ID) bool { return slices.Contains(given, id) }
	more := slices.DeleteFunc(slices.Clone(p.IDs), isGiven)
	missing := slices.DeleteFunc(slices.Clone(given), isListed)
	switch {
	case len(more) == 0 && (len(missing) == 0 || isDisposable(key)):
		return ""
	case v.areElsewhere(key, more), len(missing) > 0 && !v.areUnknown(missing, p):
		return ""
	}
	return fmt.Sprintf("the target file says that it has the media files %s, but the target lists %s; name them all, or leave "+
		"mediaFiles out", judge.IDList(given), judge.IDList(p.IDs))
}

// areUnknown reports whether there is no creative with any of these ids: the owner's request for the list of each is answered
// like that of an unknown creative, and that of an item is not.
func (v *listLook) areUnknown(ids []spec.ID, p *judge.ListPage) bool {
	status := func(id spec.ID) int { return v.list(v.op, id, v.Known().Owner(), "").Status }
	unknown := status(v.Known().UnknownObject(v.op).ID())
	isKnown := func(id spec.ID) bool { return status(id) != unknown }
	return len(p.IDs) > 0 && isKnown(p.IDs[0]) && !slices.ContainsFunc(ids, isKnown)
}

// ofCount compares the number of media files with the one that the target file gives. An earlier run may have deleted some of a
// disposable container. Items where the target file says 0 are the target's fault.
func (v *listLook) ofCount(key string, given int, p *judge.ListPage) string {
	if given < 0 && key == "emptyVastCreative" && p.TotalCount > 0 && !v.areElsewhere(key, p.IDs) {
		return fmt.Sprintf("is not empty: it has %d media files; name a container without any", p.TotalCount)
	}
	isFewer := p.TotalCount < int64(given)
	if given <= 0 || p.TotalCount == int64(given) || isFewer && isDisposable(key) || !v.countsRightly(key, p) {
		return ""
	}
	return fmt.Sprintf("the target file says that it has %d media files, but the target lists %d; correct it or leave it out",
		given, p.TotalCount)
}

// countsRightly reports whether the number of all items agrees with the items of the first page and of the last.
func (v *listLook) countsRightly(key string, p *judge.ListPage) bool {
	total := int64(len(p.IDs))
	if last := v.Known().PageParameter(v.op); !p.Complete() && last != "" {
		r := v.list(v.op, v.Known().Lookup(key), v.Known().Owner(), fmt.Sprintf("%s=%d", last, p.TotalPages))
		end := judge.PageOf(v.op, oracle.Decode(r.Body))
		if end == nil {
			return false
		}
		total = total*(p.TotalPages-1) + int64(len(end.IDs))
	}
	return total == p.TotalCount && !p.Twice()
}
