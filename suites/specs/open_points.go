package specs

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	. "github.com/adconform/adconform/suites/match"
)

// Interface document, "not shown": bodies that may or may not be accepted. A value that is
// accepted must come back as it was sent.
func openBodies(s *Specs, op *spec.Operation) {
	takenOrRefused(s, "", "empty-body", "empty-body", "A request without a body is accepted or refused.",
		func(_ Case, call *Call) { NoBody(call) }, 411, 415)
	takenOrRefused(s, "", "unknown-field", "unknown-fields",
		"A field that the document does not know is ignored or refused.",
		func(c Case, call *Call) { // among them whom an object belongs to, and what it is a part of
			if op.Representation().Field("userId") == nil { // see setReadOnly
				call.Body.Fields["userId"] = unknownNumber
			}
			for i, param := range op.Params[:max(0, len(op.Params)-1)] {
				call.Body.Fields[param.Name] = unknownNumber
				if param.HasTexts() {
					call.Body.Fields[param.Name] = string(c.Target().UnknownID(op, i, 6))
				}
			}
			Set("adconformUnknown", unique(c)).Called("fields that the document does not know")(call)
		})
	takenOrRefused(s, "", "read-only-fields", "read-only-fields",
		"Fields that cannot be changed are ignored or refused, and do not change.", setReadOnly)
	takenOrRefused(s, "", "other-media-type", "media-type", "A body of another media type is refused or read as JSON.",
		// or not read at all, like a request without a body
		func(_ Case, call *Call) { combined(Loose, Header("Content-Type", "text/plain"))(call) }, 415)
	for _, f := range op.Body.Fields {
		null := "null-fields"
		if f.Optional {
			null = "null-optional"
		}
		s.Case("open/"+wording.Slug(f.Name, "null"), "null for "+f.Name+" is accepted, ignored or refused.",
			Options{Observes(null, f.Name), Clause("ERR-4")}, func(c Case, o *Object) {
				leaveDefault(c, o, f) // null may reset it to that, too
				before, _ := o.Holds(f.Name)
				a := send(c, Request(c, o, Set(f.Name, nil)), BeAccepted().Or(422, 400).Citing("ERR-4"))
				if c.Compare().ObserveNull(null, f, before, a); a.OK {
					c.Read(o) // does it hold the accepted value?
				}
			})
		if !isFreeText(f) {
			continue
		}
		text := func(name, point, title string, what finding.Oddity, text string) {
			takenOrRefused(s, f.Name, name, point, title, func(c Case, call *Call) {
				call.Loose = point == "blank-text"
				Set(f.Name, withToken(text, unique(c))).Called(what)(call)
			})
		}
		text("empty", "blank-text", "An empty "+f.Name+" is accepted or refused.", "an empty text", "")
		text("blank", "blank-text", "A "+f.Name+" of spaces is accepted or refused.", "a text of spaces", "   ")
		switch {
		case f.Hostname:
			text("invalid", "hostname-syntax", "A bad hostname is accepted or refused.",
				noHostname, "-not a host-TOKEN-")
		case f.Regex:
			text("invalid", "regex-syntax", "An invalid expression is accepted or refused.", noExpression, "([TOKEN")
		default:
			text("padded", "trimming",
				"A text with spaces around and in it is accepted as it is, trimmed, folded or refused.",
				finding.SpacesAround, "  a  TOKEN ")
			text("decomposed", "trimming", "A text that is not normalised is accepted as it is, normalised or refused.",
				"a text that is not normalised", "e\u0301 TOKEN")
		}
	}
}

// leaveDefault updates an object whose field holds the value to which updates reset it.
func leaveDefault(c Case, o *Object, f *spec.Field) {
	held, _ := o.Holds(f.Name)
	for round := 0; round < 2 && c.Target().ResetsTo(o, f, held); round++ {
		values := c.Ordinary(o, round)
		c.Write(o, values)
		held = values[f.Name]
	}
}

// takenOrRefused registers a request at one open point, about a field or none, and records the
// choice. also lists the statuses of a refusal besides 422 and 400.
func takenOrRefused(s *Specs, field, name, point, title string, change func(Case, *Call), also ...int) {
	more := point == "unknown-fields" || point == "read-only-fields" // fields that a body may not have by the document
	judged := Options{Observes(point, field), Clause("ERR-4"), optionIf(more, Clause("ERR-10"))}
	s.Case("open/"+wording.Slug(field, name), title, judged,
		func(c Case, o *Object) {
			request := Request(c, o)
			change(c, &request)
			a := send(c, request, BeAccepted().Or(422, 400).Or(also...).Citing("ERR-4"))
			if name != "decomposed" || !a.OK { // to normalise is not to trim
				c.Observe(point, a.Acceptance())
			}
			if a.Status == 422 && more { // it names a field that was sent, or the body as a whole
				c.Compare().JudgeNoneElse(append(slices.Sorted(maps.Keys(request.Body.Fields)), "body"), a)
			}
			if a.OK && slices.Contains([]string{"trimming", "hostname-syntax", "regex-syntax"}, point) {
				c.Read(o) // does it hold the accepted value?
			}
		})
}

// unknownNumber is given to fields that refer to another object.
const unknownNumber = 1999999999

// setReadOnly sets the fields that no request can change. The id is another object's, which a server may update in
// place of this one.
func setReadOnly(c Case, call *Call) {
	op, last := call.Op, len(call.Op.Params)-1
	id := c.Target().UnknownID(op, last, 5)
	if other := c.Object(op, spec.Other(op.Key())); other != nil && other.MayWrite() {
		id = other.ID()
	}
	for _, f := range op.Representation().Fields {
		var v any = "adconform"
		switch {
		case f.Meaning == "id" && op.Params[last].HasTexts():
			v = string(id)
		case f.Meaning == "id":
			v = json.Number(id)
		case !f.Stays:
			continue
		case f.Date:
			v = "2001-02-03T04:05:06Z"
		case f.Type == "integer":
			v = unknownNumber
		}
		Set(f.Name, v).Called("a field that cannot be changed")(call)
	}
}

// Interface document, "not shown": whether two objects may have the same name. If not, the
// name is a wrong field (Errors, 422) that an issue names, or a conflict (409).
func takenNames(s *Specs, op *spec.Operation) {
	if len(fieldsWhere(op, isFreeText)) == 0 {
		return
	}
	f := fieldsWhere(op, isFreeText)[0]
	title := "A " + f.Name +
		" that another object has is accepted and shown, or refused with 422 and an issue that names it."
	judged := Clause("ERR-4", "ERR-10", op.Effects["shows"], op.Effects["persists"])
	options := Options{writesOther(op), Observes("name-uniqueness", f.Name), judged}
	sibling := func(c *judge.Case) { c.WritesToo = append(c.WritesToo, judge.OwnKey(spec.Sibling(op.Key()))) }
	s.Case("open/"+wording.Slug(f.Name)+"-taken", title, append(options, sibling), func(c Case, o *Object) {
		other := c.Object(op, spec.Other(op.Key()))
		if sibling := c.Object(op, spec.Sibling(op.Key())); sibling != nil && sibling.MayWrite() {
			other = sibling // a name may have to be unique under its parent only
		}
		if !other.Changed() { // a text of the run that nothing else holds
			skipUnless(c, other.MayWrite(), judge.ByOperator, other.NotWritten())
			c.VerifyNoTraceOf(other)
			c.Write(other, c.Ordinary(other, 0))
		}
		taken, known := other.Last(f.Name)
		skipUnless(c, known && taken != nil, judge.ByTarget, "the target does not show what another object holds")
		a := send(c, Request(c, o, Set(f.Name, taken)), BeAccepted().Or(422, 409).Naming(f.Name).Citing("ERR-4"))
		c.Observe("name-uniqueness", a.Acceptance())
		if a.OK {
			c.Read(o)
			c.Read(other) // it keeps its name
		}
	})
}

// Requests that decoders of paths and bodies reject. Any 4xx is right; only a server that
// was never tested with them answers 5xx (RFC 9110).
func undecodable(s *Specs, op *spec.Operation) {
	if len(op.Params) == 0 {
		return
	}
	encoded := func(call *Call) { call.Encoded = true }
	s.Case("open/undecodable-path", "An id with bad percent-encoding is refused, and does not make the server fail.",
		Options{Clause("HTTP-1", "ERR-1")},
		func(c Case, o *Object) {
			for _, id := range []string{"%zz", "%", "%ff"} {
				to := BeRefused().Citing("ERR-1")
				if op.Lists() {
					to.OrEmpty()
				}
				send(c, Request(c, o, At(len(op.Params)-1, id).Called(malformed), NoObject, encoded), to)
			}
		})
	if !op.Updates() {
		return
	}
	const megabyte = 1 << 20 // more than many servers read
	large := Change(func(call *Call) { Text("{" + strings.Repeat(" ", megabyte) + string(call.Body.Raw[1:]))(call) })
	Table(s, "open", "A body %s is refused, or accepted as it is, and does not make the server fail.",
		Options{Clause("HTTP-1", op.Clause, op.Effects["shows"], "EFFECT-1")}, []Row[[]Change]{
			{"undecodable-body", "that does not have the encoding or character set in its header", []Change{
				Header("Content-Encoding", "gzip"), // the body is not gzip
				Header("Content-Encoding", "adconform"),
				Header("Content-Type", "application/json; charset=adconform"),
			}, nil},
			{"megabyte-body", "of more than a megabyte", []Change{large.Called("a body of more than a megabyte")}, nil},
		}, func(c Case, o *Object, row Row[[]Change]) {
			for _, change := range row.Sends {
				send(c, Request(c, o, change), BeAccepted().OrRefused())
			}
			c.VerifyNoTraceOf(o)
		})
}

// The texts that a field may hold are open, so each of these is refused with 422 or comes back as it was sent, then and
// later. If a text with many oddities makes the server fail, each oddity is sent alone.
func texts(s *Specs, op *spec.Operation) {
	for _, f := range fieldsWhere(op, isFreeText) {
		for _, text := range textsFor(f) {
			title := "A " + f.Name + " of this kind is refused with 422, or comes back as it was sent, then and later."
			judged := Clause(op.Effects["shows"], op.Effects["persists"], "OPEN-6")
			s.Case("text/"+wording.Slug(f.Name)+"-"+text.name, title,
				append(text.options, judged, Observes(text.point, f.Name)),
				func(c Case, o *Object) { sendTexts(c, o, f, text) })
		}
	}
	damagedText(s, op)
}

// sendTexts sends a text, and others where its answer says little.
func sendTexts(c Case, o *Object, f *spec.Field, text oddText) {
	a := sendText(c, o, f, text)
	c.Observe(text.point, a.Acceptance().Of(text.name))
	var also []oddText
	switch {
	case text.name == many.name && a.Status >= 500:
		also = manyParts
	case f.Hostname, text.length < 300, text.length > 300 && !a.OK:
		return
	default: // limits may be in characters or in bytes
		for _, n := range []int{text.length, 200, 60} {
			also = append(also, long(n, longName).beyondASCII())
		}
	}
	for _, other := range also {
		if a := sendText(c, o, f, other); a.OK && text.name != many.name {
			return
		}
	}
}

// sendText updates a field with an odd text and, if that is accepted, reads it back. It first checks refused
// requests for effects, which would be overwritten.
func sendText(c Case, o *Object, f *spec.Field, text oddText) *judge.Answer {
	if !c.Planned().Stretch {
		c.VerifyNoTraceOf(o)
	}
	request := Request(c, o, Set(f.Name, text.with(unique(c))).noted(text.describe))
	to := BeAccepted().Or(422).Citing("ERR-4")
	if text.length > 0 && !f.Hostname {
		to.Or(413)
	}
	a := send(c, request, to)
	if a.OK {
		c.Read(o)
	}
	return a
}

// damagedText registers bodies with a text that is not Unicode, or that nest deeply:
// only a crash is judged.
func damagedText(s *Specs, op *spec.Operation) {
	free := fieldsWhere(op, isFreeText)
	if len(free) == 0 {
		return
	}
	field := free[len(free)-1].Name
	title := "A damaged or deeply nested " + field +
		" does not make the server fail, and a refusal has the error object."
	judged := Clause("HTTP-1", op.Clause)
	s.Case("text/"+wording.Slug(field)+"-damaged", title, Options{judged}, func(c Case, o *Object) {
		for _, damaged := range []struct {
			json string
			what finding.Oddity
		}{
			{`"a\ud800z"`, finding.HalfCharacter},
			{"\"a\xffz\"", finding.NotUTF8Body},
			{strings.Repeat("[", 1000) + strings.Repeat("]", 1000), finding.NestedBody},
		} {
			send(c, Request(c, o, writtenAs(field, damaged.json).Called(damaged.what)), BeAnswered().InForm())
		}
		c.Write(o, c.Ordinary(o, 1)) // overwrites whatever was stored
	})
}

// oddText is a text that implementations often mishandle.
type oddText struct {
	name    string
	what    finding.Oddity
	text    string  // with a token of the run, see withToken, and … for what makes it as long as it is
	length  int     // the text has so many characters
	pad     string  // repeated to fill the length
	point   string  // the open point at which the target's choice is recorded
	options Options // Stretch if it is unlikely to be taken
}

// with returns the text with this token, at its full length.
func (t oddText) with(token string) string {
	text := withToken(t.text, token)
	if missing := t.length + 1 - utf8.RuneCountInString(text); t.length > 0 {
		text = strings.Replace(text, "…", string([]rune(strings.Repeat(t.pad, t.length))[:missing]), 1)
	}
	return text
}

// describe completes the description of the part that has the text.
func (t oddText) describe(part *finding.Sent) { part.What, part.N = t.what, t.length }

// withToken replaces TOKEN in a text by a token of the run, so that the text is recognised wherever
// it shows.
func withToken(text, token string) string { return strings.ReplaceAll(text, "TOKEN", token) }

// beyondASCII is a text of the same length, all but the first of its characters of two to four
// bytes each, so put that hardly any limit in bytes that anybody chooses (64, 100, 128, 255, 1,000,
// 4,096, …) ends between two.
func (t oddText) beyondASCII() oddText {
	t.what, t.text, t.pad = finding.LongOddText, "TOKEN ad…", "😀é日本🎈🚀"
	return t
}

// of returns a text with odd characters. The document does not say which characters are allowed.
func of(name string, what finding.Oddity, text string, options ...Option) oddText {
	return oddText{name: name, what: what, text: text, point: "text-characters", options: options}
}

// oddities are texts with one oddity each: rare control characters, and oddities that one text can contain all at once.
var oddities = []oddText{
	of("c1-control", "a text with control characters", "a\u0085\u009fz TOKEN", Deep),
	of("accent", finding.Accent, "aéz TOKEN", Deep),
	of("cjk", finding.BeyondLatin1, "a日’z TOKEN", Deep),
	of("emoji", finding.Emoji, "a😀z TOKEN", Deep),
	of("apostrophe", finding.Apostrophe, "a'z TOKEN", Deep),
	of("quote", finding.QuotationMark, `a"z TOKEN`, Deep),
	of("backslash", finding.Backslash, `a\z TOKEN`, Deep),
	of("markup", finding.Markup, "a&<b>x&amp;</b>z TOKEN", Deep),
	of("percent", finding.PercentSign, "a+%41z TOKEN", Deep),
}

var (
	manyParts = oddities[1:]
	many      = of("many", finding.ManyOddities, `aé日’😀'"\&<b>x&amp;</b>+%41z TOKEN`, Quick)
	digits    = of("leading-zero", "a text of digits", "0815")
)

var commonTexts = []oddText{
	digits,
	many,
	of("script", "a text with markup and braces", "a<script>{x}z TOKEN"),
	of("sql", finding.SQLWords, "aSELECT a FROM b 50 % $$z TOKEN"),
	of("tab", "a text with a tab", "a\tz TOKEN", Stretch),
	of("newline", "a text with a line break", "a\nz TOKEN", Stretch),
	of("nul", finding.NUL, "a\x00z TOKEN", Stretch),
}

const (
	noHostname   = "a text that is not a hostname"
	noExpression = "a text that is not an expression"
	longHost     = "www.TOKEN.….example.com"
	longName     = "TOKEN…"
)

// hostTexts are valid but unusual hostnames, and texts that are not hostnames. A long one begins
// with the characters that are often left out.
var hostTexts = []oddText{
	long(50, longHost),
	long(80, longHost),
	of("empty-label", "", "a..TOKEN.example.com", Stretch),
	of(digits.name, digits.what, digits.text, Stretch),
	of(many.name, noHostname, many.text, Stretch, Quick),
}

// expressionTexts cost some engines much time or memory, or do not compile.
var expressionTexts = []oddText{
	expression("huge-quantifier", hugeQuantifier, "a{1000000}TOKEN"),
	expression("nested-quantifier", hugeQuantifier, "((a{100}){100}){100}TOKEN"),
	expression("endless-quantifier", hugeQuantifier, "a{99999999999}TOKEN"),
	expression("nested-groups", finding.DeepExpression, strings.Repeat("(", 300)+"TOKEN"+strings.Repeat(")", 300)),
	expression("open-group", noExpression, "(?P<x>TOKEN"),
}

const hugeQuantifier = "an expression with a huge quantifier"

func expression(name string, what finding.Oddity, text string) oddText {
	return oddText{name: name, what: what, text: text, point: "regex-syntax", options: Options{Stretch}}
}

// long returns a text of so many characters. The document says nothing about limits, but a server may have one.
func long(n int, text string) oddText {
	return oddText{
		name: fmt.Sprint("length-", n), what: finding.LongText, length: n, text: text, pad: "n",
		options: Options{optionIf(n > 300, Stretch), optionIf(n > 5000, Quick)}, point: "text-length",
	}
}

// textsFor returns the texts for a field. If the document gives its maximum length, long texts are not open.
func textsFor(f *spec.Field) []oddText {
	switch {
	case f.Hostname:
		return hostTexts
	case f.Regex:
		return slices.Concat(commonTexts, expressionTexts, []oddText{long(300, longName)}, oddities)
	case f.Schema.MaxLength != nil:
		return slices.Concat(commonTexts, oddities)
	}
	longTexts := []oddText{long(60, longName), long(300, longName), long(5000, longName), long(65536, longName)}
	return slices.Concat(commonTexts, longTexts, oddities)
}
