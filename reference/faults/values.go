package faults

import (
	"html"
	"net/http"
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
	{name: "cut-16", sentence: "cut to 16 characters", spoil: cut(16), rare: true},
	{name: "cut-50", sentence: "cut to 50 characters", spoil: cut(50), rare: true},
	{name: "cut-255", sentence: "cut to 255 characters", spoil: cut(255), rare: true},
	{name: "cut-4096", sentence: "cut to 4,096 characters", spoil: cut(4096), rare: true, noregex: true},
	{name: "lower-case", sentence: "in lower case", spoil: strings.ToLower, nothost: true, noregex: true},
	{name: "upper-case", sentence: "in upper case", spoil: strings.ToUpper, nothost: true},
	{name: "no-spaces", sentence: "without spaces", spoil: swap(" ", ""), nothost: true, noregex: true},
	{name: "underscores", sentence: "with underscores for spaces", spoil: swap(" ", "_"), nothost: true, noregex: true},
	{name: "no-digits", sentence: "without digits", spoil: drop(unicode.IsDigit)},
	{name: "last-lost", sentence: "without the last character", spoil: func(s string) string { return s[:max(0, len(s)-1)] }},
	{name: "number", sentence: "without leading zeros", rare: true, spoil: func(s string) string {
		if strings.Trim(s, "0123456789") == "" {
			return strings.TrimLeft(s, "0")
		}
		return s
	}},
	{name: "html", sentence: "with HTML entities", spoil: html.EscapeString, rare: true},
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
	{name: "quotes-doubled", sentence: "with apostrophes doubled", spoil: swap("'", "''"), rare: true},
	{name: "quotes-escaped", sentence: "with backslashes before quotation marks", spoil: swap(`"`, `\"`), rare: true},
	{name: "backslashes-lost", sentence: "without backslashes", spoil: swap(`\`, ""), rare: true},
	{name: "ascii-only", sentence: "with ? for all but ASCII", rare: true, spoil: func(s string) string {
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
	{name: "three-bytes", sentence: "without characters beyond the basic plane", rare: true, spoil: drop(func(r rune) bool { return r > 0xFFFF })},
	{name: "control-lost", sentence: "without control characters", rare: true, spoil: drop(unicode.IsControl)},
	{name: "nul-ends", sentence: "up to U+0000", rare: true, spoil: func(s string) string { before, _, _ := strings.Cut(s, "\x00"); return before }},
	{name: "lines", sentence: "with escapes for line breaks", rare: true, spoil: swap("\n", `\n`)},
	{name: "keywords-lost", sentence: "without words of SQL", rare: true, spoil: swap("SELECT", "")},
}

// permissive lets every text pass, so that what becomes of it shows.
func permissive(c *reference.Choices) {
	c.ControlCharacters, c.MaxNameLength = reference.Accept, 100_000
	c.InvalidRegex, c.InvalidHostname = reference.Accept, reference.Accept
}

// valueFaults spoil legal values, or refuse them.
func valueFaults(c *spec.Contract) []Fault {
	var all []Fault
	for _, op := range updates(c) {
		for _, f := range op.Body.Fields {
			if len(f.Enum) > 0 {
				all = append(all, refusedActions(op, f)...)
				continue
			}
			all = append(all, refusedTexts(op, f)...)
			for _, way := range texts {
				if f.Hostname && (way.nothost || way.rare && way.name != "cut-16") || f.Regex && way.noregex {
					continue
				}
				all = append(all, Fault{
					ID: "value/" + way.name + "/" + op.ID + "/" + f.Name, Clause: op.Effects["shows"], Also: []string{op.Effects["persists"]},
					Sentence: op.ID + ": " + f.Name + " is stored and shown " + way.sentence + ".", Choices: permissive,
					Wrap: each(on(op.ID, func(x *exchange) *answer {
						return x.send(x.request.alter(func(doc map[string]any) {
							if s, ok := doc[f.Name].(string); ok {
								if spoilt := way.spoil(s); spoilt != "" {
									doc[f.Name] = spoilt
								}
							}
						}))
					})),
				}, Fault{
					ID: "value/shown-" + way.name + "/" + op.ID + "/" + f.Name, Clause: op.Effects["shows"], Also: []string{op.Effects["persists"]},
					Sentence: op.ID + ": " + f.Name + " is stored as sent and shown " + way.sentence + ".", Choices: permissive,
					Wrap: each(on(op.ID, func(x *exchange) *answer {
						return x.forward().shown(func(data map[string]any) {
							if s, ok := data[f.Name].(string); ok {
								data[f.Name] = way.spoil(s)
							}
						})
					})),
				})
			}
		}
	}
	return all
}

// refusedActions are values of an enumeration that are not taken.
func refusedActions(op *spec.Operation, f *spec.Field) []Fault {
	var all []Fault
	add := func(name, clause, sentence string, also []string, b behaviour) {
		all = append(all, Fault{
			ID: "value/" + name + "/" + op.ID + "/" + f.Name, Clause: clause, Also: append(also, op.Clause, f.Clause),
			Sentence: op.ID + ": " + sentence + ".", Wrap: each(on(op.ID, b)),
		})
	}
	for i, value := range f.Enum {
		add("refused-"+value, f.Clause, value+" is refused for "+f.Name, nil, func(x *exchange) *answer {
			if x.byOwner() && x.fields()[f.Name] == value {
				return refusal(http.StatusUnprocessableEntity, f.Name)
			}
			return x.forward()
		})
		next := f.Enum[(i+1)%len(f.Enum)]
		add(value+"-is-"+next, op.Effects["shows"], value+" is stored as "+next+" for "+f.Name, []string{op.Effects["persists"]}, func(x *exchange) *answer {
			return x.send(x.request.alter(func(doc map[string]any) {
				if doc[f.Name] == value {
					doc[f.Name] = next
				}
			}))
		})
		for _, g := range op.Body.Fields {
			if g.Name < f.Name && len(g.Enum) > 0 {
				add("refused-both-"+value, f.Clause, value+" is refused for both actions at once", nil, func(x *exchange) *answer {
					if doc := x.fields(); x.byOwner() && doc[f.Name] == value && doc[g.Name] == value {
						return refusal(http.StatusUnprocessableEntity, f.Name)
					}
					return x.forward()
				})
			}
		}
	}
	return all
}

// refusedTexts are ordinary texts that are not taken.
func refusedTexts(op *spec.Operation, f *spec.Field) []Fault {
	var all []Fault
	for _, r := range []struct {
		name, sentence string
		is             func(s string) bool
	}{
		{"digits", "with a digit", func(s string) bool { return strings.ContainsAny(s, "0123456789") }},
		{"longer-20", "of more than 20 characters", func(s string) bool { return f.Hostname && len(s) > 20 && len(s) <= 30 }},
		{"longer-12", "of more than 12 characters", func(s string) bool { return len(s) > 12 && len(s) <= 16 }},
		{"any", "that differs from the old one", func(s string) bool { return len(s) > 8 && len(s) <= 30 }},
		{"upper-case", "with a capital", func(s string) bool { return len(s) <= 30 && strings.ToLower(s) != s && !f.Hostname && !f.Regex }},
		{"spaces", "with a space", func(s string) bool { return len(s) <= 30 && strings.Contains(s, " ") && !f.Hostname && !f.Regex }},
		{"hyphen", "with a hyphen", func(s string) bool { return f.Hostname && strings.Contains(s, "-") }},
		{"anchor", "with an anchor", func(s string) bool { return f.Regex && strings.HasPrefix(s, "^") }},
	} {
		if (r.name == "hyphen" || r.name == "longer-20") && !f.Hostname || r.name == "longer-12" && f.Hostname || r.name == "anchor" && !f.Regex || (f.Hostname || f.Regex) && (r.name == "upper-case" || r.name == "spaces") {
			continue
		}
		all = append(all, Fault{
			ID: "value/refused-" + r.name + "/" + op.ID + "/" + f.Name, Clause: f.Clause, Also: []string{op.Clause},
			Sentence: op.ID + ": a " + f.Name + " " + r.sentence + " is refused.",
			Wrap: each(on(op.ID, func(x *exchange) *answer {
				if s, ok := x.fields()[f.Name].(string); ok && x.byOwner() && x.onMine() && r.is(s) {
					return refusal(http.StatusUnprocessableEntity, f.Name)
				}
				return x.forward()
			})),
		})
	}
	return all
}
