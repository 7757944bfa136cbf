package reference

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adconform/adconform/spec"
)

// Dialect serves a handler that speaks the published names to clients of a
// contract with other names (an overlaid one): requests are translated from
// theirs to ours, responses from ours to theirs. What is no JSON object passes as
// it is.
func Dialect(next http.Handler, ours, theirs *spec.Contract) http.Handler {
	return &dialect{next, ours, theirs}
}

type dialect struct {
	next         http.Handler
	ours, theirs *spec.Contract
}

func (d *dialect) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	theirs, ids := d.theirs.Match(r.Method, strings.TrimPrefix(r.URL.EscapedPath(), BasePath))
	if theirs == nil {
		d.next.ServeHTTP(w, r)
		return
	}
	ours := d.ours.Operation(theirs.ID)
	if ours == nil { // an operation that the document adds
		d.next.ServeHTTP(w, r)
		return
	}
	inner := r.Clone(r.Context())
	inner.URL.RawPath = BasePath + ours.At(ids...)
	inner.URL.Path, _ = url.PathUnescape(inner.URL.RawPath) // it came as such
	if theirs.Body != nil && r.Body != nil {
		inner.Body = http.MaxBytesReader(w, r.Body, maxBody)
		if body, err := io.ReadAll(inner.Body); err == nil { // else the next reader gets the error, too
			body = renameBody(body, theirs.Body, ours.Body)
			inner.Body, inner.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		}
	}
	answer := httptest.NewRecorder()
	d.next.ServeHTTP(answer, inner)
	d.write(w, answer, ours, theirs)
}

func (d *dialect) write(w http.ResponseWriter, answer *httptest.ResponseRecorder, ours, theirs *spec.Operation) {
	body := answer.Body.Bytes()
	from, to := ours.Success, theirs.Success
	if answer.Code >= 400 {
		from, to = d.ours.Error, d.theirs.Error
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	var v any
	if from != nil && to != nil && dec.Decode(&v) == nil {
		v = rename(v, from, to)
		if answer.Code >= 400 {
			d.renameFields(v, ours, theirs)
		}
		if out, err := json.Marshal(v); err == nil {
			body = out
		}
	}
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	if w.Header().Get("Content-Length") != "" {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	}
	w.WriteHeader(answer.Code)
	_, _ = w.Write(body)
}

// renameFields translates what issues say of request fields.
func (d *dialect) renameFields(body any, ours, theirs *spec.Operation) {
	if ours.Body == nil {
		return
	}
	section := d.theirs.Error.Field("error")
	list := section.Object.Field("issues")
	object, _ := body.(map[string]any)
	inner, _ := object[section.Name].(map[string]any)
	issues, _ := inner[list.Name].([]any)
	name := list.Items.Field("relatedField").Name
	for _, i := range issues {
		issue, _ := i.(map[string]any)
		if text, ok := issue[name].(string); ok {
			if f := ours.Body.Named(text); f != nil {
				issue[name] = theirs.Body.Field(f.Meaning).Name
			}
		}
	}
}

// renameBody translates the members of a JSON object and leaves all else, be it as
// little wrong as a character.
func renameBody(body []byte, from, to *spec.Object) []byte {
	var members map[string]json.RawMessage
	if !jsontext.Value(body).IsValid() || json.Unmarshal(body, &members) != nil || members == nil {
		return body
	}
	out := map[string]json.RawMessage{}
	for name, raw := range members {
		f := from.Named(name)
		if f == nil {
			out["their "+name] = raw // unknown to them: it must stay unknown to us
			continue
		}
		renamed := to.Field(f.Meaning)
		var text string
		if json.Unmarshal(raw, &text) == nil {
			raw, _ = json.Marshal(renameValue(text, f, renamed))
		}
		out[renamed.Name] = raw
	}
	translated, err := json.Marshal(out)
	if err != nil {
		return body
	}
	return translated
}

func rename(v any, from, to *spec.Object) any {
	object, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := map[string]any{}
	for name, value := range object {
		f := from.Named(name)
		if f == nil {
			out[name] = value
			continue
		}
		renamed := to.Field(f.Meaning)
		switch typed := value.(type) {
		case map[string]any:
			if f.Object != nil {
				value = rename(typed, f.Object, renamed.Object)
			}
		case []any:
			for i := range typed {
				if f.Items != nil {
					typed[i] = rename(typed[i], f.Items, renamed.Items)
				}
			}
		case string:
			value = renameValue(typed, f, renamed)
		}
		out[renamed.Name] = value
	}
	return out
}

// renameValue translates a listed value; one that is not listed becomes one
// that the other side does not list either.
func renameValue(text string, from, to *spec.Field) string {
	for i, v := range from.Enum {
		if v == text {
			return to.Enum[i]
		}
	}
	if len(from.Enum) > 0 {
		return "not " + text
	}
	return text
}
