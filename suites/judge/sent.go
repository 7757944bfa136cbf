package judge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// What a finding tells of the request that shows it: the one part that matters. It is
// read off the request, so that recorded traffic tells as much as a case.

// sentBy is the part of a request that matters: the key, where it is not that of the
// user whose object it is; an id in the path that names none of the user's objects; a
// query; a header; the body, or a field of it. nil: nothing sets it apart.
func (t *Test) sentBy(ex *wire.Exchange, f *Finding) *oracle.Sent {
	op, ids := t.Model.Contract.Match(ex.Request.Method, ex.Request.Path)
	if op == nil {
		op, ids = t.Model.operationAt(ex.Request.Path)
	}
	if op == nil {
		return nil
	}
	of := []func() *oracle.Sent{
		func() *oracle.Sent { return keyOf(&ex.Request) },
		func() *oracle.Sent { return t.oddID(op, ids) },
		func() *oracle.Sent { return oddHeader(&ex.Request) },
		func() *oracle.Sent { return oddBody(op, &ex.Request, f.Pointer) },
		func() *oracle.Sent { return query(ex.Request.Path) },
	}
	for _, part := range of {
		if s := part(); s != nil {
			return s
		}
	}
	return nil
}

// operationAt is the operation of a path, whatever the method.
func (s *Model) operationAt(path string) (*spec.Operation, []string) {
	for _, op := range s.Contract.Operations {
		if ids, ok := op.Match(path); ok {
			return op, ids
		}
	}
	return nil, nil
}

// keyWords say what is sent in the place of a valid key, by the name of the credential.
var keyWords = map[string]string{
	"none":             "no key",
	"empty":            "an empty key",
	"percent":          "the key %",
	"unknown":          "an unknown key",
	"unknown-long":     "an unknown key of 200 characters",
	"owner-changed":    "the owner's key with one character changed",
	"owner-longer":     "the owner's key with x after it",
	"owner-shorter":    "the owner's key without its last character",
	"owner-other-case": "the owner's key in other letter case",
	StrangerName:       "the key of another user",
}

func keyOf(r *wire.Request) *oracle.Sent {
	what, known := keyWords[r.Credential.Name]
	if !known {
		return nil
	}
	if r.Header.Get("X-User-Id") != "" {
		what += ", and headers that name a user"
	}
	return &oracle.Sent{At: "key", What: what}
}

// oddID is the first id in the path that names no object of the owner's there.
func (t *Test) oddID(op *spec.Operation, ids []string) *oracle.Sent {
	for i, p := range op.Params {
		id := ids[i]
		if plain, err := url.PathUnescape(id); err == nil {
			id = plain
		}
		if what := t.Model.idWords(op, ids, i, id); what != "" {
			return &oracle.Sent{At: "path:" + p.Name, What: what, Value: id}
		}
	}
	return nil
}

// unknownRange is how far below 2^31 the ids begin that nobody has, see UnknownID.
const unknownRange = 2000

// idWords say what is wrong with the id at a place of a path; "" for nothing.
func (s *Model) idWords(op *spec.Operation, path []string, i int, id string) string {
	n, err := strconv.ParseInt(id, 10, 64)
	key := op.Params[i].Object
	// An id is unique among those of a kind, and may be of any size.
	named := func(among []*Object, foreign bool) bool {
		return slices.ContainsFunc(among, func(o *Object) bool {
			return o.Foreign == foreign && i < len(o.IDs) && o.IDs[i] == n && o.Op.Params[i].Name == op.Params[i].Name
		})
	}
	switch {
	case err != nil || n <= 0 || fmt.Sprint(n) != id:
		return "a malformed id"
	case i == len(op.Params)-1 && named(s.Deletes, false):
		return "the id of what was deleted"
	case len(op.Params) > 1 && n == s.Lookup(Other(key)) && !s.isPathOf(op, Other(op.Key()), path):
		return "an id that belongs elsewhere"
	case named(s.Order, false):
		return ""
	case named(s.Order, true):
		return "the id of another user's object"
	case n >= 1<<32:
		return "an id beyond 32 bits"
	case n > 1<<31-unknownRange && n < 1<<31:
		return "an unknown id"
	}
	return ""
}

// isPathOf says whether ids are those by which the path names the object under a key.
func (s *Model) isPathOf(op *spec.Operation, key string, path []string) bool {
	ids, _ := s.PathIDs(op, key)
	return slices.EqualFunc(ids, path, func(id int64, text string) bool { return fmt.Sprint(id) == text })
}

func oddHeader(r *wire.Request) *oracle.Sent {
	for _, name := range SortedKeys(r.Header) {
		if value := r.Header.Get(name); value != "" && name != "Accept" {
			return &oracle.Sent{At: "header:" + name, What: "the header " + name, Value: value}
		}
	}
	return nil
}

// query is what a page is asked for with.
func query(path string) *oracle.Sent {
	_, text, _ := strings.Cut(path, "?")
	values, err := url.ParseQuery(text)
	if err != nil || len(values) == 0 {
		return nil
	}
	name := SortedKeys(values)[0]
	s := &oracle.Sent{At: "query:" + name, Value: strings.Join(values[name], ", ")}
	if n, err := strconv.Atoi(s.Value); err != nil || n < 1 || n >= 1000 {
		s.What = "a page that does not exist"
	}
	return s
}

// oddBody is what is wrong or odd in a body; the field that a pointer into the answer
// is about comes first, wrong or not.
func oddBody(op *spec.Operation, r *wire.Request, pointer string) *oracle.Sent {
	if op.Body == nil || r.Method != op.Method {
		return nil
	}
	if what := bodyWords(r); what != "" {
		return &oracle.Sent{At: "body", What: what, Value: shorten(string(r.Body))}
	}
	fields := map[string]any{}
	d := json.NewDecoder(bytes.NewReader(r.Body))
	d.UseNumber()
	if d.Decode(&fields) != nil {
		return nil
	}
	if f := shownField(op, pointer); f != nil {
		if v, sent := fields[f.Name]; sent {
			return &oracle.Sent{At: "/" + f.Name, What: valueWords(f, v), Value: Show(v)}
		}
	}
	for _, f := range op.Body.Fields {
		if v, sent := fields[f.Name]; sent && valueWords(f, v) != "" {
			return &oracle.Sent{At: "/" + f.Name, What: valueWords(f, v), Value: Show(v)}
		}
	}
	for _, name := range SortedKeys(fields) {
		if op.Body.Named(name) == nil {
			what := "a field that the document does not know"
			if rep := op.Representation(); rep != nil && rep.Named(name) != nil {
				what = "a field that cannot be changed"
			}
			return &oracle.Sent{At: "/" + name, What: what, Value: Show(fields[name])}
		}
	}
	for _, f := range op.Body.Fields {
		if _, sent := fields[f.Name]; !sent && f.Required {
			return &oracle.Sent{At: "/" + f.Name, What: "a body without a required field"}
		}
	}
	return nil
}

// shownField is the field of a request that a pointer into the answer shows.
func shownField(op *spec.Operation, pointer string) *spec.Field {
	rep := op.Representation()
	if rep == nil || op.Lists() {
		return nil
	}
	if r := rep.Named(pointer[strings.LastIndexByte(pointer, '/')+1:]); r != nil {
		return op.Body.Field(r.Meaning)
	}
	return nil
}

// megabyte is the size from which that of a body is what matters.
const megabyte = 1 << 20

// bodyWords say what is wrong with a body as a whole; "" where it is an object.
func bodyWords(r *wire.Request) string {
	body := bytes.TrimSpace(r.Body)
	d := json.NewDecoder(bytes.NewReader(body))
	var v any
	err := d.Decode(&v)
	switch {
	case !r.HasBody || len(body) == 0:
		return "a request without a body"
	case len(body) > megabyte:
		return "a body of more than a megabyte"
	case !utf8.Valid(body):
		return "a body that is not UTF-8"
	case bytes.Contains(body, []byte(`\ud800`)):
		return "a text with half a character (a lone surrogate)"
	case bytes.Contains(body, []byte(strings.Repeat("[", 100))):
		return "a body that nests a thousand deep"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "JSON that is cut off"
	case err != nil:
		return "a body that is no JSON"
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return "text after the JSON object"
	}
	switch v.(type) {
	case map[string]any:
		return ""
	case nil:
		return "a body that is null"
	}
	return "a body that is " + kindWords(v)
}

// kindWords name the JSON type of a value.
func kindWords(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	case bool:
		return "a boolean"
	case string:
		return "a text"
	}
	return "a number"
}

// typeWords name what a field holds.
func typeWords(f *spec.Field) string {
	switch {
	case f.Type == "integer":
		return "an integer"
	case f.Type == "string" || f.Type == "":
		return "a text"
	}
	return kindWords(map[string]any{"array": []any{}, "object": map[string]any{}, "boolean": true, "number": 1}[f.Type])
}

// valueWords say what is wrong or odd about the value of a field; "" for an ordinary one.
func valueWords(f *spec.Field, v any) string {
	text, isText := v.(string)
	_, isNumber := v.(json.Number)
	switch {
	case v == nil:
		return "null"
	case isNumber && len(f.Enum) > 0:
		return "a number for a listed value"
	case f.Type == "string" && isText && len(f.Enum) > 0 && !slices.Contains(f.Enum, text):
		if slices.ContainsFunc(f.Enum, func(listed string) bool { return strings.EqualFold(listed, text) }) {
			return "a listed value in other letter case"
		}
		return "a value that is not listed"
	case f.Type == "string" && isText:
		return textWords(f, text)
	case kindWords(v) != typeWords(f) && !(isNumber && f.Numbers()):
		return kindWords(v) + " for " + typeWords(f)
	}
	return ""
}

// says is what an answer tells of itself, for a finding that shows it.
func (t *Test) says(ex *wire.Exchange) *oracle.Answer {
	if ex.Response == nil || ex.Err != nil {
		return nil
	}
	// Whole first: a part of a key would not be known for one.
	kind, _, _ := strings.Cut(t.Model.Presentable(ex.Response.Header.Get("Content-Type")), ";")
	a := &oracle.Answer{Status: ex.Response.Status, Type: kind}
	if a.Status >= http.StatusBadRequest || a.Status/100 == 3 {
		a.Says = wording.ClipWords(t.Model.Presentable(t.message(ex.Response)), maxSays)
	}
	return a
}
