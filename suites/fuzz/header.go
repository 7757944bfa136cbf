package fuzz

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"net/http"
	"strings"
)

// headed gives a header odd values, in place of that which is there.
func headed(id, words, name string, values ...string) *class {
	return &class{id: "header/" + id, words: words, formless: true, texts: values, change: func(d *draft, text string, _ int) {
		d.header[name] = []string{text}
	}}
}

// anyOf gives one of several headers an odd value.
func anyOf(id, words string, names []string, values ...string) *class {
	c := &class{id: "header/" + id, words: words, formless: true, adds: true, texts: values, names: names}
	c.change = func(d *draft, text string, n int) { d.header[names[n%len(names)]] = []string{text} }
	return c
}

// line adds a line to the header as it is.
func line(id, words string, lines ...string) *class {
	return &class{id: "header/" + id, words: words, formless: true, malformed: true, texts: lines, change: func(d *draft, text string, _ int) {
		d.raw().Fields = append(d.raw().Fields, text)
	}}
}

// grown gives a header a size.
func grown(id, words string, sizes []int, most int, change func(h http.Header, n int)) *class {
	c := &class{id: "header/" + id, words: words, formless: true, malformed: true, sizes: sizes, most: most}
	c.change = func(d *draft, _ string, n int) { change(d.header, n) }
	return c
}

var methodOverrides = []string{"X-Http-Method-Override", "X-Http-Method", "X-Method-Override"}

var headerClasses = []*class{
	headed("accept", "an odd Accept", "Accept", "application/xml", "text/html", "", "*/*;q=0", "garbage", "application/json;q=2", "/", "*",
		"a/b/c", "application/json;version=abc", "application/*;;;,,", "*/*;q=abc", "application/json; charset=utf-16", "image/*",
		"text/csv", "\xff",
		"*/json"),
	{
		id: "header/accept-twice", words: "Accept in two lines", formless: true,
		texts:  []string{"text/html", "", "application/json", "*/*;q=0"},
		change: func(d *draft, text string, _ int) { d.header["Accept"] = []string{"application/json", text} },
	},
	grown("accept-many", "an Accept of many ranges", []int{20, 500, 2000}, 2000, func(h http.Header, n int) {
		h["Accept"] = []string{strings.Repeat("a/b;q=0.1,", n) + "*/*"}
	}),
	quietly(headed("accept-language", "an odd Accept-Language", "Accept-Language", "xx-YY", "*", "en;q=abc",
		"zh-Hant-TW-u-co-stroke-x-private", "../../x", "%", "-",
		"", "en_US", "tlh,,;q=", "é", strings.Repeat("en,", 500), "i-klingon", "en-\x80", "a-b-c-d-e-f-g-h")),
	quietly(headed("accept-charset", "an odd Accept-Charset", "Accept-Charset", "utf-16", "adconform", "*;q=0", "", "iso-8859-1;q=x",
		"utf-7")),
	quietly(headed("accept-encoding", "an odd Accept-Encoding", "Accept-Encoding", "identity;q=0", "*;q=0", "gzip;q=abc", "br;q=1.5",
		"adconform", "", "gzip,,deflate",
		"zstd", "br", "deflate", "gzip;q=", "\xff")),
	headed("content-type", "another media type", "Content-Type", "text/plain", "application/xml", "application/x-www-form-urlencoded",
		"multipart/form-data",
		"application/json-patch+json", "application/merge-patch+json", "application/vnd.api+json", "application/msgpack", "application/cbor",
		"application/yaml", "application/octet-stream", "text/json", "multipart/mixed; boundary=x", "application/x-ndjson", "message/rfc822"),
	headed("content-type-broken", "a media type that is none", "Content-Type", "json", "", "/", "application/", "application/json/",
		"*/*", ";", "application/json;;",
		"application/json,application/json", "APPLICATION/JSON", "application/json ; =", "é/x", "\xff", "application json",
		"application/json; boundary"),
	headed("charset", "an odd charset", "Content-Type", "application/json; charset=utf-16", "application/json; charset=utf-7",
		"application/json; charset=IBM037",
		"application/json; charset=adconform", "application/json; charset=", `application/json; charset="`, "application/json; charset='utf-8'",
		"application/json; charset=../../x", "application/json; charset=utf-32", "application/json; charset=base64",
		"application/json; charset=hex",
		"application/json; charset=idna", "application/json; charset=é", "application/json; charset=\x80",
		"application/json; charset=utf-8; charset=utf-16",
		"application/json; charset=x-user-defined", "application/json; charset=undefined", "application/json; charset=unicode_escape"),
	headed("media-type-parameters", "odd parameters of the media type", "Content-Type", "application/json; a=b; a=c",
		`application/json; x="\"`, "application/json; =",
		"application/json; version=abc", "application/json; profile=http://[", "application/json; a*=utf-8''%ff",
		"application/json; a*0=b", "application/json; q=1"),
	{
		id: "header/content-type-twice", words: "Content-Type in two lines", formless: true,
		texts:  []string{"application/json", "text/plain", ""},
		change: func(d *draft, text string, _ int) { d.header["Content-Type"] = []string{"application/json", text} },
	},
	{
		id: "header/content-type-none", words: "no Content-Type", formless: true, of: updates,
		change: func(d *draft, _ string, _ int) { d.header["Content-Type"] = nil },
	},
	grown("content-type-long", "a very long media type", []int{200, 5000}, 7000, func(h http.Header, n int) {
		h["Content-Type"] = []string{"application/json; a=" + strings.Repeat("x", n)}
	}),
	headed("content-encoding", "a coding that the body does not have", "Content-Encoding", "gzip", "deflate", "br", "zstd",
		"adconform", "", "*", "gzip, gzip",
		"identity", "GZIP", "compress", "gzip;q=1", "\xff", "aes128gcm"),
	{
		id: "header/content-encoding-coded", words: "a coded body", formless: true, of: updates,
		texts: []string{"gzip", "deflate", "gzip, gzip", "truncated", "trailing"},
		change: func(d *draft, text string, _ int) {
			d.header["Content-Encoding"] = []string{map[string]string{"truncated": "gzip", "trailing": "gzip"}[text]}
			if d.header.Get("Content-Encoding") == "" {
				d.header["Content-Encoding"] = []string{text}
			}
			d.code(func(b []byte) []byte { return coded(text, b) })
		},
	},
	{
		id: "header/content-encoding-bomb", words: "a coded body that grows", formless: true, malformed: true, of: updates,
		sizes: []int{1 << 20, 16 << 20},
		change: func(d *draft, _ string, n int) {
			d.header["Content-Encoding"] = []string{"gzip"}
			d.code(func(b []byte) []byte { return coded("gzip", append(bytes.Repeat([]byte(" "), n), b...)) })
		},
	},
	withBody(headed("expect", "an odd Expect", "Expect", "100-continue", "200-ok", "", "100-continue, x", "garbage", "100-Continue",
		"100-continue;q=1", "\xff")), // RFC 9110 10.1.1: never without content
	quietly(headed("range", "an odd Range", "Range", "bytes=0-", "bytes=-1", "bytes=abc", "items=0-9", "bytes=0-18446744073709551615",
		"bytes=5-2", "", "bytes=",
		"bytes=0-0,"+strings.Repeat("1-1,", 300)+"2-2", "bytes=--1", "bytes=99999999999-", "garbage", "bytes=0-0",
		"bytes=9223372036854775808-")),
	anyOf("conditional", "an odd entity tag in a condition", []string{"If-Match", "If-None-Match", "If-Range"}, "*", `"x"`, "x", "W/",
		`"`, "", `"a", "b", W/"c"`,
		"W/\"\xff\"", `"\"`, "*, *", `W/"x`, "0", strings.Repeat(`"x",`, 500)+`"x"`, `"é"`),
	quietly(anyOf("conditional-date", "an odd date in a condition", []string{"If-Modified-Since", "If-Unmodified-Since", "Date"},
		"garbage", "",
		"Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "Sat, 01 Jan 10000 00:00:00 GMT", "0", "-1",
		"Mon, 32 Foo 2024 25:61:61 GMT",
		"2024-02-30T00:00:00Z", "99999999999999999999", "Mon, 01 Jan 0001 00:00:00 GMT", "Thu, 01 Jan 1970 00:00:00 +9999", "*",
		"Sun, 06-Nov-94 08:49:37 GMT", "Wed, 10 Jan 2024 10:44:00", "Wed, 10 Jan 2024 10:44:00 -0000", "2024-01-10T10:44:00")),
	anyOf("method-override", "a method in a header", methodOverrides, "GET", "garbage", "", "HEAD", "TRACE", "null", "\xff",
		strings.Repeat("A", 300)),
	apartly(anyOf("method-override-writing", "another method in a header", methodOverrides, "DELETE", "PUT", "POST", "PATCH", "COPY",
		"delete")),
	quietly(anyOf("forwarded-for", "an odd address in a header of proxies", []string{
		"X-Forwarded-For", "X-Real-Ip", "True-Client-Ip",
		"X-Client-Ip", "Cf-Connecting-Ip",
	}, "garbage",
		"::1", "127.0.0.1, ,", "999.999.999.999", "", "[::1", "unknown", "_hidden:80", "1.2.3.4:99999", "fe80::1%eth0", "0x7f.1", "é",
		"'", strings.Repeat("1.1.1.1,", 500))),
	quietly(headed("forwarded", "an odd Forwarded", "Forwarded", "for=", `for="[`, "for=;;;", "garbage", `for="[::1]:x";proto=gopher`,
		"=", "for=1.2.3.4;for=1.2.3.4", "\xff", `by="`)),
	anyOf("forwarded-host", "an odd host in a header of proxies", []string{"X-Forwarded-Host", "X-Host", "X-Forwarded-Server"}, "a b",
		"", "[", "adconform.invalid:99999",
		"a,b", "é.invalid", "\xff", "//x", strings.Repeat("a", 300), "-", ":80", "'"),
	quietly(anyOf("forwarded-proto", "an odd scheme in a header of proxies", []string{
		"X-Forwarded-Proto", "X-Forwarded-Scheme",
		"X-Url-Scheme", "X-Forwarded-Ssl",
	}, "gopher", "",
		"https,http", "://", "\xff", "javascript", "1")),
	quietly(anyOf("forwarded-port", "an odd port in a header of proxies", []string{"X-Forwarded-Port", "X-Port"}, "99999", "abc", "-1",
		"", "0", "80,443", "1e3", "65536")),
	anyOf("forwarded-path", "an odd path in a header of proxies", []string{
		"X-Forwarded-Prefix", "X-Original-Url", "X-Rewrite-Url",
		"X-Script-Name",
	}, "/adconform-unknown", "",
		"//", "/%", "é", "../x", "/\xff", "http://["),
	quietly(headed("cookie", "an odd Cookie", "Cookie", "a", "=", "a=b; a=c", ";;;", "session=%00", `a="`, "=b", "a=\xff",
		"a=%", "a=%ff", "__Host-x=1", "a=b, c=d", "JSESSIONID=x", "é=é", "a/b=1", "a,b=1", "a[b]=1",
		"session={", "csrftoken=", "a="+strings.Repeat("x", 5000), "connect.sid=s%3Ax.y", "sessionid=gAR9", "_session=BAh7", "$Version=1")),
	{
		id: "header/cookie-many", words: "very many cookies", formless: true, malformed: true, sizes: []int{60, 400, 3000}, most: 3000,
		change: func(d *draft, _ string, n int) { d.header["Cookie"] = []string{strings.Repeat("a=b; ", n) + "c=d"} },
	},
	headed("authorization", "an odd Authorization", "Authorization", "", "Basic", "Basic !!!", "Basic %", "Bearer", "Bearer a.b.c",
		"Digest", "Digest username=\"", "Negotiate x",
		"garbage", "Basic Og==", "Basic /w==", "Bearer eyJhbGciOiJub25lIn0.e30.", "Bearer {}", "AWS4-HMAC-SHA256 x", "\xff",
		"Basic "+strings.Repeat("QQ", 2000), "Bearer ..", "Bearer é"),
	quietly(headed("origin", "an odd Origin", "Origin", "null", "garbage", "https://adconform.invalid", "http://[", "", "*", "é",
		"https://a.invalid https://b.invalid", "file://", "\xff")),
	quietly(headed("referer", "an odd Referer", "Referer", "http://[", "garbage", "", "\xff", "javascript:0", "/%", "about:blank",
		"http://é")),
	{
		id: "header/preflight", words: "a preflight of a browser", formless: true, right: []int{http.StatusNotImplemented},
		texts: []string{"PATCH", "garbage", "", "\xff", "*"},
		change: func(d *draft, text string, _ int) {
			d.method = http.MethodOptions
			d.header["Origin"], d.header["Access-Control-Request-Method"] = []string{"https://adconform.invalid"}, []string{text}
			d.header["Access-Control-Request-Headers"] = []string{"x, " + text + ",,"}
		},
	},
	quietly(anyOf("trace", "an odd trace context", []string{
		"Traceparent", "X-B3-Traceid", "B3", "Uber-Trace-Id", "X-Amzn-Trace-Id",
		"X-Cloud-Trace-Context", "Tracestate", "Baggage",
	}, "garbage",
		"00-00000000000000000000000000000000-0000000000000000-01", "", "ff-x-y-z", "\xff", "a=b,,=;", "0-0-0", "%",
		"Root=1-x;Parent=;Sampled=2", "x/y;o=z", "é=é", "a:b:c:d")),
	quietly(anyOf("request-id", "an odd request id", []string{"X-Request-Id", "X-Correlation-Id", "Request-Id"}, "", "'", "${7*7}",
		"\xff", "a b\tc", "é", strings.Repeat("x", 5000), "%0a", "\"", "not-a-uuid")),
	quietly(headed("idempotency-key", "an odd Idempotency-Key", "Idempotency-Key", "", `"`, "é", strings.Repeat("x", 300), "\xff",
		"null", "'")),
	quietly(headed("prefer", "an odd Prefer", "Prefer", "return=minimal", "respond-async", "wait=abc", "handling=", ",,", "wait=-1",
		"\xff")),
	quietly(headed("upgrade", "an odd Upgrade", "Upgrade", "garbage", "TLS/1.0", "websocket", "", "h2c,x", "HTTP/3.0")),
	headed("connection", "an odd Connection", "Connection", "X-API-Key", "garbage", "keep-alive, Content-Type, Accept", "upgrade", "",
		"Host", ",,"),
	quietly(headed("te", "an odd TE", "Te", "trailers", "garbage;q=2", "chunked", "", "gzip;q=x")),
	quietly(&class{
		id: "header/cache-control", words: "an odd Cache-Control", formless: true, right: []int{http.StatusGatewayTimeout},
		texts: []string{
			`no-cache="`, "only-if-cached", "max-age=abc", "max-age=-1", "max-age=99999999999999999999", "=", "", "\xff",
			"max-stale=", "no-store,,,",
		},
		change: func(d *draft, text string, _ int) { d.header["Cache-Control"] = []string{text} },
	}),
	quietly(headed("user-agent", "an odd User-Agent", "User-Agent", "", "()", "é", "\xff", strings.Repeat("x", 5000), "'", "%s%n",
		"Mozilla/5.0 (", "{{7*7}}", "-", "\"", "😀")),
	quietly(anyOf("content", "an odd header of the content", []string{
		"Content-Language", "Content-Location", "Content-Disposition",
		"Content-Md5", "Digest", "Content-Digest",
	}, "", "xx-", "http://[",
		`form-data; name="`, "x", "sha-256=x", "\xff", "attachment; filename*=utf-8''%ff", "sha-256=:x:")),
	quietly(headed("content-range", "a Content-Range", "Content-Range", "bytes 0-1/2", "bytes */*", "garbage", "bytes 5-1/0",
		"bytes 0-99999999999999999999/x", "")),
	quietly(headed("max-forwards", "an odd Max-Forwards", "Max-Forwards", "0", "-1", "abc", "99999999999999999999", "")),
	quietly(anyOf("version", "an odd version in a header", []string{"Accept-Version", "Api-Version", "X-Api-Version", "X-Version"},
		"99", "abc", "", "-1", "2024-02-30", "v0", "1.2.3.4.5", "\xff")),
	quietly(anyOf("locale", "an odd locale or time zone in a header", []string{"X-Timezone", "Time-Zone", "X-Locale", "X-Language"},
		"Mars/Phobos", "+99:99", "", "../../x", "xx_YY.utf-99", "\xff")),
	quietly(anyOf("tenant", "an odd tenant in a header", []string{"X-Tenant-Id", "X-Organization", "X-Account-Id", "X-Requested-With"},
		"", "'", "-1", "\xff", "é", "99999999999999999999", "null", "../x")),
	quietly(headed("unknown", "an unknown header", "X-Adconform-Odd", "", "1", "é", "\xff", "a\tb", "'", `"`, "${7*7}", "%s%n", "😀",
		"\xe2\x80\xae", ",,,", "{", "\x80")),
	quietly(&class{
		id: "header/unknown-name", words: "a header with an odd name", formless: true, adds: true,
		texts:  []string{"X_Adconform", "x.y", "123", "!#$%&'*", "-", "__proto__", "Constructor", "X-Adconform-", "_", "Content_type"},
		change: func(d *draft, text string, _ int) { d.header[text] = []string{"1"} },
	}),
	{
		id: "header/twice", words: "a header in two lines", formless: true,
		texts: []string{
			"Accept-Language", "User-Agent", "If-Match", "X-Request-Id", "X-Forwarded-For", "Authorization", "Cookie", "Origin",
			"Content-Encoding", "Expect", "Range", "Referer",
		},
		change: func(d *draft, text string, _ int) { d.header[text] = []string{"a", "b"} },
	},
	grown("many", "very many headers", []int{60, 200, 1500}, 2000, func(h http.Header, n int) {
		for i := range n {
			h["X-Adconform-"+strings.Repeat("a", 1+i%7)+"-"+string(rune('a'+i%26))+strings.Repeat("b", i/26%40)] = []string{"1"}
		}
	}),
	grown("repeated", "a header in very many lines", []int{30, 300, 2000}, 2000, func(h http.Header, n int) {
		h["X-Adconform-Odd"] = strings.Split(strings.Repeat("1,", n), ",")
	}),
	grown("long", "a very long header", []int{1000, 5000, 9000, 70_000}, 20_000, func(h http.Header, n int) {
		h["X-Adconform-Odd"] = []string{strings.Repeat("x", n)}
	}),
	grown("long-name", "a header with a very long name", []int{100, 1000, 9000}, 9000, func(h http.Header, n int) {
		h["X-"+strings.Repeat("a", n)] = []string{"1"}
	}),
	line("control", "control characters in a header", "X-Adconform-Odd: a\x00b", "X-Adconform-Odd: \x01", "X-Adconform-Odd: a\rb",
		"X-Adconform-Odd: \x7f", "Accept: \x00", "X-Adconform-Odd: \x1b[31m", "User-Agent: \x08"),
	line("no-token", "a header name that is no token", "X Adconform: 1", "X-Ädconform: 1", ": 1", "(x): 1", "\x00: 1",
		"X-Adconform : 1", "X-Adconform\t: 1", "{}: 1", "\xff: 1"),
	line("no-colon", "a header line without a colon", "X-Adconform", "1", "GET / HTTP/1.1", "-"),
	line("folded", "a folded header", "X-Adconform-Odd: a\r\n b", "X-Adconform-Odd:\r\n\tb", "X-Adconform-Odd: a\r\n ",
		"Accept:\r\n text/html"),
	{
		id: "header/host", words: "an odd Host", formless: true, malformed: true,
		texts: []string{
			"", "a b", "adconform.invalid", "127.0.0.1:99999", "a:b:c", "[::", "é", "\xff", "a/b", "'", "..", "localhost:",
			strings.Repeat("a", 300), "*", "user@host", "%00", "1.2.3.4.5",
		},
		change: func(d *draft, text string, _ int) {
			d.raw().Without = append(d.raw().Without, "Host")
			d.raw().Fields = append(d.raw().Fields, "Host: "+text)
		},
	},
	{
		id: "header/host-twice", words: "Host in two lines", formless: true, malformed: true,
		texts:  []string{"adconform.invalid", "", "localhost"},
		change: func(d *draft, text string, _ int) { d.raw().Fields = append(d.raw().Fields, "Host: "+text) },
	},
	{
		id: "header/host-none", words: "no Host", formless: true, malformed: true,
		change: func(d *draft, _ string, _ int) { d.raw().Without = append(d.raw().Without, "Host") },
	},
}

// quietly is a class that most servers do not look at.
func quietly(c *class) *class {
	c.quiet = true
	return c
}

// coded is a body in content codings.
func coded(how string, b []byte) []byte {
	var out bytes.Buffer
	switch how {
	case "deflate":
		w := zlib.NewWriter(&out)
		_, _ = w.Write(b)
		_ = w.Close()
		return out.Bytes()
	case "gzip, gzip":
		return coded("gzip", coded("gzip", b))
	}
	w := gzip.NewWriter(&out)
	_, _ = w.Write(b) // into memory
	_ = w.Close()
	switch how {
	case "truncated":
		return out.Bytes()[:out.Len()/2]
	case "trailing":
		return append(out.Bytes(), "adconform"...)
	}
	return out.Bytes()
}
