package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const ordinary = "Host: a\r\nUser-Agent: test\r\nAccept: application/json\r\n"

func get(target string, headers ...string) string {
	return "GET " + target + " HTTP/1.1\r\n" + ordinary + "X-API-Key: k\u0065y1\r\n" + lines(headers) + "\r\n"
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

func chunked() string { return line("PATCH", "/v2/campaigns/25", "Transfer-Encoding: chunked") }

func zipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	w.Close()
	return b.String()
}

func keyed(keys ...string) string {
	without := strings.Replace(list(), "X-API-Key: key1\r\n", "", 1)
	for _, key := range keys {
		without = strings.Replace(without, "\r\n\r\n", "\r\nX-API-Key: "+key+"\r\n\r\n", 1)
	}
	return without
}

// A request, or several after one another, for each member of each class: of two of a line the first is before it.
var examples = map[string][]string{
	"path-reserved-encoded: slash":         {get("/v2/creatives/2%2F0/media-files")},
	"path-reserved-encoded: backslash":     {get("/v2/creatives/2%5c0/media-files")},
	"path-reserved-encoded: semicolon":     {get("/v2/creatives/200%3Ba/media-files")},
	"path-reserved-encoded: question mark": {get("/v2/creatives/200%3F/media-files")},
	"path-reserved-encoded: percent":       {get("/v2/creatives/200%2541/media-files")},
	"path-bytes-not-utf8: not UTF-8":       {get("/v2/creatives/%FF/media-files")},
	"path-bytes-not-utf8: overlong":        {get("/v2/creatives/%c0%af/media-files")},
	"path-control: NUL":                    {get("/v2/creatives/200%00/media-files")},
	"path-control: line feed":              {get("/v2/creatives/200%0A/media-files")},
	"path-control: carriage return":        {get("/v2/creatives/200%0d/media-files")},
	"path-control: tab":                    {get("/v2/creatives/%09200/media-files")},
	"path-other-digits: Arabic-Indic":      {get("/v2/creatives/%D9%A2/media-files")},
	"path-other-digits: full-width":        {get("/v2/creatives/%EF%BC%92/media-files")},
	"path-other-digits: superscript":       {get("/v2/creatives/%C2%B2/media-files")},
	"path-other-digits: others":            {get("/v2/creatives/%E0%A5%A8/media-files")},
	"path-number-form: sign":               {get("/v2/creatives/%2B200/media-files")},
	"path-number-form: fraction":           {get("/v2/creatives/200.0/media-files")},
	"path-number-form: exponent":           {get("/v2/creatives/2e2/media-files")},
	"path-number-form: leading zeros":      {get("/v2/creatives/0200/media-files")},
	"path-number-form: grouping":           {get("/v2/creatives/2,000/media-files")},
	"path-number-form: hexadecimal":        {get("/v2/creatives/0xC8/media-files")},
	"path-number-form: NaN":                {get("/v2/creatives/NaN/media-files")},
	"path-number-form: Infinity":           {get("/v2/creatives/-Infinity/media-files")},
	"path-number-size: 32 bits":            {get("/v2/creatives/2147483648/media-files")},
	"path-number-size: 53 bits":            {get("/v2/creatives/9007199254740993/media-files")},
	"path-number-size: 63 bits":            {get("/v2/creatives/9223372036854775808/media-files")},
	"path-number-size: 64 bits":            {get("/v2/creatives/18446744073709551616/media-files")},
	"path-number-size: hundreds of digits": {get("/v2/creatives/" + strings.Repeat("9", 300) + "/media-files")},
	"path-dots: one":                       {get("/v2/creatives/./media-files")},
	"path-dots: two":                       {get("/v2/creatives/../media-files")},
	"path-dots: encoded":                   {get("/v2/creatives/%2e%2E/media-files")},
	"path-dots: at the end":                {get("/v2/creatives/200/..")},
	"path-extension: extension":            {get("/v2/creatives/200/media-files.json")},
	"path-extension: version":              {get("/v2/creatives/200/media-files;v=2")},
	"path-empty-and-extra: empty segment":  {get("/v2//creatives/200/media-files")},
	"path-empty-and-extra: trailing slash": {get("/v2/creatives/200/media-files/")},
	"path-empty-and-extra: too many":       {get("/v2/creatives/200/media-files/1")},
	"path-empty-and-extra: too few":        {get("/v2/connection-profiles/12/rules/34/hosts")},
	"path-length: segment":                 {get("/v2/creatives/" + strings.Repeat("a", 256) + "/media-files")},
	"path-length: path":                    {get("/v2/creatives/" + strings.Repeat("a/", 600) + "media-files")},
	"path-letter-case: letter case":        {get("/v2/Creatives/200/media-files")},
	"path-letter-case: needlessly encoded": {get("/v2/%63reatives/200/media-files")},
	"target-absolute-form: whole URL":      {get("http://a/v2/creatives/200/media-files")},
	"query-malformed: percent":             {get("/v2/creatives/200/media-files?a=%zz")},
	"query-malformed: not UTF-8":           {get("/v2/creatives/200/media-files?a=%ff")},
	"query-malformed: ampersands":          {get("/v2/creatives/200/media-files?&&")},
	"query-malformed: without a name":      {get("/v2/creatives/200/media-files?=1")},
	"query-repeated: equal":                {get("/v2/creatives/200/media-files?page=1&page=1")},
	"query-repeated: different":            {get("/v2/creatives/200/media-files?page=1&page=2")},
	"query-structured: brackets":           {get("/v2/creatives/200/media-files?page[]=1")},
	"query-structured: operators":          {get("/v2/creatives/200/media-files?id__gt=1")},
	"paging-bounds: zero":                  {get("/v2/creatives/200/media-files?page=0")},
	"paging-bounds: negative":              {get("/v2/creatives/200/media-files?page=-1")},
	"paging-bounds: far beyond":            {get("/v2/creatives/200/media-files?page=99999")},
	"paging-bounds: multiplied":            {get("/v2/creatives/200/media-files?page=9223372036854775807")},
	"paging-size: zero":                    {get("/v2/creatives/200/media-files?limit=0")},
	"paging-size: negative":                {get("/v2/creatives/200/media-files?per_page=-5")},
	"paging-size: one":                     {get("/v2/creatives/200/media-files?pageSize=1")},
	"paging-size: enormous":                {get("/v2/creatives/200/media-files?limit=1000000")},
	"paging-not-a-number: empty":           {get("/v2/creatives/200/media-files?page=")},
	"paging-not-a-number: word":            {get("/v2/creatives/200/media-files?page=two")},
	"paging-not-a-number: fraction":        {get("/v2/creatives/200/media-files?page=1.5")},
	"paging-not-a-number: space":           {get("/v2/creatives/200/media-files?page=+1")},
	"query-sort-and-filter: sort":          {get("/v2/creatives/200/media-files?sort=nosuch")},
	"query-sort-and-filter: order":         {get("/v2/creatives/200/media-files?order_by=nosuch")},
	"query-sort-and-filter: field":         {get("/v2/creatives/200/media-files?fields=nosuch")},
	"query-sort-and-filter: filter":        {get("/v2/creatives/200/media-files?filter[nosuch]=1")},
	"query-volume: parameters":             {get("/v2/creatives/200/media-files?" + strings.Repeat("a=1&", 1000))},
	"query-volume: kilobytes":              {get("/v2/creatives/200/media-files?a=" + strings.Repeat("a", 5000))},

	"accept-odd: malformed":                     {list("Accept: json")},
	"accept-odd: empty":                         {list("Accept:")},
	"accept-odd: not produced":                  {strings.Replace(list(), "application/json", "image/png", 1)},
	"accept-odd: odd weights":                   {list("Accept: application/json;q=7")},
	"accept-odd: twice":                         {list("Accept: application/json")},
	"accept-language-and-charset: language":     {list("Accept-Language: tlh")},
	"accept-language-and-charset: charset":      {list("Accept-Charset: utf-99")},
	"accept-language-and-charset: wildcard":     {list("Accept-Language: *")},
	"accept-language-and-charset: endless":      {list("Accept-Language: en" + strings.Repeat(",de", 30))},
	"accept-encoding-odd: unknown":              {list("Accept-Encoding: nosuch")},
	"accept-encoding-odd: nothing left":         {list("Accept-Encoding: identity;q=0, *;q=0")},
	"content-type-odd: without slash":           {patch("/v2/campaigns/25", "{}", "Content-Type: json")},
	"content-type-odd: without subtype":         {patch("/v2/campaigns/25", "{}", "Content-Type: application/")},
	"content-type-odd: broken parameters":       {patch("/v2/campaigns/25", "{}", "Content-Type: application/json; charset")},
	"content-type-odd: repeated parameters":     {patch("/v2/campaigns/25", "{}", "Content-Type: a/b; charset=utf-8; charset=utf-8")},
	"content-type-odd: without boundary":        {patch("/v2/campaigns/25", "{}", "Content-Type: multipart/form-data")},
	"content-type-odd: twice":                   {update("{}", "Content-Type: application/json")},
	"charset-odd: unknown":                      {patch("/v2/campaigns/25", "{}", "Content-Type: application/json; charset=nosuch")},
	"charset-odd: quoted":                       {patch("/v2/campaigns/25", "{}", `Content-Type: application/json; charset="utf-8"`)},
	"charset-odd: empty":                        {patch("/v2/campaigns/25", "{}", "Content-Type: application/json; charset=")},
	"charset-odd: another":                      {patch("/v2/campaigns/25", "{}", "Content-Type: application/json; charset=utf-16")},
	"content-encoding-odd: untrue":              {update(`{"name":"a"}`, "Content-Encoding: gzip")},
	"content-encoding-odd: unknown":             {update(`{"name":"a"}`, "Content-Encoding: nosuch")},
	"content-encoding-odd: stacked":             {update(zipped(zipped("{}")), "Content-Encoding: gzip, gzip")},
	"content-encoding-odd: cut off":             {update(zipped(`{"name":"a"}`)[:20], "Content-Encoding: gzip")},
	"range-odd: unit":                           {list("Range: pages=1-2")},
	"range-odd: backwards":                      {list("Range: bytes=9-2")},
	"range-odd: beyond the end":                 {list("Range: bytes=999999-")},
	"range-odd: hundreds":                       {list("Range: bytes=0-1" + strings.Repeat(",2-3", 200))},
	"conditional-odd: date":                     {list("If-Modified-Since: yesterday")},
	"conditional-odd: without quotes":           {list("If-None-Match: abc")},
	"conditional-odd: asterisk":                 {list("If-None-Match: *")},
	"conditional-odd: on writes":                {update("{}", `If-Match: "a"`)},
	"forwarded-odd: no address":                 {list("X-Forwarded-For: unknown")},
	"forwarded-odd: no host":                    {list("X-Forwarded-Host: <a>")},
	"forwarded-odd: no protocol":                {list("X-Forwarded-Proto: gopher")},
	"forwarded-odd: no port":                    {list("X-Forwarded-Port: 70000")},
	"forwarded-odd: malformed":                  {list("Forwarded: ;;")},
	"forwarded-odd: list":                       {list("X-Forwarded-Proto: https,http")},
	"tracing-odd: no UUID":                      {list("X-Request-ID: abc")},
	"tracing-odd: long":                         {list("X-Correlation-ID: " + strings.Repeat("a", 300))},
	"tracing-odd: malformed":                    {list("traceparent: 00-xyz")},
	"browser-headers: origin":                   {list("Origin: https://evil.example")},
	"browser-headers: null":                     {list("Origin: null")},
	"browser-headers: cross-site":               {list("Sec-Fetch-Site: cross-site")},
	"browser-headers: referer":                  {list("Referer: https://evil.example/")},
	"browser-headers: broken cookie":            {list("Cookie: a=%zz")},
	"header-absent: User-Agent":                 {strings.Replace(list(), "User-Agent: test\r\n", "", 1)},
	"header-absent: Accept":                     {strings.Replace(list(), "Accept: application/json\r\n", "", 1)},
	"header-absent: Content-Type":               {patch("/v2/campaigns/25", "{}")},
	"header-volume: kilobytes":                  {list("X-Any: " + strings.Repeat("a", 8000))},
	"header-volume: a hundred":                  {list(strings.Split(strings.Repeat("X-Any: a,", 100)[:899], ",")...)},
	"header-volume: bytes outside ASCII":        {list("X-Any: caf\xe9")},
	"key-odd: bytes outside ASCII":              {keyed("k\xe9y")},
	"key-odd: one character":                    {keyed("k")},
	"key-odd: thousands":                        {keyed(strings.Repeat("k", 3000))},
	"key-odd: quotes":                           {keyed(`"key1"`)},
	"key-odd: commas":                           {keyed("key1,key1")},
	"key-odd: spaces":                           {keyed("key1 a")},
	"key-odd: separators":                       {keyed("key1:a")},
	"key-several: equal":                        {keyed("key1", "key1")},
	"key-several: different":                    {keyed("key1", "key2")},
	"key-several: one empty":                    {keyed("key1", "")},
	"authorization-beside: scheme alone":        {list("Authorization: Bearer")},
	"authorization-beside: broken base64":       {list("Authorization: Basic %%%")},
	"authorization-beside: without colon":       {list("Authorization: Basic YWJj")},
	"authorization-beside: token":               {list("Authorization: Bearer abc")},
	"authorization-beside: in place of the key": {strings.Replace(keyed(), "\r\n\r\n", "\r\nAuthorization: Bearer a.b.c\r\n\r\n", 1)},
	"method-odd: HEAD":                          {line("HEAD", "/v2/creatives/200/media-files")},
	"method-odd: preflight":                     {line("OPTIONS", "/v2/campaigns/25", "Origin: null", "Access-Control-Request-Method: PATCH")},
	"method-odd: PUT or POST":                   {line("PUT", "/v2/campaigns/25")},
	"method-odd: unknown":                       {line("FROB", "/v2/campaigns/25")},
	"method-odd: small letters":                 {line("get", "/v2/creatives/200/media-files")},
	"method-odd: override":                      {list("X-HTTP-Method-Override: DELETE")},
	"framing-odd: tiny chunks":                  {chunked() + "1\r\n{\r\n1\r\n \r\n1\r\n}\r\n0\r\n\r\n"},
	"framing-odd: extensions or trailers":       {chunked() + "2;a=b\r\n{}\r\n0\r\nA: b\r\n\r\n"},
	"framing-odd: Expect":                       {update("{}", "Expect: 100-continue")},
	"framing-odd: upgrade":                      {list("Connection: Upgrade", "Upgrade: h2c")},
	"framing-odd: body where none is":           {list("Content-Length: 2") + "{}"},
	"framing-odd: no body":                      {line("PATCH", "/v2/campaigns/25", "Content-Type: application/json")},

	"json-encoding: byte order mark":               {update("\xef\xbb\xbf{}")},
	"json-encoding: UTF-16":                        {update("\xff\xfe{\x00}\x00")},
	"json-encoding: Latin-1":                       {update("{\"name\":\"caf\xe9s\"}")},
	"json-encoding: not UTF-8":                     {update("{\"name\":\"\xff\xfe\"}")},
	"json-encoding: half surrogate pair":           {update(`{"name":"\ud800"}`)},
	"json-encoding: white space":                   {update(" \n\t")},
	"json-members: twice":                          {update(`{"name":"a","name":"b"}`)},
	"json-members: letter case":                    {update(`{"Name":"a"}`)},
	"json-members: empty":                          {update(`{"":"a"}`)},
	"json-members: long":                           {update(`{"` + strings.Repeat("a", 300) + `":"a"}`)},
	"json-members: dots or dollars":                {update(`{"a.b":"a"}`)},
	"json-members: inherited":                      {update(`{"__proto__":{}}`)},
	"json-members: read-only":                      {update(`{"id":99}`)},
	"json-numbers: beyond machine types":           {update(`{"a":123456789012345678901234567890}`)},
	"json-numbers: overflow":                       {update(`{"a":1e999}`)},
	"json-numbers: thousands of digits":            {update(`{"a":` + strings.Repeat("1", 5000) + `}`)},
	"json-numbers: negative zero":                  {update(`{"a":-0}`)},
	"json-numbers: NaN":                            {update(`{"name":NaN}`)},
	"json-shape: array":                            {update(`[{"name":"a"}]`)},
	"json-shape: text":                             {update(`"a"`)},
	"json-shape: number":                           {update(`1`)},
	"json-shape: null":                             {update(`null`)},
	"json-shape: another type":                     {update(`{"name":["a"]}`)},
	"json-shape: deep":                             {update(`{"a":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`)},
	"json-shape: thousands of members":             {update("{" + strings.Repeat(`"a":{"b":1},`, 600) + `"c":1}`)},
	"json-shape: large":                            {update(`{"a":"` + strings.Repeat("a", 200<<10) + `"}`)},
	"text-characters: control characters":          {update(`{"name":"a\u0000"}`)},
	"text-characters: noncharacters":               {update(`{"name":"a\uffff"}`)},
	"text-characters: direction marks":             {update(`{"name":"a\u202e"}`)},
	"text-characters: combining":                   {update(`{"name":"a\u0301"}`)},
	"text-characters: without a letter":            {named("name", "!?…")},
	"text-characters: braces":                      {named("name", "{0}")},
	"text-characters: quotes":                      {named("name", "a'b")},
	"text-characters: escapes of other languages":  {named("name", "%n")},
	"text-characters: limits in characters":        {named("name", strings.Repeat("a", 256))},
	"text-characters: limits in bytes":             {named("name", strings.Repeat("é", 128))},
	"text-formats: invalid expression":             {named("regularExpression", "a(")},
	"text-formats: expression of a dialect":        {named("regularExpression", "(?<=a)b")},
	"text-formats: backtracking":                   {named("regularExpression", "^(a+)+$")},
	"text-formats: empty label":                    {named("hostname", "a..b")},
	"text-formats: long label":                     {named("hostname", strings.Repeat("a", 64)+".example")},
	"text-formats: underscore":                     {named("hostname", "a_b.example")},
	"text-formats: brackets":                       {named("hostname", "[::1]")},
	"text-formats: port":                           {named("hostname", "a.example:80")},
	"text-formats: scheme":                         {named("hostname", "https://a.example")},
	"text-formats: wildcard":                       {named("hostname", "*.example")},
	"text-formats: other scripts":                  {named("hostname", "bücher.example")},
	"text-formats: action in other case":           {named("withCookiesAction", "PASS")},
	"text-formats: action outside the list":        {named("withCookiesAction", "allow")},
	"order-of-requests: delete twice":              {line("DELETE", "/v2/creatives/1"), line("DELETE", "/v2/creatives/1")},
	"order-of-requests: list after its parent":     {line("DELETE", "/v2/creatives/200"), list()},
	"order-of-requests: update after a failed one": {update(`{"name":1}`), update(`{"name":"a"}`)},
	"order-of-requests: same update twice":         {update(`{"name":"a"}`), update(`{"name":"a"}`)},
	"order-of-requests: broken off":                {update(`{"name":"a"}`)[:150], update(`{"name":"b"}`)},
	"order-of-requests: at the same moment":        nil, // in a test of its own
	"order-of-requests: slow body":                 nil,
}

// A server that refuses each update whose text has a number, after all of its body, and echoes nothing.
func behind(t *testing.T, answer http.HandlerFunc) *recorder {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	r, err := listen(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.listener.Close() })
	go r.serve()
	return r
}

func refuseNumbers(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if strings.Contains(string(body), ":1}") {
		w.WriteHeader(http.StatusUnprocessableEntity)
	}
}

// send sends a text as it is, on a connection of its own, and waits until the server ends it.
func send(t *testing.T, r *recorder, text string) string {
	t.Helper()
	c, err := net.Dial("tcp", r.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(time.Minute))
	io.WriteString(c, strings.Replace(text, "\r\n", "\r\nConnection: close\r\n", 1))
	c.(*net.TCPConn).CloseWrite()
	answer, _ := io.ReadAll(c)
	return string(answer)
}

func (r *recorder) saw(t *testing.T) seen {
	t.Helper()
	r.passing.Wait()
	file := filepath.Join(t.TempDir(), "seen.json")
	if err := r.write(file); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	var s seen
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEachMemberIsSeen(t *testing.T) {
	for _, m := range members {
		name := m.class + ": " + m.name
		requests, ok := examples[name]
		if !ok {
			t.Errorf("%s has no example", name)
		}
		if len(requests) == 0 {
			continue
		}
		r := behind(t, refuseNumbers)
		for _, request := range requests {
			send(t, r, request)
		}
		got := r.saw(t)
		if got.Members[name] != len(requests) || got.Classes[m.class] == 0 || got.Requests != len(requests) {
			t.Errorf("%s: %q gives %v of %d requests", name, requests, got.Members, got.Requests)
		}
	}
	if len(examples) != len(members) {
		t.Errorf("%d examples of %d members", len(examples), len(members))
	}
}

func TestThereAre45Classes(t *testing.T) {
	var all []string
	for _, m := range members {
		all = append(all, m.class)
	}
	if all = slices.Compact(all); len(all) != 45 {
		t.Errorf("%d classes, or some in two places: %q", len(all), all)
	}
}

// What every client sends is of no class.
func TestOrdinaryRequestsAreOfNoClass(t *testing.T) {
	r := behind(t, refuseNumbers)
	for _, request := range []string{
		list(), get("/v2/creatives/200/media-files?page=2"), list("Accept-Encoding: gzip"), list("Accept-Language: de-DE,de;q=0.9,en;q=0.8"),
		update(`{"name":"Spring video 2"}`), line("DELETE", "/v2/creatives/301"),
		patch("/v2/connection-profiles/12/rules/34/hosts/56", `{"hostname":"cdn.example.com","regularExpression":"^/pixel/"}`,
			"Content-Type: application/json; charset=utf-8"),
		patch("/v2/connection-profiles/12", `{"name":"EU publishers","withCookiesAction":"warn"}`, "Content-Type: application/json"),
		keyed("GnxosFffTHR1GkMFWRhmKUWlLI0dMdzF"),
	} {
		send(t, r, request)
	}
	if got := r.saw(t); len(got.Members) > 0 || got.Requests != 9 {
		t.Errorf("%d requests, %v", got.Requests, got.Members)
	}
}

func TestSlowAndAtTheSameMoment(t *testing.T) {
	first := make(chan struct{})
	second := make(chan struct{})
	r := behind(t, func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		if r.Header.Get("X-Turn") == "1" {
			close(first)
			<-second
		} else {
			close(second)
		}
	})
	done := make(chan struct{})
	go func() { send(t, r, update(`{"name":"a"}`, "X-Turn: 1")); close(done) }()
	<-first
	send(t, r, update(`{"name":"b"}`))
	<-done
	if got := r.saw(t); got.Members["order-of-requests: at the same moment"] != 2 {
		t.Errorf("at the same moment: %v", got.Members)
	}
	slow := &request{message: &message{body: []byte("{}"), complete: true}, sequences: map[string]bool{}, slow: time.Second}
	state := newState()
	state.end(slow)
	if !slow.sequences["slow body"] {
		t.Error("a body that takes a second is not slow")
	}
}

// The proxy adds and takes nothing but the header of what is reached.
func TestBytesPassAsTheyCome(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	got := make(chan string, 1)
	sent := "HTTP/1.1 500 Oops\r\nX-Reached: a,b\r\nContent-Length: 2\r\n\r\nno"
	go func() {
		c, err := listener.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		_, head, _ := readHead(bufio.NewReaderSize(c, 1))
		io.WriteString(c, sent)
		got <- string(head)
	}()
	r, err := listen(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer r.listener.Close()
	go r.serve()
	request := "get  /v2/%zz HTTP/1.1\r\nhost:a\r\n X: folded\r\nX-API-Key : \r\n\r\n"
	answer := send(t, r, request)
	if want := strings.Replace(request, "\r\n", "\r\nConnection: close\r\n", 1); <-got != want {
		t.Errorf("the server got something else than %q", want)
	}
	if want := strings.Replace(sent, "X-Reached: a,b\r\n", "", 1); answer != want {
		t.Errorf("the client got %q, want %q", answer, want)
	}
	if s := r.saw(t); s.Reached["a"] != 1 || s.Reached["b"] != 1 || s.Shown != 1 || len(s.First) != 1 {
		t.Errorf("seen %+v", s)
	}
}
