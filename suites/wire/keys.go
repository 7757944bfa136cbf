package wire

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	shortest = 4 // bytes of a key: shorter ones would take apart words that have nothing to do with it
	piece    = 5 // bytes of a key that may not be left where a text was cut

	// maxPassing bounds the keys of others that are known at a time: traffic has no end,
	// and some clients have a token for each request. What is shown of an exchange is
	// made with the keys of the last ones.
	maxPassing = 100
)

// Keys are the keys that may not be shown. They are safe for concurrent use.
type Keys struct {
	mu      sync.RWMutex
	known   map[string]known // by value
	passing []string         // the oldest first

	named, blanked *strings.Replacer // put the variable, or a zero byte, in the place of each key
	forms, pieces  needles
}

type known struct {
	variable string
	from     source
}

// source is where a key comes from.
type source int

const (
	given   source = iota // by the operator, who has the variable
	derived               // from another, by a case
	passing               // in traffic of others
)

// newKeys returns an empty set of keys.
func newKeys() *Keys {
	return &Keys{known: map[string]known{}, named: strings.NewReplacer(), blanked: strings.NewReplacer()}
}

// Variable returns the shell variable that stands for a key: "owner" gives
// ADCONFORM_OWNER_KEY.
func Variable(name string) string {
	return "ADCONFORM_" + notVariable.ReplaceAllString(strings.ToUpper(name), "_") + "_KEY"
}

var notVariable = regexp.MustCompile(`[^A-Z0-9]`)

// add makes a value a key. Of those that pass by only the last ones are known.
func (k *Keys) add(name, value string, from source) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, there := k.known[value]; there || len(value) < shortest {
		return
	}
	k.known[value] = known{Variable(name), from}
	if from == passing {
		if k.passing = append(k.passing, value); len(k.passing) > maxPassing {
			delete(k.known, k.passing[0])
			k.passing = k.passing[1:]
		}
	}
	k.forms, k.pieces = needles{}, needles{}
	var named, blanked []string
	for _, value := range k.longestFirst() {
		for _, text := range []string{value, url.QueryEscape(value)} {
			named, blanked = append(named, text, "$"+k.known[value].variable), append(blanked, text, "\x00")
		}
		for plain := range layers(value) { // all escapes of a text are read, also those that are the key's own
			plain = strings.TrimRight(plain, `\`)
			k.forms.add(plain)
			for i := range len(plain) - piece + 1 {
				k.pieces.add(plain[i : i+piece])
			}
		}
	}
	k.named, k.blanked = strings.NewReplacer(named...), strings.NewReplacer(blanked...)
}

// longestFirst lists the keys: one may be the beginning of another.
func (k *Keys) longestFirst() []string {
	var values []string
	for value := range k.known {
		values = append(values, value)
	}
	slices.SortFunc(values, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return values
}

const (
	elision  = "…"
	around   = 256 // bytes beside an elision that are decoded,
	beside   = 14  // and of what comes out those that are searched for a piece of a key: half an escape may be there, too
	withheld = "(withheld: it holds a key in another form)"
)

// Text puts variables in the place of keys. A text that still shows one, in other letter
// case or once it is decoded, or a piece of one beside an elision, is withheld whole.
func (k *Keys) Text(text string) string { return k.show(text, true, false) }

// Body does what Text does to what the target wrote: an elision in it is a character like
// others. With cut, it is the beginning of a longer text.
func (k *Keys) Body(text string, cut bool) string { return k.show(text, false, cut) }

func (k *Keys) show(text string, elided, cut bool) string {
	k.mu.RLock()
	defer k.mu.RUnlock()
	rest := k.blanked.Replace(text)
	parts := []string{rest}
	if elided {
		parts = strings.Split(rest, elision)
	}
	if cut {
		parts = append(parts, "")
	}
	ok := !k.forms.shownBy(rest, func(whole string) string { return whole })
	for i, part := range parts {
		ok = ok && (i == 0 || !k.pieces.shownBy(begin(part, around), func(text string) string { return begin(text, beside) })) &&
			(i == len(parts)-1 || !k.pieces.shownBy(end(part, around), func(text string) string { return end(text, beside) }))
	}
	if !ok {
		return withheld
	}
	return k.named.Replace(text)
}

func begin(text string, n int) string { return text[:min(n, len(text))] }
func end(text string, n int) string   { return text[max(0, len(text)-n):] }

// needles are texts to be found in others, by their first bytes.
type needles map[string][]string

// add adds a text, and its hexadecimal form.
func (n needles) add(text string) {
	for _, form := range []string{fold(text), hex.EncodeToString([]byte(text))} {
		if len(form) >= shortest && !slices.Contains(n[form[:shortest]], form) {
			n[form[:shortest]] = append(n[form[:shortest]], form)
		}
	}
}

func (n needles) in(text string) bool {
	text = fold(text)
	for i := range len(text) - shortest + 1 {
		for _, needle := range n[text[i:i+shortest]] {
			if strings.HasPrefix(text[i:], needle) {
				return true
			}
		}
	}
	return false
}

// fold makes texts equal that differ in letter case, or in how a form writes spaces.
func fold(text string) string { return spaces.Replace(strings.ToLower(text)) }

var spaces = strings.NewReplacer(" ", "", "+", "")

// shownBy reports whether a needle shows in a part of a text, or does once escapes and
// base64 in the text are decoded.
func (n needles) shownBy(text string, part func(string) string) bool {
	for plain := range layers(text) {
		if n.in(part(plain)) {
			return true
		}
		for run := range strings.FieldsFuncSeq(plain, notBase64) {
			run = standardBase64.Replace(run)
			for from := range min(4, len(run)) { // what stands before it may be no part of it
				b, _ := base64.RawStdEncoding.DecodeString(run[from:])
				for plain := range layers(string(b)) {
					if n.in(part(plain)) {
						return true
					}
				}
			}
		}
	}
	return false
}

var standardBase64 = strings.NewReplacer("-", "+", "_", "/")

func notBase64(r rune) bool {
	return r >= 0x80 || !isAlphanumeric(byte(r)) && !strings.ContainsRune("+/-_", r)
}

// layers yields a text, and what it is once its escapes are read, and theirs: \u0026#34;
// is &#34; is a quotation mark.
func layers(text string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for range 5 {
			plain := text
			if strings.ContainsAny(text, `%\`) {
				plain = escape.ReplaceAllStringFunc(text, unescape)
			}
			if !yield(text) || plain != text && !yield(plain) {
				return
			}
			if plain = html.UnescapeString(plain); plain == text {
				return
			}
			text = plain
		}
	}
}

// escape is one of URLs, or of JSON and program text, also escaped once more.
var escape = regexp.MustCompile(`%[0-9A-Fa-f]{2}|\\+(?:[uU][0-9A-Fa-f]{4}|[xX][0-9A-Fa-f]{2}|["'/\\])`)

func unescape(e string) string {
	digits := strings.TrimLeft(e, `%\uUxX`)
	n, err := strconv.ParseUint(digits, 16, 32)
	switch {
	case err != nil: // a quotation mark, a slash, or nothing but backslashes
		return e[len(e)-1:]
	case len(digits) == 4:
		return string(rune(n))
	}
	return string([]byte{byte(n)})
}

// Recorded is an exchange that another program sent and recorded.
type Recorded struct {
	Method         string
	Target         string // path and query as in the request line, the base path included
	RequestHeader  http.Header
	RequestBody    []byte
	HasRequestBody bool
	Response       *Response
	Start          time.Time
	Duration       time.Duration
}

// UnknownKey is the name of the credential of a request of which it is not known
// whether it carried a key.
const UnknownKey = "unknown"

// Record takes over an exchange that others sent, as if the client had sent it
// for a case. Every key in it becomes a secret; path is the request's path from
// the base URL on.
func (c *Client) Record(caseID, path string, r Recorded) *Exchange {
	ex := &Exchange{
		Seq: int(c.seq.Add(1)), Case: caseID, Response: r.Response, Start: r.Start, Duration: r.Duration, Attempts: 1, client: c,
		Request: Request{Method: r.Method, Path: path, Header: http.Header{}, Body: r.RequestBody, HasBody: r.HasRequestBody},
	}
	for name, values := range r.RequestHeader {
		switch http.CanonicalHeaderKey(name) {
		case http.CanonicalHeaderKey(c.opt.KeyHeader):
			if len(values) > 0 {
				ex.Request.Credential = Credential{Name: "recorded", Value: values[0], Send: true}
			}
		case "Authorization", "Proxy-Authorization", "Cookie",
			"Accept", "Content-Type", "Accept-Language", "Content-Encoding", "Origin":
			ex.Request.Header[http.CanonicalHeaderKey(name)] = values
		default:
			if mayBeKeyHeader(name) && strings.Join(values, "") != "" && !ex.Request.Credential.Send {
				ex.Request.Credential.Name = UnknownKey
			}
		}
	}
	c.keys.add(ex.Request.Credential.Name, ex.Request.Credential.Value, passing)
	c.learnCredentials(r.RequestHeader, r.Response.Header, r.Target)
	ex.URL = path
	if u, err := c.origin.url(path); err == nil {
		ex.URL = address(u)
	}
	ex.URL = c.Redact(ex.URL)
	return ex
}

// mayBeKeyHeader reports whether a header of this name may show who sends, beside
// those of HTTP.
func mayBeKeyHeader(name string) bool {
	name = strings.ToLower(name)
	return MayBeKey(name) && name != "idempotency-key" && name != "sec-websocket-key" ||
		containsAny(name, "cert", "identity", "remote-user", "forwarded-user")
}

// MayBeKey reports whether a query parameter of this name may carry a key.
func MayBeKey(parameter string) bool {
	return containsAny(strings.ToLower(parameter), "key", "token", "auth", "secret", "session", "signature", "passw", "jwt", "credential")
}

func containsAny(name string, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(name, word) })
}

// minToken is the length from which a text in a header whose name sounds like that
// of a key is taken for one.
const minToken = 12

// learnCredentials takes for a secret whatever a request may carry to show who
// sends it, and what an answer may hand out for that.
func (c *Client) learnCredentials(request, answer http.Header, target string) {
	learn := func(name, value string) {
		value = strings.TrimSpace(value)
		c.keys.add(name, value, passing)
		c.keys.add(name, strings.Trim(value, `"`), passing)
	}
	field := func(name, v string) {
		switch name {
		case "Authorization", "Proxy-Authorization":
			_, token, _ := strings.Cut(v, " ")
			user, _ := base64.StdEncoding.DecodeString(token)
			_, password, _ := strings.Cut(string(user), ":")
			learn(name, v)
			learn(name, token)
			learn(name, password)
		case "Cookie", "Set-Cookie": // whatever is in it: not every value is one by the RFC
			if name == "Set-Cookie" {
				v, _, _ = strings.Cut(v, ";")
			}
			learn("cookie", v)
			for pair := range strings.SplitSeq(v, ";") {
				_, value, _ := strings.Cut(pair, "=")
				learn("cookie", value)
			}
		default:
			if len(v) >= minToken && mayBeKeyHeader(name) &&
				!strings.HasPrefix(name, "Access-Control-") && !strings.HasSuffix(name, "-Authenticate") {
				learn("header", v)
			}
		}
	}
	for _, h := range []http.Header{request, answer} {
		for name, values := range h {
			for _, v := range values {
				field(name, v)
			}
		}
	}
	_, query, _ := strings.Cut(target, "?")
	for part := range strings.SplitSeq(query, "&") {
		if name, value, _ := strings.Cut(part, "="); MayBeKey(name) {
			plain, _ := url.QueryUnescape(value)
			learn("query", value)
			learn("query", plain)
		}
	}
}
