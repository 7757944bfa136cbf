package wire

import (
	"html"
	"strconv"
	"strings"
	"unicode/utf8"
)

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
