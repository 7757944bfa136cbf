package specs

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	. "github.com/adconform/adconform/suites/match"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// Input that nobody listed: a request of each class of odd_input.go, by the part of it that
// is odd. Only what no conforming server does is judged: 5xx, broken HTTP or JSON, an error
// object off its form, effects of what was refused. Any 4xx is right.
var unlistedInput = Behaviour{Of: EveryOperation, Specs: func(s *Specs, op *spec.Operation) {
	judged := []string{"HTTP-1", "HTTP-2", "JSON-1"}
	if op.Updates() {
		judged = append(judged, "EFFECT-1")
	}
	for _, part := range oddParts {
		classes := part.forOperation(op)
		if len(classes) == 0 {
			continue
		}
		title := "Whatever is odd about the " + part.name + " of a request, the server does not fail, and what is refused changes nothing."
		s.It("fuzz-"+part.name, title, Class("open"), Deep, s.OrUnknown(), Clause(judged...),
			func(c *Case) {
				o := object(c)
				if op.Deletes() {
					o = c.Known().UnknownObject(op)
				}
				if op.Updates() && !o.Nowhere() {
					c.Probe(o)
				}
				sent := false
				for _, class := range classes {
					sent = part.try(c, o, class) || sent
				}
				if !sent {
					c.NotTested(ByTarget, "no such request can be sent on the connections that the target takes")
				}
			})
	}
}}

// forOperation are the classes that an operation can be sent.
func (p *oddPart) forOperation(op *spec.Operation) []oddity {
	return slices.DeleteFunc(slices.Clone(p.classes), func(o oddity) bool { return o.of != nil && !o.of(op) })
}

// try sends the request of a class, reads back what was refused, and sets the object anew where
// it is not known what it holds. It says whether the request could be sent.
func (p *oddPart) try(c *Case, o *Object, class oddity) bool {
	named := o
	if class.apart {
		named = c.Known().UnknownObject(o.Op)
	}
	if class.refused && (named.Nowhere() || c.Target.Credentials.Stranger == "") || p.name == "method" && c.Session.Shared.ReadOnly {
		return false
	}
	plain := Wrong(c, named)
	plain.Path = named.Path()
	if !o.Op.Updates() {
		plain.Object = nil // what it shows, or does, is remembered of nothing
	}
	request := p.request(c, class, plain)
	send := class.send
	if send == nil {
		send = sentOnce
	}
	for range 2 { // an answer may be lost by chance, but not twice
		answers := send(c, request, plain)
		for i, a := range answers {
			switch {
			case a.Call == nil: // the target takes no more
				return true
			case class.refused:
				c.Expect(a).To(BeRefused().Citing("AUTH-2"))
			case i > 0 && class.name == "then-ordinary" && !named.Nowhere():
				c.Expect(a).To(BeAccepted())
			default:
				c.Judge(a, p.expect(class, &request))
			}
		}
		if o.Op.Updates() && !named.Nowhere() {
			o.Uncertain = o.Uncertain || len(answers) > 1 // which came last is not known
			settle(c, o)
		}
		err := answers[len(answers)-1].Exchange.Err
		if err != nil && err.Kind == wire.BadRequest {
			return false
		}
		if err == nil || request.Malformed {
			break
		}
	}
	return true
}

// settle reads the object back, and sets it anew where it is not known what it holds.
func settle(c *Case, o *Object) {
	c.VerifyNoTraceOf(o)
	if o.Uncertain {
		c.Write(o, c.Ordinary(o, 1))
	}
}

// large is the size in bytes from which a server may answer before it has read a body, and end
// the connection then.
const large = 16 << 10

// request is a plain one with what is odd about the class.
func (p *oddPart) request(c *Case, class oddity, plain Call) Call {
	r := plain
	r.Method, r.Target = r.Op.Method, r.Op.At(r.Path...)
	r.Sent = &oracle.Sent{At: "request:" + p.name + "/" + class.name, What: class.words}
	if r.Body != nil {
		r.Body = &oracle.Body{Fields: maps.Clone(plain.Body.Fields), Raw: plain.Body.Raw}
	}
	class.change(c, &r)
	r.Malformed = class.malformed || r.Body != nil && len(r.Body.Raw) > large
	return r
}

// expect says which answers to a class are right.
func (p *oddPart) expect(class oddity, r *Call) oracle.Expect {
	return oracle.Expect{
		OnlyCrash: true, Unlisted: true, Statuses: p.right,
		ErrorForm: !p.formless && !class.malformed && r.Method == r.Op.Method,
	}
}

// How the requests of a class are sent.

func sentOnce(c *Case, odd, _ Call) []*judge.Answer { return []*judge.Answer{c.Send(odd)} }

func sentTogether(c *Case, odd, _ Call) []*judge.Answer { return c.SendTogether(odd, odd, odd, odd) }

func sentFirst(c *Case, odd, plain Call) []*judge.Answer { return c.SendInOrder(odd, plain) }

// oddity is one class of odd input: a way in which a request differs from the valid one of
// its operation. One request of it is sent to each operation that it is for.
type oddity struct {
	name, words string // "accept", "an Accept that is none"
	change      oddChange
	of          func(*spec.Operation) bool                     // nil: every operation
	send        func(c *Case, odd, plain Call) []*judge.Answer // nil: the request, once
	apart       bool                                           // goes to unknown ids: it may reach or do something else
	malformed   bool                                           // is no valid HTTP, or more than a server need take
	refused     bool                                           // comes from a user who may not have the object
}

// oddPart is a part of a request with what can be odd about it.
type oddPart struct {
	name     string
	formless bool  // a refusal need not have the error object: it may come from before the operation
	right    []int // statuses of 5xx that a conforming server may answer
	classes  []oddity
}

// oddParts are the parts in the order in which they are tried. A name that a row has is said by
// findings; a row is moved or reworded freely.
var oddParts = []oddPart{
	{"key", false, nil, oddKeys},
	{"method", true, []int{http.StatusNotImplemented, http.StatusHTTPVersionNotSupported}, oddMethods},
	{"path", true, nil, oddPaths},
	{"query", false, nil, oddQueries},
	{"header", true, nil, oddHeaders},
	{"text", false, nil, oddTexts},
	{"json", false, nil, oddJSON},
	{"body", true, nil, oddBodies},
	{"framing", true, []int{http.StatusNotImplemented, http.StatusHTTPVersionNotSupported}, oddFraming},
	{"sequence", false, nil, oddSequences},
}

var oddKeys = []oddity{
	{name: "twice", words: "the key in two lines", change: func(_ *Case, r *Call) { r.As.Times = 2 }},
	{name: "not-ascii", words: "a key that is neither ASCII nor UTF-8", change: oddKey("adconformключ\xff")},
	{name: "symbols", words: "a key with a template, a quotation mark and bad percent-encoding", change: oddKey("adconform{{7*7}}'%zz%s")},
	{name: "long", words: "a very long key", change: oddKey("adconform" + strings.Repeat("k", 9000)), malformed: true},
	{
		name: "strangers", words: "the key of another user, and headers in which proxies name host and path", of: NamesAnObject, refused: true,
		change: func(c *Case, r *Call) {
			r.As = c.Stranger()
			oddHeader("X-Forwarded-Host", "localhost", "X-Forwarded-Prefix", "/", "X-Forwarded-Proto", "https", "X-Original-Url", "/")(c, r)
		},
	},
}

var oddMethods = []oddity{
	{name: "unknown", words: "an unknown method", change: func(_ *Case, r *Call) { r.Method = "__proto__" }, apart: true},
	{name: "no-token", words: "a method that is no token", change: oddLine("PÄ{TCH {target} HTTP/1.1"), apart: true, malformed: true},
}

// In these, ID is the last id of the path.
var oddPaths = []oddity{
	{name: "dot-segments", words: "encoded dot segments and slashes in the path", change: oddPath("x/%2e%2e/%2fID")},
	{name: "punctuation", words: "parameters, quotation marks and an extension behind the id", change: oddPath("ID;v=1'%7b%7b%25s.json")},
	{name: "control", words: "control characters behind the id", change: oddPath("ID%00%0d%0aX-Adconform:%201")},
	{name: "surrogate", words: "half a surrogate pair behind the id", change: oddPath("ID%ed%a0%80")},
	{name: "digits", words: "fullwidth digits behind the id", change: oddPath("ID%ef%bc%91")},
	{name: "word", words: "a word of programming languages for an id", change: oddPath("__proto__"), apart: true},
	{name: "many-digits", words: "an id of very many digits", change: oddPath(strings.Repeat("9", 400)), apart: true},
	{name: "unencoded", words: "a path that is not encoded", change: oddPath("IDé<\xff"), malformed: true},
}

// In these, PAGE is the parameter that selects a page.
var oddQueries = []oddity{
	{name: "twice", words: "query parameters that come twice", change: oddQuery("PAGE=1&PAGE=2&x=1&x=2")},
	{
		name: "structure", words: "arrays and objects in the query",
		change: oddQuery("x[]=1&x[9999999999]=2&PAGE[a]=1&x[$gt]=&__proto__[x]=1&y[=1"),
	},
	{name: "bad-percent", words: "bad percent-encoding in the query", change: oddQuery("x=%zz&%=1&PAGE=%")},
	{
		name: "control", words: "control characters, and bytes that are not UTF-8, in the query",
		change: oddQuery("PAGE=1%00&x=%0d%0aX:1&%c0%af=%ff"),
	},
	{name: "symbols", words: "a template and quotation marks in the query", change: oddQuery("x='&filter=(&y=%7b%7b7*7%7d%7d%25s&sort=%22")},
	{
		name: "paging", words: "odd values of parameters that lists have", of: (*spec.Operation).Lists,
		change: oddQuery("limit=-1&offset=1e400&per_page=abc&cursor=%ff&skip=NaN&size=99999999999999999999&sort=-&order="),
	},
	{name: "long", words: "a very long query that nests deeply", change: oddQuery("x" + strings.Repeat("[a]", 2500) + "=1"), malformed: true},
}

// Headers stand together in a row where one does not keep a server from reading the others.
var oddHeaders = []oddity{
	{name: "accept", words: "an Accept that is none", change: oddHeader("Accept", "garbage;q=abc, */")},
	{
		name: "negotiation", words: "languages, character sets and codings that are none",
		change: oddHeader("Accept-Language", "xx-YY, en;q=abc", "Accept-Charset", "*;q=0", "Accept-Encoding", "adconform, gzip;q=abc"),
	},
	{name: "media-type", words: "a media type that is none", change: oddHeader("Content-Type", "application/;;=")},
	{
		name: "charset", words: "a character set that the body does not have",
		change: oddHeader("Content-Type", "application/json; charset=utf-16"),
	},
	{
		name: "parameters", words: "a character set that few know, and an odd parameter, of the media type",
		change: oddHeader("Content-Type", `application/json; charset=utf-32; a*=utf-8''%ff`),
	},
	{name: "coding", words: "a coded body", of: Updates, change: oddGzip},
	{name: "range", words: "a Range of unknown units", change: oddHeader("Range", "items=5-2,--1", "Content-Range", "bytes */*")},
	{name: "condition", words: "conditions that are none", change: oddHeader(
		"If-Match", `W/"x`, "If-Modified-Since", "yesterday", "If-Unmodified-Since", "Sun, 06-Nov-94 99:99:99 GMT", "If-Range", `"`)},
	{name: "method", words: "an unknown method in headers", change: oddHeader(
		"X-Http-Method-Override", "garbage", "X-Http-Method", "garbage", "X-Method-Override", "garbage")},
	{name: "proxies", words: "odd headers of proxies", change: oddHeader(
		"X-Forwarded-For", "[::1, ,999.999.999.999", "X-Real-Ip", "garbage", "Forwarded", `for="[;;=`, "X-Forwarded-Host", "a b[",
		"X-Forwarded-Proto", "gopher", "X-Forwarded-Port", "99999", "Via", "garbage")},
	{name: "cookie", words: "a cookie without a value", change: oddHeader("Cookie", "adconform;;%ff")},
	{name: "browser", words: "odd headers of browsers", change: oddHeader(
		"Origin", "http://[", "Referer", "http://[\xff", "User-Agent", "Mozilla/5.0 (\xff%s%n{{7*7}}", "Authorization", "Basic !!!")},
	{name: "clients", words: "odd traces, preferences and versions of clients", change: oddHeader(
		"Traceparent", "ff-x-y-z", "B3", "0-0-0", "Baggage", "é=%", "X-Request-Id", "'\xff${7*7}", "Idempotency-Key", `"`,
		"Prefer", "wait=abc", "Cache-Control", "max-age=abc", "Max-Forwards", "-1", "X-Timezone", "Mars/Phobos",
		"X-Api-Version", "-1'", "X-Tenant-Id", "99999999999999999999", "__proto__", "1", "X_Adconform", "{")},
	{name: "many", words: "very many headers, and a very long one", change: oddManyHeaders, malformed: true},
	{
		name: "lines", words: "control characters, a folded line and one without a colon in the header", malformed: true,
		change: oddWire(wire.Odd{Fields: []string{"X-Adconform-Odd: a\x00\x1b[31m\r\n b", "x"}}),
	},
	{
		name: "host", words: "an odd Host", malformed: true,
		change: oddWire(wire.Odd{Without: []string{"Host"}, Fields: []string{"Host: a b[:99999"}}),
	},
}

// Odd texts stand before those that the text fields of an update would have, hostnames aside.
var oddTexts = []oddity{
	{name: "control", words: "control characters in a text", of: with(freeText), change: oddText("\x01\x1b[31m\b")},
	{
		name: "invisible", words: "separators of lines, directions and no width in a text", of: with(freeText),
		change: oddText("\u2028\u202e\u200b"),
	},
	{name: "noncharacter", words: "noncharacters in a text", of: with(freeText), change: oddText("\uffff\U0010ffff")},
	{
		name: "letters", words: "letters that map oddly, and very many accents, in a text", of: with(freeText),
		change: oddText("İıßǆ\ufdfa①" + strings.Repeat("\u0335", 60)),
	},
	{name: "template", words: "templates and formats in a text", of: with(freeText), change: oddText("{{7*7}}${7*7}%s%n{0}{name!r}")},
	{name: "formula", words: "a formula in a text", of: with(freeText), change: oddText("=1+1")},
	{
		name: "path", words: "a path, a URL and encoded characters in a text", of: with(freeText),
		change: oddText(`../../x http://[ %00%c0%ae&#0;`),
	},
	{name: "word", words: "a word of programming languages for a text", of: with(freeText), change: oddWord(freeText, "__proto__")},
	{
		name: "list", words: "a word of programming languages for a value of a list", of: with(listedText),
		change: oddWord(listedText, "constructor"),
	},
	{name: "address", words: "an address for a hostname", of: with(hostname), change: oddWord(hostname, "[::1")},
	{
		name: "international", words: "a hostname in broken Punycode, and not in ASCII", of: with(hostname),
		change: oddWord(hostname, "xn--zzzzzz9999999.ａ。א1.example.com"),
	},
	{
		name: "expression", words: "an expression that few engines have", of: with(expression),
		change: oddWord(expression, `(?<=a*)b\p{Foo}\99(?R)`),
	},
	{
		name: "nested-expression", words: "an expression that nests deeply", of: with(expression),
		change: oddWord(expression, strings.Repeat("(", 2000)+"a"+strings.Repeat(")", 2000)),
	},
}

var oddJSON = []oddity{
	{name: "duplicate", words: "a member that comes twice with different values", of: Updates, change: oddTwice},
	{
		name: "members", words: "members that programs and libraries know", of: Updates,
		change: oddMember(`"__proto__":{"x":1},"constructor":1,"$ref":"#","@type":"x","a.b[0]":{},"":1,` + "\"\u2028\":1"),
	},
	{name: "operator", words: "an operator of a database for a value", of: Updates, change: oddValue(`{"$gt":""}`)},
	{name: "large-number", words: "a number beyond every size", of: Updates, change: oddValue("1e400")},
	{name: "digits", words: "a number of very many digits", of: Updates, change: oddValue(strings.Repeat("7", 5000))},
	{
		name: "nested", words: "objects that nest deeply", of: Updates,
		change: oddMember(`"x":` + strings.Repeat(`{"a":`, 2000) + "1" + strings.Repeat("}", 2000)),
	},
	{
		name: "unclosed", words: "arrays that nest very deeply and are not closed", of: Updates,
		change: oddBytes(func(string) string { return strings.Repeat("[", 100_000) }),
	},
	{name: "surrogate", words: "the second half of a surrogate pair alone", of: Updates, change: oddValue(`"Teal \udc00 x"`)},
	{name: "name", words: "a name of a member that is no text", of: Updates, change: oddMember("1:1")},
	{name: "mark", words: "a byte order mark", of: Updates, change: oddBytes(func(body string) string { return "\ufeff" + body })},
	{name: "utf-16", words: "a body in UTF-16", of: Updates, change: oddBytes(inUTF16)},
	{
		name: "syntax", words: "a body that is nearly JSON", of: Updates,
		change: oddBytes(func(body string) string { return "{/* x */" + body[1:len(body)-1] + ",'x':NaN,}" }),
	},
	{name: "empty", words: "an empty body", of: Updates, change: oddBytes(func(string) string { return "" })},
}

var oddBodies = []oddity{
	{name: "form", words: "a form in place of JSON", of: Updates, change: oddForm},
	{name: "multipart", words: "a broken multipart body in place of JSON", of: Updates, change: oddMedia("multipart/form-data; boundary=x",
		"--x\r\nContent-Disposition: form-data; name=\"\xff\"; filename=\"../x\"\r\n\r\nx")},
	{
		name: "xml", words: "XML in place of JSON", of: Updates,
		change: oddMedia("application/xml", `<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>`),
	},
	{
		name: "binary", words: "bytes that are called JSON", of: Updates,
		change: oddMedia("application/json", "\x1f\x8b\x08\x00\x82\xa1a\x01\xff"),
	},
	{
		name: "unasked", words: "a body that the operation does not have", of: bodiless,
		change: oddMedia("application/json", `{"adconform":[1,`),
	},
}

var oddFraming = []oddity{
	{name: "chunked", words: "a body in chunks, and a trailer behind them", of: Updates, change: oddChunks},
	{name: "broken-chunk", words: "a chunk without a size", of: Updates, malformed: true, change: oddFramed(
		"zz\r\n{}\r\n0\r\n\r\n", "Transfer-Encoding: chunked")},
	{name: "both-lengths", words: "Content-Length and an unknown Transfer-Encoding", of: Updates, malformed: true, change: oddFramed(
		"2\r\n{}\r\n0\r\n\r\n", "Transfer-Encoding: xchunked, chunked", "Content-Length: 5")},
	{name: "content-length", words: "a Content-Length that is none", malformed: true, change: oddFramed("", "Content-Length: -1")},
	{name: "cut", words: "a request that ends early", of: Updates, malformed: true, change: oddWire(wire.Odd{Cut: 10, Ends: true})},
	{
		name: "expect", words: "a body that is not waited for", of: Updates,
		change: oddWire(wire.Odd{Fields: []string{"Expect: 100-continue"}}),
	},
	{name: "version", words: "an odd version of HTTP", malformed: true, change: oddLine("{method} {target} HTTP/9.9x")},
	{name: "absolute", words: "the whole address in the request line", change: oddLine("{method} {origin}{target} HTTP/1.1")},
}

var oddSequences = []oddity{
	{name: "together", words: "the same request several times at once", change: asItIs, send: sentTogether},
	{
		name: "then-ordinary", words: "an ordinary request behind one whose body may be left unread", send: sentFirst,
		change: oddMedia("text/plain", strings.Repeat("x", 4000)),
	},
}
