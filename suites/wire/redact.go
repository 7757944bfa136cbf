package wire

import (
	"cmp"
	"slices"
	"strings"
)

// pattern is one form of a key and what is shown in its place.
type pattern struct {
	text     string
	fold     bool // letters of either case
	variable string
}

// patterns find keys in a text in which any byte may be escaped, some bytes
// differently from others: %41, \u0041, \x41, \/, &#65;, &lt;.
type patterns struct {
	all   []pattern         // the longest first: a key may be the beginning of another
	first [256][]int        // by the byte that they begin with
	pairs [1 << 16 / 8]byte // a bit for each two bytes that some begin with, or escapes do
}

func newPatterns(all []pattern) *patterns {
	slices.SortFunc(all, func(a, b pattern) int {
		exact := 0
		if a.fold != b.fold {
			exact = map[bool]int{false: -1, true: 1}[a.fold]
		}
		return cmp.Or(len(b.text)-len(a.text), exact, strings.Compare(a.text, b.text), strings.Compare(a.variable, b.variable))
	})
	p := &patterns{all: slices.Compact(all)}
	for i, q := range p.all {
		for _, b := range q.cases(0) {
			p.first[b] = append(p.first[b], i)
			for _, next := range q.cases(1) {
				p.allow(b, next)
			}
			for _, next := range []byte(escapeBytes) {
				p.allow(b, next)
			}
		}
	}
	for _, b := range []byte(escapeBytes) {
		for next := range 256 {
			p.allow(b, byte(next))
		}
	}
	return p
}

func (p *patterns) allow(b, next byte) {
	n := int(b)<<8 | int(next)
	p.pairs[n/8] |= 1 << (n % 8)
}

// mayBegin says whether a key may begin with these two bytes. Most do not, which
// is all that most of a text has to be looked at for.
func (p *patterns) mayBegin(b, next byte) bool {
	n := int(b)<<8 | int(next)
	return p.pairs[n/8]&(1<<(n%8)) != 0
}

// replace puts the variables in the place of the keys. With cut, the text is the
// beginning of a longer one, and an end that may be half a key is left out.
func (p *patterns) replace(text string, cut bool) string {
	var out strings.Builder
	in := &reading{text: text}
	kept := 0
	for i := 0; i < len(text); {
		if i+1 < len(text) && !p.mayBegin(text[i], text[i+1]) {
			i++
			continue
		}
		variable, end, half := p.at(in, i)
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

// at finds the longest key that begins at i; half says that the text ends within
// one that may.
func (p *patterns) at(in *reading, i int) (variable string, end int, half bool) {
	best := len(p.all)
	try := func(candidates []int) {
		for _, n := range candidates {
			if n >= best {
				return
			}
			q := &p.all[n]
			to, short := q.match(in, i, 0)
			half = half || short
			if to > i {
				best, variable, end = n, q.variable, to
			}
		}
	}
	try(p.first[in.text[i]])
	for _, u := range in.escapes(i) {
		try(p.first[u.bytes[0]])
	}
	return variable, end, half
}

// match compares the text from i on with the pattern from k on. It gives the end
// of the match, or 0; short says that the text ended before the pattern did.
func (q *pattern) match(in *reading, i, k int) (end int, short bool) {
	text := in.text
	for k < len(q.text) && i < len(text) && !isEscape(text[i]) {
		if !q.same(text[i], k) {
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
	if q.same(text[i], k) {
		if end, short = q.match(in, i+1, k+1); end > 0 {
			return end, false
		}
	}
next:
	for _, u := range in.escapes(i) {
		if k+len(u.bytes) > len(q.text) {
			continue
		}
		for n := range len(u.bytes) {
			if !q.same(u.bytes[n], k+n) {
				continue next
			}
		}
		end, less := q.match(in, i+u.length, k+len(u.bytes))
		if end > 0 {
			return end, false
		}
		short = short || less
	}
	return 0, short || k > 0 && len(text)-i < maxEscape // an escape that the end cuts off may be another, or within one
}

func (q *pattern) same(b byte, k int) bool {
	return b == q.text[k] || q.fold && otherCase(b) == q.text[k]
}

// cases are the bytes that may stand for one of the pattern.
func (q *pattern) cases(k int) []byte {
	b := q.text[k]
	if other := otherCase(b); q.fold && other != b {
		return []byte{b, other}
	}
	return []byte{b}
}

func otherCase(b byte) byte {
	if 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' {
		return b ^ 0x20
	}
	return b
}
