package traffic

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

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

// textOrNaN matches texts, which are skipped, and what is no number of JSON.
var textOrNaN = regexp.MustCompile(`(?s)"(?:[^"\\]|\\.)*"|NaN|-?Infinity`)

// withoutNaN replaces NaN and Infinity, which are not JSON but are written by Python's encoder, by null.
func withoutNaN(file []byte) []byte {
	return textOrNaN.ReplaceAllFunc(file, func(found []byte) []byte {
		if found[0] == '"' {
			return found
		}
		return []byte("null")
	})
}

// plainEncodings lists what recorders call the encoding of a body that is written as it is.
var plainEncodings = map[string]bool{
	"utf-8": true, "utf8": true, "ascii": true, "us-ascii": true,
	"plain": true, "text": true, "none": true, "identity": true,
	"raw": true, "7bit": true, "8bit": true,
}

// decodeBody returns the bytes of a body. size is its recorded size, 0 if that is unknown. Some recorders name an
// encoding that they do not use, or use one that they do not name; the text itself decides then. It returns false if
// the encoding is unknown.
func decodeBody(text, encoding string, size float64) (body []byte, isKnown bool) {
	decoded, isBase64 := decodeBase64(text)
	isPlain := float64(len(text)) == size && float64(len(decoded)) != size
	isCoded := isBase64 && isDocument(decoded)
	switch encoding = strings.ToLower(strings.TrimSpace(encoding)); encoding {
	case "base64", "base64url":
		switch {
		case isCoded:
			return decoded, true
		case isPlain:
		case isBase64:
			return decoded, true
		case strings.Trim(text, base64Characters) == "": // cut off
			return nil, false
		}
	case "":
		if isCoded && !isPlain {
			return decoded, true
		}
	default:
		return []byte(text), plainEncodings[encoding]
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
	body, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(standardBase64.Replace(text), "="))
	return body, err == nil
}

// standardBase64 changes the alphabet of URLs into the standard one, and removes white space.
var standardBase64 = strings.NewReplacer("-", "+", "_", "/", " ", "", "\t", "", "\r", "", "\n", "")

// base64Characters are both alphabets of base64, its padding, and white space.
const base64Characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_= \t\r\n"
