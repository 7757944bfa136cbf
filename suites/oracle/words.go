package oracle

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/wording"
)

// maxSentence bounds what a finding says, in characters.
const maxSentence = 200

// show renders a value of a body for people.
func show(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return "the string " + quote(v)
	case json.Number:
		return "the number " + wording.ClipPrintable(string(v), 60)
	case []any:
		return fmt.Sprintf("an array of %d items", len(v))
	case map[string]any:
		return fmt.Sprintf("an object of %d members", len(v))
	}
	return fmt.Sprint(v)
}

// ShowNames shows a value for people, an object with the names of its members.
func ShowNames(v any) string {
	object, _ := v.(map[string]any)
	if len(object) == 0 || len(object) > 8 {
		return show(v)
	}
	return "an object with " + strings.Join(slices.Sorted(maps.Keys(object)), ", ")
}

// quote quotes a text, shortened.
func quote(s string) string { return `"` + wording.ClipPrintable(s, 80) + `"` }

// clip bounds a sentence and makes control characters visible.
func clip(s string) string { return wording.ClipPrintable(s, maxSentence) }

// shortPointer cuts a pointer that is too long to an ancestor, so that it stays
// a pointer.
func shortPointer(p string) string {
	if len(p) <= maxSentence {
		return p
	}
	p = p[:maxSentence]
	return p[:max(0, strings.LastIndexByte(p, '/'))]
}
