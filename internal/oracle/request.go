package oracle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
)

// Body is a request body: fields by wire name, or raw bytes.
type Body struct {
	Fields map[string]any // nil: Raw is not an object of fields
	Raw    []byte
}

// ObjectBody encodes fields, by name.
func ObjectBody(fields map[string]any) *Body {
	return &Body{Fields: fields, Raw: JSON(fields)}
}

// RawBody returns a body that is not an object of fields.
func RawBody(raw string) *Body { return &Body{Raw: []byte(raw)} }

// JSON encodes a value as a case sends it.
func JSON(v any) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false) // < stays <: what we send is what we compare
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("a case sends a value that JSON cannot hold: %v", err))
	}
	return bytes.TrimRight(buf.Bytes(), "\n")
}

// Show returns a value for a finding: JSON, shortened in the middle.
func Show(v any) string { return Shorten(string(JSON(v))) }

// Shorten leaves out the middle of a long text.
func Shorten(s string) string {
	const limit = 120
	r := []rune(s)
	if len(r) <= limit {
		return s
	}
	start := string(r[:limit/2])
	end := string(r[len(r)-limit/4:])
	length := utf8.RuneCountInString(strings.Trim(s, `"`))
	return fmt.Sprintf("%s … %s (%d characters)", start, end, length)
}

// TextOf returns the text that a target may store for another value: a number or a boolean as text, in a field that may
// hold any text, or the listed value for a text that spells it otherwise.
func TextOf(f *spec.Field, v any) (string, bool) {
	switch {
	case f.Type != "string":
		return "", false
	case len(f.Enum) > 0:
		return listedAs(f, v)
	}
	switch v.(type) {
	case bool, int, int64, json.Number:
		return fmt.Sprint(v), true
	}
	return "", false
}

// listedAs returns the listed value that a text spells in other letters, or with white space around it.
func listedAs(f *spec.Field, v any) (string, bool) {
	text, isText := v.(string)
	if !isText || slices.Contains(f.Enum, text) {
		return "", false
	}
	for _, listed := range f.Enum {
		if strings.EqualFold(listed, strings.TrimSpace(text)) {
			return listed, true
		}
	}
	return "", false
}

// Altered reports whether a text came back with no other change than trimmed or folded white
// space, or normalisation.
func Altered(want, got any) bool {
	w, isText := want.(string)
	g, isGotText := got.(string)
	if !isText || !isGotText {
		return false
	}
	return w != g && fold(w) == fold(g)
}

// fold returns a text without differences in white space and normalisation.
func fold(s string) string {
	words := strings.Fields(norm.NFKC.String(s))
	return strings.Join(words, " ")
}

// Alterable reports whether trimming or normalisation changes a text.
func Alterable(v any) bool {
	s, _ := v.(string)
	forms := []string{strings.TrimSpace(s), norm.NFC.String(s), norm.NFD.String(s), norm.NFKC.String(s)}
	return slices.ContainsFunc(forms, func(form string) bool { return form != s })
}

// Equal compares a value that was sent or seen earlier with one that an
// answer shows. A hostname is compared without regard to letter case and a final
// dot; for the rest of the fields a text has to be the same by code point.
func Equal(f *spec.Field, want, got any) bool {
	switch w := want.(type) {
	case string:
		g, isText := got.(string)
		if f != nil && f.Hostname {
			w = strings.ToLower(strings.TrimSuffix(w, "."))
			g = strings.ToLower(strings.TrimSuffix(g, "."))
		}
		return isText && w == g
	case float64: // of ours; an answer has json.Number
		g, _ := got.(json.Number)
		n, err := g.Float64()
		return err == nil && n == w
	}
	if w, isInteger := Integer(want); isInteger {
		g, isInteger := Integer(got)
		return isInteger && w == g
	}
	return reflect.DeepEqual(want, got)
}

// Expect says which answers to a request are right. The zero value lets every answer
// below 500 pass.
type Expect struct {
	Success    bool   // a 2xx with the representation, the list, or 204
	Statuses   []int  // and these
	EmptyList  bool   // and a 2xx with an empty list
	AnyRefusal bool   // and every 4xx
	Clause     string // broken by any other answer; "" judges no status
	Field      string // the only wrong field of the request, which a 422 has to name
	OnlyCrash  bool   // nothing but a status ≥ 500 is judged
	ErrorForm  bool   // with OnlyCrash: and the form of an error that can be read
	// Unlisted, with OnlyCrash, is for odd input: a 5xx other than Statuses is judged, malformed
	// JSON, and the effects of a refused request.
	Unlisted bool
	// Elsewhere is for a path in another form, which may belong to a page for people or be redirected: every answer
	// that is not a success of the operation is right.
	Elsewhere bool
}

// Allows reports whether an answer of an operation with this status and decoded body is right.
func (e Expect) Allows(op *spec.Operation, status int, body any) bool {
	isSuccess := Succeeds(op, status, body)
	page := ReadList(op, body)
	switch {
	case slices.Contains(e.Statuses, status):
		return true
	case e.AnyRefusal && IsRefusal(status):
		return true
	case e.Success && isSuccess:
		return true
	case e.EmptyList && isSuccess && page != nil:
		return len(page.Items) == 0
	case !e.Elsewhere:
		return false
	case op.Lists() && page == nil:
		isSuccess = false // such as a page for people
	}
	return !isSuccess && status < http.StatusInternalServerError
}

// Check returns the id of the check that finds an answer which is not allowed. A success of a
// request that has to be refused is worse than another error: a baseline entry for the
// one does not cover the other.
func (e Expect) Check(status int) string {
	mayBeSuccess := e.Success || e.EmptyList
	if status/100 == 2 && !mayBeSuccess {
		return "not-refused"
	}
	return "expected-status"
}

// Words returns what is expected of the operation's answer, as a finding has it.
func (e Expect) Words(op *spec.Operation) string {
	return wording.Or(e.answers(op, "status "))
}

// Answers returns the expected answers, in short: "404", "a 4xx status".
func (e Expect) Answers(op *spec.Operation) []string {
	return e.answers(op, "")
}

func (e Expect) answers(op *spec.Operation, status string) (parts []string) {
	if e.Success && op.Success == nil {
		parts = append(parts, status+"204")
	} else if e.Success {
		parts = append(parts, "a 2xx status with "+content(op))
	}
	if e.EmptyList {
		parts = append(parts, "an empty list")
	}
	if e.AnyRefusal {
		parts = append(parts, "a 4xx status")
	}
	if e.Elsewhere {
		parts = append(parts, "an answer that is not "+content(op))
	}
	for _, s := range e.Statuses {
		parts = append(parts, fmt.Sprintf("%s%d", status, s))
	}
	return parts
}

// content returns what a success of an operation holds, in words.
func content(op *spec.Operation) string {
	if op.Lists() {
		return "the list"
	}
	return "the representation"
}

// IsRefusal reports whether a status blames the request.
func IsRefusal(status int) bool { return status >= 400 && status < 500 }

// Succeeds reports whether a status and a decoded body are what the operation succeeds
// with: 204, a list, or the representation.
func Succeeds(op *spec.Operation, status int, body any) bool {
	if op.Success == nil {
		return status == http.StatusNoContent
	}
	hasContent := op.Lists() || Representation(op, body) != nil
	return status/100 == 2 && hasContent
}

// Representation returns the object in a decoded body of a success, or nil if there is none.
func Representation(op *spec.Operation, body any) map[string]any {
	object, _ := body.(map[string]any)
	if op.IsBare() {
		return object
	}
	shown, _ := object[op.InEnvelope()].(map[string]any)
	return shown
}
