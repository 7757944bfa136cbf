package faults

import (
	"encoding/json"
	"maps"
	"strings"
	"time"

	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// byChoice is a fault that the choices of the reference make.
func byChoice(x *exchange) *answer {
	x.fired = true
	return x.forward()
}

// openPoints break what nobody but the target itself settles: clauses of basis
// chosen, which give a notice.
func openPoints(*spec.Operation) []row {
	chosen := func(name, clause, sentence string, choices func(*reference.Choices)) row {
		return fault("open/"+name, clause, sentence, byChoice).choosing(choices)
	}
	return []row{
		chosen("trimmed", "OPEN-6", "Texts are trimmed", func(c *reference.Choices) { c.TrimNames = true }),
		chosen("trailing-text", "OPEN-8", "Text after the object of a body is let pass",
			func(c *reference.Choices) { c.TrailingText = reference.Ignore }),
		chosen("scalars-taken", "OPEN-8", "Numbers and booleans for a text are taken",
			func(c *reference.Choices) { c.ScalarCoercion = reference.Accept }),
		fault("open/malformed-ids-differ", "OPEN-1", "A malformed id is answered 404, and 422 where campaigns are updated", malformedIs422),
		fault("open/dates-of-two-forms", "OPEN-2", "createdAt is a day, updatedAt a moment", createdOnDay),
		fault("open/dates-as-numbers", "OPEN-9", "updatedAt is a number of seconds",
			writesDates(func(t time.Time) any { return t.Unix() }, "updatedAt")),
		fault("open/no-content-type", "OPEN-3", "Answers have no Content-Type", noContentType),
		fault("open/issue-names-nothing", "OPEN-10", "The issue of a 404 names what is no part of the request",
			inPlaceOf(404, always, func(_ *exchange, a *answer) { a.replace(404, errorBody(404, "resource")) })),
		fault("open/401-without-challenge", "OPEN-11", "A 401 has no WWW-Authenticate",
			rewrites(func(a *answer) { a.header.Del("WWW-Authenticate") })),
		fault("open/405-without-allow", "OPEN-12", "A 405 has no Allow", rewrites(func(a *answer) { a.header.Del("Allow") })),
		fault("open/204-length-0", "OPEN-4", "A 204 has Content-Length: 0", noContentLength),
		fault("open/integers-with-fraction", "OPEN-5", "Integers are written as 12.0", withFractions),
	}
}

// What variants do as well.

var malformedIs422 = on(campaignUpdate, restates(404, 422, func(x *exchange) bool { return noNumber(x.lastID()) }))

var createdOnDay = shows(func(_ *exchange, data object) {
	if s, ok := data["createdAt"].(string); ok {
		data["createdAt"], _, _ = strings.Cut(s, "T")
	}
})

var noContentType = rewrites(func(a *answer) { a.header["Content-Type"] = nil })

var noContentLength = rewrites(func(a *answer) {
	if a.status == 204 {
		a.raw = []byte("HTTP/1.1 204 No Content\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
	}
})

var withFractions = shows(func(_ *exchange, data object) {
	for name, v := range data {
		if n, ok := v.(json.Number); ok {
			data[name] = json.Number(n.String() + ".0")
		}
	}
})

// writesDates writes the dates of representations otherwise.
func writesDates(write func(t time.Time) any, names ...string) behaviour {
	return shows(func(_ *exchange, data object) { rewriteDates(data, write, names...) })
}

func rewriteDates(data object, write func(t time.Time) any, names ...string) {
	for _, name := range names {
		s, _ := data[name].(string)
		if t, err := time.Parse(time.RFC3339, s); err == nil {
			data[name] = write(t)
		}
	}
}

// wrongPins are open points that the target file pins otherwise than the choices of the reference.
func wrongPins(*spec.Operation) []row {
	pinned := func(key string, pin any, choices func(*reference.Choices)) row {
		r := fault("open/pinned-"+key, "PIN-1", "The target file pins "+key+" otherwise", byChoice).choosing(choices)
		r.Pins = map[string]any{key: pin}
		return r
	}
	return []row{
		pinned("successStatus", int64(200), func(c *reference.Choices) { c.SuccessStatus = 201 }),
		pinned("malformedID", int64(404), func(c *reference.Choices) { c.MalformedID = 422 }),
		pinned("requiredFields", "none", func(c *reference.Choices) { c.Required = "." }),
		pinned("emptyObject", "accepted", func(c *reference.Choices) { c.EmptyObject = reference.Refuse }),
		pinned("omittedFields", "kept", func(c *reference.Choices) { c.OmittedFields = reference.Reset }),
		pinned("unknownFields", "ignored", func(c *reference.Choices) { c.UnknownFields = reference.Refuse }),
		pinned("nullFields", "refused", func(c *reference.Choices) { c.NullFields = reference.Ignore }),
		pinned("scalarCoercion", "refused", func(c *reference.Choices) { c.ScalarCoercion = reference.Accept }),
		pinned("mediaFilesOfMissing", int64(404), func(c *reference.Choices) { c.MediaFilesOfMissing = 422 }),
		pinned("mediaFilesOfNonVast", int64(404), nil),
		pinned("deleteMediaFile", int64(204), func(c *reference.Choices) { c.DeleteMediaFile = reference.Refuse }),
		pinned("deleteContainer", int64(204), func(c *reference.Choices) { c.DeleteContainerWithFiles = reference.Refuse }),
		pinned("dateFormat", "RFC 1123", nil),
	}
}

// lostWriter reads an object, changes the fields that were sent and writes the whole
// back: of two writers at the same time one loses.
func lostWriter(op *spec.Operation) []row {
	const clauses, words = "OPEN-7 persists shows", "of two writers on different fields of one object one loses"
	partly := func(x *exchange) bool { return byOwner(x) && changing(x) && len(x.fields()) < len(op.Body.Fields) }
	lost := when(partly, func(x *exchange) *answer {
		whole := onlyFields(op, x.current(x.ids...))
		x.meet(x.path, "")
		maps.Copy(whole, x.fields())
		return says(whole)(x)
	})
	return []row{fault("open/lost-writer", clauses, words, lost)}
}
