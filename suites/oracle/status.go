package oracle

import (
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// unbound statuses may be right if a case says so: it is open when they are sent, so the
// oracle leaves them to the cases.
var unbound = []int{
	http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusNotAcceptable, http.StatusRequestEntityTooLarge,
	http.StatusRequestURITooLong, http.StatusUnsupportedMediaType, http.StatusTooManyRequests, http.StatusRequestHeaderFieldsTooLarge,
}

func judgeServerError(j *judging) {
	if j.Status >= 500 {
		j.find("", "a status below 500", statusText(j.Status))
	}
}

func statusBound(j *judging) bool {
	return j.Status < 500 && !slices.Contains(unbound, j.Status) && !slices.Contains(j.Beside, j.Status)
}

// judgeStatus: the exact 2xx of an operation with a representation is open; one
// without content is held to the status that it declares.
func judgeStatus(j *judging) {
	if j.op.Responses[strconv.Itoa(j.Status)] != nil || j.success() && j.op.Success != nil {
		return
	}
	var want []string
	if j.op.Success != nil {
		want = append(want, "2xx")
	}
	for _, status := range slices.Sorted(maps.Keys(j.op.Responses)) {
		if status != "429" && (status >= "300" || j.op.Success == nil) {
			want = append(want, status)
		}
	}
	j.find("", "one of the statuses "+strings.Join(want, ", "), statusText(j.Status))
}

func successWithContent(j *judging) bool { return j.success() && j.op.Success != nil }

func judgeSuccessBody(j *judging) {
	j.judged(j.successClause())
	switch {
	case j.Status == http.StatusNoContent:
		j.find("", "a 2xx status with "+content(j.op), statusText(j.Status))
	case len(j.Body) == 0:
		j.find("", "a body with "+content(j.op), statusText(j.Status)+" without a body")
	}
}

func statusText(status int) string {
	return strings.TrimSuffix(fmt.Sprintf("status %d (%s)", status, http.StatusText(status)), " ()")
}

func judgeContentTypeMissing(j *judging) {
	if !hasContentType(j) {
		j.find("header:Content-Type", "a Content-Type", "none")
	}
}

func hasContentType(j *judging) bool { return hasBody(j) && len(j.Header.Values("Content-Type")) > 0 }

// judgeContentType: RFC 9110, 8.3 and RFC 8259, 8.1 and 11.
func judgeContentType(j *judging) {
	values := j.Header.Values("Content-Type")
	want := contentTypeWant(values[0])
	if want == "" && slices.ContainsFunc(values, func(v string) bool { return v != values[0] }) {
		want = "one Content-Type"
	}
	if want != "" {
		j.find("header:Content-Type", want, quote(strings.Join(values, ", ")))
	}
}

// contentTypeWant returns what a wrong Content-Type should be, "" for a right one. Parameters
// other than charset are not judged.
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
