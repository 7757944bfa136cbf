package load

import (
	"maps"
	"slices"
	"strings"

	"github.com/adconform/adconform/suites/session"
)

// undo is what a virtual user changed, by object, and whether it was put back. A session
// that could not put an object back is kept: the ones after it do not know what
// the object held before.
type undo struct {
	user       int
	changes    map[string]session.Change
	unrestored map[string]*session.Session
	order      []*session.Session // those of unrestored, the first one first
}

func newUndo(user int) undo {
	return undo{user: user, changes: map[string]session.Change{}, unrestored: map[string]*session.Session{}}
}

// note takes what a session says at its end.
func (u *undo) note(s *session.Session, changes []session.Change) {
	for _, c := range changes {
		c.Object = u.key(c.Object)
		if u.unrestored[c.Object] != nil {
			continue
		}
		u.changes[c.Object] = c
		if !c.Restored && c.Change != "deleted" {
			u.unrestored[c.Object] = s
			if !slices.Contains(u.order, s) {
				u.order = append(u.order, s)
			}
		}
	}
}

// key is the key of an object in the target file, below its virtual user's.
func (u *undo) key(object string) string {
	if u.user == 0 || strings.HasPrefix(object, "foreign.") {
		return object
	}
	return "objects." + object
}

// sessions are those with something left to put back, the last one first, as the
// first one knows what the objects held before all others.
func (u *undo) sessions() []*session.Session {
	latest := slices.Clone(u.order)
	slices.Reverse(latest)
	return latest
}

// retried takes what became of a second try.
func (u *undo) retried(s *session.Session, changes []session.Change) {
	for _, c := range changes {
		c.Object = u.key(c.Object)
		if u.unrestored[c.Object] == s {
			u.changes[c.Object] = c
		}
	}
}

// list are the changes by the key of their object.
func (u *undo) list() []session.Change {
	var all []session.Change
	for _, key := range slices.Sorted(maps.Keys(u.changes)) {
		all = append(all, u.changes[key])
	}
	return all
}
