package fuzz

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/adconform/adconform/spec"
)

// queried asks with texts, in which PAGE is the parameter that selects a page, page where
// there is none.
func queried(id, words string, texts ...string) *class {
	return &class{id: id, words: words, adds: true, texts: texts, change: func(d *draft, text string, _ int) {
		d.ask(strings.ReplaceAll(text, "PAGE", cmp.Or(d.t.PageParameter(d.op), "page")))
	}}
}

// ask puts a query behind that which is there.
func (d *draft) ask(query string) {
	if d.query != nil {
		query = *d.query + "&" + query
	}
	d.query = &query
}

// pageParameters select a part of a list, after that of the document.
var pageParameters = []string{"", "limit", "offset", "per_page", "pageSize", "size", "page[number]", "cursor", "skip", "top"}

// paged gives texts as page, or as another of the parameters that lists have.
func paged(id, words string, texts ...string) *class {
	return &class{
		id: id, words: words, of: (*spec.Operation).Lists, adds: true, texts: texts, names: pageParameters,
		change: func(d *draft, text string, n int) {
			d.ask(cmp.Or(pageParameters[n%len(pageParameters)], d.t.PageParameter(d.op), "page") + "=" + text)
		},
	}
}

// repeated asks with a text that is repeated.
func repeated(id, words string, sizes []int, most int, query func(n int) string) *class {
	return &class{id: id, words: words, formless: true, malformed: true, sizes: sizes, most: most, change: func(d *draft, _ string, n int) {
		d.ask(query(n))
	}}
}

var queryClasses = []*class{
	quietly(queried("query/unknown", "an unknown query", "adconform=1", "x", "debug=true", "v=2", "_=1")),
	queried("query/empty", "an empty query", "", "&", "&&&", "=", "=1", "?", "&=&"),
	queried("query/twice", "a query parameter that comes twice", "PAGE=1&PAGE=1", "PAGE=1&PAGE=2", "x=1&x=2", "PAGE=&PAGE=1", "x=1&X=2"),
	queried("query/no-value", "a query parameter without a value", "PAGE", "PAGE=", "PAGE&x", "PAGE=%20"),
	queried("query/bad-percent", "bad percent-encoding in the query", "PAGE=%", "x=%zz", "%=1", "x=%2", "x=%u0031", "%zz=%zz"),
	queried("query/invalid-utf8", "a query that is not UTF-8", "PAGE=%ff", "%ff=1", "x=%c0%af", "x=%ed%a0%80", "x=%e2%28"),
	queried("query/nul", "U+0000 in the query", "PAGE=%00", "x=1%00", "%00=1", "PAGE=1%00"),
	queried("query/control", "control characters in the query", "x=%01", "x=%0d%0aX-Adconform:%201", "PAGE=1%0a", "x=%7f", "x=%1b[31m"),
	queried("query/array", "an array in the query", "PAGE[]=1", "PAGE[0]=1", "x[]=1&x[]=2", "x[9999999999]=1", "x[-1]=1", "PAGE[]="),
	queried("query/object", "an object in the query", "PAGE[a]=1", "x[a][b]=1", "PAGE.a=1", "x[a]=1&x=2", "x=2&x[a]=1"),
	queried("query/brackets", "unbalanced brackets in the query", "x[=1", "x]=1", "x[[]]=1", "[]=1", "[=", "x[a=1", "PAGE[[=1"),
	queried("query/prototype", "names of the language in the query", "__proto__[x]=1", "constructor=1", "constructor[prototype][x]=1",
		"hasOwnProperty=1", "toString=1", "length=1", "__class__=1", "class.module=1"),
	queried("query/operators", "operators of a database in the query", "PAGE[$gt]=0", "x[$ne]=1", "PAGE[gte]=1", "x[$where]=1",
		"filter[id][in]=1"),
	queried("query/semicolon", "a semicolon in the query", "PAGE=1;x=2", ";", "x;y", "PAGE=1;PAGE=2"),
	queried("query/quote", "a quotation mark in the query", "PAGE='", "PAGE=%22", "x=%60", "PAGE=1'", "PAGE=%5c", "sort='"),
	queried("query/template", "a template in the query", "x=%7b%7b7*7%7d%7d", "x=$%7b7*7%7d", "PAGE=%25s%25n", "x=%23%7b1%7d",
		"x=%3c%25=1%25%3e"),
	queried("query/markup", "markup in the query", "x=%3cscript%3e", "PAGE=%3cb%3e", "x=%26%23x0;", "x=]]%3e"),
	queried("query/bidi", "bidirectional controls in the query", "x=%e2%80%ae1", "%e2%81%a6x=1", "PAGE=%e2%80%8f1"),
	queried("query/zero-width", "characters without width in the query", "x=%e2%80%8b", "PAGE=%ef%bb%bf1", "PAGE%e2%80%8b=1"),
	queried("query/emoji", "characters beyond the basic plane in the query", "x=%f0%9f%98%80", "%f0%9f%98%80=1", "x=%f4%8f%bf%bf"),
	queried("query/separators", "line separators in the query", "x=%e2%80%a8", "x=%c2%85", "PAGE=1%e2%80%a9"),
	quietly(queried("query/equals", "several equals signs in the query", "x==1", "x=1=2", "PAGE==1", "====")),
	queried("query/question-mark", "several question marks in the query", "?x=1", "x=1?y=2", "??"),
	queried("query/encoded-separators", "encoded separators in the query", "x=1%26y=2", "x%3d1", "PAGE=1%23x", "PAGE%5b%5d=1"),
	queried("query/json", "JSON in the query", "filter=%7b%22a%22:", "x=[1", "PAGE=%7b%7d", "where=%7b%22id%22:1%7d", "x=%22"),
	queried("query/path", "a path in the query", "x=../../x", "file=/dev/null", "x=%2e%2e%2f", "next=//adconform.invalid",
		"url=http:%2f%2f["),
	queried("query/format", "a format in the query", "format=xml", "callback=f", "_format=html", "output=csv", "alt=media", "wsdl",
		"pretty=abc"),
	quietly(queried("query/order", "an order in the query", "sort=-id", "sort=unknown", "order=sideways", "orderBy=", "sort[]=id",
		"sort=id,-id,name", "order_by=1")),
	quietly(queried("query/fields", "a selection of fields in the query", "fields=x", "include=unknown", "expand=*", "fields[creative]=id",
		"select=", "embed=a.b.c")),
	quietly(queried("query/filter", "a filter in the query", "q=%25", "search=(", "filter=id%20eq%201", "name=*", "type=", "createdAt=abc",
		"from=2024-02-30")),
	quietly(queried("query/locale", "a locale or a time zone in the query", "locale=xx_YY", "lang=..", "tz=Mars/Phobos", "timezone=%2b99:99",
		"locale=zh-Hant-u-co")),
	queried("query/utf16", "UTF-16 in the query", "%fe%ff%00P=1", "%00x%00=%001"),
	{
		id: "query/method", words: "a method in the query", texts: []string{"GET", "garbage", "", "HEAD", "TRACE"},
		change: func(d *draft, text string, _ int) { d.ask("_method=" + text) },
	},
	{
		id: "query/field", words: "a field of the body in the query", of: updates, texts: []string{"", "1", "%ff", "x"},
		change: func(d *draft, text string, n int) { d.ask(d.field(n).Name + "=" + text) },
	},
	paged("query/page-number", "an odd page", "0", "-1", "1.5", "1e9", "abc", "", "01", "%2b1", "%201", "0x1", "1e400", "NaN", "-0",
		"null", "true", "1,2"),
	paged("query/page-size", "a page beyond every size", "2147483647", "2147483648", "4294967297", "9223372036854775807",
		"9223372036854775808", "18446744073709551617", "-9223372036854775808", "99999999999999999999999999", "1000000"),
	paged("query/page-digits", "a page in digits of another script", "%ef%bc%91", "%d9%a1", "%c2%b9", "%e2%91%a0", "%f0%9d%9f%8f"),
	repeated("query/many", "very many query parameters", []int{100, 1001, 5000}, 5000, func(n int) string {
		var all strings.Builder
		for i := range n {
			fmt.Fprintf(&all, "&x%d=1", i)
		}
		return all.String()[1:]
	}),
	repeated("query/long-value", "a very long query", []int{300, 5000, 9000, 70_000}, 20_000,
		func(n int) string { return "x=" + strings.Repeat("a", n) }),
	repeated("query/long-name", "a query parameter with a very long name", []int{300, 9000}, 9000,
		func(n int) string { return strings.Repeat("a", n) + "=1" }),
	repeated("query/nested", "a query that nests deeply", []int{6, 30, 2000}, 2500,
		func(n int) string { return "x" + strings.Repeat("[a]", n) + "=1" }),
	repeated("query/digits", "a page of very many digits", []int{20, 400, 5000}, 8000,
		func(n int) string { return "page=" + strings.Repeat("9", n) }),
	{
		id: "query/unencoded", words: "a query that is not encoded", formless: true,
		texts:  []string{"x=é", "x=\xff", "x=a b", "PAGE=日", "x=😀", "x=<b>", `x="`, "x={1}", "x=|", "x=\x01", "x=\\", "x=#y", "x=\u202e"},
		change: func(d *draft, text string, _ int) { d.ask(strings.ReplaceAll(text, "PAGE", "page")) },
	},
}
