package hostile

import (
	"bytes"
	"cmp"
	"compress/gzip"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"text/template"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/suites/report"
)

// The two ways in which the suite reads an answer: by net/http, and byte by byte on a
// connection of its own.
const (
	byNetHTTP = "updateCampaign"
	byBytes   = "deleteCreative"
)

const (
	patient = 10 * time.Second // a time-out that a run does not reach by itself
	hanging = 3 * time.Second  // the time-out for servers that let requests hang; enough for what they send first
)

const (
	mark     = "hostile7mark"              // in every hostile text, so that the text is found wherever it ends up
	someJSON = `{"data":{"id":25,"name":"` // the beginning of a representation
)

//go:embed table.yaml
var tableYAML []byte

// rows are the rows of table.yaml.
type rows struct {
	Raw []struct {
		ID, Does, Says, Send, Then, Again, Slowly, Short string
	}
	Bodies []struct {
		ID, Does, Says, At, Body string
		Status                   int
		Short                    bool
	}
	Refusals []struct {
		ID, Header string
		Status     int
		Short      bool
	}
}

// modes returns all hostile servers.
func modes(t *testing.T) []mode {
	t.Helper()
	var table rows
	decoder := yaml.NewDecoder(bytes.NewReader(tableYAML))
	decoder.KnownFields(true)
	noError(t, decoder.Decode(&table))
	all := slices.Concat(table.modes(), connectionModes(), gzipModes(), textModes(), failingModes())
	for i := range all {
		m := &all[i]
		m.timeout = cmp.Or(m.timeout, patient)
		if m.exits == nil {
			m.exits = []int{report.ExitNonconforming, report.ExitInconclusive}
		}
	}
	return all
}

func (table *rows) modes() (all []mode) {
	add := func(id, says, at string, short bool, timeout time.Duration, do func(*site, net.Conn, *http.Request)) {
		all = append(all, mode{
			id: id + "/" + cmp.Or(at, "everywhere"), says: says, at: at, short: short, timeout: timeout,
			answer: func(s *site) behaviour { return s.raw(func(c net.Conn, r *http.Request) { do(s, c, r) }) },
		})
	}
	for _, row := range table.Raw {
		timeout := time.Duration(0)
		if row.Then == "hang" || row.Slowly != "" {
			timeout = hanging
		}
		for _, at := range []string{byNetHTTP, byBytes, ""} {
			add(row.ID, row.Says, at, at != "" && at == row.Short, timeout, func(_ *site, c net.Conn, _ *http.Request) {
				io.WriteString(c, expand(row.Send, nil))
				switch {
				case row.Slowly != "":
					drip(c, expand(row.Slowly, nil))
				case row.Again != "":
					endless(c, expand(row.Again, nil))
				case row.Then == "hang":
					untilGone(c)
				case row.Then == "reset":
					reset(c)
				}
			})
		}
	}
	for _, row := range table.Refusals {
		one, all := `rate-limited: 429 after \d+ waits`, `rate-limited: 429 after \d+ waits`
		if row.Status/100 == 3 {
			one = fmt.Sprintf(`\w+-\d+: .*\b%d\b`, row.Status)
			all = fmt.Sprintf(`baseURL: no answer below it .* answered %d , which redirects to `, row.Status)
		}
		refuses := func(s *site, c net.Conn, r *http.Request) {
			header := expand(row.Header, map[string]string{"Other": s.other, "Path": r.URL.Path, "URL": r.URL.String(), "Host": r.Host})
			fmt.Fprintf(c, "HTTP/1.1 %d X\r\n%s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", row.Status, header)
		}
		add(row.ID, one, byNetHTTP, false, 0, refuses)
		add(row.ID, all, "", row.Short, 0, refuses)
	}
	for _, row := range table.Bodies {
		body := sync.OnceValue(func() []byte { return []byte(expand(row.Body, nil)) })
		all = append(all, mode{
			id: "json/" + row.ID, says: row.Says, at: cmp.Or(row.At, byNetHTTP), short: row.Short, computes: true,
			answer: func(*site) behaviour { return answering(cmp.Or(row.Status, http.StatusOK), "", body) },
		})
	}
	return all
}

// functions holds the functions of the templates.
var functions = template.FuncMap{
	"head": func() string { return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" },
	"chunked": func() string {
		return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
	},
	"json":  func() string { return someJSON },
	"mark":  func() string { return mark },
	"named": func() string { return strings.TrimSuffix(someJSON, `"`) },
	"page": func() string {
		return `{"meta":{"pagination":{"count":1,"totalCount":1,"page":1,"totalPages":1}},"data":[`
	},
	"wrong": func() string { return `{"id":"a","campaignId":"b","name":3,"createdAt":4,"shareURL":5}` },
	"issue": func() string { return `{"type":1,"message":2,"relatedField":"` + mark + `"}` },
	"rep":   func(n int, text string) string { return strings.Repeat(text, n) },
	"list":  func(n int, text string) string { return strings.Repeat(text+",", n-1) + text },
	"members": func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"m%d":0,`, i)
		}
		return strings.TrimSuffix(b.String(), ",")
	},
	"bytes": func(digits string) (string, error) {
		b, err := hex.DecodeString(digits)
		return string(b), err
	},
}

// expand executes a template with values.
func expand(text string, values any) string {
	var b strings.Builder
	t := template.Must(template.New("row").Delims("<<", ">>").Funcs(functions).Parse(text))
	if err := t.Execute(&b, values); err != nil {
		panic(err) // a row of table.yaml is wrong
	}
	return b.String()
}

// connectionModes returns servers that misbehave before they read a request, or disappear after some requests.
func connectionModes() []mode {
	all := []mode{
		{id: "hang/after-accept", conn: untilGone, says: "timeout: gave up after .* waiting for the response", timeout: hanging},
		{id: "hang/tls-handshake", conn: untilGone, https: true, says: "timeout: .* waiting for the TLS handshake", timeout: hanging},
		{id: "hang/never-accepting", idle: true, says: "timeout: .* waiting for the", timeout: hanging, short: true},
		{id: "reset/after-accept", conn: reset, says: "connection reset|reset: |closed: ", short: true},
	}
	for _, n := range []int64{1, 20, 150} {
		all = append(all, mode{
			id: fmt.Sprintf("death/after-%d-requests", n), says: `refused: |closed: |reset: |truncated: `, short: n == 20,
			answer: func(s *site) behaviour {
				var seen atomic.Int64
				die := s.raw(func(c net.Conn, _ *http.Request) {
					io.WriteString(c, "HTTP/1.1 200 OK\r\n")
					s.die()
				})
				return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
					if seen.Add(1) <= n {
						next.ServeHTTP(w, r)
						return
					}
					die(w, r, next)
				}
			},
		})
	}
	return all
}

// gzipModes returns servers that compress although no request accepts that.
func gzipModes() (all []mode) {
	for _, row := range []struct {
		id, says string
		body     func() []byte
	}{
		{"bomb-of-zeros", "too-large: .*unpacks to more than", func() []byte { return bomb("", "\x00") }},
		{"bomb-of-json", "too-large: .*unpacks to more than", func() []byte { return bomb(someJSON, "a") }},
		{"cut-short", "HTTP-2: .*unexpected EOF", func() []byte { return squeeze("{}")[:20] }},
		{"not-gzip", "HTTP-2: .*gzip", func() []byte { return []byte(`{"data":{}}`) }},
	} {
		body := sync.OnceValue(row.body)
		all = append(all, mode{
			id: "gzip/" + row.id, says: row.says, at: byNetHTTP, short: row.id == "bomb-of-json",
			answer: func(*site) behaviour { return answering(http.StatusOK, "gzip", body) },
		})
	}
	return all
}

func answering(status int, coding string, body func() []byte) behaviour {
	return func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		io.Copy(io.Discard, r.Body) //nolint:errcheck // a request that is cut off is answered all the same
		w.Header().Set("Content-Type", "application/json")
		if coding != "" {
			w.Header().Set("Content-Encoding", coding)
		}
		w.WriteHeader(status)
		w.Write(body())
	}
}

// bomb returns 1 GiB of a letter after a beginning, compressed. As gzip members may follow one
// another, it compresses only one MiB and repeats it.
func bomb(first, letter string) []byte {
	return append(squeeze(first), bytes.Repeat(squeeze(strings.Repeat(letter, 1<<20)), 1<<10)...)
}

func squeeze(text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	w.Close()
	return b.Bytes()
}

// untilGone reads until the peer closes the connection.
func untilGone(c net.Conn) { io.Copy(io.Discard, c) } //nolint:errcheck // how it ends does not matter

// drip sends one byte per second; that is the hostility, and no test waits for it.
func drip(c net.Conn, text string) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for i := range len(text) {
		if _, err := c.Write([]byte{text[i]}); err != nil {
			return
		}
		<-tick.C
	}
}

func endless(c net.Conn, again string) {
	block := []byte(strings.Repeat(again, 1+64<<10/len(again)))
	for {
		if _, err := c.Write(block); err != nil {
			return
		}
	}
}

// reset ends a connection with RST.
func reset(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		tcp.SetLinger(0) //nolint:errcheck // it is closed all the same
	}
	c.Close()
}

// payloads are texts that must remain text wherever they are shown.
var payloads = []string{
	"\x1b[2J\x1b[31m" + mark + "\x1b]0;" + mark + "\x07\x1b]8;;http://evil.invalid\x07",
	"\u009b31m" + mark + "\u0085\u202e" + mark + "\u2028\u200b\ufeff",
	"<script>alert('" + mark + "')</script><svg onload=alert('" + mark + "')>",
	"\"'><img src=x onerror=\"alert('" + mark + "')\"><iframe src=javascript:alert('" + mark + "')>",
	"</textarea></title></style></script></details></pre><x-" + mark + " on" + mark + "=1>",
	"]]>" + mark + "]]><!-- -->&lt;&#27;<![CDATA[" + mark,
	"\x00\x01\x08" + mark + "\x7f\ufffe\uffff",
	"\r\n\r\n::error file=" + mark + "::" + mark + "\r\n##vso[task.setvariable variable=" + mark + "]1",
	"::error::" + mark + " ::stop-commands::" + mark + " ##[error]" + mark + "##vso[task.complete]section_start:1:" + mark + "\r\x1b[0K",
	"`" + mark + "` ``<img src=http://evil.invalid/" + mark + ">`` \\`<b>" + mark + "</b>",
	strings.Repeat("\x1b["+mark, 5000),
}

// oddText returns a function that returns in turn one of the payloads and the key of a request in
// one of its forms, after padding of varying length, so that cuts of texts fall anywhere in the key.
func oddText() func(*http.Request) string {
	var n atomic.Int64
	return func(r *http.Request) string {
		i := int(n.Add(1))
		if i%2 == 0 {
			return payloads[i/2%len(payloads)]
		}
		return strings.Repeat("-", i*7%230) + encodings[i/2%len(encodings)](r.Header.Get(fixtures.DefaultKeyHeader))
	}
}

// textModes returns servers that put hostile texts and the key wherever a server can put a text.
func textModes() (all []mode) {
	spoiled := func(spoil func(name, s, text string) any) func(a *httptest.ResponseRecorder, text string) {
		return func(a *httptest.ResponseRecorder, text string) {
			var v any
			if json.Unmarshal(a.Body.Bytes(), &v) == nil {
				a.Body.Reset()
				json.NewEncoder(a.Body).Encode(eachString("", v, func(name, s string) any { return spoil(name, s, text) }))
			}
		}
	}
	headers := func(a *httptest.ResponseRecorder, text string) {
		for _, name := range []string{"Content-Type", "Set-Cookie", "Location", "Www-Authenticate", "Retry-After", "X-Request-Id"} {
			a.Header().Set(name, text)
		}
	}
	for _, row := range []struct {
		id, says string
		change   func(a *httptest.ResponseRecorder, text string)
	}{
		{"behind-strings", `\w+-\d+: `, spoiled(func(_, s, text string) any { return s + "/" + text })},
		{"in-strings", `\w+-\d+: `, spoiled(func(_, _, text string) any { return text })},
		{"in-member-names", `\w+-\d+: `, spoiled(func(_, s, text string) any { return map[string]any{text: s} })},
		{"in-related-fields", `ERR-10: `, spoiled(func(name, s, text string) any {
			if name == "relatedField" {
				return text
			}
			return s
		})},
		{"after-json", `JSON-1: |DELETE-2: `, func(a *httptest.ResponseRecorder, text string) { a.Body.WriteString(text) }},
		{"in-headers", `HTTP-3: `, headers},
		{"in-pages", `baseURL: no answer below it `, func(a *httptest.ResponseRecorder, text string) {
			a.Header().Set("Content-Type", "text/html; charset="+mark)
			a.Code, a.Body = http.StatusForbidden, bytes.NewBufferString("<!doctype html><title>"+mark+"</title>"+text)
		}},
	} {
		m := mode{id: "text/" + row.id, says: row.says, short: row.id == "behind-strings"}
		if testing.Short() {
			m.at = byNetHTTP
		}
		m.answer = func(*site) behaviour {
			next := oddText()
			return func(w http.ResponseWriter, r *http.Request, h http.Handler) {
				reftest.Altered(h, func(r *http.Request, a *httptest.ResponseRecorder) { row.change(a, next(r)) })(w, r)
			}
		}
		all = append(all, m)
	}
	for _, row := range []struct{ id, says, format string }{
		{"in-status-lines", `malformed: `, "HTTP/1.1 %s\r\n\r\n"},
		{"in-reason-phrases", `\w+-\d+: `, "HTTP/1.1 404 %[1]s\r\nX-%[1]s: a\r\nContent-Type: %[1]s\r\nContent-Length: 0\r\n\r\n"},
		{"in-lengths", `malformed: |Content-Length`, "HTTP/1.1 200 OK\r\nContent-Length: %s\r\n\r\n{}"},
		{"in-chunk-sizes", `malformed: `, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%s\r\n{}\r\n0\r\n\r\n"},
		{"in-half-bodies", `truncated: `, "HTTP/1.1 200 OK\r\nContent-Length: 90000\r\n\r\n{\"data\":{\"name\":\"%s"},
		{
			"in-redirects", `baseURL: no answer below it .* answered 307 `,
			"HTTP/1.1 307 X\r\nLocation: /%[1]s\r\nRefresh: 0; url=%[1]s\r\nContent-Length: 0\r\n\r\n",
		},
	} {
		all = append(all, mode{id: "text/" + row.id, says: row.says, short: row.id == "in-status-lines", answer: func(s *site) behaviour {
			next := oddText()
			return s.raw(func(c net.Conn, r *http.Request) {
				text := next(r)
				if row.id != "in-half-bodies" { // or the header would end within it
					text = strings.NewReplacer("\r", "", "\n", "").Replace(text)
				}
				fmt.Fprintf(c, row.format, text)
			})
		}})
	}
	return all
}

// eachString replaces every string of a value; change is given the name of the member that
// holds it.
func eachString(name string, v any, change func(name, s string) any) any {
	switch v := v.(type) {
	case string:
		return change(name, v)
	case []any:
		for i := range v {
			v[i] = eachString(name, v[i], change)
		}
	case map[string]any:
		for n := range v {
			v[n] = eachString(n, v[n], change)
		}
	}
	return v
}

// failingModes returns servers that answer correctly until they hang, or fail slowly. Each run
// must end by itself, with the usual time-out.
func failingModes() (all []mode) {
	const (
		stopped = `the target stopped answering: the last request that it answered was [A-Z]+ http\S+ at .*, ` +
			`the first that it did not was .*timeout: `
		hung     = `HTTP-2: .*timeout: .* and none to any request since then`
		timedOut = `HTTP-2: .*timeout: `
		crashed  = `HTTP-1: .*500`
	)
	always := func(int64, *http.Request) bool { return true }
	after50 := func(n int64, _ *http.Request) bool { return n > 50 }
	third := func(n int64, _ *http.Request) bool { return n%3 == 0 }
	patch := func(_ int64, r *http.Request) bool { return r.Method == http.MethodPatch }
	keyed := func(_ int64, r *http.Request) bool { return r.Header.Get(fixtures.DefaultKeyHeader) != "" }
	putsBack := func(_ int64, r *http.Request) bool {
		return strings.Contains(r.Header.Get(wire.CaseHeader), "/restore/")
	}
	for _, f := range []struct {
		id, says, at string
		fails        func(n int64, r *http.Request) bool // the n-th request
		how          behaviour
	}{
		{"hangs-after-50", hung, "", after50, hang},
		{"drips-after-50", hung, "", after50, dripping},
		{"every-third-hangs", timedOut, "", third, hang},
		{"hangs-on-owner", "timeout: ", "", keyed, hang},
		{"hangs-on-updates", timedOut, "", patch, hang},
		{"hangs-on-deletes", timedOut, byBytes, always, hang},
		{"hangs-on-one-now-and-then", timedOut, byNetHTTP, third, hang},
		{"hangs-when-put-back", stopped, "", putsBack, hang},
		{"drips-on-one", timedOut, byNetHTTP, always, dripping},
		{"drips-behind-204", `DELETE-2: `, byBytes, always, dripsBehind},
		{"slow-500", crashed, "", always, slow500},
		{"slow-500-on-updates", crashed, "", patch, slow500},
	} {
		exit := report.ExitNonconforming
		if f.says == stopped || f.id == "hangs-on-owner" {
			exit = report.ExitInconclusive
		}
		all = append(all, mode{
			id: "failing/" + f.id, says: f.says, exits: []int{exit}, at: f.at,
			answer: func(*site) behaviour {
				var n atomic.Int64
				return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
					if f.fails(n.Add(1), r) {
						f.how(w, r, next)
						return
					}
					next.ServeHTTP(w, r)
				}
			},
		})
	}
	return all
}

// hang reads the request and does not answer until the client gives up.
func hang(_ http.ResponseWriter, r *http.Request, _ http.Handler) {
	io.Copy(io.Discard, r.Body) //nolint:errcheck // or net/http would not notice the end of the connection
	<-r.Context().Done()
}

// dripping sends the right status and then one byte per second, without end.
func dripping(w http.ResponseWriter, r *http.Request, next http.Handler) {
	a := httptest.NewRecorder()
	next.ServeHTTP(a, r)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", "100000")
	w.WriteHeader(a.Code)
	for r.Context().Err() == nil {
		w.Write([]byte{' '})
		w.(http.Flusher).Flush()
		pause(r, time.Second)
	}
}

// dripsBehind sends bytes after a correct 204 for as long as the client reads.
func dripsBehind(w http.ResponseWriter, r *http.Request, next http.Handler) {
	reftest.Altered(next, func(_ *http.Request, a *httptest.ResponseRecorder) { // what it writes afterwards is dropped
		if a.Code != http.StatusNoContent {
			return
		}
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err) // net/http supports it
		}
		defer conn.Close()
		fmt.Fprint(conn, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
		drip(conn, strings.Repeat(" ", 100))
	})(w, r)
}

func slow500(w http.ResponseWriter, r *http.Request, _ http.Handler) {
	io.Copy(io.Discard, r.Body) //nolint:errcheck // or net/http would not notice the end of the connection
	pause(r, patient/2)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusInternalServerError)
	io.WriteString(w, `{"error":{"responseCode":500,"issues":[]}}`)
}

// pause is the delay of a slow server; that is the failure, and no test waits for it.
func pause(r *http.Request, d time.Duration) {
	select {
	case <-time.After(d):
	case <-r.Context().Done():
	}
}
