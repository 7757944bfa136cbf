package finding

import (
	"html"
	"slices"
	"strings"
	"unicode/utf8"
)

// OfClass begins Sent.At if the finding concerns a whole class of odd or repeated requests. Each class has its own
// findings.
const OfClass = "request:"

// Words for ids and keys that are not the owner's.
const (
	OthersID  = "the id of another user's object"
	UnknownID = "an unknown id"
)

// ManyOddities are the words for a text with several oddities.
const ManyOddities = "a text with special characters"

// LostCharacters are the words for a text that comes back with characters missing.
const LostCharacters = "a text comes back with some of its characters lost or replaced"

// Changed describes how a text differs from the one that was sent: "a text comes back escaped for HTML". It returns ""
// for an unknown change.
func Changed(sent, got any) string {
	s, ok := sent.(string)
	g, isText := got.(string)
	change := ""
	switch {
	case !ok || s == "":
		return ""
	case got == nil:
		change = "as null, or not at all"
	case !isText:
		change = "as " + Kind(got)
	case g == html.EscapeString(s) || html.UnescapeString(g) == s:
		change = "escaped for HTML"
	case g == "":
		change = "empty"
	case strings.HasPrefix(s, strings.TrimRight(g, "\ufffd")): // perhaps within a character
		change = "cut off"
	case strings.EqualFold(g, s):
		change = "in other letter case"
	case unquoted.Replace(g) == unquoted.Replace(s):
		change = "with other quotation marks or backslashes"
	case mostly(g, s):
		return LostCharacters
	default:
		return ""
	}
	return "a text comes back " + change
}

// unquoted removes the characters that double or escape quotation marks.
var unquoted = strings.NewReplacer(`\`, "", `''`, `'`, `""`, `"`)

// mostly reports whether more than half of the characters of whole are those of part, in order. It looks for each no
// further than a line, or the time would grow with the product of the lengths.
func mostly(part, whole string) bool {
	same, rest := 0, []rune(whole)
	for _, r := range part {
		if i := slices.Index(rest[:min(len(rest), 80)], r); i >= 0 {
			same, rest = same+1, rest[i+1:]
		}
	}
	return 2*same > utf8.RuneCountInString(whole)
}
