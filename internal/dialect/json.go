package dialect

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// lenient reads JSON that a server may refuse.
var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// requestBody returns the body of a request in the published forms.
func (m *message) requestBody(data []byte) []byte {
	return m.rewritten(data, func(at jsontext.Pointer, v jsontext.Value) jsontext.Value {
		name := m.names.of(at.LastToken())
		return m.value(m.kindAt(at.Parent(), name), name,
			v, m.idInRequest)
	})
}

// answer returns the body of an answer in the dialect, or as it is if it is not JSON.
func (m *message) answer(status int, data []byte) []byte {
	if !jsontext.Value(data).IsValid(lenient...) {
		return data
	}
	data = m.rewritten(data, func(at jsontext.Pointer, v jsontext.Value) jsontext.Value {
		name := at.LastToken()
		return m.value(m.kindAt(at.Parent(), name), name,
			v, m.idInAnswer)
	})
	if isSuccess := status/100 == 2; isSuccess && m.Bare {
		return m.unwrapped(data)
	}
	return data
}

// representation matches the place of the object that the path of a request names, or of an item of a list.
var representation = regexp.MustCompile(`^(/data(/[0-9]+)?)?$`)

// kindAt returns the kind of the object whose id a member holds, "" if it holds none.
func (m *message) kindAt(parent jsontext.Pointer, name string) string {
	if name == "id" && representation.MatchString(string(parent)) {
		return m.kind
	}
	return m.kinds[name]
}

// segmentOfField matches the names in a relatedField, which may be a path.
var segmentOfField = regexp.MustCompile(`[^/.]+`)

// value translates a value, or returns it as it is.
func (m *message) value(
	kind, name string, v jsontext.Value, id func(kind string, v jsontext.Value) jsontext.Value,
) jsontext.Value {
	if m.IDs[kind] != "" {
		return id(kind, v)
	}
	text, err := jsontext.AppendUnquote(nil, v)
	if isText := v.Kind() == jsontext.KindString; !isText || err != nil {
		return v
	}
	translated := m.words.of(string(text))
	if name == "relatedField" {
		translated = segmentOfField.ReplaceAllStringFunc(string(text), m.names.of)
	}
	if translated == string(text) {
		return v
	}
	return quoted(translated)
}

func quoted(text string) jsontext.Value {
	v, _ := jsontext.AppendQuote(nil, text)
	return v
}

// rewritten returns JSON with translated names and with the values that value returns for scalars. All other bytes
// stay, and so does everything behind the first error of syntax.
func (m *message) rewritten(data []byte, value func(at jsontext.Pointer, v jsontext.Value) jsontext.Value) []byte {
	d := jsontext.NewDecoder(bytes.NewReader(data), lenient...)
	out := make([]byte, 0, len(data))
	copied := 0
	for {
		if kind := d.PeekKind(); slices.Contains([]jsontext.Kind{'{', '}', '[', ']'}, kind) {
			if _, err := d.ReadToken(); err != nil {
				break
			}
			continue
		}
		old, err := d.ReadValue()
		if err != nil {
			break
		}
		end := int(d.InputOffset())
		out = append(out, data[copied:end-len(old)]...)
		if isName(d) {
			out = append(out, m.name(old)...)
		} else {
			out = append(out, value(d.StackPointer(), old)...)
		}
		copied = end
	}
	return append(out, data[copied:]...)
}

// isName reports whether the string that was read last is the name of a member.
func isName(d *jsontext.Decoder) bool {
	kind, length := d.StackIndex(d.StackDepth()) // of names and values
	return kind == jsontext.KindBeginObject && length%2 == 1
}

// name translates the name of a member. One that does not differ keeps its escapes.
func (m *message) name(old jsontext.Value) jsontext.Value {
	text, err := jsontext.AppendUnquote(nil, old)
	if _, differs := m.names[string(text)]; !differs || err != nil {
		return old
	}
	return quoted(m.names.of(string(text)))
}

// unwrapped returns the value of data in an envelope. Lists keep theirs.
func (m *message) unwrapped(envelope []byte) []byte {
	d := jsontext.NewDecoder(bytes.NewReader(envelope), lenient...)
	if token, err := d.ReadToken(); err != nil || token.Kind() != jsontext.KindBeginObject {
		return envelope
	}
	data := envelope
	for d.PeekKind() == jsontext.KindString {
		name, _ := d.ReadToken() // the envelope is valid
		text := m.names.of(name.String())
		value, _ := d.ReadValue()
		switch text {
		case "meta":
			return envelope
		case "data":
			data = bytes.Clone(value)
		}
	}
	return data
}

// idInAnswer turns the number of an object into the text of its id, and a text into a number, which is as wrong there
// as the text is in the published form.
func (m *message) idInAnswer(kind string, v jsontext.Value) jsontext.Value {
	text, isText := unquoted(v)
	id, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		return v
	case isText:
		return jsontext.Value(strconv.FormatInt(id, 10))
	}
	return quoted(m.text(kind, id))
}

// idInRequest is the reverse of idInAnswer.
func (m *message) idInRequest(kind string, v jsontext.Value) jsontext.Value {
	text, isText := unquoted(v)
	if id, isID := m.number(kind, text); isText && isID {
		return jsontext.Value(strconv.FormatInt(id, 10))
	}
	if _, err := strconv.ParseInt(text, 10, 64); !isText && err == nil {
		return quoted(text)
	}
	return v
}

// unquoted returns the text of a string, or any other value as it is written.
func unquoted(v jsontext.Value) (text string, isText bool) {
	if v.Kind() != jsontext.KindString {
		return string(v), false
	}
	plain, _ := jsontext.AppendUnquote(nil, v)
	return string(plain), true
}
