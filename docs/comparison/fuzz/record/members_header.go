package main

const (
	keyNames  = `(?i)^(x-)?(api|access|auth)[_-]?(key|token)$|^(key|token|authorization)$`
	token     = "!#$%&'*+.^_`|~0-9A-Za-z-"
	endToEnd  = `host|x-[a-z-]+|authorization|content-[a-z]+|accept[a-z-]*|transfer-encoding|cookie|user-agent`
	loopback  = `(?i)^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$`
	produced  = `(?i)(^|,)\s*(\*/\*|application/(\*|json|problem\+json))\s*(;|,|$)`
	oddWeight = `(?i);\s*q=(\s*$|\s*[,;]|\s*[^01\s]|[01][^.,;\s]|0\.\d{0,3}[^\d,;\s]|0\.\d{4}|1\.0{0,3}[^0,;\s]|1\.0{4})`
	date      = `^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$`
	oldDate   = `^[A-Z][a-z]+day, \d\d-[A-Z][a-z]{2}-\d\d |^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$`
	dated     = `if-(un)?modified-since`
	kilobytes = `(?s)^.{1000}.{1000}.{1000}.{1000}.{96}`
	hostValue = `(?i)^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:([1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d\d|655[0-2]\d|6553[0-5]))?$`
)

// Classes 11 to 22: headers, framing and key.
var ofHeaders = []member{
	{"negotiation", "JSON refused", both(header("accept", `\S`), not(header("accept", produced)))},
	{"negotiation", "weight of zero", header("accept", `(?i)(json|\*/\*)\s*;\s*q=0(\.0*)?\s*(,|$)`)},
	{"negotiation", "malformed weight", header("accept(-.*)?", oddWeight)},
	{"negotiation", "many ranges", header("accept(-.*)?", `(,.*){19}`)},
	{"negotiation", "empty", header("accept", `^$`)},
	{"negotiation", "no coding left", header("accept-encoding", `(?i)(identity|\*)\s*;\s*q=0(\.0*)?\s*(,|$)`)},
	{"negotiation", "charset", has("accept-charset")},
	{"conditional", "If-Match: *", header("if-match", `^\*$`)},
	{"conditional", "If-Match", header("if-match", `"`)},
	{"conditional", "If-None-Match", has("if-none-match")},
	{"conditional", "tag without quotes", header("if-(none-)?match", `^[^"*]+$`)},
	{"conditional", "malformed date", both(has(dated), not(header(dated, date)), not(header(dated, oldDate)))},
	{"conditional", "obsolete date", header(dated, oldDate)},
	{"conditional", "range", has("range|if-range")},
	{"cross-origin", "preflight", both(method(`^OPTIONS$`), has("access-control-request-(method|headers)"))},
	{"cross-origin", "other origin", header("origin", `://`)},
	{"cross-origin", "null", header("origin", `^null$`)},
	{"cross-origin", "Sec-Fetch-Site", has("sec-fetch-site")},
	{"cookies", "name twice", func(r *request) bool { return twice(namesOf(r.cookies)) }},
	{"cookies", "without a value", header("cookie", `(^|;)\s*[^=;\s][^=;]*(;|$)`)},
	{"cookies", "several headers", func(r *request) bool { return len(r.values("Cookie")) > 1 }},
	{"cookies", "long", header("cookie", kilobytes)},
	{"cookies", "odd bytes", header("cookie", `[^\x20-\x7e]|[",\\]`)},
	{"cookies", "version", header("cookie", `(?i)\$version`)},
	{"cookies", "empty", header("cookie", `^$|^;|;\s*;|(^|;)\s*=`)},
	{"forwarding", "X-Forwarded-For", has("x-forwarded-for")},
	{"forwarding", "X-Forwarded-Host", has("x-forwarded-(host|server)")},
	{"forwarding", "X-Forwarded-Proto", has("x-forwarded-(proto|scheme|port|ssl|prefix)")},
	{"forwarding", "Forwarded", has("forwarded")},
	{"forwarding", "original URL", has("x-(original|rewrite)-ur[li]")},
	{"forwarding", "hops", has("via|max-forwards")},
	{"forwarding", "client address", has("x-real-ip|(x-|true-|x-cluster-)?client-ip|cf-connecting-ip|x-(originating|remote)-(ip|addr)")},
	{"target-and-host", "absolute form", target(`(?i)^[a-z][a-z0-9+.-]*://`)},
	{"target-and-host", "fragment", target(`#`)},
	{"target-and-host", "asterisk", target(`^\*$`)},
	{"target-and-host", "without Host", both(not(has("host")), not(head(`^[^\n]* HTTP/1\.0\r?\n`)))},
	{"target-and-host", "Host twice", func(r *request) bool { return len(r.values("Host")) > 1 }},
	{"target-and-host", "other Host", both(header("host", hostValue), not(header("host", loopback)))},
	{"target-and-host", "malformed Host", both(has("host"), not(header("host", hostValue)))},
	{"connection-fields", "Expect: 100-continue", header("expect", `(?i)^100-continue$`)},
	{"connection-fields", "other Expect", both(has("expect"), not(header("expect", `(?i)^100-continue$`)))},
	{"connection-fields", "Upgrade", has("upgrade|http2-settings")},
	{"connection-fields", "names a field", header("connection", `(?i)\b(`+endToEnd+`)\b`)},
	{"connection-fields", "TE", has("te")},
	{"connection-fields", "Proxy-Connection", has("proxy-connection|keep-alive")},
	{"connection-fields", "HTTP/1.0", head(`^[^\n]* HTTP/1\.0\r?\n`)},
	{"framing-conflict", "length and chunks", both(has("content-length"), has("transfer-encoding"))},
	{"framing-conflict", "lengths differ", given("content-length", false)},
	{"framing-conflict", "length repeated", given("content-length", true)},
	{"framing-conflict", "malformed length", header("content-length", `^$|\D`)},
	{"framing-conflict", "unknown coding", both(has("transfer-encoding"), not(header("transfer-encoding", `(?i)chunked`)))},
	{"framing-conflict", "disguised coding", both(header("transfer-encoding", `(?i)chunked`), not(header("transfer-encoding", `^chunked$`)))},
	{"field-syntax", "folded", head(`\n[ \t]+[^\s]`)},
	{"field-syntax", "space before the colon", head(`\n[^\s:][^:\r\n]*[ \t]+:`)},
	{"field-syntax", "without a colon", head(`\n[^\s:][^:\r\n]*\r?\n`)},
	{"field-syntax", "line feed alone", head(`[^\r]\n`)},
	{"field-syntax", "not ASCII", head(`\n[^\n]*:[^\n]*[^\x00-\x7f]`)},
	{"field-syntax", "control character", head(`\n[^\n]*:[^\n]*([\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r[^\n])`)},
	{"field-syntax", "malformed name", fieldName("^$|^[^ \\t]*[^ \\t" + token + "]|^\\S+[ \\t]+\\S")},
	{"head-size", "long path", path(`^.{1000}.{1000}`)},
	{"head-size", "long query", query(`^.{1000}.{1000}`)},
	{"head-size", "many parameters", func(r *request) bool { return len(r.params) >= 100 }},
	{"head-size", "long header", header(".*", kilobytes)},
	{"head-size", "many headers", func(r *request) bool { return len(r.fields) >= 100 }},
	{"head-size", "long name of a header", head(`\n[^:\r\n]{256}`)},
	{"key-form", "empty", header(keyHeader, `^$`)},
	{"key-form", "scheme before it", header(keyHeader, `(?i)^(bearer|basic|token|api-?key|digest)\b\s*[:=\s]`)},
	{"key-form", "space", header(keyHeader, `\S\s+\S`)},
	{"key-form", "odd bytes", header(keyHeader, `[^\x20-\x7e]`)},
	{"key-form", "long", header(keyHeader, kilobytes)},
	{"key-form", "quotes", header(keyHeader, `["']`)},
	{"key-form", "list", header(keyHeader, `[,;]`)},
	{"key-placement", "twice the same", given(keyHeader, true)},
	{"key-placement", "twice", given(keyHeader, false)},
	{"key-placement", "in the query", parameter(keyNames, ``)},
	{"key-placement", "in a cookie", header("cookie", `(?i)(^|;)\s*((x-)?(api|access|auth)[_-]?(key|token)|key|token)=`)},
	{"key-placement", "in the body", names(keyNames)},
	{"key-placement", "in another header", has("authorization|api-?key|x-(auth|access|api)-?token|x-auth-key|x-authorization")},
	{"key-placement", "for a proxy", has("proxy-authorization")},
}
