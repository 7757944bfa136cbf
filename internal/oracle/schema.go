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
	items  *spec.Object // of an array; nil where it is none
	clause string       // of the deepest schema on the way that names one
	value  any
}

// within returns the place of a member or an item of p.
func (p place) within(name string) place {
	at := p.at + pointer(name)
	if list, is := p.value.([]any); is && p.items != nil {
		i, _ := strconv.Atoi(name)
		return place{at, p.items.Schema, p.items, nil, cmp.Or(spec.ClauseOf(p.items.Schema), p.clause), list[i]}
	}
	object, _ := p.value.(map[string]any)
	f := cmp.Or(p.object.Named(name), new(spec.Field)) // the document may not describe it
	return place{at, f.Schema, f.Object, f.Items, cmp.Or(f.Clause, p.clause), object[name]}
}

// enough is how many items of a list are judged by the document; of those after them, the first
// mismatch counts if there is none before.
const enough = 1000

// walk visits a place of the body, and the places in it that the document describes; those of members
// that need not be there as well where they are not.
func (j *judging) walk(p place, visit func(*judging, place)) {
	visit(j, p)
	switch v := p.value.(type) {
	case map[string]any:
		for i := 0; p.object != nil && i < len(p.object.Fields); i++ {
			f := p.object.Fields[i]
			if _, shown := v[f.Name]; shown || spec.MayBeAbsent(f.Schema) {
				j.walk(p.within(f.Name), visit)
			}
		}
	case []any:
		for i := 0; p.items != nil && i < min(len(v), enough); i++ {
			j.walk(p.within(strconv.Itoa(i)), visit)
		}
	}
}

// ofWholeLists are the clauses of numbers that the checks of lists judge, by more than
// their type.
var ofWholeLists = []string{"MEDIA-4", "MEDIA-5", "MEDIA-6"}

// judgeSchema validates the body with kin-openapi.
func judgeSchema(j *judging) {
	err := j.body.schema.VisitJSON(beginning(j.Value), openapi3.VisitAsResponse(), openapi3.MultiErrors())
	if err == nil {
		err = j.body.schema.VisitJSON(j.Value, openapi3.VisitAsResponse())
	}
	var all openapi3.MultiError
	if err != nil && !errors.As(err, &all) {
		all = openapi3.MultiError{err}
	}
	for _, err := range all {
		e, is := errors.AsType[*openapi3.SchemaError](err)
		if !is {
			e = &openapi3.SchemaError{Reason: err.Error()}
		}
		j.mismatched(e)
	}
}

// beginning returns a body with enough items of its lists: each mismatch takes time and memory.
func beginning(body any) any {
	switch v := body.(type) {
	case []any:
		return v[:min(len(v), enough)]
	case map[string]any:
		v = maps.Clone(v)
		for name, member := range v {
			v[name] = beginning(member)
		}
		return v
	}
	return body
}

// mismatched reports an error of kin-openapi under the clause of its place.
func (j *judging) mismatched(e *openapi3.SchemaError) {
	p := j.body
	for _, name := range e.JSONPointer() {
		p = p.within(name)
	}
	p.schema = cmp.Or(p.schema, e.Schema)
	want := e.Reason // such as: number must be at least 1
	detail := fmt.Sprintf("%s that breaks the schema: %s", finding.KindOf(p.value), clip(want))
	if slices.Contains([]string{"type", "nullable", "enum", "format", "required"}, e.SchemaField) {
		want = expected(p.schema)
		detail = inPlaceOf(want, p)
	}
	number, _ := p.value.(json.Number)
	_, dated := readUnix(number)
	switch {
	case e.SchemaField == "required":
		j.mismatch(Finding{Clause: p.clause, Cause: finding.CauseOf(finding.LacksMember), Pointer: p.at, Expected: want, Got: "nothing"})
	case j.echoes(p):
	case !dated || !spec.IsDate(p.schema): // a number may stand for a date
		j.differs(p, want, detail)
	}
}

// inPlaceOf describes a value in place of another: "a text where a number belongs".
func inPlaceOf(want string, p place) string {
	return fmt.Sprintf("%s where %s belongs", finding.KindOf(p.value), clip(want))
}

// differs reports a value that is not what the document wants.
func (j *judging) differs(p place, want, detail string) {
	j.mismatch(Finding{
		Clause: p.clause, Cause: finding.Cause{Kind: finding.WrongType, Detail: detail},
		Aspect: aspectOf(p.schema), Shape: finding.ShapeOf(p.value),
		Pointer: p.at, Expected: want, Got: Describe(p.value),
	})
}

// aspectOf returns what a hint may depend on where a value of another type stands.
func aspectOf(s *openapi3.Schema) finding.Aspect {
	switch {
	case s != nil && spec.IsDate(s):
		return finding.ForDate
	case s != nil && s.Type.Is("integer"):
		return finding.ForInteger
	}
	return ""
}

// expected returns what a schema asks for, in words.
func expected(s *openapi3.Schema) string {
	text := "a " + strings.Join(s.Type.Slice(), " or a ")
	switch {
	case len(s.Enum) > 0:
		text = "one of " + strings.ReplaceAll(strings.Trim(string(JSON(s.Enum)), "[]"), ",", ", ")
	case isInteger(s):
		text = "an integer of 64 bits"
	case s.Type.Is(openapi3.TypeObject), s.Type.Is(openapi3.TypeArray):
		text = "an " + s.Type.Slice()[0]
	case s.Format == "uri":
		text = "an absolute http or https URL"
	case s.Format == "uuid":
		text = "a UUID"
	case spec.IsDate(s):
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
	if clause := spec.ClauseOf(p.schema); !slices.Contains(ofWholeLists, clause) {
		j.judged(clause)
	}
	text, isText := p.value.(string)
	number, isNumber := p.value.(json.Number)
	fits := true
	switch {
	case isInteger(p.schema) && isNumber:
		_, fits = Integer(number)
	case p.schema.Format == "uri" && isText:
		fits = absoluteURL(text)
	case p.schema.Format == "uuid" && isText:
		fits = spec.ID(text).IsUUID()
	case spec.IsDate(p.schema) && isText:
		_, fits = ReadMoment(text)
	}
	if !fits && !j.echoes(p) {
		want := expected(p.schema)
		j.differs(p, want, inPlaceOf(want, p))
	}
}

// echoes reports whether a number beyond 64 bits is that of a page that may not exist: a server may show what it was
// asked for, also as a float.
func (j *judging) echoes(p place) bool {
	number, _ := p.value.(json.Number)
	f, _ := number.Float64()
	return math.Abs(f) >= 1<<63 && j.RequestedPage == AnyPage && j.op.Lists() && p.at == PagePointer(j.op, "page")
}

func judgeIntegerForm(j *judging, p place) {
	if number, is := p.value.(json.Number); is && isInteger(p.schema) {
		j.judged(j.check.clause)
		if _, ok := Integer(number); ok && strings.ContainsAny(string(number), ".eE") {
			j.findValue(p.at, "an integer without fraction and exponent", number)
		}
	}
}

// Integer returns the value of an integer of 64 bits, one of ours or a JSON number however it was written.
func Integer(v any) (i int64, ok bool) {
	switch n := v.(type) {
	case json.Number:
		if i, err := n.Int64(); err == nil {
			return i, true
		}
		_, exponent, _ := strings.Cut(strings.ToLower(string(n)), "e")
		if len(n) > 1000 || len(exponent) > 5 { // it takes long to read, as 1e999999999 does
			return 0, false
		}
		if r, ok := new(big.Rat).SetString(string(n)); ok && r.IsInt() && r.Num().IsInt64() {
			return r.Num().Int64(), true
		}
	case int:
		return int64(n), true
	case int64:
		return n, true
	}
	return 0, false
}

// IDOf returns the id in a value, "" if there is none. Whether it is a number or a text is the schema's to say.
func IDOf(v any) spec.ID {
	if text, is := v.(string); is {
		return spec.ID(text)
	}
	if n, is := Integer(v); is {
		return spec.Decimal(n)
	}
	return ""
}

// absoluteURL reports whether a text can be opened as it is: RFC 3986, 4.3,
// with a host. Characters beyond ASCII are accepted, as browsers do.
func absoluteURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && !strings.ContainsAny(text, " \t\r\n")
}

// judgeLetterCase: a list of values may be open, but a text that differs from one of them in
// letter case only is that value, spelt in another way.
func judgeLetterCase(j *judging, p place) {
	text, _ := p.value.(string)
	clause := spec.ValuesClause(p.schema)
	for _, published := range spec.Values(p.schema) {
		if strings.EqualFold(text, published) {
			j.judged(clause)
			if text != published {
				j.broken(clause, "", p.at, Describe(published)+", as published", Describe(text))
			}
		}
	}
}
