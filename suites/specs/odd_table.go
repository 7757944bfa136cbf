package specs

import (
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/wire"
)

// The classes of odd input: name, words, what is odd, for which operations, how they are sent.
// Findings say the name that a row has; a row is moved or reworded freely.

var oddKeys = []oddity{
	{"twice", "the key in two lines", func(r *Call) { r.As.Times = 2 }, nil, 0},
	{"not-ascii", "a key that is neither ASCII nor UTF-8", oddKey("adconformключ\xff"), nil, 0},
	{"symbols", "a key with a template, a quotation mark and bad percent-encoding", oddKey("adconform{{7*7}}'%zz%s"), nil, 0},
	{"long", "a very long key", oddKey("adconform" + strings.Repeat("k", 9000)), nil, unsound},
	{
		"strangers", "the key of another user, and headers in which proxies name host and path",
		oddHeader("X-Forwarded-Host", "localhost", "X-Forwarded-Prefix", "/", "X-Forwarded-Proto", "https", "X-Original-Url", "/"),
		NamesAnObject, uninvited,
	},
}

var oddMethods = []oddity{
	{"unknown", "an unknown method", func(r *Call) { r.Method = "__proto__" }, nil, elsewhere},
	{"no-token", "a method that is no token", oddLine("PÄ{TCH {target} HTTP/1.1"), nil, elsewhere | unsound},
}

// In these, ID is the last id of the path.
var oddPaths = []oddity{
	{"dot-segments", "encoded dot segments and slashes in the path", oddPath("x/%2e%2e/%2fID"), nil, 0},
	{"punctuation", "parameters, quotation marks and an extension behind the id", oddPath("ID;v=1'%7b%7b%25s.json"), nil, 0},
	{"control", "control characters behind the id", oddPath("ID%00%0d%0aX-Adconform:%201"), nil, 0},
	{"surrogate", "half a surrogate pair behind the id", oddPath("ID%ed%a0%80"), nil, 0},
	{"digits", "fullwidth digits behind the id", oddPath("ID%ef%bc%91"), nil, 0},
	{"word", "a word of programming languages for an id", oddPath("__proto__"), nil, elsewhere},
	{"many-digits", "an id of very many digits", oddPath(strings.Repeat("9", 400)), nil, elsewhere},
	{"unencoded", "a path that is not encoded", oddPath("IDé<\xff"), nil, unsound},
}

// In these, PAGE is the parameter that selects a page.
var oddQueries = []oddity{
	{"twice", "query parameters that come twice", oddQuery("PAGE=1&PAGE=2&x=1&x=2"), nil, 0},
	{
		"structure", "arrays and objects in the query",
		oddQuery("x[]=1&x[9999999999]=2&PAGE[a]=1&x[$gt]=&__proto__[x]=1&y[=1"), nil, 0,
	},
	{"bad-percent", "bad percent-encoding in the query", oddQuery("x=%zz&%=1&PAGE=%"), nil, 0},
	{
		"control", "control characters, and bytes that are not UTF-8, in the query",
		oddQuery("PAGE=1%00&x=%0d%0aX:1&%c0%af=%ff"), nil, 0,
	},
	{"symbols", "a template and quotation marks in the query", oddQuery("x='&filter=(&y=%7b%7b7*7%7d%7d%25s&sort=%22"), nil, 0},
	{
		"paging", "odd values of parameters that lists have",
		oddQuery("limit=-1&offset=1e400&per_page=abc&cursor=%ff&skip=NaN&size=99999999999999999999&sort=-&order="),
		(*spec.Operation).Lists, 0,
	},
	{"long", "a very long query that nests deeply", oddQuery("x" + strings.Repeat("[a]", 2500) + "=1"), nil, unsound},
}

// Headers stand together in a row where one does not keep a server from reading the others.
var oddHeaders = []oddity{
	{"accept", "an Accept that is none", oddHeader("Accept", "garbage;q=abc, */"), nil, 0},
	{
		"negotiation", "languages, character sets and codings that are none",
		oddHeader("Accept-Language", "xx-YY, en;q=abc", "Accept-Charset", "*;q=0", "Accept-Encoding", "adconform, gzip;q=abc"), nil, 0,
	},
	{"media-type", "a media type that is none", oddHeader("Content-Type", "application/;;="), nil, 0},
	{"charset", "a character set that the body does not have", oddHeader("Content-Type", "application/json; charset=utf-16"), nil, 0},
	{
		"parameters", "a character set that few know, and an odd parameter, of the media type",
		oddHeader("Content-Type", `application/json; charset=utf-32; a*=utf-8''%ff`), nil, 0,
	},
	{"coding", "a coded body", oddGzip, updates, 0},
	{"range", "a Range of unknown units", oddHeader("Range", "items=5-2,--1", "Content-Range", "bytes */*"), nil, 0},
	{
		"condition", "conditions that are none", oddHeader("If-Match", `W/"x`, "If-Modified-Since", "yesterday",
			"If-Unmodified-Since", "Sun, 06-Nov-94 99:99:99 GMT", "If-Range", `"`), nil, 0,
	},
	{
		"method", "an unknown method in headers",
		oddHeader("X-Http-Method-Override", "garbage", "X-Http-Method", "garbage", "X-Method-Override", "garbage"), nil, 0,
	},
	{
		"proxies", "odd headers of proxies", oddHeader("X-Forwarded-For", "[::1, ,999.999.999.999", "X-Real-Ip", "garbage",
			"Forwarded", `for="[;;=`, "X-Forwarded-Host", "a b[", "X-Forwarded-Proto", "gopher", "X-Forwarded-Port", "99999",
			"Via", "garbage"), nil, 0,
	},
	{"cookie", "a cookie without a value", oddHeader("Cookie", "adconform;;%ff"), nil, 0},
	{
		"browser", "odd headers of browsers", oddHeader("Origin", "http://[", "Referer", "http://[\xff",
			"User-Agent", "Mozilla/5.0 (\xff%s%n{{7*7}}", "Authorization", "Basic !!!"), nil, 0,
	},
	{
		"clients", "odd traces, preferences and versions of clients", oddHeader("Traceparent", "ff-x-y-z", "B3", "0-0-0",
			"Baggage", "é=%", "X-Request-Id", "'\xff${7*7}", "Idempotency-Key", `"`, "Prefer", "wait=abc",
			"Cache-Control", "max-age=abc", "Max-Forwards", "-1", "X-Timezone", "Mars/Phobos", "X-Api-Version", "-1'",
			"X-Tenant-Id", "99999999999999999999", "__proto__", "1", "X_Adconform", "{"), nil, 0,
	},
	{"many", "very many headers, and a very long one", oddManyHeaders, nil, unsound},
	{
		"lines", "control characters, a folded line and one without a colon in the header",
		oddWire(wire.Odd{Fields: []string{"X-Adconform-Odd: a\x00\x1b[31m\r\n b", "x"}}), nil, unsound,
	},
	{"host", "an odd Host", oddWire(wire.Odd{Without: []string{"Host"}, Fields: []string{"Host: a b[:99999"}}), nil, unsound},
}

// Odd texts stand before those that the text fields of an update would have, hostnames aside.
var oddTexts = []oddity{
	{"control", "control characters in a text", before("\x01\x1b[31m\b"), with(plainText), 0},
	{"invisible", "separators of lines, directions and no width in a text", before("\u2028\u202e\u200b"), with(plainText), 0},
	{"noncharacter", "noncharacters in a text", before("\uffff\U0010ffff"), with(plainText), 0},
	{
		"letters", "letters that map oddly, and very many accents, in a text",
		before("İıßǆ\ufdfa①" + strings.Repeat("\u0335", 60)), with(plainText), 0,
	},
	{"template", "templates and formats in a text", before("{{7*7}}${7*7}%s%n{0}{name!r}"), with(plainText), 0},
	{"formula", "a formula in a text", before("=1+1"), with(plainText), 0},
	{"path", "a path, a URL and encoded characters in a text", before(`../../x http://[ %00%c0%ae&#0;`), with(plainText), 0},
	{"word", "a word of programming languages for a text", oddWord(plainText, "__proto__"), with(plainText), 0},
	{"list", "a word of programming languages for a value of a list", oddWord(isListed, "constructor"), with(isListed), 0},
	{"address", "an address for a hostname", oddWord(hostname, "[::1"), with(hostname), 0},
	{
		"international", "a hostname in broken Punycode, and not in ASCII",
		oddWord(hostname, "xn--zzzzzz9999999.ａ。א1.example.com"), with(hostname), 0,
	},
	{"expression", "an expression that few engines have", oddWord(expression, `(?<=a*)b\p{Foo}\99(?R)`), with(expression), 0},
	{
		"nested-expression", "an expression that nests deeply",
		oddWord(expression, strings.Repeat("(", 2000)+"a"+strings.Repeat(")", 2000)), with(expression), 0,
	},
}

var oddJSON = []oddity{
	{"duplicate", "a member that comes twice with different values", oddTwice, updates, 0},
	{
		"members", "members that programs and libraries know",
		oddMember(`"__proto__":{"x":1},"constructor":1,"$ref":"#","@type":"x","a.b[0]":{},"":1,` + "\"\u2028\":1"), updates, 0,
	},
	{"operator", "an operator of a database for a value", oddValue(`{"$gt":""}`), updates, 0},
	{"large-number", "a number beyond every size", oddValue("1e400"), updates, 0},
	{"digits", "a number of very many digits", oddValue(strings.Repeat("7", 5000)), updates, 0},
	{
		"nested", "objects that nest deeply",
		oddMember(`"x":` + strings.Repeat(`{"a":`, 2000) + "1" + strings.Repeat("}", 2000)), updates, 0,
	},
	{
		"unclosed", "arrays that nest very deeply and are not closed",
		oddBytes(func(string) string { return strings.Repeat("[", 100_000) }), updates, 0,
	},
	{"surrogate", "the second half of a surrogate pair alone", oddValue(`"Teal \udc00 x"`), updates, 0},
	{"name", "a name of a member that is no text", oddMember("1:1"), updates, 0},
	{"mark", "a byte order mark", oddBytes(func(body string) string { return "\ufeff" + body }), updates, 0},
	{"utf-16", "a body in UTF-16", oddBytes(inUTF16), updates, 0},
	{
		"syntax", "a body that is nearly JSON",
		oddBytes(func(body string) string { return "{/* x */" + body[1:len(body)-1] + ",'x':NaN,}" }), updates, 0,
	},
	{"empty", "an empty body", oddBytes(func(string) string { return "" }), updates, 0},
}

var oddBodies = []oddity{
	{"form", "a form in place of JSON", oddForm, updates, 0},
	{
		"multipart", "a broken multipart body in place of JSON", oddMedia("multipart/form-data; boundary=x",
			"--x\r\nContent-Disposition: form-data; name=\"\xff\"; filename=\"../x\"\r\n\r\nx"), updates, 0,
	},
	{"xml", "XML in place of JSON", oddMedia("application/xml", `<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>`), updates, 0},
	{"binary", "bytes that are called JSON", oddMedia("application/json", "\x1f\x8b\x08\x00\x82\xa1a\x01\xff"), updates, 0},
	{"unasked", "a body that the operation does not have", oddMedia("application/json", `{"adconform":[1,`), bodiless, 0},
}

var oddFraming = []oddity{
	{"chunked", "a body in chunks, and a trailer behind them", oddChunks, updates, 0},
	{"broken-chunk", "a chunk without a size", oddFramed("zz\r\n{}\r\n0\r\n\r\n", "Transfer-Encoding: chunked"), updates, unsound},
	{
		"both-lengths", "Content-Length and an unknown Transfer-Encoding",
		oddFramed("2\r\n{}\r\n0\r\n\r\n", "Transfer-Encoding: xchunked, chunked", "Content-Length: 5"), updates, unsound,
	},
	{"content-length", "a Content-Length that is none", oddFramed("", "Content-Length: -1"), nil, unsound},
	{"cut", "a request that ends early", oddWire(wire.Odd{Cut: 10, Ends: true}), updates, unsound},
	{"expect", "a body that is not waited for", oddWire(wire.Odd{Fields: []string{"Expect: 100-continue"}}), updates, 0},
	{"version", "an odd version of HTTP", oddLine("{method} {target} HTTP/9.9x"), nil, unsound},
	{"absolute", "the whole address in the request line", oddLine("{method} {origin}{target} HTTP/1.1"), nil, 0},
}

var oddSequences = []oddity{
	{"together", "the same request several times at once", func(*Call) {}, nil, fourfold},
	{
		"then-ordinary", "an ordinary request behind one whose body may be left unread",
		oddMedia("text/plain", strings.Repeat("x", 4000)), nil, followed,
	},
}
