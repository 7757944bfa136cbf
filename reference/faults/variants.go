package faults

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"gopkg.in/yaml.v3"

	"github.com/adconform/adconform/reference"
)

// Variants lists every variant, sorted by id.
func Variants() []Variant {
	all := slices.Concat(
		chosenVariants(), requestVariants(), textVariants(), formVariants(), listVariants(), dateVariants(), answerVariants(), headerVariants(),
		timingVariants(), connectionVariants(), conditionalVariants(), userVariants(), gatewayVariants(),
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

// inContract is a request of one of the operations, and updating one that updates.
func inContract(x *exchange) bool { return x.op != nil }
func updating(x *exchange) bool   { return x.op != nil && x.op.Updates() }

// refusedInstead refuses a request in place of the server, where a condition holds and its user may send
// it: an update without fields finds out, and changes nothing.
func refusedInstead(is condition, status int, body object) behaviour {
	return when(all(inContract, is), func(x *exchange) *answer {
		look := x.request
		if updating(x) {
			look = x.with(saying(object{}))
		}
		if a := x.peek(look); a.status == http.StatusUnauthorized || a.status == http.StatusForbidden {
			return a
		}
		return refusal(status).replaced(status, body)
	})
}

// requestVariants look at a path, a key or a body in another order, or answer them otherwise.
func requestVariants() []Variant {
	// missingFirst look for the object before they look at the key: who may not have it is told whether it is there.
	missingFirst := func(id, sentence string, is condition) Variant {
		look := reference.Hooks{Authenticate: func(int64) int64 { return 1 }, Permit: func(bool) bool { return false }}
		return variant("auth/"+id, sentence+", what does not exist is answered 404", "error-precedence",
			when(all(inContract, is), func(x *exchange) *answer {
				if a := x.serve(x.request, look); a.status == http.StatusNotFound {
					return a
				}
				return x.forward()
			}))
	}
	restated := func(id, sentence, open string, from, to int, is condition) Variant {
		return variant(id, sentence, open, restates(from, to, all(inContract, is)))
	}
	refusing := func(id, sentence, open string, status int, body object, is condition) Variant {
		return variant(id, sentence, open, refusedInstead(is, status, body))
	}
	mixed := func(x *exchange) bool {
		foreign := len(x.ids) == 3 && slices.ContainsFunc(x.foreign(), func(id string) bool { return slices.Contains(x.ids, id) })
		return foreign && byOwner(x)
	}
	notPositive := func(x *exchange) bool { return atoi(x.lastID()) < 0 || x.lastID() == "0" }
	unknown := func(x *exchange) bool { return updating(x) && x.fields()["adconformUnknown"] != nil }
	half := func(x *exchange) bool { // one action without the other
		fields := x.fields()
		return of(profileUpdate)(x) && (fields["withCookiesAction"] == nil) != (fields["withoutCookiesAction"] == nil)
	}
	otherMediaType := func(x *exchange) bool { return updating(x) && !strings.Contains(x.header.Get("Content-Type"), "json") }
	const taken = "name-uniqueness"
	plain, cannot := variant("value/unique-409-plain", "A name that is taken is answered 409, in another form", taken,
		inPlaceOf(409, always, func(_ *exchange, a *answer) *answer { return a.replaced(409, object{"detail": "exists already"}) })),
		object{"detail": "cannot be decoded"}
	plain.Choices = func(c *reference.Choices) { c.NameTaken = 409 }
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
	return []Variant{
		missingFirst("missing-before-key", "Without a key", noKey),
		missingFirst("missing-before-unknown-key", "With a key that nobody has", all(not(noKey), not(byOwner), not(byStranger))),
		restated("path/mixed-403", "A path with ids of two users is answered 403", "mixed-owners", 404, 403, mixed),
		variant("path/malformed-per-operation", "A malformed id is answered 404, and 422 where campaigns are updated",
			"malformed-id", malformedIs422),
		restated("path/malformed-by-kind", "A malformed id is answered 404 where it is no number, and 422 where it is one that is not positive",
			"malformed-id", 404, 422, notPositive),
		restated("value/too-large-413", "A body with a name of 5,000 characters is answered 413", "text-length", 422, 413, longBody),
		refusing("body/unknown-refused-unnamed", "Unknown fields are refused, and no field is named", "unknown-fields",
			422, errorBody(422), unknown),
		refusing("body/unknown-refused-body", "Unknown fields are refused, and the body is named", "unknown-fields",
			422, errorBody(422, "body"), unknown),
		refusing("body/half-refused", "One action without the other is refused, and an issue names one of them", "required-fields",
			422, errorBody(422, "withoutCookiesAction"), half),
		refusing("body/half-refused-unnamed", "One action without the other is refused, and no field is named", "required-fields",
			422, errorBody(422), half),
		variant("body/other-media-type-ignored", "A body of another media type is not read, as if there were none", "media-type",
			when(otherMediaType, func(x *exchange) *answer { return x.send(x.with(saying(object{}), asJSON)) })),
		plain,
		refusing("value/unique-hostnames", "Hostnames are unique", taken, 422, errorBody(422, "hostname"), all(of(hostUpdate), givesTaken)),
		refusing("decoding/bodies-400", "Bodies that cannot be decoded are answered 400, in another form", "", 400, cannot, bodies),
		refusing("decoding/codings-415", "Codings and character sets that are not known are answered 415, in another form", "",
			415, cannot, coded),
		refusing("decoding/codings-409", "Codings and character sets that are not known are answered 409", "", 409, errorBody(409), coded),
		refusing("decoding/codings-422", "Codings and character sets that are not known are answered 422", "", 422, errorBody(422), coded),
		refusing("decoding/paths-400", "An id that is no UTF-8 is answered 400, in another form", "", 400, cannot, undecodablePath.is),
		refusing("decoding/paths-414", "An id that is no UTF-8 is answered 414", "", 414, errorBody(414), undecodablePath.is),
		refusing("decoding/pages-400", "A page that is no number is answered 400, in another form", "", 400, cannot, badPage),
	}
}

func readAll(c *reference.Choices) { c.ReadAll = true }

func asJSON(r *request) { r.header.Set("Content-Type", "application/json") }

// textVariants take texts and change them: in what is shown too, or only in what is stored.
func textVariants() []Variant {
	changing := func(id, sentence, open string, taking func(func(*exchange, object)) behaviour, change func(string) string) Variant {
		v := variant("value/"+id, sentence, open, when(updating, taking(func(x *exchange, fields object) {
			for _, f := range x.op.Body.Fields {
				if noHostname(f) {
					inText(fields, f, change)
				}
			}
		})))
		v.Choices = permissive
		return v
	}
	fold := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	invisible := strings.NewReplacer("\u2028", "", "\u202e", "", "\u200b", "", "\uffff", "", "\U0010ffff", "")
	dropped := changing("invisible-dropped", "Characters that nobody sees are dropped", "text-characters", setting, invisible.Replace)
	dropped.Deep = true
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
	return []Variant{
		changing("folded", "White space in texts is folded and trimmed", "trimming", setting, fold),
		changing("stored-folded", "Texts are shown as sent, and stored with folded white space", "trimming", stores, fold),
		changing("lines-folded", "Line breaks and tabs in texts become spaces", "trimming", setting,
			strings.NewReplacer("\n", " ", "\t", " ").Replace),
		changing("stored-trimmed", "Texts are shown as sent, and stored without white space around them", "trimming", stores, strings.TrimSpace),
		dropped,
		damaged("surrogate-escaped", "Half a surrogate pair is taken, and shown as the escape that was sent", `\\ud[89ab][0-9a-f]{2}`),
		damaged("bytes", "Bytes that are no UTF-8 are taken, and shown as they were sent", `\xff`),
	}
}

// formVariants take bodies in forms that nobody has to take, as some frameworks do, and store them
// as they store others. Odd input sends them (depth deep).
func formVariants() []Variant {
	decoded := func(id, sentence string, is condition, decode func(x *exchange) []byte) Variant {
		v := variant("decoding/"+id, sentence, "", when(all(updating, is), func(x *exchange) *answer {
			body := decode(x)
			if body == nil {
				return x.forward()
			}
			return x.send(x.with(saying(body), asJSON, func(r *request) { r.header.Del("Content-Encoding") }))
		}))
		v.Deep = true
		return v
	}
	mark := func(x *exchange) bool { return bytes.HasPrefix(x.body, []byte("\xff\xfe")) }
	return []Variant{
		decoded("utf-16", "A body in UTF-16 is taken", mark, func(x *exchange) []byte {
			body, _ := unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Bytes(x.body)
			return body
		}),
		decoded("gzip", "A body that is coded with gzip is taken", header("Content-Encoding", "gzip"), func(x *exchange) (body []byte) {
			if r, err := gzip.NewReader(bytes.NewReader(x.body)); err == nil {
				body, _ = io.ReadAll(r)
			}
			return body
		}),
		decoded("form", "A form is taken in place of JSON", header("Content-Type", "x-www-form-urlencoded"), func(x *exchange) []byte {
			form, _ := url.ParseQuery(string(x.body)) // what is wrong in it is left out
			fields := object{}
			for name := range form {
				if x.op.Body.Named(name) != nil {
					fields[name] = form.Get(name)
				}
			}
			return encode(fields)
		}),
	}
}
