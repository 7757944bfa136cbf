package reference

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adconform/adconform/spec"
)

// Dialect serves a handler that speaks the published names to clients of a
// contract with other names (an overlaid one): requests are translated from
// theirs to ours, responses from ours to theirs. What is no JSON passes as it is.
func Dialect(next http.Handler, ours, theirs *spec.Contract) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		their, ids := theirs.Match(r.Method, strings.TrimPrefix(r.URL.EscapedPath(), BasePath))
		if their == nil || ours.Operation(their.ID) == nil { // of no operation, or of one that the document adds
			next.ServeHTTP(w, r)
			return
		}
		our := ours.Operation(their.ID)
		inner := r.Clone(r.Context())
		inner.URL.RawPath = BasePath + our.At(ids...)
		inner.URL.Path, _ = url.PathUnescape(inner.URL.RawPath) // it came as such
		if our.Body != nil {
			inner.Body = http.MaxBytesReader(w, r.Body, maxBody)
			if body, err := io.ReadAll(inner.Body); err == nil { // else the next reader gets the error, too
				body = renaming{unknown: "their "}.rename(body, their.Body, our.Body)
				inner.Body, inner.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
			}
		}
		answer := httptest.NewRecorder()
		next.ServeHTTP(answer, inner)
		body, back := answer.Body.Bytes(), renaming{our: our.Body, their: their.Body}
		switch {
		case answer.Code >= 400:
			body = back.rename(body, ours.Error, theirs.Error)
		case our.Success != nil:
			body = back.rename(body, our.Success, their.Success)
		}
		maps.Copy(w.Header(), answer.Header())
		if w.Header().Get("Content-Length") != "" {
			w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		}
		w.WriteHeader(answer.Code)
		_, _ = w.Write(body)
	})
}

// renaming translates JSON from one contract to another.
type renaming struct {
	unknown    string       // is put before members that the contract does not know: they must stay unknown
	our, their *spec.Object // the request bodies whose fields an issue names
}

// rename translates the members of an object or of each object in a list, at any depth, and
// leaves what is no JSON, be it as little wrong as a character.
func (n renaming) rename(text jsontext.Value, from, to *spec.Object) jsontext.Value {
	var object map[string]jsontext.Value
	var list []jsontext.Value
	switch {
	case from == nil || to == nil:
		return text
	case json.Unmarshal(text, &list) == nil && list != nil:
		for i := range list {
			list[i] = n.rename(list[i], from, to)
		}
		return encoded(list)
	case json.Unmarshal(text, &object) != nil || object == nil:
		return text
	}
	renamed := map[string]jsontext.Value{}
	for name, value := range object {
		f := from.Named(name)
		if f == nil {
			renamed[n.unknown+name] = value
			continue
		}
		other := to.Field(f.Meaning)
		var word string
		switch {
		case f.Object != nil:
			value = n.rename(value, f.Object, other.Object)
		case f.Items != nil:
			value = n.rename(value, f.Items, other.Items)
		case json.Unmarshal(value, &word) != nil:
		case f.Meaning == "relatedField":
			if named := n.our.Named(word); named != nil {
				value = encoded(n.their.Field(named.Meaning).Name)
			}
		case slices.Contains(f.Enum, word):
			value = encoded(other.Enum[slices.Index(f.Enum, word)])
		case len(f.Enum) > 0: // a value that is not listed becomes one that the other side does not list either
			value = encoded("not " + word)
		}
		renamed[other.Name] = value
	}
	return encoded(renamed)
}

func encoded(v any) jsontext.Value {
	text, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		panic(err) // it was read from JSON
	}
	return text
}
