package judge

import (
	"slices"
	"strconv"
	"strings"

	"github.com/adconform/adconform/fixtures"
)

const (
	// NeedStranger is the need for the stranger's key.
	NeedStranger = "credentials.stranger"
	// OwnKeys begins the needs for the owner's objects.
	OwnKeys    = "objects."
	mediaFiles = ".mediaFiles"
)

// OwnKey is the need for the owner's object under a key.
func OwnKey(key string) string { return OwnKeys + key }

// Has says whether a target file gives what a case needs: the stranger's key,
// the object under a key (objects.campaign, foreign.campaign), or the ids of a
// container's media files (objects.disposableVastCreatives[0].mediaFiles).
func Has(t *fixtures.Target, need string) bool {
	if need == NeedStranger {
		return t.Credentials.Stranger != ""
	}
	key, _ := strings.CutPrefix(need, OwnKeys)
	if container, ok := strings.CutSuffix(key, mediaFiles); ok {
		c := ContainerOf(t, container)
		return c != nil && len(c.MediaFileIDs) > 0
	}
	id, _ := Find(t, key)
	return id != 0
}

// Lacks are the needs of a case that a target file does not give.
func (c *Case) Lacks(t *fixtures.Target) []string {
	return slices.DeleteFunc(slices.Clone(c.Needs), func(need string) bool { return Has(t, need) })
}

// Find is the id under a key of a target file, 0 when it is not there, and the
// values beside it.
func Find(t *fixtures.Target, key string) (int64, map[string]any) {
	if name, ok := strings.CutPrefix(key, ForeignPrefix); ok {
		return t.Foreign.ByKey(name), nil
	}
	name, index := SplitKey(key)
	found := t.Objects.ByKey(name)
	if index >= len(found) {
		return 0, nil
	}
	return found[index].ID, found[index].Values
}

// ContainerOf is the VAST creative under a key of a target file, or nil.
func ContainerOf(t *fixtures.Target, key string) *fixtures.Container {
	name, index := SplitKey(key)
	if all := t.Objects.Containers(name); index < len(all) {
		return all[index]
	}
	return nil
}

// ForeignPrefix begins the keys of the stranger's objects.
const ForeignPrefix = "foreign."

// SplitKey takes disposableCreatives[2] apart; a key without index has index 0.
func SplitKey(key string) (name string, index int) {
	name, rest, ok := strings.Cut(key, "[")
	if ok {
		index, _ = strconv.Atoi(strings.TrimSuffix(rest, "]"))
	}
	return name, index
}

// Foreign is the key of the stranger's object of the same kind.
func Foreign(key string) string { return ForeignPrefix + key }
