package doctor

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/session"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
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
	if isSuccess(r) {
		l.page = judge.PageOf(op, oracle.Decode(r.Body))
	}
	lists[key] = l
}

// Look reads lists that no case reads before others write.
func (lists FirstLists) Look(ctx context.Context, s *session.Session, keys []string) {
	v := newSurvey(ctx, s)
	for _, key := range keys {
		if ids, _ := s.Model.PathIDs(v.lists, key); ids != nil {
			r := v.list(ids[0], v.Known().Owner(), "")
			lists.Add(key, v.lists, r)
		}
	}
}

// list requests a list as a user.
func (v *survey) list(id spec.ID, as wire.Credential, query string) *wire.Response {
	path := []string{string(id)}
	return v.ask(judge.Call{Op: v.lists, Method: http.MethodGet, Path: path, As: as, Query: query})
}

const plainCreative = "plainCreative"

// Mistakes returns a part for each list that the target file describes wrongly, as far as the lists agree with
// themselves: otherwise the target is at fault.
func (lists FirstLists) Mistakes(ctx context.Context, s *session.Session) (mistakes []report.Part) {
	look := &listLook{newSurvey(ctx, s), lists}
	if look.lists == nil {
		return nil
	}
	s.Model.Guard(look.Case.ID, func() {
		for _, n := range s.Model.Target.Named() {
			if _, isRead := lists[n.Bare]; !isRead || n.File {
				continue
			}
			if words := look.mistake(n.Bare, n.ID); words != "" {
				mistakes = append(mistakes, report.Part{Need: n.Key, ID: n.ID, Status: report.Wrong, Detail: words})
			}
		}
	})
	return mistakes
}

// A listLook finds out whether the target file or a list is wrong. It sends requests only where they differ.
type listLook struct {
	*survey
	first FirstLists
}

// mistake describes what the target file says wrongly about the list under a key, or returns "".
func (v *listLook) mistake(key string, id spec.ID) string {
	l := v.first[key]
	files := judge.ContainerOf(v.Known().Target, key)
	if l.page == nil {
		return v.refusedMistake(key, id, l, files)
	}
	switch {
	case key == plainCreative:
		return v.plainMistake(l.page)
	case files == nil:
		return ""
	case files.MediaFileIDs != nil:
		return v.itemsMistake(key, files.MediaFileIDs, l.page)
	}
	return v.countMistake(key, files.MediaFileCount, l.page)
}

// refusedMistake describes what the target file says wrongly about a list that the owner does not get.
func (v *listLook) refusedMistake(key string, id spec.ID, l firstList, files *fixtures.Object) string {
	if !v.hasOtherList(key) {
		return ""
	}
	switch l.status {
	case http.StatusForbidden:
		if v.isStrangers(id) {
			return "is the stranger's: the owner has no permission for it (403); name a creative of the owner's"
		}
	case http.StatusNotFound:
		if v.isMissing(key, id, files) {
			return "does not exist (404)"
		}
	case http.StatusUnprocessableEntity:
		if files != nil && v.isRefusedAsPlain(l, id) {
			return "is not a VAST creative: its list is answered 422; name a container"
		}
	}
	return ""
}

// isMissing reports whether a creative with a list that is answered 404 does not exist. An earlier run may have deleted
// a disposable one, but runs delete the first of a list first.
func (v *listLook) isMissing(key string, id spec.ID, files *fixtures.Object) bool {
	name, _ := judge.SplitKey(key)
	switch {
	case isDisposable(key):
		return v.first.isThere(name+"[0]") && v.isUnknownToStranger(id)
	case files != nil:
		return v.isGoneForAll(id, files.MediaFileCount)
	}
	return v.first.isThere(plainDisposable) && v.isUnknownToStranger(id)
}

// plainDisposable is the key of a creative without media files. If its list is refused otherwise than with 404, this
// tells such creatives from missing ones.
const plainDisposable = "disposableCreatives[0]"

// isThere reports whether the answer for a list shows that its creative exists.
func (lists FirstLists) isThere(key string) bool {
	l := lists[key]
	return l.page != nil || l.status == http.StatusUnprocessableEntity
}

// isUnknownToStranger reports whether there is a stranger who gets 404 for a list, and not 403 as for one that exists.
func (v *listLook) isUnknownToStranger(id spec.ID) bool {
	return v.hasStranger() && v.strangersStatus(id) == http.StatusNotFound
}

func isDisposable(key string) bool { return strings.HasPrefix(key, "disposable") }

// hasOtherList reports whether the owner got another list.
func (v *listLook) hasOtherList(key string) bool {
	for other, l := range v.first {
		if other != key && l.page != nil {
			return true
		}
	}
	return false
}

// strangersStatus returns the status of the stranger's request for a list.
func (v *listLook) strangersStatus(id spec.ID) int {
	return v.list(id, v.Known().Stranger(), "").Status
}

// isStrangers reports whether the stranger is not refused a list that the owner is refused. The list of an unknown
// creative is answered to both alike.
func (v *listLook) isStrangers(id spec.ID) bool {
	if !v.hasStranger() {
		return false
	}
	status := v.strangersStatus(id)
	return status/100 == 2 || isOneOf(status, http.StatusNotFound, http.StatusUnprocessableEntity)
}

// isGoneForAll reports whether the stranger, too, gets 404 for a list, and not 403 as for one that is there. Without a
// stranger it may be empty, unless the target file names its files.
func (v *listLook) isGoneForAll(id spec.ID, files int) bool {
	if !v.hasStranger() {
		return files > 0
	}
	return v.strangersStatus(id) == http.StatusNotFound
}

// isRefusedAsPlain reports whether a list is refused like the list of plainCreative, as far as that was read.
func (v *listLook) isRefusedAsPlain(l firstList, id spec.ID) bool {
	plain, isRead := v.first[plainCreative]
	if !isRead {
		return true
	}
	plainID := v.Known().Lookup(plainCreative)
	return plain.status == l.status && plain.withoutID(plainID) == l.withoutID(id)
}

func (l firstList) withoutID(id spec.ID) string {
	return strings.ReplaceAll(l.body, string(id), "")
}

func (v *listLook) plainMistake(p *judge.ListPage) string {
	if len(p.IDs) == 0 || v.isAnyElsewhere(plainCreative, p.IDs) {
		return ""
	}
	return fmt.Sprintf("is a VAST creative: it has %d media files; name a creative that is not", p.TotalCount)
}

// isAnyElsewhere reports whether another key of the target file names one of these items, or another list shows it,
// too: then the list is wrong.
func (v *listLook) isAnyElsewhere(key string, ids []spec.ID) bool {
	isListed := func(id spec.ID) bool { return v.first.isListedElsewhere(key, id) }
	return v.Known().NamesElsewhere(key, ids...) || slices.ContainsFunc(ids, isListed)
}

func (lists FirstLists) isListedElsewhere(key string, id spec.ID) bool {
	for other, l := range lists {
		if l.page == nil {
			continue
		}
		if other != key && slices.Contains(l.page.IDs, id) {
			return true
		}
	}
	return false
}

// itemsMistake compares the items of a list with the ids that the target file gives. An id that the list lacks is its
// mistake only if there is no such creative; an earlier run may have deleted a disposable one.
func (v *listLook) itemsMistake(key string, given []spec.ID, p *judge.ListPage) string {
	isWhole := p.Complete() && !p.Twice()
	if !isWhole || judge.SaysEmpty(v.Known().Target, key) {
		return ""
	}
	isListed := func(id spec.ID) bool { return slices.Contains(p.IDs, id) }
	isGiven := func(id spec.ID) bool { return slices.Contains(given, id) }
	more := slices.DeleteFunc(slices.Clone(p.IDs), isGiven)
	missing := slices.DeleteFunc(slices.Clone(given), isListed)
	mayBeAsGiven := len(missing) == 0 || isDisposable(key)
	if len(more) == 0 && mayBeAsGiven || v.isAnyElsewhere(key, more) {
		return ""
	}
	if len(missing) > 0 && !v.isNoneKnown(missing, p) {
		return ""
	}
	return fmt.Sprintf("the target file says that it has the media files %s, but the target lists %s; "+
		"name them all, or leave mediaFiles out", judge.IDList(given), judge.IDList(p.IDs))
}

// isNoneKnown reports whether there is no creative with any of these ids: the owner's request for the list of each is
// answered like the list of an unknown creative, and the list of an item is not.
func (v *listLook) isNoneKnown(ids []spec.ID, p *judge.ListPage) bool {
	if len(p.IDs) == 0 { // nothing shows how known creatives are answered
		return false
	}
	status := func(id spec.ID) int { return v.list(id, v.Known().Owner(), "").Status }
	unknown := status(v.Known().UnknownObject(v.lists).ID())
	isKnown := func(id spec.ID) bool { return status(id) != unknown }
	return isKnown(p.IDs[0]) && !slices.ContainsFunc(ids, isKnown)
}

// countMistake compares the number of media files with the one that the target file gives. An earlier run may have
// deleted some of a disposable container. Items where the target file says 0 are the target's fault.
func (v *listLook) countMistake(key string, given int, p *judge.ListPage) string {
	if given < 0 {
		return v.emptyMistake(key, p)
	}
	mayBeAsGiven := p.TotalCount == int64(given)
	if isDisposable(key) {
		mayBeAsGiven = p.TotalCount <= int64(given)
	}
	if given == 0 || mayBeAsGiven || !v.hasRightCount(key, p) {
		return ""
	}
	return fmt.Sprintf("the target file says that it has %d media files, but the target lists %d; "+
		"correct it or leave it out", given, p.TotalCount)
}

// emptyMistake reports an item of the container that has to be empty.
func (v *listLook) emptyMistake(key string, p *judge.ListPage) string {
	if key != "emptyVastCreative" || p.TotalCount <= 0 || v.isAnyElsewhere(key, p.IDs) {
		return ""
	}
	return fmt.Sprintf("is not empty: it has %d media files; name a container without any", p.TotalCount)
}

// hasRightCount reports whether the number of all items agrees with the items of the first page and of the last.
func (v *listLook) hasRightCount(key string, p *judge.ListPage) bool {
	if p.Twice() {
		return false
	}
	total := int64(len(p.IDs))
	parameter := v.Known().PageParameter(v.lists)
	if p.Complete() || parameter == "" {
		return total == p.TotalCount
	}
	query := fmt.Sprintf("%s=%d", parameter, p.TotalPages)
	r := v.list(v.Known().Lookup(key), v.Known().Owner(), query)
	last := judge.PageOf(v.lists, oracle.Decode(r.Body))
	return last != nil && total*(p.TotalPages-1)+int64(len(last.IDs)) == p.TotalCount
}
