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
func ObjectBody(fields map[string]any) *Body { return &Body{Fields: fields, Raw: JSON(fields)} }

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
	if r := []rune(s); len(r) > limit {
		n := utf8.RuneCountInString(strings.Trim(s, `"`))
		return fmt.Sprintf("%s … %s (%d characters)", string(r[:limit/2]), string(r[len(r)-limit/4:]), n)
	}
	return s
}

// TextOf returns the text that a target may store for another value: that of a number or a boolean, in a field that
// may hold any text, or the listed one for a text that spells it otherwise.
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
	i := slices.IndexFunc(f.Enum, func(listed string) bool { return strings.EqualFold(listed, strings.TrimSpace(text)) })
	if i < 0 {
		return "", false
	}
	return f.Enum[i], true
}

// Altered reports whether a text came back with no other change than trimmed or folded white
// space, or normalisation.
func Altered(want, got any) bool {
	w, wok := want.(string)
	g, gok := got.(string)
	fold := func(s string) string { return strings.Join(strings.Fields(norm.NFKC.String(s)), " ") }
	return wok && gok && w != g && fold(w) == fold(g)
}

// Alterable reports whether trimming or normalisation changes a text.
func Alterable(v any) bool {
	s, ok := v.(string)
	return ok && (strings.TrimSpace(s) != s || norm.NFC.String(s) != s || norm.NFD.String(s) != s || norm.NFKC.String(s) != s)
}

// Equal compares a value that was sent or seen earlier with one that an
// answer shows. A hostname is compared without regard to letter case and a final
// dot; for the rest of the fields a text has to be the same by code point.
func Equal(f *spec.Field, want, got any) bool {
	w, wok := want.(string)
	g, gok := got.(string)
	if wok && gok && f != nil && f.Hostname {
		return strings.EqualFold(strings.TrimSuffix(w, "."), strings.TrimSuffix(g, "."))
	}
	if wn, ok := Integer(want); ok {
		if gn, ok := Integer(got); ok {
			return wn == gn
		}
	}
	if w, ok := want.(float64); ok { // of ours; an answer has json.Number
		g, _ := got.(json.Number)
		n, err := g.Float64()
		return err == nil && n == w
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
	// Elsewhere is for a path in another form, which may belong to a page for people or be redirected: whatever is no
	// success of the operation is right.
	Elsewhere bool
}

// Allows reports whether an answer of an operation with this status and decoded body is right.
func (e Expect) Allows(op *spec.Operation, status int, body any) bool {
	if e.Success && Succeeds(op, status, body) || slices.Contains(e.Statuses, status) || e.AnyRefusal && IsRefusal(status) {
		return true
	}
	page := ReadList(op, body)
	isEmpty := page != nil && len(page.Items) == 0 && status/100 == 2
	isOfOperation := Succeeds(op, status, body) && (page != nil || !op.Lists())
	return e.EmptyList && isEmpty || e.Elsewhere && !isOfOperation && status < http.StatusInternalServerError
}

// Check returns the id of the check that finds an answer which is not allowed. A success of a
// request that has to be refused is worse than another error: a baseline entry for the
// one does not cover the other.
func (e Expect) Check(status int) string {
	if status/100 == 2 && !e.Success && !e.EmptyList {
		return "not-refused"
	}
	return "expected-status"
}

// Words returns what is expected of the operation's answer, as a finding has it.
func (e Expect) Words(op *spec.Operation) string { return wording.Or(e.answers(op, "status ")) }

// Answers returns the expected answers, in short: "404", "a 4xx status".
func (e Expect) Answers(op *spec.Operation) []string { return e.answers(op, "") }

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
	return status/100 == 2 && (op.Lists() || Representation(op, body) != nil)
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
