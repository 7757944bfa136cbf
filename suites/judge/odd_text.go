package judge

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/adconform/adconform/spec"
)

// longText and longHost are the lengths from which that of a text is what matters.
const longText, longHost = 60, 50

// oddities are what texts may stumble over a server with, the most telling first.
var oddities = []struct {
	words string
	in    func(text string) bool
}{
	{"U+0000", has("\x00")},
	{"a tab", has("\t")},
	{"a line break", has("\n")},
	{"control characters", func(s string) bool { return strings.ContainsFunc(s, unicode.IsControl) }},
	{"half a character (a lone surrogate)", has("\ufffd")},
	{"an emoji", func(s string) bool { return strings.ContainsFunc(s, func(r rune) bool { return r > 0xffff }) }},
	{"letters beyond Latin-1", func(s string) bool {
		return strings.ContainsFunc(s, func(r rune) bool { return r > 0xff && r <= 0xffff })
	}},
	{"an accent", func(s string) bool {
		return strings.ContainsFunc(s, func(r rune) bool { return r > 0x7f && r <= 0xff })
	}},
	{"an apostrophe", has("'")},
	{"a quotation mark", has(`"`)},
	{"a backslash", has(`\`)},
	{"markup", has("<")},
	{"an ampersand", has("&")},
	{"a percent sign", has("%")},
	{"SQL words", has("SELECT")},
}

func has(part string) func(string) bool {
	return func(text string) bool { return strings.Contains(text, part) }
}

// ManyOddities are the words for a text with so many that none is named.
const ManyOddities = "a text with special characters"

var (
	onlyDigits = regexp.MustCompile(`^[0-9]+$`)
	quantifier = regexp.MustCompile(`\{[0-9]{3,}\}`)
)

// textWords say what is odd about a text for a field; "" for an ordinary one.
func textWords(f *spec.Field, text string) string {
	n := utf8.RuneCountInString(text)
	switch {
	case text == "":
		return "an empty text"
	case strings.TrimSpace(text) == "":
		return "a text of spaces"
	case f.Regex && quantifier.MatchString(text):
		return "an expression with a huge quantifier"
	case n >= longText, f.Hostname && n >= longHost:
		return fmt.Sprintf("a text of %d characters", n)
	case onlyDigits.MatchString(text):
		return "a text of digits"
	case text == "true":
		return "the text true"
	case f.Hostname && strings.ContainsAny(text, " "):
		return "a text that is not a hostname"
	case f.Hostname && strings.ToLower(text) != text:
		return "a hostname with capitals"
	case f.Regex && strings.HasPrefix(text, "(["):
		return "a text that is not an expression"
	case strings.TrimSpace(text) != text:
		return "a text with spaces around it"
	case !norm.NFC.IsNormalString(text):
		return "a text that is not normalised"
	case f.Regex:
		text = strings.ReplaceAll(text, `\.`, "") // belongs in an expression
	}
	var all []string
	for _, o := range oddities {
		if o.in(text) {
			all = append(all, o.words)
		}
	}
	switch {
	case len(all) == 0:
		return ""
	case len(all) > 3:
		return ManyOddities
	case all[0] == "a tab" || all[0] == "a line break" || all[0] == "U+0000": // control characters, too
		return "a text with " + all[0]
	}
	return "a text with " + strings.Join(all, " and ")
}
