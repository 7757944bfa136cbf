package fuzz

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/value"
)

// valued gives a field a value, as JSON writes it or nearly so.
func valued(id, words string, values ...string) *class {
	set := func(d *draft, text string, n int) { d.set(d.field(n), text) }
	return &class{id: "json/" + id, words: words, of: updates, texts: values, change: set}
}

// membered puts a member into the body that the document does not know.
func membered(id, words string, names ...string) *class {
	return &class{id: "json/" + id, words: words, of: updates, adds: true, texts: names, change: func(d *draft, text string, n int) {
		d.add(text, []string{"1", "{}", "null", `"x"`}[n%4])
	}}
}

// recoded makes other bytes of the body; what it sets then is not known.
func recoded(id, words string, of func(b []byte, text string, n int) []byte, texts ...string) *class {
	return &class{id: "json/" + id, words: words, of: updates, texts: texts, change: func(d *draft, text string, n int) {
		d.values = map[string]any{}
		d.code(func(b []byte) []byte { return of(b, text, n) })
	}}
}

// sized is recoded with a size.
func sized(id, words string, sizes []int, most int, of func(b []byte, n int) []byte) *class {
	return &class{id: "json/" + id, words: words, of: updates, sizes: sizes, most: most, change: func(d *draft, _ string, n int) {
		d.values = map[string]any{}
		d.code(func(b []byte) []byte { return of(b, n) })
	}}
}

// whole sends texts in place of the body.
func whole(id, words string, texts ...string) *class {
	return &class{id: "json/" + id, words: words, of: updates, texts: texts, change: func(d *draft, text string, _ int) { d.instead(text) }}
}

// within puts a text into that of a field as it is, be it JSON or not.
func within(id, words string, texts ...string) *class {
	return &class{id: "json/" + id, words: words, of: hasTexts, texts: texts, change: func(d *draft, text string, n int) {
		d.set(freeText(d.op, n), `"Teal `+text+` x"`)
	}}
}

// withMember puts a member into the body that holds something large.
func withMember(id, words string, sizes []int, most int, of func(n int) (name, json string)) *class {
	return &class{id: "json/" + id, words: words, of: updates, sizes: sizes, most: most, change: func(d *draft, _ string, n int) {
		name, json := of(n)
		d.add(name, json)
	}}
}

var jsonClasses = []*class{
	{
		id: "json/duplicate-member", words: "a member that comes twice", of: updates, sizes: []int{1, 2, 500}, most: 400,
		change: func(d *draft, _ string, n int) {
			for range repeats(n, len(d.members[0].value)) {
				d.members = append(d.members, d.members[0])
			}
		},
	},
	{
		id: "json/duplicate-different", words: "a member that comes twice with different values", of: updates,
		texts: []string{"1", "null", `"x"`, "{}", "[]", `""`},
		change: func(d *draft, text string, n int) {
			f := d.field(n)
			delete(d.values, f.Name)
			d.add(f.Name, text)
		},
	},
	membered("unknown-member", "an unknown member", "adconformUnknown", "", " ", "a.b", "a[0]", "a/b", "1", "-", "é", "😀", "\u0000",
		"\u202e", "a b", "\u2028", "A", "~0"),
	{
		id: "json/own-member", words: "a member that the object has and no update changes, with the value that it has", of: updates,
		change: func(d *draft, _ string, n int) {
			var own []member
			if len(d.path) > 0 {
				own = append(own, member{`"id"`, d.path[len(d.path)-1]})
			}
			if shown := d.op.Representation(); shown != nil {
				for _, f := range shown.Fields {
					if v, known := d.constant(f); known {
						own = append(own, member{string(value.JSON(f.Name)), string(value.JSON(v))})
					}
				}
			}
			if len(own) > 0 {
				d.members = append(d.members, own[n%len(own)])
			}
		},
	},
	membered("member-of-language", "a member that languages know", "__proto__", "constructor", "prototype", "toString",
		"hasOwnProperty", "then", "length", "__class__", "class", "valueOf", "toJSON", "self", "__init__", "hashCode"),
	membered("member-of-library", "a member that libraries know", "$ref", "$schema", "@type", "$type", "@class", "_links", "$id",
		"$where", "$set", "$comment", "jsonapi", "@context", "type!", "_embedded", "#text"),
	{
		id: "json/prototype", words: "a member that changes what languages know", of: updates,
		texts:  []string{`{"x":1}`, `{"toString":1}`, `{"length":-1}`, "null", `{"__proto__":{"x":1}}`},
		change: func(d *draft, text string, n int) { d.add([]string{"__proto__", "constructor"}[n%2], text) },
	},
	{
		id: "json/member-case", words: "a member in other letter case", of: updates,
		texts: []string{"upper", "title", "snake", "blank", "accent", "mark"},
		change: func(d *draft, text string, n int) {
			name := d.field(n).Name
			d.rename(name, map[string]string{
				"upper": strings.ToUpper(name), "title": strings.ToUpper(name[:1]) + name[1:], "snake": strings.ToLower(name) + "_",
				"blank":  " " + name + " ",
				"accent": name + "\u0301", "mark": "\ufeff" + name,
			}[text])
		},
	},
	{
		id: "json/escaped-names", words: "names of members with escapes", of: updates,
		change: func(d *draft, _ string, _ int) {
			for i, m := range d.members {
				d.members[i].name = fmt.Sprintf(`"\u%04x%s`, m.name[1], m.name[2:])
			}
		},
	},
	{
		id: "json/no-members", words: "a body that lacks all fields but one", of: hasSeveral,
		change: func(d *draft, _ string, n int) {
			f := d.field(n)
			keep, known := string(value.JSON(f.Name)), d.values[f.Name]
			for _, m := range d.members {
				if m.name == keep {
					d.members, d.values = []member{m}, map[string]any{f.Name: known}
					return
				}
			}
		},
	},
	valued("type", "a value of another type", "null", "true", "false", "[]", "{}", "[null]", "0", "1.5", `[["x"]]`, `{"a":1}`, `[{}]`,
		`["x","y"]`, `{"0":"x"}`, "[[]]"),
	valued("operator", "an operator of a database as a value", `{"$gt":""}`, `{"$ne":null}`, `{"$in":[]}`, `{"$regex":"("}`,
		`{"$where":"1"}`, `{"__type":"x"}`, `{"$oid":"x"}`, `{"$date":"x"}`, `{"=":"x"}`),
	valued("object", "an object that languages know", `{"length":1}`, `{"toString":1}`, `{"__proto__":null}`, `{"then":1}`,
		`{"constructor":{"name":1}}`, `{"valueOf":null}`, `{"$ref":"#"}`, `{"@type":"x"}`, `{"":""}`),
	valued("large-number", "a number beyond every size", "1e400", "-1e400", "1e999999999", "9007199254740993", "9223372036854775808",
		"-9223372036854775809", "18446744073709551616", "1e-400", "340282366920938463463374607431768211456", "1E+2", "0.1e-7"),
	valued("odd-number", "an odd number", "-0", "-0.0", "0e0", "1e1", "1.0", "2147483648", "4294967296", "-1",
		"1.7976931348623157e309", "5e-324"),
	valued("no-number", "a number that JSON does not have", "NaN", "Infinity", "-Infinity", "01", "+1", ".5", "5.", "0x10", "1_000",
		"-", "1e", "--1", "１", "1.2.3", "0b1", "1n"),
	valued("no-value", "a value that JSON does not have", "undefined", "True", "None", "'x'", "x", "", `"x`, "/x/", "new Date()",
		"[1,]", `{"a":1,}`, "{a:1}", "[,1]", `"x" "y"`, "nul", "NULL", "tru", "<x/>", "`x`"),
	{
		id: "json/digits", words: "a number of very many digits", of: updates, sizes: []int{20, 400, 5000, 100_000}, most: 9000,
		change: func(d *draft, _ string, n int) { d.set(d.field(n), strings.Repeat("7", n)) },
	},
	{
		id: "json/fraction-digits", words: "a fraction of very many digits", of: updates, sizes: []int{20, 1000, 100_000}, most: 9000,
		change: func(d *draft, _ string, n int) { d.set(d.field(n), "0."+strings.Repeat("3", n)) },
	},
	nested("nested-arrays", "arrays that nest deeply", "[", "]"),
	nested("nested-objects", "objects that nest deeply", `{"a":`, "}"),
	nested("unclosed-arrays", "arrays that nest deeply and are not closed", "[", ""),
	{
		id: "json/nested-value", words: "a field that nests deeply", of: updates, sizes: []int{50, 1000, 20_000}, most: 20_000,
		change: func(d *draft, _ string, n int) { d.set(d.field(n), strings.Repeat("[", n)+strings.Repeat("]", n)) },
	},
	withMember("large-array", "a very long array", []int{100, 10_000, 300_000}, 20_000, func(n int) (string, string) {
		return "adconformUnknown", "[" + strings.Repeat("1,", n-1) + "1]"
	}),
	withMember("long-name", "a member with a very long name", []int{100, 5000, 300_000}, 20_000, func(n int) (string,
		string,
	) {
		return strings.Repeat("a", n), "1"
	}),
	withMember("long-text", "an unknown member with a very long text", []int{5000, 1 << 20, 5 << 20}, 20_000, func(n int) (string, string) {
		return "adconformUnknown", `"` + strings.Repeat("a", n) + `"`
	}),
	withMember("many-members", "very many members", []int{100, 5000, 100_000}, 9000, func(n int) (string, string) {
		var all strings.Builder
		for i := range n {
			fmt.Fprintf(&all, `1,"adconform%d":`, i)
		}
		return "adconformUnknown", all.String() + "1"
	}),
	withMember("long-escapes", "a long text of escapes", []int{100, 5000}, 9000, func(n int) (string, string) {
		return "adconformUnknown", `"` + strings.Repeat(`\ud83d\ude00`, n) + `"`
	}),
	within("lone-surrogate", "half a surrogate pair", `\ud800`, `\udc00`, `\udc00\ud800`, `\ud800\ud800`, `\ud83d`, `\uD800x\uDC00`,
		`\udbff\u0041`),
	within("invalid-utf8", "a text that is not UTF-8", "\xff", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe2\x28\xa1", "\xc3",
		"\x80", "\xf0\x9f\x98", "\xfe\xff", "\xe9"),
	within("bad-escape", "a bad escape in a text", `\x41`, `\'`, `\u12`, `\u{41}`, `\a`, `\0`, `\`+"\n", `\uzzzz`, `\U0001F600`, `\ `,
		`\u00`, `\N{DASH}`),
	within("escape", "escapes in a text", `\u0000`, `\/`, `\b\f`, `\u001f`, `\u2028`, `\uffff`, `\u0085`, `\ufeff`, `\u007f`, `\u0041`,
		`\uD83D\uDE00`),
	within("raw-control", "control characters as they are in a text", "\t", "\n", "\x00", "\x01", "\x1f", "\x7f", "\r", "\b", "\x1b"),
	{
		id: "json/damaged-name", words: "a damaged name of a member", of: updates,
		texts:  []string{`"\ud800"`, "\"\xff\"", `"a`, "a", "1", "null", "'a'", "[]", `"\u0000"`, "\"\x00\"", `"a" "b"`, "{}"},
		change: func(d *draft, text string, _ int) { d.members = append(d.members, member{text, "1"}) },
	},
	recoded("mark", "a byte order mark", func(b []byte, text string, _ int) []byte { return append([]byte(text), b...) },
		"\ufeff", "\xff\xfe", "\xfe\xff", "\ufeff\ufeff", "\xff\xfe\x00\x00", "\x00\x00\xfe\xff", "\x2b\x2f\x76\x38"),
	recoded("encoding", "a body in another encoding", encoded, "utf-16le", "utf-16be", "utf-16 with mark", "utf-32le", "utf-32be",
		"latin-1", "ebcdic", "utf-7"),
	recoded("before", "something before the object", func(b []byte, text string, _ int) []byte { return append([]byte(text), b...) },
		")]}',\n", "\x1e", ",", "\x00", "while(1);", "x", "//\n", "/**/", "\u00a0", "{}", "1 ", "#", "\ufeff ", "\u2028", "=", "--x\r\n",
		"data: "),
	recoded("behind", "something behind the object", func(b []byte, text string, _ int) []byte { return append(b, text...) },
		"\x00", "{}", "\n{}", ",", "}", "]", "//", "/**/", ";", "\x1a", "null", "\n\n\n1", "x", "\xff", "\u00a0", "\x1e", "\r\n--x--"),
	recoded("between", "something between the tokens", func(b []byte, text string, _ int) []byte {
		return bytes.Replace(b, []byte(":"), []byte(":"+text), 1)
	}, "/*x*/", "//x\n", "\u00a0", "\ufeff", "\u2028", "\v", "\f", "\x00", ":", "\x01", "#\n", "\\", "\u3000", "\x85"),
	recoded("syntax", "a body that is nearly JSON", nearly, "trailing comma", "single quotes", "unquoted names", "no commas",
		"no colons", "equals", "semicolons", "double comma", "no braces", "brackets", "comment", "python"),
	sized("cut", "a body that is cut off", []int{1, 2, 5, 12}, 30, func(b []byte, n int) []byte { return b[:max(0, len(b)-n)] }),
	sized("cut-at-start", "a body that lacks its beginning", []int{1, 2, 5}, 12, func(b []byte, n int) []byte { return b[min(n, len(b)):] }),
	sized("flipped", "a byte of the body that is another", []int{0, 1, 3, 7, 12, 20}, 40, func(b []byte, n int) []byte {
		b = bytes.Clone(b)
		if len(b) > 0 {
			b[n%len(b)] ^= 0x80
		}
		return b
	}),
	sized("blanks", "very many blanks around the object", []int{1000, 65_536, 1 << 20}, 20_000, func(b []byte, n int) []byte {
		blanks := bytes.Repeat([]byte(" "), n)
		return append(append(blanks, b...), '\n')
	}),
	sized("repeated", "the object many times", []int{2, 100, 3000}, 1000, func(b []byte, n int) []byte {
		return bytes.Repeat(append(b, '\n'), repeats(n, len(b)))
	}),
	sized("array-of-bodies", "an array of the object", []int{1, 2, 1000}, 1000, func(b []byte, n int) []byte {
		return []byte("[" + strings.Repeat(string(b)+",", repeats(n, len(b))-1) + string(b) + "]")
	}),
	whole("empty", "an empty body", "", " ", "\n", "\x00", "\ufeff", "\t\r\n", "\u00a0", "\u2028", "//"),
	whole("scalar", "a body that is no object", "null", "true", "1", `""`, `"x"`, "[]", "[[]]", "-0", "1e400", `"\ud800"`, "[null]",
		"false", "[1,2", "{", "}", `"`, "-", "nul", "[}", "{]"),
	whole("odd-object", "an odd object", "{}", `{"":1}`, `{"a":{"b":{"c":1}}}`, `{"__proto__":null}`, "{\n}", `{"a":1,"a":2}`, "{,}",
		`{"a"}`, `{:1}`, `{"a":}`, `{1:1}`, "{{}}", `{"data":{}}`, `{"0":1}`),
	recoded("wrapped", "the object in another one", func(b []byte, text string, _ int) []byte {
		return []byte(strings.Replace(text,
			"X", string(b), 1))
	},
		`{"data":X}`, `{"data":{"attributes":X}}`, `[X]`, `{"campaign":X}`, `{"":X}`, `{"$set":X}`, `{"data":[X]}`, `[["x",X]]`),
	recoded("text-of-object", "the object as a text", func(b []byte, _ string, n int) []byte {
		for range 1 + n%3 {
			b = value.JSON(string(b))
		}
		return b
	}),
}

// nested puts a member into the body that nests.
func nested(id, words, open, end string) *class {
	return withMember(id, words, []int{100, 1000, 10_000, 100_000}, 20_000, func(n int) (string, string) {
		return "adconformUnknown", strings.Repeat(open, n) + "1" + strings.Repeat(end, n)
	})
}

// mostRepeated is how many bytes a repetition makes at most of what another mutation has made large.
const mostRepeated = 8 << 20

// repeats is how often so many bytes are repeated: n times, or fewer.
func repeats(n, size int) int { return max(1, min(n, mostRepeated/max(1, size))) }

func hasSeveral(op *spec.Operation) bool { return op.Updates() && len(op.Body.Fields) > 1 }

// rename gives a member another name.
func (d *draft) rename(name, to string) {
	delete(d.values, name)
	for i := range d.members {
		if d.members[i].name == string(value.JSON(name)) {
			d.members[i].name = string(value.JSON(to))
		}
	}
}

// encoded is a body in another encoding of text.
func encoded(b []byte, as string, _ int) []byte {
	var out []byte
	units := utf16.Encode([]rune(string(b)))
	switch as {
	case "utf-16 with mark":
		out = []byte{0xff, 0xfe}
		fallthrough
	case "utf-16le":
		for _, u := range units {
			out = binary.LittleEndian.AppendUint16(out, u)
		}
	case "utf-16be":
		for _, u := range units {
			out = binary.BigEndian.AppendUint16(out, u)
		}
	case "utf-32le":
		for _, r := range string(b) {
			out = binary.LittleEndian.AppendUint32(out, uint32(r))
		}
	case "utf-32be":
		for _, r := range string(b) {
			out = binary.BigEndian.AppendUint32(out, uint32(r))
		}
	case "latin-1":
		out = bytes.Replace(b, []byte(`"`), []byte("\"\xe9"), 3)
	case "ebcdic":
		for _, c := range b {
			out = append(out, c^0x40)
		}
	default:
		out = bytes.ReplaceAll(b, []byte("{"), []byte("+AHs-"))
	}
	return out
}

// nearly is a body as other notations write it.
func nearly(b []byte, how string, _ int) []byte {
	with := func(old, to string) []byte { return bytes.ReplaceAll(b, []byte(old), []byte(to)) }
	switch how {
	case "trailing comma":
		return append(bytes.TrimSuffix(b, []byte("}")), ",}"...)
	case "single quotes":
		return with(`"`, "'")
	case "unquoted names":
		return with(`"`, "")
	case "no commas":
		return with(",", " ")
	case "no colons":
		return with(":", " ")
	case "equals":
		return with(":", "=")
	case "semicolons":
		return with(",", ";")
	case "double comma":
		return bytes.Replace(b, []byte("{"), []byte("{,"), 1)
	case "no braces":
		return bytes.Trim(b, "{}")
	case "brackets":
		return bytes.ReplaceAll(with("{", "["), []byte("}"), []byte("]"))
	case "comment":
		return with("{", "{/* x */")
	}
	return with(`"`, "u'")
}
