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
)

// maxArgument is the size of the longest body in a line: operating systems bound an argument,
// and every report has the line, for each finding of its request.
const maxArgument = 100_000 // bytes

// Curl returns a line for a POSIX shell that sends the request again, or a comment that says
// why no line can. Keys appear as variables, and keys that a case derived from another key as
// an expression of its variable.
func (ex *Exchange) Curl() string {
	c, r := ex.client, ex.Request
	if c == nil {
		return "" // the request was never meant to be sent
	}
	no, unprintable := "", func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }
	switch {
	case r.Odd != nil:
		no = "curl does not write such a request"
	case len(r.Body) > maxArgument:
		no = fmt.Sprintf("a body of %d bytes is too long for a line", len(r.Body))
	case bytes.ContainsFunc(r.Body, unprintable):
		no = "its body is not printable, so no line shows it"
	}
	if no != "" {
		return fmt.Sprintf("# %s: %s %s", no, c.Redact(r.Method), ex.URL)
	}
	to := c.origin() + c.target(r.Path, r.Credential) // with the key, if the query has it
	words := []string{"curl", "-i", "-X", c.keys.word(r.Method)}
	if strings.ContainsAny(to, "[]{}") {
		words = append(words, "--globoff")
	}
	if strings.Contains(to, "/.") {
		words = append(words, "--path-as-is")
	}
	if ex.Raw {
		words = append(words, "--http1.1", "-H", "'Connection: close'")
	}
	if r.Method == http.MethodHead { // with -X, curl waits for a body
		words = []string{"curl", "-I"}
	}
	words = append(words, c.keys.word(to))
	field := func(name string, values []string) {
		if len(values) == 0 {
			words = append(words, "-H", name+":") // curl then leaves the header out
		}
		for _, value := range values {
			line := name + ": " + value
			if value == "" {
				line = name + ";" // curl then sends an empty value
			}
			words = append(words, "-H", c.keys.word(line))
		}
	}
	if name, values := c.keyHeader(r.Credential); name != "" {
		field(name, values)
	}
	header := ownHeader(r)
	for _, h := range c.opt.Headers {
		if header.Del(h.Name); h.Secret {
			words = append(words, "-H", `"`+h.Name+": "+hidden(h)+`"`)
		} else {
			field(h.Name, []string{h.Value})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(header)) {
		field(name, header[name])
	}
	switch {
	case r.Body != nil:
		words = append(words, "--data-raw", c.keys.word(string(r.Body)))
	case slices.Contains([]string{http.MethodPatch, http.MethodPost, http.MethodPut}, r.Method): // as net/http does
		words = append(words, "-H", "'Content-Length: 0'")
	}
	return strings.Join(words, " ")
}

var (
	bareWord       = regexp.MustCompile(`^[A-Za-z0-9_./:@%+=,-]+$`)
	inDoubleQuotes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`")
	braced         = regexp.MustCompile(`\$\{(\w+)\}("|\W)`)
)

// Quote returns a text as one word of a POSIX shell.
func Quote(text string) string {
	if bareWord.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// word returns a text as one word of a POSIX shell, with the keys as variables. It withholds a
// text that shows a key in another form, as no shell can make it.
func (k *Keys) word(text string) string {
	k.mu.RLock()
	defer k.mu.RUnlock()
	switch {
	case k.hides(text):
		return Quote(withheld)
	case k.named.Replace(text) == text:
		return Quote(text)
	}
	return braced.ReplaceAllString(`"`+k.quoted.Replace(inDoubleQuotes.Replace(text))+`"`, "$$$1$2")
}
