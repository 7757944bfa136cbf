package faults

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"gopkg.in/yaml.v3"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// Variants lists every variant, sorted by id.
func Variants() []Variant {
	all := slices.Concat(
		chosenVariants(), requestVariants(), bodyVariants(), textVariants(), foldedVariants(), decodingVariants(), otherForms(),
		itemVariants(), pageVariants(), dateVariants(), clockVariants(), answerVariants(), jsonVariants(),
		headerVariants(), rateVariants(), connectionVariants(), conditionalVariants(), userVariants(),
		nameVariants(), fieldVariants(), gatewayVariants(), wearVariants(),
	)
	slices.SortFunc(all, func(a, b Variant) int { return strings.Compare(a.ID, b.ID) })
	return all
}

// variant is an implementation whose answers differ at open points, "" for none.
func variant(id, sentence, open string, does behaviour) Variant {
	v := wrapped(id, sentence, does.wrap)
	v.Open = strings.Fields(open)
	return v
}

// wrapped is a variant that differs in any way; at no open point, unless they are set.
func wrapped(id, sentence string, around wrap) Variant {
	return Variant{Server: Server{ID: id, Sentence: sentence + ".", Wrap: around}}
}

// thin says that the target file of a variant does not give all that a complete run needs.
func thin(v Variant) Variant {
	v.Thin = true
	return v
}

//go:embed variants.yaml
var variantsFile []byte

// chosenVariants are those of variants.yaml.
func chosenVariants() []Variant {
	var rows []struct {
		ID, Sentence string
		Open         []string
		Choices      object
		Pins         map[string]any
		Thin         bool
	}
	dec := yaml.NewDecoder(bytes.NewReader(variantsFile))
	dec.KnownFields(true)
	if err := dec.Decode(&rows); err != nil {
		panic(fmt.Sprintf("variants.yaml: %v", err))
	}
	var all []Variant
	for _, r := range rows {
		if err := choose(r.Choices, &reference.Choices{}); err != nil {
			panic(fmt.Sprintf("variants.yaml: %s: %v", r.ID, err))
		}
		v := wrapped(r.ID, r.Sentence, nil)
		v.Open, v.Pins, v.Thin, v.Choices = r.Open, r.Pins, r.Thin, func(c *reference.Choices) { _ = choose(r.Choices, c) }
		all = append(all, v)
	}
	return all
}

// choose sets choices by their names.
func choose(choices object, c *reference.Choices) error {
	dec := json.NewDecoder(bytes.NewReader(encode(choices)))
	dec.DisallowUnknownFields()
	return dec.Decode(c)
}

// updating says that an update is sent.
func updating(x *exchange) bool { return x.op != nil && x.op.Updates() }

// refusedInstead is the refusal of an update in place of the server, where nothing else
// is wrong with it: an update without fields finds out, and changes nothing.
func (x *exchange) refusedInstead(refusal *answer) *answer {
	if a := x.peek(x.with(saying(object{}))); !a.ok() {
		return a
	}
	return refusal
}

// stricter is a variant that refuses texts that no contract says must be taken, but for
// those that the world has from the start and that have to be put back.
func stricter(id, sentence, open, field string, refuses func(s string) bool) Variant {
	return variant("value/"+id, sentence, open, func(x *exchange) *answer {
		s, ok := x.fields()[field].(string)
		if !updating(x) || !ok || !refuses(s) || x.holds(s) {
			return x.forward()
		}
		return x.refusedInstead(refusal(422, field))
	})
}

// holds says whether a text stands in the world from the start.
func (env *Env) holds(s string) bool {
	for _, p := range env.World.Profiles {
		for _, r := range p.Rules {
			for _, h := range r.Hosts {
				if h.Hostname == s || h.RegularExpression != nil && *h.RegularExpression == s {
					return true
				}
			}
		}
		if p.Name == s {
			return true
		}
	}
	return slices.ContainsFunc(env.World.Campaigns, func(c spec.Campaign) bool { return c.Name == s })
}

// requestVariants look at a path or a key in another order, or answer them otherwise.
func requestVariants() []Variant {
	known := func(x *exchange) bool {
		return slices.ContainsFunc(x.World.Users, func(u fixtures.User) bool { return u.Key == x.key() })
	}
	// missingFirst look for the object before they look at the key.
	missingFirst := func(id, sentence string, is condition) Variant {
		return variant("auth/"+id, sentence+" does not exist is answered 404", "error-precedence", func(x *exchange) *answer {
			if x.op == nil || known(x) || !is(x) {
				return x.forward()
			}
			other := x.stranger() // who may not have it is told whether it is there
			if onForeign(x) {
				other = x.owner()
			}
			if a := x.peek(x.with(x.as(other))); a.status == http.StatusNotFound {
				return a
			}
			return x.forward()
		})
	}
	mixed := func(x *exchange) bool {
		foreign := len(x.ids) == 3 && slices.ContainsFunc(x.foreign(), func(id string) bool { return slices.Contains(x.ids, id) })
		return foreign && byOwner(x)
	}
	withPage := func(x *exchange) bool { return x.op.Lists() && x.query != "" }
	large := func(x *exchange) bool { return len(x.body) > 5000 }
	reads := variant("path/read-in-own-form", "A read shows dates as days and ids of others as texts", "read-campaign",
		when(func(x *exchange) bool { return x.op == nil }, shows(func(_ *exchange, data object) {
			for name, v := range data {
				switch text, dated := v.(string); {
				case name == "createdAt" && dated:
					data[name] = text[:len("2024-01-10")]
				case name == "adspecId", name == "userId":
					data[name] = fmt.Sprint(v)
				}
			}
		})))
	reads.Choices = func(c *reference.Choices) { c.ReadAll = true }
	return []Variant{
		reads,
		missingFirst("missing-before-key", "Without a key, what", always),
		missingFirst("missing-creative-before-key", "Without a key, a creative that", func(x *exchange) bool {
			return strings.HasPrefix(x.op.Path, "/creatives/")
		}),
		missingFirst("missing-before-unknown-key", "With a key that nobody has, what", not(noKey)),
		variant("path/mixed-403", "A path with ids of two users is answered 403", "mixed-owners", inContract(restates(404, 403, mixed))),
		variant("path/malformed-per-operation", "A malformed id is answered 404, and 422 where campaigns are updated",
			"malformed-id", malformedIs422),
		variant("path/malformed-by-kind", "A malformed id is answered 404 where it is no number, and 422 where it is one that is not positive",
			"malformed-id", inContract(restates(404, 422, func(x *exchange) bool { return atoi(x.lastID()) < 0 || x.lastID() == "0" }))),
		variant("list/malformed-page-400", "A page that is no number is answered 400", "page-beyond", inContract(restates(422, 400, withPage))),
		variant("value/too-large-413", "A body with a name of 5,000 characters is answered 413", "text-length",
			inContract(restates(422, 413, large))),
	}
}

// inContract narrows a behaviour to the operations of the contract.
func inContract(b behaviour) behaviour { return when(func(x *exchange) bool { return x.op != nil }, b) }

// bodyVariants take more forms of a body than the document describes, or fewer.
func bodyVariants() []Variant {
	// taken are values that are taken for the text that was sent.
	taken := func(id, sentence string, trailing reference.Policy, is func(v any) bool) Variant {
		v := variant("body/"+id, sentence, "trailing-text scalar-coercion", when(updating, setting(func(x *exchange, fields object) {
			for _, f := range x.op.Body.Fields {
				if v := fields[f.Name]; freeText(f) && is(v) {
					fields[f.Name] = string(encode(v))
				}
			}
		})))
		v.Choices = func(c *reference.Choices) { c.TrailingText = trailing }
		return v
	}
	none := func(any) bool { return false }
	number, boolean := scalars[0].is, scalars[1].is
	emptyOfOne := func(x *exchange) bool {
		return updating(x) && len(x.op.Body.Fields) == 1 && x.fields() != nil && len(x.fields()) == 0
	}
	return []Variant{
		taken("trailing-text-taken", "Text after the object of a body is let pass", reference.Ignore, none),
		taken("numbers-taken", "A number for a text is taken as the text that was sent", reference.Refuse, number),
		taken("booleans-taken", "A boolean for a text is taken as the text that was sent", reference.Refuse, boolean),
		taken("scalars-and-trailing-text", "Numbers and booleans are taken as texts, and text after the object is let pass", reference.Ignore,
			func(v any) bool { return number(v) || boolean(v) }),
		variant("required/only-field", "{} is refused where the only field is required, and taken elsewhere", "empty-object required-fields",
			when(emptyOfOne, func(x *exchange) *answer { return x.refusedInstead(refusal(422, x.op.Body.Fields[0].Name)) })),
	}
}

// textVariants refuse texts that others take.
func textVariants() []Variant {
	limited := func(id, sentence, field string, longest int) Variant {
		return stricter(id, sentence, "text-length", field, func(s string) bool { return len([]rune(s)) > longest })
	}
	longer := func(longest int) func(string) bool {
		return func(s string) bool {
			odd := func(r rune) bool { return r > unicode.MaxASCII || r < ' ' }
			return len(s) > longest || strings.ContainsFunc(s, odd)
		}
	}
	const lengths = "text-length text-characters"
	return []Variant{
		stricter("ascii-30", "Names have at most 30 characters of plain ASCII", lengths, "name", longer(30)),
		stricter("short-regex", "Expressions have at most 64 characters of plain ASCII", lengths, "regularExpression", longer(64)),
		stricter("no-quotes", "Names have no quotation marks, brackets or backslashes", "text-characters", "name", func(s string) bool {
			return strings.ContainsAny(s, `"'\<>%&`)
		}),
		stricter("no-digits-only", "Names are no numbers and no literals", "text-characters", "name", func(s string) bool {
			return s == "0815" || s == "true"
		}),
		limited("name-16", "Names have at most 16 characters", "name", 16),
		limited("name-20", "Names have at most 20 characters", "name", 20),
		limited("regex-16", "Expressions have at most 16 characters", "regularExpression", 16),
		limited("regex-30", "Expressions have at most 30 characters", "regularExpression", 30),
		limited("hostname-32", "Hostnames have at most 32 characters", "hostname", 32),
		stricter("dns-hostname", "Hostnames have three labels at least, the first of which begins with a letter", "hostname-syntax", "hostname",
			func(s string) bool { return strings.Count(s, ".") < 2 || s[0] < 'a' || s[0] > 'z' }),
		stricter("short-hostname", "Hostnames have at most 40 characters", "hostname-syntax", "hostname",
			func(s string) bool { return len(s) > 40 }),
	}
}

// foldedVariants change the white space of texts that are taken: in what is shown too,
// or only in what is stored.
func foldedVariants() []Variant {
	type taking = func(change func(x *exchange, fields object)) behaviour // setting or stores
	folding := func(id, sentence string, taken taking, fold func(string) string) Variant {
		folded := func(x *exchange, fields object) {
			for _, f := range x.op.Body.Fields {
				if s, ok := fields[f.Name].(string); ok && noHostname(f) {
					fields[f.Name] = fold(s)
				}
			}
		}
		v := variant("value/"+id, sentence, "trimming", when(updating, taken(folded)))
		v.Choices = permissive
		return v
	}
	fold := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	return []Variant{
		folding("folded", "White space in texts is folded and trimmed", setting, fold),
		folding("stored-folded", "Texts are shown as sent, and stored with folded white space", stores, fold),
		folding("lines-folded", "Line breaks and tabs in texts become spaces", setting, strings.NewReplacer("\n", " ", "\t", " ").Replace),
		folding("stored-trimmed", "Texts are shown as sent, and stored without white space around them", stores, strings.TrimSpace),
	}
}

// decodingVariants refuse what cannot be decoded with other statuses, or take it.
func decodingVariants() []Variant {
	refusing := func(id, sentence string, status int, body object, is condition) Variant {
		return variant("decoding/"+id, sentence, "", when(func(x *exchange) bool { return x.op != nil && is(x) }, func(x *exchange) *answer {
			refused := refusal(status).replaced(status, body)
			look := x.request
			if x.op.Deletes() {
				return refused
			} else if x.op.Updates() {
				look = x.with(saying(object{})) // changes nothing
			}
			if a := x.peek(look); a.status == http.StatusUnauthorized || a.status == http.StatusForbidden {
				return a
			}
			return refused
		}))
	}
	bodies := func(x *exchange) bool {
		return updating(x) && slices.ContainsFunc(undecodableBodies, func(u undecodable) bool { return u.name != "array-of-values" && u.is(x) })
	}
	coded := func(x *exchange) bool {
		return x.header.Get("Content-Encoding") != "" || strings.Contains(x.header.Get("Content-Type"), "charset=adconform")
	}
	badPage := func(x *exchange) bool {
		number := strings.HasPrefix(x.query, "page=") && strings.Trim(x.query, "page=0123456789") == ""
		return x.op.Lists() && strings.HasPrefix(x.query, "page=") && !number || x.query == "page=1&page=2"
	}
	plain := object{"detail": "cannot be decoded"}
	return []Variant{
		refusing("bodies-400", "Bodies that cannot be decoded are answered 400, in another form", 400, plain, bodies),
		refusing("codings-415", "Codings and character sets that are not known are answered 415, in another form", 415, plain, coded),
		refusing("codings-409", "Codings and character sets that are not known are answered 409", 409, errorBody(409), coded),
		refusing("codings-422", "Codings and character sets that are not known are answered 422", 422, errorBody(422), coded),
		refusing("paths-400", "An id that is no UTF-8 is answered 400, in another form", 400, plain, undecodablePath.is),
		refusing("paths-414", "An id that is no UTF-8 is answered 414", 414, plain, undecodablePath.is),
		refusing("pages-400", "A page that is no number is answered 400, in another form", 400, plain, badPage),
		damaged("surrogate-escaped", "Half a surrogate pair is taken, and shown as the escape that was sent", `\\ud[89ab][0-9a-f]{2}`),
		damaged("bytes", "Bytes that are no UTF-8 are taken, and shown as they were sent", `\xff`),
		nested(http.StatusBadRequest), nested(http.StatusRequestEntityTooLarge),
	}
}

// otherForms take bodies in forms that nobody has to take, as some frameworks do, and store them
// as they store others. Odd input sends them (depth deep).
func otherForms() []Variant {
	decoded := func(id, sentence string, decode func(x *exchange) []byte) Variant {
		return deepVariant(variant("decoding/"+id, sentence, "", when(updating, func(x *exchange) *answer {
			if body := decode(x); body != nil {
				return x.send(x.with(saying(body), func(r *request) {
					r.header.Set("Content-Type", "application/json")
					r.header.Del("Content-Encoding")
				}))
			}
			return x.forward()
		})))
	}
	return []Variant{
		decoded("utf-16", "A body in UTF-16 is taken", func(x *exchange) []byte {
			if !bytes.HasPrefix(x.body, []byte("\xff\xfe")) {
				return nil
			}
			units := make([]uint16, len(x.body)/2)
			for i := range units {
				units[i] = binary.LittleEndian.Uint16(x.body[2*i:])
			}
			return []byte(string(utf16.Decode(units[1:])))
		}),
		decoded("gzip", "A body that is coded with gzip is taken", func(x *exchange) []byte {
			r, err := gzip.NewReader(bytes.NewReader(x.body))
			if err != nil || x.header.Get("Content-Encoding") != "gzip" {
				return nil
			}
			body, _ := io.ReadAll(r)
			return body
		}),
		decoded("form", "A form is taken in place of JSON", func(x *exchange) []byte {
			if x.header.Get("Content-Type") != "application/x-www-form-urlencoded" {
				return nil
			}
			form, _ := url.ParseQuery(string(x.body)) // what is wrong in it is left out
			fields := object{}
			for _, f := range x.op.Body.Fields {
				if form.Has(f.Name) {
					fields[f.Name] = form.Get(f.Name)
				}
			}
			return encode(fields)
		}),
		deepVariant(variant("value/invisible-dropped", "Characters that nobody sees are dropped from texts", "text-characters",
			when(updating, setting(func(x *exchange, fields object) {
				for name, v := range fields {
					if s, ok := v.(string); ok {
						fields[name] = strings.NewReplacer("\u2028", "", "\u202e", "", "\u200b", "", "\uffff", "", "\U0010ffff", "").Replace(s)
					}
				}
			})))),
	}
}

// deepVariant says that a variant differs on odd input only, which runs at depth deep send.
func deepVariant(v Variant) Variant {
	v.Deep = true
	return v
}

// damaged takes texts that are no Unicode, as frameworks do that do not look. The answer
// shows what it was sent.
func damaged(id, sentence, pattern string) Variant {
	found, stand := regexp.MustCompile(pattern), []byte("-in-place-of-it-")
	return variant("damaged/"+id, sentence, "text-characters", when(updating, func(x *exchange) *answer {
		piece := found.Find(x.body)
		if piece == nil {
			return x.forward()
		}
		a := x.send(x.with(saying(found.ReplaceAllLiteral(x.body, stand))))
		a.body = bytes.ReplaceAll(a.body, stand, piece)
		return a
	}))
}

// nested answers a body that nests deeply with a status of its own.
func nested(status int) Variant {
	return variant("damaged/nested-"+itoa(status), "A body that nests deeply is answered "+http.StatusText(status), "",
		inContract(answers(func(x *exchange, a *answer) *answer {
			if a.status == http.StatusUnauthorized || !bytes.Contains(x.body, bytes.Repeat([]byte("["), 200)) {
				return a
			}
			return a.replaced(status, errorBody(status))
		})))
}
