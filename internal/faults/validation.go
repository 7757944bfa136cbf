package faults

import (
	"bytes"
	"cmp"
	"encoding/json"
	"html"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/encoding/charmap"

	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// taken lists the clauses that accepting a wrong body breaks, besides its own.
const taken = " EFFECT-1 ERR-4 operation shows"

// unlistedWord selects words that an enumeration does not list.
func unlistedWord(v any) bool { return v == "never" || v == "constructor" }

func wrongWord(v any) bool { return noText(v) || unlistedWord(v) }

// malformedBodies accept bodies that are not a JSON object, or refuse a body with an undeclared status.
func malformedBodies(s *seeds, op *spec.Operation) {
	if !manyFields(op) { // where a case sends it
		s.fault("validation/one-in-array-taken", "ERR-3"+taken, "an array of one object is treated as the object",
			when(bodyBegins("[{"), before(func(x *exchange) {
				x.body = bytes.Trim(x.body, "[]")
			})))
	}
	last := lastOf(op).Name
	isEmpty := func(v any) bool {
		return is[[]any](v) && len(v.([]any)) == 0
	}
	s.fault("validation/empty-array-ignored", "ERR-4"+taken, "an empty array is ignored for "+last,
		setting(where(last, isEmpty, drop(last))))
	emptied := topic(s, "validation/", "ERR-3"+taken,
		func(is condition) behaviour { return when(is, says(object{})) })
	emptied("malformed-taken", "a body that is not JSON is treated as {}",
		body(func(b string) bool {
			return b != "" && !json.Valid([]byte(b))
		}))
	emptied("array-taken", "an array is treated as {}", bodyBegins("["))
	emptied("null-taken", "null is treated as {}", bodyBegins("n"))
	s.fault("decoding/coding-empties", "shows persists operation",
		"a body with an unknown content coding is treated as {}",
		when(header("Content-Encoding", ""), says(object{})))
	s.bare("decoding/not-utf8-bare", "a body that is no UTF-8", bodyHas("a\xffz"))
	s.fault("validation/conflict", "ERR-12", "{} is answered 409", when(bodyIs("{}"), refuse(409)))
}

// coerced is the text that replaces a value of another type.
const coerced = "coerced.example.com"

// corrected sets a field to a right value.
func corrected(f *spec.Field) change {
	return put(f.Name, placeholder(f, coerced))
}

// wrongValues are wrong values that are accepted, as the first of the field's values or as a text. Numbers and booleans
// for a free text are open: see coercedFields.
var wrongValues = []struct {
	name, clause, sentence string
	of                     func(f *spec.Field) bool
	is                     func(v any) bool
}{
	{"number-taken", "ERR-4", "a number", listed, is[json.Number]},
	{"array-taken", "ERR-4", "an array", anyField, is[[]any]},
	{"object-taken", "ERR-4", "an object", anyField, is[object]},
	{"any-type-taken", "ERR-4", "of any JSON type", anyField, noText},
	{"unlisted-taken", "ERR-5", "any word", listed, unlistedWord},
}

// spellings are other spellings of a listed value, which a server may take for that value and for nothing else.
var spellings = []struct {
	name, sentence string
	is             func(v any) bool
}{
	{"upper-case", "in upper case", aText(func(s string) bool {
		return strings.ToUpper(s) == s
	})},
	{"padded", "with spaces around it", aText(func(s string) bool {
		return strings.TrimSpace(s) != s
	})},
}

// misspelled accept another spelling of a listed value, and do something else with it than to take it for that value.
func misspelled(s *seeds, f *spec.Field) {
	for _, other := range spellings {
		s.at(f.Name, other.sentence)
		accepted := func(id, sentence string, does behaviour) {
			s.fault("validation/{name}-"+other.name+"-"+id, "ERR-5"+taken, "{name} may be {words}, and "+sentence, does)
		}
		spelled := func(does change) behaviour {
			return setting(where(f.Name, other.is, does))
		}
		accepted("taken", "is treated as another value", spelled(put(f.Name, f.Enum[1])))
		accepted("ignored", "is ignored", spelled(drop(f.Name)))
		accepted("shown", "is shown as it was sent", when(func(x *exchange) bool {
			return other.is(x.fields()[f.Name])
		},
			func(x *exchange) *answer {
				sent := x.fields()[f.Name]
				a := setting(put(f.Name, f.Enum[0]))(x)
				return a.shown(func(data object) { data[f.Name] = sent })
			}))
	}
}

// coercedFields accept wrong values of a field, or take a number for a text and do not show or store what was sent.
func coercedFields(s *seeds, op *spec.Operation) {
	for _, f := range op.Body.Fields {
		s.name = f.Name
		for _, wrong := range wrongValues {
			if wrong.of(f) {
				s.fault("validation/{name}-"+wrong.name, wrong.clause+taken,
					"{name} may be "+wrong.sentence+", which is treated as a right value",
					setting(where(f.Name, wrong.is, corrected(f))))
			}
		}
		if listed(f) {
			misspelled(s, f)
			continue
		}
		number := func(name, clause, sentence string, does behaviour) {
			also := " ERR-4 shows persists EFFECT-1 " + f.Clause + " " + op.Representation().Field(f.Meaning).Clause
			s.fault("coercion/{name}-number-"+name, clause+also, "a number is accepted for {name} and "+sentence,
				when(gives(f, is[json.Number]),
					does)).choosing(func(c *reference.Choices) {
				permissive(c)
				c.ScalarCoercion = reference.Accept
			})
		}
		raw := shows(func(x *exchange, data object) {
			data[f.Name] = x.fields()[f.Name]
		})
		number("shown-raw", "ERR-4", "shown as it is, not as a text", raw)
		number("ignored", "ERR-4", "ignored", setting(drop(f.Name)))
		number("stored-otherwise", "persists", "stored as another text than it shows", stores(put(f.Name, coerced)))
		number("refused-elsewhere", "ERR-10", "refused with another field's name", refuse(422, "id"))
	}
}

// misnamed name other fields in their issues than those that are wrong.
func misnamed(s *seeds, op *spec.Operation) {
	// named renames the fields in the reference's issues of a type; first is the name in the first of them.
	named := func(id, sentence, issueType string, as func(field, first string) any) *Server {
		return s.fault(id, "ERR-10", sentence, inPlaceOf(422, always, func(a *answer) {
			first := ""
			at("error.issues.relatedField", func(issue object, _ string) {
				field, names := issue["relatedField"].(string)
				if names && strings.HasPrefix(issue["type"].(string), issueType) {
					first = cmp.Or(first, field)
					issue["relatedField"] = as(field, first)
				}
			})(a)
		}))
	}
	named("*/422/related-field-null", "* (422): relatedField is null where a field is wrong", "",
		func(_, _ string) any { return nil })
	named("*/422/related-field-snake", "* (422): relatedField names the field by a column name", "",
		func(field, _ string) any { return "t_" + snake(field) })
	s.fault("validation/issues-accumulate", "ERR-8 ERR-10", "the issues are in a list that all requests share",
		answers(func(a *answer) {
			at("error.issues", func(section object, _ string) {
				earlier, _ := recall[[]any](a.to, "issues")
				section["issues"] = append(slices.Clip(earlier),
					section["issues"].([]any)...)
				a.to.keep("issues", section["issues"])
			})(a)
		}))
	if !manyFields(op) {
		return
	}
	named("*/422/related-field-next", "* (422): relatedField names the next field", "", func(field, _ string) any {
		i := slices.IndexFunc(op.Body.Fields,
			func(f *spec.Field) bool { return f.Name == field })
		return fieldAfter(op, i).Name
	})
	named("validation/missing-other-named", "a missing field is refused, and the issue names the id", "missingField",
		func(_, _ string) any {
			return "id"
		}).choosing(func(c *reference.Choices) { c.Required = "." })
	named("validation/both-name-first", "of two wrong fields both issues name the first", "invalid",
		func(_, first string) any { return first })
}

// swap replaces texts by others, swapAll replaces matches of a pattern; cut keeps some characters.
func swap(oldnew ...string) func(string) string { return strings.NewReplacer(oldnew...).Replace }

func swapAll(pattern, new string) func(string) string {
	found := regexp.MustCompile(pattern)
	return func(s string) string { return found.ReplaceAllString(s, new) }
}

func cut(n int) func(string) string {
	return func(s string) string {
		r := []rune(s)
		return string(r[:min(n, len(r))])
	}
}

// texts are ways to spoil a text, and the fields that they apply to. To trim, normalise or refuse a text is open, and
// not among them.
var texts = []struct {
	name, sentence string
	of             func(f *spec.Field) bool
	spoil          func(string) string
}{
	{"cut-12", "cut to 12 characters", freeText, cut(12)},
	{"cut-63-bytes", "cut to 63 bytes", hostname, cut(63)}, // of ASCII
	{"cut-512-bytes", "cut to 512 bytes", noHostname, func(s string) string {
		return strings.ToValidUTF8(s[:min(512, len(s))], "\ufffd")
	}},
	{"cut-50", "cut to 50 characters", noHostname, cut(50)},
	{"cut-255", "cut to 255 characters", noHostname, cut(255)},
	{"cut-4096", "cut to 4,096 characters", anyName, cut(4096)},
	{"upper-case", "in upper case", noHostname, strings.ToUpper},
	{"last-lost", "without the last character", freeText, swapAll(`(?s).\z`, "")},
	{"number", "without leading zeros", freeText, swapAll(`^0+(\d*)$`, "$1")},
	{"html", "with HTML entities", freeText, html.EscapeString},
	{"html-decoded", "without HTML entities", freeText, html.UnescapeString},
	{"url-decoded", "as if it were URL-encoded", noHostname, func(s string) string {
		decoded, _ := url.QueryUnescape(s) // "" for what is not encoded
		return cmp.Or(decoded, s)
	}},
	{"quotes-doubled", "with apostrophes doubled", freeText, swap("'", "''")},
	{"backslashes-lost", "without backslashes", freeText, swap(`\`, "")},
	{"latin1", "as Latin-1 read as UTF-8", noHostname, func(s string) string {
		decoded, _ := charmap.ISO8859_1.NewDecoder().String(s) // has a character for each byte
		return decoded
	}},
	{"three-bytes", "without characters beyond the basic plane", freeText, swapAll(`[\x{10000}-\x{10ffff}]`, "")},
	{"nul-ends", "up to U+0000", noHostname, swapAll(`(?s)\x00.*`, "")},
	{"lines", "with escapes for line breaks", noHostname, swap("\n", `\n`)},
	{"no-www", "without www. before it", hostname, swapAll(`^www\.`, "")},
	{"straight-quotes", "with typographic quotation marks made straight", noHostname, swap("’", "'")},
	{"dollars-halved", "with $$ as one $, as replacement templates have it", noHostname, swap("$$", "$")},
	{"keywords-lost", "without words of SQL", noHostname, swap("SELECT", "")},
}

// permissive accepts every text, so that its fate shows.
func permissive(c *reference.Choices) {
	c.ControlCharacters = reference.Accept
	c.MaxNameLength = 100_000
	c.InvalidRegex = reference.Accept
	c.InvalidHostname = reference.Accept
}

// spoiltTexts store and show a text differently from what was sent, or show it as sent but store it differently.
func spoiltTexts(s *seeds, op *spec.Operation) {
	for _, f := range op.Body.Fields {
		s.name = f.Name
		if anyName(f) {
			s.fault("value/cut-100-of-255/*/{name}", "shows persists",
				"{name} is cut to 100 characters if it has at most 255",
				when(gives(f, short(func(string) bool { return true })),
					setting(text(f.Name, cut(100)))))
		}
		for _, way := range texts {
			if !way.of(f) {
				continue
			}
			s.words = way.sentence
			spoilt := text(f.Name, way.spoil)
			s.fault("effect/stores-"+way.name+"-{name}", "persists shows EFFECT-1",
				"{name} is shown as sent and stored {words}", stores(spoilt)).choosing(permissive)
			s.fault("value/"+way.name+"/*/{name}", "shows persists", "{name} is stored and shown {words}",
				setting(spoilt)).choosing(permissive)
		}
	}
}

// givesTaken selects updates that give the object a name that another of the owner's objects has.
func givesTaken(x *exchange) bool {
	name := nameOf(x.op)
	given := x.fields()[name]
	isTaken := func(ids []string) bool {
		return x.current(ids...)[name] == given
	}
	return given != nil && setsMine(x) &&
		(isTaken(x.other()) || isTaken(x.sibling()))
}

// changesNothing selects updates of all fields to their current values.
func changesNothing(x *exchange) bool {
	isWhole := len(x.fields()) == len(x.op.Body.Fields)
	return isWhole && setsMine(x) && reflect.DeepEqual(x.fields(), x.settings())
}

// refusedValues refuse values of a list and ordinary texts, or store another value of the list. On an update that
// gives a name that another object has, or sets the current values, they fail, refuse it in a way that the document
// does not allow, or accept it and do something else.
func refusedValues(s *seeds, op *spec.Operation) {
	for _, f := range op.Body.Fields {
		s.name = f.Name
		refused := func(id, sentence string, is condition) {
			s.fault("value/refused-"+id+"/*/{name}", f.Clause+" operation", sentence,
				when(is, refuse(422, f.Name)))
		}
		for i, value := range f.Enum {
			given := gives(f, equals(value))
			next := f.Enum[(i+1)%len(f.Enum)]
			refused(value, value+" is refused for {name}", given)
			s.fault("value/"+value+"-is-"+next+"/*/{name}", "shows persists operation "+f.Clause,
				value+" is stored as "+next+
					" for {name}", when(given, setting(put(f.Name, next))))
		}
		if freeText(f) {
			ordinary := aText(func(s string) bool {
				return len(s) > 8 && len(s) <= 30
			})
			refused("any", "a {name} that differs from the old one is refused", all(onMine, gives(f, ordinary)))
		}
	}
	name := nameOf(op)
	taken := func(id, clauses, sentence string, does behaviour) {
		s.fault("name/taken-"+id, clauses+" ERR-4", "a "+name+" that another object has "+sentence,
			when(givesTaken, does))
	}
	taken("is-500", "HTTP-1", "makes the server fail", refuse(500))
	taken("bare", "ERR-6 ERR-7 ERR-8 ERR-11", "is refused with a message and no error section",
		replies(422, object{"message": "taken"}))
	taken("ignored", "shows", "is ignored", setting(drop(name)))
	taken("refused-and-made", "EFFECT-1", "is refused and stored", refusedAndMade(name))
	s.fault("name/same-is-404", "operation EFFECT-3", "an update to what the object holds is answered 404",
		when(changesNothing, refuse(404)))
}
