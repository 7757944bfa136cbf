package judge

import (
	"html"
	"net/url"
	"strings"
	"unicode/utf8"
)

// Changed are words with what became of a text that does not come back as it was sent:
// "escaped for HTML"; "" where no known change makes the one of the other.
func Changed(words string, sent, got any) string {
	s, ok := sent.(string)
	g, isText := got.(string)
	switch {
	case !ok || s == "":
		return ""
	case got == nil:
		return words + "as null, or not at all"
	case !isText:
		return words + "as " + kindWords(got)
	}
	decoded, err := url.QueryUnescape(s)
	for _, d := range []struct {
		words string
		is    bool
	}{
		{"escaped for HTML", g == html.EscapeString(s) || html.UnescapeString(g) == s},
		{"empty", g == ""},
		{"cut off", strings.HasPrefix(s, g)},
		{"in lower case", g == strings.ToLower(s)},
		{"in capitals", g == strings.ToUpper(s)},
		{"decoded as a URL", err == nil && g == decoded},
		{"with its quotes doubled or escaped", unquoted(g) == unquoted(s)},
		{"without some of its characters", utf8.RuneCountInString(g) < utf8.RuneCountInString(s) && within(g, s)},
		{"with other characters in the place of some", utf8.RuneCountInString(g) == utf8.RuneCountInString(s) && mostly(g, s)},
	} {
		if d.is {
			return words + d.words
		}
	}
	return ""
}

// unquoted is a text with quotation marks that nothing doubles or escapes.
func unquoted(s string) string {
	return strings.NewReplacer(`\`, "", `''`, `'`, `""`, `"`).Replace(s)
}

// within says whether a text is another with characters left out.
func within(part, whole string) bool {
	rest := []rune(part)
	for _, r := range whole {
		if len(rest) > 0 && rest[0] == r {
			rest = rest[1:]
		}
	}
	return len(rest) == 0
}

// mostly says whether two texts of one length have more than half of their characters in
// common.
func mostly(a, b string) bool {
	same, other := 0, []rune(b)
	for i, r := range []rune(a) {
		if r == other[i] {
			same++
		}
	}
	return 2*same > len(other)
}
