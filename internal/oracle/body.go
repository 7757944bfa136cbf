package oracle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adconform/adconform/internal/finding"
)

// Bounds on the memory that a body may need: a value of three bytes needs a hundred when it is decoded, a string is
// kept, compared and shown, and so is each mismatch. jsontext bounds nesting, at 10,000.
const (
	maxValues = 400_000
	maxString = 1 << 20 // bytes, as written
)

// TooMuch returns why a body is too large to be judged, or "". It counts the separators of values and strings, also
// those in strings.
func TooMuch(body []byte) string {
	start := bytes.TrimLeft(body, " \t\r\n")
	if bytes.IndexAny(start, `[{"`) != 0 {
		return "" // a number, a word or no JSON: little is decoded
	}
	values := 0 // names count, too
	for _, separator := range []string{",", "[", ":"} {
		values += bytes.Count(body, []byte(separator))
	}
	if values > maxValues {
		return fmt.Sprintf("the body of %d bytes holds more than %d values, too many to judge", len(body), maxValues)
	}
	for text := range bytes.SplitSeq(body, []byte(`"`)) {
		if len(text) > maxString {
			return fmt.Sprintf("the body of %d bytes holds a string of %d bytes, too long to judge: at most %d",
				len(body), len(text), maxString)
		}
	}
	return ""
}

// notJSON says where and why a body is not a JSON text.
type notJSON struct{ pointer, got string }

// decode reads one JSON text strictly (RFC 8259): UTF-8, no byte order mark,
// nothing after it. Numbers stay as they are written. Of members of the same name the
// last one counts, as for most readers.
func decode(body []byte) (value any, problem *notJSON) {
	d := jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true))
	err := d.SkipValue()
	if err == nil {
		end := d.InputOffset()
		if _, err = d.ReadToken(); errors.Is(err, io.EOF) {
			return Decode(body), nil
		}
		// What follows may be part of a key, so it is not shown.
		return nil, &notJSON{"", fmt.Sprintf("more after the end of the text at byte %d", end)}
	}
	if syntax, isSyntax := errors.AsType[*jsontext.SyntacticError](err); isSyntax {
		got := fmt.Sprintf("%v at byte %d", syntax.Err, syntax.ByteOffset)
		return nil, &notJSON{string(syntax.JSONPointer), got}
	}
	return nil, &notJSON{"", "nothing but white space"}
}

// Decode decodes a body that is not judged; it returns nil if it is not JSON.
func Decode(body []byte) any {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return nil
	}
	return v
}

// judgeText: a body that is not one JSON text is judged no further, as readers disagree about its
// content.
func judgeText(j *judging) {
	problem := j.notJSON
	if problem == nil {
		return
	}
	kind := finding.NotJSON
	if !utf8.Valid(j.Body) {
		kind = finding.NotUTF8
	}
	j.broken(j.check.clause, kind, problem.pointer, "one well-formed JSON text in UTF-8", problem.got)
}

func judgeNames(j *judging) {
	err := jsontext.NewDecoder(bytes.NewBuffer(j.Body)).SkipValue()
	if !errors.Is(err, jsontext.ErrDuplicateName) {
		return
	}
	syntax, _ := errors.AsType[*jsontext.SyntacticError](err)
	j.find(string(syntax.JSONPointer), "unique member names", "a member that the object has already")
}

func isNoContent(j *judging) bool {
	return j.Status == http.StatusNoContent && j.op.Success == nil
}

// judgeNoContent: by RFC 9110, 8.6 a server must not send Content-Length on a 204; common servers send 0 all the same.
func judgeNoContent(j *judging) {
	j.judged("OPEN-4")
	const at = "header:Content-Length"
	switch length := j.Header.Get("Content-Length"); {
	case len(j.Body) > 0:
		start := string(j.Body[:min(len(j.Body), maxSentence)])
		got := fmt.Sprintf("a body of %d bytes: %s", len(j.Body), quote(start))
		j.find("", "a 204 without content", got)
	case strings.Trim(length, "0") != "":
		j.find(at, "a 204 that announces no content", "Content-Length: "+length)
	case length == "0":
		j.broken("OPEN-4", finding.LengthOn204, at, "no Content-Length on a 204", "Content-Length: 0")
	}
}

// Unbound statuses may be right if a case says so: it is open when they are sent, so the
// oracle leaves them to the cases.
var Unbound = []int{
	http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusNotAcceptable, http.StatusRequestEntityTooLarge,
	http.StatusRequestURITooLong, http.StatusUnsupportedMediaType, http.StatusTooManyRequests,
	http.StatusRequestHeaderFieldsTooLarge,
}

func judgeServerError(j *judging) {
	if j.Status >= 500 {
		j.find("", "a status below 500", statusText(j.Status))
	}
}

// isBound reports whether the document alone says which status is right.
func isBound(j *judging) bool {
	open := slices.Concat(Unbound, j.Beside)
	return j.Status < 500 && !slices.Contains(open, j.Status)
}

// judgeStatus: the exact 2xx of an operation with a representation is open; one
// without content is held to the status that it declares.
func judgeStatus(j *judging) {
	if j.op.Responses[strconv.Itoa(j.Status)] != nil || mayHaveContent(j) {
		return
	}
	declared := slices.Sorted(maps.Keys(j.op.Responses))
	declared = slices.DeleteFunc(declared, func(s string) bool { return s == "429" })
	j.find("", "one of the statuses "+strings.Join(declared, ", "), statusText(j.Status))
}

// mayHaveContent reports whether the answer is a success of an operation that has a representation.
func mayHaveContent(j *judging) bool { return j.isSuccess() && j.op.Success != nil }

func judgeSuccessBody(j *judging) {
	j.judged(j.op.Clause)
	if j.Status == http.StatusNoContent || len(j.Body) == 0 {
		j.find("", "a 2xx status and a body with "+content(j.op), statusText(j.Status)+" without a body")
	}
}

func statusText(status int) string {
	return strings.TrimSuffix(fmt.Sprintf("status %d (%s)", status, http.StatusText(status)), " ()")
}

// judgeContentType: RFC 9110, 8.3 and RFC 8259, 8.1 and 11.
func judgeContentType(j *judging) {
	const at = "header:Content-Type"
	values := j.Header.Values("Content-Type")
	if len(values) == 0 {
		j.broken("OPEN-3", finding.NoContentType, at, "a Content-Type", "none")
		return
	}
	j.judged("HTTP-3")
	isAnother := func(v string) bool { return v != values[0] }
	isJSON, charset := readJSONType(values[0])
	switch {
	case !isJSON, !isUTF8(charset), slices.ContainsFunc(values, isAnother):
		want := "one media type: application/json or a +json type, in UTF-8"
		j.broken("HTTP-3", "", at, want, quote(strings.Join(values, ", ")))
	case !strings.EqualFold(charset, utf8Name):
		j.broken("OPEN-3", finding.Charset, at, "charset=utf-8, or no charset",
			quote(values[0])+": this charset has no effect, as JSON is always UTF-8")
	}
}

var jsonType = regexp.MustCompile(`^(application/json|[^/]+/[^/]+\+json)$`)

// readJSONType reports whether a Content-Type says JSON, and returns its charset, utf-8 if it has none.
func readJSONType(v string) (isJSON bool, charset string) {
	media, params, err := mime.ParseMediaType(v)
	charset, hasCharset := params["charset"]
	if !hasCharset {
		charset = utf8Name
	}
	if errors.Is(err, mime.ErrInvalidMediaParameter) {
		err = nil
	}
	return err == nil && jsonType.MatchString(media), charset
}

const utf8Name = "utf-8" // the only registered name of the charset (RFC 3629, 8)

// isUTF8 reports whether the name of a charset means UTF-8, however it is spelt.
func isUTF8(charset string) bool {
	letters := strings.NewReplacer("-", "", "_", "", " ", "").Replace(charset)
	return strings.EqualFold(letters, "utf8")
}
