package specs

import (
	"net/http"
	"strings"

	"github.com/adconform/adconform/suites/wire"
)

// oddParts are the classes of odd input, by the part of a request that is odd, in the order in which
// they are tried. Findings say the name that a row has; a row is moved or reworded freely.
var oddParts = []oddPart{
	{name: "key", classes: []oddity{
		{"twice", "the key in two lines", func(r *Call) { r.As.Times = 2 }, 0},
		{"not-ascii", "a key that is neither ASCII nor UTF-8", oddKey("adconformключ\xff"), 0},
		{"symbols", "a key with a template, a quotation mark and bad percent-encoding", oddKey("adconform{{7*7}}'%zz%s"), 0},
		{"long", "a very long key", oddKey("adconform" + strings.Repeat("k", 9000)), unsound},
		{
			"strangers", "the key of another user, and headers in which proxies name host and path",
			oddHeader("X-Forwarded-Host", "localhost", "X-Forwarded-Prefix", "/", "X-Forwarded-Proto", "https", "X-Original-Url", "/"),
			withID | uninvited,
		},
	}},
	{name: "method", formless: true, right: notImplemented, classes: []oddity{
		{"unknown", "an unknown method", func(r *Call) { r.Method = "__proto__" }, elsewhere},
		{"no-token", "a method that is no token", oddWire(wire.Odd{Line: "PÄ{TCH {target} HTTP/1.1"}), elsewhere | unsound},
	}},
	// In these, ID is the last id of the path.
	{name: "path", formless: true, classes: []oddity{
		{"dot-segments", "encoded dot segments and slashes in the path", oddPath("x/%2e%2e/%2fID"), 0},
		{"punctuation", "parameters, quotation marks and an extension behind the id", oddPath("ID;v=1'%7b%7b%25s.json"), 0},
		{"control", "control characters behind the id", oddPath("ID%00%0d%0aX-Adconform:%201"), 0},
		{"surrogate", "half a surrogate pair behind the id", oddPath("ID%ed%a0%80"), 0},
		{"digits", "fullwidth digits behind the id", oddPath("ID%ef%bc%91"), elsewhere},
		{"word", "a word of programming languages for an id", oddPath("__proto__"), elsewhere},
		{"many-digits", "an id of very many digits", oddPath(strings.Repeat("9", 400)), elsewhere},
		{"unencoded", "a path that is not encoded", oddPath("IDé<\xff"), unsound},
	}},
	// In these, PAGE is the parameter that selects a page.
	{name: "query", classes: []oddity{
		{"twice", "query parameters that come twice", oddQuery("PAGE=1&PAGE=2&x=1&x=2"), 0},
		{"structure", "arrays and objects in the query", oddQuery("x[]=1&x[9999999999]=2&PAGE[a]=1&x[$gt]=&__proto__[x]=1&y[=1"), 0},
		{"bad-percent", "bad percent-encoding in the query", oddQuery("x=%zz&%=1&PAGE=%"), 0},
		{"control", "control characters, and bytes that are not UTF-8, in the query", oddQuery("PAGE=1%00&x=%0d%0aX:1&%c0%af=%ff"), 0},
		{"symbols", "a template and quotation marks in the query", oddQuery("x='&filter=(&y=%7b%7b7*7%7d%7d%25s&sort=%22"), 0},
		{
			"paging", "odd values of parameters that lists have",
			oddQuery("limit=-1&offset=1e400&per_page=abc&cursor=%ff&skip=NaN&size=99999999999999999999&sort=-&order="), listing,
		},
		{"long", "a very long query that nests deeply", oddQuery("x" + strings.Repeat("[a]", 2500) + "=1"), unsound},
	}},
	// Headers stand together in a row where one does not keep a server from reading the others.
	{name: "header", formless: true, classes: []oddity{
		{"accept", "an Accept that is none", oddHeader("Accept", "garbage;q=abc, */"), 0},
		{
			"negotiation", "languages, character sets and codings that are none",
			oddHeader("Accept-Language", "xx-YY, en;q=abc", "Accept-Charset", "*;q=0", "Accept-Encoding", "adconform, gzip;q=abc"), 0,
		},
		{"media-type", "a media type that is none", oddHeader("Content-Type", "application/;;="), 0},
		{"charset", "a character set that the body does not have", oddHeader("Content-Type", "application/json; charset=utf-16"), 0},
		{
			"parameters", "a character set that few know, and an odd parameter, of the media type",
			oddHeader("Content-Type", `application/json; charset=utf-32; a*=utf-8''%ff`), 0,
		},
		{"coding", "a coded body", oddGzip, updating},
		{"range", "a Range of unknown units", oddHeader("Range", "items=5-2,--1", "Content-Range", "bytes */*"), 0},
		{
			"condition", "conditions that are none",
			oddHeader("If-Match", `W/"x`, "If-Modified-Since", "yesterday",
				"If-Unmodified-Since", "Sun, 06-Nov-94 99:99:99 GMT", "If-Range", `"`), 0,
		},
		{
			"method", "an unknown method in headers",
			oddHeader("X-Http-Method-Override", "garbage", "X-Http-Method", "garbage", "X-Method-Override", "garbage"), 0,
		},
		{
			"proxies", "odd headers of proxies",
			oddHeader("X-Forwarded-For", "[::1, ,999.999.999.999", "X-Real-Ip", "garbage", "Forwarded", `for="[;;=`,
				"X-Forwarded-Host", "a b[", "X-Forwarded-Proto", "gopher", "X-Forwarded-Port", "99999", "Via", "garbage"), 0,
		},
		{"cookie", "a cookie without a value", oddHeader("Cookie", "adconform;;%ff"), 0},
		{
			"browser", "odd headers of browsers",
			oddHeader("Origin", "http://[", "Referer", "http://[\xff",
				"User-Agent", "Mozilla/5.0 (\xff%s%n{{7*7}}", "Authorization", "Basic !!!"), 0,
		},
		{
			"clients", "odd traces, preferences and versions of clients",
			oddHeader("Traceparent", "ff-x-y-z", "B3", "0-0-0", "Baggage", "é=%", "X-Request-Id", "'\xff${7*7}", "Idempotency-Key", `"`,
				"Prefer", "wait=abc", "Cache-Control", "max-age=abc", "Max-Forwards", "-1", "X-Timezone", "Mars/Phobos",
				"X-Api-Version", "-1'", "X-Tenant-Id", "99999999999999999999", "__proto__", "1", "X_Adconform", "{"), 0,
		},
		{"many", "very many headers, and a very long one", oddManyHeaders, unsound},
		{
			"lines", "control characters, a folded line and one without a colon in the header",
			oddWire(wire.Odd{Fields: []string{"X-Adconform-Odd: a\x00\x1b[31m\r\n b", "x"}}), unsound,
		},
		{"host", "an odd Host", oddWire(wire.Odd{Without: []string{"Host"}, Fields: []string{"Host: a b[:99999"}}), unsound},
	}},
	// Odd texts stand before those that the text fields of an update would have, hostnames aside.
	{name: "text", classes: []oddity{
		{"control", "control characters in a text", before("\x01\x1b[31m\b"), plainTexts},
		{"invisible", "separators of lines, directions and no width in a text", before("\u2028\u202e\u200b"), plainTexts},
		{"noncharacter", "noncharacters in a text", before("\uffff\U0010ffff"), plainTexts},
		{
			"letters", "letters that map oddly, and very many accents, in a text", before("İıßǆ\ufdfa①" + strings.Repeat("\u0335", 60)),
			plainTexts,
		},
		{"template", "templates and formats in a text", before("{{7*7}}${7*7}%s%n{0}{name!r}"), plainTexts},
		{"formula", "a formula in a text", before("=1+1"), plainTexts},
		{"path", "a path, a URL and encoded characters in a text", before(`../../x http://[ %00%c0%ae&#0;`), plainTexts},
		{"word", "a word of programming languages for a text", instead(plainTexts, "__proto__"), plainTexts},
		{"list", "a word of programming languages for a value of a list", instead(listedTexts, "constructor"), listedTexts},
		{"address", "an address for a hostname", instead(hostnames, "[::1"), hostnames},
		{"international", "a hostname in broken Punycode, and not in ASCII", instead(hostnames, "xn--zzzzzz9999999.ａ。א1.example.com"), hostnames},
		{"expression", "an expression that few engines have", instead(expressions, `(?<=a*)b\p{Foo}\99(?R)`), expressions},
		{
			"nested-expression", "an expression that nests deeply", instead(expressions, strings.Repeat("(", 2000)+"a"+strings.Repeat(")", 2000)),
			expressions,
		},
	}},
	{name: "json", classes: []oddity{
		{"duplicate", "a member that comes twice with different values", oddTwice, updating},
		{
			"members", "members that programs and libraries know",
			oddMember(`"__proto__":{"x":1},"constructor":1,"$ref":"#","@type":"x","a.b[0]":{},"":1,` + "\"\u2028\":1"), updating,
		},
		{"operator", "an operator of a database for a value", oddValue(`{"$gt":""}`), updating},
		{"large-number", "a number beyond every size", oddValue("1e400"), updating},
		{"digits", "a number of very many digits", oddValue(strings.Repeat("7", 5000)), updating},
		{
			"nested", "objects that nest deeply",
			oddMember(`"x":` + strings.Repeat(`{"a":`, 2000) + "1" + strings.Repeat("}", 2000)), updating,
		},
		{
			"unclosed", "arrays that nest very deeply and are not closed",
			oddBytes(func(string) string { return strings.Repeat("[", 100_000) }), updating,
		},
		{"surrogate", "the second half of a surrogate pair alone", oddValue(`"Teal \udc00 x"`), updating},
		{"name", "a name of a member that is no text", oddMember("1:1"), updating},
		{"mark", "a byte order mark", oddBytes(func(body string) string { return "\ufeff" + body }), updating},
		{"utf-16", "a body in UTF-16", oddBytes(inUTF16), updating},
		{
			"syntax", "a body that is nearly JSON",
			oddBytes(func(body string) string { return "{/* x */" + body[1:len(body)-1] + ",'x':NaN,}" }), updating,
		},
		{"empty", "an empty body", oddBytes(func(string) string { return "" }), updating},
	}},
	{name: "body", formless: true, classes: []oddity{
		{"form", "a form in place of JSON", oddForm, updating},
		{
			"multipart", "a broken multipart body in place of JSON",
			oddMedia("multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"\xff\"; filename=\"../x\"\r\n\r\nx"),
			updating,
		},
		{"xml", "XML in place of JSON", oddMedia("application/xml", `<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>`), updating},
		{"binary", "bytes that are called JSON", oddMedia("application/json", "\x1f\x8b\x08\x00\x82\xa1a\x01\xff"), updating},
		{"unasked", "a body that the operation does not have", oddMedia("application/json", `{"adconform":[1,`), bodiless},
	}},
	{name: "framing", formless: true, right: notImplemented, classes: []oddity{
		{"chunked", "a body in chunks, and a trailer behind them", oddChunks, updating},
		{"broken-chunk", "a chunk without a size", oddFramed("zz\r\n{}\r\n0\r\n\r\n", "Transfer-Encoding: chunked"), updating | unsound},
		{
			"both-lengths", "Content-Length and an unknown Transfer-Encoding",
			oddFramed("2\r\n{}\r\n0\r\n\r\n", "Transfer-Encoding: xchunked, chunked", "Content-Length: 5"), updating | unsound,
		},
		{"content-length", "a Content-Length that is none", oddFramed("", "Content-Length: -1"), unsound},
		{"cut", "a request that ends early", oddWire(wire.Odd{Cut: 10, Ends: true}), updating | unsound},
		{"expect", "a body that is not waited for", oddWire(wire.Odd{Fields: []string{"Expect: 100-continue"}}), updating},
		{"version", "an odd version of HTTP", oddWire(wire.Odd{Line: "{method} {target} HTTP/9.9x"}), unsound},
		{"absolute", "the whole address in the request line", oddWire(wire.Odd{Line: "{method} {origin}{target} HTTP/1.1"}), 0},
	}},
	{name: "sequence", classes: []oddity{
		{"together", "the same request several times at once", func(*Call) {}, fourfold},
		{
			"then-ordinary", "an ordinary request behind one whose body may be left unread",
			oddMedia("text/plain", strings.Repeat("x", 4000)), followed,
		},
	}},
}

var notImplemented = []int{http.StatusNotImplemented, http.StatusHTTPVersionNotSupported}
