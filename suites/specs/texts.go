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
				Options{
					optionIf(text.quick, Quick), optionIf(text.unlikely, Stretch), optionIf(slices.Contains(oddities, text), Deep),
					Clause(op.Effects["shows"], op.Effects["persists"], "OPEN-6"), Observes(text.point(), f.Name),
				},
				func(c *Case, o *Object) {
					a := sendText(c, o, f, text)
					c.Observe(text.point(), a.Acceptance().Of(text.name))
					if text.length > 0 && !f.Hostname && (text.length <= 300 || a.OK) {
						sendText(c, o, f, text.beyondASCII())
					}
					if text != many || a.Status != 422 && a.Status < 500 {
						return
					}
					for _, part := range manyParts {
						sendText(c, o, f, part)
					}
				})
		}
	}
	damagedText(s, op)
}

// sendText updates a field with an odd text and, if that is accepted, reads it back. It first checks refused
// requests for effects, which would be overwritten.
func sendText(c *Case, o *Object, f *spec.Field, text oddText) *judge.Answer {
	if !text.unlikely {
		c.VerifyNoTraceOf(o)
	}
	request := Valid(c, o, Set(f.Name, text.with(unique(c))).Called(text.words))
	to := BeAccepted().Or(422).Citing("ERR-4")
	if text.point() == "text-length" && !f.Hostname {
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
			c.Expect(c.Send(Wrong(c, o, writtenAs(field.Name, damaged.json).Called(damaged.words)))).To(BeAnswered().InForm())
		}
		c.Write(o, c.Ordinary(o, 1)) // overwrites whatever was stored
	})
}

// oddText is a text that implementations often mishandle.
type oddText struct {
	name, words string
	text        string // with a token of the run, see withToken, and … for what makes it as long as it is
	length      int    // the text has so many characters
	pad         string // repeated to fill the length
	// unlikely to be taken: what those before it left is looked for after the last of them, not
	// before each.
	unlikely bool
	quick    bool // it finds most for its cost: depth quick sends it, too
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

// point returns the open point at which the target's choice for the text is recorded.
func (t oddText) point() string {
	switch {
	case t.length > 0:
		return "text-length"
	case slices.Contains(expressionTexts, t):
		return "regex-syntax"
	}
	return "text-characters"
}

// oddities returns texts with one oddity each: rare control characters, and oddities that one text
// can contain all at once.
var oddities = []oddText{
	{name: "c1-control", words: "a text with control characters", text: "a\u0085\u009fz TOKEN"},
	{name: "accent", words: "a text with an accent", text: "aéz TOKEN"},
	{name: "cjk", words: "a text with letters and punctuation beyond Latin-1", text: "a日’z TOKEN"},
	{name: "emoji", words: "a text with an emoji", text: "a😀z TOKEN"},
	{name: "apostrophe", words: "a text with an apostrophe", text: "a'z TOKEN"},
	{name: "quote", words: "a text with a quotation mark", text: `a"z TOKEN`},
	{name: "backslash", words: "a text with a backslash", text: `a\z TOKEN`},
	{name: "markup", words: "a text with markup and an ampersand", text: "a&<b>x&amp;</b>z TOKEN"},
	{name: "percent", words: "a text with a percent sign", text: "a+%41z TOKEN"},
}

var (
	manyParts = oddities[1:]
	many      = oddText{name: "many", words: judge.ManyOddities, text: `aé日’😀'"\&<b>x&amp;</b>+%41z TOKEN`, quick: true}
	digits    = oddText{name: "leading-zero", words: "a text of digits", text: "0815"}
)

var commonTexts = []oddText{
	digits,
	{name: "word-true", words: "the text true", text: "true"},
	many,
	{name: "script", words: "a text with markup and braces", text: "a<script>{x}z TOKEN"},
	{name: "sql", words: "a text with SQL words, a bare percent sign and dollar signs", text: "aSELECT a FROM b 50 % $$z TOKEN"},
	{name: "tab", words: "a text with a tab", text: "a\tz TOKEN", unlikely: true},
	{name: "newline", words: "a text with a line break", text: "a\nz TOKEN", unlikely: true},
	{name: "nul", words: "a text with U+0000", text: "a\x00z TOKEN", unlikely: true, quick: true},
}

const (
	noHostname   = "a text that is not a hostname"
	noExpression = "a text that is not an expression"
	longHost     = "www.TOKEN.….example.com"
)

// hostTexts are valid but unusual hostnames, and texts that are not hostnames. A long one begins
// with the characters that are often left out.
var hostTexts = []oddText{
	long(50, longHost),
	long(80, longHost),
	{name: "mixed-case", words: "a hostname with capitals", text: "TOKEN.Example.com"},
	{name: "short-label", text: "a.TOKEN.example.com"},
	{name: "empty-label", unlikely: true, text: "a..TOKEN.example.com"},
	{name: digits.name, words: digits.words, text: digits.text, unlikely: true},
	{name: many.name, words: noHostname, text: many.text, unlikely: true, quick: true},
}

const hugeQuantifier = "an expression with a huge quantifier"

// expressionTexts cost some engines much time or memory, or do not compile.
var expressionTexts = []oddText{
	{name: "huge-quantifier", words: hugeQuantifier, unlikely: true, text: "a{1000000}TOKEN"},
	{name: "nested-quantifier", words: hugeQuantifier, unlikely: true, text: "((a{100}){100}){100}TOKEN"},
	{name: "endless-quantifier", words: hugeQuantifier, unlikely: true, text: "a{99999999999}TOKEN"},
	{
		name: "nested-groups", words: "an expression that nests deeply", unlikely: true,
		text: strings.Repeat("(", 300) + "TOKEN" + strings.Repeat(")", 300),
	},
	{name: "open-group", words: noExpression, unlikely: true, text: "(?P<x>TOKEN"},
}

const longName = "TOKEN…"

// long returns a text of so many characters. The document says nothing about limits, but a server may have one.
func long(n int, text string) oddText {
	return oddText{
		name: fmt.Sprintf("length-%d", n), words: fmt.Sprintf("a text of %d characters", n), length: n,
		text: text, pad: "n", unlikely: n > 300, quick: n > 5000,
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
