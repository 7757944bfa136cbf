package faults

import (
	"cmp"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// derived adds the faults that follow from the document: each response of each operation, changed in one thing.
func derived(s *seeds, op *spec.Operation) {
	for _, status := range []int{0, 401, 403, 404, 422} {
		r := response{s, status, s.contract.Error}
		if status == 0 {
			r.shape = op.Success
		} else if op.Responses[itoa(status)] == nil {
			continue
		}
		if r.statuses(); r.shape == nil {
			continue
		}
		if status == 0 {
			data := r.shape.Field("data").Clause + " " +
				strings.Join(r.shape.Clauses(), " ")
			r.bodies(unwrapped, data+" operation updatedAt")
		} else {
			r.bodies(noErrors, "ERR-6 ERR-7 ERR-8 ERR-11 HTTP-3 JSON-1")
			r.issues()
		}
		r.bodies(brokenTexts, "")
		r.properties(r.shape, "", "")
	}
}

// response is a response of the operation whose faults are added.
type response struct {
	*seeds
	status int          // of an error; 0 for the success
	shape  *spec.Object // of the body; nil for none
}

// changed adds a fault that changes one thing of the response.
func (r response) changed(name, clauses, sentence string, does func(a *answer)) {
	class := itoa(r.status)
	severity := spec.Minor
	is := func(a *answer) bool { return a.status == r.status }
	if strings.HasPrefix(name, "status-") {
		severity = spec.Major
	}
	if r.status == 0 { // what every client sees
		class = "success"
		severity = spec.Major
		is = (*answer).ok
	}
	f := r.fault(r.op.ID+"/"+class+"/"+name, clauses,
		r.op.ID+" ("+class+"): "+sentence, answers(func(a *answer) {
			if is(a) {
				does(a)
			}
		})).graded(severity)
	f.Row = ""
	switch { // the reference has some by choice only
	case r.op.Lists() && r.status == 0:
		f.Choices = func(c *reference.Choices) { c.NbMediaFilesInList = true }
	case r.op.Deletes() && r.status == 422:
		f.Choices = func(c *reference.Choices) { c.DeleteMediaFile = reference.Refuse }
	}
}

// statuses answer with another status.
func (r response) statuses() {
	open := []int{r.status}
	clauses := map[int]string{
		0: "operation DELETE-4 DELETE-5", 401: "AUTH-1 AUTH-3", 403: "AUTH-2 AUTH-3",
		404: "ERR-1 ERR-2 DELETE-3 operation DELETE-1",
		422: "ERR-4 ERR-3 ERR-5 operation",
	}[r.status]
	switch {
	case r.status == 0 && r.op.Deletes():
		open = []int{204}
		clauses += " EFFECT-1" // refused deletes came before
	case r.status == 0:
		open = []int{200}
	case r.op.Deletes() && r.status == 422: // of a media file, which may be a success as well
		open = append(open, 204)
		clauses = "operation EFFECT-1"
	case r.op.Lists() && r.status >= 404:
		// What lists nothing is 404, 422 or an empty list, what does not exist may be 403.
		open = []int{400, 403, 404, 422}
		clauses = "ERR-1 ERR-4 MEDIA-1 MEDIA-2"
	}
	also := map[int]string{401: " AUTH-4", 403: " AUTH-4", 404: " EFFECT-3"}
	for _, to := range []int{200, 204, 400, 401, 403, 404, 409, 422, 500} {
		if to == 500 {
			clauses = "HTTP-1 " + clauses
		}
		if !slices.Contains(open, to) {
			r.changed("status-"+itoa(to), clauses+" ERR-12"+also[to],
				"the status is "+itoa(to), func(a *answer) { a.restate(to) })
		}
	}
}

// restate gives an answer another status: a success gets an error that fits it, and an error keeps its body except
// the code.
func (a *answer) restate(status int) {
	switch {
	case status == http.StatusNoContent || a.ok() && status < 300:
		*a = answer{status: status, header: http.Header{}}
	case a.ok():
		*a = *reply(status, errorBody(status))
	default:
		at("error.responseCode", set(status))(a)
		a.status = status
	}
}

// bodyFormat replaces a body. In its format BODY is the old body, HEAD the body without its last brace, TAIL without
// its first, NAME its first member's name, INNER the content of its envelope, TEXT the text of the status and CODE its
// number.
type bodyFormat struct{ name, clauses, sentence, format, mediaType string }

var brokenTexts = []bodyFormat{
	{"text-cut-off", "JSON-1 HTTP-3", "the JSON text is cut off", "HEAD", ""},
	{"text-trailing-text", "JSON-1 HTTP-3", "text follows the JSON text", "BODY OK", ""},
	{"text-byte-order-mark", "JSON-1 HTTP-3", "the JSON text starts with a byte order mark", "\ufeffBODY", ""},
	{"text-not-utf8", "JSON-1 HTTP-3", "the text is not UTF-8", "{\"x-\xe9\":1,TAIL", ""},
	{"text-not-a-number", "JSON-1 HTTP-3", "a member is NaN", `{"extension":NaN,TAIL`, ""},
	{"text-duplicate-name", "JSON-2 HTTP-3", "a member is there twice", "{NAME:null,TAIL", ""},
	{"type-text-html", "HTTP-3", "the Content-Type is text/html", "BODY", "text/html"},
}

// unwrapped are bodies of a success without the right envelope.
var unwrapped = []bodyFormat{
	{"envelope-dropped", "", "the representation or list stands bare, without its envelope", "INNER", ""},
	{"envelope-doubled", "", "the envelope is there twice", `{"data":BODY}`, ""},
	{"empty-object", "", "the body is {}", "{}", ""},
	{"no-body", "JSON-1 HTTP-3", "there is no body", "", ""},
}

// noErrors are bodies of an error without the error section.
var noErrors = []bodyFormat{
	{"body-array", "", "the body is an array", "[BODY]", ""},
	{"body-html", "", "the body is a page for people", "<html><body><h1>TEXT</h1></body></html>", "text/html"},
	{
		"body-problem", "", "the body is a problem document (RFC 9457)", `{"status":CODE,"title":"TEXT"}`,
		"application/problem+json",
	},
	{"body-absent", "", "there is no body", "", ""},
	{"body-flattened", "", "the members of the error section stand at the top", "INNER", ""},
}

// bodies replace the body, which breaks these clauses and those of the formats.
func (r response) bodies(formats []bodyFormat, clauses string) {
	for _, b := range formats {
		r.changed(b.name, clauses+" "+b.clauses,
			b.sentence, func(a *answer) {
				doc := decode(a.body).(object)
				old := string(a.body)
				inner := encode(cmp.Or(doc["data"], doc["error"]))
				name, _, _ := strings.Cut(old[1:], ":")
				a.body = []byte(strings.NewReplacer("BODY", old, "HEAD",
					old[:len(old)-1], "TAIL", old[1:], "NAME", name,
					"INNER", string(inner), "TEXT", http.StatusText(a.status),
					"CODE", itoa(a.status)).Replace(b.format))
				if b.mediaType != "" || b.format == "" {
					a.header["Content-Type"] = strings.Fields(b.mediaType)
				}
			})
	}
}

// at edits the values at a path of the body, and set replaces them.
func at(path string, edit func(parent object, name string)) func(*answer) {
	names := strings.Split(path, ".")
	above := names[:len(names)-1]
	name := names[len(names)-1]
	return func(a *answer) {
		a.body = edited(a.body, func(doc object) {
			inEach(doc, above, func(o object) {
				if _, has := o[name]; has {
					edit(o, name)
				}
			})
		})
	}
}

// each edits members of the representation, or of each item of a list.
func each(edit func(parent object, name string), names ...string) func(*answer) {
	return func(a *answer) {
		for _, name := range names {
			at("data."+name, edit)(a)
		}
	}
}

func set(value any) func(object, string) {
	return func(parent object, name string) { parent[name] = value }
}

// issues change the code or the issues of an error.
func (r response) issues() {
	r.changed("code-500", "ERR-7", "responseCode is 500", at("error.responseCode", set(500)))
	r.changed("issue-type-empty", "ERR-9", "the type of an issue is empty", at("error.issues.type", set("")))
	r.changed("issue-message-empty", "ERR-9", "the message of an issue is empty", at("error.issues.message", set("")))
	r.changed("issues-of-strings", "ERR-11 ERR-8 ERR-9", "issues are strings",
		at("error.issues", set([]any{"wrong"})))
	if r.status == 422 {
		r.changed("issues-empty", "ERR-8", "there are no issues", at("error.issues", set([]any{})))
	}
}

// related are the clauses that a change of a property of an error may break too.
var related = map[string]string{
	"error": "ERR-6 ERR-7 ERR-8", "responseCode": "ERR-7", "issues": "ERR-8 ERR-10",
	"type": "ERR-9", "message": "ERR-9", "relatedField": "ERR-10",
}

// properties change each property of an object at a path: they drop or rename it, or give it another type, null, or a
// value that it may not have.
func (r response) properties(o *spec.Object, path, above string) {
	if o == nil {
		return
	}
	for _, f := range o.Fields {
		clauses := f.Clause + " " + related[f.Meaning] + above
		if r.status == 0 {
			clauses = f.Clause + " operation shows stays identity updatedAt MEDIA-9" + above
		}
		place := path + f.Name
		for _, c := range changes {
			if c.of(f) && (f.Meaning != "relatedField" || r.status == 422 && r.op.Updates()) {
				r.changed(place+"-"+c.name, clauses, place+" "+c.sentence,
					at(place, c.edit))
			}
		}
		r.properties(cmp.Or(f.Object, f.Items), place+".",
			above+" "+f.Clause)
	}
}

// changes drop or rename a property, give it another JSON type, or a value of the right one that it may not have. A
// property that may be unset may also be absent or null.
var changes = []struct {
	of             func(f *spec.Field) bool
	name, sentence string
	edit           func(parent object, name string)
}{
	{
		required, "dropped", "is missing", func(p object, name string) { delete(p, name) },
	},
	{required, "renamed", "has another name", rename},
	{neverNull, "null", "is null", set(nil)},
	{isNo("string"), "as-string", "is of JSON type string", as(func(v any) any {
		return strings.Trim(string(encode(v)), `"`)
	})},
	{isNo("number", "integer"), "as-number", "is of JSON type number", to(7)},
	{isNo("array"), "as-array", "is of JSON type array", as(func(v any) any {
		return []any{v}
	})},
	{isDate, "no-date", "is a word, no date", to("yesterday")},
	{isDate, "no-day", "is a day that no calendar has", to("2024-02-30T09:00:00Z")},
	{isDate, "day-first", "is written day first", to("31.12.2023")},
	{isURL, "relative", "is a relative reference", to("/share/1")},
	{listed, "unlisted", "is not one of the values", to("block")},
	{isCount, "fraction", "has a fraction", to(json.Number("12.5"))},
	{
		isCount, "hardly-fraction", "has a fraction that floating point does not hold",
		to(json.Number("12.00000000000000000000001")),
	},
	{
		isCount, "just-beyond-63-bit", "is one more than 64 bits with a sign hold",
		to(json.Number("9223372036854775808")),
	},
}

// as replaces a value that is set by one made of it, and to by a fixed one.
func as(value func(old any) any) func(object, string) {
	return func(parent object, name string) {
		if parent[name] != nil {
			parent[name] = value(parent[name])
		}
	}
}

func to(value any) func(object, string) {
	return as(func(any) any { return value })
}

// rename writes a name in snake case, or with a capital if it is one word.
func rename(parent object, name string) {
	other := snake(name)
	if other == name {
		other = capital(name)
	}
	parent[other] = parent[name]
	delete(parent, name)
}

func required(f *spec.Field) bool  { return f.Required }
func neverNull(f *spec.Field) bool { return f.Required && !f.Schema.Nullable }

func isNo(types ...string) func(f *spec.Field) bool {
	return func(f *spec.Field) bool { return !slices.Contains(types, f.Type) }
}

func isDate(f *spec.Field) bool  { return f.Date }
func isURL(f *spec.Field) bool   { return f.Schema.Format == "uri" }
func isCount(f *spec.Field) bool { return f.Type == "integer" && f.Meaning != "responseCode" }

// snake returns a camel-case name in snake case: created_at for createdAt.
func snake(name string) string {
	return strings.ToLower(capitals.ReplaceAllString(name, "${1}_$2"))
}

var capitals = regexp.MustCompile(`([a-z0-9])([A-Z])`)
