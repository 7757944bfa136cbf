package specs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	. "github.com/adconform/adconform/suites/match"
)

// Which texts a field may hold is open, so each of these is refused with 422 or comes
// back as it was sent, then and later.
func texts(s *Specs, op *spec.Operation) {
	for _, f := range freeTexts(op) {
		for _, text := range textsFor(f) {
			textProbe(s, op, f, text, optionIf(text.quick, Quick))
		}
		if f.Hostname {
			continue
		}
		for _, text := range oddities {
			textProbe(s, op, f, text, Deep)
		}
	}
	damagedText(s, op)
}

// textProbe registers an update of a field with an odd text. A text of many oddities
// that is refused, or makes the server fail, is followed by one with each.
func textProbe(s *Specs, op *spec.Operation, f *spec.Field, text oddText, depth Option) {
	s.Case("text/"+slug(f.Name)+"-"+text.name, "A "+f.Name+" of this kind is refused with 422, or comes back as it was sent, then and later.",
		Options{depth, Clause(op.Effects["shows"], op.Effects["persists"], "OPEN-6"), Observes(text.point(), f.Name)},
		func(c *Case, o *Object) {
			a := sendText(c, o, f, text)
			c.Observe(text.point(), a.Acceptance().Of(text.name))
			if text.length > 0 && !f.Hostname && (text.length <= 300 || a.OK) {
				sendText(c, o, f, text.beyondASCII())
			}
			if text.name != many.name || f.Hostname || a.Status != 422 && a.Status < 500 {
				return
			}
			for _, part := range manyParts {
				sendText(c, o, f, part)
			}
		})
}

// sendText updates a field with an odd text and, where that is taken, reads it back.
func sendText(c *Case, o *Object, f *spec.Field, text oddText) *judge.Answer {
	request := Valid(c, o, Set(f.Name, text.of(unique(c))).Called(text.words))
	request.Succeeds = !text.unlikely
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

// damagedText registers bodies in which a text is no Unicode, or which nest deeply:
// only a crash is judged.
func damagedText(s *Specs, op *spec.Operation) {
	free := freeTexts(op)
	if len(free) == 0 {
		return
	}
	field := free[len(free)-1]
	title := "A damaged or deeply nested " + field.Name + " does not make the server fail, and a refusal has the error object."
	s.Case("text/"+slug(field.Name)+"-damaged", title, Options{Clause("HTTP-1", op.Clause)}, func(c *Case, o *Object) {
		c.VerifyNoTraceOf(o)
		for _, damaged := range []struct{ json, words string }{
			{`"a\ud800z"`, "a text with half a character (a lone surrogate)"},
			{"\"a\xffz\"", "a body that is not UTF-8"},
			{strings.Repeat("[", 1000) + strings.Repeat("]", 1000), "a body that nests a thousand deep"},
		} {
			c.Expect(c.Send(Wrong(c, o, writtenAs(field.Name, damaged.json).Called(damaged.words)))).To(BeAnswered().InForm())
		}
		c.Write(o, c.Ordinary(o, 1)) // whatever was stored is gone again
	})
}

// oddText is a text that implementations stumble over. It holds a token of the run, so that it is
// known where it shows.
type oddText struct {
	name, words string
	of          func(token string) string
	length      int // the text has so many characters
	// unlikely to be taken: what those before it left is looked for after the last of them, not
	// before each.
	unlikely bool
	quick    bool // it finds most for what it takes: depth quick has it, too
}

// within is a text with an oddity in it.
func within(odd string) func(string) string {
	return func(token string) string { return "a" + odd + "z " + token }
}

// exactly is a text without a token.
func exactly(text string) func(string) string { return func(string) string { return text } }

// beyondASCII is a text of the same length, all but the first of its characters of two to four
// bytes each, so put that hardly any limit in bytes that anybody chooses (64, 100, 128, 255, 1,000,
// 4,096, …) ends between two.
func (t oddText) beyondASCII() oddText {
	mixed := t
	mixed.words += " beyond ASCII"
	mixed.of = func(token string) string {
		text := []rune(token + " ad")
		for i := 0; len(text) < t.length; i++ {
			text = append(text, []rune("😀é日本🎈🚀")[i%6])
		}
		return string(text)
	}
	return mixed
}

// point is the open point at which is noted what became of the text.
func (t oddText) point() string {
	switch {
	case t.length > 0:
		return "text-length"
	case slices.ContainsFunc(expressionTexts, func(e oddText) bool { return e.name == t.name }):
		return "regex-syntax"
	}
	return "text-characters"
}

// oddities are texts with one oddity each: control characters that few think of, and those that
// one text can hold all at once.
var oddities = []oddText{
	{name: "c1-control", words: "a text with control characters", of: within("\u0085\u009f")},
	{name: "accent", words: "a text with an accent", of: within("é")},
	{name: "cjk", words: "a text with letters beyond Latin-1", of: within("日")},
	{name: "emoji", words: "a text with an emoji", of: within("😀")},
	{name: "apostrophe", words: "a text with an apostrophe", of: within("'")},
	{name: "quote", words: "a text with a quotation mark", of: within(`"`)},
	{name: "backslash", words: "a text with a backslash", of: within(`\`)},
	{name: "markup", words: "a text with markup and an ampersand", of: within("&<b>x</b>")},
	{name: "percent", words: "a text with a percent sign", of: within("+%41")},
}

var (
	manyParts = oddities[1:]
	many      = oddText{name: "many", words: judge.ManyOddities, of: within(`é日😀'"\&<b>x</b>+%41`), quick: true}
	digits    = oddText{name: "leading-zero", words: "a text of digits", of: exactly("0815")}
)

var commonTexts = []oddText{
	digits,
	{name: "word-true", words: "the text true", of: exactly("true")},
	many,
	{name: "script", words: "a text with markup", of: within("<script>")},
	{name: "sql", words: "a text with SQL words", of: within("SELECT a FROM b")},
	{name: "tab", words: "a text with a tab", of: within("\t"), unlikely: true},
	{name: "newline", words: "a text with a line break", of: within("\n"), unlikely: true},
	{name: "nul", words: "a text with U+0000", of: within("\x00"), unlikely: true, quick: true},
}

// noHostname are the words for a text that no hostname has the form of.
const noHostname = "a text that is not a hostname"

// hostTexts are hostnames that are real and unusual, and texts that are none. Of a long one the
// first characters are those that are often left out.
var hostTexts = []oddText{
	{name: "length-50", words: "a text of 50 characters", length: 50, of: longHostname(50)},
	{name: "length-80", words: "a text of 80 characters", length: 80, of: longHostname(80)},
	{name: "mixed-case", words: "a hostname with capitals", of: func(token string) string { return token + ".Example.com" }},
	{name: "short-label", of: func(token string) string { return "a." + strings.ToLower(token) + ".example.com" }},
	{name: "empty-label", unlikely: true, of: func(token string) string { return "a.." + strings.ToLower(token) + ".example.com" }},
	{name: digits.name, words: digits.words, of: digits.of, unlikely: true},
	{name: many.name, words: noHostname, of: many.of, unlikely: true, quick: true},
}

func longHostname(n int) func(token string) string {
	return func(token string) string {
		first := "www." + strings.ToLower(token)
		return first + "." + strings.Repeat("n", n-len(first)-len("..example.com")) + ".example.com"
	}
}

const hugeQuantifier = "an expression with a huge quantifier"

// expressionTexts take some engines long, or much memory, or do not compile.
var expressionTexts = []oddText{
	{name: "huge-quantifier", words: hugeQuantifier, unlikely: true, of: func(token string) string { return "a{1000000}" + token }},
	{name: "nested-quantifier", words: hugeQuantifier, unlikely: true, of: func(token string) string {
		return "((a{100}){100}){100}" + token
	}},
	{name: "endless-quantifier", words: hugeQuantifier, unlikely: true, of: func(token string) string { return "a{99999999999}" + token }},
	{name: "nested-groups", words: "an expression that nests deeply", unlikely: true, of: func(token string) string {
		return strings.Repeat("(", 300) + token + strings.Repeat(")", 300)
	}},
	{name: "open-group", words: noExpression, unlikely: true, of: func(token string) string { return "(?P<x>" + token }},
}

// noExpression are the words for a text that is no regular expression.
const noExpression = "a text that is not an expression"

// longest is the length of the longest text.
const longestText = 65536

// long is a text of so many characters. A server may have a limit, of which the document
// says nothing.
func long(n int) oddText {
	return oddText{
		name: fmt.Sprintf("length-%d", n), words: fmt.Sprintf("a text of %d characters", n), length: n,
		of:       func(token string) string { return token + strings.Repeat("n", n-len(token)) },
		unlikely: n > 300, quick: n == longestText,
	}
}

// textsFor are the texts for a field. Where the document says how long it may be, that is
// not open, and fieldBounds has them.
func textsFor(f *spec.Field) []oddText {
	_, most := f.Lengths()
	switch {
	case f.Hostname:
		return hostTexts
	case f.Regex:
		return slices.Concat(commonTexts, expressionTexts, []oddText{long(300)})
	case most >= 0:
		return commonTexts
	}
	return slices.Concat(commonTexts, []oddText{long(60), long(300), long(5000), long(longestText)})
}
