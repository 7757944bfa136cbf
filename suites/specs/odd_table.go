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
		odd("twice", "the key in two lines", func(r *Call) { r.As.Times = 2 }),
		odd("not-ascii", "a key that is neither ASCII nor UTF-8", oddKey("adconformключ\xff")),
		odd("symbols", "a key with a template, a quotation mark and bad percent-encoding", oddKey("adconform{{7*7}}'%zz%s")),
		odd("long", "a very long key", oddKey("adconform"+strings.Repeat("k", 9000)), unsound),
		odd("strangers", "the key of another user, and headers in which proxies name host and path",
			oddHeader("X-Forwarded-Host", "localhost", "X-Forwarded-Prefix", "/", "X-Forwarded-Proto", "https", "X-Original-Url", "/"),
			withID, uninvited),
	}},
	{name: "method", formless: true, right: notImplemented, classes: []oddity{
		odd("unknown", "an unknown method", func(r *Call) { r.Method = "__proto__" }, elsewhere),
		odd("no-token", "a method that is no token", oddLine("PÄ{TCH {target} HTTP/1.1"), elsewhere, unsound),
	}},
	// In these, ID is the last id of the path.
	{name: "path", formless: true, classes: []oddity{
		odd("dot-segments", "encoded dot segments and slashes in the path", oddPath("x/%2e%2e/%2fID")),
		odd("punctuation", "parameters, quotation marks and an extension behind the id", oddPath("ID;v=1'%7b%7b%25s.json")),
		odd("control", "control characters behind the id", oddPath("ID%00%0d%0aX-Adconform:%201")),
		odd("surrogate", "half a surrogate pair behind the id", oddPath("ID%ed%a0%80")),
		odd("digits", "fullwidth digits behind the id", oddPath("ID%ef%bc%91")),
		odd("word", "a word of programming languages for an id", oddPath("__proto__"), elsewhere),
		odd("many-digits", "an id of very many digits", oddPath(strings.Repeat("9", 400)), elsewhere),
		odd("unencoded", "a path that is not encoded", oddPath("IDé<\xff"), unsound),
	}},
	// In these, PAGE is the parameter that selects a page.
	{name: "query", classes: []oddity{
		odd("twice", "query parameters that come twice", oddQuery("PAGE=1&PAGE=2&x=1&x=2")),
		odd("structure", "arrays and objects in the query", oddQuery("x[]=1&x[9999999999]=2&PAGE[a]=1&x[$gt]=&__proto__[x]=1&y[=1")),
		odd("bad-percent", "bad percent-encoding in the query", oddQuery("x=%zz&%=1&PAGE=%")),
		odd("control", "control characters, and bytes that are not UTF-8, in the query", oddQuery("PAGE=1%00&x=%0d%0aX:1&%c0%af=%ff")),
		odd("symbols", "a template and quotation marks in the query", oddQuery("x='&filter=(&y=%7b%7b7*7%7d%7d%25s&sort=%22")),
		odd("paging", "odd values of parameters that lists have",
			oddQuery("limit=-1&offset=1e400&per_page=abc&cursor=%ff&skip=NaN&size=99999999999999999999&sort=-&order="), listing),
		odd("long", "a very long query that nests deeply", oddQuery("x"+strings.Repeat("[a]", 2500)+"=1"), unsound),
	}},
	// Headers stand together in a row where one does not keep a server from reading the others.
	{name: "header", formless: true, classes: []oddity{
		odd("accept", "an Accept that is none", oddHeader("Accept", "garbage;q=abc, */")),
		odd("negotiation", "languages, character sets and codings that are none",
			oddHeader("Accept-Language", "xx-YY, en;q=abc", "Accept-Charset", "*;q=0", "Accept-Encoding", "adconform, gzip;q=abc")),
		odd("media-type", "a media type that is none", oddHeader("Content-Type", "application/;;=")),
		odd("charset", "a character set that the body does not have", oddHeader("Content-Type", "application/json; charset=utf-16")),
		odd("parameters", "a character set that few know, and an odd parameter, of the media type",
			oddHeader("Content-Type", `application/json; charset=utf-32; a*=utf-8''%ff`)),
		odd("coding", "a coded body", oddGzip, updating),
		odd("range", "a Range of unknown units", oddHeader("Range", "items=5-2,--1", "Content-Range", "bytes */*")),
		odd("condition", "conditions that are none",
			oddHeader("If-Match", `W/"x`, "If-Modified-Since", "yesterday",
				"If-Unmodified-Since", "Sun, 06-Nov-94 99:99:99 GMT", "If-Range", `"`)),
		odd("method", "an unknown method in headers",
			oddHeader("X-Http-Method-Override", "garbage", "X-Http-Method", "garbage", "X-Method-Override", "garbage")),
		odd("proxies", "odd headers of proxies",
			oddHeader("X-Forwarded-For", "[::1, ,999.999.999.999", "X-Real-Ip", "garbage", "Forwarded", `for="[;;=`,
				"X-Forwarded-Host", "a b[", "X-Forwarded-Proto", "gopher", "X-Forwarded-Port", "99999", "Via", "garbage")),
		odd("cookie", "a cookie without a value", oddHeader("Cookie", "adconform;;%ff")),
		odd("browser", "odd headers of browsers",
			oddHeader("Origin", "http://[", "Referer", "http://[\xff",
				"User-Agent", "Mozilla/5.0 (\xff%s%n{{7*7}}", "Authorization", "Basic !!!")),
		odd("clients", "odd traces, preferences and versions of clients",
			oddHeader("Traceparent", "ff-x-y-z", "B3", "0-0-0", "Baggage", "é=%", "X-Request-Id", "'\xff${7*7}", "Idempotency-Key", `"`,
				"Prefer", "wait=abc", "Cache-Control", "max-age=abc", "Max-Forwards", "-1", "X-Timezone", "Mars/Phobos",
				"X-Api-Version", "-1'", "X-Tenant-Id", "99999999999999999999", "__proto__", "1", "X_Adconform", "{")),
		odd("many", "very many headers, and a very long one", oddManyHeaders, unsound),
		odd("lines", "control characters, a folded line and one without a colon in the header",
			oddWire(wire.Odd{Fields: []string{"X-Adconform-Odd: a\x00\x1b[31m\r\n b", "x"}}), unsound),
		odd("host", "an odd Host", oddWire(wire.Odd{Without: []string{"Host"}, Fields: []string{"Host: a b[:99999"}}), unsound),
	}},
	// Odd texts stand before those that the text fields of an update would have, hostnames aside.
	{name: "text", classes: []oddity{
		before("control", "control characters in a text", "\x01\x1b[31m\b"),
		before("invisible", "separators of lines, directions and no width in a text", "\u2028\u202e\u200b"),
		before("noncharacter", "noncharacters in a text", "\uffff\U0010ffff"),
		before("letters", "letters that map oddly, and very many accents, in a text", "İıßǆ\ufdfa①"+strings.Repeat("\u0335", 60)),
		before("template", "templates and formats in a text", "{{7*7}}${7*7}%s%n{0}{name!r}"),
		before("formula", "a formula in a text", "=1+1"),
		before("path", "a path, a URL and encoded characters in a text", `../../x http://[ %00%c0%ae&#0;`),
		oddWord("word", "a word of programming languages for a text", plainText, "__proto__"),
		oddWord("list", "a word of programming languages for a value of a list", isListed, "constructor"),
		oddWord("address", "an address for a hostname", hostname, "[::1"),
		oddWord("international", "a hostname in broken Punycode, and not in ASCII", hostname, "xn--zzzzzz9999999.ａ。א1.example.com"),
		oddWord("expression", "an expression that few engines have", expression, `(?<=a*)b\p{Foo}\99(?R)`),
		oddWord("nested-expression", "an expression that nests deeply", expression, strings.Repeat("(", 2000)+"a"+strings.Repeat(")", 2000)),
	}},
	{name: "json", classes: []oddity{
		odd("duplicate", "a member that comes twice with different values", oddTwice, updating),
		odd("members", "members that programs and libraries know",
			oddMember(`"__proto__":{"x":1},"constructor":1,"$ref":"#","@type":"x","a.b[0]":{},"":1,`+"\"\u2028\":1"), updating),
		odd("operator", "an operator of a database for a value", oddValue(`{"$gt":""}`), updating),
		odd("large-number", "a number beyond every size", oddValue("1e400"), updating),
		odd("digits", "a number of very many digits", oddValue(strings.Repeat("7", 5000)), updating),
		odd("nested", "objects that nest deeply",
			oddMember(`"x":`+strings.Repeat(`{"a":`, 2000)+"1"+strings.Repeat("}", 2000)), updating),
		odd("unclosed", "arrays that nest very deeply and are not closed",
			oddBytes(func(string) string { return strings.Repeat("[", 100_000) }), updating),
		odd("surrogate", "the second half of a surrogate pair alone", oddValue(`"Teal \udc00 x"`), updating),
		odd("name", "a name of a member that is no text", oddMember("1:1"), updating),
		odd("mark", "a byte order mark", oddBytes(func(body string) string { return "\ufeff" + body }), updating),
		odd("utf-16", "a body in UTF-16", oddBytes(inUTF16), updating),
		odd("syntax", "a body that is nearly JSON",
			oddBytes(func(body string) string { return "{/* x */" + body[1:len(body)-1] + ",'x':NaN,}" }), updating),
		odd("empty", "an empty body", oddBytes(func(string) string { return "" }), updating),
	}},
	{name: "body", formless: true, classes: []oddity{
		odd("form", "a form in place of JSON", oddForm, updating),
		odd("multipart", "a broken multipart body in place of JSON",
			oddMedia("multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"\xff\"; filename=\"../x\"\r\n\r\nx"),
			updating),
		odd("xml", "XML in place of JSON", oddMedia("application/xml", `<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>`), updating),
		odd("binary", "bytes that are called JSON", oddMedia("application/json", "\x1f\x8b\x08\x00\x82\xa1a\x01\xff"), updating),
		odd("unasked", "a body that the operation does not have", oddMedia("application/json", `{"adconform":[1,`), bodiless),
	}},
	{name: "framing", formless: true, right: notImplemented, classes: []oddity{
		odd("chunked", "a body in chunks, and a trailer behind them", oddChunks, updating),
		odd("broken-chunk", "a chunk without a size", oddFramed("zz\r\n{}\r\n0\r\n\r\n", "Transfer-Encoding: chunked"), updating, unsound),
		odd("both-lengths", "Content-Length and an unknown Transfer-Encoding",
			oddFramed("2\r\n{}\r\n0\r\n\r\n", "Transfer-Encoding: xchunked, chunked", "Content-Length: 5"), updating, unsound),
		odd("content-length", "a Content-Length that is none", oddFramed("", "Content-Length: -1"), unsound),
		odd("cut", "a request that ends early", oddWire(wire.Odd{Cut: 10, Ends: true}), updating, unsound),
		odd("expect", "a body that is not waited for", oddWire(wire.Odd{Fields: []string{"Expect: 100-continue"}}), updating),
		odd("version", "an odd version of HTTP", oddLine("{method} {target} HTTP/9.9x"), unsound),
		odd("absolute", "the whole address in the request line", oddLine("{method} {origin}{target} HTTP/1.1")),
	}},
	{name: "sequence", classes: []oddity{
		odd("together", "the same request several times at once", func(*Call) {}, fourfold),
		odd("then-ordinary", "an ordinary request behind one whose body may be left unread",
			oddMedia("text/plain", strings.Repeat("x", 4000)), followed),
	}},
}

var notImplemented = []int{http.StatusNotImplemented, http.StatusHTTPVersionNotSupported}
