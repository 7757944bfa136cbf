package wire

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Curl is a line for a POSIX shell that sends the request again. Keys appear as
// variables, keys that a case derived from one as an expression of it.
func (ex *Exchange) Curl() string {
	c, r := ex.client, ex.Request
	if c == nil {
		return "" // it was never to be sent
	}
	if r.Odd != nil {
		return c.netcat(ex.Case, r)
	}
	to := ex.URL
	if u, err := c.origin.url(r.Path); err == nil {
		to = address(u) // with the key, if a case put it there
	}
	words := []string{"curl", "-i", "-X", c.keys.Word(r.Method)}
	if strings.ContainsAny(to, "[]{}") {
		words = append(words, "--globoff")
	}
	if strings.Contains(to, "/.") {
		words = append(words, "--path-as-is")
	}
	if ex.Raw {
		words = append(words, "--http1.1", "-H", "'Connection: close'")
	}
	if c.origin.socket != "" {
		words = append(words, "--unix-socket", c.keys.Word(c.origin.socket))
	}
	words = append(words, c.keys.Word(to))
	switch key := r.Credential; {
	case key.Send && key.Value == "":
		words = append(words, "-H", c.keys.Word(c.opt.KeyHeader+";"))
	case key.Send:
		value := c.keys.Split(key.Value)
		for range key.lines() {
			words = append(words, "-H", Join(append([]KeyPart{{Text: c.opt.KeyHeader + ": "}}, value...)))
		}
	}
	header := ownHeader(r)
	for _, name := range slices.Sorted(maps.Keys(header)) {
		if len(header[name]) == 0 {
			words = append(words, "-H", c.keys.Word(name+":")) // curl leaves it out
		}
		for _, value := range header[name] {
			line := name + ": " + value
			if value == "" {
				line = name + ";" // curl sends it empty
			}
			words = append(words, "-H", c.keys.Word(line))
		}
	}
	body, pipe := curlBody(r, c.keys)
	return pipe + strings.Join(append(words, body...), " ")
}

// maxArgument keeps below what operating systems allow for one argument.
const maxArgument = 100_000 // bytes

// curlBody gives the words for the body and, where a shell or a terminal could
// spoil it, the printf that it comes from.
func curlBody(r Request, keys *Keys) (words []string, pipe string) {
	body := string(r.Body)
	switch {
	case !r.HasBody && sendsLength(r.Method):
		return []string{"-H", "'Content-Length: 0'"}, ""
	case !r.HasBody:
		return nil, ""
	case len(body) <= maxArgument && utf8.ValidString(body) && !strings.ContainsFunc(body, isUnprintable):
		return []string{"--data-raw", keys.Word(body)}, ""
	}
	return []string{"--data-binary", "@-"}, printf(body, keys) + " | "
}

// manySpaces are counted rather than written: the line is in every report, for each
// finding of its request.
const manySpaces = 1000

// untilSpaces divides a text before and after the first of its long runs of spaces.
func untilSpaces(text string) (before string, spaces int, after string) {
	at := strings.Index(text, strings.Repeat(" ", manySpaces))
	if at < 0 {
		return text, 0, ""
	}
	after = strings.TrimLeft(text[at:], " ")
	return text[:at], len(text) - at - len(after), after
}

func isUnprintable(r rune) bool { return !unicode.IsPrint(r) }

// sendsLength: methods that carry Content-Length: 0 without a body.
func sendsLength(method string) bool {
	return method == http.MethodPatch || method == http.MethodPost || method == http.MethodPut
}

// printfFormat writes text so that printf prints it and single quotes hold it.
func printfFormat(text string) string {
	var format strings.Builder
	for _, b := range []byte(text) {
		switch {
		case b == '%':
			format.WriteString("%%")
		case b == '\r':
			format.WriteString(`\r`)
		case b == '\n':
			format.WriteString(`\n`)
		case b < ' ' || b > '~' || b == '\'' || b == '\\':
			fmt.Fprintf(&format, `\%03o`, b)
		default:
			format.WriteByte(b)
		}
	}
	return format.String()
}
