package faults

import (
	"html"
	"net/url"
	"strings"
	"unicode"

	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// text is a way to spoil a text between request and answer.
type text struct {
	name, sentence string
	spoil          func(string) string
	rare           bool // ordinary texts never show it
	nothost        bool // means nothing for hostnames: they have no such characters, or no letter case
	noregex        bool // means nothing for expressions
	oddhost        bool // shows in hostnames that are none
}

// stored says whether the way means something for the texts of a field that are stored,
// those of hostnames that are none included.
func (t *text) stored(f *spec.Field) bool {
	return freeText(f) && !(f.Hostname && (t.nothost || t.rare && !t.oddhost)) && !(f.Regex && t.noregex)
}

// shown says the same of texts that are right.
func (t *text) shown(f *spec.Field) bool {
	return t.stored(f) && (!f.Hostname || !t.rare || t.name == "cut-16")
}

// drop removes characters; swap replaces one text by another.
func drop(is func(r rune) bool) func(string) string {
	return func(s string) string {
		return strings.Map(func(r rune) rune {
			if is(r) {
				return -1
			}
			return r
		}, s)
	}
}

func swap(old, new string) func(string) string {
	return func(s string) string { return strings.ReplaceAll(s, old, new) }
}

func cut(n int) func(string) string {
	return func(s string) string { r := []rune(s); return string(r[:min(n, len(r))]) }
}

// texts are the ways in which texts get spoilt. Trimming, normalisation and a
// refusal are none: they are open.
var texts = []text{
	{name: "cut-12", sentence: "cut to 12 characters", spoil: cut(12)},
	{name: "cut-16", sentence: "cut to 16 characters", spoil: cut(16), rare: true, oddhost: true},
	{name: "cut-50", sentence: "cut to 50 characters", spoil: cut(50), rare: true},
	{name: "cut-255", sentence: "cut to 255 characters", spoil: cut(255), rare: true},
	{name: "cut-4096", sentence: "cut to 4,096 characters", spoil: cut(4096), rare: true, noregex: true},
	{name: "lower-case", sentence: "in lower case", spoil: strings.ToLower, nothost: true, noregex: true},
	{name: "upper-case", sentence: "in upper case", spoil: strings.ToUpper, nothost: true},
	{name: "no-spaces", sentence: "without spaces", spoil: swap(" ", ""), nothost: true, noregex: true},
	{name: "underscores", sentence: "with underscores for spaces", spoil: swap(" ", "_"), nothost: true, noregex: true},
	{name: "no-digits", sentence: "without digits", spoil: drop(unicode.IsDigit)},
	{name: "last-lost", sentence: "without the last character", spoil: func(s string) string { return s[:max(0, len(s)-1)] }},
	{name: "number", sentence: "without leading zeros", rare: true, oddhost: true, spoil: func(s string) string {
		if strings.Trim(s, "0123456789") == "" {
			return strings.TrimLeft(s, "0")
		}
		return s
	}},
	{name: "html", sentence: "with HTML entities", spoil: html.EscapeString, rare: true, oddhost: true},
	{name: "no-markup", sentence: "without markup", rare: true, spoil: func(s string) string {
		if i, j := strings.IndexByte(s, '<'), strings.LastIndexByte(s, '>'); 0 <= i && i < j {
			return s[:i] + s[j+1:]
		}
		return s
	}},
	{name: "url-decoded", sentence: "as if it were URL-encoded", rare: true, spoil: func(s string) string {
		if t, err := url.QueryUnescape(s); err == nil && strings.ContainsAny(s, "%+") {
			return t
		}
		return s
	}},
	{name: "quotes-doubled", sentence: "with apostrophes doubled", spoil: swap("'", "''"), rare: true, oddhost: true},
	{name: "quotes-escaped", sentence: "with backslashes before quotation marks", spoil: swap(`"`, `\"`), rare: true},
	{name: "backslashes-lost", sentence: "without backslashes", spoil: swap(`\`, ""), rare: true, oddhost: true},
	{name: "ascii-only", sentence: "with ? for all but ASCII", rare: true, oddhost: true, spoil: func(s string) string {
		return strings.Map(func(r rune) rune {
			if r > unicode.MaxASCII {
				return '?'
			}
			return r
		}, s)
	}},
	{name: "latin1", sentence: "as Latin-1 read as UTF-8", rare: true, spoil: func(s string) string {
		var b strings.Builder
		for _, c := range []byte(s) {
			b.WriteRune(rune(c))
		}
		return b.String()
	}},
	{name: "three-bytes", sentence: "without characters beyond the basic plane", rare: true, oddhost: true, spoil: drop(func(r rune) bool {
		return r > 0xFFFF
	})},
	{name: "control-lost", sentence: "without control characters", rare: true, spoil: drop(unicode.IsControl)},
	{name: "nul-ends", sentence: "up to U+0000", rare: true, spoil: func(s string) string {
		before, _,
			_ := strings.Cut(s, "\x00")
		return before
	}},
	{name: "lines", sentence: "with escapes for line breaks", rare: true, spoil: swap("\n", `\n`)},
	{name: "keywords-lost", sentence: "without words of SQL", rare: true, spoil: swap("SELECT", "")},
}

// permissive lets every text pass, so that what becomes of it shows.
func permissive(c *reference.Choices) {
	c.ControlCharacters, c.MaxNameLength = reference.Accept, 100_000
	c.InvalidRegex, c.InvalidHostname = reference.Accept, reference.Accept
}
