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
	r, to, socket, keyHeader := ex.Request, ex.URL, "", DefaultKeyHeader
	var known *secrets
	if c := ex.client; c != nil {
		socket, keyHeader, known = c.origin.socket, c.opt.KeyHeader, c.secrets
		if u, err := c.origin.url(r.Path); err == nil {
			to = address(u) // with the key, if a case put it there
		}
	}
	words := []string{"curl", "-i", "-X", shellWord(known.split(r.Method))}
	if strings.ContainsAny(to, "[]{}") {
		words = append(words, "--globoff")
	}
	if strings.Contains(to, "/.") {
		words = append(words, "--path-as-is")
	}
	if ex.Raw {
		words = append(words, "--http1.1", "-H", "'Connection: close'")
	}
	if socket != "" {
		words = append(words, "--unix-socket", shellWord(known.split(socket)))
	}
	words = append(words, shellWord(known.split(to)))
	if key := r.Credential; key.Send && key.Value == "" {
		words = append(words, "-H", shellWord(known.split(keyHeader+";")))
	} else if key.Send {
		words = append(words, "-H", shellWord(append([]part{{text: keyHeader + ": "}}, known.key(key)...)))
	}
	header := ownHeader(r)
	for _, name := range slices.Sorted(maps.Keys(header)) {
		if len(header[name]) == 0 {
			words = append(words, "-H", shellWord(known.split(name+":"))) // curl leaves it out
		}
		for _, value := range header[name] {
			line := name + ": " + value
			if value == "" {
				line = name + ";" // curl sends it empty
			}
			words = append(words, "-H", shellWord(known.split(line)))
		}
	}
	body, pipe := curlBody(r, known)
	return pipe + strings.Join(append(words, body...), " ")
}

// maxArgument keeps below what operating systems allow for one argument.
const maxArgument = 100_000 // bytes

// curlBody gives the words for the body and, where a shell or a terminal could
// spoil it, the printf that it comes from.
func curlBody(r Request, known *secrets) (words []string, pipe string) {
	body := string(r.Body)
	switch {
	case !r.HasBody && sendsLength(r.Method):
		return []string{"-H", "'Content-Length: 0'"}, ""
	case !r.HasBody:
		return nil, ""
	case len(body) <= maxArgument && utf8.ValidString(body) && !strings.ContainsFunc(body, isUnprintable):
		return []string{"--data-raw", shellWord(known.split(body))}, ""
	}
	var format strings.Builder
	arguments := ""
	for _, p := range known.split(body) {
		if p.shell != "" {
			format.WriteString("%s")
			arguments += " " + shellWord([]part{p})
			continue
		}
		for text := p.text; text != ""; {
			plain, spaces, rest := untilSpaces(text)
			format.WriteString(printfFormat(plain))
			if spaces > 0 {
				fmt.Fprintf(&format, "%%%ds", spaces)
				arguments += " ''"
			}
			text = rest
		}
	}
	return []string{"--data-binary", "@-"}, "printf '" + format.String() + "'" + arguments + " | "
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
		case b < ' ' || b > '~' || b == '\'' || b == '\\':
			fmt.Fprintf(&format, `\%03o`, b)
		default:
			format.WriteByte(b)
		}
	}
	return format.String()
}
