package faults

import (
	"cmp"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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
	onlyhost       bool // means nothing for other texts
}

// means says whether the way means something for the texts of a field, those of hostnames
// that are none included.
func (t *text) means(f *spec.Field) bool {
	return freeText(f) && (f.Hostname || !t.onlyhost) && !(f.Hostname && (t.nothost || t.rare && !t.oddhost)) && !(f.Regex && t.noregex)
}

// inText changes the text of a field.
func inText(fields object, f *spec.Field, change func(string) string) {
	if s, ok := fields[f.Name].(string); ok {
		fields[f.Name] = change(s)
	}
}

// drop removes characters; swap replaces one text by another.
func drop(is func(r rune) bool) func(string) string {
	return func(s string) string { return strings.Join(strings.FieldsFunc(s, is), "") }
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
	{name: "backslashes-lost", sentence: "without backslashes", spoil: swap(`\`, ""), rare: true, oddhost: true},
	{name: "latin1", sentence: "as Latin-1 read as UTF-8", rare: true, spoil: func(s string) string {
		runes := make([]rune, len(s))
		for i, b := range []byte(s) {
			runes[i] = rune(b)
		}
		return string(runes)
	}},
	{
		name: "three-bytes", sentence: "without characters beyond the basic plane", rare: true, oddhost: true,
		spoil: drop(func(r rune) bool { return r > 0xFFFF }),
	},
	{name: "control-lost", sentence: "without control characters", rare: true, spoil: drop(unicode.IsControl)},
	{name: "nul-ends", sentence: "up to U+0000", rare: true, spoil: func(s string) string { return strings.Split(s, "\x00")[0] }},
	{name: "lines", sentence: "with escapes for line breaks", rare: true, spoil: swap("\n", `\n`)},
	{
		name: "no-www", sentence: "without www. before it", onlyhost: true,
		spoil: func(s string) string { return strings.TrimPrefix(s, "www.") },
	},
	{name: "keywords-lost", sentence: "without words of SQL", rare: true, spoil: swap("SELECT", "")},
}

// permissive lets every text pass, so that what becomes of it shows.
func permissive(c *reference.Choices) {
	c.ControlCharacters, c.MaxNameLength = reference.Accept, 100_000
	c.InvalidRegex, c.InvalidHostname = reference.Accept, reference.Accept
}

// givesTaken is an update that gives the object a name that another of the owner's has.
func givesTaken(x *exchange) bool {
	given := x.fields()[nameOf(x.op)]
	if given == nil || !setsMine(x) {
		return false
	}
	return slices.ContainsFunc([][]string{x.other(), x.sibling()}, func(ids []string) bool {
		return x.current(ids...)[nameOf(x.op)] == given
	})
}

// takenNames are wrong where a name is given that another object has: they refuse it
// otherwise than the document says, or take it and do something else.
func takenNames(op *spec.Operation) []row {
	name := nameOf(op)
	taken := func(id, clauses, sentence string, does behaviour) row {
		return fault("taken-"+id, clauses+" ERR-4", "a "+name+" that another object has "+sentence, when(givesTaken, does))
	}
	changed := setting(func(_ *exchange, fields object) { fields[name] = "2-" + fields[name].(string) })
	return []row{
		fault("all-taken", "operation ERR-12 ERR-4", "every update is answered 409, as if its name were taken",
			when(setsMine, refuse(http.StatusConflict, name))),
		taken("is-500", "HTTP-1", "makes the server fail", refuse(http.StatusInternalServerError)),
		taken("bare", "ERR-6 ERR-7 ERR-8 ERR-11", "is refused with a message and no error section",
			replaces(http.StatusUnprocessableEntity, object{"message": "taken"})),
		taken("ignored", "shows", "is ignored", setting(func(_ *exchange, fields object) { delete(fields, name) })),
		taken("stored-changed", "persists", "is shown as it is, and stored changed", func(x *exchange) *answer {
			given := x.fields()[name]
			return changed(x).shown(func(data object) { data[name] = given })
		}),
		taken("refused-and-made", "EFFECT-1", "is refused and stored", func(x *exchange) *answer {
			x.forward()
			return refusal(http.StatusUnprocessableEntity, name)
		}),
		taken("taken-away", "EFFECT-2 persists", "is taken from that one", func(x *exchange) *answer {
			x.set(op, x.other(), object{name: "formerly.example.com"})
			return x.forward()
		}),
	}
}

// changesNothing is an update of all fields to what the object holds.
func changesNothing(x *exchange) bool {
	fields := x.fields()
	if !setsMine(x) || len(fields) != len(x.op.Body.Fields) {
		return false
	}
	now := x.current(x.ids...)
	return !slices.ContainsFunc(x.op.Body.Fields, func(f *spec.Field) bool {
		return fields[f.Name] == nil || fields[f.Name] != now[f.Name]
	})
}

// sameAgain fail where an update changes nothing: they count the rows that changed, or
// take the object's own name for another's.
func sameAgain(*spec.Operation) []row {
	same := func(id, clauses, sentence string, does behaviour) row {
		return fault("same-"+id, clauses+" operation", "an update to what the object holds "+sentence, when(changesNothing, does))
	}
	return []row{
		same("is-404", "operation EFFECT-3", "is answered 404", refuse(http.StatusNotFound)),
		same("is-500", "HTTP-1", "makes the server fail", refuse(http.StatusInternalServerError)),
	}
}

// spoiltTexts are texts that are stored and shown otherwise than they were sent.
func spoiltTexts(op *spec.Operation) []row {
	var rows []row
	for _, f := range op.Body.Fields {
		for _, way := range texts {
			if way.means(f) {
				rows = append(rows, fault(way.name+"/*/"+f.Name, "shows persists", f.Name+" is stored and shown "+way.sentence,
					setting(func(_ *exchange, fields object) {
						inText(fields, f, func(s string) string { return cmp.Or(way.spoil(s), s) }) // nothing left would be refused
					})).choosing(permissive))
			}
		}
	}
	return rows
}

// columns hold so many bytes of a text that may have so many characters.
var columns = []struct{ characters, bytes int }{{100, 128}, {400, 512}, {6000, 8192}, {70_000, 100_000}}

// cutTexts fit what they store until it is no ASCII, and cut it within a character then; or they
// cut hostnames that are longer than one label may be.
func cutTexts(op *spec.Operation) []row {
	var rows []row
	for _, f := range op.Body.Fields {
		stored := func(bytes int) row {
			return fault(fmt.Sprintf("cut-%d-bytes/*/%s", bytes, f.Name), "shows persists", fmt.Sprintf("%s is cut to %d bytes", f.Name, bytes),
				setting(func(_ *exchange, fields object) {
					inText(fields, f, func(s string) string { return strings.ToValidUTF8(s[:min(len(s), bytes)], "\ufffd") })
				}))
		}
		if f.Hostname {
			rows = append(rows, stored(63), crash("longer-63/*/"+f.Name, "a "+f.Name+" of more than 63 characters",
				gives(f, aText(func(s string) bool { return len(s) > 63 }))))
			continue
		}
		for _, c := range columns {
			if !freeText(f) || f.Regex && c.characters != 400 {
				continue
			}
			wide := func(choices *reference.Choices) {
				permissive(choices)
				choices.MaxNameLength = c.characters
			}
			within := func(s string) bool { return len(s) > c.bytes && !utf8.RuneStart(s[c.bytes]) }
			rows = append(rows, stored(c.bytes).choosing(wide), crash(fmt.Sprintf("fails-at-%d-bytes/*/%s", c.bytes, f.Name),
				fmt.Sprintf("a %s in which %d bytes end within a character", f.Name, c.bytes), gives(f, aText(within))).choosing(wide))
		}
	}
	return rows
}

// wrongActions are values of a list that are not taken, or taken for others.
func wrongActions(op *spec.Operation) []row {
	var rows []row
	for _, f := range fieldsOf(op, listed) {
		for i, value := range f.Enum {
			given, next := gives(f, equals(value)), f.Enum[(i+1)%len(f.Enum)]
			rows = append(rows,
				fault("refused-"+value+"/*/"+f.Name, f.Clause+" operation", value+" is refused for "+f.Name, when(given, refuse(422, f.Name))),
				fault(value+"-is-"+next+"/*/"+f.Name, "shows persists operation "+f.Clause, value+" is stored as "+next+" for "+f.Name,
					when(given, setting(func(_ *exchange, fields object) { fields[f.Name] = next }))))
			for _, g := range fieldsOf(op, listed) {
				if g.Name < f.Name {
					rows = append(rows, fault("refused-both-"+value+"/*/"+f.Name, f.Clause+" operation",
						value+" is refused for both actions at once", when(all(given, gives(g, equals(value))), refuse(422, f.Name))))
				}
			}
		}
	}
	return rows
}

// ordinaryTexts are texts that have to be taken, and the fields that may be given them.
var ordinaryTexts = []struct {
	name, sentence string
	is             func(s string) bool
	of             func(f *spec.Field) bool
}{
	{"digits", "with a digit", func(s string) bool { return strings.ContainsAny(s, "0123456789") }, freeText},
	{"longer-20", "of more than 20 characters", lengths(20, 30), hostname},
	{"longer-12", "of more than 12 characters", lengths(12, 16), noHostname},
	{"any", "that differs from the old one", lengths(8, 30), freeText},
	{"upper-case", "with a capital", func(s string) bool { return len(s) <= 30 && strings.ToLower(s) != s }, anyName},
	{"spaces", "with a space", func(s string) bool { return len(s) <= 30 && strings.Contains(s, " ") }, anyName},
	{"hyphen", "with a hyphen", has("-"), hostname},
	{"anchor", "with an anchor", func(s string) bool { return strings.HasPrefix(s, "^") }, expression},
}

func lengths(beyond, to int) func(string) bool {
	return func(s string) bool { return len(s) > beyond && len(s) <= to }
}

// refusedTexts are ordinary texts that are not taken.
func refusedTexts(op *spec.Operation) []row {
	var rows []row
	for _, f := range op.Body.Fields {
		for _, t := range ordinaryTexts {
			if t.of(f) {
				rows = append(rows, fault("refused-"+t.name+"/*/"+f.Name, f.Clause+" operation", "a "+f.Name+" "+t.sentence+" is refused",
					when(all(onMine, gives(f, aText(t.is))), refuse(422, f.Name))))
			}
		}
	}
	return rows
}
