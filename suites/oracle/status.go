package oracle

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/adconform/adconform/spec"
)

// unbound statuses may be right where a case says so: which of them answers
// what is open, so the oracle leaves them to the cases.
var unbound = map[int]bool{
	http.StatusBadRequest: true, http.StatusMethodNotAllowed: true, http.StatusNotAcceptable: true,
	http.StatusRequestEntityTooLarge: true, http.StatusRequestURITooLong: true,
	http.StatusUnsupportedMediaType: true, http.StatusTooManyRequests: true,
	http.StatusRequestHeaderFieldsTooLarge: true,
}

// errorStatuses have the one error body of the contract.
var errorStatuses = []int{
	http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusUnprocessableEntity,
}

func newOperation(op *spec.Operation) *operation {
	known := &operation{declared: map[int]bool{}, errors: map[int]*shape{}, clause: cmp.Or(op.Clause, "ERR-12")}
	for status := range op.Responses {
		if code, err := strconv.Atoi(status); err == nil {
			known.declared[code] = true
		}
	}
	for _, status := range errorStatuses {
		if s := op.ResponseSchema(status); s != nil {
			known.errors[status] = newShape(s, "ERR-11")
		}
	}
	if op.Success != nil {
		known.success = newShape(op.Success.Schema, known.clause)
	}
	return known
}

func judgeServerError(j *judging) {
	j.judged("HTTP-1")
	if j.Status >= 500 {
		j.find("HTTP-1", wfcServerError, "", "a status below 500", statusText(j.Status))
	}
}

func statusBound(j *judging) bool {
	return j.Status < 500 && !unbound[j.Status] && !slices.Contains(j.Beside, j.Status)
}

// judgeStatus: the exact 2xx of an operation with a representation is open; one
// without content is held to the status that it declares.
func judgeStatus(j *judging) {
	j.judged("ERR-12")
	if j.known.declared[j.Status] || j.success() && j.op.Success != nil {
		return
	}
	var want []string
	if j.op.Success != nil {
		want = append(want, "2xx")
	}
	for _, status := range slices.Sorted(maps.Keys(j.known.declared)) {
		if status != http.StatusTooManyRequests && (status >= 300 || j.op.Success == nil) {
			want = append(want, strconv.Itoa(status))
		}
	}
	j.find("ERR-12", wfcStatus, "", "one of the statuses "+strings.Join(want, ", "), statusText(j.Status))
}

func successWithContent(j *judging) bool { return j.success() && j.op.Success != nil }

func judgeSuccessBody(j *judging) {
	j.judged(j.known.clause)
	what := "the new representation"
	switch {
	case j.op.Lists():
		what = "the list"
	case j.op.Reads():
		what = "the object"
	}
	switch {
	case j.Status == http.StatusNoContent:
		j.find(j.known.clause, wfcSchema, "", "a 2xx status with "+what, statusText(j.Status))
	case len(j.Body) == 0:
		j.find(j.known.clause, wfcSchema, "", "a body with "+what, statusText(j.Status)+" without a body")
	}
}

func statusText(status int) string {
	if text := http.StatusText(status); text != "" {
		return fmt.Sprintf("status %d (%s)", status, text)
	}
	return fmt.Sprintf("status %d", status)
}

func judgeContentTypeMissing(j *judging) {
	j.judged("OPEN-3")
	if len(j.Header.Values("Content-Type")) == 0 {
		j.find("OPEN-3", 0, "header:Content-Type", "a Content-Type", "none")
	}
}

func hasContentType(j *judging) bool {
	return hasBody(j) && len(j.Header.Values("Content-Type")) > 0
}

// judgeContentType: RFC 9110, 8.3 and RFC 8259, 8.1 and 11.
func judgeContentType(j *judging) {
	j.judged("HTTP-3")
	values := j.Header.Values("Content-Type")
	for _, v := range values {
		if want := contentTypeWant(v); want != "" {
			j.find("HTTP-3", 0, "header:Content-Type", want, quote(v))
			return
		}
		if v != values[0] {
			j.find("HTTP-3", 0, "header:Content-Type", "one Content-Type", fmt.Sprintf("%s and %s", quote(values[0]), quote(v)))
			return
		}
	}
}

// contentTypeWant says what a Content-Type should be that is wrong, "" for one
// that is right. Parameters beside charset are nobody's business.
func contentTypeWant(v string) string {
	media, params, err := mime.ParseMediaType(v)
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) {
		return "a well-formed media type, application/json"
	}
	top, sub, _ := strings.Cut(media, "/")
	suffixed := top != "" && len(sub) > len("+json") && strings.HasSuffix(sub, "+json")
	if media != "application/json" && !suffixed {
		return "application/json or a +json type"
	}
	if charset, ok := params["charset"]; ok && !strings.EqualFold(charset, "utf-8") {
		return "charset utf-8, the only one that JSON has"
	}
	return ""
}
