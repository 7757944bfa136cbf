package specs

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	. "github.com/adconform/adconform/suites/match"
)

// The texts that a field may hold are open, so each of these is refused with 422 or comes
// back as it was sent, then and later. If a text with many oddities is refused, or makes the
// server fail, each oddity is sent alone.
func texts(s *Specs, op *spec.Operation) {
	for _, f := range fieldsWhere(op, isFreeText) {
		for _, text := range textsFor(f) {
			title := "A " + f.Name + " of this kind is refused with 422, or comes back as it was sent, then and later."
			s.Case("text/"+wording.Slug(f.Name)+"-"+text.name, title,
				append(text.options, Clause(op.Effects["shows"], op.Effects["persists"], "OPEN-6"), Observes(text.point, f.Name)),
				func(c *Case, o *Object) {
					a := sendText(c, o, f, text)
					c.Observe(text.point, a.Acceptance().Of(text.name))
					for _, n := range []int{text.length, 200, 60} { // limits may be in characters or in bytes
						if f.Hostname || text.length < 300 || text.length > 300 && !a.OK || sendText(c, o, f, long(n, longName).beyondASCII()).OK {
							break
						}
					}
					if text.name == many.name && !f.Hostname && (a.Status == 422 || a.Status >= 500) {
						for _, part := range manyParts {
							sendText(c, o, f, part)
						}
					}
				})
		}
	}
	damagedText(s, op)
}

// sendText updates a field with an odd text and, if that is accepted, reads it back. It first checks refused
// requests for effects, which would be overwritten.
func sendText(c *Case, o *Object, f *spec.Field, text oddText) *judge.Answer {
	if !c.Case.Stretch {
		c.VerifyNoTraceOf(o)
	}
	request := Request(c, o, Set(f.Name, text.with(unique(c))).Called(text.words))
	to := BeAccepted().Or(422).Citing("ERR-4")
	if text.length > 0 && !f.Hostname {
		to.Or(413)
	}
	a := send(c, request, to)
	if a.OK {
		c.Read(o)
	}
	return a
}

// damagedText registers bodies with a text that is not Unicode, or that nest deeply:
// only a crash is judged.
func damagedText(s *Specs, op *spec.Operation) {
	free := fieldsWhere(op, isFreeText)
	if len(free) == 0 {
		return
	}
	field := free[len(free)-1]
	title := "A damaged or deeply nested " + field.Name + " does not make the server fail, and a refusal has the error object."
	s.Case("text/"+wording.Slug(field.Name)+"-damaged", title, Options{Clause("HTTP-1", op.Clause)}, func(c *Case, o *Object) {
		for _, damaged := range []struct{ json, words string }{
			{`"a\ud800z"`, "a text with half a character (a lone surrogate)"},
			{"\"a\xffz\"", "a body that is not UTF-8"},
			{strings.Repeat("[", 1000) + strings.Repeat("]", 1000), "a body that nests a thousand deep"},
		} {
			c.Expect(c.Send(Request(c, o, writtenAs(field.Name, damaged.json).Called(damaged.words)))).To(BeAnswered().InForm())
		}
		c.Write(o, c.Ordinary(o, 1)) // overwrites whatever was stored
	})
}

// oddText is a text that implementations often mishandle.
type oddText struct {
	name, words string
	text        string  // with a token of the run, see withToken, and … for what makes it as long as it is
	length      int     // the text has so many characters
	pad         string  // repeated to fill the length
	point       string  // the open point at which the target's choice is recorded
	options     Options // Stretch if it is unlikely to be taken
}

// with returns the text with this token, at its full length.
func (t oddText) with(token string) string {
	text := withToken(t.text, token)
	if missing := t.length + 1 - utf8.RuneCountInString(text); t.length > 0 {
		text = strings.Replace(text, "…", string([]rune(strings.Repeat(t.pad, t.length))[:missing]), 1)
	}
	return text
}

// withToken replaces TOKEN in a text by a token of the run, so that the text is recognised wherever
// it shows.
func withToken(text, token string) string { return strings.ReplaceAll(text, "TOKEN", token) }

// beyondASCII is a text of the same length, all but the first of its characters of two to four
// bytes each, so put that hardly any limit in bytes that anybody chooses (64, 100, 128, 255, 1,000,
// 4,096, …) ends between two.
func (t oddText) beyondASCII() oddText {
	t.words, t.text, t.pad = t.words+" beyond ASCII", "TOKEN ad…", "😀é日本🎈🚀"
	return t
}

// of returns a text with odd characters. The document does not say which characters are allowed.
func of(name, words, text string, options ...Option) oddText {
	return oddText{name: name, words: words, text: text, point: "text-characters", options: options}
}

// oddities are texts with one oddity each: rare control characters, and oddities that one text
// can contain all at once.
var oddities = []oddText{
	of("c1-control", "a text with control characters", "a\u0085\u009fz TOKEN", Deep),
	of("accent", "a text with an accent", "aéz TOKEN", Deep),
	of("cjk", "a text with letters and punctuation beyond Latin-1", "a日’z TOKEN", Deep),
	of("emoji", "a text with an emoji", "a😀z TOKEN", Deep),
	of("apostrophe", "a text with an apostrophe", "a'z TOKEN", Deep),
	of("quote", "a text with a quotation mark", `a"z TOKEN`, Deep),
	of("backslash", "a text with a backslash", `a\z TOKEN`, Deep),
	of("markup", "a text with markup and an ampersand", "a&<b>x&amp;</b>z TOKEN", Deep),
	of("percent", "a text with a percent sign", "a+%41z TOKEN", Deep),
}

var (
	manyParts = oddities[1:]
	many      = of("many", judge.ManyOddities, `aé日’😀'"\&<b>x&amp;</b>+%41z TOKEN`, Quick)
	digits    = of("leading-zero", "a text of digits", "0815")
)

var commonTexts = []oddText{
	digits,
	of("word-true", "the text true", "true"),
	many,
	of("script", "a text with markup and braces", "a<script>{x}z TOKEN"),
	of("sql", "a text with SQL words, a bare percent sign and dollar signs", "aSELECT a FROM b 50 % $$z TOKEN"),
	of("tab", "a text with a tab", "a\tz TOKEN", Stretch),
	of("newline", "a text with a line break", "a\nz TOKEN", Stretch),
	of("nul", "a text with U+0000", "a\x00z TOKEN", Stretch, Quick),
}

const (
	noHostname   = "a text that is not a hostname"
	noExpression = "a text that is not an expression"
	longHost     = "www.TOKEN.….example.com"
	longName     = "TOKEN…"
)

// hostTexts are valid but unusual hostnames, and texts that are not hostnames. A long one begins
// with the characters that are often left out.
var hostTexts = []oddText{
	long(50, longHost),
	long(80, longHost),
	of("mixed-case", "a hostname with capitals", "TOKEN.Example.com"),
	of("short-label", "", "a.TOKEN.example.com"),
	of("empty-label", "", "a..TOKEN.example.com", Stretch),
	of(digits.name, digits.words, digits.text, Stretch),
	of(many.name, noHostname, many.text, Stretch, Quick),
}

// expressionTexts cost some engines much time or memory, or do not compile.
var expressionTexts = []oddText{
	expression("huge-quantifier", hugeQuantifier, "a{1000000}TOKEN"),
	expression("nested-quantifier", hugeQuantifier, "((a{100}){100}){100}TOKEN"),
	expression("endless-quantifier", hugeQuantifier, "a{99999999999}TOKEN"),
	expression("nested-groups", "an expression that nests deeply", strings.Repeat("(", 300)+"TOKEN"+strings.Repeat(")", 300)),
	expression("open-group", noExpression, "(?P<x>TOKEN"),
}

const hugeQuantifier = "an expression with a huge quantifier"

func expression(name, words, text string) oddText {
	return oddText{name: name, words: words, text: text, point: "regex-syntax", options: Options{Stretch}}
}

// long returns a text of so many characters. The document says nothing about limits, but a server may have one.
func long(n int, text string) oddText {
	return oddText{
		name: fmt.Sprintf("length-%d", n), words: fmt.Sprintf("a text of %d characters", n), length: n,
		text: text, pad: "n", options: Options{optionIf(n > 300, Stretch), optionIf(n > 5000, Quick)}, point: "text-length",
	}
}

// textsFor returns the texts for a field. If the document gives its maximum length, long texts are not open.
func textsFor(f *spec.Field) []oddText {
	switch {
	case f.Hostname:
		return hostTexts
	case f.Regex:
		return slices.Concat(commonTexts, expressionTexts, []oddText{long(300, longName)}, oddities)
	case f.Schema.MaxLength != nil:
		return slices.Concat(commonTexts, oddities)
	}
	longTexts := []oddText{long(60, longName), long(300, longName), long(5000, longName), long(65536, longName)}
	return slices.Concat(commonTexts, longTexts, oddities)
}
