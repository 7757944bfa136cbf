package finding

import (
	"html"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// Kinds of JSON values.
const (
	KindNull    = "null"
	KindArray   = "an array"
	KindObject  = "an object"
	KindBoolean = "a boolean"
	KindString  = "a string"
	KindNumber  = "a number"
)

// KindOf names the JSON type of a value.
func KindOf(v any) string {
	switch v.(type) {
	case nil:
		return KindNull
	case []any:
		return KindArray
	case map[string]any:
		return KindObject
	case bool:
		return KindBoolean
	case string:
		return KindString
	}
	return KindNumber
}

// maxMembers is how many members of an object are named.
const maxMembers = 8

// ShapeOf returns the form of a JSON value.
func ShapeOf(v any) Shape {
	shape := Shape{Kind: KindOf(v)}
	if object, _ := v.(map[string]any); len(object) <= maxMembers {
		shape.Members = slices.Sorted(maps.Keys(object))
	}
	return shape
}

// Changed returns how a text differs from the one that was sent, or no cause for an unknown change.
func Changed(sent, got any) Cause {
	text, isText := sent.(string)
	if !isText || text == "" {
		return Cause{}
	}
	switch shown, isText := got.(string); {
	case got == nil:
		return CauseOf(BackAsNull)
	case !isText:
		return Cause{Kind: BackAsOther, Detail: KindOf(got)}
	default:
		return CauseOf(changeOf(text, shown))
	}
}

// changeOf returns how a text comes back that is not the one that was sent.
func changeOf(sent, got string) Kind {
	isEscaped := got == html.EscapeString(sent) || html.UnescapeString(got) == sent
	switch {
	case isEscaped:
		return BackEscaped
	case got == "":
		return BackEmpty
	case strings.HasPrefix(sent, strings.TrimRight(got, "\ufffd")): // perhaps cut within a character
		return BackCut
	case strings.EqualFold(got, sent):
		return BackOtherCase
	case unquoted.Replace(got) == unquoted.Replace(sent):
		return BackQuoted
	case isMostOf(got, sent):
		return BackLossy
	}
	return ""
}

// unquoted removes the characters that double or escape quotation marks.
var unquoted = strings.NewReplacer(`\`, "", `''`, `'`, `""`, `"`)

// maxLooked is how many characters ahead isMostOf looks: without a limit its time would grow with the product of the
// lengths.
const maxLooked = 80

// isMostOf reports whether part has more than half of the characters of whole, in order.
func isMostOf(part, whole string) bool {
	same := 0
	rest := []rune(whole)
	for _, r := range part {
		if i := slices.Index(rest[:min(len(rest), maxLooked)], r); i >= 0 {
			same++
			rest = rest[i+1:]
		}
	}
	return 2*same > utf8.RuneCountInString(whole)
}
