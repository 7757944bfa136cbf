package faults

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// derived are the faults that follow from the document: each response of each
// operation, with one thing of it changed.
func derived(contract *spec.Contract) []Fault {
	d := &deriver{contract: contract}
	for _, op := range contract.Operations {
		d.op = op
		d.statuses()
		d.success()
		for _, status := range errorStatuses {
			if op.Responses[itoa(status)] != nil {
				d.status = status
				d.errors()
			}
		}
	}
	return d.faults
}

// errorStatuses are those of the interface document's section Errors.
var errorStatuses = []int{401, 403, 404, 422}

// deriver collects the faults of one response after another.
type deriver struct {
	contract *spec.Contract
	op       *spec.Operation
	status   int // of an error; 0 for the success
	faults   []Fault
}

// class names the response in ids.
func (d *deriver) class() string {
	if d.status == 0 {
		return "success"
	}
	return itoa(d.status)
}

// applies says whether an answer is the response that is being changed.
func (d *deriver) applies() func(*answer) bool {
	status := d.status
	return func(a *answer) bool { return a.status == status || status == 0 && a.ok() }
}

// add adds a fault of the current response.
func (d *deriver) add(name, clause string, also []string, sentence string, change func(*answer) *answer) {
	id, applies := d.op.ID, d.applies()
	also = slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(also))), func(c string) bool { return c == "" || c == clause })
	d.faults = append(d.faults, Fault{
		ID: id + "/" + d.class() + "/" + name, Clause: clause, Also: also, Source: Document,
		Sentence: fmt.Sprintf("%s (%s): %s", id, d.class(), sentence),
		Choices:  d.choices(),
		Wrap: on(id, rewrites(func(a *answer) *answer {
			if applies(a) {
				return change(a)
			}
			return a
		})).wrap,
	})
}

// choices make the reference show what it has by choice only: a delete is
// refused with 422 for a media file or never, and items may have nbMediaFiles.
func (d *deriver) choices() func(*reference.Choices) {
	if d.op.Lists() && d.status == 0 {
		return func(c *reference.Choices) { c.NbMediaFilesInList = true }
	}
	if d.op.Deletes() && d.status == http.StatusUnprocessableEntity {
		return func(c *reference.Choices) { c.DeleteMediaFile = reference.Refuse }
	}
	return nil
}

// statuses are answers under another status than theirs.
func (d *deriver) statuses() {
	swap := func(name, clause string, also []string, to int) {
		also = append(also, "ERR-12")
		switch {
		case to >= 500:
			clause, also = "HTTP-1", append(also, clause)
		case to == http.StatusUnauthorized || to == http.StatusForbidden:
			also = append(also, "AUTH-4")
		case to == http.StatusNotFound:
			also = append(also, "EFFECT-3")
		}
		d.add(name, clause, also, fmt.Sprintf("the status is %d.", to), func(a *answer) *answer { return restated(a, to) })
	}
	d.status = 0
	gone := []string{"DELETE-4", "DELETE-5"}
	if d.op.Deletes() {
		gone = append(gone, "EFFECT-1") // refused deletes came before
	}
	for _, to := range []int{204, 302, 400, 401, 403, 404, 409, 418, 422, 500, 503} {
		if to != http.StatusNoContent || !d.op.Deletes() {
			swap(fmt.Sprintf("status-%d", to), d.op.Clause, gone, to)
		}
	}
	if d.op.Deletes() {
		swap("status-200", d.op.Clause, nil, 200)
		swap("status-202", d.op.Clause, nil, 202)
	}
	for _, from := range errorStatuses {
		d.status = from
		clause, also := d.errorClause(from)
		for _, to := range []int{200, 204, 400, 401, 403, 404, 409, 410, 422, 500} {
			if to != from && !d.open(from, to) {
				swap(fmt.Sprintf("status-%d", to), clause, also, to)
			}
		}
	}
}

// open says whether an answer may have another status too: what lists nothing
// is 404, 422 or an empty list, and a refused delete of a media file may as
// well be a success.
func (d *deriver) open(from, to int) bool {
	refusals := []int{400, 404, 422}
	return d.op.Lists() && slices.Contains(refusals, from) && slices.Contains(refusals, to) ||
		d.op.Deletes() && from == 422 && to == 204
}

// errorClause is the clause of an error's status, with those of its special cases.
func (d *deriver) errorClause(status int) (string, []string) {
	switch {
	case status == 401:
		return "AUTH-1", []string{"AUTH-3"}
	case status == 403:
		return "AUTH-2", []string{"AUTH-3"}
	case d.op.Deletes() && status == 422:
		return d.op.Clause, []string{"EFFECT-1"}
	case d.op.Lists():
		return "ERR-1", []string{"ERR-4", "MEDIA-1", "MEDIA-2"}
	case status == 404:
		return "ERR-1", []string{"ERR-2", "DELETE-3", d.op.Clause, "DELETE-1"}
	default:
		return "ERR-4", []string{"ERR-3", "ERR-5", d.op.Clause}
	}
}

// restated is an answer with another status: an error that fits it where the
// answer was none, and the old body with the new code where it was.
func restated(a *answer, status int) *answer {
	switch {
	case status == http.StatusNoContent:
		return &answer{status: status, header: http.Header{}}
	case status == http.StatusFound:
		b := &answer{status: status, header: http.Header{"Location": {"/elsewhere"}}}
		return b
	case a.ok() && status < 300:
		return &answer{status: status, header: http.Header{}}
	case a.ok():
		return a.replaced(status, errorBody(status))
	}
	a.edit(func(doc object) {
		if section, ok := doc["error"].(object); ok {
			section["responseCode"] = status
		}
	})
	a.status = status
	return a
}

// success are the successes with their schema broken.
func (d *deriver) success() {
	d.status = 0
	if d.op.Success == nil {
		return
	}
	d.text()
	d.fields(d.op.Success, nil, nil)
	d.enveloped()
	d.identities()
}

// enveloped are successes without their envelope.
func (d *deriver) enveloped() {
	data := d.op.Success.Field("data")
	also := append(membersOf(d.op.Success), d.op.Clause, d.op.Effects["updatedAt"])
	d.add("envelope-dropped", data.Clause, also, "the representation or list stands bare, without its envelope.", func(a *answer) *answer {
		if doc, ok := decode(a.body).(object); ok {
			a.body = encode(doc[data.Name])
		}
		return a
	})
	d.add("envelope-doubled", data.Clause, also, "the envelope is there twice.", func(a *answer) *answer {
		a.body = encode(object{data.Name: decode(a.body)})
		return a
	})
	d.add("empty-object", data.Clause, also, "the body is {}.", func(a *answer) *answer {
		a.body = []byte("{}")
		return a
	})
	d.add("no-body", data.Clause, append(also, "JSON-1", "HTTP-3"), "there is no body.", func(a *answer) *answer {
		a.body = nil
		a.header.Del("Content-Type")
		return a
	})
}

// membersOf are the clauses of all properties of an object: a body of another
// shape lacks them all.
func membersOf(o *spec.Object) []string {
	if o == nil {
		return nil
	}
	var ids []string
	for _, f := range o.Fields {
		ids = append(append(append(ids, f.Clause), membersOf(f.Object)...), membersOf(f.Items)...)
	}
	return ids
}

// identities are representations that bear the id of another object.
func (d *deriver) identities() {
	if clause := d.op.Effects["identity"]; clause != "" {
		for name, id := range map[string]int{"another": 26, "next": 0, "huge": 1 << 40} {
			d.add("id-"+name, clause, nil, "the representation bears another object's id.", func(a *answer) *answer {
				return a.shown(func(data object) {
					if id == 0 {
						data["id"] = number(data["id"]) + 1
					} else {
						data["id"] = id
					}
				})
			})
		}
	}
}

// errors are the errors with their schema broken.
func (d *deriver) errors() {
	d.text()
	d.fields(d.contract.Error, nil, nil)
	d.errorBodies()
	d.issues()
}

// errorBodies are error bodies that are no error sections.
func (d *deriver) errorBodies() {
	also := []string{"ERR-7", "ERR-8", "ERR-11", "HTTP-3", "JSON-1"}
	bodies := []struct {
		name, sentence string
		change         func(*answer)
	}{
		{"body-empty-object", "the body is {}.", func(a *answer) { a.body = []byte("{}") }},
		{"body-array", "the body is an array.", func(a *answer) { a.body = []byte("[" + string(a.body) + "]") }},
		{"body-null", "the body is null.", func(a *answer) { a.body = []byte("null") }},
		{"body-string", "the body is a JSON string.", func(a *answer) { a.body = []byte(`"` + http.StatusText(a.status) + `"`) }},
		{"body-absent", "there is no body.", func(a *answer) { a.body = nil; a.header.Del("Content-Type") }},
		{"body-text", "the body is plain text.", func(a *answer) {
			a.body = []byte(http.StatusText(a.status) + "\n")
			a.header.Set("Content-Type", "text/plain; charset=utf-8")
		}},
		{"body-html", "the body is a page for people.", func(a *answer) {
			a.body = []byte("<html><body><h1>" + http.StatusText(a.status) + "</h1></body></html>")
			a.header.Set("Content-Type", "text/html")
		}},
		{"body-flattened", "the members of the error section stand at the top.", func(a *answer) {
			if doc, ok := decode(a.body).(object); ok {
				a.body = encode(doc["error"])
			}
		}},
		{"body-problem", "the body is a problem document (RFC 9457).", func(a *answer) {
			a.body = encode(object{"type": "about:blank", "title": http.StatusText(a.status), "status": a.status})
			a.header.Set("Content-Type", "application/problem+json")
		}},
		{"body-message", "the body is an object with a message only.", func(a *answer) {
			a.body = encode(object{"message": http.StatusText(a.status)})
		}},
	}
	for _, b := range bodies {
		d.add(b.name, "ERR-6", also, b.sentence, func(a *answer) *answer { b.change(a); return a })
	}
	for _, code := range append([]int{0, 200, 500}, errorStatuses...) {
		if code != d.status {
			d.add(fmt.Sprintf("code-%d", code), "ERR-7", nil, fmt.Sprintf("responseCode is %d.", code), func(a *answer) *answer {
				return a.edit(func(doc object) {
					visit(doc, []string{"error", "responseCode"}, func(p object, n string) { p[n] = code })
				})
			})
		}
	}
}

// issues are errors whose issues do not say what issues say.
func (d *deriver) issues() {
	set := func(name, clause string, also []string, path, sentence string, value func(old any) any) {
		d.add(name, clause, also, sentence, func(a *answer) *answer {
			return a.edit(func(doc object) {
				visit(doc, strings.Split(path, "."), func(p object, n string) { p[n] = value(p[n]) })
			})
		})
	}
	empty := func(any) any { return "" }
	set("issue-type-empty", "ERR-9", nil, "error.issues.*.type", "the type of an issue is empty.", empty)
	set("issue-message-empty", "ERR-9", nil, "error.issues.*.message", "the message of an issue is empty.", empty)
	set("issues-of-strings", "ERR-11", []string{"ERR-8", "ERR-9"}, "error.issues", "issues are strings.", func(any) any { return []any{"wrong"} })
	set("issues-of-empty-objects", "ERR-9", []string{"ERR-11", "ERR-10"}, "error.issues", "issues are empty objects.", func(any) any { return []any{object{}} })
	if d.status != http.StatusUnprocessableEntity {
		return
	}
	set("issues-empty", "ERR-8", nil, "error.issues", "there are no issues.", func(any) any { return []any{} })
	if !d.op.Updates() {
		return
	}
	named := func(name, sentence string, value func(old string) any) {
		set("related-field-"+name, "ERR-10", []string{"ERR-11"}, "error.issues.*.relatedField", sentence, func(old any) any {
			if s, ok := old.(string); ok {
				return value(s)
			}
			return old
		})
	}
	named("null", "relatedField is null where a field is wrong.", func(string) any { return nil })
	named("empty", "relatedField is empty where a field is wrong.", func(string) any { return "" })
	named("constant", "relatedField names a field that nobody sent.", func(string) any { return "body" })
	named("upper", "relatedField names the field in upper case.", func(s string) any { return strings.ToUpper(s) })
	named("snake", "relatedField names the field by a column name.", func(s string) any { return "t_" + snake(s) })
	fields := d.op.Body.Fields
	if len(fields) > 1 {
		named("next", "relatedField names the next field.", func(s string) any {
			i := slices.IndexFunc(fields, func(f *spec.Field) bool { return f.Name == s })
			return fields[(i+1)%len(fields)].Name
		})
	}
}
