package recording

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// number is one that some recorders write as a text; not known where it is missing.
type number struct {
	float64
	known bool
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *number) UnmarshalJSON(b []byte) error {
	v, err := strconv.ParseFloat(strings.Trim(string(b), `" `), 64)
	*n = number{v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)}
	return nil
}

// text is one that some recorders write as a number.
type text string

// UnmarshalJSON implements json.Unmarshaler.
func (t *text) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) != nil && string(b) != "null" {
		s = string(b)
	}
	*t = text(s)
	return nil
}
