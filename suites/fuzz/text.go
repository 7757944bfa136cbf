package fuzz

import (
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
)

// texted gives a text field odd texts, alone for every other one, else within the text that it
// would have.
func texted(id, words string, texts ...string) *class {
	c := &class{id: "text/" + id, words: words, of: hasTexts, fields: free, adds: true, texts: texts}
	c.change = func(d *draft, text string, n int) {
		f := freeText(d.op, n)
		if before, ok := d.values[f.Name].(string); ok && n%2 == 0 && text != "" {
			at := min(d.middle[f.Name], len(before))
			text = before[:at] + text + before[at:]
		}
		d.text(f, text)
	}
	return c
}

// alone is a class whose texts are odd where nothing else stands beside them.
func alone(c *class) *class {
	c.adds = false
	return c
}

// stretched gives a text field a text of a size.
func stretched(id, words string, sizes []int, most int, text func(n int) string) *class {
	return &class{id: "text/" + id, words: words, of: hasTexts, sizes: sizes, most: most, change: func(d *draft, _ string, n int) {
		d.text(freeText(d.op, n), text(n))
	}}
}

// kept gives fields of a kind texts, alone.
func kept(id, words string, is func(*spec.Field) bool, texts ...string) *class {
	of := func(op *spec.Operation) bool { return op.Updates() && slices.ContainsFunc(op.Body.Fields, is) }
	set := func(d *draft, text string, _ int) { d.each(is, text) }
	return &class{id: "text/" + id, words: words, of: of, fields: is, texts: texts, change: set}
}

func free(f *spec.Field) bool { return f.Type == "string" && len(f.Enum) == 0 }

func listed(f *spec.Field) bool { return len(f.Enum) > 0 }

func hostname(f *spec.Field) bool { return f.Hostname }

func expression(f *spec.Field) bool { return f.Regex }

func hasTexts(op *spec.Operation) bool {
	return op.Updates() && slices.ContainsFunc(op.Body.Fields, free)
}

// freeText is a field that takes any text.
func freeText(op *spec.Operation, n int) *spec.Field {
	all := freeTexts(op)
	return all[n/2%len(all)]
}

func freeTexts(op *spec.Operation) []*spec.Field {
	return slices.DeleteFunc(slices.Clone(op.Body.Fields), func(f *spec.Field) bool { return !free(f) })
}

// backtracked are expressions that take some engines very long on the texts beside them.
var backtracked = []string{
	"^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "(.*a){25}", "^([a-zA-Z]+)*$", "(x+x+)+y",
	"^(([a-z])+.)+[A-Z]([a-z])+$", "(a*)*b", "^(\\w+\\s?)*$", "(?:a?){30}a{30}",
}

// No text completes an injection: a quotation mark stands alone, and nothing after it makes
// another statement of the rest, or none.
var textClasses = []*class{
	alone(texted("empty", "an empty text", "", "\u200b", "\u00ad")),
	alone(texted("blank", "a blank text", " ", "\t", "\n", "\u00a0", "\u3000", "\u2003 ", "\u1680", "\v\f")),
	texted("nul", "U+0000 in a text", "\x00", "\x00\x00", "a\x00b"),
	texted("control", "control characters in a text", "\x01", "\x1b[31m", "\x08", "\x7f", "\u0085", "\u009b", "\x1f", "\x1a", "\x04"),
	texted("line-break", "line breaks in a text", "\r\n", "\n\n", "\r", "a\r\nBcc: x", "\n\t"),
	texted("line-separator", "line separators in a text", "\u2028", "\u2029", "\u0085", "\v", "\f"),
	texted("bidi", "bidirectional controls in a text", "\u202e", "\u2066", "\u200f", "\u061c", "\u202e\u2066\u2069", "\u2067a\u2069"),
	texted("zero-width", "characters without width in a text", "\u200b", "\u200d", "\ufeff", "\u2060", "\u034f", "\u180e", "\u200c"),
	texted("combining", "combining characters in a text", "\u0301", "a\u0328\u0301", strings.Repeat("\u0335", 60), "\u20dd", "\ufe0f",
		"\u0e33"),
	texted("noncharacter", "noncharacters in a text", "\uffff", "\ufffe", "\ufdd0", "\U0001ffff", "\U0010ffff", "\ufffd"),
	texted("private", "characters for private use in a text", "\ue000", "\U000f0000", "\U0010fffd"),
	texted("astral", "characters beyond the basic plane in a text", "😀", "𝒳", "👨‍👩‍👧‍👦", "🏳️‍🌈",
		"🇩🇪", "👍🏿", "𠜎", "\U000e0001\U000e0061"),
	texted("script", "another script in a text", "日本語", "العربية",
		"עברית", "ไทย", "हिन्दी", "한국어", "ქართული", "ᚠᛇᚻ", "\u1112\u1161\u11ab"),
	texted("case-mapping", "characters whose case maps oddly", "İ", "ı", "ß", "ŉ", "ẞ", "ǆ", "ﬃ", "K", "ς", "ΐ", "ᾳ", "ſ"),
	texted("normalising", "characters that normalise oddly", "\ufdfa", "e\u0301", "\u212b", "ﬁ", "①", "½", "\u1e9b\u0323", "\u0344",
		"ｆｕｌｌ", "℀", "\u2126"),
	texted("confusable", "characters that look like others", "аdmin", "‘", "´", "；", "／", "＇", "＂", "․․/"),
	texted("quote", "a quotation mark in a text", "'", `"`, "`", "''", `""`, "’", "«", "'''"),
	texted("backslash", "a backslash in a text", `\`, `\\`, `\'`, `\n`, `\x41`, `\u0041`, `\0`, `\ud800`, `\N`, `\1`),
	texted("format", "a format in a text", "%s%n", "%x%x%x", "{0}", "{name}", "%(x)s", "%1$s", "{:d}", "%", "%%", "%d", "{", "}",
		"{!r}", "%.99999d"),
	texted("template", "a template in a text", "{{7*7}}", "${7*7}", "<%= 7*7 %>", "#{7*7}", "{% x %}", "[[${7*7}]]", "@(7*7)",
		"*{7*7}", "{{", "${", "{{constructor}}", "$(x)", "{{#if}}", "${jndi:x}"),
	texted("sql", "words of SQL in a text", "SELECT", ";", "--", "/*", "*/", "0x27", "CHAR(39)", "NULL", "DEFAULT", "||", "?", ":name",
		"$1", "@x", "#", "_", "%"),
	texted("operators", "operators of queries in a text", "$gt", "*)(", "(&", "|", "a=b&c=d", "?x=1", "#x", "a AND b", "~", "name:*",
		"\"a\" ~2", "+a -b", "[a TO", "/a/"),
	texted("markup", "markup in a text", "<b>", "</script>", "<!--", "]]>", "&lt;", "&#0;", "&#x110000;", "<?xml", "<![CDATA[", "<",
		"&", "<x y='", "<svg/onload=0>", "&amp;amp;"),
	texted("path", "a path in a text", "../../x", `..\x`, "/dev/null", `C:\con`, "NUL", "file:///x", "~root", ".", "..", "/", `\\x\y`,
		"a/b", "%2e%2e/"),
	texted("url", "a URL in a text", "http://[", "javascript:0", "data:,x", "//x", "http://adconform.invalid:99999", "mailto:",
		"http://%", "urn:x", "http://é", "://", "http://a@b@c"),
	texted("shell", "words of a shell in a text", "$(true)", "`true`", "| true", "; true", "&& true", "$IFS", "> /dev/null", "\n true",
		"$HOME", "!!", "-x", "--help", "@x"),
	alone(texted("number", "a number as a text", "0", "-0", "1e400", "NaN", "Infinity", "0x10", "1,5", "１２", "2147483648",
		"9223372036854775808", "-1", "1_000", "٣", "1e-400", "+1", "00")),
	alone(texted("word", "a word that languages know", "null", "undefined", "true", "None", "nil", "[object Object]", "NULL", "false", "NaN",
		"__proto__", "constructor", "toString", "then", "yes", "CON", "aux")),
	alone(texted("date", "a date in a text", "2024-02-30", "0000-00-00", "9999-12-31T23:59:60Z", "10000-01-01", "25:61", "1/1/1")),
	texted("json", "JSON in a text", `{"a":1}`, "[1", `"`, "{}", "[]", `\"`, `{"__proto__":1}`, "}{", `{"$ref":"#"}`),
	texted("yaml", "YAML in a text", "!!x", "&a [*a]", "- a", "a: b: c", "%TAG", "---", "*a", "? x", "!!binary x", "@a"),
	alone(texted("csv", "a formula in a text", "=1+1", "+1", "@x", "-1", "=cmd|x", "\t=1", `"a,b`, "a;b", "a,b\n")),
	alone(texted("mail", "an address in a text", "a@b", "@", `"a"@b`, "<a@b>", "a@[1.2.3.4]", "é@é")),
	texted("encoded", "encoded characters in a text", "%00", "%c0%ae", "&#39;", "=?utf-8?Q?=00?=", "+AGE-", "xn--", `\u{110000}`,
		"%u0000", "=00", "\\x00"),
	texted("mojibake", "a text that was decoded wrongly", "\u00c3\u00a9", "\u00c3\u0083\u00c2\u00a9", "ï»¿", "\u0080\u0081", "â€™"),
	stretched("long", "a long text", []int{255, 256, 257, 1024, 4096, 65_535, 65_536, 70_000}, 9000,
		func(n int) string { return strings.Repeat("n", n) }),
	stretched("long-astral", "a long text of four bytes a character", []int{60, 130, 256, 5000, 20_000}, 5000,
		func(n int) string { return strings.Repeat("😀", n) }),
	stretched("long-accents", "a long text of two bytes a character", []int{128, 200, 255, 256, 33_000}, 5000,
		func(n int) string { return strings.Repeat("é", n) }),
	stretched("long-combined", "a letter with very many accents", []int{100, 3000, 30_000}, 9000,
		func(n int) string { return "a" + strings.Repeat("\u0301", n) }),
	stretched("long-expanding", "a text that grows when it is normalised", []int{50, 255, 5000}, 5000,
		func(n int) string { return strings.Repeat("\ufdfa", n) }),
	stretched("long-blanks", "a text with very many blanks", []int{100, 5000, 50_000}, 20_000,
		func(n int) string { return "a" + strings.Repeat(" ", n) + "b" }),
	stretched("long-words", "a text of very many words", []int{50, 5000}, 5000, func(n int) string { return strings.Repeat("ab ", n) }),
	stretched("long-dots", "a text of very many dots", []int{30, 5000}, 5000, func(n int) string { return strings.Repeat("a.", n) + "!" }),
	stretched("long-signs", "a text of very many signs", []int{30, 5000}, 5000, func(n int) string { return strings.Repeat("-", n) + "!" }),
	stretched("megabyte", "a text of a megabyte", []int{1 << 20, 3 << 20}, 0, func(n int) string { return strings.Repeat("n", n) }),
	stretched("backtracking", "a text on which careless expressions take long", []int{30, 60, 20_000}, 9000,
		func(n int) string { return strings.Repeat("a", n) + "!" }),
	kept("expression-broken", "an expression that is none", expression, "(", "[", "*", "a**", "(?<", "(?P<n>", `\`, "(?i", "[[:foo:]]",
		`\p{Foo}`, "(?#", "[z-a]", "a{1,0}", "{", ")", "]", "(?", "+", "a{", "[\\", "(?'x"),
	kept("expression-extended", "an expression that few engines have", expression, "(?<=a*)b", `\99`, "(?R)", "(?1)", "(?>a)",
		"(*FAIL)", `a\K`, `\c`, `\x{FFFFFFFF}`, `\u{110000}`, "(?<n>a)(?<n>b)", "(?i-s:a)",
		`(?P<n>a)b`, "(?i)a", `\g<0>`, `(?P=x)`, `\Q`, "(?|a|b)", "(?=a)*", "[a&&b]", `\R\X\h`, "(?x) # a", "(?-1)", `\k<x>`,
		`\u0041`, "(?u)a", "(?s:.)"),
	kept("expression-large", "an expression that takes much memory", expression, "a{99999999}", "((a{100}){100}){100}",
		"(a{1000}){1000}", "a{0,1000}{0,1000}", "("+strings.Repeat("a|", 2000)+"b)", "[\\x{0}-\\x{10ffff}]{1000}"),
	{
		id: "text/expression-nested", words: "an expression that nests deeply", of: hasExpression, sizes: []int{300, 1000, 20_000}, most: 9000,
		change: func(d *draft, _ string, n int) { d.each(expression, strings.Repeat("(", n)+"a"+strings.Repeat(")", n)) },
	},
	{
		id: "text/expression-catastrophic", words: "an expression that backtracks without end", of: hasExpression, texts: backtracked,
		sizes: []int{28, 60}, most: 60,
		change: func(d *draft, text string, n int) {
			d.each(func(f *spec.Field) bool { return free(f) && !expression(f) }, strings.Repeat("a", n)+"!")
			d.each(expression, text)
		},
	},
	{
		id: "text/expression-applied", words: "an expression that backtracks without end, beside a valid text", of: hasExpression,
		texts: backtracked, sizes: []int{28, 60}, most: 60,
		change: func(d *draft, text string, n int) {
			d.each(hostname, strings.Repeat("a", min(n, 63))+".example.com")
			d.each(expression, text)
		},
	},
	{
		id: "text/taken", words: "a text that another object has",
		of: func(op *spec.Operation) bool { return hasTexts(op) && len(op.More()) > 0 },
		change: func(d *draft, _ string, n int) {
			f := freeText(d.op, n)
			for _, key := range d.op.More() {
				if o := d.t.Object(d.op, key); o != nil {
					if text, given := o.Given[f.Meaning].(string); given {
						d.text(f, text)
					}
				}
			}
		},
	},
	kept("hostname", "a hostname that is none", hostname, "", ".", "..", "a..b", ".a", "-a.example.com", "a-.example.com",
		"a_b.example.com", "a b", "*.example.com", "example.com/x", "http://example.com",
		"example.com:80", "user@example.com", "a\x00.example.com", "%41.example.com", "a,b", "example.com?x", "exa\nmple.com", "[", "\u200b"),
	kept("hostname-address", "an address for a hostname", hostname, "1.2.3.4", "[::1]", "::1", "1.2.3", "0x7f.1", "999.1.1.1", "0",
		"2130706433", "::ffff:1.2.3.4", "fe80::1%25x", "1.2.3.4.", "localhost"),
	kept("hostname-international", "a hostname that is not ASCII", hostname, "ä.example.com", "日本.example.com", "ａ.example.com",
		"a。example.com", "ß.example.com", "\u00ad.example.com", "😀.example.com", "a\u200d.example.com", "İ.example.com",
		"a\u0301.example.com", "א1.example.com", "\u202ea.example.com", "℀.example.com"),
	kept("hostname-punycode", "a hostname in broken Punycode", hostname, "xn--", "xn--a", "xn--zzzzzz9999999.example.com",
		"xn--a-ä.example.com", "xn--0.example.com", "xn--55qx5d8y0buji4b870u.example.com", "xn--99999999999.example.com", "XN--A.EXAMPLE.COM"),
	{
		id: "text/hostname-long", words: "a hostname beyond every size", of: hasHostname, sizes: []int{1, 5, 127, 200, 3000}, most: 3000,
		change: func(d *draft, _ string, n int) {
			d.each(hostname, map[bool]string{true: strings.Repeat("a", 63+n) + ".example.com", false: strings.Repeat("a.",
				n) + "example.com"}[n%2 == 1])
		},
	},
	kept("listed", "a value that is not in the list", listed, "", "PASS", " pass", "pass ", "pass,warn", "pass\x00", "ｐass", "0",
		"null", "pa", "pass\n", "раss", "__proto__", "constructor", "toString", "Pass", "\u200bpass", "pass.", "😀", "\uffff"),
	{
		id: "text/listed-long", words: "a very long value that is not in the list", of: hasListed, sizes: []int{60, 300, 70_000}, most: 9000,
		change: func(d *draft, _ string, n int) { d.each(listed, strings.Repeat("p", n)) },
	},
}

// each gives the fields of a kind a text.
func (d *draft) each(is func(*spec.Field) bool, text string) {
	for _, f := range d.op.Body.Fields {
		if is(f) {
			d.text(f, text)
		}
	}
}

func hasExpression(op *spec.Operation) bool {
	return op.Updates() && slices.ContainsFunc(op.Body.Fields, expression)
}

func hasHostname(op *spec.Operation) bool {
	return op.Updates() && slices.ContainsFunc(op.Body.Fields, hostname)
}

func hasListed(op *spec.Operation) bool {
	return op.Updates() && slices.ContainsFunc(op.Body.Fields, listed)
}
