package traffic

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	encoding "golang.org/x/text/encoding/unicode"
)

// A record is an object in an archive, whose values may have any type: recorders get types wrong, and an odd value
// must not make the rest unreadable.
type record map[string]any

// get returns a value, nil if there is none. Some recorders write names in other letter case.
func (r record) get(name string) any {
	if v, ok := r[name]; ok {
		return v
	}
	for other, v := range r {
		if strings.EqualFold(name, other) {
			return v
		}
	}
	return nil
}

// record returns an object, or an empty one.
func (r record) record(name string) record {
	object, _ := r.get(name).(map[string]any)
	return object
}

// text returns a text, a number or a boolean as a text. For anything else it returns "".
func (r record) text(name string) string {
	text, _ := textOf(r.get(name))
	return text
}

func textOf(v any) (text string, isKnown bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		return strconv.FormatBool(v), true
	}
	return "", false
}

// number returns a number, also one that is written as a text: "12", "200 OK".
func (r record) number(name string) (n float64, isKnown bool) {
	text, _, _ := strings.Cut(strings.TrimSpace(r.text(name)), " ")
	n, err := strconv.ParseFloat(text, 64)
	isFinite := math.Abs(n) <= math.MaxFloat64 // false for NaN, too
	if err != nil || !isFinite {
		return 0, false
	}
	return n, true
}

// has reports whether a value says yes: it is not absent, null, false, 0 or empty. An object does: an error of
// JavaScript is written as {}.
func (r record) has(name string) bool {
	switch v := r.get(name).(type) {
	case nil:
		return false
	case map[string]any, []any:
		return true
	default:
		text, _ := textOf(v)
		return !slices.Contains([]string{"", "false", "0"}, text)
	}
}

// lines returns the lines of the value of a header. Chromium joins values that came in several lines; a value of an
// odd type stands for an unknown one.
func lines(value any) (all []string) {
	if list, isList := value.([]any); isList {
		for _, v := range list {
			all = append(all, lines(v)...)
		}
		return all
	}
	text, isKnown := textOf(value)
	if !isKnown {
		raw, _ := json.Marshal(value)
		text = string(raw)
	}
	for line := range strings.SplitSeq(text, "\n") {
		all = append(all, strings.TrimSpace(line))
	}
	return all
}

// inUTF8 returns the text of a file. Some recorders write a byte order mark, some UTF-16 with or without one.
func inUTF8(file []byte) ([]byte, error) {
	order := encoding.LittleEndian
	has := func(mark string) bool { return bytes.HasPrefix(file, []byte(mark)) }
	switch {
	case len(file) < 2:
		return file, nil
	case has("\xFE\xFF"), has("\x00"): // the first character of JSON is of ASCII
		order = encoding.BigEndian
	case has("\xFF\xFE"), file[1] == 0:
	default:
		return bytes.TrimPrefix(file, []byte("\uFEFF")), nil
	}
	return encoding.UTF16(order, encoding.UseBOM).NewDecoder().Bytes(file)
}

// withoutNaN replaces NaN and Infinity, which are not JSON but are written by Python's encoder, by null.
func withoutNaN(text []byte) []byte {
	var out []byte
	for inString := false; len(text) > 0; {
		n := 1
		switch {
		case text[0] == '"':
			inString = !inString
		case inString && text[0] == '\\':
			n = min(2, len(text))
		case !inString:
			if word := nonNumber(text); word > 0 {
				out = append(out, "null"...)
				text = text[word:]
				continue
			}
		}
		out = append(out, text[:n]...)
		text = text[n:]
	}
	return out
}

// nonNumber returns the length of a NaN or Infinity at the beginning of a text, or 0.
func nonNumber(text []byte) int {
	for _, word := range []string{"NaN", "Infinity", "-Infinity"} {
		if bytes.HasPrefix(text, []byte(word)) {
			return len(word)
		}
	}
	return 0
}

// plainEncodings lists what recorders call the encoding of a body that is written as it is.
var plainEncodings = map[string]bool{
	"": true, "utf-8": true, "utf8": true, "ascii": true, "us-ascii": true,
	"plain": true, "text": true, "none": true, "identity": true,
	"raw": true, "7bit": true, "8bit": true,
}

// decodeBody returns the bytes of a body. size is its recorded size, 0 if that is unknown. Some recorders name an
// encoding that they do not use, or use one that they do not name; the text itself decides then. It returns false if
// the encoding is unknown.
func decodeBody(text, encoding string, size float64) (body []byte, isKnown bool) {
	decoded, isBase64 := decodeBase64(text)
	isPlain := float64(len(text)) == size && float64(len(decoded)) != size
	encoding = strings.ToLower(strings.TrimSpace(encoding))
	switch {
	case encoding == "base64", encoding == "base64url":
		if isBase64 && (isDocument(decoded) || !isPlain) {
			return decoded, true
		}
		if !isPlain && hasOnlyBase64(text) { // cut off
			return nil, false
		}
	case !plainEncodings[encoding]:
		return nil, false
	case encoding == "" && !isPlain:
		if isBase64 && isDocument(decoded) {
			return decoded, true
		}
	}
	return []byte(text), true
}

// isDocument reports whether a body is an object or an array of JSON.
func isDocument(body []byte) bool {
	start := bytes.TrimLeft(body, " \t\r\n")
	return bytes.IndexAny(start, "{[") == 0 && json.Valid(body)
}

// decodeBase64 decodes base64 in either alphabet, with or without padding and line breaks, also in a data URL.
func decodeBase64(text string) (body []byte, ok bool) {
	head, data, isCoded := strings.Cut(text, ";base64,")
	if isCoded && strings.HasPrefix(head, "data:") {
		text = data
	}
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return -1
		case r == '-':
			return '+'
		case r == '_':
			return '/'
		}
		return r
	}, text)
	body, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
	return body, err == nil
}

// base64Characters are both alphabets of base64, its padding, and white space.
const base64Characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_= \t\r\n"

func hasOnlyBase64(text string) bool { return strings.Trim(text, base64Characters) == "" }
