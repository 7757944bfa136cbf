package main

import (
	"errors"
	"net/http"
	"slices"
	"strings"
)

const (
	addresses  = `x-forwarded-for|x-real-ip|x-client-ip|true-client-ip|cf-connecting-ip|client-ip`
	forwarded  = addresses + `|forwarded|x-forwarded-(host|proto|port|server|prefix|scheme)`
	requestIDs = `x-request-id|x-correlation-id|x-trace-id|x-b3-traceid|x-amzn-trace-id|request-id|correlation-id|traceparent`
	conditions = `if-(match|none-match|modified-since|unmodified-since|range)`
	uuid       = `(?i)^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$`
	host       = `^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:\d{1,5})?$`
)

// Classes 21 to 38: headers, authentication, method and framing.
var ofHeaders = []member{
	{"accept-odd", "malformed", func(r *request) bool { return slices.ContainsFunc(ranges(r), malformedRange) }},
	{"accept-odd", "empty", header("accept", `^$`)},
	{"accept-odd", "not produced", notProduced},
	{"accept-odd", "odd weights", func(r *request) bool { return slices.ContainsFunc(ranges(r), oddWeight) }},
	{"accept-odd", "twice", func(r *request) bool { return len(r.values("Accept")) > 1 }},
	{"accept-language-and-charset", "language", both(header("accept-language", `.`), not(header("accept-language", commonLanguage)))},
	{"accept-language-and-charset", "charset", both(header("accept-charset", `.`), not(header("accept-charset", commonCharset)))},
	{"accept-language-and-charset", "wildcard", header("accept-(language|charset)", `\*`)},
	{"accept-language-and-charset", "endless", commas("accept-(language|charset)", 20)},
	{"accept-encoding-odd", "unknown", func(r *request) bool { return slices.ContainsFunc(codings(r, "Accept-Encoding"), unknownCoding) }},
	{"accept-encoding-odd", "nothing left", header("accept-encoding", `(?i)(identity|\*)\s*;\s*q=0(\.0*)?\s*(,|$)`)},
	{"content-type-odd", "without slash", header("content-type", `^[^/]*$`)},
	{"content-type-odd", "without subtype", header("content-type", `^[^/;]*/\s*(;|$)`)},
	{"content-type-odd", "broken parameters", header("content-type", `;\s*(;|$|=|[^=;]+(;|$)|[^=;]+=\s*("[^"]*)?$)`)},
	{"content-type-odd", "repeated parameters", header("content-type", `(?i)charset=.*charset=|boundary=.*boundary=`)},
	{"content-type-odd", "without boundary", both(header("content-type", `(?i)^multipart/`), not(header("content-type", `(?i)boundary=`)))},
	{"content-type-odd", "twice", func(r *request) bool { return len(r.values("Content-Type")) > 1 }},
	{
		"charset-odd", "unknown",
		both(header("content-type", `(?i)charset="?[^";\s]`), not(header("content-type", `(?i)charset="?(`+charsets+`)"?\s*(;|$)`))),
	},
	{"charset-odd", "quoted", header("content-type", `(?i)charset=\s*["']`)},
	{"charset-odd", "empty", header("content-type", `(?i)charset=\s*("")?\s*(;|$)`)},
	{"charset-odd", "another", anotherCharset},
	{"content-encoding-odd", "untrue", func(r *request) bool {
		return slices.Contains([]string{"gzip", "x-gzip", "deflate", "br", "zstd"}, strings.ToLower(r.first("Content-Encoding"))) &&
			errors.Is(inflates(r), errNotSo)
	}},
	{"content-encoding-odd", "unknown", func(r *request) bool { return slices.ContainsFunc(codings(r, "Content-Encoding"), unknownCoding) }},
	{"content-encoding-odd", "stacked", func(r *request) bool { return len(codings(r, "Content-Encoding")) > 1 }},
	{"content-encoding-odd", "cut off", func(r *request) bool { return errors.Is(inflates(r), errCut) }},
	{"range-odd", "unit", both(header("range", ``), not(header("range", `(?i)^bytes\s*=`)))},
	{"range-odd", "backwards", func(r *request) bool {
		return slices.ContainsFunc(byteRanges(r), func(of [2]int) bool { return of[1] < of[0] })
	}},
	{"range-odd", "beyond the end", func(r *request) bool {
		return slices.ContainsFunc(byteRanges(r), func(of [2]int) bool { return of[0] > 100000 })
	}},
	{"range-odd", "hundreds", commas("range", 99)},
	{"conditional-odd", "date", func(r *request) bool {
		return slices.ContainsFunc(append(r.values("If-Modified-Since"), r.values("If-Unmodified-Since")...), func(value string) bool {
			_, err := http.ParseTime(value)
			return err != nil
		})
	}},
	{"conditional-odd", "without quotes", header("if-(match|none-match|range)", `^[^"*,]+$`)},
	{"conditional-odd", "asterisk", header("if-(match|none-match)", `^\*$`)},
	{"conditional-odd", "on writes", both(header(conditions, ``), method(`^(PATCH|DELETE|PUT|POST)$`))},
	{"forwarded-odd", "no address", func(r *request) bool { return slices.ContainsFunc(addressesOf(r), noAddress) }},
	{"forwarded-odd", "no host", both(header("x-forwarded-(host|server)", ``), not(header("x-forwarded-(host|server)", host)))},
	{"forwarded-odd", "no protocol", both(header("x-forwarded-(proto|scheme)", ``), not(header("x-forwarded-(proto|scheme)", `^https?$`)))},
	{
		"forwarded-odd", "no port",
		both(header("x-forwarded-port", ``), not(header("x-forwarded-port", `^[1-9]\d{0,3}$|^[1-5]\d{4}$|^6[0-4]\d{3}$`))),
	},
	{"forwarded-odd", "malformed", both(header("forwarded", ``), not(header("forwarded", `(?i)^\s*(for|by|host|proto)=[^;,\s]+`)))},
	{"forwarded-odd", "list", header(forwarded, `,`)},
	{"tracing-odd", "no UUID", both(header(requestIDs, ``), not(header("traceparent", ``)), not(header(requestIDs, uuid)))},
	{"tracing-odd", "long", long(requestIDs, 200)},
	{"tracing-odd", "malformed", both(header("traceparent", ``), not(header("traceparent", `^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`)))},
	{"browser-headers", "origin", both(header("origin", `.`), not(header("origin", `^null$`)))},
	{"browser-headers", "null", header("origin", `^null$`)},
	{"browser-headers", "cross-site", header("sec-fetch-site", `^cross-site$`)},
	{"browser-headers", "referer", header("referer", ``)},
	{
		"browser-headers", "broken cookie",
		header("cookie", `%([^0-9A-Fa-f]|.[^0-9A-Fa-f]|.?$)|(^|;)\s*(=|;|$)|`+
			`(^|;)\s*[^=;]*[^!#$%&'*+.^_\x60|~0-9A-Za-z=;-][^=;]*=|(^|;)[^=;]+(;|$)`),
	},
	{"header-absent", "User-Agent", func(r *request) bool { return len(r.values("User-Agent")) == 0 }},
	{"header-absent", "Accept", func(r *request) bool { return len(r.values("Accept")) == 0 }},
	{"header-absent", "Content-Type", func(r *request) bool { return len(r.body) > 0 && len(r.values("Content-Type")) == 0 }},
	{"header-volume", "kilobytes", long(".*", 4096)},
	{"header-volume", "a hundred", func(r *request) bool { return len(r.fields) >= 100 }},
	{"header-volume", "bytes outside ASCII", func(r *request) bool {
		return slices.ContainsFunc(r.fields, func(f field) bool {
			return !strings.EqualFold(f.name, keyHeader) && strings.ContainsFunc(f.value, func(c rune) bool { return c > 127 })
		})
	}},
	{"key-odd", "bytes outside ASCII", header(keyHeader, `[^\x00-\x7f]`)},
	{"key-odd", "one character", header(keyHeader, `^.$`)},
	{"key-odd", "thousands", long(keyHeader, 2000)},
	{"key-odd", "quotes", header(keyHeader, `["'`+"`]")},
	{"key-odd", "commas", header(keyHeader, `,`)},
	{"key-odd", "spaces", header(keyHeader, `\S\s+\S`)},
	{"key-odd", "separators", header(keyHeader, `[:;=|.$]`)},
	{"key-several", "equal", given(keyHeader, true)},
	{"key-several", "different", given(keyHeader, false)},
	{"key-several", "one empty", func(r *request) bool {
		return len(r.values(keyHeader)) > 1 && slices.Contains(r.values(keyHeader), "")
	}},
	{"authorization-beside", "scheme alone", header("authorization", `^[^\s:]*$`)},
	{
		"authorization-beside", "broken base64",
		header("authorization", `(?i)^basic .*[^A-Za-z0-9+/=\s]|`+
			`(?i)^basic\s+([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]|[A-Za-z0-9+/]{2,3})$`),
	},
	{"authorization-beside", "without colon", basicWithoutColon},
	{"authorization-beside", "token", header("authorization", `(?i)^(bearer|token|jwt)\s+[^.\s]*(\.[^.\s]*)?$`)},
	{"authorization-beside", "in place of the key", func(r *request) bool {
		return len(r.values("Authorization")) > 0 && len(r.values(keyHeader)) == 0
	}},
	{"method-odd", "HEAD", method(`^HEAD$`)},
	{"method-odd", "preflight", both(method(`^OPTIONS$`), header("access-control-request-method", ``))},
	{"method-odd", "PUT or POST", both(method(`^(PUT|POST)$`), (*request).update)},
	{"method-odd", "unknown", func(r *request) bool { return !slices.Contains(methods, strings.ToUpper(r.method)) }},
	{"method-odd", "small letters", func(r *request) bool {
		return r.method != strings.ToUpper(r.method) && slices.Contains(methods, strings.ToUpper(r.method))
	}},
	{"method-odd", "override", either(header("x-(http-)?method(-override)?", ``), parameter(`^_method$`, ``))},
	{"framing-odd", "tiny chunks", func(r *request) bool { return len(r.chunks) > 2 && slices.Max(r.chunks) <= 4 }},
	{"framing-odd", "extensions or trailers", func(r *request) bool { return r.odd }},
	{"framing-odd", "Expect", header("expect", ``)},
	{"framing-odd", "upgrade", header("upgrade", ``)},
	{"framing-odd", "body where none is", func(r *request) bool {
		return len(r.body) > 0 && slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodDelete, http.MethodOptions}, r.method)
	}},
	{"framing-odd", "no body", func(r *request) bool {
		return len(r.body) == 0 && r.update() && strings.Contains(strings.ToLower(r.first("Content-Type")), "json")
	}},
}
