package oracle

import (
	"encoding/json"
	"math/big"
	"net/url"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/adconform/adconform/spec"
)

// The checks of single values that kin-openapi does not make.

func isInteger(s *openapi3.Schema) bool { return s.Type.Is(openapi3.TypeInteger) }

// fits judges what kin-openapi does not see: it compares numbers as floats of 64 bits, and so accepts 2^63 as
// an int64 and 9007199254740992.5 as an integer, and it accepts any string as a URL or a date.
func fits(s *openapi3.Schema, v any) bool {
	text, isText := v.(string)
	number, isNumber := v.(json.Number)
	switch {
	case isInteger(s) && isNumber:
		_, _, ok := integer(number)
		return ok
	case s.Format == "uri" && isText:
		return absoluteURL(text)
	case spec.IsDate(s) && isText:
		_, ok := ReadMoment(text)
		return ok
	}
	return true
}

func judgeIntegerForm(j *judging, p place) {
	if number, ok := p.value.(json.Number); ok {
		j.judged(j.check.clause)
		if _, plain, ok := integer(number); ok && !plain {
			j.find(p.at, "an integer without fraction and exponent", Describe(number))
		}
	}
}

// integer returns the value of a JSON number that is an integer of 64 bits, and whether it is
// written without fraction and exponent. A number that would take long to read, such as
// 1e999999999, is none.
func integer(number json.Number) (i int64, plain, ok bool) {
	const digits, exponents = 1000, 5
	text := string(number)
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return i, true, true
	}
	_, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	if len(text) > digits || len(exponent) > exponents {
		return 0, false, false
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok || !r.IsInt() || !r.Num().IsInt64() {
		return 0, false, false
	}
	return r.Num().Int64(), false, true
}

// Integer returns the value of an integer, one of ours or a JSON number however it was written.
func Integer(v any) (i int64, ok bool) {
	switch n := v.(type) {
	case json.Number:
		i, _, ok = integer(n)
		return i, ok
	case int:
		return int64(n), true
	case int64:
		return n, true
	}
	return 0, false
}

// absoluteURL reports whether a text can be opened as it is: RFC 3986, 4.3,
// with a host. Characters beyond ASCII are accepted, as browsers do.
func absoluteURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && !strings.ContainsAny(text, " \t\r\n")
}

func hasValues(s *openapi3.Schema) bool { return spec.ValuesClause(s) != "" }

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
