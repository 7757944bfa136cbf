package report

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable makes a text harmless on a terminal and in a log: what is not
// printable, such as an escape sequence, a line break or a character that turns
// the writing direction, is shown as an escape (\x1b, \n, \u202e).
func Printable(text string) string {
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"):
			b.WriteString(strings.Trim(strconv.Quote(text[i:i+1]), `"`))
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}
