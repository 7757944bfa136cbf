package wire

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/adconform/adconform/internal/wording"
)

// maxArgument is the size of the longest body in a line: operating systems bound an argument,
// and every report has the line, for each finding of its request.
const maxArgument = 100_000 // bytes

// Curl returns a line for a POSIX shell that sends the request again, or a comment that says
// why no line can. Keys appear as variables, and keys that a case derived from another key as
// an expression of its variable.
func (ex *Exchange) Curl() string {
	c := ex.client
	r := ex.Request
	if c == nil {
		return "" // the request was never meant to be sent
	}
	if why := r.whyNoCurl(); why != "" {
		return fmt.Sprintf("# %s: %s %s", why, c.Redact(r.Method), ex.URL)
	}
	line := curlLine{keys: c.keys}
	line.add("curl")
	if r.Method == http.MethodHead { // with -X, curl waits for a body
		line.add("-I")
	} else {
		line.add("-i", "-X", c.keys.word(r.Method))
		line.addOptions(ex)
	}
	line.add(c.keys.word(ex.address()))
	line.addHeaders(c, r)
	switch {
	case r.Body != nil:
		line.add("--data-raw", c.keys.word(string(r.Body)))
	case r.Method == http.MethodPatch, r.Method == http.MethodPost, r.Method == http.MethodPut: // as net/http does
		line.add("-H", "'Content-Length: 0'")
	}
	return strings.Join(line.words, " ")
}

// address returns the whole URL of the request, with the key if the query has it.
func (ex *Exchange) address() string {
	return ex.client.origin() + ex.client.target(ex.Request.Path, ex.Request.Credential)
}

// whyNoCurl returns why curl cannot send the request, or "".
func (r *Request) whyNoCurl() string {
	isUnprintable := func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }
	switch {
	case r.Odd != nil:
		return "curl cannot send this request"
	case len(r.Body) > maxArgument:
		return fmt.Sprintf("a body of %d bytes is too long for a line", len(r.Body))
	case bytes.ContainsFunc(r.Body, isUnprintable):
		return "its body is not printable, so no line shows it"
	}
	return ""
}

// A curlLine is a command in the making.
type curlLine struct {
	words []string
	keys  *Keys
}

func (l *curlLine) add(words ...string) {
	l.words = append(l.words, words...)
}

// addOptions adds what keeps curl from changing the path, or the connection.
func (l *curlLine) addOptions(ex *Exchange) {
	to := ex.address()
	if strings.ContainsAny(to, "[]{}") {
		l.add("--globoff")
	}
	if strings.Contains(to, "/.") {
		l.add("--path-as-is")
	}
	if ex.Raw {
		l.add("--http1.1", "-H", "'Connection: close'")
	}
}

// addHeaders adds the key, the headers of every request, and those of this one.
func (l *curlLine) addHeaders(c *Client, r Request) {
	if name, values := c.keyHeader(r.Credential); name != "" {
		l.addHeader(name, values)
	}
	header := ownHeader(r)
	for _, h := range c.opt.Headers {
		header.Del(h.Name)
		if h.Secret {
			l.add("-H", `"`+h.Name+": "+hidden(h)+`"`)
		} else {
			l.addHeader(h.Name, []string{h.Value})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(header)) {
		l.addHeader(name, header[name])
	}
}

func (l *curlLine) addHeader(name string, values []string) {
	if len(values) == 0 {
		l.add("-H", name+":") // curl then leaves the header out
	}
	for _, value := range values {
		field := name + ": " + value
		if value == "" {
			field = name + ";" // curl then sends an empty value
		}
		l.add("-H", l.keys.word(field))
	}
}

var (
	inDoubleQuotes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`")
	braced         = regexp.MustCompile(`\$\{(\w+)\}("|\W)`)
)

// word returns a text as one word of a POSIX shell, with the keys as variables. It withholds a
// text that shows a key in another form, as no shell can make it.
func (k *Keys) word(text string) string {
	k.mu.RLock()
	defer k.mu.RUnlock()
	switch {
	case k.hides(text):
		return wording.Quote(withheld)
	case k.named.Replace(text) == text:
		return wording.Quote(text)
	}
	text = k.quoted.Replace(inDoubleQuotes.Replace(text))
	return braced.ReplaceAllString(`"`+text+`"`, "$$$1$2")
}
