package wire

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"html"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// shortest is the length in bytes from which a value counts as a key. Taking out
// shorter ones would take apart words that have nothing to do with it.
const shortest = 4

// maxPassing bounds the keys of others that are known at a time: traffic has no end,
// and some clients have a token for each request. What is shown of an exchange is
// made with the keys of the last ones.
const maxPassing = 100

// Keys are the keys that may not be shown. They are safe for concurrent use.
type Keys struct {
	mu       sync.RWMutex
	known    map[string]known // by value
	passing  []string         // the oldest first
	patterns patterns
}

type known struct {
	variable string
	given    bool // by the operator, who has the variable
}

// newKeys returns an empty set of keys.
func newKeys() *Keys { return &Keys{known: map[string]known{}} }

// Variable is the shell variable that stands for a key: "owner" gives
// ADCONFORM_OWNER_KEY.
func Variable(name string) string {
	name = strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToUpper(name))
	return "ADCONFORM_" + name + "_KEY"
}

// give adds a key of the operator, who has it in the variable of that name.
func (k *Keys) give(name, value string) { k.add(value, known{Variable(name), true}, false) }

// derive adds a key that a case made from another.
func (k *Keys) derive(name, value string) { k.add(value, known{Variable(name), false}, false) }

// pass adds a key of somebody else. Only the last ones are known.
func (k *Keys) pass(name, value string) { k.add(value, known{Variable(name), false}, true) }

func (k *Keys) add(value string, as known, passing bool) {
	if len(value) < shortest || k.knows(value) {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.known[value] = as
	if passing {
		if k.passing = append(k.passing, value); len(k.passing) > maxPassing {
			delete(k.known, k.passing[0])
			k.passing = k.passing[1:]
		}
	}
	var all []pattern
	for value, as := range k.known {
		for _, text := range forms(value) {
			all = append(all, pattern{lowered(text), as.variable})
		}
	}
	k.patterns = newPatterns(all)
}

func (k *Keys) knows(value string) bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	_, there := k.known[value]
	return there
}

const elision = "…"

// Text puts variables in the place of keys, also in other letter case, in base64 and
// hex, and where some or all bytes are escaped for a URL, JSON or HTML. It takes the
// text for one of ours: what was left out of it at an elision may be the other half
// of a key.
func (k *Keys) Text(text string) string {
	k.mu.RLock()
	defer k.mu.RUnlock()
	parts := strings.Split(text, elision)
	for i, part := range parts {
		if i < len(parts)-1 {
			core := strings.TrimRight(part, " ")
			part = k.patterns.replace(core, true) + part[len(core):]
		} else {
			part = k.patterns.replace(part, false)
		}
		if i > 0 {
			part = k.patterns.replaceStart(part)
		}
		parts[i] = part
	}
	return strings.Join(parts, elision)
}

// Body is Text for what is not ours: an elision in it is one like others. With cut, it
// is the beginning of a longer text, and an end that may be half a key is left out.
func (k *Keys) Body(text string, cut bool) string {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.patterns.replace(text, cut)
}

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
		for from := 1; from+shortest <= len(q.text); from++ {
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
			if text := withinBase64(e, b, before); len(text) >= 2*shortest {
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

// escape is what an escape of some length in the text stands for.
type escape struct {
	bytes  string
	length int
}

const (
	maxEscape = 16 // bytes of the longest escape that is looked for, as plain as it gets
	maxLayers = 3  // escapes within one another: \u0026#34; is &#34; is a quotation mark
)

func isEscape(b byte) bool { return b == '%' || b == '\\' || b == '&' }

// escapes are what a text may begin with, read as an escape; none where none begins.
func escapes(text string) []escape {
	if !isEscape(text[0]) {
		return nil
	}
	return layered(text, maxLayers)
}

// layered reads escapes, and those that they are part of once they are read.
func layered(text string, layers int) []escape {
	found := single(text)
	if layers == 1 {
		return found
	}
	for _, u := range found[:len(found):len(found)] {
		if len(u.bytes) != 1 || !isEscape(u.bytes[0]) || strings.Trim(text[:u.length], `\`) == "" {
			continue // backslashes that were escaped often are read at once
		}
		inner, ends := unescaped(text, u)
		for _, v := range layered(inner, layers-1) {
			found = append(found, escape{v.bytes, ends[v.length-1]})
		}
	}
	return found
}

// unescaped is the beginning of a text with all its escapes read that are of the
// kind of the first, u, and for each of its bytes where that ends in the text.
func unescaped(text string, u escape) (plain string, ends []int) {
	var b []byte
	for i := 0; i < len(text) && len(b) < maxEscape; {
		next := escape{text[i : i+1], 1}
		if i == 0 {
			next = u
		} else if text[i] == text[0] {
			if all := single(text[i:]); len(all) > 0 {
				next = all[0]
			}
		}
		i += next.length
		for n := range len(next.bytes) {
			b = append(b, next.bytes[n])
			ends = append(ends, i)
		}
	}
	return string(b), ends
}

// single reads one layer of escapes.
func single(text string) []escape {
	rest := text[:min(len(text), maxEscape)]
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
