package faults

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"golang.org/x/text/encoding/unicode"
	"gopkg.in/yaml.v3"

	"github.com/adconform/adconform/internal/dialect"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// Variants lists every variant, sorted by id.
func Variants() (all []Server) {
	s := new(seeds)
	for _, add := range []func(*seeds){
		chosenVariants, requestVariants, frontVariants, textVariants, listVariants, dateVariants, answerVariants,
		connectionVariants, conditionalVariants, userVariants, gatewayVariants, replicaVariants, pairVariants,
	} {
		add(s)
	}
	return s.sorted()
}

// variant adds a variant that differs at some open points, "" for none.
func (s *seeds) variant(id, sentence, open string, does behaviour) *Server {
	v := &Server{ID: id, Sentence: sentence +
		".", Wrap: does.wrap, Open: strings.Fields(open)}
	s.all = append(s.all, v)
	return v
}

//go:embed variants.yaml
var variantsFile []byte

// chosenVariants adds the variants of variants.yaml.
func chosenVariants(s *seeds) {
	var rows []struct {
		ID, Sentence string
		Open         []string
		Choices      object
		Pins         map[string]any
		Dialect      *dialect.Dialect
		Thin         bool
	}
	dec := yaml.NewDecoder(bytes.NewReader(variantsFile))
	dec.KnownFields(true)
	if err := dec.Decode(&rows); err != nil {
		panic(fmt.Sprintf("variants.yaml: %v", err))
	}
	for _, r := range rows {
		choices := func(c *reference.Choices) {
			dec := json.NewDecoder(bytes.NewReader(encode(r.Choices)))
			dec.DisallowUnknownFields()
			if err := dec.Decode(c); err != nil {
				panic(fmt.Sprintf("variants.yaml: %s: %v", r.ID, err))
			}
		}
		s.all = append(s.all, &Server{
			ID: r.ID, Sentence: r.Sentence + ".", Open: r.Open,
			Pins: r.Pins, Dialect: r.Dialect, Thin: r.Thin, Choices: choices,
		})
	}
}

// inContract selects requests for an operation, and updating those for an update.
func inContract(x *exchange) bool { return x.op != nil }
func updating(x *exchange) bool   { return x.op != nil && x.op.Updates() }

// requestVariants check the parts of a request in another order, or answer them otherwise.
func requestVariants(s *seeds) {
	restated := func(id, sentence, open string, from, to int, is ...condition) {
		s.variant(id, sentence, open,
			instead(from, all(inContract, all(is...)), refuse(to)))
	}
	mixed := func(x *exchange) bool {
		isForeign := func(id string) bool { return slices.Contains(x.ids, id) }
		return len(x.ids) == 3 && byOwner(x) &&
			slices.ContainsFunc(x.foreign(), isForeign)
	}
	notPositive := func(id string) bool { return atoi(id) < 0 || id == "0" }
	unknown := func(x *exchange) bool {
		return updating(x) && x.fields()["adconformUnknown"] != nil
	}
	half := func(x *exchange) bool { // one action without the other
		fields := x.fields()
		return (fields["withCookiesAction"] == nil) != (fields["withoutCookiesAction"] == nil)
	}
	otherMediaType := func(x *exchange) bool {
		return updating(x) &&
			!strings.Contains(strings.ToLower(x.header.Get("Content-Type")), "json")
	}
	longValue := func(x *exchange) bool {
		isLong := func(f *spec.Field) bool {
			return longer(4096)(x.fields()[f.Name])
		}
		return updating(x) && slices.ContainsFunc(x.op.Body.Fields, isLong)
	}
	restated("auth/missing-before-key", "Without a key, what does not exist is answered 404", "error-precedence",
		401, 404, noKey, missing)
	restated("auth/missing-before-unknown-key", "With an unknown key, what does not exist is answered 404",
		"error-precedence", 401, 404, not(noKey), missing)
	restated("path/mixed-403", "A path with ids of two users is answered 403", "mixed-owners", 404, 403, mixed)
	restated("path/malformed-per-operation", "A malformed id is answered 404, and 422 where campaigns are updated",
		"malformed-id", 404, 422, of(campaignUpdate), idIs(noNumber))
	restated("path/malformed-by-kind",
		"A malformed id is answered 404 where it is no number, and 422 where it is one that is not positive",
		"malformed-id", 404, 422, idIs(notPositive))
	restated("value/too-large-413", "A body with a name of 5,000 characters is answered 413", "text-length",
		422, 413, longValue)
	s.refusing("body/unknown-refused-unnamed", "Unknown fields are refused, and no field is named", "unknown-fields",
		refuse(422), unknown)
	s.refusing("body/unknown-refused-body", "Unknown fields are refused, and the body is named", "unknown-fields",
		refuse(422, "body"), unknown)
	s.refusing("body/half-refused", "One action without the other is refused, and an issue names one of them",
		"required-fields", refuse(422, "withoutCookiesAction"), of(profileUpdate), half)
	s.refusing("body/half-refused-unnamed", "One action without the other is refused, and no field is named",
		"required-fields", refuse(422), of(profileUpdate), half)
	s.refusing("value/unique-hostnames", "Hostnames are unique", "name-uniqueness",
		refuse(422, "hostname"), of(hostUpdate), givesTaken)
	s.variant("body/other-media-type-ignored", "A body of another media type is not read, as if there were none",
		"media-type", when(otherMediaType, before(func(x *exchange) {
			x.header.Set("Content-Type", "application/json")
			x.body = []byte("{}")
		})))
	s.variant("value/unique-409-plain", "A name that another object has is answered 409, in another format",
		"name-uniqueness", instead(409, always, otherForm(409))).
		choosing(func(c *reference.Choices) { c.NameTaken = 409 })
}

// refusing adds a variant that refuses a request in place of the server where a condition holds, but keeps its 401 or
// 403.
func (s *seeds) refusing(id, sentence, open string, does behaviour, is ...condition) {
	s.variant(id, sentence, open,
		when(all(inContract, all(is...)), unlessRefused(does)))
}

// otherForm refuses a request without the error section.
func otherForm(status int) behaviour { return replies(status, object{"detail": "refused"}) }

// frontVariants answer requests that do not reach the operation, or that its decoder refuses.
func frontVariants(s *seeds) {
	s.variant("auth/key-not-ascii-400",
		"A key beyond ASCII is answered 400 before the operation, with a page for people",
		"", when(foreignKey, htmlPage(http.StatusBadRequest, "<h1>Bad Request</h1>")))
	isHead := func(x *exchange) bool { return x.method == http.MethodHead }
	s.variant("path/front-end", "What is no path of an operation is answered 200 with a page for people", "",
		when(all(not(inContract), not(isHead)),
			htmlPage(http.StatusOK, "<!doctype html><title>Welcome</title>")))
	s.variant("path/slash-redirects", "A path with a slash behind it is redirected", "",
		when(func(x *exchange) bool { return strings.HasSuffix(x.path, "/") },
			replies(http.StatusPermanentRedirect, object{})))
	undecodable := func(x *exchange) bool {
		return updating(x) &&
			slices.ContainsFunc(undecodableBodies, func(b failingBody) bool { return b.is(x) })
	}
	unknownCoding := func(x *exchange) bool {
		return header("Content-Encoding", "")(x) || header("Content-Type", "charset=adconform")(x)
	}
	badPage := func(x *exchange) bool {
		page, asked := strings.CutPrefix(x.query, "page=")
		return x.op.Lists() && asked && noNumber(page)
	}
	s.refusing("decoding/bodies-400", "Bodies that cannot be decoded are answered 400, in another form", "",
		otherForm(400), undecodable)
	s.refusing("decoding/codings-415",
		"Codings and character sets that are not known are answered 415, in another form",
		"", otherForm(415), unknownCoding)
	s.refusing("decoding/paths-400", "An id that is no UTF-8 is answered 400, in another form", "",
		otherForm(400), undecodablePath)
	s.refusing("decoding/pages-400", "A page that is no number is answered 400, in another form", "",
		otherForm(400), badPage)
}

func readAll(c *reference.Choices) { c.ReadAll = true }

// textVariants change texts: those that are shown too, or only those that are stored. Or they accept bodies in forms
// that a server need not accept, as some frameworks do.
func textVariants(s *seeds) {
	changing := func(id, sentence, open string, taking func(change) behaviour, spoil func(string) string) *Server {
		return s.variant("value/"+id, sentence, open,
			when(updating, taking(func(x *exchange, fields object) {
				for _, f := range x.op.Body.Fields {
					if noHostname(f) {
						text(f.Name, spoil)(x, fields)
					}
				}
			}))).choosing(permissive)
	}
	fold := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	changing("invisible-dropped", "Invisible characters are dropped", "text-characters", setting,
		swapAll("[\u2028\u202e\u200b\uffff\U0010ffff]", "")).Deep = true
	changing("folded", "White space in texts is folded and trimmed", "trimming", setting, fold)
	changing("stored-folded", "Texts are shown as sent, and stored with folded white space", "trimming", stores, fold)
	changing("lines-folded", "Line breaks and tabs in texts become spaces", "trimming", setting, swapAll("[\n\t]", " "))
	// In the server, half a pair has a name that is Unicode.
	pairOrEscape := regexp.MustCompile(`(?i)\\(?:ud[89ab]..\\ud[c-f]..|u....|.)`)
	half := regexp.MustCompile(`(?i)^\\u(d[89ab]..)$`)
	named := regexp.MustCompile(`-half-(....)-`)
	s.variant("damaged/surrogate-escaped", "Half a surrogate pair is accepted, and shown as an escape",
		"text-characters",
		when(updating, func(x *exchange) *answer {
			x.body = pairOrEscape.ReplaceAllFunc(x.body, func(escape []byte) []byte {
				return half.ReplaceAll(escape, []byte("-half-$1-"))
			})
			a := x.forward()
			a.body = named.ReplaceAll(a.body, []byte(`\u$1`))
			return a
		}))
	s.variant("damaged/bytes", "Bytes that are not UTF-8 are accepted, and shown as U+FFFD", "text-characters",
		when(updating, before(func(x *exchange) {
			x.body = bytes.ToValidUTF8(x.body, []byte("\ufffd"))
		})))
	// decoded accepts a body in another form, which odd input has.
	decoded := func(id, sentence string, is condition, decode func(body []byte) []byte) {
		s.variant("decoding/"+id, sentence, "",
			when(all(updating, is), before(func(x *exchange) {
				x.body = decode(x.body)
				x.header.Set("Content-Type", "application/json")
				x.header.Del("Content-Encoding")
			}))).Deep = true
	}
	mark := func(x *exchange) bool {
		return bytes.HasPrefix(x.body, []byte("\xff\xfe"))
	}
	decoded("utf-16", "A body in UTF-16 is accepted", mark, func(body []byte) []byte {
		body, _ = unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Bytes(body)
		return body
	})
	decoded("gzip", "A body compressed with gzip is accepted",
		header("Content-Encoding", "gzip"), func(body []byte) (plain []byte) {
			if r, err := gzip.NewReader(bytes.NewReader(body)); err == nil {
				plain, _ = io.ReadAll(r)
			}
			return plain
		})
	decoded("form", "A form is accepted instead of JSON",
		header("Content-Type", "x-www-form-urlencoded"), func(body []byte) []byte {
			form, _ := url.ParseQuery(string(body)) // invalid parts are left out
			fields := object{}
			for name := range form {
				fields[name] = form.Get(name)
			}
			return encode(fields)
		})
}

// listVariants show pages and items in ways that the contract leaves open; some get a notice, none a violation.
func listVariants(s *seeds) {
	items := func(id, sentence, open string, edit func(item object, name string), names ...string) {
		s.variant("list/"+id, sentence, open,
			when(of(mediaFileList), answers(each(edit, names...))))
	}
	statusOnly := as(func(scan any) any {
		return object{"processingStatus": scan.(object)["processingStatus"]}
	})
	s.variant("list/parameters-refused", "A list that is asked for with a query is answered 422",
		"page-parameter page-beyond",
		when(of(mediaFileList), instead(200, not(asks("")), refuse(422, "query")))).Thin = true
	// echoed shows the number of the page as it was sent, as servers do that have integers of any size.
	echoed := pageOf("page=1000", func(p *page) {
		p.numbers["page"] = json.Number(strings.TrimPrefix(p.query, "page="))
	})
	beyond := func(x *exchange) bool {
		return askedPage(x) == 0 && len(x.query) > 20 &&
			strings.Trim(x.query, "page=0123456789") == ""
	}
	items("parent-null", "The parentId of a media file is null", "media-file-parent", set(nil), "parentId")
	items("parent-other", "The parentId of a media file is another creative's", "media-file-parent", set(7), "parentId")
	items("scan-status-only", "A scan is an object with a status and nothing else", "scan-fields",
		statusOnly, "latestScanStatus")
	items("scan-other-words", "The status of a scan is a word of the vendor's", "scan-fields", set("on hold"),
		"latestScanStatus.processingStatus")
	items("source-types", "sourceType is a word of the vendor's", "source-types", set("x-vendor/asset"), "sourceType")
	items("nulls", "Whatever may be null in a creative is", "",
		set(nil), "parentId", "previewAnimationURL", "width", "height",
		"nbVariations", "latestScanStatus")
	// moving shows a property of items in another way at each read.
	moving := func(id, sentence string, change func(read int64, item object)) {
		s.variant("list/moving-"+id, sentence, "", when(of(mediaFileList),
			shows(func(x *exchange, item object) {
				change(x.count(), item)
			})))
	}
	signed := func(read int64, item object, names ...string) {
		for _, name := range names {
			item[name] = fmt.Sprintf("%s?expires=%d", item[name], read)
		}
	}
	moving("urls-signed", "The URLs of an item are signed anew at each read", func(read int64, item object) {
		signed(read, item, "shareURL", "livePreviewURL")
	})
	moving("scan", "A scan proceeds, and its variations are counted meanwhile", func(read int64, item object) {
		item["latestScanStatus"] = object{"processingStatus": "step " + itoa(read)}
		item["nbVariations"] = read
	})
	moving("dates", "An item is updated by its scan", func(read int64, item object) {
		item["updatedAt"] = time.Now().UTC().Add(time.Duration(read) * time.Second).Format(time.RFC3339)
	})
	moving("measured", "What is measured of an item is null at first", func(read int64, item object) {
		if read < 200 { // items, of the first reads
			item["width"] = nil
			item["height"] = nil
			item["previewAnimationURL"] = nil
			item["latestScanStatus"] = nil
		}
	})
	s.variant("decoding/page-echoed",
		"A page beyond every integer is shown as it was asked for, and is empty", "page-beyond",
		when(of(mediaFileList), when(beyond, echoed)))
	s.variant("decoding/last-page-counts", "Of two pages the last counts", "",
		when(asks("page=1&page=2"),
			before(func(x *exchange) { x.query = "page=2" })))
}

// dateVariants write dates as numbers, or in two forms.
func dateVariants(s *seeds) {
	dated := func(id, sentence string, is condition, write func(t time.Time) any, names ...string) {
		s.variant("answer/date"+id, sentence, "date-format",
			when(all(inContract, is), answers(each(date(write), names...))))
	}
	number := func(id, sentence string, is condition, write func(t time.Time) string) {
		dated("-"+id, "Dates are numbers of "+sentence, is, func(t time.Time) any {
			return json.Number(write(t))
		}, "createdAt", "updatedAt")
	}
	onDay := func(t time.Time) any { return t.Format(time.DateOnly) }
	seconds := func(t time.Time) string { return itoa(t.Unix()) }
	s.variant("path/read-in-own-form", "A read shows dates as days and ids of others as texts", "read-campaign",
		when(not(inContract), answers(func(a *answer) {
			each(date(onDay), "createdAt")(a)
			each(as(func(id any) any { return fmt.Sprint(id) }),
				"adspecId", "userId")(a)
		}))).choosing(readAll)
	number("seconds", "seconds", always, seconds)
	number("seconds-fraction", "seconds with a fraction",
		always, func(t time.Time) string { return seconds(t) + ".250" })
	number("milliseconds", "milliseconds",
		always, func(t time.Time) string { return itoa(t.UnixMilli()) })
	number("seconds-in-campaigns", "seconds where campaigns are updated", of(campaignUpdate), seconds)
	dated("s-of-two-forms", "createdAt is a day, updatedAt a moment", always, onDay, "createdAt")
	dated("s-of-a-coarse-clock", "The clock moves once a second, and dates are written to the millisecond", always,
		func(t time.Time) any {
			return t.UTC().Format("2006-01-02T15:04:05.000Z")
		}, "createdAt", "updatedAt")
}

// answerVariants write or frame the same answers differently, or with other headers.
func answerVariants(s *seeds) {
	answered := func(id, sentence string, change func(a *answer)) {
		s.variant(id, sentence, "", answers(change))
	}
	s.variant("answer/integers-with-fraction", "Integers are written as 12.0", "",
		shows(func(_ *exchange, data object) {
			for name, v := range data {
				if n, ok := v.(json.Number); ok {
					data[name] = json.Number(n.String() + ".0")
				}
			}
		}))
	s.variant("wire/204-length-0", "A 204 has Content-Length: 0", "",
		inPlaceOf(204, always, sends("HTTP/1.1 204 No Content\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")))
	// A name that comes back with the dot keeps one.
	capitals := func(hostname any) any {
		return strings.ToUpper(strings.TrimSuffix(hostname.(string), ".")) + "."
	}
	s.variant("wire/upper-case-hostnames",
		"Hostnames are shown in capitals with a final dot, and numbers are taken as texts",
		"scalar-coercion", answers(each(as(capitals), "hostname"))).
		choosing(func(c *reference.Choices) {
			c.ScalarCoercion = reference.Accept
			c.InvalidHostname = reference.Accept
		})
	s.variant("answer/501-to-trace", "TRACE is answered 501", "unknown-methods",
		inPlaceOf(http.StatusMethodNotAllowed, func(x *exchange) bool { return x.method == http.MethodTrace },
			func(a *answer) { a.status = http.StatusNotImplemented }))
	answered("wire/pretty", "JSON is indented", func(a *answer) {
		var buf bytes.Buffer
		if json.Indent(&buf, a.body, "", "\t") == nil && buf.Len() > 0 {
			a.body = []byte("\r\n " + buf.String() + "\n\n")
		}
	})
	answered("wire/reordered", "The members of objects are in another order", func(a *answer) {
		if doc := decode(a.body); doc != nil {
			a.body = encode(doc)
		}
	})
	outside := regexp.MustCompile(`[/\x{7f}-\x{10ffff}]`)
	answered("wire/escaped", "/ and all but ASCII is escaped in JSON strings", func(a *answer) {
		a.body = outside.ReplaceAllFunc(a.body,
			func(r []byte) (escapes []byte) {
				for _, unit := range utf16.Encode([]rune(string(r))) {
					escapes = fmt.Appendf(escapes, `\u%04X`, unit)
				}
				return escapes
			})
	})
	answered("wire/chunked", "Bodies come in small chunks", func(a *answer) {
		if len(a.body) > 0 {
			var chunks []byte
			for chunk := range slices.Chunk(a.body, 100) {
				chunks = fmt.Appendf(chunks, "%x;x=1\r\n%s\r\n", len(chunk), chunk)
			}
			a.body = append(chunks, "0\r\n\r\n"...)
			framed("Transfer-Encoding: chunked\r\n\r\n%[1]s")(a)
		}
	})
	answered("wire/http-1.0", "Answers are of HTTP/1.0 and end with the connection", func(a *answer) {
		framed("\r\n%[1]s")(a)
		a.raw = bytes.Replace(a.raw, []byte("HTTP/1.1"),
			[]byte("HTTP/1.0"), 1)
	})
	header := func(id, sentence string, headers http.Header) {
		answered(id, sentence,
			func(a *answer) { maps.Copy(a.header, headers) })
	}
	header("wire/connection-close", "Each answer closes its connection", http.Header{"Connection": {"close"}})
	header("wire/many-headers", "Answers have headers of their own", http.Header{
		"X-Request-Id": {"7f3c"}, "X-Ratelimit-Ipremaining": {"14"}, "Strict-Transport-Security": {"max-age=31536000"},
		"Vary": {"Accept-Encoding, X-API-Key"}, "Set-Cookie": {"a=1; Path=/", "b=2; HttpOnly"},
		"Deprecation": {"@1735689600"}, "Link": {`<https://docs.example.com>; rel="help"`},
	})
	header("wire/etag", "Answers have an entity tag and a date", http.Header{
		"Etag": {`W/"1"`}, "Last-Modified": {"Mon, 01 Jan 2024 00:00:00 GMT"},
	})
	header("wire/no-date", "Answers have no Date", http.Header{"Date": nil})
	header("answer/no-content-type", "Answers have no Content-Type", http.Header{"Content-Type": nil})
	header("wire/date-unreadable", "The Date of an answer is no date", http.Header{"Date": {"just now"}})
	gateway := func(id, sentence string, ahead time.Duration) {
		s.variant("wire/gateway-clock-"+id, sentence, "", answers(func(a *answer) {
			a.header.Set("Date",
				time.Now().Add(ahead).UTC().Format(http.TimeFormat))
		}))
	}
	gateway("slow", "A gateway whose clock is three hours slow writes the Date of each answer", -3*time.Hour)
	gateway("fast", "A gateway whose clock is a month fast writes the Date of each answer", 30*24*time.Hour)
	header("wire/204-content-type", "A 204 has a Content-Type", http.Header{"Content-Type": {"application/json"}})
}

// openPoints are variants that give a notice, as they break a clause of basis chosen, or whose target file pins another
// choice.
func openPoints(s *seeds, _ *spec.Operation) {
	variants := Variants()
	for _, row := range []struct {
		name, clause, variant string
		pin                   any // of the key that the name ends with
	}{
		{"trimmed", "OPEN-6", "value/trimmed", nil},
		{"trailing-text", "OPEN-8", "body/trailing-text-taken", nil},
		{"scalars-taken", "OPEN-8", "body/scalars-taken", nil},
		{"malformed-ids-differ", "OPEN-1", "path/malformed-per-operation", nil},
		{"dates-of-two-forms", "OPEN-2", "answer/dates-of-two-forms", nil},
		{"dates-as-numbers", "OPEN-9", "answer/date-seconds", nil},
		{"no-content-type", "OPEN-3", "answer/no-content-type", nil},
		{"charset-misspelt", "OPEN-3", "answer/charset-misspelt", nil},
		{"401-without-challenge", "OPEN-11", "auth/no-challenge", nil},
		{"204-length-0", "OPEN-4", "wire/204-length-0", nil},
		{"integers-with-fraction", "OPEN-5", "answer/integers-with-fraction", nil},
		{"pinned-successStatus", "PIN-1", "answer/status-201", int64(200)},
		{"pinned-malformedID", "PIN-1", "path/malformed-id-422", int64(404)},
		{"pinned-requiredFields", "PIN-1", "body/all-fields-required", "none"},
		{"pinned-emptyObject", "PIN-1", "body/empty-object-refused", "accepted"},
		{"pinned-omittedFields", "PIN-1", "body/omitted-reset", "kept"},
		{"pinned-unknownFields", "PIN-1", "body/unknown-refused", "ignored"},
		{"pinned-nullFields", "PIN-1", "body/null-ignored", "refused"},
		{"pinned-scalarCoercion", "PIN-1", "body/scalars-taken", "refused"},
		{"pinned-mediaFilesOfMissing", "PIN-1", "list/missing-422", int64(404)},
		{"pinned-mediaFilesOfNonVast", "PIN-1", "list/non-vast-empty", int64(404)},
		{"pinned-deleteMediaFile", "PIN-1", "delete/media-file-refused", int64(204)},
		{"pinned-deleteContainer", "PIN-1", "delete/container-refused", int64(204)},
		{"read-delay", "OPEN-13", "replica/reads-100ms", nil},
		{"pinned-readDelay", "PIN-1", "replica/reads-100ms", int64(0)},
		{"pinned-dateFormat", "PIN-1", "answer/date-only", "RFC 1123"},
	} {
		v, err := ByID(variants, row.variant)
		if err != nil {
			panic(err)
		}
		f := s.fault("open/"+row.name, row.clause,
			strings.TrimSuffix(v.Sentence, "."), nil)
		f.Choices = v.Choices
		f.Wrap = v.Wrap
		if key, pinned := strings.CutPrefix(row.name, "pinned-"); pinned {
			f.Sentence = fmt.Sprintf("The target file pins %v for %s. %s", row.pin, key, v.Sentence)
			f.Pins = map[string]any{key: row.pin}
		}
	}
	s.fault("open/issue-names-nothing", "OPEN-10", "The issue of a 404 names something that is not part of the request",
		instead(404, always, refuse(404, "resource")))
	s.fault("open/405-without-allow", "OPEN-12", "A 405 has no Allow",
		answers(func(a *answer) { a.header.Del("Allow") }))
}

// date writes a date of the reference in another format.
func date(write func(t time.Time) any) func(object, string) {
	return as(func(old any) any {
		t, _ := time.Parse(time.RFC3339, old.(string))
		return write(t)
	})
}
