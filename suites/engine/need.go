package engine

import (
	"strings"

	"github.com/adconform/adconform/fixtures"
)

const (
	needStranger = "credentials.stranger"
	ownKeys      = "objects."
	mediaFiles   = ".mediaFiles"
)

// OwnKey is the need for the owner's object under a key.
func OwnKey(key string) string { return ownKeys + key }

// Has says whether a target file gives what a case needs: the stranger's key,
// the object under a key (objects.campaign, foreign.campaign), or the ids of a
// container's media files (objects.disposableVastCreatives[0].mediaFiles).
func Has(t *fixtures.Target, need string) bool {
	if need == needStranger {
		return t.Credentials.Stranger != ""
	}
	key, _ := strings.CutPrefix(need, ownKeys)
	if container, ok := strings.CutSuffix(key, mediaFiles); ok {
		c := containerOf(t, container)
		return c != nil && len(c.MediaFileIDs) > 0
	}
	id, _ := find(t, key)
	return id != 0
}

// find is the id under a key of a target file, 0 when it is not there, and the
// values beside it.
func find(t *fixtures.Target, key string) (int64, map[string]any) {
	if name, ok := strings.CutPrefix(key, foreignPrefix); ok {
		return t.Foreign.ByKey(name), nil
	}
	name, index := splitKey(key)
	found := t.Objects.ByKey(name)
	if index >= len(found) {
		return 0, nil
	}
	return found[index].ID, found[index].Values
}

// containerOf is the VAST creative under a key of a target file, or nil.
func containerOf(t *fixtures.Target, key string) *fixtures.Container {
	o := &t.Objects
	name, index := splitKey(key)
	pick := func(list []fixtures.Container) *fixtures.Container {
		if index < len(list) {
			return &list[index]
		}
		return nil
	}
	switch name {
	case "vastCreative":
		return o.VastCreative
	case "emptyVastCreative":
		return o.EmptyVastCreative
	case "pagedVastCreatives":
		return pick(o.PagedVastCreatives)
	case "disposableVastCreatives":
		return pick(o.DisposableVastCreatives)
	}
	return nil
}
