package specs

import (
	"strings"

	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/wire"
)

// oddParts lists the classes of odd input, by the part of a request that is odd, in the order in which
// they are tried. Findings show the words of a row; rows may be moved and reworded freely.
var oddParts = []oddPart{
	{"key", 0, []oddity{
		{"the key in two lines", func(r *Call) { r.As.Times = 2 }, 0},
		{"a key that is neither ASCII nor UTF-8", oddKey("adconformключ\xff"), 0},
		{string(finding.OddKey), oddKey("adconform{{7*7}}'%zz%s"), 0},
		{"a very long key", oddKey("adconform" + strings.Repeat("k", 9000)), unsound},
		{"the key of another user, and headers in which proxies name host and path", combined(
			Header("X-Forwarded-Host", "localhost"), Header("X-Forwarded-Prefix", "/"),
			Header("X-Forwarded-Proto", "https"), Header("X-Original-Url", "/"),
		), withID | uninvited},
	}},
	{"method", formless | mayBe501, []oddity{
		{"the method TRACE", oddMethod("TRACE"), elsewhere},
		{"the method POST", oddMethod("POST"), elsewhere},
		{"the method OPTIONS", oddMethod("OPTIONS"), elsewhere},
		// Some servers leave what follows an answer unread.
		{"an unknown method", combined(Raw, oddMethod("__proto__")), elsewhere},
		{"a method that is no token", oddWire(wire.Odd{Edits: []string{" /", "Ä{ /"}}), elsewhere | unsound},
	}},
	{"path", formless | alone, append(rowsOf(oddIDs, func(id string) oddity {
		return oddity{"an id like " + strings.Replace(id, "ID", "12", 1), oddPath(id), 0}
	}),
		oddity{"fullwidth digits behind the id", oddPath("ID%ef%bc%91"), elsewhere},
		oddity{"a word of programming languages for an id", oddPath("__proto__"), elsewhere},
		oddity{"an id of very many digits", oddPath(strings.Repeat("9", 400)), elsewhere},
		oddity{"a path that is not encoded", oddPath("IDé<\xff"), unsound},
	)},
	// In these, PAGE is the parameter that selects a page.
	{"query", 0, []oddity{
		{"an unknown query parameter", oddQuery("adconformUnknown=1"), 0},
		{"query parameters that come twice", oddQuery("PAGE=1&PAGE=2&x=1&x=2"), 0},
		{"arrays and objects in the query", oddQuery("x[]=1&x[9999999999]=2&PAGE[a]=1&x[$gt]=&__proto__[x]=1&y[=1"), 0},
		{"bad percent-encoding in the query", oddQuery("x=%zz&%=1&PAGE=%"), 0},
		{
			"control characters, and bytes that are not UTF-8, in the query",
			oddQuery("PAGE=1%00&x=%0d%0aX:1&%c0%af=%ff"), 0,
		},
		{string(finding.QuotedQuery), oddQuery("x='&filter=(&y=%7b%7b7*7%7d%7d%25s&sort=%22"), 0},
		{
			"odd values of parameters that lists have",
			oddQuery("limit=-1&offset=1e400&per_page=abc&cursor=%ff&skip=NaN&size=99999999999999999999&sort=-&order="),
			listing,
		},
		{string(finding.DeepQuery), oddQuery("x" + strings.Repeat("[a]", 2500) + "=1"), unsound},
	}},
	{"header", formless, append(headerRows(),
		oddity{"a coded body", oddGzip, updating},
		oddity{"very many headers, and a very long one", oddLines(
			strings.Repeat("X-Adconform-Odd: 1\r\n", 200) + "X-Adconform-Odd: " + strings.Repeat("x", 9000),
		), unsound},
		oddity{
			"control characters, a folded line and one without a colon in the header",
			oddLines("X-Adconform-Odd: a\x00\x1b[31m\r\n b", "x"), unsound,
		},
		oddity{"an odd Host", oddWire(wire.Odd{Edits: []string{"Host: ", "Host: a b[:99999"}}), unsound},
	)},
	{"text", plainTexts, rowsOf(oddAlphabets, func(a alphabet) oddity {
		return oddity{"characters " + a.words + " before a text", before(a.letters), 0}
	})},
	{"json", updating, []oddity{
		{"a member that comes twice with different values", oddTwice, 0},
		{
			"members that programs and libraries know",
			oddMember(`"__proto__":{"x":1},"constructor":1,"$ref":"#","@type":"x","a.b[0]":{},"":1,` + "\"\u2028\":1"),
			0,
		},
		{
			string(finding.DeepObjects),
			oddMember(`"x":` + strings.Repeat(`{"a":`, 2000) + "1" + strings.Repeat("}", 2000)), 0,
		},
		{string(finding.DeepArrays), oddBody(strings.Repeat("[", 100_000)), 0},
		{"a name of a member that is no text", oddMember("1:1"), 0},
		{"a byte order mark", oddBytes(func(body string) string { return "\ufeff" + body }), 0},
		{
			"a body in UTF-16", // of plain characters, as ordinary values are
			oddBytes(func(body string) string {
				return "\xff\xfe" + strings.Join(strings.Split(body, ""), "\x00") + "\x00"
			}), 0,
		},
		{"a body that is nearly JSON", oddBytes(func(body string) string {
			return "{/* x */" + body[1:len(body)-1] + ",'x':NaN,}"
		}), 0},
		{"an empty body", oddBody(""), 0},
	}},
	{"body", formless, []oddity{
		{"a form in place of JSON", oddForm, updating},
		{
			"a broken multipart body in place of JSON",
			oddMedia("multipart/form-data; boundary=x",
				"--x\r\nContent-Disposition: form-data; name=\"\xff\"; filename=\"../x\"\r\n\r\nx"),
			updating,
		},
		{"XML in place of JSON", oddMedia("application/xml", `<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>`), updating},
		{"bytes that are called JSON", oddMedia("application/json", "\x1f\x8b\x08\x00\x82\xa1a\x01\xff"), updating},
		{"a body that the operation does not have", oddMedia("application/json", `{"adconform":[1,`), bodiless},
	}},
	{"framing", formless | mayBe501, []oddity{
		{"a body in chunks, and a trailer behind them", oddChunks, updating},
		{
			"a chunk without a size",
			oddFramed("zz\r\n{}\r\n0\r\n\r\n", "Transfer-Encoding: chunked"), updating | unsound,
		},
		{
			"Content-Length and an unknown Transfer-Encoding",
			oddFramed("2\r\n{}\r\n0\r\n\r\n", "Transfer-Encoding: xchunked, chunked", "Content-Length: 5"),
			updating | unsound,
		},
		{"a Content-Length that is none", oddFramed("", "Content-Length: -1"), unsound},
		{"a request that ends early", oddWire(wire.Odd{Cut: 10, Ends: true}), updating | unsound},
		{"a body that is not waited for", oddLines("Expect: 100-continue"), updating},
		{"an odd version of HTTP", oddWire(wire.Odd{Edits: []string{"HTTP/1.1", "HTTP/9.9x"}}), unsound},
		{"the whole address in the request line", oddWire(wire.Odd{Edits: []string{" /", " {origin}/"}}), 0},
	}},
	{"sequence", 0, []oddity{
		{"the same request several times at once", func(*Call) {}, fourfold},
		{
			"an ordinary request behind one whose body may be left unread",
			oddMedia("text/plain", strings.Repeat("x", 4000)), followed,
		},
	}},
}

// The vocabulary that the table above and random draws share.

// alphabet is a set of characters for texts.
type alphabet struct{ words, letters string }

// plainAlphabets make texts that must come back as sent if they are accepted. For other alphabets that is open.
var (
	plainAlphabets = []alphabet{
		{"in ASCII", "n"},
		{"of two bytes", "é"},
		{"of three bytes", "日"},
		{"of four bytes", "😀"},
		{"of one to four bytes", "😀é日本🎈a🚀"},
		{"that are digits", "7"},
		{"that are labels", "a."},
		{"that are an expression", `[a]{2}(b|c)*\d?`},
		{"that are punctuation", `'"\%<&>/`},
	}
	oddAlphabets = []alphabet{
		{"that combine with others", "e\u0301\u0323👩\u200d"},
		{"that are control characters", "\x01\x1b[31m\b\x00"},
		{"that are white space", " \r\n\t"},
		{"that separate lines, set directions or have no width", "\u2028\u202e\u200b"},
		{"that are none", "\uffff\U0010ffff"},
		{"that map oddly, and are accents", "İıßǆ\ufdfa①" + strings.Repeat("\u0335", 60)},
		{"of templates and formats", "{{7*7}}${7*7}%s%n{0}{name!r}"},
		{"of a formula", "=1+1"},
		{"of a path, a URL and encoded characters", `../../x http://[ %00%c0%ae&#0;`},
	}
)

// oddValues are JSON values of fields, of each type. Those that most likely show the same are in one row with words.
var oddValues = []struct{ words, values string }{
	{"an odd number", "0 -1 10 0.1 1e400 " + strings.Repeat("7", 5000)},
	{"an odd array", `[[]] [] [null] [{"a":1}] [["x"],["y"]]`},
	{"an odd object", `{} {"id":1} {"$gt":""} {"a":{"b":[1]}}`},
	// Dates, words with a meaning to programs, hostnames and expressions.
	{"", `null true "" "null" "NaN" "0" "1e309"
		"2024-02-30" "0000-00-00" "1969-12-31" "9999-12-31T23:59:60Z" "constructor" "__proto__"
		"../../x" "C:\\con" "%s%n" "%00" "${7*7}" "]]>" "\u0000" "\ud800" "Teal\udc00x" "\ufeff" "\u0130" "ﬁ"
		"\u00a0" "\n" "--" "*" "None" "$$&"
		"(" "a{2,1}" "(?<=a)" "(?<=a*)b\\p{Foo}\\99(?R)" "127.0.0.1" "[::1" "a..b" "-a.b" "a.b:80"
		"xn--zzzzzz9999999.ａ。א1.example.com" "` +
		strings.Repeat("(", 2000) + "a" + strings.Repeat(")", 2000) + `"`},
}

// oddIDs are forms of an id, ID. A lax parser reads that id, or one far beyond those of a
// target, but never another object's.
var oddIDs = []string{
	"ID.0", "ID.5", "IDe0", "+ID", "%20ID", "ID%20", "ID%0A", "ID%00", "ID%2C",
	"ID;", "ID:", "ID@", "ID'", "ID%22", "ID%5C", "ID%7C", "ID%3F", "ID%23",
	"(ID)", "[ID]", "ID%C3%A9", "ID%F0%9F%98%80", "ID%ff", "ID/", "ID?", "ID%2F",
	"x/%2e%2e/%2fID", "ID;v=1'%7b%7b%25s.json", "ID%00%0d%0aX-Adconform:%201", "ID%ed%a0%80",
	"NaN", "null", "Infinity", "%F0%9F%98%80", "%ff", "%00", "%20", ":",
	"-2147483648", "4294967295", "9223372036854775808", "-9223372036854775808", "18446744073709551616",
}

// oddHeaders are values of headers that the interface, HTTP and proxies know, one header per line. The
// first value of each is the oddest: the table sends the first values of a row together, as long as one does not
// keep a server from reading the others, then the second ones, and so on.
var oddHeaders = []string{
	"Accept|garbage;q=abc, */|*/*|text/html|application/json;q=0|application/vnd.api+json|image/png, */*;q=0.1|,",
	"Content-Type|application/;;=|text/plain|application/merge-patch+json|" +
		"application/x-www-form-urlencoded|multipart/form-data|/",
	"Content-Type|application/json; charset=utf-16|application/json; charset=utf-8|" +
		"application/json; charset=iso-8859-1",
	"Content-Type|application/json; charset=utf-32; a*=utf-8''%ff",
	`Accept-Charset|*;q=0|utf-16
	Accept-Encoding|adconform, gzip;q=abc|gzip|identity;q=0|x
	Authorization|Basic !!!|Bearer x|Basic eDp4|x`,
	"Content-Encoding|x|identity",
	`Range|items=5-2,--1|bytes=0-|bytes=0-0|bytes=9-1|x=0-1
	Content-Range|bytes */*`,
	`If-Match|W/"x|*|"x"|x
	If-None-Match|"x|*|"x"|W/"x"|x
	If-Modified-Since|yesterday|Thu, 01 Jan 1970 00:00:00 GMT|Fri, 31 Dec 9999 23:59:59 GMT|0
	If-Unmodified-Since|Sun, 06-Nov-94 99:99:99 GMT|Thu, 01 Jan 1970 00:00:00 GMT|x
	If-Range|"`,
	`X-Http-Method-Override|garbage
	X-Http-Method|garbage
	X-Method-Override|garbage`,
	`X-Forwarded-For|[::1, ,999.999.999.999|::1|x
	X-Real-Ip|garbage
	Forwarded|for="[;;=|for=x
	X-Forwarded-Host|a b[
	X-Forwarded-Proto|gopher|https|x
	X-Forwarded-Port|99999
	Via|garbage`,
	"Cookie|adconform;;%ff|a=b|=",
	"Origin|http://[|null|https://example.com\n" +
		"Referer|http://[\xff\n" +
		"User-Agent|Mozilla/5.0 (\xff%s%n{{7*7}}|x|curl/8.0\n" +
		"X-Requested-With|XMLHttpRequest",
	`Accept-Language|xx-YY, en;q=abc|de|*|x;q=2
	Content-Language|de
	Traceparent|ff-x-y-z|00-00000000000000000000000000000000-0000000000000000-00
	B3|0-0-0
	Baggage|é=%
	X-Request-Id|'` + "\xff" + `${7*7}|00000000-0000-0000-0000-000000000000|` + strings.Repeat("x", 300) + `
	Idempotency-Key|"|x
	Prefer|wait=abc|return=minimal|respond-async|x
	Cache-Control|max-age=abc|no-cache|max-age=-1
	Max-Forwards|-1
	Te|trailers
	X-Timezone|Mars/Phobos
	X-Api-Version|-1'
	X-Tenant-Id|99999999999999999999
	__proto__|1
	X_Adconform|{`,
}
