package spec

import (
	"slices"
	"strings"
)

// How operations of a document belong together.

// Below says whether the path of a list goes on from that of a delete, and what it
// holds is of the same kind.
func (op *Operation) Below(deletes *Operation) bool {
	return op.Effects["members"] != "" && strings.HasPrefix(op.Path, deletes.Path+"/")
}

// Beside says whether the path of a delete names an item of a list.
func (op *Operation) Beside(deletes *Operation) bool {
	at := strings.LastIndexByte(deletes.Path, '/')
	return op.Path == deletes.Path[:at]
}

// ListOf is the list of what the object under a key of the target file holds, as
// that file says; nil when there is none.
func (d *Document) ListOf(key string) *Operation {
	for _, op := range d.Operations {
		if op.Lists() && op.Effects["members"] != "" && op.names(key) {
			return op
		}
	}
	return nil
}

// DeleteOf is the delete of objects under a key of the target file, or nil.
func (d *Document) DeleteOf(key string) *Operation {
	for _, op := range d.Operations {
		if op.Deletes() && op.names(key) {
			return op
		}
	}
	return nil
}

func (op *Operation) names(key string) bool {
	return op.Key() == key || slices.Contains(op.More(), key)
}

// Keys are the keys of a target file that the document names for its objects.
func (d *Document) Keys() []string {
	var keys []string
	for _, op := range d.Operations {
		for _, p := range op.Params {
			keys = append(append(keys, p.Object), p.More...)
		}
		if op.Holds != "" {
			keys = append(keys, op.Holds)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}
