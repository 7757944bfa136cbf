package session

import (
	"fmt"
	"slices"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
)

// listsWrongly says whether the run shows that a list is wrong, not the target file.
func (t *T) listsWrongly(d *judge.Disputed) bool {
	kind := d.Container.Thing().Kind
	if slices.ContainsFunc(d.Missing, func(id int64) bool { return t.Test.Model.Outcome.Used[judge.Thing{Kind: kind, ID: id}] }) {
		return true // it was there
	}
	for key, seen := range t.Test.Model.Lists {
		if key.Op != d.Container.Op.ID || key.ID == d.Container.ID() {
			continue
		}
		for _, p := range seen.Pages {
			if slices.ContainsFunc(p.IDs, func(id int64) bool { return slices.Contains(d.More, id) }) {
				return true // another container has it
			}
		}
	}
	return len(d.More) > 0 && slices.ContainsFunc(t.strangersFiles(d.Container.Op), func(id int64) bool { return slices.Contains(d.More, id) })
}

// strangersFiles are the media files that the stranger's container lists to the
// stranger.
func (t *T) strangersFiles(lists *spec.Operation) []int64 {
	id := t.Test.Model.Target.Foreign.VastCreative
	if id == 0 || t.Test.Model.Target.Credentials.Stranger == "" || t.Ctx.Err() != nil {
		return nil
	}
	if a := t.Ask(judge.Call{Op: lists, Path: []string{fmt.Sprint(id)}, As: t.Test.Model.Stranger()}, judge.Expect{}); a.OK {
		if p := t.Test.Page(lists, a.Value); p != nil {
			return p.IDs
		}
	}
	return nil
}
