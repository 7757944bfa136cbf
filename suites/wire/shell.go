package wire

import (
	"fmt"
	"maps"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxArgument is the longest body in a line: operating systems bound an argument, and the
// line is in every report, for each finding of its request.
const maxArgument = 100_000 // bytes

// Curl returns a line for a POSIX shell that sends the request again. Keys appear as
// variables, keys that a case derived from one as an expression of it.
func (ex *Exchange) Curl() string {
	c, r := ex.client, ex.Request
	switch {
	case c == nil:
		return "" // it was never to be sent
	case len(r.Body) > maxArgument:
		return fmt.Sprintf("# a body of %d bytes is too long for a line: %s %s", len(r.Body), c.keys.word(r.Method), c.keys.word(ex.URL))
	case r.Odd != nil:
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
	field := func(name, value string) {
		line := name + ": " + value
		if value == "" {
			line = name + ";" // curl sends it empty
		}
		words = append(words, "-H", c.keys.word(line))
	}
	if key := r.Credential; key.Send {
		for _, value := range key.lines() {
			field(c.opt.KeyHeader, value)
		}
	}
	header := ownHeader(r)
	for _, name := range slices.Sorted(maps.Keys(header)) {
		if len(header[name]) == 0 {
			words = append(words, "-H", c.keys.word(name+":")) // curl leaves it out
		}
		for _, value := range header[name] {
			field(name, value)
		}
	}
	body, pipe := string(r.Body), ""
	switch unprintable := func(r rune) bool { return !unicode.IsPrint(r) }; {
	case !r.HasBody && sendsLength(r.Method):
		words = append(words, "-H", "'Content-Length: 0'")
	case !r.HasBody:
	case !utf8.ValidString(body) || strings.ContainsFunc(body, unprintable): // a shell or a terminal could spoil it
		pipe = c.keys.printf(body) + " | "
		words = append(words, "--data-binary", "@-")
	default:
		words = append(words, "--data-raw", c.keys.word(body))
	}
	return pipe + strings.Join(words, " ")
}

// sendsLength reports whether a method carries Content-Length: 0 without a body.
func sendsLength(method string) bool {
	return method == http.MethodPatch || method == http.MethodPost || method == http.MethodPut
}

// netcat returns the line for an odd request, which curl cannot send.
func (c *Client) netcat(caseID string, r Request) string {
	host, port := c.origin.hostPort()
	send := "nc -w 5 " + c.keys.word(host) + " " + port
	switch {
	case c.origin.socket != "":
		send = "nc -w 5 -U " + c.keys.word(c.origin.socket)
	case c.origin.scheme == "https":
		send = "openssl s_client -quiet -connect " + c.keys.word(net.JoinHostPort(host, port))
	}
	return c.keys.printf(string(c.odd(caseID, r).bytes())) + " | " + send
}

// printf returns the command that prints a text, whatever a shell or a terminal makes of it.
func (k *Keys) printf(text string) string {
	format, arguments := "", ""
	for _, p := range k.split(text) {
		if p.expands {
			format += "%s"
			arguments += " " + word([]part{p})
			continue
		}
		format += spoilt.ReplaceAllStringFunc(p.text, func(s string) string {
			switch s {
			case "%":
				return "%%"
			case "\r":
				return `\r`
			case "\n":
				return `\n`
			}
			var octal strings.Builder
			for _, b := range []byte(s) {
				fmt.Fprintf(&octal, `\%03o`, b)
			}
			return octal.String()
		})
	}
	return "printf '" + format + "'" + arguments
}

var (
	spoilt     = regexp.MustCompile(`(?s)[^ -~]|[%'\\]`)
	bareWord   = regexp.MustCompile(`^[A-Za-z0-9_./:@%+=,-]+$`)
	quotedWord = regexp.MustCompile(`^[A-Za-z0-9_./:@%+=,;&?(){}\[\] -]*$`) // harmless between double quotes
)

// part is a piece of a shell word: text as it is, or something that expands, such as $NAME.
type part struct {
	text    string
	expands bool
}

// Quote returns a text as one word of a POSIX shell.
func Quote(text string) string { return word([]part{{text, false}}) }

// word returns a text as one word of a POSIX shell, with the keys as variables.
func (k *Keys) word(text string) string { return word(k.split(text)) }

func word(parts []part) string {
	var double, mixed strings.Builder
	expands, harmless := false, true
	for _, p := range parts {
		double.WriteString(p.text)
		if p.expands {
			mixed.WriteString(`"` + p.text + `"`)
			expands = true
		} else {
			mixed.WriteString(singleQuoted(p.text))
			harmless = harmless && quotedWord.MatchString(p.text)
		}
	}
	switch {
	case !expands && bareWord.MatchString(double.String()):
		return double.String()
	case !expands:
		return singleQuoted(double.String())
	case harmless:
		return `"` + double.String() + `"`
	}
	return mixed.String()
}

func singleQuoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// split finds the keys in a text. Encoded keys cannot be expanded by a shell: they are
// redacted.
func (k *Keys) split(text string) (parts []part) {
	k.mu.RLock()
	keys := k.longestFirst()
	k.mu.RUnlock()
	for text != "" {
		at, found := len(text), ""
		for _, key := range keys {
			if i := strings.Index(text[:min(len(text), at+len(key))], key); i >= 0 && i < at {
				at, found = i, key
			}
		}
		if at > 0 {
			parts = append(parts, part{k.Text(text[:at]), false})
		}
		if text = text[at+len(found):]; found != "" {
			parts = append(parts, k.expression(found, text == "")...)
		}
	}
	return parts
}

// expression returns how a shell gets a key from the variables that the operator has. The
// rules are those by which cases derive wrong keys from right ones.
func (k *Keys) expression(value string, last bool) []part {
	k.mu.RLock()
	defer k.mu.RUnlock()
	as, there := k.known[value]
	for _, key := range k.longestFirst() {
		if k.known[key].from == given && as.from == derived {
			if parts := derive(key, k.known[key].variable, value); parts != nil {
				return parts
			}
		}
	}
	switch {
	case !there: // it passed by meanwhile
		return []part{{withheld, false}}
	case last:
		return []part{{"$" + as.variable, true}}
	}
	return []part{{"${" + as.variable + "}", true}}
}

// derive returns the expression for a key that differs from another in letter case, or in
// no more than one byte and what was put in; nil for others.
func derive(key, variable, value string) (parts []part) {
	for _, by := range [][2]string{
		{strings.ToUpper(key), "a-z A-Z"},
		{strings.ToLower(key), "A-Z a-z"},
		{SwapCase(key), "A-Za-z a-zA-Z"},
	} {
		if value == by[0] {
			return []part{{fmt.Sprintf(`$(printf %%s "$%s" | tr %s)`, variable, by[1]), true}}
		}
	}
	shorter := min(len(key), len(value))
	begin, end := 0, 0
	for begin < shorter && key[begin] == value[begin] {
		begin++
	}
	for begin+end < shorter && key[len(key)-1-end] == value[len(value)-1-end] {
		end++
	}
	put := value[begin : len(value)-end]
	if gone := len(key) - begin - end; gone > 1 || gone == 1 && len(put) > 1 {
		return nil
	}
	if cut := strings.Repeat("?", len(key)-begin); begin > 0 {
		parts = append(parts, part{strings.Replace("${"+variable+"%"+cut+"}", "%}", "}", 1), true})
	}
	if put != "" {
		parts = append(parts, part{put, false})
	}
	if end > 0 {
		parts = append(parts, part{"${" + variable + "#" + strings.Repeat("?", len(key)-end) + "}", true})
	}
	return parts
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
