package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
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

func accepting(ranges string) string {
	return strings.Replace(list(), "Accept: application/json", "Accept: "+ranges, 1)
}

func typed(of string) string { return patch("/v2/campaigns/25", "{}", "Content-Type: "+of) }

func hostUnder(profile, rule, host int) string {
	return patch(fmt.Sprintf("/v2/connection-profiles/%d/rules/%d/hosts/%d", profile, rule, host), `{"hostname":"a.example"}`,
		"Content-Type: application/json")
}

func hosted(hosts ...string) string {
	return strings.Replace(list(), "Host: 127.0.0.1\r\n", lines(prefixed("Host: ", hosts)), 1)
}

func prefixed(name string, values []string) []string {
	var all []string
	for _, value := range values {
		all = append(all, name+value)
	}
	return all
}

func zipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	w.Close()
	return b.String()
}

func keyed(keys ...string) string {
	return strings.Replace(list(), "X-API-Key: key1\r\n", lines(prefixed("X-API-Key: ", keys)), 1)
}

// A request, or several after one another, for each member of each class: of several the last is the first to be of it.
var examples = map[string][]string{
	"path-structure: dot segment":             {at("./200")},
	"path-structure: encoded dot segment":     {at("%2e%2E/creatives/200")},
	"path-structure: doubled slash":           {at("/200")},
	"path-structure: trailing slash":          {get("/v2/creatives/200/media-files/")},
	"path-structure: encoded slash":           {at("2%2f00")},
	"path-structure: backslash":               {at(`..\200`)},
	"path-escapes: cut short":                 {at("200%2")},
	"path-escapes: percent u":                 {at("%u0032")},
	"path-escapes: double":                    {at("%2532")},
	"path-escapes: control character":         {at("200%0d%0aA:%20b")},
	"path-escapes: not UTF-8":                 {at("%C0%AF")},
	"path-escapes: needless":                  {at("%3200")},
	"path-escapes: raw byte":                  {at("\xe9")},
	"path-near-route: letter case":            {get("/v2/Creatives/200/media-files")},
	"path-near-route: suffix of a format":     {get("/v2/creatives/200/media-files.json")},
	"path-near-route: matrix parameter":       {at("200;a=b")},
	"path-near-route: a segment more":         {get("/v2/creatives/200/media-files/1")},
	"path-near-route: without an ID":          {get("/v2/connection-profiles/12/rules/34/hosts")},
	"path-near-route: underscore":             {get("/v2/creatives/200/media_files")},
	"id-spelling: leading zeros":              {at("0200")},
	"id-spelling: plus sign":                  {at("%2B200")},
	"id-spelling: fraction or exponent":       {at("2e2")},
	"id-spelling: prefix of a base":           {at("0xC8")},
	"id-spelling: digits of another script":   {at("%D9%A2")},
	"id-spelling: padded":                     {at("200%20")},
	"id-spelling: placeholder":                {at("undefined")},
	"id-range: zero":                          {at("0")},
	"id-range: negative":                      {at("-1")},
	"id-range: over 31 bits":                  {at("2147483648")},
	"id-range: over 53 bits":                  {at("9007199254740993")},
	"id-range: over 63 bits":                  {at("9223372036854775808")},
	"id-range: over 100 digits":               {at(strings.Repeat("9", 120))},
	"paging-values: zero":                     {asking("page=0")},
	"paging-values: negative":                 {asking("per_page=-5")},
	"paging-values: enormous":                 {asking("page=9999999999")},
	"paging-values: not a number":             {asking("page=two")},
	"paging-values: empty":                    {asking("limit=")},
	"paging-values: fraction or exponent":     {asking("page=1e3")},
	"paging-values: signed or padded":         {asking("page=+1")},
	"query-form: repeated":                    {asking("page=1&page=2")},
	"query-form: brackets":                    {asking("page%5B%5D=1")},
	"query-form: without a value":             {asking("page=1&a")},
	"query-form: empty pair":                  {asking("a=1&&b=2")},
	"query-form: cut short":                   {asking("a=%z")},
	"query-form: question mark":               {asking("a=1?b=2")},
	"query-form: semicolon":                   {asking("a=1;b=2")},
	"query-unasked: field of the body":        {patch("/v2/campaigns/25?name=b", `{"name":"a"}`)},
	"query-unasked: ID":                       {asking("creativeId=7")},
	"query-unasked: projection":               {asking("fields[creative]=id")},
	"query-unasked: callback":                 {asking("callback=f")},
	"query-unasked: switch":                   {asking("debug=1")},
	"query-unasked: format":                   {asking("format=xml")},
	"method-other: PUT or POST":               {line("PUT", "/v2/campaigns/25")},
	"method-other: HEAD":                      {line("HEAD", "/v2/creatives/200/media-files")},
	"method-other: OPTIONS":                   {line("OPTIONS", "/v2/campaigns/25")},
	"method-other: of another path":           {line("DELETE", "/v2/campaigns/25")},
	"method-other: letter case":               {line("get", "/v2/creatives/200/media-files")},
	"method-other: unknown":                   {line("FROB", "/v2/campaigns/25")},
	"method-other: TRACE or CONNECT":          {line("TRACE", "/v2/campaigns/25")},
	"method-override: X-HTTP-Method-Override": {list("X-HTTP-Method-Override: DELETE")},
	"method-override: X-HTTP-Method":          {list("X-HTTP-Method: PUT")},
	"method-override: X-Method-Override":      {list("X-Method-Override: PATCH")},
	"method-override: parameter":              {asking("_method=DELETE")},

	"negotiation: JSON refused":               {accepting("text/html, application/xml;q=0.9")},
	"negotiation: weight of zero":             {accepting("application/json;q=0, text/html")},
	"negotiation: malformed weight":           {accepting("application/json;q=2")},
	"negotiation: many ranges":                {accepting("*/*" + strings.Repeat(", a/b", 30))},
	"negotiation: empty":                      {accepting("")},
	"negotiation: no coding left":             {list("Accept-Encoding: identity;q=0, *;q=0")},
	"negotiation: charset":                    {list("Accept-Charset: utf-16")},
	"conditional: If-Match: *":                {update("{}", "If-Match: *")},
	"conditional: If-Match":                   {update("{}", `If-Match: "a"`)},
	"conditional: If-None-Match":              {list("If-None-Match: *")},
	"conditional: tag without quotes":         {list("If-None-Match: abc")},
	"conditional: malformed date":             {list("If-Modified-Since: 2026-11-22T00:00:00Z")},
	"conditional: obsolete date":              {list("If-Modified-Since: Sunday, 06-Nov-94 08:49:37 GMT")},
	"conditional: range":                      {list("Range: bytes=0-1")},
	"cross-origin: preflight":                 {line("OPTIONS", "/v2/campaigns/25", "Access-Control-Request-Method: PATCH")},
	"cross-origin: other origin":              {list("Origin: https://evil.example")},
	"cross-origin: null":                      {list("Origin: null")},
	"cross-origin: Sec-Fetch-Site":            {list("Sec-Fetch-Site: cross-site")},
	"cookies: name twice":                     {list("Cookie: a=1; a=2")},
	"cookies: without a value":                {list("Cookie: a=1; b")},
	"cookies: several headers":                {list("Cookie: a=1", "Cookie: b=2")},
	"cookies: long":                           {list("Cookie: a=" + strings.Repeat("a", 5000))},
	"cookies: odd bytes":                      {list(`Cookie: a="1,2"`)},
	"cookies: version":                        {list("Cookie: $Version=1; a=1")},
	"cookies: empty":                          {list("Cookie: a=1;;b=2")},
	"forwarding: X-Forwarded-For":             {list("X-Forwarded-For: 127.0.0.1")},
	"forwarding: X-Forwarded-Host":            {list("X-Forwarded-Host: evil.example")},
	"forwarding: X-Forwarded-Proto":           {list("X-Forwarded-Proto: gopher")},
	"forwarding: Forwarded":                   {list("Forwarded: for=unknown")},
	"forwarding: original URL":                {list("X-Original-URL: /v2/campaigns/1")},
	"forwarding: hops":                        {list("Max-Forwards: 0")},
	"forwarding: client address":              {list("X-Real-IP: 127.0.0.1")},
	"target-and-host: absolute form":          {get("http://127.0.0.1/v2/creatives/200/media-files")},
	"target-and-host: fragment":               {get("/v2/creatives/200/media-files#a")},
	"target-and-host: asterisk":               {line("OPTIONS", "*")},
	"target-and-host: without Host":           {hosted()},
	"target-and-host: Host twice":             {hosted("127.0.0.1", "127.0.0.1")},
	"target-and-host: other Host":             {hosted("evil.example")},
	"target-and-host: malformed Host":         {hosted("127.0.0.1:99999")},
	"connection-fields: Expect: 100-continue": {update("{}", "Expect: 100-continue")},
	"connection-fields: other Expect":         {update("{}", "Expect: a=b")},
	"connection-fields: Upgrade":              {list("Connection: Upgrade", "Upgrade: h2c")},
	"connection-fields: names a field":        {list("Connection: keep-alive, X-API-Key")},
	"connection-fields: TE":                   {list("TE: trailers")},
	"connection-fields: Proxy-Connection":     {list("Proxy-Connection: keep-alive")},
	"connection-fields: HTTP/1.0":             {strings.Replace(list(), "HTTP/1.1", "HTTP/1.0", 1)},
	"framing-conflict: length and chunks":     {chunked("Content-Length: 2") + "2\r\n{}\r\n0\r\n\r\n"},
	"framing-conflict: lengths differ":        {update("{}", "Content-Length: 1")},
	"framing-conflict: length repeated":       {update("{}", "Content-Length: 2")},
	"framing-conflict: malformed length":      {list("Content-Length: +2") + "{}"},
	"framing-conflict: unknown coding":        {list("Transfer-Encoding: frob")},
	"framing-conflict: disguised coding":      {list("Transfer-Encoding: xchunked") + "0\r\n\r\n"},
	"field-syntax: folded":                    {list("X-Any: a", " b")},
	"field-syntax: space before the colon":    {list("X-Any : a")},
	"field-syntax: without a colon":           {list("X-Any")},
	"field-syntax: line feed alone":           {list("X-Any: a\nX-Other: b")},
	"field-syntax: not ASCII":                 {list("X-Any: caf\xe9")},
	"field-syntax: control character":         {list("X-Any: a\x00b")},
	"field-syntax: malformed name":            {list("X(Any): a")},
	"head-size: long path":                    {at(strings.Repeat("a/", 1500))},
	"head-size: long query":                   {asking("a=" + strings.Repeat("a", 3000))},
	"head-size: many parameters":              {asking(strings.Repeat("a=1&", 120) + "a=1")},
	"head-size: long header":                  {list("X-Any: " + strings.Repeat("a", 5000))},
	"head-size: many headers":                 {list(slices.Repeat([]string{"X-Any: a"}, 120)...)},
	"head-size: long name of a header":        {list(strings.Repeat("A", 300) + ": a")},
	"key-form: empty":                         {keyed("")},
	"key-form: scheme before it":              {keyed("Bearer key1")},
	"key-form: space":                         {keyed("key1 key1")},
	"key-form: odd bytes":                     {keyed("k\xe9y")},
	"key-form: long":                          {keyed(strings.Repeat("k", 5000))},
	"key-form: quotes":                        {keyed(`"key1"`)},
	"key-form: list":                          {keyed("key1,key2")},
	"key-placement: twice the same":           {keyed("key1", "key1")},
	"key-placement: twice":                    {keyed("key1", "key2")},
	"key-placement: in the query":             {asking("api_key=key1")},
	"key-placement: in a cookie":              {list("Cookie: token=key1")},
	"key-placement: in the body":              {update(`{"apiKey":"key1"}`)},
	"key-placement: in another header":        {list("Authorization: Bearer key1")},
	"key-placement: for a proxy":              {list("Proxy-Authorization: Basic YTpi")},

	"content-type: absent":                  {patch("/v2/campaigns/25", "{}")},
	"content-type: form":                    {typed("application/x-www-form-urlencoded")},
	"content-type: multipart":               {typed("multipart/form-data; boundary=a")},
	"content-type: text or XML":             {typed("application/xml")},
	"content-type: patch":                   {typed("application/merge-patch+json")},
	"content-type: charset":                 {typed("application/json; charset=utf-16")},
	"content-type: malformed or twice":      {typed("json")},
	"content-coding: true":                  {update(zipped(`{"name":"a"}`), "Content-Encoding: gzip")},
	"content-coding: untrue":                {update(`{"name":"a"}`, "Content-Encoding: gzip")},
	"content-coding: unknown":               {update(`{"name":"a"}`, "Content-Encoding: frob")},
	"content-coding: stacked":               {update(zipped(zipped("{}")), "Content-Encoding: gzip, gzip")},
	"content-coding: expands":               {update(zipped(strings.Repeat(" ", 100000)), "Content-Encoding: gzip")},
	"text-encoding: byte order mark":        {update("\xef\xbb\xbf{}")},
	"text-encoding: UTF-16":                 {update("\xff\xfe{\x00}\x00")},
	"text-encoding: UTF-32":                 {update("\x00\x00\x00{\x00\x00\x00}")},
	"text-encoding: not UTF-8":              {update("{\"name\":\"caf\xe9\"}")},
	"text-encoding: surrogate":              {update("{\"name\":\"\xed\xa0\x80\"}")},
	"text-encoding: overlong":               {update("{\"name\":\"\xc0\xaf\"}")},
	"body-delivery: none on update":         {update("")},
	"body-delivery: on GET":                 {list("Content-Length: 2") + "{}"},
	"body-delivery: on DELETE":              {line("DELETE", "/v2/creatives/301", "Content-Length: 2") + "{}"},
	"body-delivery: extension of a chunk":   {chunked() + "2;a=b\r\n{}\r\n0\r\n\r\n"},
	"body-delivery: trailer":                {chunked() + "2\r\n{}\r\n0\r\nA: b\r\n\r\n"},
	"body-delivery: tiny chunks":            {chunked() + "1\r\n{\r\n1\r\n \r\n1\r\n}\r\n0\r\n\r\n"},
	"body-delivery: padded size of a chunk": {chunked() + "0002\r\n{}\r\n0\r\n\r\n"},
	"json-lenient: trailing comma":          {update(`{"name":"a",}`)},
	"json-lenient: comment":                 {update(`{"name":"a"/* b */}`)},
	"json-lenient: single quotes":           {update(`{'name':'a'}`)},
	"json-lenient: name without quotes":     {update(`{name:"a"}`)},
	"json-lenient: NaN":                     {update(`{"name":NaN}`)},
	"json-lenient: odd number":              {update(`{"name":0x10}`)},
	"json-lenient: other literal":           {update(`{"name":None}`)},
	"json-ends: cut off":                    {update(`{"name":"a"`)},
	"json-ends: second document":            {update(`{"name":"a"}{"name":"b"}`)},
	"json-ends: trailing text":              {update(`{"name":"a"};`)},
	"json-ends: prefix":                     {update(`)]}',{"name":"a"}`)},
	"json-ends: blank":                      {update(" \n")},
	"json-ends: trailing NUL":               {update("{\"name\":\"a\"}\x00")},
	"json-names: twice":                     {update(`{"name":"a","name":"b"}`)},
	"json-names: twice and escaped":         {update(`{"name":"a","n\u0061me":"b"}`)},
	"json-names: letter case":               {update(`{"Name":"a"}`)},
	"json-names: prototype":                 {update(`{"__proto__":{"name":"a"}}`)},
	"json-names: empty":                     {update(`{"":"a"}`)},
	"json-names: padded":                    {update(`{"name ":"a"}`)},
	"json-names: operator":                  {update(`{"$set":{"name":"a"}}`)},
	"json-strings: NUL":                     {update(`{"name":"a\u0000"}`)},
	"json-strings: half surrogate pair":     {update(`{"name":"\ud800"}`)},
	"json-strings: unknown escape":          {update(`{"name":"\x41"}`)},
	"json-strings: raw control character":   {update("{\"name\":\"a\tb\"}")},
	"json-strings: needless escape":         {update(`{"name":"\u0061"}`)},
	"json-size: deep arrays":                {update(`{"a":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`)},
	"json-size: deep objects":               {update(strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200))},
	"json-size: many members":               {update("{" + strings.Repeat(`"a":{"b":1},`, 600) + `"c":1}`)},
	"json-size: many elements":              {update(`{"a":[` + strings.Repeat("1,", 1500) + `1]}`)},
	"json-size: much space":                 {update("{" + strings.Repeat(" ", 2000) + `"name":"a"}`)},
	"value-types: null":                     {update(`{"name":null}`)},
	"value-types: boolean":                  {update(`{"name":true}`)},
	"value-types: number":                   {update(`{"name":1}`)},
	"value-types: array":                    {update(`{"name":["a"]}`)},
	"value-types: object":                   {update(`{"name":{"a":1}}`)},
	"value-types: huge number":              {update(`{"name":1e999}`)},
	"value-types: no object":                {update(`[{"name":"a"}]`)},
	"unlisted-members: ID":                  {update(`{"name":"a","id":7}`)},
	"unlisted-members: date":                {update(`{"name":"a","createdAt":"2026-01-01"}`)},
	"unlisted-members: owner":               {update(`{"name":"a","userId":7}`)},
	"unlisted-members: parent":              {update(`{"name":"a","defaultAdspecId":7}`)},
	"unlisted-members: derived":             {update(`{"name":"a","shareURL":"https://a.example"}`)},

	"name-extent: empty":                 {named("name", "")},
	"name-extent: blank":                 {named("name", " \u00a0")},
	"name-extent: padded":                {named("name", " a")},
	"name-extent: line break":            {named("name", "a\nb")},
	"name-extent: over 255":              {named("name", strings.Repeat("a", 256))},
	"name-extent: over 64 KiB":           {named("name", strings.Repeat("a", 70000))},
	"name-characters: bidirectional":     {named("name", "a\u202eb")},
	"name-characters: without width":     {named("name", "a\u200bb")},
	"name-characters: decomposed":        {named("name", "e\u0301")},
	"name-characters: joined emoji":      {named("name", "\U0001f469\u200d\U0001f4bb")},
	"name-characters: unassigned":        {update(`{"name":"a\uffff"}`)},
	"name-characters: mixed scripts":     {named("name", "p\u0430y")},
	"name-markup: HTML":                  {named("name", "<script>")},
	"name-markup: SQL":                   {named("name", "a' OR '1'='1")},
	"name-markup: template":              {named("name", "{{7*7}}")},
	"name-markup: formula":               {named("name", "=1+1")},
	"name-markup: path":                  {named("name", "../../etc/passwd")},
	"name-markup: shell":                 {named("name", "a; sleep 5")},
	"name-markup: lookup":                {named("name", "${jndi:ldap://127.0.0.1/a}")},
	"hostname-form: URL":                 {named("hostname", "https://a.example")},
	"hostname-form: port":                {named("hostname", "a.example:80")},
	"hostname-form: path":                {named("hostname", "a.example/b")},
	"hostname-form: user":                {named("hostname", "a@b.example")},
	"hostname-form: wildcard":            {named("hostname", "*.example")},
	"hostname-form: IPv4":                {named("hostname", "0x7f.1")},
	"hostname-form: IPv6":                {named("hostname", "[::1]")},
	"hostname-labels: long label":        {named("hostname", strings.Repeat("a", 64)+".example")},
	"hostname-labels: long":              {named("hostname", strings.Repeat("a.", 130)+"example")},
	"hostname-labels: empty label":       {named("hostname", "a..example")},
	"hostname-labels: hyphen at an edge": {named("hostname", "a-.example")},
	"hostname-labels: trailing dot":      {named("hostname", "a.example.")},
	"hostname-labels: single":            {named("hostname", "localhost")},
	"hostname-labels: international":     {named("hostname", "b\u00fccher.example")},
	"regex-broken: open group":           {named(regex, "a(b")},
	"regex-broken: open class":           {named(regex, "a[b")},
	"regex-broken: trailing backslash":   {named(regex, `a\`)},
	"regex-broken: nothing to repeat":    {named(regex, "*a")},
	"regex-broken: reversed range":       {named(regex, "[z-a]")},
	"regex-broken: reversed count":       {named(regex, "a{3,1}")},
	"regex-engine: nested repeats":       {named(regex, "^(a+)+$")},
	"regex-engine: lookaround":           {named(regex, "(?<!a)b")},
	"regex-engine: backreference":        {named(regex, `(a)\1`)},
	"regex-engine: possessive or atomic": {named(regex, "a++b")},
	"regex-engine: inline flags":         {named(regex, "(?i)a")},
	"regex-engine: delimiters":           {named(regex, "/a/i")},
	"regex-engine: large count":          {named(regex, "a{9999}")},
	"action-values: letter case":         {named("withCookiesAction", "PASS")},
	"action-values: padded":              {named("withCookiesAction", "pass ")},
	"action-values: empty":               {named("withCookiesAction", "")},
	"action-values: number or boolean":   {named("withCookiesAction", "1")},
	"action-values: list":                {named("withCookiesAction", "pass,warn")},
	"action-values: unknown":             {named("withCookiesAction", "allow")},
	"delete-again: delete twice":         {line("DELETE", "/v2/creatives/1"), line("DELETE", "/v2/creatives/1")},
	"delete-again: list after delete":    {line("DELETE", "/v2/creatives/200"), list()},
	"update-again: same three times":     {named("name", "a"), named("name", "a"), named("name", "a")},
	"update-again: back and forth":       {named("name", "a"), named("name", "b"), named("name", "a"), named("name", "b")},
	"update-again: at once":              nil, // in a test of its own
	"connection-use: pipelined":          nil, // likewise
	"connection-use: after a refusal":    nil,
	"connection-use: broken off":         {update(`{"name":"a"}`)[:150]},
	"crossed-parents: other profile":     {hostUnder(12, 34, 56), hostUnder(13, 34, 56)},
	"crossed-parents: other rule":        {hostUnder(12, 34, 56), hostUnder(12, 35, 56)},
	"crossed-parents: swapped":           {hostUnder(12, 34, 56), hostUnder(34, 12, 56)},
}
