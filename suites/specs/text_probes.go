package specs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
)

// probe is a text that implementations stumble over.
type probe struct {
	name  string
	text  func(unique string) string
	also  []int    // statuses allowed beside 422
	parts []string // oddities in it, each of which is tried alone where it is refused
	// unlikely to be taken: what those before it left is looked for after the last of them,
	// not before each.
	unlikely bool
}

// point is the open point at which is noted what became of the text.
func (p probe) point() string {
	switch {
	case strings.HasPrefix(p.name, "length"):
		return "text-length"
	case strings.HasSuffix(p.name, "quantifier"):
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
func many() probe {
	var all []string
	for _, o := range oddities {
		all = append(all, o.text)
	}
	return probe{name: "many", text: inside(strings.Join(all, "")), parts: all}
}

var digits = probe{name: "leading-zero", text: exactly("0815")}

var commonProbes = []probe{
	digits,
	{name: "word-true", text: exactly("true")},
	many(),
	{name: "script", text: inside("<script>")},
	{name: "sql", text: inside("SELECT a FROM b")},
	{name: "tab", text: inside("\t"), unlikely: true},
	{name: "newline", text: inside("\n"), unlikely: true},
	{name: "nul", text: inside("\x00"), unlikely: true},
}

// hostProbes are hostnames that are real and unusual, and texts that are none.
var hostProbes = []probe{
	{name: "length-50", text: func(unique string) string {
		label := strings.ToLower(strings.ReplaceAll(unique, " ", "-"))
		return label + "." + strings.Repeat("n", 50-len(label)-len("..example.com")) + ".example.com"
	}},
	{name: "mixed-case", text: func(unique string) string { return strings.ReplaceAll(unique, " ", "-") + ".Example.com" }},
	{name: "short-label", text: underLabel("a.")},
	{name: "empty-label", text: underLabel("a.."), unlikely: true},
	{name: digits.name, text: digits.text, unlikely: true},
	{name: "many", text: many().text, unlikely: true},
}

// underLabel is a hostname of the run that begins with other labels.
func underLabel(first string) func(unique string) string {
	return func(unique string) string {
		return first + strings.ToLower(strings.ReplaceAll(unique, " ", "-")) + ".example.com"
	}
}

// expressionProbes take some engines long, or much memory.
var expressionProbes = []probe{
	{name: "huge-quantifier", text: func(unique string) string { return "a{1000000}" + unique }, unlikely: true},
	{name: "nested-quantifier", text: func(unique string) string { return "((a{100}){100}){100}" + unique }, unlikely: true},
	long(300),
}

// long is a text of so many characters. A server may have a limit, of which the document
// says nothing.
func long(n int) probe {
	return probe{name: fmt.Sprintf("length-%d", n), also: []int{413}, unlikely: n > 300, text: func(unique string) string {
		return unique + strings.Repeat("n", n-len(unique))
	}}
}

// probes are the texts for a field. Where the document says how long it may be, that is
// not open, and bounds.go has the cases.
func probes(f *spec.Field) []probe {
	_, most := f.Lengths()
	switch {
	case f.Hostname:
		return hostProbes
	case f.Regex:
		return slices.Concat(commonProbes, expressionProbes)
	case most >= 0:
		return commonProbes
	}
	return slices.Concat(commonProbes, []probe{long(60), long(300), long(5000), long(65536)})
}
