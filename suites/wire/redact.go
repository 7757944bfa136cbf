package wire

import (
	"cmp"
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
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
	all   []pattern  // the longest first: a key may be the beginning of another
	first [256][]int // by the byte that they begin with
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
		b := q.text[0]
		p.first[b] = append(p.first[b], i)
		if other := otherCase(b); q.fold && other != b {
			p.first[other] = append(p.first[other], i)
		}
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

// at finds the longest key that begins at i; half says that the text ends within
// one that may.
func (p *patterns) at(text string, i int) (variable string, end int, half bool) {
	best := len(p.all)
	try := func(candidates []int) {
		for _, n := range candidates {
			if n >= best {
				return
			}
			q := &p.all[n]
			to, short := q.match(text, i, 0)
			half = half || short
			if to > i {
				best, variable, end = n, q.variable, to
			}
		}
	}
	try(p.first[text[i]])
	if isEscape(text[i]) {
		for _, u := range escapes(text, i) {
			try(p.first[u.bytes[0]])
		}
	}
	return variable, end, half
}

// match compares the text from i on with the pattern from k on. It gives the end
// of the match, or 0; short says that the text ended before the pattern did.
func (q *pattern) match(text string, i, k int) (end int, short bool) {
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
		if end, short = q.match(text, i+1, k+1); end > 0 {
			return end, false
		}
	}
next:
	for _, u := range escapes(text, i) {
		if k+len(u.bytes) > len(q.text) {
			continue
		}
		for n := range len(u.bytes) {
			if !q.same(u.bytes[n], k+n) {
				continue next
			}
		}
		end, less := q.match(text, i+u.length, k+len(u.bytes))
		if end > 0 {
			return end, false
		}
		short = short || less
	}
	return 0, short || k > 0 && len(text)-i < maxEscape && escapes(text, i) == nil
}

func (q *pattern) same(b byte, k int) bool {
	return b == q.text[k] || q.fold && otherCase(b) == q.text[k]
}

func otherCase(b byte) byte {
	if 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' {
		return b ^ 0x20
	}
	return b
}

// escape is what an escape of some length in the text stands for.
type escape struct {
	bytes  string
	length int
}

const maxEscape = 16 // bytes of the longest escape that is looked for

func isEscape(b byte) bool { return b == '%' || b == '\\' || b == '&' }

// escapes reads what the text may stand for at i, where an escape begins.
func escapes(text string, i int) []escape {
	rest := text[i:min(len(text), i+maxEscape)]
	switch rest[0] {
	case '%':
		if b, ok := hexNumber(rest, 1, 2); ok {
			return []escape{{string([]byte{byte(b)}), 3}}
		}
	case '&':
		if semicolon := strings.IndexByte(rest, ';'); semicolon > 0 {
			if plain := html.UnescapeString(rest[:semicolon+1]); plain != rest[:semicolon+1] {
				return []escape{{plain, semicolon + 1}}
			}
		}
	case '\\':
		return backslashEscapes(rest)
	}
	return nil
}

// backslashEscapes reads escapes of JSON and of program text, also those that
// were escaped once more.
func backslashEscapes(rest string) (found []escape) {
	n := len(rest) - len(strings.TrimLeft(rest, `\`))
	for length := 2; length <= n; length *= 2 { // escaped once, twice, …
		found = append(found, escape{`\`, length})
	}
	if n == len(rest) {
		return found
	}
	switch rest[n] {
	case 'u':
		if r, ok := hexNumber(rest, n+1, 4); ok {
			found = append(found, escape{string(utf8.AppendRune(nil, rune(r))), n + 5})
		}
	case 'x':
		if b, ok := hexNumber(rest, n+1, 2); ok {
			found = append(found, escape{string([]byte{byte(b)}), n + 3})
		}
	case '/', '"', '\'':
		found = append(found, escape{rest[n : n+1], n + 1})
	}
	return found
}

func hexNumber(text string, at, digits int) (uint64, bool) {
	if len(text) < at+digits {
		return 0, false
	}
	n, err := strconv.ParseUint(text[at:at+digits], 16, 32)
	return n, err == nil
}
