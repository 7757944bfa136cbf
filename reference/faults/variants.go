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
	"time"
	"unicode"
	"unicode/utf16"

	"gopkg.in/yaml.v3"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
)

// Variants lists every variant, sorted by id.
func Variants() []Variant {
	all := slices.Concat(
		chosenVariants(), requestVariants(), bodyVariants(), nameVariants(), textVariants(), foldedVariants(), decodingVariants(), otherForms(),
		itemVariants(), pageVariants(), dateVariants(), clockVariants(), answerVariants(), headerVariants(),
		rateVariants(), connectionVariants(), conditionalVariants(), userVariants(), gatewayVariants(),
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

// inContract narrows a behaviour to the operations of the contract.
func inContract(b behaviour) behaviour { return when(func(x *exchange) bool { return x.op != nil }, b) }

// updating says that an update is sent.
func updating(x *exchange) bool { return x.op != nil && x.op.Updates() }

// refusedInstead refuses an update in place of the server, where a condition holds and nothing
// else is wrong with it: an update without fields finds out, and changes nothing.
func refusedInstead(is condition, refuses behaviour) behaviour {
	return when(all(updating, is), func(x *exchange) *answer {
		if a := x.peek(x.with(saying(object{}))); !a.ok() {
			return a
		}
		return refuses(x)
	})
}

// requestVariants look at a path or a key in another order, or answer them otherwise.
func requestVariants() []Variant {
	known := func(x *exchange) bool {
		return slices.ContainsFunc(x.World.Users, func(u fixtures.User) bool { return u.Key == x.key() })
	}
	// missingFirst look for the object before they look at the key.
	missingFirst := func(id, sentence string, is condition) Variant {
		return variant("auth/"+id, sentence+", what does not exist is answered 404", "error-precedence",
			inContract(when(all(not(known), is), func(x *exchange) *answer {
				other := x.stranger() // who may not have it is told whether it is there
				if onForeign(x) {
					other = x.owner()
				}
				if a := x.peek(x.with(x.as(other))); a.status == http.StatusNotFound {
					return a
				}
				return x.forward()
			})))
	}
	restated := func(id, sentence, open string, from, to int, is condition) Variant {
		return variant(id, sentence, open, inContract(restates(from, to, is)))
	}
	mixed := func(x *exchange) bool {
		foreign := len(x.ids) == 3 && slices.ContainsFunc(x.foreign(), func(id string) bool { return slices.Contains(x.ids, id) })
		return foreign && byOwner(x)
	}
	notPositive := func(x *exchange) bool { return atoi(x.lastID()) < 0 || x.lastID() == "0" }
	withPage := func(x *exchange) bool { return x.op.Lists() && x.query != "" }
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
		missingFirst("missing-before-key", "Without a key", always),
		missingFirst("missing-before-unknown-key", "With a key that nobody has", not(noKey)),
		restated("path/mixed-403", "A path with ids of two users is answered 403", "mixed-owners", 404, 403, mixed),
		variant("path/malformed-per-operation", "A malformed id is answered 404, and 422 where campaigns are updated",
			"malformed-id", malformedIs422),
		restated("path/malformed-by-kind", "A malformed id is answered 404 where it is no number, and 422 where it is one that is not positive",
			"malformed-id", 404, 422, notPositive),
		restated("list/malformed-page-400", "A page that is no number is answered 400", "page-beyond", 422, 400, withPage),
		restated("value/too-large-413", "A body with a name of 5,000 characters is answered 413", "text-length", 422, 413, longBody),
	}
}

// bodyVariants take more forms of a body than the document describes, or fewer.
func bodyVariants() []Variant {
	// taken are values that are taken for the text that was sent.
	taken := func(id, sentence string, is func(v any) bool) Variant {
		return variant("body/"+id, sentence, "trailing-text scalar-coercion", when(updating, setting(func(x *exchange, fields object) {
			for _, f := range x.op.Body.Fields {
				if v := fields[f.Name]; freeText(f) && is(v) {
					fields[f.Name] = string(encode(v))
				}
			}
		})))
	}
	refusing := func(id, sentence, open string, is condition, fields ...string) Variant {
		return variant(id, sentence, open, refusedInstead(is, refuse(http.StatusUnprocessableEntity, fields...)))
	}
	unknown := func(x *exchange) bool { return x.fields()["adconformUnknown"] != nil }
	half := func(x *exchange) bool { // one action without the other
		given := 0
		for _, f := range fieldsOf(x.op, listed) {
			if x.fields()[f.Name] != nil {
				given++
			}
		}
		return given == 1
	}
	// nameless gives fields, or none, without the name of the object.
	nameless := func(op string, orNone bool) condition {
		return func(x *exchange) bool {
			fields := x.fields()
			return x.op.ID == op && fields != nil && fields[nameOf(x.op)] == nil && (orNone || len(fields) > 0)
		}
	}
	emptyObject := func(x *exchange) bool { return x.fields() != nil && len(x.fields()) == 0 }
	otherMediaType := func(x *exchange) bool { return !strings.Contains(x.header.Get("Content-Type"), "json") }
	return []Variant{
		taken("numbers-taken", "A number for a text is taken as the text that was sent", scalars[0].is),
		taken("booleans-taken", "A boolean for a text is taken as the text that was sent", scalars[1].is),
		refusing("required/only-field", "{} is refused where the only field is required, and taken elsewhere", "empty-object required-fields",
			all(of(campaignUpdate), emptyObject), "name"),
		refusing("body/profile-name-required", "An update of a profile has to give its name, one of a host nothing",
			"required-fields empty-object", nameless(profileUpdate, true), "name"),
		refusing("body/required-but-optional", "Each field is required, but for one that may be unset", "required-fields",
			nameless(hostUpdate, false), "hostname"),
		refusing("body/unknown-refused-unnamed", "Unknown fields are refused, and no field is named", "unknown-fields", unknown),
		refusing("body/unknown-refused-body", "Unknown fields are refused, and the body is named", "unknown-fields", unknown, "body"),
		refusing("body/half-refused", "One action without the other is refused, and an issue names the other", "required-fields",
			half, "withoutCookiesAction"),
		refusing("body/half-refused-unnamed", "One action without the other is refused, and no field is named", "required-fields", half),
		variant("body/other-media-type-ignored", "A body of another media type is not read, as if there were none", "media-type",
			when(all(updating, otherMediaType), func(x *exchange) *answer { return x.send(x.with(saying(object{}), asJSON)) })),
	}
}

func asJSON(r *request) { r.header.Set("Content-Type", "application/json") }

// nameVariants mind whether another object has the name, or whether an update changes
// anything.
func nameVariants() []Variant {
	conflict := func(id, sentence string, is condition, status int, body object) Variant {
		return variant("value/"+id, sentence, "name-uniqueness",
			refusedInstead(all(is, givesTaken), func(*exchange) *answer { return refusal(status).replaced(status, body) }))
	}
	meanwhile := func(x *exchange) *answer {
		x.set(x.op, x.ids, object{nameOf(x.op): "meanwhile.example.com"})
		return x.forward()
	}
	return []Variant{
		conflict("unique-409", "A name that is taken is answered 409", always, 409, errorBody(409, "name")),
		conflict("unique-409-plain", "A name that is taken is answered 409, in another form", always, 409, object{"detail": "exists already"}),
		conflict("unique-hostnames", "Hostnames are unique", of(hostUpdate), 422, errorBody(422, "hostname")),
		variant("answer/same-dated", "An update that changes nothing has a date, too", "", when(all(updating, changesNothing), meanwhile)),
	}
}

// textVariants refuse texts that others take, but for those that the world has from the
// start and that have to be put back.
func textVariants() []Variant {
	stricter := func(id, sentence, open, field string, refuses func(s string) bool) Variant {
		return variant("value/"+id, sentence, open, refusedInstead(func(x *exchange) bool {
			s, ok := x.fields()[field].(string)
			return ok && refuses(s) && !x.holds(s)
		}, refuse(422, field)))
	}
	longer := func(longest int) func(string) bool { return func(s string) bool { return len([]rune(s)) > longest } }
	plain := func(longest int) func(string) bool {
		odd := func(r rune) bool { return r > unicode.MaxASCII || r < ' ' }
		return func(s string) bool { return len(s) > longest || strings.ContainsFunc(s, odd) }
	}
	const lengths = "text-length text-characters"
	return []Variant{
		stricter("ascii-30", "Names have at most 30 characters of plain ASCII", lengths, "name", plain(30)),
		stricter("short-regex", "Expressions have at most 64 characters of plain ASCII", lengths, "regularExpression", plain(64)),
		stricter("no-quotes", "Names have no quotation marks, brackets or backslashes", "text-characters", "name",
			func(s string) bool { return strings.ContainsAny(s, `"'\<>%&`) }),
		stricter("no-digits-only", "Names are no numbers and no literals", "text-characters", "name",
			func(s string) bool { return s == "0815" || s == "true" }),
		stricter("name-16", "Names have at most 16 characters", "text-length", "name", longer(16)),
		stricter("name-20", "Names have at most 20 characters", "text-length", "name", longer(20)),
		stricter("regex-16", "Expressions have at most 16 characters", "text-length", "regularExpression", longer(16)),
		stricter("regex-30", "Expressions have at most 30 characters", "text-length", "regularExpression", longer(30)),
		stricter("hostname-32", "Hostnames have at most 32 characters", "text-length", "hostname", longer(32)),
		stricter("short-hostname", "Hostnames have at most 40 characters", "hostname-syntax", "hostname", longer(40)),
		stricter("dns-hostname", "Hostnames have three labels at least, the first of which begins with a letter", "hostname-syntax", "hostname",
			func(s string) bool { return strings.Count(s, ".") < 2 || s[0] < 'a' || s[0] > 'z' }),
	}
}

// holds says whether a text stands in the world from the start.
func (env *Env) holds(s string) bool { return bytes.Contains(encode(env.World), encode(s)) }

// changingTexts changes the texts of an update that are no hostnames.
func changingTexts(taking func(change func(x *exchange, fields object)) behaviour, change func(string) string) behaviour {
	return when(updating, taking(func(x *exchange, fields object) {
		for _, f := range x.op.Body.Fields {
			if noHostname(f) {
				inText(fields, f, change)
			}
		}
	}))
}

// foldedVariants change the white space of texts that are taken: in what is shown too,
// or only in what is stored.
func foldedVariants() []Variant {
	folding := func(id, sentence string, does behaviour) Variant {
		v := variant("value/"+id, sentence, "trimming", does)
		v.Choices = permissive
		return v
	}
	fold := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	return []Variant{
		folding("folded", "White space in texts is folded and trimmed", changingTexts(setting, fold)),
		folding("stored-folded", "Texts are shown as sent, and stored with folded white space", changingTexts(stores, fold)),
		folding("lines-folded", "Line breaks and tabs in texts become spaces",
			changingTexts(setting, strings.NewReplacer("\n", " ", "\t", " ").Replace)),
		folding("stored-trimmed", "Texts are shown as sent, and stored without white space around them",
			changingTexts(stores, strings.TrimSpace)),
	}
}

// decodingVariants refuse what cannot be decoded with other statuses, or take it.
func decodingVariants() []Variant {
	refusing := func(id, sentence string, status int, body object, is condition) Variant {
		return variant("decoding/"+id, sentence, "", inContract(when(is, func(x *exchange) *answer {
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
		})))
	}
	bodies := func(x *exchange) bool {
		return updating(x) && slices.ContainsFunc(undecodableBodies, func(u undecodable) bool { return u.name != "array-of-values" && u.is(x) })
	}
	coded := func(x *exchange) bool {
		return x.header.Get("Content-Encoding") != "" || strings.Contains(x.header.Get("Content-Type"), "charset=adconform")
	}
	badPage := func(x *exchange) bool {
		page, asked := strings.CutPrefix(x.query, "page=")
		return x.op.Lists() && asked && strings.Trim(page, "0123456789") != ""
	}
	// damaged takes texts that are no Unicode, as frameworks do that do not look. The answer
	// shows what it was sent.
	damaged := func(id, sentence, pattern string) Variant {
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
	}
}

// otherForms take bodies in forms that nobody has to take, as some frameworks do, and store them
// as they store others. Odd input sends them (depth deep).
func otherForms() []Variant {
	decoded := func(id, sentence string, decode func(x *exchange) []byte) Variant {
		return variant("decoding/"+id, sentence, "", when(updating, func(x *exchange) *answer {
			body := decode(x)
			if body == nil {
				return x.forward()
			}
			return x.send(x.with(saying(body), asJSON, func(r *request) { r.header.Del("Content-Encoding") }))
		}))
	}
	invisible := strings.NewReplacer("\u2028", "", "\u202e", "", "\u200b", "", "\uffff", "", "\U0010ffff", "")
	all := []Variant{
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
		variant("value/invisible-dropped", "Characters that nobody sees are dropped from texts", "text-characters",
			changingTexts(setting, invisible.Replace)),
	}
	for i := range all {
		all[i].Deep = true
	}
	return all
}

// clockVariants have another clock, that the answer's Date goes by too, and take their time.
func clockVariants() []Variant {
	skewed := func(id, sentence string, by time.Duration) Variant {
		return variant("wire/"+id, sentence, "", rewrites(func(a *answer) {
			now := time.Now().UTC()
			a.header.Set("Date", now.Add(by).Format(http.TimeFormat))
			a.shown(func(data object) {
				rewriteDates(data, func(t time.Time) any {
					if t.Before(now.Add(-time.Hour)) {
						return data["updatedAt"]
					}
					return t.Add(by).Format(time.RFC3339)
				}, "updatedAt")
			})
		}))
	}
	slow := func(id, sentence string, milliseconds func(n int64) int64) Variant {
		return variant("wire/"+id, sentence, "", func(x *exchange) *answer {
			select {
			case <-time.After(time.Duration(milliseconds(x.count())) * time.Millisecond):
			case <-x.ctx.Done():
			}
			return x.forward()
		})
	}
	return []Variant{
		skewed("clock-slow", "The server's clock is a day slow", -24*time.Hour),
		skewed("clock-fast", "The server's clock is twenty minutes fast", 20*time.Minute),
		slow("slow", "Each answer takes 3 ms", func(int64) int64 { return 3 }),
		slow("slow-start", "The first answers take half a second", func(n int64) int64 { return max(0, min(1, 3-n)) * 500 }),
		slow("uneven", "Some answers take longer than others", func(n int64) int64 { return n % 5 }),
		variant("body/empty-object-touches", "An update that changes nothing sets updatedAt", "", shows(func(_ *exchange, data object) {
			data["updatedAt"] = time.Now().UTC().Format(time.RFC3339)
		})),
	}
}
