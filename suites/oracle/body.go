package oracle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Bounds on what a body may make of memory: a value of three bytes takes a hundred
// when it is decoded, and a string is kept, compared and shown. Nesting is bounded
// by jsontext, at 10,000.
const (
	maxValues = 400_000
	maxString = 1 << 20 // bytes, as written
)

var errTooMany = fmt.Errorf("more than %d values, too many to judge", maxValues)

// notJSON says where and why a body is not a JSON text.
type notJSON struct {
	pointer, got string
}

// twice are the member names that an object has more than once.
type twice struct {
	pointer string // of the first
	count   int
}

// read decodes the body where the document describes one.
func (j *judging) read() {
	switch {
	case j.Status >= 500:
	case j.success() && j.Status != http.StatusNoContent:
		j.shape = j.known.success
	default:
		j.shape = j.known.errors[j.Status]
	}
	if !hasBody(j) {
		return
	}
	if j.Value, j.twice, j.text = decode(j.Body); j.text == nil {
		j.Valid = true
		if j.success() {
			j.boundPage()
			j.page = ReadList(j.op, j.Value)
		}
	}
}

// judgeText: what is not one JSON text is judged no further, as nobody can say
// how others read it.
func judgeText(j *judging) {
	j.judged("JSON-1")
	if j.text != nil {
		j.find("JSON-1", wfcSchema, j.text.pointer, "one well-formed JSON text in UTF-8", j.text.got)
	}
}

// judgeNames: after a finding judging goes on with the last of the members, as
// most readers take that one.
func judgeNames(j *judging) {
	j.judged("JSON-2")
	if j.twice.count == 0 {
		return
	}
	got := "a member that the object has already"
	if j.twice.count > 1 {
		got += fmt.Sprintf("; so %d times in the body", j.twice.count)
	}
	j.find("JSON-2", 0, j.twice.pointer, "unique member names", got)
}

func noContent(j *judging) bool { return j.Status == http.StatusNoContent && j.op.Success == nil }

func judgeNoContent(j *judging) {
	j.judged("DELETE-2")
	length := j.Header.Get("Content-Length")
	n, err := strconv.ParseUint(length, 10, 63)
	switch {
	case len(j.Body) > 0:
		start := j.Body[:min(len(j.Body), maxSentence)]
		j.find("DELETE-2", 0, "", "a 204 without content", fmt.Sprintf("a body of %d bytes: %s", len(j.Body), quote(string(start))))
	case length != "" && (err != nil || n > 0):
		j.find("DELETE-2", 0, "header:Content-Length", "a 204 that announces no content", "Content-Length: "+length)
	}
}

// RFC 9110, 8.6: a server must not send Content-Length on a 204; common servers
// send 0 all the same.
func judgeNoContentLength(j *judging) {
	j.judged("OPEN-4")
	if length := j.Header.Get("Content-Length"); len(j.Body) == 0 && length == "0" {
		j.find("OPEN-4", 0, "header:Content-Length", "no Content-Length on a 204", "Content-Length: 0")
	}
}

var byteOrderMark = []byte("\ufeff")

// decode reads one JSON text strictly (RFC 8259): UTF-8, no byte order mark,
// nothing after it. Numbers stay as they are written.
func decode(body []byte) (value any, names twice, problem *notJSON) {
	if bytes.HasPrefix(body, byteOrderMark) {
		return nil, twice{}, &notJSON{"", "a byte order mark at byte 0"}
	}
	d := decoder{Decoder: jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true))}
	value, err := d.value()
	if err == nil {
		end := d.InputOffset()
		if _, err = d.ReadToken(); errors.Is(err, io.EOF) {
			return value, d.twice, nil
		}
		return nil, twice{}, &notJSON{"", fmt.Sprintf("more after the end of the text at byte %d%s", end, rest(body, end))}
	}
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.EOF):
		return nil, twice{}, &notJSON{"", "nothing but white space"}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, twice{}, &notJSON{string(d.StackPointer()), fmt.Sprintf("an unfinished text that ends at byte %d", len(body))}
	case errors.As(err, &syntax):
		return nil, twice{}, &notJSON{string(syntax.JSONPointer), fmt.Sprintf("%v at byte %d", syntax.Err, syntax.ByteOffset)}
	}
	return nil, twice{}, &notJSON{string(d.StackPointer()), fmt.Sprintf("%v, at byte %d", err, d.InputOffset())}
}

// rest quotes what follows a text. After a number or a literal it may be a piece
// of a longer word, such as a key, that nobody can tell any more: it is left out.
func rest(body []byte, end int64) string {
	if !bytes.ContainsAny(body[end-1:end], `}]"`) {
		return ""
	}
	return ": " + quote(string(body[end:min(end+maxSentence, int64(len(body)))]))
}

type decoder struct {
	*jsontext.Decoder
	values int
	twice  twice
}

func (d *decoder) value() (any, error) {
	if d.values++; d.values > maxValues {
		return nil, errTooMany
	}
	token, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case '{':
		return d.object()
	case '[':
		return d.array()
	case '"':
		return token.String(), nil
	case '0':
		return json.Number(token.String()), nil
	case 't':
		return true, nil
	case 'f':
		return false, nil
	}
	return nil, nil // null
}

func (d *decoder) object() (any, error) {
	members := map[string]any{}
	for d.PeekKind() != '}' {
		token, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		name := token.String()
		if _, ok := members[name]; ok {
			if d.twice.count++; d.twice.count == 1 { // a pointer costs as much as the nesting is deep
				d.twice.pointer = string(d.StackPointer())
			}
		}
		if members[name], err = d.value(); err != nil {
			return nil, err
		}
	}
	_, err := d.ReadToken()
	return members, err
}

func (d *decoder) array() (any, error) {
	items := []any{}
	for d.PeekKind() != ']' {
		item, err := d.value()
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	_, err := d.ReadToken()
	return items, err
}

// freely is the size of a body that cannot hold too much of anything.
const freely = 64 << 10

// tooDeep is beyond what jsontext reads: the decoder ends there, and says so.
const tooDeep = 10_001

// TooMuch says what a body holds too much of to be judged, "" when it does not.
// It looks at the punctuation only, so that it costs nothing; what is no JSON is
// measured as if it were.
func TooMuch(body []byte) string {
	if len(body) <= freely {
		return ""
	}
	values, depth := 1, 0
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		if depth > tooDeep {
			return ""
		}
		switch body[i] {
		case ',', '[', '{':
			if values++; values > maxValues {
				return fmt.Sprintf("the body of %d bytes holds more than %d values, too many to judge", len(body), maxValues)
			}
		case '"':
			end := stringEnd(body[i+1:])
			if end > maxString {
				return fmt.Sprintf("the body of %d bytes holds a string of %d bytes, too long to judge: at most %d", len(body), end, maxString)
			}
			i += end + 1
		}
	}
	return ""
}

// stringEnd is the length of a string up to its closing quote, or to the end.
func stringEnd(text []byte) int {
	for i := 0; i < len(text); i++ {
		next := bytes.IndexAny(text[i:], `"\\`)
		if next < 0 {
			break
		}
		if i += next; text[i] == '"' {
			return i
		}
		i++ // what is escaped
	}
	return len(text)
}
