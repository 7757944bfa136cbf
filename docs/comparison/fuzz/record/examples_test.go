package main

import (
	"fmt"
	"slices"
	"strings"
)

func get(target string, headers ...string) string {
	return "GET " + target + " HTTP/1.1\r\n" + ordinary + "X-API-Key: key1\r\n" + lines(headers) + "\r\n"
}

func list(headers ...string) string { return get("/v2/creatives/200/media-files", headers...) }

func lines(headers []string) string {
	if len(headers) == 0 {
		return ""
	}
	return strings.Join(headers, "\r\n") + "\r\n"
}

func update(body string, headers ...string) string {
	return patch("/v2/campaigns/25", body, append([]string{"Content-Type: application/json"}, headers...)...)
}

func patch(target, body string, headers ...string) string {
	return fmt.Sprintf("PATCH %s HTTP/1.1\r\n%sX-API-Key: key1\r\n%sContent-Length: %d\r\n\r\n%s",
		target, ordinary, lines(headers), len(body), body)
}

func named(name, value string) string { return update(fmt.Sprintf(`{%q:%q}`, name, value)) }

func line(method, target string, headers ...string) string {
	return strings.Replace(get(target, headers...), "GET", method, 1)
}

func chunked(headers ...string) string {
	return line("PATCH", "/v2/campaigns/25", append(headers, "Content-Type: application/json", "Transfer-Encoding: chunked")...)
}

func at(id string) string { return get("/v2/creatives/" + id + "/media-files") }

func asking(query string) string { return get("/v2/creatives/200/media-files?" + query) }

func typed(of string) string { return patch("/v2/campaigns/25", "{}", "Content-Type: "+of) }

// made are requests that are examples without another before them.
func made(with func(string) string, of ...string) [][]string {
	var all [][]string
	for _, one := range of {
		all = append(all, []string{with(one)})
	}
	return all
}

func alone(requests ...string) [][]string { return made(strings.Clone, requests...) }

// instead makes lists that have something else in place of this.
func instead(this string) func(string) string {
	return func(other string) string { return strings.Replace(list(), this, other, 1) }
}

func updateTo(body string) string { return update(body) }

// valued makes updates that give the field a text.
func valued(field string) func(string) string {
	return func(value string) string { return named(field, value) }
}

// withField makes lists that are asked for with the header.
func withField(name string) func(string) string {
	return func(value string) string { return list(name + ": " + value) }
}

func hostUnder(profile, rule, host int) string {
	return patch(fmt.Sprintf("/v2/connection-profiles/%d/rules/%d/hosts/%d", profile, rule, host), `{"hostname":"a.example"}`,
		"Content-Type: application/json")
}

const zipped = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xab\xae\x05\x00\x43\xbf\xa6\xa3\x02\x00\x00\x00" // {}

// Of each class and in their order an example of each member: a request, or several after one
// another of which the last is the first to be of it. Those of nil have a test of their own.
var examples = map[string][][]string{
	"path-segments": slices.Concat(alone(get("//v2/creatives/200/media-files"), at(""), get("/v2/creatives/200/media-files/")),
		made(at, "./200", `..\200`, "200;a=b")),
	"percent-escapes": made(at, "200%2", "%C0%AF", "2%2f00", "200%3Fa", "200%00", "%2532"),
	"unrouted-path": made(func(path string) string { return get(path) }, "/v1/campaigns/25", "/v2/connection-profiles/12/rules",
		"/v2/creatives/200/media-files/1", "/v2/Creatives/200/media-files", "/v2/creatives/200/media-files.json",
		"/v2/campaign/25", "/metrics"),
	"id-notation":     made(at, "0200", "%2B200", "200.0", "0xC8", "%20200", "%D9%A2"),
	"id-bounds":       made(at, "0", "-1", "2147483648", "9007199254740993", "9223372036854775808", "18446744073709551616"),
	"id-text":         made(at, "first", "200abc", "200%0a", "200'", "6f1c2ab4-9d0e-4c57-8a3b-1f2e3d4c5b6a", "%7Bid%7D"),
	"page-arithmetic": made(asking, "page=0", "page=5000", "limit=-1", "per_page=100000", "page=9999999999", "page=1.5"),
	"query-structure": made(asking, "page=1&page=2", "page%5B%5D=1", "a[b]=1", "a=1&a[b]=2", "a[b=1", "a=1&&b"),
	"unrouted-method": append(alone(line("PUT", "/v2/campaigns/25"), line("DELETE", "/v2/campaigns/25"),
		line("OPTIONS", "/v2/campaigns/25"), line("PROPFIND", "/v2/campaigns/25"), line("get", "/v2/campaigns/25")),
		made(asking, "_method=DELETE")...),
	"request-line": slices.Concat(made(func(target string) string { return get(target) }, "http://127.0.0.1/v2/campaigns/25", "*",
		"/v2/campaigns/25#a", "/v2/campaigns/{id}"), made(instead(" HTTP/1.1"), " HTTP/3.0", "  HTTP/1.1")),

	"host-header": append(made(instead(hostLine), "", "Host:\r\n", hostLine+hostLine),
		made(instead("Host: 127.0.0.1"), "Host: evil.example", "Host: 127.0.0.1:99999", "Host: a_b@c/d")...),
	"proxy-headers": append(made(withField("X-Forwarded-For"), "192.0.2.1, 192.0.2.2", "unknown"),
		alone(list("X-Forwarded-For: 192.0.2.1", "Client-IP: 192.0.2.2"), list("X-Forwarded-Proto: https,http"),
			list("X-Original-URL: /v2/campaigns/1"), list("Forwarded: for=192.0.2.1"))...),
	"accept-forms": append(made(instead("application/json"), "text/html", "text/html, */*;q=0", "*/*;q=high", "json", "*/*;version=2"),
		made(withField("Accept-Charset"), "utf-16")...),
	"accept-language": made(withField("Accept-Language"), "en_US", "en;q=2", "tlh", "en"+strings.Repeat(", de", 20), "../en"),
	"preconditions": slices.Concat(made(withField("If-None-Match"), "*", "abc", `"a", "b"`),
		made(withField("If-Modified-Since"), "2026-11-23T00:00:00Z", "Sun, 32 Nov 2026 00:00:00 GMT"), alone(list("Range: bytes=0-1"))),
	"cookies": made(withField("Cookie"), "a=%zz", `a="b"`, "a=j:{}", "a=1; b", "a=1; a=2", "a=caf\xe9"),
	"tracing": append(made(withField("Traceparent"), "00-abc", "00-"+strings.Repeat("0", 32)+"-0123456789abcdef-01"),
		alone(list("Tracestate: ,,"), list("B3: 5"), list("X-Request-ID: "+strings.Repeat("a", 200)))...),
	"credentials": slices.Concat(made(instead("key1"), "", "key1\r\nX-API-Key: key2", "k\xe9y"),
		alone(asking("api_key=key1"), list("X_API_KEY: key1")), made(withField("Authorization"), "Basic !", "Bearer a.b.c")),
	"browser-headers": append(made(withField("Origin"), "null", "https://a.example/b"), alone(
		line("OPTIONS", "/v2/campaigns/25", "Access-Control-Request-Method: PATCH"), list("Referer: a b"),
		instead("Agent: test")("Agent: "))...),
	"field-lines": alone(list("X-Any: a", " b"), list("X-Any : a"), list("X-Any"), list("X-Any: a\nX-Other: b"), list("X-Any: a\x00b"),
		list("X(Any): a")),
	"head-volume": alone(at(strings.Repeat("a", 300)), asking("a="+strings.Repeat("a", 3000)), asking(strings.Repeat("a=1&", 120)+"a=1"),
		list("X-Any: "+strings.Repeat("a", 5000)), list(slices.Repeat([]string{"X-Any: a"}, 120)...),
		list("X-Any: "+strings.Repeat("a", 70000))),

	"body-framing": alone(chunked("Content-Length: 2")+"2\r\n{}\r\n0\r\n\r\n", update("{}", "Content-Length: 1"),
		list("Content-Length: +2")+"{}", list("Transfer-Encoding: frob"), list("Transfer-Encoding: xchunked")+"0\r\n\r\n",
		chunked()+"zz\r\n{}\r\n0\r\n\r\n",
		chunked()+"2\r\n{}\r\n0\r\nA: b\r\n\r\n"),
	"connection-use": append([][]string{nil, nil}, alone(update(`{"name":"a"}`)[:150], list("Expect: 100-continue"),
		list("Upgrade: websocket"), list("Connection: X-API-Key"))...),
	"media-type": append(alone(patch("/v2/campaigns/25", "{}")), made(typed, "multipart/form-data; boundary=a", "application/xml",
		"application/merge-patch+json", "application/json; charset=utf-16", "json")...),
	"body-bytes": append(made(updateTo, "\xef\xbb\xbf{}", "\xff\xfe{\x00}\x00", "{\"name\":\"caf\xe9\"}"),
		alone(update(zipped, "Content-Encoding: gzip"), update("{}", "Content-Encoding: gzip"), update("{}", "Content-Encoding: frob"))...),
	"body-whole":  append(made(updateTo, "", " \n", "null", `"{}"`, `[{"name":"a"}]`), alone(list("Content-Length: 2")+"{}")...),
	"json-broken": made(updateTo, `{"name":"a"`, `{"name":"a"}}`, `{"name":"a",}`, `{"name":"a"/* b */}`, `{name:"a"}`, `{"name":None}`),
	"json-numbers": made(updateTo, `{"a":9223372036854775808}`, `{"a":[1e400]}`, `{"a":0.1234567890123456789012}`, `{"a":-0}`,
		`{"a":10.0}`, `{"a":007}`),
	"json-extent": made(updateTo, `{"a":`+strings.Repeat("[", 200)+strings.Repeat("]", 200)+`}`,
		strings.Repeat(`{"a":`, 200)+"1"+strings.Repeat("}", 200), "{"+strings.Repeat(`"a":{"b":1},`, 600)+`"c":1}`,
		`{"a":[`+strings.Repeat("1,", 1500)+`1]}`, `{"`+strings.Repeat("a", 2000)+`":1}`, `{"a":"`+strings.Repeat("a", 1_000_000)+`"}`),
	"member-names": made(updateTo, `{"name":"a","n\u0061me":"b"}`, `{"Name":"a"}`, `{"regular_expression":"a"}`, `{"__proto__":{}}`,
		`{"$set":{"name":"a"}}`, `{"name ":"a"}`),
	"text-escapes": made(updateTo, `{"name":"a\u0000"}`, `{"name":"\udc00"}`, `{"name":"\x41"}`, "{\"name\":\"a\tb\"}", `{"name":"\u0061"}`),
	"value-type":   made(updateTo, `{"name":null}`, `{"name":true}`, `{"name":1}`, `{"name":{}}`, `{"name":["a"]}`, `{"name":{"$ne":"a"}}`),
	"members-not-offered": made(updateTo, `{"id":7}`, `{"createdAt":"2026-01-01"}`, `{"userId":7}`, `{"shareURL":"https://a.example"}`,
		`{"@type":"a.B"}`, `{"campaign":{"name":"a"}}`),

	"text-length": made(valued("name"), " ", "a ", strings.Repeat("a", 256), strings.Repeat("\u00e9", 200), strings.Repeat("a", 70000)),
	"text-characters": append(made(valued("name"), "\U0001f600", "e\u0301", "a\u202eb", "\u0130", "a\u2028b"),
		alone(update(`{"name":"\ue000"}`))...),
	"text-as-code":    made(valued("name"), "a' OR '1'='1", "<b>a</b>", "%s {{7*7}}", "=1+1", "../../a", "a; sleep 5"),
	"text-like-value": made(valued("name"), "NULL", "yes", "1e5", "2026-11-23", "{}"),
	"hostname-form":   made(valued("hostname"), "https://a.example", "a.example:80", "b@a.example", "*.a.example", "0x7f.1", "::1"),
	"hostname-labels": made(valued("hostname"), strings.Repeat("a", 64)+".example", strings.Repeat("a.", 130)+"example", "a.example.",
		"a_b.example", "b\u00fccher.example", "xn--0.example"),
	"regex-invalid": made(valued(regex), "a(b", "a[b", `a\`, "*a", "[z-a]", `\p{Foo}`),
	"regex-dialect": made(valued(regex), "(?<!a)b", `(a)\1`, "(?<a>b)", "a++b", "[[:alpha:]]", "/a/i"),
	"regex-cost":    made(valued(regex), "^(a+)+$", "(a|ab)*c", "a{9999}", ".*a.*b.*c.*d", strings.Repeat("a", 2000)),
	"action-values": made(valued("withCookiesAction"), "PASS", "", "1", "pass,warn", "constructor", "allow"),
	"writes-again": {
		{line("DELETE", "/v2/creatives/1"), line("DELETE", "/v2/creatives/1")},
		{line("DELETE", "/v2/creatives/200"), list()},
		{named("name", "a"), named("name", "a"), named("name", "a")},
		{named("name", "a"), named("name", "b"), named("name", "a"), named("name", "b")},
		nil,
		{named("name", "a"), strings.Replace(named("name", "a"), "/25", "/26", 1)},
	},
	"mixed-parents": {
		{hostUnder(12, 34, 56), hostUnder(13, 34, 56)},
		{hostUnder(12, 34, 56), hostUnder(12, 35, 56)},
		{hostUnder(12, 34, 56), hostUnder(34, 12, 56)},
	},
}
