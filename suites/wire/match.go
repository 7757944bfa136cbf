package wire

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
)

// pattern is one form of a key, in lower case, and what is shown in its place.
type pattern struct{ text, variable string }

// patterns find keys in a text in which letters may be of either case and any byte
// may be escaped, some bytes differently from others: %41, \u0041, \x41, \/, &#65;,
// &lt;.
type patterns struct {
	all   []pattern  // the longest first: a key may be the beginning of another
	first [256][]int // by the byte that they begin with
}

func newPatterns(all []pattern) patterns {
	slices.SortFunc(all, func(a, b pattern) int {
		return cmp.Or(len(b.text)-len(a.text), strings.Compare(a.text, b.text), strings.Compare(a.variable, b.variable))
	})
	p := patterns{all: slices.Compact(all)}
	for i, q := range p.all {
		p.first[q.text[0]] = append(p.first[q.text[0]], i)
	}
	return p
}

// replace puts the variables in the place of the keys. With cut, the text is the
// beginning of a longer one, and an end that may be half a key is left out.
func (p *patterns) replace(text string, cut bool) string {
	var out strings.Builder
	kept := 0
	for i := 0; i < len(text); {
		variable, end, half := p.at(text, i)
		switch {
		case end > i:
			out.WriteString(text[kept:i] + "$" + variable)
			i, kept = end, end
		case half && cut:
			return out.String() + text[kept:i]
		default:
			i++
		}
	}
	if kept == 0 {
		return text
	}
	out.WriteString(text[kept:])
	return out.String()
}

// replaceStart takes the end of a key, of at least Shortest bytes, from the beginning
// of a text, which may itself begin within an escape.
func (p *patterns) replaceStart(text string) string {
	for _, q := range p.all {
		for from := 1; from+Shortest <= len(q.text); from++ {
			for at := range min(len(text), maxEscape) {
				if end, _ := q.match(text, at, from); end > at {
					return " $" + q.variable + text[end:]
				}
			}
		}
	}
	return text
}

// at finds the longest key that begins at i; half says that the text ends within
// one that may.
func (p *patterns) at(text string, i int) (variable string, end int, half bool) {
	best := len(p.all)
	try := func(first byte) {
		for _, n := range p.first[lower(first)] {
			if n >= best {
				return
			}
			to, short := p.all[n].match(text, i, 0)
			half = half || short
			if to > i {
				best, variable, end = n, p.all[n].variable, to
			}
		}
	}
	try(text[i])
	for _, u := range escapes(text[i:]) {
		try(u.bytes[0])
	}
	return variable, end, half
}

// match compares the text from i on with the pattern from k on. It gives the end
// of the match, or 0; short says that the text ended before the pattern did.
func (q *pattern) match(text string, i, k int) (end int, short bool) {
	for k < len(q.text) && i < len(text) && !isEscape(text[i]) {
		if lower(text[i]) != q.text[k] {
			return 0, false
		}
		i, k = i+1, k+1
	}
	switch {
	case k == len(q.text):
		return i, false
	case i == len(text):
		return 0, true
	}
	readings := append(escapes(text[i:]), escape{text[i : i+1], 1}) // it may stand for itself
	for _, u := range readings {
		if k+len(u.bytes) > len(q.text) || lowered(u.bytes) != q.text[k:k+len(u.bytes)] {
			continue
		}
		end, less := q.match(text, i+u.length, k+len(u.bytes))
		if end > 0 {
			return end, false
		}
		short = short || less
	}
	return 0, short || k > 0 && len(text)-i < maxEscape // an escape that the end cuts off may be another, or within one
}

func lower(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}

func lowered(text string) string {
	b := []byte(text)
	for i := range b {
		b[i] = lower(b[i])
	}
	return string(b)
}

// forms are the ways in which a value may come back, beside the case of ASCII letters
// and escapes of single bytes, which patterns know.
func forms(value string) []string {
	b := []byte(value)
	all := []string{value, strings.ToUpper(value), strings.ToLower(value), hex.EncodeToString(b)}
	for _, e := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		all = append(all, e.EncodeToString(b), e.WithPadding(base64.NoPadding).EncodeToString(b))
		for before := range 3 {
			if text := withinBase64(e, b, before); len(text) >= 2*Shortest {
				all = append(all, text)
			}
		}
	}
	return all
}

// withinBase64 is what stays of b in the encoding of a longer text, such as
// "user:key" in Basic authentication, with (before mod 3) bytes in front of it.
func withinBase64(e *base64.Encoding, b []byte, before int) string {
	text := e.WithPadding(base64.NoPadding).EncodeToString(append(make([]byte, before), b...))
	text = text[[...]int{0, 2, 3}[before]:]
	if (before+len(b))%3 != 0 {
		text = text[:len(text)-1]
	}
	return text
}
