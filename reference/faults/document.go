package faults

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// derived lists the faults that follow from the document: each response of each
// operation, with one thing of it changed.
func derived(contract *spec.Contract) []Fault {
	var all []Fault
	for _, op := range contract.Operations {
		for _, status := range append([]int{0}, errorStatuses...) {
			r := &response{op: op, status: status}
			switch {
			case status == 0:
				r.statuses()
				if op.Success != nil {
					r.text()
					r.properties(op.Success, nil, "")
					r.envelope()
				}
			case op.Responses[itoa(status)] != nil:
				r.statuses()
				r.text()
				r.properties(contract.Error, nil, "")
				r.errorBodies()
				r.issues()
			}
			all = append(all, r.faults...)
		}
	}
	return all
}

// errorStatuses are those of the interface document's section Errors.
var errorStatuses = []int{401, 403, 404, 422}

// response is a response of an operation, with the faults that change it.
type response struct {
	op     *spec.Operation
	status int // of an error; 0 for the success
	faults []Fault
}

// add adds a fault of the response.
func (r *response) add(name, clauses, sentence string, change func(*answer)) {
	class, severity := itoa(r.status), Minor
	if r.status == 0 {
		class = "success"
	}
	if r.status == 0 || strings.HasPrefix(name, "status-") { // what every client sees
		severity = Major
	}
	row := fault(name, clauses, fmt.Sprintf("%s (%s): %s", r.op.ID, class, sentence), rewrites(func(a *answer) {
		if a.status == r.status || r.status == 0 && a.ok() {
			change(a)
		}
	})).graded(severity)
	switch { // the reference has some by choice only
	case r.op.Lists() && r.status == 0:
		row.choices = func(c *reference.Choices) { c.NbMediaFilesInList = true }
	case r.op.Deletes() && r.status == http.StatusUnprocessableEntity:
		row.choices = func(c *reference.Choices) { c.DeleteMediaFile = reference.Refuse }
	}
	r.faults = append(r.faults, row.fault(r.op.ID+"/"+class, r.op))
}

// statuses adds answers under another status than theirs.
func (r *response) statuses() {
	others := []int{200, 204, 400, 401, 403, 404, 409, 410, 422, 500}
	if r.status == 0 {
		others = []int{204, 302, 400, 401, 403, 404, 409, 418, 422, 500, 503}
		if r.op.Deletes() {
			others = append(others[1:], 200, 202)
		}
	}
	for _, to := range others {
		if to == r.status || r.open(to) {
			continue
		}
		clauses := r.clauses(to) + " ERR-12"
		switch {
		case to >= 500:
			clauses = "HTTP-1 " + clauses
		case to == http.StatusUnauthorized || to == http.StatusForbidden:
			clauses += " AUTH-4"
		case to == http.StatusNotFound:
			clauses += " EFFECT-3"
		}
		r.add("status-"+itoa(to), clauses, fmt.Sprintf("the status is %d", to), func(a *answer) { a.restate(to) })
	}
}

// open says whether an answer may have another status too: what lists nothing
// is 404, 422 or an empty list, what does not exist may be 403 there, and a refused
// delete of a media file may as well be a success.
func (r *response) open(to int) bool {
	refusals := []int{400, 404, 422}
	return r.op.Lists() && slices.Contains(refusals, r.status) && slices.Contains(refusals, to) ||
		r.op.Lists() && r.status == 404 && to == 403 ||
		r.op.Deletes() && r.status == 422 && to == 204
}

// clauses are that of the status, and those of its special cases.
func (r *response) clauses(to int) string {
	switch {
	case r.status == 0 && r.op.Deletes() && to < 300:
		return "operation"
	case r.status == 0 && r.op.Deletes():
		return "operation DELETE-4 DELETE-5 EFFECT-1" // refused deletes came before
	case r.status == 0:
		return "operation DELETE-4 DELETE-5"
	case r.status == 401:
		return "AUTH-1 AUTH-3"
	case r.status == 403:
		return "AUTH-2 AUTH-3"
	case r.op.Deletes() && r.status == 422:
		return "operation EFFECT-1"
	case r.op.Lists():
		return "ERR-1 ERR-4 MEDIA-1 MEDIA-2"
	case r.status == 404:
		return "ERR-1 ERR-2 DELETE-3 operation DELETE-1"
	default:
		return "ERR-4 ERR-3 ERR-5 operation"
	}
}

// restate gives an answer another status: with an error that fits it where it was
// none, and with the old body and the new code where it was.
func (a *answer) restate(status int) {
	switch {
	case status == http.StatusNoContent || a.ok() && status < 300:
		*a = answer{status: status, header: http.Header{}}
	case status == http.StatusFound:
		*a = answer{status: status, header: http.Header{"Location": {"/elsewhere"}}}
	case a.ok():
		*a = *a.replaced(status, errorBody(status))
	default:
		at("error.responseCode", func(any) any { return status })(a)
		a.status = status
	}
}

// at changes the value at a path of the body.
func at(path string, value func(old any) any) func(*answer) {
	return func(a *answer) {
		a.edit(func(doc object) {
			visit(doc, strings.Split(path, "."), func(parent object, name string) { parent[name] = value(parent[name]) })
		})
	}
}

// text adds bodies with the JSON text or its media type broken. In a format %[1]s is the body, %[2]s
// what is before its last brace, %[3]s what is after its first, and %[4]s the name of its first member.
func (r *response) text() {
	for _, t := range []struct{ name, clause, sentence, format string }{
		{"cut-off", "JSON-1", "the JSON text is cut off", "%[2]s"},
		{"trailing-text", "JSON-1", "text follows the JSON text", "%[1]s OK"},
		{"byte-order-mark", "JSON-1", "the JSON text starts with a byte order mark", "\ufeff%[1]s"},
		{"trailing-comma", "JSON-1", "a comma follows the last member", "%[2]s,}"},
		{"not-utf8", "JSON-1", "the text is not UTF-8", "{\"x-\xe9\":1,%[3]s"},
		{"not-a-number", "JSON-1", "a member is NaN", `{"extension":NaN,%[3]s`},
		{"duplicate-name", "JSON-2", "a member is there twice", "{%[4]s:null,%[3]s"},
	} {
		r.add("text-"+t.name, t.clause+" HTTP-3", t.sentence, func(a *answer) {
			if b := string(a.body); len(b) > 2 && b[0] == '{' {
				name, _, _ := strings.Cut(b[1:], ":")
				a.body = fmt.Appendf(nil, t.format, b, b[:len(b)-1], b[1:], name)
			}
		})
	}
	for _, mediaType := range []string{
		"text/html", "text/plain", "application/xml", "application/octet-stream", "application/x-www-form-urlencoded",
	} {
		r.add("type-"+strings.ReplaceAll(mediaType, "/", "-"), "HTTP-3", "the Content-Type is "+mediaType, func(a *answer) {
			if len(a.body) > 0 {
				a.header.Set("Content-Type", mediaType)
			}
		})
	}
}

// envelope adds successes without their envelope. A body of another shape lacks all members.
func (r *response) envelope() {
	data := r.op.Success.Field("data")
	clauses := data.Clause + " " + strings.Join(r.op.Success.Clauses(), " ") + " operation updatedAt"
	r.add("envelope-dropped", clauses, "the representation or list stands bare, without its envelope", unwrapped(data.Name))
	r.add("envelope-doubled", clauses, "the envelope is there twice", func(a *answer) {
		a.body = encode(object{data.Name: decode(a.body)})
	})
	r.add("empty-object", clauses, "the body is {}", func(a *answer) { a.body = []byte("{}") })
	r.add("no-body", clauses+" JSON-1 HTTP-3", "there is no body", (*answer).noBody)
}

// unwrapped puts a member of the body in its place.
func unwrapped(name string) func(*answer) {
	return func(a *answer) {
		if doc, ok := decode(a.body).(object); ok {
			a.body = encode(doc[name])
		}
	}
}

func (a *answer) noBody() {
	a.body = nil
	a.header.Del("Content-Type")
}

// errorBodies adds error bodies that are no error sections, or whose code is another; BODY
// stands for the body, TEXT for the text of the status, and CODE for the status.
func (r *response) errorBodies() {
	const clauses = "ERR-6 ERR-7 ERR-8 ERR-11 HTTP-3 JSON-1"
	for _, b := range []struct{ name, sentence, mediaType, format string }{
		{"empty-object", "the body is {}", "", "{}"},
		{"array", "the body is an array", "", "[BODY]"},
		{"null", "the body is null", "", "null"},
		{"string", "the body is a JSON string", "", `"TEXT"`},
		{"message", "the body is an object with a message only", "", `{"message":"TEXT"}`},
		{"html", "the body is a page for people", "text/html", "<html><body><h1>TEXT</h1></body></html>"},
		{
			"problem", "the body is a problem document (RFC 9457)", "application/problem+json",
			`{"status":CODE,"title":"TEXT","type":"about:blank"}`,
		},
	} {
		r.add("body-"+b.name, clauses, b.sentence, func(a *answer) {
			parts := strings.NewReplacer("BODY", string(a.body), "TEXT", http.StatusText(a.status), "CODE", itoa(a.status))
			a.body = []byte(parts.Replace(b.format))
			if b.mediaType != "" {
				a.header.Set("Content-Type", b.mediaType)
			}
		})
	}
	r.add("body-absent", clauses, "there is no body", (*answer).noBody)
	r.add("body-flattened", clauses, "the members of the error section stand at the top", unwrapped("error"))
	for _, code := range append([]int{0, 200, 500}, errorStatuses...) {
		if code != r.status {
			r.add("code-"+itoa(code), "ERR-7", fmt.Sprintf("responseCode is %d", code), at("error.responseCode", func(any) any { return code }))
		}
	}
}

// issues adds errors whose issues do not say what issues say.
func (r *response) issues() {
	for _, i := range []struct {
		name, clauses, sentence, path string
		value                         any
		only422                       bool // what may be empty elsewhere
	}{
		{"issue-type-empty", "ERR-9", "the type of an issue is empty", "error.issues.*.type", "", false},
		{"issue-message-empty", "ERR-9", "the message of an issue is empty", "error.issues.*.message", "", false},
		{"issues-of-strings", "ERR-11 ERR-8 ERR-9", "issues are strings", "error.issues", []any{"wrong"}, false},
		{"issues-of-empty-objects", "ERR-9 ERR-11 ERR-10", "issues are empty objects", "error.issues", []any{object{}}, false},
		{"issues-empty", "ERR-8", "there are no issues", "error.issues", []any{}, true},
	} {
		if !i.only422 || r.status == http.StatusUnprocessableEntity {
			r.add(i.name, i.clauses, i.sentence, at(i.path, func(any) any { return i.value }))
		}
	}
	if r.status != http.StatusUnprocessableEntity || !r.op.Updates() {
		return
	}
	names := func(name, sentence string, value func(old string) any) {
		r.add("related-field-"+name, "ERR-10 ERR-11", "relatedField "+sentence, at("error.issues.*.relatedField", func(old any) any {
			if s, ok := old.(string); ok {
				return value(s)
			}
			return old
		}))
	}
	names("null", "is null where a field is wrong", func(string) any { return nil })
	names("empty", "is empty where a field is wrong", func(string) any { return "" })
	names("snake", "names the field by a column name", func(s string) any { return "t_" + snake(s) })
	if fields := r.op.Body.Fields; len(fields) > 1 {
		names("next", "names the next field", func(s string) any {
			i := slices.IndexFunc(fields, func(f *spec.Field) bool { return f.Name == s })
			return fields[(i+1)%len(fields)].Name
		})
	}
}

// properties adds the faults of each property of an object at a path: dropped, renamed,
// of another type, null, or out of its range of values.
func (r *response) properties(o *spec.Object, path []string, above string) {
	for _, f := range o.Fields {
		inner := append(slices.Clone(path), f.Name)
		r.property(f, inner, above)
		if f.Object != nil {
			r.properties(f.Object, inner, above+" "+f.Clause)
		}
		if f.Items != nil {
			r.properties(f.Items, append(slices.Clone(inner), "*"), above+" "+f.Clause)
		}
	}
}

// related are clauses that a breach of a property of an error may break too.
var related = map[string]string{
	"error": "ERR-6 ERR-7 ERR-8", "responseCode": "ERR-7", "issues": "ERR-8 ERR-10",
	"type": "ERR-9", "message": "ERR-9", "relatedField": "ERR-10",
}

// property adds the faults of one property. Absence and null of what may be unset are let pass.
func (r *response) property(f *spec.Field, path []string, above string) {
	clauses := f.Clause + " " + related[f.Meaning] + above
	if r.status == 0 {
		clauses = f.Clause + " operation shows stays identity updatedAt MEDIA-9" + above
	}
	label := strings.ReplaceAll(strings.Join(path, "."), "*.", "")
	change := func(what, sentence string, edit func(parent object, name string)) {
		r.add(label+"-"+what, clauses, label+" "+sentence, func(a *answer) { a.edit(func(doc object) { visit(doc, path, edit) }) })
	}
	if f.Required {
		change("dropped", "is missing", func(p object, n string) { delete(p, n) })
		change("renamed", "has another name", func(p object, n string) {
			other := snake(n)
			if other == n {
				other = capital(n)
			}
			p[other] = p[n]
			delete(p, n)
		})
	}
	if f.Required && !f.Nullable {
		change("null", "is null", func(p object, n string) { p[n] = nil })
	}
	becomes := func(what, sentence string, value func(old any) any) {
		change(what, sentence, func(p object, n string) {
			if p[n] != nil {
				p[n] = value(p[n])
			}
		})
	}
	filled := f.Meaning != "relatedField" || r.status == http.StatusUnprocessableEntity && r.op.Updates()
	for other, value := range retyped {
		if filled && other != f.Type && (other != "number" || f.Type != "integer") {
			becomes("as-"+other, "is of JSON type "+other, value)
		}
	}
	for _, v := range outOfRange(f) {
		becomes(v.name, v.sentence, func(any) any { return v.value })
	}
}

// retyped are a value as other JSON types would carry it.
var retyped = map[string]func(v any) any{
	"string": func(v any) any {
		if n, ok := v.(json.Number); ok {
			return n.String()
		}
		return string(encode(v))
	},
	"number":  func(any) any { return 7 },
	"boolean": func(any) any { return true },
	"array":   func(v any) any { return []any{v} },
	"object":  func(v any) any { return object{"value": v} },
}

// outside is a value of the right type that the property may not have.
type outside struct {
	name, sentence string
	value          any
}

func outOfRange(f *spec.Field) []outside {
	switch {
	case f.Date:
		return []outside{
			{"no-date", "is a word, no date", "yesterday"},
			{"no-day", "is a day that no calendar has", "2024-02-30T09:00:00Z"},
			{"empty", "is empty", ""},
			{"day-first", "is written day first", "31.12.2023"},
		}
	case f.URL:
		return []outside{
			{"relative", "is a relative reference", "/share/1"},
			{"no-scheme", "has no scheme", "share.example.com/1"},
			{"empty", "is empty", ""},
		}
	case len(f.Enum) > 0:
		return []outside{
			{"unlisted", "is not one of the values", "block"},
			{"upper-case", "is in upper case", strings.ToUpper(f.Enum[0])},
			{"empty", "is empty", ""},
		}
	case f.Type == "integer" && f.Meaning != "responseCode":
		return []outside{
			{"fraction", "has a fraction", json.Number("12.5")},
			{"hardly-fraction", "has a fraction that floating point does not hold", json.Number("12.00000000000000000000001")},
			{"just-beyond-63-bit", "is one more than 64 bits with a sign hold", json.Number("9223372036854775808")},
		}
	}
	return nil
}

// snake is a camel-case name in snake case: createdAt is created_at.
func snake(name string) string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		if unicode.IsUpper(r) && lower {
			b.WriteByte('_')
		}
		lower = !unicode.IsUpper(r)
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
