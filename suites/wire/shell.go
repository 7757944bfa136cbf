package wire

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
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
	if c.origin.socket != "" {
		words = append(words, "--unix-socket", c.keys.word(c.origin.socket))
	}
	words = append(words, c.keys.word(to))
	switch key := r.Credential; {
	case key.Send && key.Value == "":
		words = append(words, "-H", c.keys.word(c.opt.KeyHeader+";"))
	case key.Send:
		value := c.keys.split(key.Value)
		for range key.lines() {
			words = append(words, "-H", Join(append([]KeyPart{{Text: c.opt.KeyHeader + ": "}}, value...)))
		}
	}
	header := ownHeader(r)
	for _, name := range slices.Sorted(maps.Keys(header)) {
		if len(header[name]) == 0 {
			words = append(words, "-H", c.keys.word(name+":")) // curl leaves it out
		}
		for _, value := range header[name] {
			line := name + ": " + value
			if value == "" {
				line = name + ";" // curl sends it empty
			}
			words = append(words, "-H", c.keys.word(line))
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
	case len(body) <= maxArgument && utf8.ValidString(body) && !strings.ContainsFunc(body, func(r rune) bool { return !unicode.IsPrint(r) }):
		return []string{"--data-raw", keys.word(body)}, ""
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

// KeyPart is a piece of a shell word: text to be taken as it is, or the name of a
// variable, a ${...} or a $(...) to be expanded.
type KeyPart struct{ Text, Shell string }

var (
	bareWord   = regexp.MustCompile(`^[A-Za-z0-9_./:@%+=,-]+$`)
	quotedWord = regexp.MustCompile(`^[A-Za-z0-9_./:@%+=,;&?(){}\[\] -]*$`) // harmless between double quotes
)

// word is a text as one word of a POSIX shell, with the keys as variables.
func (k *Keys) word(text string) string { return Join(k.split(text)) }

// Join joins parts to one word of a POSIX shell.
func Join(parts []KeyPart) string {
	var text, double, mixed strings.Builder
	expands, harmless := false, true
	for i, p := range parts {
		if p.Shell == "" {
			text.WriteString(p.Text)
			double.WriteString(p.Text)
			mixed.WriteString(singleQuoted(p.Text))
			harmless = harmless && quotedWord.MatchString(p.Text)
			continue
		}
		expands = true
		shell := p.Shell
		if shell[0] != '$' {
			shell = "$" + shell
			if i+1 < len(parts) {
				shell = "${" + p.Shell + "}"
			}
		}
		double.WriteString(shell)
		mixed.WriteString(`"` + shell + `"`)
	}
	switch {
	case !expands && bareWord.MatchString(text.String()):
		return text.String()
	case !expands:
		return singleQuoted(text.String())
	case harmless:
		return `"` + double.String() + `"`
	}
	return mixed.String()
}

func singleQuoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// split finds the keys in a text. Encoded keys cannot be expanded by a shell;
// they are redacted.
func (k *Keys) split(text string) (parts []KeyPart) {
	for text != "" {
		at, found := k.find(text)
		if at > 0 {
			parts = append(parts, KeyPart{Text: k.Text(text[:at])})
		}
		if found != "" {
			parts = append(parts, k.expression(found)...)
		}
		text = text[at+len(found):]
	}
	return parts
}

// find is the first key in a text, the longest where several begin there.
func (k *Keys) find(text string) (at int, found string) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	at = len(text)
	for value := range k.known {
		if i := strings.Index(text, value); i >= 0 && (i < at || i == at && len(value) > len(found)) {
			at, found = i, value
		}
	}
	return at, found
}

// expression says how a shell gets a key from the variables that the operator
// has. The rules are those by which cases derive wrong keys from right ones.
func (k *Keys) expression(value string) []KeyPart {
	k.mu.RLock()
	defer k.mu.RUnlock()
	as := k.known[value]
	if !as.given {
		for _, key := range slices.Sorted(maps.Keys(k.known)) {
			if k.known[key].given {
				if parts := derive(key, k.known[key].variable, value); parts != nil {
					return parts
				}
			}
		}
	}
	return []KeyPart{{Shell: as.variable}}
}

func derive(key, variable, value string) []KeyPart {
	filter := func(command string) []KeyPart {
		return []KeyPart{{Shell: fmt.Sprintf(`$(printf %%s "$%s" | %s)`, variable, command)}}
	}
	switch {
	case value == key[:len(key)-1]:
		return []KeyPart{{Shell: "${" + variable + "%?}"}}
	case strings.HasPrefix(value, key):
		return []KeyPart{{Shell: variable}, {Text: value[len(key):]}}
	case value == strings.ToUpper(key):
		return filter("tr a-z A-Z")
	case value == strings.ToLower(key):
		return filter("tr A-Z a-z")
	case value == SwapCase(key):
		return filter("tr A-Za-z a-zA-Z")
	case len(value) == len(key):
		at := -1
		for i := range len(key) {
			if key[i] != value[i] {
				if at >= 0 {
					return nil
				}
				at = i
			}
		}
		if at >= 0 && isAlphanumeric(value[at]) {
			return filter(fmt.Sprintf("sed 's/./%c/%d'", value[at], at+1))
		}
	}
	return nil
}

// SwapCase makes capitals of small letters, and the other way round.
func SwapCase(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, s)
}

func isAlphanumeric(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9'
}
