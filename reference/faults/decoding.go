package faults

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// undecodable is a request on which a decoder of the server fails.
type undecodable struct {
	name, sentence string
	status         int // of a refusal that the contract describes
	is             func(x *exchange) bool
}

var undecodablePath = undecodable{"path", "an id that is no UTF-8", http.StatusNotFound, func(x *exchange) bool { return x.lastID() == "%ff" }}

// undecodableBodies are those of an update.
func undecodableBodies(op *spec.Operation) []undecodable {
	header := func(name, part string) func(*exchange) bool {
		return func(x *exchange) bool { return strings.Contains(x.header.Get(name), part) }
	}
	body := func(is func(b string) bool) func(*exchange) bool {
		return func(x *exchange) bool { return x.byOwner() && is(string(x.body)) }
	}
	all := []undecodable{
		{"false-gzip", "a body that is not gzip and said to be", 422, header("Content-Encoding", "gzip")},
		{"unknown-coding", "a content coding that nobody knows", 422, header("Content-Encoding", "adconform")},
		{"unknown-charset", "a character set that nobody knows", 422, header("Content-Type", "adconform")},
		{"megabyte", "a body of more than a megabyte", 422, body(func(b string) bool { return len(b) > 1<<20 })},
		{"nested", "a body that nests deeply", 422, body(func(b string) bool { return strings.Contains(b, "[[[[[[[[") })},
		{"not-utf8", "a body that is no UTF-8", 422, body(func(b string) bool { return strings.Contains(b, "a\xffz") })},
		{"surrogate", "half a surrogate pair", 422, body(func(b string) bool { return strings.Contains(b, `\ud800`) })},
		{"array-of-values", "an array of the fields' values", 422, body(func(b string) bool { return strings.HasPrefix(b, `["`) })},
	}
	for _, f := range op.Body.Fields {
		if f.Regex {
			all = append(all,
				undecodable{"huge-quantifier", "an expression that repeats a million times", 422, body(func(b string) bool { return strings.Contains(b, "{1000000}") })},
				undecodable{"nested-quantifier", "an expression with nested repetitions", 422, body(func(b string) bool { return strings.Contains(b, "}){") })})
		}
	}
	return all
}

// decodingFaults fail where a decoder fails, or refuse in another form than that
// of the contract, or take what is none.
func decodingFaults(c *spec.Contract) []Fault {
	var all []Fault
	for _, op := range c.Operations {
		ways := []undecodable{undecodablePath}
		if op.Updates() {
			ways = append(ways, undecodableBodies(op)...)
			all = append(all, takenFromArray(op), emptiedByCoding(op))
		}
		for _, u := range ways {
			all = append(all, badlyRefused(op, u)...)
		}
		all = append(all, Fault{
			ID: "decoding/path-taken/" + op.ID, Clause: "ERR-1", Also: []string{"EFFECT-2", "DELETE-3", "DELETE-4", "EFFECT-3", "DELETE-1"},
			Sentence: op.ID + ": an id that is no UTF-8 is taken for the first object.",
			Wrap: each(on(op.ID, func(x *exchange) *answer {
				if undecodablePath.is(x) && x.byOwner() {
					return x.send(x.request.with(to(x.at(op, x.mine(op)...))))
				}
				return x.forward()
			})),
		})
	}
	return append(all, pageDecoding(c.Operation(mediaFileList))...)
}

// badlyRefused fail on a request, or refuse it with something else than the error
// object.
func badlyRefused(op *spec.Operation, u undecodable) []Fault {
	fault := func(name, clause, sentence string, answers func(a *answer) *answer) Fault {
		return Fault{
			ID: "decoding/" + u.name + "-" + name + "/" + op.ID, Clause: clause, Also: []string{"ERR-6", "ERR-7", "ERR-8", "ERR-11", "HTTP-3", "JSON-1"},
			Sentence: op.ID + ": " + u.sentence + " is " + sentence + ".",
			Wrap: each(on(op.ID, func(x *exchange) *answer {
				if u.is(x) {
					return answers(x.forward())
				}
				return x.forward()
			})),
		}
	}
	return []Fault{
		fault("500", "HTTP-1", "answered 500", func(*answer) *answer { return refusal(http.StatusInternalServerError) }),
		fault("bare", "ERR-6", "refused with a message and no error section", func(a *answer) *answer {
			return a.replaced(u.status, map[string]any{"message": "cannot be decoded"})
		}),
		fault("other-code", "ERR-7", "refused with another code in the error than its status", func(a *answer) *answer {
			return a.replaced(u.status, errorBody(http.StatusBadRequest))
		}),
	}
}

// takenFromArray reads an array of the fields' values as the object.
func takenFromArray(op *spec.Operation) Fault {
	return Fault{
		ID: "decoding/array-of-values-taken/" + op.ID, Clause: "ERR-3", Also: []string{"EFFECT-1"},
		Sentence: op.ID + ": an array of the fields' values is taken for the object.",
		Wrap: each(on(op.ID, func(x *exchange) *answer {
			var values []any
			if json.Unmarshal(x.body, &values) != nil || len(values) != len(op.Body.Fields) {
				return x.forward()
			}
			doc := map[string]any{}
			for i, f := range op.Body.Fields {
				doc[f.Name] = values[i]
			}
			return x.send(x.request.with(saying(encode(doc))))
		})),
	}
}

// emptiedByCoding takes a body that it cannot decode for {}.
func emptiedByCoding(op *spec.Operation) Fault {
	return Fault{
		ID: "decoding/coding-empties/" + op.ID, Clause: op.Effects["shows"], Also: []string{op.Effects["persists"], op.Clause},
		Sentence: op.ID + ": a body whose content coding is not known is taken for {}.",
		Wrap: each(on(op.ID, func(x *exchange) *answer {
			if x.header.Get("Content-Encoding") != "" {
				return x.send(x.request.with(saying([]byte("{}"))))
			}
			return x.forward()
		})),
	}
}

// pageDecoding fail on pages that are no numbers of a page, or show what they
// make of them.
func pageDecoding(op *spec.Operation) []Fault {
	var all []Fault
	for _, q := range []struct {
		name, query string
		shown       any
	}{
		{"fraction", "page=1.5", json.Number("1.5")},
		{"beyond-63-bit", "page=9223372036854775808", "9223372036854775808"},
		{"beyond-64-bit", "page=100000000000000000000", json.Number("100000000000000000000.5")},
		{"empty", "page=", nil},
		{"twice", "page=1&page=2", []any{1, 2}},
	} {
		all = append(all, Fault{
			ID: "decoding/page-" + q.name + "-500/" + op.ID, Clause: "HTTP-1", Sentence: op.ID + ": the server fails on " + q.query + ".",
			Wrap: each(on(op.ID, crashWhen(func(x *exchange) bool { return x.query == q.query }))),
		}, Fault{
			ID: "decoding/page-" + q.name + "-bare/" + op.ID, Clause: "ERR-6", Also: []string{"ERR-7", "ERR-8", "ERR-11"},
			Sentence: op.ID + ": " + q.query + " is refused with a message and no error section.",
			Wrap: each(on(op.ID, func(x *exchange) *answer {
				a := x.forward()
				if x.query == q.query {
					return a.replaced(http.StatusUnprocessableEntity, map[string]any{"message": "page"})
				}
				return a
			})),
		}, Fault{
			ID: "decoding/page-" + q.name + "-shown/" + op.ID, Clause: "MEDIA-5", Also: []string{"MEDIA-2"},
			Sentence: op.ID + ": " + q.query + " is shown as the page, which is no integer then.",
			Choices:  func(c *reference.Choices) { c.MalformedPage = reference.Ignore },
			Wrap: each(on(op.ID, func(x *exchange) *answer {
				if x.query != q.query {
					return x.forward()
				}
				return x.send(x.request.with(func(r *request) { r.query = "" })).page(func(p map[string]any, items []any) []any {
					p["page"] = q.shown
					return items
				})
			})),
		})
	}
	return all
}

// echoed shows the page that was asked for as large as it was, as servers do whose
// integers have no bound or are doubles.
func echoed(id, sentence string, shown map[string]string) Variant {
	v := harmless("decoding/page-"+id, sentence, func() behaviour {
		return func(x *exchange) *answer {
			page, ok := shown[strings.TrimPrefix(x.query, "page=")]
			if !ok || x.op == nil || !x.op.Lists() {
				return x.forward()
			}
			return x.send(x.request.with(func(r *request) { r.query = "page=1000" })).page(func(p map[string]any, _ []any) []any {
				p["page"], p["count"] = json.Number(page), 0
				return []any{}
			})
		}
	})
	v.Open = []string{"page-beyond"}
	return v
}

// decodingVariants refuse what cannot be decoded with other statuses, or take it.
func decodingVariants() []Variant {
	refusing := func(id, sentence string, status int, body any, is func(x *exchange) bool) Variant {
		return harmless("decoding/"+id, sentence, func() behaviour {
			return func(x *exchange) *answer {
				if x.op == nil || !is(x) {
					return x.forward()
				}
				look := x.request
				if x.op.Updates() {
					look = look.with(saying([]byte("{}"))) // changes nothing
				} else if x.op.Deletes() {
					return refusal(status).replaced(status, body)
				}
				if a := x.peek(look); a.status == http.StatusUnauthorized || a.status == http.StatusForbidden {
					return a
				}
				return refusal(status).replaced(status, body)
			}
		})
	}
	bodies := func(x *exchange) bool {
		if !x.op.Updates() {
			return false
		}
		for _, u := range undecodableBodies(x.op) {
			if u.name != "array-of-values" && u.is(x) {
				return true
			}
		}
		return false
	}
	coded := func(x *exchange) bool {
		return x.header.Get("Content-Encoding") != "" || strings.Contains(x.header.Get("Content-Type"), "charset=adconform")
	}
	plain := map[string]any{"detail": "cannot be decoded"}
	return []Variant{
		refusing("bodies-400", "Bodies that cannot be decoded are answered 400, in another form", http.StatusBadRequest, plain, func(x *exchange) bool {
			return bodies(x) && !strings.Contains(string(x.body), "}){") && !strings.Contains(string(x.body), "{1000000}")
		}),
		refusing("codings-415", "Codings and character sets that are not known are answered 415, in another form", http.StatusUnsupportedMediaType, plain, coded),
		refusing("codings-409", "Codings and character sets that are not known are answered 409", http.StatusConflict, errorBody(http.StatusConflict), coded),
		refusing("codings-422", "Codings and character sets that are not known are answered 422", http.StatusUnprocessableEntity, errorBody(http.StatusUnprocessableEntity), coded),
		refusing("paths-400", "An id that is no UTF-8 is answered 400, in another form", http.StatusBadRequest, plain, undecodablePath.is),
		refusing("paths-414", "An id that is no UTF-8 is answered 414", http.StatusRequestURITooLong, plain, undecodablePath.is),
		refusing("pages-400", "A page that is no number is answered 400, in another form", http.StatusBadRequest, plain, func(x *exchange) bool {
			return x.op.Lists() && strings.HasPrefix(x.query, "page=") && strings.Trim(x.query, "page=0123456789") != "" || x.query == "page=1&page=2"
		}),
		choice("decoding/quantifiers-taken", "Any expression is taken, whatever it repeats", "regex-syntax", func(c *reference.Choices) { c.InvalidRegex = reference.Accept }),
		echoed("echoed", "A page beyond every integer is shown as it was asked for, and is empty", map[string]string{
			"9223372036854775808": "9223372036854775808", "100000000000000000000": "100000000000000000000",
		}),
		echoed("doubles", "A page beyond every integer is shown as a double holds it, and is empty", map[string]string{
			"9223372036854775808": "9223372036854776000", "100000000000000000000": "1e20",
		}),
		harmless("decoding/last-page-counts", "Of two pages the last counts", func() behaviour {
			return func(x *exchange) *answer {
				if x.query == "page=1&page=2" {
					return x.send(x.request.with(func(r *request) { r.query = "page=2" }))
				}
				return x.forward()
			}
		}),
	}
}
