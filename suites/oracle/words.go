package oracle

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable makes what is not printable visible as an escape: \x1b, \n, \u202e.
func Printable(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }) {
		return s
	}
	return clipTo(s, math.MaxInt)
}

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
		return "the number " + clipTo(string(v), 60)
	case []any:
		return fmt.Sprintf("an array of %d items", len(v))
	case map[string]any:
		return fmt.Sprintf("an object of %d members", len(v))
	}
	return fmt.Sprint(v)
}

// quote quotes a text, shortened.
func quote(s string) string { return `"` + clipTo(s, 80) + `"` }

// clip bounds a sentence and makes control characters visible.
func clip(s string) string { return clipTo(s, maxSentence) }

// clipTo does so with at most n characters.
func clipTo(s string, n int) string {
	var b strings.Builder
	used := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		text := s[i : i+size]
		if r == utf8.RuneError && size == 1 || !unicode.IsPrint(r) {
			text = escape(r, s[i])
		}
		width := utf8.RuneCountInString(text)
		if used+width > n-1 && (used+width > n || i+size < len(s)) {
			b.WriteString("…")
			break
		}
		b.WriteString(text)
		used += width
		i += size
	}
	return b.String()
}

func escape(r rune, first byte) string {
	if r == utf8.RuneError {
		return fmt.Sprintf(`\x%02x`, first)
	}
	return strings.Trim(strconv.QuoteRuneToASCII(r), "'")
}

// shortPointer cuts a pointer that is too long to an ancestor, so that it stays
// a pointer.
func shortPointer(p string) string {
	if len(p) <= maxSentence {
		return p
	}
	p = p[:maxSentence]
	return p[:max(0, strings.LastIndexByte(p, '/'))]
}
