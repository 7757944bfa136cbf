package spec

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// ID is the id of an object, as the target file has it, before it is escaped in a path. An integer is its decimal
// text; "" is no id.
type ID string

// Decimal returns the id that is an integer.
func Decimal(n int64) ID { return ID(strconv.FormatInt(n, 10)) }

// Integer returns the integer that the id is, and whether it is one of 64 bits in plain digits.
func (id ID) Integer() (n int64, ok bool) {
	n, err := strconv.ParseInt(string(id), 10, 64)
	return n, err == nil && Decimal(n) == id
}

// UUIDPattern matches a UUID (RFC 9562, 4) in letters of either case.
const UUIDPattern = `^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`

var uuid = regexp.MustCompile(UUIDPattern)

// IsUUID reports whether the id has the form of a UUID.
func (id ID) IsUUID() bool { return uuid.MatchString(string(id)) }

// Is reports whether an id that an answer shows is this one: a UUID may have letters of either case.
func (id ID) Is(shown ID) bool {
	if id.IsUUID() {
		return strings.EqualFold(string(id), string(shown))
	}
	return id == shown
}

// Compare orders integers by value, before texts.
func (id ID) Compare(other ID) int {
	a, isInteger := id.Integer()
	b, otherIs := other.Integer()
	switch {
	case isInteger && otherIs:
		return cmp.Compare(a, b)
	case isInteger:
		return -1
	case otherIs:
		return 1
	}
	return cmp.Compare(id, other)
}

// written returns the id as JSON and YAML have it: an integer or a text.
func (id ID) written() any {
	if n, ok := id.Integer(); ok {
		return n
	}
	return string(id)
}

// MarshalJSON writes an integer as a number.
func (id ID) MarshalJSON() ([]byte, error) {
	return json.Marshal(id.written())
}

// MarshalYAML writes an integer as a number.
func (id ID) MarshalYAML() (any, error) { return id.written(), nil }

// UnmarshalJSON reads a number or a text.
func (id *ID) UnmarshalJSON(data []byte) error {
	var number json.Number
	var text string
	switch {
	case json.Unmarshal(data, &text) == nil:
		*id = ID(text)
	case json.Unmarshal(data, &number) == nil:
		*id = ID(number)
	default:
		return fmt.Errorf("want an id, an integer or a text, instead of %s", data)
	}
	return nil
}
