package oracle

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/spec"
)

// place is one that the document describes in a body.
type place struct {
	at     string // the JSON pointer
	schema *openapi3.Schema
	object *spec.Object // with its members; nil where it has none
	items  *spec.Object // of an array; nil where it is not one
	clause string       // of the deepest schema on the way that names one
	value  any
}

// child returns the place of a member or an item of p.
func (p place) child(name string) place {
	at := p.at + pointer(name)
	if list, isList := p.value.([]any); isList && p.items != nil {
		i, _ := strconv.Atoi(name)
		clause := cmp.Or(spec.MarksOf(p.items.Schema).Clause, p.clause)
		return place{at, p.items.Schema, p.items, nil, clause, list[i]}
	}
	object, _ := p.value.(map[string]any)
	f := cmp.Or(p.object.Named(name), new(spec.Field)) // the document may not describe it
	clause := cmp.Or(f.Clause, p.clause)
	return place{at, f.Schema, f.Object, f.Items, clause, object[name]}
}

// maxItems is how many items of a list are judged by the document. If these match, the first mismatch after them
// counts.
const maxItems = 1000

// walk visits a place of the body, and the places in it that the document describes, also of absent members that need
// not be there.
func (j *judging) walk(p place, visit func(*judging, place)) {
	visit(j, p)
	switch v := p.value.(type) {
	case map[string]any:
		if p.object == nil {
			return
		}
		for _, f := range p.object.Fields {
			if _, isShown := v[f.Name]; isShown || spec.MarksOf(f.Schema).MayBeAbsent {
				j.walk(p.child(f.Name), visit)
			}
		}
	case []any:
		if p.items == nil {
			return
		}
		for i := range min(len(v), maxItems) {
			j.walk(p.child(strconv.Itoa(i)), visit)
		}
	}
}

// listClauses are the clauses of numbers that the checks of lists judge, by more than
// their type.
var listClauses = []string{"MEDIA-4", "MEDIA-5", "MEDIA-6"}

// judgeSchema validates the body with kin-openapi.
func judgeSchema(j *judging) {
	schema := j.body.schema
	err := schema.VisitJSON(shorten(j.Value), openapi3.VisitAsResponse(), openapi3.MultiErrors())
	if err == nil {
		err = schema.VisitJSON(j.Value, openapi3.VisitAsResponse())
	}
	if err == nil {
		return
	}
	all := openapi3.MultiError{err}
	errors.As(err, &all)
	for _, err := range all {
		e, isSchemaError := errors.AsType[*openapi3.SchemaError](err)
		if !isSchemaError {
			e = &openapi3.SchemaError{Reason: err.Error()}
		}
		j.reportError(e)
	}
}

// shorten returns a body with maxItems of each of its lists: each mismatch takes time and memory.
func shorten(body any) any {
	switch v := body.(type) {
	case []any:
		return v[:min(len(v), maxItems)]
	case map[string]any:
		v = maps.Clone(v)
		for name, member := range v {
			v[name] = shorten(member)
		}
		return v
	}
	return body
}

// ownKeywords are the keywords of schemas for whose mismatches expected has better words than kin-openapi.
var ownKeywords = []string{"type", "nullable", "enum", "format", "required"}

// reportError reports an error of kin-openapi under the clause of its place.
func (j *judging) reportError(e *openapi3.SchemaError) {
	p := j.body
	for _, name := range e.JSONPointer() {
		p = p.child(name)
	}
	p.schema = cmp.Or(p.schema, e.Schema)
	want := e.Reason // such as: number must be at least 1
	detail := fmt.Sprintf("%s that breaks the schema: %s", finding.KindOf(p.value), clip(want))
	if slices.Contains(ownKeywords, e.SchemaField) {
		want = expected(p.schema)
		detail = inPlaceOf(want, p)
	}
	if e.SchemaField == "required" {
		cause := finding.CauseOf(finding.LacksMember)
		j.mismatch(Finding{Clause: p.clause, Cause: cause, Pointer: p.at, Expected: want, Got: "nothing"})
		return
	}
	number, _ := p.value.(json.Number)
	_, isTime := readUnix(number)
	mayBeDate := isTime && spec.MarksOf(p.schema).Date
	if !mayBeDate && !j.isRequestedPage(p) {
		j.reportValue(p, want, detail)
	}
}

// inPlaceOf describes a value in place of another: "a text where a number belongs".
func inPlaceOf(want string, p place) string {
	return fmt.Sprintf("%s where %s belongs", finding.KindOf(p.value), clip(want))
}

// reportValue reports a value that the document does not allow.
func (j *judging) reportValue(p place, want, detail string) {
	j.mismatch(Finding{
		Clause: p.clause, Cause: finding.Cause{Kind: finding.WrongType, Detail: detail},
		Aspect: aspectOf(p.schema), Shape: finding.ShapeOf(p.value),
		Pointer: p.at, Expected: want, Got: Describe(p.value),
	})
}

// aspectOf returns what a hint may depend on where a value of another type stands.
func aspectOf(s *openapi3.Schema) finding.Aspect {
	switch {
	case s == nil:
		return ""
	case spec.MarksOf(s).Date:
		return finding.ForDate
	case isInteger(s):
		return finding.ForInteger
	}
	return ""
}

// expected returns what a schema asks for, in words.
func expected(s *openapi3.Schema) string {
	text := "a " + strings.Join(s.Type.Slice(), " or a ")
	switch {
	case len(s.Enum) > 0:
		values := strings.Trim(string(JSON(s.Enum)), "[]")
		text = "one of " + strings.ReplaceAll(values, ",", ", ")
	case isInteger(s):
		text = "an integer of 64 bits"
	case s.Type.Is(openapi3.TypeObject), s.Type.Is(openapi3.TypeArray):
		text = "an " + s.Type.Slice()[0]
	case s.Format == "uri":
		text = "an absolute http or https URL"
	case s.Format == "uuid":
		text = "a UUID"
	case spec.MarksOf(s).Date:
		text = "a date that exists, for example 2024-01-01T00:00:00Z"
	}
	if s.Nullable && !slices.Contains(s.Enum, nil) {
		text += ", or null"
	}
	return text
}

func isInteger(s *openapi3.Schema) bool { return s.Type.Is(openapi3.TypeInteger) }

// judgePlace judges the clause of a place, and what kin-openapi does not see: it compares numbers as floats of 64 bits,
// and so accepts 2^63 as an int64, and it accepts any string as a URL or a date.
func judgePlace(j *judging, p place) {
	if clause := spec.MarksOf(p.schema).Clause; !slices.Contains(listClauses, clause) {
		j.judged(clause)
	}
	isRight := true
	switch v := p.value.(type) {
	case json.Number:
		if isInteger(p.schema) {
			_, isRight = Integer(v)
		}
	case string:
		isRight = isInFormat(p.schema, v)
	}
	if !isRight && !j.isRequestedPage(p) {
		want := expected(p.schema)
		j.reportValue(p, want, inPlaceOf(want, p))
	}
}

// isInFormat reports whether a text has the format that its schema asks for.
func isInFormat(s *openapi3.Schema, text string) bool {
	switch {
	case s.Format == "uri":
		return isAbsoluteURL(text)
	case s.Format == "uuid":
		return spec.ID(text).IsUUID()
	case spec.MarksOf(s).Date:
		_, isDate := ReadMoment(text)
		return isDate
	}
	return true
}

// isRequestedPage reports whether a number beyond 64 bits is that of a page that may not exist: a server may show the
// number that it was asked for, also as a float.
func (j *judging) isRequestedPage(p place) bool {
	if j.RequestedPage != AnyPage || !j.op.Lists() {
		return false
	}
	number, _ := p.value.(json.Number)
	f, _ := number.Float64()
	return math.Abs(f) >= 1<<63 && p.at == PagePointer(j.op, "page")
}

func judgeIntegerForm(j *judging, p place) {
	number, isNumber := p.value.(json.Number)
	if !isNumber || !isInteger(p.schema) {
		return
	}
	j.judged(j.check.clause)
	hasOtherForm := strings.ContainsAny(string(number), ".eE")
	if _, isInteger := Integer(number); isInteger && hasOtherForm {
		j.findValue(p.at, "an integer without fraction and exponent", number)
	}
}

// Integer returns the value of an integer of 64 bits, one of ours or a JSON number however it was written.
func Integer(v any) (i int64, isInteger bool) {
	switch n := v.(type) {
	case json.Number:
		return integerOf(string(n))
	case int:
		return int64(n), true
	case int64:
		return n, true
	}
	return 0, false
}

// integerOf reads a number of JSON: 7, 7.0 and 70e-1 are the same integer.
func integerOf(number string) (int64, bool) {
	if i, err := strconv.ParseInt(number, 10, 64); err == nil {
		return i, true
	}
	_, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	if len(number) > 1000 || len(exponent) > 5 { // it takes long to read, as 1e999999999 does
		return 0, false
	}
	r, isNumber := new(big.Rat).SetString(number)
	if !isNumber || !r.IsInt() || !r.Num().IsInt64() {
		return 0, false
	}
	return r.Num().Int64(), true
}

// IDOf returns the id in a value, "" if there is none. The schema says whether it is a number or a text.
func IDOf(v any) spec.ID {
	if text, isText := v.(string); isText {
		return spec.ID(text)
	}
	if n, isInteger := Integer(v); isInteger {
		return spec.Decimal(n)
	}
	return ""
}

// isAbsoluteURL reports whether a text can be opened as it is: RFC 3986, 4.3,
// with a host. Characters beyond ASCII are accepted, as browsers do.
func isAbsoluteURL(text string) bool {
	u, err := url.Parse(text)
	if err != nil || strings.ContainsAny(text, " \t\r\n") {
		return false
	}
	return slices.Contains([]string{"http", "https"}, u.Scheme) && u.Hostname() != ""
}

// judgeLetterCase: a list of values may be open, but a text that differs from one of them in
// letter case only is that value, spelt in another way.
func judgeLetterCase(j *judging, p place) {
	text, _ := p.value.(string)
	clause := spec.MarksOf(p.schema).ValuesClause
	for _, published := range spec.MarksOf(p.schema).Values {
		if !strings.EqualFold(text, published) {
			continue
		}
		j.judged(clause)
		if text != published {
			j.broken(clause, "", p.at, Describe(published)+", as published", Describe(text))
		}
	}
}
