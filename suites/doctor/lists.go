package doctor

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/session"
	"github.com/adconform/adconform/suites/wire"
)

// FirstPages holds the first page of each list that was read before anything was written, by key of the target file.
type FirstPages map[string]*judge.ListPage

// Add adds the first page of a list, if an answer has one.
func (pages FirstPages) Add(key string, op *spec.Operation, r *wire.Response) {
	if r == nil || r.Status/100 != 2 {
		return
	}
	if p := judge.PageOf(op, oracle.Decode(r.Body)); p != nil {
		pages[key] = p
	}
}

// Look reads lists that no case reads before others write.
func (pages FirstPages) Look(ctx context.Context, s *session.Session, keys []string) {
	cs := &judge.Case{ID: "preflight"}
	v := &survey{T: s.Aside(ctx, cs, cs.ID)}
	for _, key := range keys {
		lists := s.Model.Contract.ListOf("vastCreative")
		if ids, _ := s.Model.PathIDs(lists, key); ids != nil {
			pages.Add(key, lists, v.ask(judge.Call{Op: lists, Method: http.MethodGet, Path: []string{string(ids[0])}}))
		}
	}
}

const plainCreative = "plainCreative"

// Misnamed returns a part for each list that the target file describes wrongly: an item that it does not name is its
// mistake, unless something else in the file names that item, or another list shows it, too: then the list is wrong.
func (pages FirstPages) Misnamed(s *judge.Model) (wrong []Part) {
	for _, n := range s.Target.Named() {
		key := n.Bare()
		p := pages[key]
		if p == nil || n.File {
			continue
		}
		more, words := pages.unnamed(s, key)
		strange := func(id spec.ID) bool { return s.NamesElsewhere(key, id) || pages.showElsewhere(key, id) }
		if len(more) > 0 && !slices.ContainsFunc(more, strange) {
			wrong = append(wrong, Part{Need: n.Key, ID: n.ID, Status: Wrong, Detail: words})
		}
	}
	return wrong
}

// unnamed returns the items of a list that the target file does not name although it names all items, with words about that.
func (pages FirstPages) unnamed(s *judge.Model, key string) (more []spec.ID, words string) {
	p := pages[key]
	if key == plainCreative {
		return p.IDs, fmt.Sprintf("is a VAST creative: it has %d media files; name a creative that is not", p.TotalCount)
	}
	c := judge.ContainerOf(s.Target, key)
	if c == nil || c.MediaFileIDs == nil || !p.Complete() || p.Twice() {
		return nil, ""
	}
	isListed := func(id spec.ID) bool { return slices.Contains(p.IDs, id) }
	isGiven := func(id spec.ID) bool { return slices.Contains(c.MediaFileIDs, id) }
	if slices.ContainsFunc(c.MediaFileIDs, func(id spec.ID) bool { return !isListed(id) }) {
		return nil, "" // what it lacks may have been deleted
	}
	return slices.DeleteFunc(slices.Clone(p.IDs), isGiven), fmt.Sprintf(
		"the target file names the media files %s, but the target lists %s; name them all, or leave mediaFiles out",
		judge.IDList(c.MediaFileIDs), judge.IDList(p.IDs))
}

// showElsewhere reports whether another list shows an item.
func (pages FirstPages) showElsewhere(key string, id spec.ID) bool {
	for other, p := range pages {
		if other != key && slices.Contains(p.IDs, id) {
			return true
		}
	}
	return false
}
