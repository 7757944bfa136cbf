package oracle

import (
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"regexp"
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
	if j.Status == http.StatusNoContent || len(j.Body) == 0 {
		j.find("", "a 2xx status and a body with "+content(j.op), statusText(j.Status)+" without a body")
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
	differs := func(v string) bool { return v != values[0] }
	if !isJSONType(values[0]) || slices.ContainsFunc(values, differs) {
		j.find("header:Content-Type", "one media type: application/json or a +json type, in UTF-8", quote(strings.Join(values, ", ")))
	}
}

var jsonType = regexp.MustCompile(`^(application/json|[^/]+/[^/]+\+json)$`)

// isJSONType judges no parameters other than charset.
func isJSONType(v string) bool {
	media, params, err := mime.ParseMediaType(v)
	charset, has := params["charset"]
	return (err == nil || errors.Is(err, mime.ErrInvalidMediaParameter)) && jsonType.MatchString(media) &&
		(!has || strings.EqualFold(charset, "utf-8"))
}
