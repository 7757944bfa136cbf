package oracle

import (
	"bytes"
	"fmt"
)

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
