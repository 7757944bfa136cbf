package fuzz

import (
	"fmt"
	"strings"

	"github.com/adconform/adconform/spec"
)

// after puts texts behind an id, which a lax reader then takes for the id alone.
func after(id, words string, texts ...string) *class {
	return &class{id: id, words: words, formless: true, texts: texts, change: func(d *draft, text string, n int) {
		d.segments[d.id(n)] += text
	}}
}

// before puts texts in front of an id.
func before(id, words string, texts ...string) *class {
	return &class{id: id, words: words, formless: true, texts: texts, change: func(d *draft, text string, n int) {
		d.segments[d.id(n)] = text + d.segments[d.id(n)]
	}}
}

// instead puts texts in the place of an id: none that a lax reader takes for the id of something
// else, as it would 2024-02-30 for 2024.
func instead(id, words string, texts ...string) *class {
	return &class{id: id, words: words, formless: true, apart: true, texts: texts, change: func(d *draft, text string, n int) {
		d.segments[d.id(n)] = text
	}}
}

// spelled writes the id in another way, which names the same object or none.
func spelled(id, words string, write func(id, text string) string, texts ...string) *class {
	return &class{id: id, words: words, formless: true, texts: texts, change: func(d *draft, text string, n int) {
		d.segments[d.id(n)] = write(d.segments[d.id(n)], text)
	}}
}

// inserted puts segments in front of the last, or of the first.
func inserted(id, words string, texts ...string) *class {
	return &class{id: id, words: words, formless: true, texts: texts, change: func(d *draft, text string, n int) {
		at := 0
		if n%2 == 0 {
			at = d.id(0)
		}
		d.segments[at] = text + d.segments[at]
	}}
}

// percent writes bytes as percent-encoding.
func percent(b []byte) string {
	var text strings.Builder
	for _, c := range b {
		fmt.Fprintf(&text, "%%%02x", c)
	}
	return text.String()
}

// digits writes an id with the digits that begin at a code point.
func digits(zero rune) func(id, _ string) string {
	return func(id, _ string) string {
		var text strings.Builder
		for _, r := range id {
			text.WriteString(percent([]byte(string(zero + r - '0'))))
		}
		return text.String()
	}
}

var pathClasses = []*class{
	{
		id: "path/trailing-slash", words: "a slash at the end of the path", formless: true,
		texts:  []string{"/", "//", "/.", "/?", "%2f", "/./"},
		change: func(d *draft, text string, _ int) { d.suffix += text },
	},
	inserted("path/empty-segment", "an empty segment in the path", "/", "//"),
	inserted("path/dot-segment", "dot segments in the path", "./", "x/../", "x/y/../../", "././"),
	inserted("path/encoded-dots", "encoded dot segments in the path", "x/%2e%2e/", "%2e/", "x/.%2E/", "x/%252e%252e/"),
	inserted("path/backslash", "a backslash in the path", `.\`, "%5c", `x\..\`),
	{
		id: "path/encoded-slash", words: "an encoded slash in the path", formless: true, texts: []string{"%2f", "%2F", "%252f"},
		change: func(d *draft, text string, _ int) {
			at := d.id(0)
			if at > 0 {
				d.segments[at-1] += text + d.segments[at]
				d.segments = append(d.segments[:at], d.segments[at+1:]...)
				d.ids = nil
			}
		},
	},
	inserted("path/overlong", "overlong UTF-8 in the path", "%c0%ae/", "%e0%80%af", "%c0%af", "%c1%9c"),
	spelled("path/encoded-digits", "an id in percent-encoding", func(id, _ string) string { return percent([]byte(id)) }),
	spelled("path/twice-encoded", "an id that is encoded twice", func(id, _ string) string {
		return strings.ReplaceAll(percent([]byte(id)), "%", "%25")
	}),
	{
		id: "path/encoded-letters", words: "letters of the path in percent-encoding", formless: true,
		change: func(d *draft, _ string, _ int) {
			d.segments[0] = percent([]byte(d.segments[0][:1])) + d.segments[0][1:]
		},
	},
	{
		id: "path/letter-case", words: "other letter case in the path", formless: true, texts: []string{"upper", "title"},
		change: func(d *draft, text string, _ int) {
			whole := strings.ToUpper(d.segments[0])
			d.segments[0] = map[bool]string{true: whole, false: whole[:1] + d.segments[0][1:]}[text == "upper"]
		},
	},
	after("path/matrix-parameter", "a parameter in a segment of the path", ";v=1", ";jsessionid=1", ";", ";a=1;a=2", ";x=%2f"),
	after("path/extension", "an extension behind the id", ".json", ".xml", ".html", ".php", ".", "..", ".%00.json"),
	after("path/below", "segments below the path", "/x", "/x/y/z", "/null", "/.git/config", "/%20"),
	after("path/blank", "a blank beside the id", "%20", "+", "%09", "%c2%a0", "%e3%80%80", "%e2%80%a8"),
	before("path/leading-blank", "a blank before the id", "%20", "+", "%09", "%c2%a0"),
	after("path/nul", "U+0000 in the path", "%00", "%00x", "%00.json", "%2500"),
	after("path/line-break", "a line break in the path", "%0a", "%0d%0aX-Adconform: 1", "%0d", "%0d%0a%0d%0a", "%e5%98%8a"),
	after("path/control", "a control character in the path", "%01", "%7f", "%1b", "%08", "%c2%85"),
	after("path/quote", "a quotation mark in the path", "'", "%27", "%22", "%60", "''", "%e2%80%99"),
	apartly(after("path/bad-percent", "bad percent-encoding in the path", "%", "%z", "%zz", "%2", "%%", "%-1", "%u0031", "%0x31")),
	after("path/invalid-utf8", "a path that is not UTF-8", "%ff", "%e2%28", "%80", "%f8%88%80%80%80", "%fe%ff"),
	after("path/surrogate", "half a surrogate pair in the path", "%ed%a0%80", "%ed%b0%80", "%u d800"),
	after("path/letters", "letters behind the id", "abc", "e", "x", "L", "n", "px", "_"),
	after("path/bidi", "bidirectional controls in the path", "%e2%80%ae", "%e2%81%a6", "%d8%9c"),
	after("path/zero-width", "characters without width in the path", "%e2%80%8b", "%ef%bb%bf", "%e2%81%a0", "%cc%81"),
	before("path/mark", "a byte order mark before the id", "%ef%bb%bf", "%fe%ff"),
	after("path/emoji", "characters beyond the basic plane in the path", "%f0%9f%98%80", "%f0%9d%92%b3", "%f4%8f%bf%bf"),
	after("path/template", "a template in the path", "%7b%7b7*7%7d%7d", "$%7b7*7%7d", "%25s%25n", "%23%7b7*7%7d", "%3c%25=1%25%3e"),
	after("path/encoded-query", "an encoded separator in the path", "%3fx=1", "%23x", "%26x=1", "%3d"),
	after("path/brackets", "brackets behind the id", "[]", "[0]", "()", "%7b%7d"),
	spelled("path/fullwidth-digits", "an id in fullwidth digits", digits('０')),
	spelled("path/arabic-digits", "an id in Arabic digits", digits('٠')),
	spelled("path/other-digits", "an id in digits of another script", digits('०')),
	spelled("path/mathematical-digits", "an id in mathematical digits", digits('𝟎')),
	spelled("path/superscript-digits", "an id in subscript digits", digits('₀')),
	before("path/sign", "a sign before the id", "+", "-", "%2b", "--", "%e2%88%92", "+-"),
	{
		id: "path/leading-zeros", words: "zeros before the id", formless: true, apart: true, sizes: []int{1, 2, 20, 400, 5000}, most: 9000,
		change: func(d *draft, _ string, n int) { d.segments[d.id(0)] = strings.Repeat("0", n) + d.segments[d.id(0)] },
	},
	apartly(after("path/fraction", "a fraction behind the id", ".0", ".5", ".", ",0", ".00000000000000000000001", "/1")),
	apartly(after("path/exponent", "an exponent behind the id", "e0", "E+1", "e-1", "e400", "e-400", "e99999999999", "p1")),
	apartly(before("path/base", "an id in another base", "0x", "0X", "0o", "0b", "%23", "&h", "$")),
	apartly(after("path/separators", "separators in the id", "_000", ",000", "%20000", "'000", ",1", "-1", "..1")),
	instead("path/size", "an id of another size", "2147483648", "4294967296", "9007201402224621", "9223372036854775807",
		"9223372036854775808", "18446744073709551616", "-9223372036854775809", "340282366920938463463374607431768211456", "-1e400"),
	{
		id: "path/other-parent", words: "a parent that does not have the object", formless: true, of: hasParents,
		change: func(d *draft, _ string, n int) {
			parents := len(d.ids) - 1
			if parents < 1 { // another mutation left no segment that is an id
				return
			}
			id := d.t.UnknownID(0)
			if other := d.t.Known().Lookup(spec.Other(d.op.Params[n%parents].Object)); other != 0 && n/parents%2 == 0 {
				id = fmt.Sprint(other)
			}
			d.segments[d.ids[n%parents]] = id
		},
	},
	{
		id: "path/many-digits", words: "an id of very many digits", formless: true, apart: true, sizes: []int{20, 40, 310, 5000}, most: 7000,
		change: func(d *draft, _ string, n int) { d.segments[d.id(0)] = strings.Repeat("9", n) },
	},
	instead("path/word", "a word for an id", "null", "undefined", "NaN", "Infinity", "true", "None", "[object%20Object]", "%7bid%7d",
		":id", "new", "adconform", "__proto__", "constructor", "con", "-", "~", "@"),
	instead("path/uuid", "a UUID for an id", "f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "a07f1f77bcf86cd799439011", "%7bf81d4fae%7d"),
	instead("path/date", "a date for an id", "-2024-02-30", "T10:30:00Z", "Feb%2030", "Fri,%2030%2fFeb"),
	instead("path/json", "JSON for an id", "%7b%22id%22:null%7d", "[]", "%22x%22", "%7b%22$gt%22:", "%7b", "["),
	{
		id: "path/long-segment", words: "a very long path", formless: true, apart: true, malformed: true,
		sizes: []int{255, 4096, 9000, 70_000}, most: 20_000,
		change: func(d *draft, _ string, n int) { d.segments[d.id(0)] = strings.Repeat("a", n) },
	},
	{
		id: "path/many-segments", words: "a path of very many segments", formless: true, malformed: true, sizes: []int{50, 1000, 4000},
		most:   4000,
		change: func(d *draft, _ string, n int) { d.suffix += strings.Repeat("/a", n) },
	},
	{
		id: "path/without-id", words: "a path without its id", formless: true, of: reads, texts: []string{"", "%20", ".", "..", "%2e%2e", "*"},
		change: func(d *draft, text string, n int) { d.segments[d.id(n)] = text },
	},
	{
		id: "path/unencoded", words: "a path that is not encoded", formless: true,
		texts:  []string{"é", "\xff", " ", "日", "😀", "\u202e", "<b>", `"`, "{}", "|", "^", "\t", "\x01", "\x00", "\x7f"},
		change: func(d *draft, text string, n int) { d.segments[d.id(n)] += text },
	},
	{
		id: "path/fragment", words: "a fragment in the request line", formless: true, texts: []string{"#", "#x", "/#/x", "?#"},
		change: func(d *draft, text string, _ int) { d.suffix += text },
	},
	inserted("path/unknown-prefix", "segments before the path", "v1/", "api/", "adconform/"),
}

func hasParents(op *spec.Operation) bool { return len(op.Params) > 1 }

// apartly is a class that goes to unknown ids.
func apartly(c *class) *class {
	c.apart = true
	return c
}
