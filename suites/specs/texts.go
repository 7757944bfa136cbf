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
var texts = Behaviour{Of: Updates, Specs: func(s *Specs, op *spec.Operation) {
	for _, f := range freeTexts(op) {
		for _, p := range Texts(f) {
			textProbe(s, op, f, p)
		}
		if f.Hostname {
			continue
		}
		for _, p := range Oddities() {
			textProbe(s, op, f, p, Deep)
		}
	}
	damagedText(s, op)
}}

// textProbe takes down an update of a field with an odd text. A text of many oddities
// that is refused, or makes the server fail, is followed by one with each.
func textProbe(s *Specs, op *spec.Operation, f *spec.Field, p OddText, decorators ...Decorator) {
	s.It(slug(f.Name)+"-"+p.Name, "A "+f.Name+" of this kind is refused with 422, or comes back as it was sent, then and later.",
		Class("text"), quickIf(p.Quick), decorators, Clause(op.Effects["shows"], op.Effects["persists"], "OPEN-6"), Observes(p.Point(), f.Name),
		func(c *Case) {
			o := object(c)
			a := sendText(c, o, f, p, p.Text)
			c.Observe(p.Point(), a.Acceptance().Of(p.Name))
			if p.Mixed != nil && (p.Both || a.OK) {
				sendText(c, o, f, p, p.Mixed)
			}
			if a.Status != 422 && a.Status < 500 {
				return
			}
			for _, text := range p.Parts {
				sendText(c, o, f, p, text)
			}
		})
}

// sendText updates a field with an odd text and, where that is taken, reads it back.
func sendText(c *Case, o *Object, f *spec.Field, p OddText, text func(unique string) string) *judge.Answer {
	request := Valid(c, o, Set(f.Name, text(unique(c))))
	request.Succeeds = !p.Unlikely
	a := c.Send(request)
	c.Expect(a).To(BeAccepted().Or(422).Or(p.Also...).Citing("ERR-4"))
	if a.OK {
		c.Read(o)
	}
	return a
}

// damagedText takes down bodies in which a text is no Unicode, or which nest deeply:
// only a crash is judged.
func damagedText(s *Specs, op *spec.Operation) {
	free := freeTexts(op)
	if len(free) == 0 {
		return
	}
	field := free[len(free)-1]
	title := "A damaged or deeply nested " + field.Name + " does not make the server fail, and a refusal has the error object."
	s.It(slug(field.Name)+"-damaged", title, Class("text"), Clause("HTTP-1", op.Clause),
		func(c *Case) {
			o := object(c)
			c.VerifyNoTraceOf(o)
			for _, damaged := range []string{
				`"a\ud800z"`, "\"a\xffz\"", strings.Repeat("[", 1000) + strings.Repeat("]", 1000),
			} {
				request := Wrong(c, o)
				sent := request.Body.Fields[field.Name].(string)
				body := strings.Replace(string(request.Body.Raw), `"`+sent+`"`, damaged, 1)
				delete(request.Body.Fields, field.Name)
				Text(body)(&request)
				c.Expect(c.Send(request)).To(BeAnswered().InForm())
			}
			c.Write(o, c.Ordinary(o, 1)) // whatever was stored is gone again
		})
}

// OddText is a text that implementations stumble over.
type OddText struct {
	Name  string
	Text  func(unique string) string
	Also  []int                        // statuses allowed beside 422
	Parts []func(unique string) string // one for each oddity in it, tried where it is refused
	// Mixed is a text of the same length that is not ASCII: it is sent where the other was taken
	// or, of Both, in any case.
	Mixed func(unique string) string
	Both  bool
	// Unlikely to be taken: what those before it left is looked for after the last of them,
	// not before each.
	Unlikely bool
	Quick    bool // it finds most for what it takes: depth quick has it, too
}

// Point is the open point at which is noted what became of the text.
func (t OddText) Point() string {
	switch {
	case strings.HasPrefix(t.Name, "length"):
		return "text-length"
	case slices.ContainsFunc(expressionTexts, func(e OddText) bool { return e.Name == t.Name }):
		return "regex-syntax"
	}
	return "text-characters"
}

func inside(oddity string) func(string) string {
	return func(unique string) string { return "a" + oddity + "z " + unique }
}

func exactly(text string) func(string) string { return func(string) string { return text } }

// oddities are those that one text can hold all at once.
var oddities = []struct{ name, text string }{
	{"accent", "é"},
	{"cjk", "日"},
	{"emoji", "😀"},
	{"apostrophe", "'"},
	{"quote", `"`},
	{"backslash", `\`},
	{"markup", "&<b>x</b>"},
	{"percent", "+%41"},
}

// many is one text with all of them.
func many() OddText {
	text, all := OddText{Name: "many", Quick: true}, ""
	for _, o := range oddities {
		text.Parts, all = append(text.Parts, inside(o.text)), all+o.text
	}
	text.Text = inside(all)
	return text
}

// Oddities are texts with one each, and one of control characters that few think of.
func Oddities() []OddText {
	all := []OddText{{Name: "c1-control", Text: inside("\u0085\u009f")}}
	for _, o := range oddities {
		all = append(all, OddText{Name: o.name, Text: inside(o.text)})
	}
	return all
}

var digits = OddText{Name: "leading-zero", Text: exactly("0815")}

var commonTexts = []OddText{
	digits,
	{Name: "word-true", Text: exactly("true")},
	many(),
	{Name: "script", Text: inside("<script>")},
	{Name: "sql", Text: inside("SELECT a FROM b")},
	{Name: "tab", Text: inside("\t"), Unlikely: true},
	{Name: "newline", Text: inside("\n"), Unlikely: true},
	{Name: "nul", Text: inside("\x00"), Unlikely: true, Quick: true},
}

// hostTexts are hostnames that are real and unusual, and texts that are none.
var hostTexts = []OddText{
	{Name: "length-50", Text: longHostname(50)},
	{Name: "length-80", Text: longHostname(80)},
	{Name: "mixed-case", Text: func(unique string) string { return strings.ReplaceAll(unique, " ", "-") + ".Example.com" }},
	{Name: "short-label", Text: underLabel("a.")},
	{Name: "empty-label", Text: underLabel("a.."), Unlikely: true},
	{Name: digits.Name, Text: digits.Text, Unlikely: true},
	{Name: "many", Text: many().Text, Unlikely: true, Quick: true},
}

// longHostname is a hostname of so many characters, the first of them those that are often left out.
func longHostname(n int) func(unique string) string {
	return func(unique string) string {
		label := "www." + strings.ToLower(strings.ReplaceAll(unique, " ", "-"))
		return label + "." + strings.Repeat("n", n-len(label)-len("..example.com")) + ".example.com"
	}
}

// underLabel is a hostname of the run that begins with other labels.
func underLabel(first string) func(unique string) string {
	return func(unique string) string {
		return first + strings.ToLower(strings.ReplaceAll(unique, " ", "-")) + ".example.com"
	}
}

// expressionTexts take some engines long, or much memory, or do not compile.
var expressionTexts = []OddText{
	{Name: "huge-quantifier", Text: func(unique string) string { return "a{1000000}" + unique }, Unlikely: true},
	{Name: "nested-quantifier", Text: func(unique string) string { return "((a{100}){100}){100}" + unique }, Unlikely: true},
	{Name: "endless-quantifier", Text: func(unique string) string { return "a{99999999999}" + unique }, Unlikely: true},
	{Name: "nested-groups", Unlikely: true, Text: func(unique string) string {
		return strings.Repeat("(", 300) + unique + strings.Repeat(")", 300)
	}},
	{Name: "open-group", Text: func(unique string) string { return "(?P<x>" + unique }, Unlikely: true},
}

// longest is the length of the longest text.
const longestText = 65536

// long is a text of so many characters. A server may have a limit, of which the document
// says nothing.
func long(n int) OddText {
	return OddText{
		Name: fmt.Sprintf("length-%d", n), Also: []int{413}, Unlikely: n > 300, Quick: n == longestText,
		Text:  func(unique string) string { return unique + strings.Repeat("n", n-len(unique)) },
		Mixed: func(unique string) string { return mixed(unique, n) }, Both: n <= 300,
	}
}

// mixed is a text of n characters, all but the first of two to four bytes each, so put that hardly
// any limit in bytes that anybody chooses (64, 100, 128, 255, 1,000, 4,096, …) ends between two.
func mixed(unique string, n int) string {
	text := []rune(unique + " ad")
	for i := 0; len(text) < n; i++ {
		text = append(text, []rune("😀é日本🎈🚀")[i%6])
	}
	return string(text)
}

// Texts are the texts for a field. Where the document says how long it may be, that is
// not open, and Bounds has them.
func Texts(f *spec.Field) []OddText {
	_, most := f.Lengths()
	switch {
	case f.Hostname:
		return hostTexts
	case f.Regex:
		return slices.Concat(commonTexts, expressionTexts, []OddText{long(300)})
	case most >= 0:
		return commonTexts
	}
	return slices.Concat(commonTexts, []OddText{long(60), long(300), long(5000), long(longestText)})
}
