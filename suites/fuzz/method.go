package fuzz

import (
	"net/http"
	"strings"
)

// asked uses another method. One that may change something goes to unknown ids.
func asked(id, words string, apart bool, of func(d *draft, text string) string, texts ...string) *class {
	return &class{
		id: id, words: words, apart: apart, formless: true, right: []int{http.StatusNotImplemented}, texts: texts,
		change: func(d *draft, text string, _ int) { d.method = of(d, text) },
	}
}

func asIs(_ *draft, text string) string { return text }

var methodClasses = []*class{
	asked("method/safe", "a method that only reads", false, asIs, "HEAD", "OPTIONS", "GET", "TRACE"),
	asked("method/other", "another method of HTTP", true, asIs, "POST", "PUT", "DELETE", "PATCH"),
	asked("method/webdav", "a method of WebDAV", true, asIs, "PROPFIND", "MKCOL", "LOCK", "UNLOCK", "COPY", "MOVE", "SEARCH", "REPORT",
		"PROPPATCH"),
	asked("method/registered", "a method that few servers know", true, asIs, "QUERY", "LINK", "PURGE", "M-SEARCH", "NOTIFY", "PRI",
		"SOURCE", "BREW"),
	asked("method/unknown", "an unknown method", true, asIs, "ADCONFORM", "A", "PATCHX", "GE", "null", "__proto__", "constructor", "1", "-"),
	asked("method/letter-case", "a method in other letter case", true, func(d *draft, text string) string {
		lower := strings.ToLower(d.op.Method)
		return map[string]string{"lower": lower, "title": d.op.Method[:1] + lower[1:], "last": lower[:1] + d.op.Method[1:]}[text]
	}, "lower", "title", "last"),
	asked("method/symbols", "a method with symbols", true, func(d *draft, text string) string { return d.op.Method + text }, "!", "'",
		"*", "|", "%20", "$", "~"),
	{
		id: "method/long", words: "a very long method", apart: true, formless: true, malformed: true, right: []int{http.StatusNotImplemented},
		sizes: []int{30, 300, 9000}, most: 9000, change: func(d *draft, _ string, n int) { d.method = strings.Repeat("A", n) },
	},
	{
		id: "method/no-token", words: "a method that is no token", apart: true, formless: true, malformed: true,
		right:  []int{http.StatusNotImplemented, http.StatusHTTPVersionNotSupported},
		texts:  []string{"", "PA TCH", "PÄTCH", "(GET)", "\x00", "GET/", "\xff", "GET\tX", "{}", "@"},
		change: func(d *draft, text string, _ int) { d.raw().Line = text + " {target} HTTP/1.1" },
	},
}
