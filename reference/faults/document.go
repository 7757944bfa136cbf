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
	var all []Fault
	for _, op := range contract.Operations {
		for _, status := range append([]int{0}, errorStatuses...) {
			if status != 0 && op.Responses[itoa(status)] == nil {
				continue
			}
			r := &response{contract: contract, op: op, status: status}
			r.statuses()
			switch {
			case status != 0:
				r.text()
				r.fields(contract.Error, nil, "")
				r.errorBodies()
				r.issues()
			case op.Success != nil:
				r.text()
				r.fields(op.Success, nil, "")
				r.enveloped()
				r.identities()
			}
			for _, row := range r.rows {
				f := row.choosing(r.choices()).graded(r.severity(row)).fault(op.ID+"/"+r.class(), op)
				f.Source = Document
				all = append(all, f)
			}
		}
	}
	return all
}

// errorStatuses are those of the interface document's section Errors.
var errorStatuses = []int{401, 403, 404, 422}

// response is a response of an operation, with the faults that change it.
type response struct {
	contract *spec.Contract
	op       *spec.Operation
	status   int // of an error; 0 for the success
	rows     []row
}

// class names the response in ids.
func (r *response) class() string {
	if r.status == 0 {
		return "success"
	}
	return itoa(r.status)
}

// severity is major for what every client sees: a broken success, or another status.
func (r *response) severity(row row) Severity {
	if r.status == 0 || strings.HasPrefix(row.name, "status-") {
		return Major
	}
	return Minor
}

// add adds a fault of the response.
func (r *response) add(name, clauses, sentence string, change func(*answer)) {
	status := r.status
	r.rows = append(r.rows, fault(name, clauses, fmt.Sprintf("%s (%s): %s", r.op.ID, r.class(), sentence), rewrites(func(a *answer) {
		if a.status == status || status == 0 && a.ok() {
			change(a)
		}
	})))
}

// choices make the reference show what it has by choice only: a delete is
// refused with 422 for a media file or never, and items may have nbMediaFiles.
func (r *response) choices() func(*reference.Choices) {
	switch {
	case r.op.Lists() && r.status == 0:
		return func(c *reference.Choices) { c.NbMediaFilesInList = true }
	case r.op.Deletes() && r.status == http.StatusUnprocessableEntity:
		return func(c *reference.Choices) { c.DeleteMediaFile = reference.Refuse }
	}
	return nil
}

// statuses are answers under another status than theirs.
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
		a.set("error.responseCode", func(any) any { return status })
		a.status = status
	}
}

// set changes what stands at a path of the body.
func (a *answer) set(path string, value func(old any) any) {
	a.edit(func(doc object) {
		visit(doc, strings.Split(path, "."), func(parent object, name string) { parent[name] = value(parent[name]) })
	})
}

// enveloped are successes without their envelope.
func (r *response) enveloped() {
	data := r.op.Success.Field("data")
	// A body of another shape lacks all members.
	clauses := data.Clause + " " + strings.Join(r.op.Success.Clauses(), " ") + " operation updatedAt"
	r.add("envelope-dropped", clauses, "the representation or list stands bare, without its envelope", func(a *answer) {
		if doc, ok := decode(a.body).(object); ok {
			a.body = encode(doc[data.Name])
		}
	})
	r.add("envelope-doubled", clauses, "the envelope is there twice", func(a *answer) {
		a.body = encode(object{data.Name: decode(a.body)})
	})
	r.add("empty-object", clauses, "the body is {}", func(a *answer) { a.body = []byte("{}") })
	r.add("no-body", clauses+" JSON-1 HTTP-3", "there is no body", (*answer).noBody)
}

func (a *answer) noBody() {
	a.body = nil
	a.header.Del("Content-Type")
}

// identities are representations that bear the id of another object.
func (r *response) identities() {
	if r.op.Effects["identity"] == "" {
		return
	}
	bears := func(name string, id func(old int) int) {
		r.add("id-"+name, "identity", "the representation bears another object's id", func(a *answer) {
			a.shown(func(data object) { data["id"] = id(number(data["id"])) })
		})
	}
	bears("another", func(int) int { return 26 })
	bears("next", func(old int) int { return old + 1 })
	bears("huge", func(int) int { return 1 << 40 })
}

// errorBodies are error bodies that are no error sections.
func (r *response) errorBodies() {
	body := func(name, sentence string, change func(*answer)) {
		r.add("body-"+name, "ERR-6 ERR-7 ERR-8 ERR-11 HTTP-3 JSON-1", sentence, change)
	}
	written := func(mediaType, format string) func(*answer) {
		return func(a *answer) {
			a.body = []byte(strings.Replace(format, "%s", http.StatusText(a.status), 1))
			a.header.Set("Content-Type", mediaType)
		}
	}
	body("empty-object", "the body is {}", func(a *answer) { a.body = []byte("{}") })
	body("array", "the body is an array", func(a *answer) { a.body = []byte("[" + string(a.body) + "]") })
	body("null", "the body is null", func(a *answer) { a.body = []byte("null") })
	body("absent", "there is no body", (*answer).noBody)
	body("string", "the body is a JSON string", written("application/json", `"%s"`))
	body("message", "the body is an object with a message only", written("application/json", `{"message":"%s"}`))
	body("text", "the body is plain text", written("text/plain; charset=utf-8", "%s\n"))
	body("html", "the body is a page for people", written("text/html", "<html><body><h1>%s</h1></body></html>"))
	body("flattened", "the members of the error section stand at the top", func(a *answer) {
		if doc, ok := decode(a.body).(object); ok {
			a.body = encode(doc["error"])
		}
	})
	body("problem", "the body is a problem document (RFC 9457)", func(a *answer) {
		a.body = encode(object{"type": "about:blank", "title": http.StatusText(a.status), "status": a.status})
		a.header.Set("Content-Type", "application/problem+json")
	})
	for _, code := range append([]int{0, 200, 500}, errorStatuses...) {
		if code != r.status {
			r.add(fmt.Sprintf("code-%d", code), "ERR-7", fmt.Sprintf("responseCode is %d", code), func(a *answer) {
				a.set("error.responseCode", func(any) any { return code })
			})
		}
	}
}

// issues are errors whose issues do not say what issues say.
func (r *response) issues() {
	set := func(name, clauses, path, sentence string, value func(old any) any) {
		r.add(name, clauses, sentence, func(a *answer) { a.set(path, value) })
	}
	to := func(value any) func(any) any { return func(any) any { return value } }
	set("issue-type-empty", "ERR-9", "error.issues.*.type", "the type of an issue is empty", to(""))
	set("issue-message-empty", "ERR-9", "error.issues.*.message", "the message of an issue is empty", to(""))
	set("issues-of-strings", "ERR-11 ERR-8 ERR-9", "error.issues", "issues are strings", to([]any{"wrong"}))
	set("issues-of-empty-objects", "ERR-9 ERR-11 ERR-10", "error.issues", "issues are empty objects", to([]any{object{}}))
	if r.status != http.StatusUnprocessableEntity {
		return
	}
	set("issues-empty", "ERR-8", "error.issues", "there are no issues", to([]any{}))
	if !r.op.Updates() {
		return
	}
	names := func(name, sentence string, value func(old string) any) {
		set("related-field-"+name, "ERR-10 ERR-11", "error.issues.*.relatedField", "relatedField "+sentence, func(old any) any {
			if s, ok := old.(string); ok {
				return value(s)
			}
			return old
		})
	}
	names("null", "is null where a field is wrong", func(string) any { return nil })
	names("empty", "is empty where a field is wrong", func(string) any { return "" })
	names("constant", "names a field that nobody sent", func(string) any { return "body" })
	names("upper", "names the field in upper case", func(s string) any { return strings.ToUpper(s) })
	names("snake", "names the field by a column name", func(s string) any { return "t_" + snake(s) })
	if fields := r.op.Body.Fields; len(fields) > 1 {
		names("next", "names the next field", func(s string) any {
			i := slices.IndexFunc(fields, func(f *spec.Field) bool { return f.Name == s })
			return fields[(i+1)%len(fields)].Name
		})
	}
}
