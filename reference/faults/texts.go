package faults

import (
	"cmp"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// inText changes the text of a field.
func inText(fields object, f *spec.Field, change func(string) string) {
	if s, ok := fields[f.Name].(string); ok {
		fields[f.Name] = change(s)
	}
}

// swap replaces one text by another, swapAll what matches a pattern; without removes characters, and cut
// leaves some.
func swap(old, new string) func(string) string {
	return func(s string) string { return strings.ReplaceAll(s, old, new) }
}

func swapAll(pattern, new string) func(string) string {
	found := regexp.MustCompile(pattern)
	return func(s string) string { return found.ReplaceAllString(s, new) }
}

func without(is func(r rune) bool) func(string) string {
	return func(s string) string { return strings.Join(strings.FieldsFunc(s, is), "") }
}

func cut(n int) func(string) string {
	return func(s string) string { r := []rune(s); return string(r[:min(n, len(r))]) }
}

// texts are the ways in which texts get spoilt, and the fields for whose texts they mean something. Ordinary texts
// never show those that are rare. Trimming, normalisation and a refusal are none: they are open.
var texts = []struct {
	name, sentence string
	of             func(f *spec.Field) bool
	rare           bool
	spoil          func(string) string
}{
	{"cut-12", "cut to 12 characters", freeText, false, cut(12)},
	{"cut-16", "cut to 16 characters", freeText, true, cut(16)},
	{"cut-50", "cut to 50 characters", noHostname, true, cut(50)},
	{"cut-255", "cut to 255 characters", noHostname, true, cut(255)},
	{"cut-4096", "cut to 4,096 characters", anyName, true, cut(4096)},
	{"lower-case", "in lower case", anyName, false, strings.ToLower},
	{"upper-case", "in upper case", noHostname, false, strings.ToUpper},
	{"no-spaces", "without spaces", anyName, false, swap(" ", "")},
	{"no-digits", "without digits", freeText, false, without(unicode.IsDigit)},
	{"last-lost", "without the last character", freeText, false, func(s string) string { return s[:max(0, len(s)-1)] }},
	{"number", "without leading zeros", freeText, true, swapAll(`^0+(\d*)$`, "$1")},
	{"html", "with HTML entities", freeText, true, html.EscapeString},
	{"no-markup", "without markup", noHostname, true, swapAll(`(?s)<.*>`, "")},
	{"url-decoded", "as if it were URL-encoded", noHostname, true, func(s string) string {
		decoded, err := url.QueryUnescape(s)
		if err != nil {
			return s
		}
		return decoded
	}},
	{"quotes-doubled", "with apostrophes doubled", freeText, true, swap("'", "''")},
	{"backslashes-lost", "without backslashes", freeText, true, swap(`\`, "")},
	{"latin1", "as Latin-1 read as UTF-8", noHostname, true, func(s string) string {
		decoded, _ := charmap.ISO8859_1.NewDecoder().String(s) // has a character for each byte
		return decoded
	}},
	{"three-bytes", "without characters beyond the basic plane", freeText, true, without(func(r rune) bool { return r > 0xFFFF })},
	{"control-lost", "without control characters", noHostname, true, without(unicode.IsControl)},
	{"nul-ends", "up to U+0000", noHostname, true, swapAll(`(?s)\x00.*`, "")},
	{"lines", "with escapes for line breaks", noHostname, true, swap("\n", `\n`)},
	{"no-www", "without www. before it", hostname, false, swapAll(`^www\.`, "")},
	{"keywords-lost", "without words of SQL", noHostname, true, swap("SELECT", "")},
}

// permissive lets every text pass, so that what becomes of it shows.
func permissive(c *reference.Choices) {
	c.ControlCharacters, c.MaxNameLength = reference.Accept, 100_000
	c.InvalidRegex, c.InvalidHostname = reference.Accept, reference.Accept
}

// spoiltTexts are texts that are stored and shown otherwise than they were sent, or shown so and stored otherwise.
func spoiltTexts(op *spec.Operation) (rows []row) {
	for _, f := range op.Body.Fields {
		for _, way := range texts {
			if !way.of(f) {
				continue
			}
			stored := fault("effect/stores-"+way.name+"-"+f.Name, "persists shows EFFECT-1", f.Name+" is shown as sent and stored "+way.sentence,
				stores(func(_ *exchange, fields object) { inText(fields, f, way.spoil) }))
			if way.rare {
				stored.Choices = permissive
			}
			rows = append(rows, stored, fault("value/"+way.name+"/*/"+f.Name, "shows persists", f.Name+" is stored and shown "+way.sentence,
				setting(func(_ *exchange, fields object) {
					inText(fields, f, func(s string) string { return cmp.Or(way.spoil(s), s) }) // nothing left would be refused
				})).choosing(permissive))
		}
	}
	return rows
}

// givesTaken is an update that gives the object a name that another of the owner's has.
func givesTaken(x *exchange) bool {
	given := x.fields()[nameOf(x.op)]
	return given != nil && setsMine(x) && slices.ContainsFunc([][]string{x.other(), x.sibling()}, func(ids []string) bool {
		return x.current(ids...)[nameOf(x.op)] == given
	})
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

// names are wrong where a name is given that another object has, or the object itself: they refuse it otherwise
// than the document says, take it and do something else, or count the rows that changed.
func names(op *spec.Operation) []row {
	name := nameOf(op)
	taken := func(id, clauses, sentence string, does behaviour) row {
		return fault("name/taken-"+id, clauses+" ERR-4", "a "+name+" that another object has "+sentence, when(givesTaken, does))
	}
	return []row{
		fault("name/all-taken", "operation ERR-12 ERR-4", "every update is answered 409, as if its name were taken",
			when(setsMine, refuse(http.StatusConflict, name))),
		taken("is-500", "HTTP-1", "makes the server fail", refuse(http.StatusInternalServerError)),
		taken("bare", "ERR-6 ERR-7 ERR-8 ERR-11", "is refused with a message and no error section", replaces(422, object{"message": "taken"})),
		taken("ignored", "shows", "is ignored", setting(func(_ *exchange, fields object) { delete(fields, name) })),
		taken("stored-changed", "persists", "is shown as it is, and stored changed",
			stores(func(_ *exchange, fields object) { fields[name] = "2-" + fields[name].(string) })),
		taken("refused-and-made", "EFFECT-1", "is refused and stored",
			answers(func(*exchange, *answer) *answer { return refusal(422, name) })),
		taken("taken-away", "EFFECT-2 persists", "is taken from that one", func(x *exchange) *answer {
			x.set(op, x.other(), object{name: "formerly.example.com"})
			return x.forward()
		}),
		fault("name/same-is-404", "operation EFFECT-3", "an update to what the object holds is answered 404", when(changesNothing, refuse(404))),
		fault("name/same-is-500", "HTTP-1 operation", "an update to what the object holds makes the server fail", crashes(changesNothing)),
	}
}

// columns hold so many bytes of a text that may have so many characters.
var columns = []struct{ characters, bytes int }{{100, 128}, {400, 512}, {6000, 8192}, {70_000, 100_000}}

// cutTexts fit what they store until it is no ASCII, and cut it within a character then; or they
// cut hostnames that are longer than one label may be.
func cutTexts(op *spec.Operation) (rows []row) {
	for _, f := range fieldsOf(op, freeText) {
		stored := func(bytes int) row {
			return fault(fmt.Sprintf("value/cut-%d-bytes/*/%s", bytes, f.Name), "shows persists", fmt.Sprintf("%s is cut to %d bytes", f.Name, bytes),
				setting(func(_ *exchange, fields object) {
					inText(fields, f, func(s string) string { return strings.ToValidUTF8(s[:min(len(s), bytes)], "\ufffd") })
				}))
		}
		if f.Hostname {
			rows = append(rows, stored(63), crash("value/longer-63/*/"+f.Name, "a "+f.Name+" of more than 63 characters", gives(f, longer(63))))
			continue
		}
		for _, c := range columns {
			if f.Regex && c.characters != 400 {
				continue
			}
			wide := func(choices *reference.Choices) {
				permissive(choices)
				choices.MaxNameLength = c.characters
			}
			within := aText(func(s string) bool { return len(s) > c.bytes && !utf8.RuneStart(s[c.bytes]) })
			rows = append(rows, stored(c.bytes).choosing(wide), crash(fmt.Sprintf("value/fails-at-%d-bytes/*/%s", c.bytes, f.Name),
				fmt.Sprintf("a %s in which %d bytes end within a character", f.Name, c.bytes), gives(f, within)).choosing(wide))
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

// refusedValues are values of a list and ordinary texts that are not taken, or values taken for others.
func refusedValues(op *spec.Operation) (rows []row) {
	for _, f := range op.Body.Fields {
		refused := func(name, sentence string, is condition) {
			rows = append(rows, fault("value/refused-"+name+"/*/"+f.Name, f.Clause+" operation", sentence, when(is, refuse(422, f.Name))))
		}
		for i, value := range f.Enum {
			given, next := gives(f, equals(value)), f.Enum[(i+1)%len(f.Enum)]
			refused(value, value+" is refused for "+f.Name, given)
			rows = append(rows, fault("value/"+value+"-is-"+next+"/*/"+f.Name, "shows persists operation "+f.Clause,
				value+" is stored as "+next+" for "+f.Name, when(given, setting(func(_ *exchange, fields object) { fields[f.Name] = next }))))
			for _, g := range fieldsOf(op, listed) {
				if g.Name < f.Name {
					refused("both-"+value, value+" is refused for both actions at once", all(given, gives(g, equals(value))))
				}
			}
		}
		for _, t := range ordinaryTexts {
			if t.of(f) {
				refused(t.name, "a "+f.Name+" "+t.sentence+" is refused", all(onMine, gives(f, aText(t.is))))
			}
		}
	}
	return rows
}
