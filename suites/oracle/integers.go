package oracle

import (
	"encoding/json"
	"strconv"
	"strings"
)

// kin-openapi compares numbers as floats of 64 bits: it takes 2^63 for an int64
// and 9007199254740992.5 for an integer. So integers are read here from the
// digits as they were written.

// written says how a number stands in the text.
type written int

const (
	other      written = iota // not an integer, or one beyond 64 bits
	roundabout                // an integer with fraction or exponent, such as 1.0 or 1e3
	plain
)

func judgeIntegerValue(j *judging) {
	j.shape.walk(j.Value, nil, func(n *shape, v any, at *path) {
		number, ok := v.(json.Number)
		if !n.integer || !ok {
			return // the schema says so
		}
		if _, how := integer(number); how == other {
			j.mismatch(n.clause, at.String(), expected(n.schema), show(v))
		}
	})
}

func judgeIntegerForm(j *judging) {
	j.shape.walk(j.Value, nil, func(n *shape, v any, at *path) {
		number, ok := v.(json.Number)
		if !n.integer || !ok {
			return
		}
		j.judged("OPEN-5")
		if _, how := integer(number); how == roundabout {
			j.find("OPEN-5", 0, at.String(), "an integer without fraction and exponent", show(v))
		}
	})
}

// integer is the value of a JSON number that is an integer of 64 bits. It takes
// the digits as text: 1e999999999 must cost nothing.
func integer(number json.Number) (int64, written) {
	if i, err := strconv.ParseInt(string(number), 10, 64); err == nil {
		return i, plain
	}
	digits, exponent := string(number), 0
	negative := strings.HasPrefix(digits, "-")
	digits = strings.TrimPrefix(digits, "-")
	if at := strings.IndexAny(digits, "eE"); at >= 0 {
		var err error
		if exponent, err = strconv.Atoi(digits[at+1:]); err != nil || exponent > maxExponent || exponent < -maxExponent {
			exponent = maxExponent // of either sign: no integer of 64 bits, unless it is 0
		}
		digits = digits[:at]
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	point := len(whole) + exponent // how many of the digits stand before the point
	digits = strings.TrimRight(whole+fraction, "0")
	significant := strings.TrimLeft(digits, "0")
	point -= len(digits) - len(significant)
	if significant == "" {
		return 0, roundabout
	}
	if point < len(significant) || point > len("9223372036854775807") {
		return 0, other
	}
	text := significant + strings.Repeat("0", point-len(significant))
	if negative {
		text = "-" + text
	}
	i, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, other
	}
	return i, roundabout
}

// maxExponent is beyond any number of digits that a body can have.
const maxExponent = 1 << 30
