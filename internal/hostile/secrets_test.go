package hostile

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/adconform/adconform/fixtures"
)

// Keys in which every encoding shows.
const (
	oddOwnerKey    = `q7"Zp/+W&<x>\%4Tz~bK2'mJ=h;R9`
	oddStrangerKey = `L3'e{"k":\/}+=<&>%20Yv8Nw#s?Gd5`
)

func oddKeys(w *fixtures.World) { w.Users[0].Key, w.Users[1].Key = oddOwnerKey, oddStrangerKey }

// encodings are the forms in which the server gives a key back.
var encodings = []func(string) string{
	func(k string) string { return k },
	func(k string) string { return base64.StdEncoding.EncodeToString([]byte(k)) },
	func(k string) string { return base64.RawURLEncoding.EncodeToString([]byte("user:" + k + ":x")) },
	url.QueryEscape,
	url.PathEscape,
	func(k string) string { return each(k, "%%%02x") },
	func(k string) string { return each(k, `\u%04x`) },
	func(k string) string { b, _ := json.Marshal(k); return string(b) },
	html.EscapeString,
	func(k string) string { return hex.EncodeToString([]byte(k)) },
	strings.ToUpper,
}

func each(s, format string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, format, c)
	}
	return b.String()
}

// echo is the key of a request in one form after the other, with a filling
// before it of one length after the other, so that it is cut wherever texts are.
func echo() func(r *http.Request) string {
	var n atomic.Int64
	return func(r *http.Request) string {
		i := int(n.Add(1))
		key := r.Header.Get(fixtures.DefaultKeyHeader)
		return strings.Repeat("-", i*7%230) + encodings[i%len(encodings)](key)
	}
}

// secretModes give the key back wherever a server can put a text.
func secretModes() []mode {
	target := func(id, does, says string, do func(s *site) behaviour) mode {
		return mode{id: "secret/" + id, does: "gives the key back " + does, says: words(says), keys: oddKeys, answer: do}
	}
	inJSON := func(spoil func(v any, text string) any) func(*site) behaviour {
		return func(*site) behaviour { return spoiled(echo(), spoil) }
	}
	written := func(format string) func(*site) behaviour {
		return func(s *site) behaviour {
			text := echo()
			return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
				line := fmt.Sprintf(format, text(r))
				s.raw(func(c net.Conn) { io.WriteString(c, line) })(w, r, next)
			}
		}
	}
	redirects := func(s *site) behaviour {
		text := echo()
		return func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
			w.Header().Set("Location", s.other+"/"+text(r))
			w.Header().Set("Refresh", "0; url="+s.other+"/"+text(r))
			w.WriteHeader(http.StatusTemporaryRedirect)
		}
	}
	behind := target("behind-strings", "behind every string", `\w+-\d+: `, inJSON(func(v any, text string) any {
		return eachString(v, func(_, s string) string { return s + "/" + text })
	}))
	behind.short, behind.at = true, withShort(byNetHTTP)
	everywhere := target("in-redirects/everywhere", "in redirects to another origin", `baseURL: redirects every request \(307\)`, redirects)
	everywhere.exits = mistaken
	one := target("in-redirects/"+byNetHTTP, "in redirects of "+byNetHTTP, `\w+-\d+: .*\b307\b`, redirects)
	one.exits, one.at = found, byNetHTTP
	return []mode{
		behind, everywhere, one,
		target("in-strings", "in every string", `\w+-\d+: `, inJSON(func(v any, text string) any {
			return eachString(v, func(_, s string) string { return text })
		})),
		target("in-related-fields", "as the field that is wrong", `ERR-10: `, inJSON(func(v any, text string) any {
			return eachString(v, func(name, s string) string {
				if name == "relatedField" {
					return text
				}
				return s
			})
		})),
		target("in-member-names", "in the names of members", `\w+-\d+: `, inJSON(eachMember)),
		target("instead-of-objects", "instead of an object", `\w+-\d+: .*the string`, inJSON(func(_ any, text string) any { return text })),
		target("after-json", "after the JSON", `JSON-1: |DELETE-2: `, recorded(func(a *httptest.ResponseRecorder, text string) {
			a.Body.WriteString(text)
		})),
		target("in-headers", "in headers", `HTTP-3: `, recorded(func(a *httptest.ResponseRecorder, text string) {
			for _, name := range []string{"Content-Type", "Set-Cookie", "Location", "Www-Authenticate", "Retry-After", "X-Request-Id"} {
				a.Header().Set(name, text)
			}
		})),
		target("in-status-lines", "in the status line", `malformed: `, written("HTTP/1.1 %s\r\n\r\n")),
		target("in-reason-phrases", "in the reason phrase", `\w+-\d+: `,
			written("HTTP/1.1 404 %[1]s\r\nX-%[1]s: a\r\nContent-Length: 0\r\n\r\n")),
		target("in-lengths", "as the length of the body", `malformed: |Content-Length`,
			written("HTTP/1.1 200 OK\r\nContent-Length: %s\r\n\r\n{}")),
		target("in-chunk-sizes", "as the size of a chunk", `malformed: `,
			written("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%s\r\n{}\r\n0\r\n\r\n")),
		target("in-half-bodies", "in a body that breaks off", `truncated: `,
			written("HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n{\"data\":{\"name\":\"%s")),
	}
}

// recorded changes the answer of the reference, whatever it is.
func recorded(change func(a *httptest.ResponseRecorder, text string)) func(*site) behaviour {
	return func(*site) behaviour {
		text := echo()
		return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			a := record(r, next)
			change(a, text(r))
			send(w, a, a.Body.Bytes())
		}
	}
}
