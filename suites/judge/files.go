package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
)

// RemovedBefore says whether the delete of another object was answered 204.
func (s *State) RemovedBefore(o *Object) bool {
	return slices.ContainsFunc(s.Deletes, func(other *Object) bool {
		return other != o && other.Removed && (o == nil || other.Op == o.Op)
	})
}

// KnownAs says what else the target file knows a creative as, when it cannot be
// a media file of the container under key; else "".
func (s *State) KnownAs(id int64, key string) string {
	o := &s.Target.Objects
	for i, d := range o.DisposableCreatives {
		if d.ID == id {
			return fmt.Sprintf("disposableCreatives[%d]", i)
		}
	}
	mine := s.Lookup(key)
	for _, name := range []string{"disposableVastCreatives", "emptyVastCreative", "pagedVastCreatives", "vastCreative"} {
		for i, c := range o.Containers(name) {
			known := name
			if fixtures.Many(name) {
				known = fmt.Sprintf("%s[%d]", name, i)
			}
			switch {
			case c.ID == mine: // its own id is the oracle's business
			case c.ID == id:
				return known
			case slices.Contains(c.MediaFileIDs, id):
				return "a media file of " + known
			}
		}
	}
	if id == s.Target.Foreign.Creative || id == s.Target.Foreign.VastCreative {
		return "the stranger's"
	}
	return ""
}

// Media is what the target file says of a container's media files.
type Media struct {
	IDs   []int64 // nil when not given
	Count int     // -1 when not given
}

// Media returns what a container has to hold by now: what the target file says,
// less what the suite deleted.
func (s *State) Media(o *Object) Media {
	key := o.Key
	c := s.Container(key)
	if c == nil || o.Op.Effects["members"] == "" { // of another list the target file says nothing
		return Media{Count: -1}
	}
	if s.unknownFiles(key) {
		return Media{Count: -1}
	}
	m := Media{Count: c.MediaFileCount, IDs: c.MediaFileIDs}
	if shown, otherwise := s.ShownFiles[key]; otherwise {
		m = shown
	}
	if key == "emptyVastCreative" && m.Count < 0 {
		m.Count = 0
	}
	if m.IDs == nil {
		return m
	}
	all := m.IDs
	m.IDs = []int64{}
	for _, id := range all {
		if !s.UsedUpFiles[id] && !slices.ContainsFunc(s.Deletes, func(o *Object) bool { return o.ID() == id }) {
			m.IDs = append(m.IDs, id)
		}
	}
	m.Count = len(m.IDs)
	return m
}

// SourceOf says from where it is known what a container has to hold.
func (s *State) SourceOf(o *Object) string {
	source := ""
	if _, otherwise := s.ShownFiles[o.Key]; otherwise {
		source = ", as its first list showed them"
	}
	if by, _ := s.LostFiles(o.Key); by != nil {
		source += ", less what was deleted"
	}
	return source
}

// KnownEmpty says whether a container has no media files by now.
func (s *State) KnownEmpty(o *Object) bool { return o != nil && s.Media(o).Count == 0 }

// unknownFiles says whether the answer to a delete of a media file was lost: then
// the file may be there or not.
func (s *State) unknownFiles(key string) bool {
	return slices.ContainsFunc(s.Order, func(o *Object) bool {
		return o.Op.Deletes() && o.Uncertain && strings.HasPrefix(o.Key, key+".")
	})
}

// LostFiles is the operation by which the suite deleted a media file of the
// container, nil when it did not, and whether that was answered 204.
func (s *State) LostFiles(key string) (by *spec.Operation, removed bool) {
	for _, o := range s.Deletes {
		if strings.HasPrefix(o.Key, key+".") {
			by, removed = o.Op, removed || o.Removed
		}
	}
	return by, removed
}

// Container is the VAST creative under a key of the target file, or nil.
func (s *State) Container(key string) *fixtures.Container { return ContainerOf(s.Target, key) }

// MediaFile is a media file of a disposable container, as an object to delete.
func (s *State) MediaFile(op *spec.Operation, container string, i int) *Object {
	key := fmt.Sprintf("%s.mediaFiles[%d]", container, i)
	if o := s.Objects[op.ID+" "+key]; o != nil {
		return o
	}
	c := s.Container(container)
	if c == nil || i >= len(c.MediaFileIDs) {
		return nil
	}
	o := NewObject(key, op, []int64{c.MediaFileIDs[i]}, nil)
	s.Objects[op.ID+" "+key] = o
	s.Order = append(s.Order, o)
	return o
}

// UsedUp says whether a media file was deleted, by an earlier run or by this one.
func (s *State) UsedUp(o *Object) bool { return s.UsedUpFiles[o.ID()] || o.WasDeleted }
