package wire

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"html"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

const (
	shortest = 4 // bytes of a key: shorter ones would be found in ordinary words
	piece    = 5 // bytes of a key that may not be left where a text was cut

	// maxPassing is how many keys of recorded traffic are kept: it has no end, and some clients
	// have a token for each request.
	maxPassing = 100
)

// Keys are the keys that may not be shown. They are safe for concurrent use.
type Keys struct {
	mu    sync.RWMutex
	known []key // the longest first: one may be the beginning of another

	named, quoted, blanked *strings.Replacer // put the variable, the expression, or a zero byte in the place of each key
	forms, pieces          *strings.Replacer // replace what may not show, see found
}

type key struct {
	value      string
	variable   string // the shell variable that stands for it
	expression string // what a shell makes it of
	given      bool   // by the operator, who has the variable
}

// newKeys returns an empty set of keys.
func newKeys() *Keys {
	k := new(Keys)
	k.prepare()
	return k
}

// Variable returns the shell variable that stands for a key: "owner" gives
// ADCONFORM_OWNER_KEY.
func Variable(name string) string {
	return "ADCONFORM_" + notVariable.ReplaceAllString(strings.ToUpper(name), "_") + "_KEY"
}

var notVariable = regexp.MustCompile(`[^A-Z0-9]`)

// add makes a value a key: one that the operator gave, or one that a case made of it, which a
// shell can do by an expression ("": the variable).
func (k *Keys) add(name, value, expression string, given bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(value) < shortest || slices.ContainsFunc(k.known, func(known key) bool { return known.value == value }) {
		return
	}
	k.known = append(k.known, key{value, Variable(name), cmp.Or(expression, "${"+Variable(name)+"}"), given})
	slices.SortFunc(k.known, func(a, b key) int { return cmp.Or(len(b.value)-len(a.value), strings.Compare(a.value, b.value)) })
	k.prepare()
}

// forget drops the keys that the operator did not give, where there are too many.
func (k *Keys) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.known) > maxPassing {
		k.known = slices.DeleteFunc(k.known, func(known key) bool { return !known.given })
	}
}

// prepare makes the replacers for the keys that are known.
func (k *Keys) prepare() {
	var named, quoted, blanked, forms, pieces []string
	for _, known := range k.known {
		named = append(named, known.value, "$"+known.variable)
		quoted = append(quoted, inDoubleQuotes.Replace(known.value), known.expression)
		blanked = append(blanked, known.value, "\x00")
		for _, plain := range decodings(known.value, unescape, html.UnescapeString) { // as those of a text are read
			plain = strings.TrimRight(plain, `\`)
			forms = append(forms, fold(plain), "", hex.EncodeToString([]byte(plain)), "")
			for i := range len(plain) - piece + 1 {
				part := plain[i : i+piece]
				pieces = append(pieces, fold(part), "", hex.EncodeToString([]byte(part)), "")
			}
		}
	}
	k.named, k.quoted, k.blanked = strings.NewReplacer(named...), strings.NewReplacer(quoted...), strings.NewReplacer(blanked...)
	k.forms, k.pieces = strings.NewReplacer(forms...), strings.NewReplacer(pieces...)
}

const (
	elision  = "…"
	around   = 256 // bytes next to an elision that are decoded,
	beside   = 14  // and bytes of the result that are searched for a piece of a key: half an escape may follow it
	withheld = "(withheld: it holds a key in another form)"
)

// Text puts variables in the place of keys. A text that still shows one, in other letter
// case or once it is decoded, or a piece of one next to an elision, is withheld as a whole.
func (k *Keys) Text(text string) string {
	k.mu.RLock()
	defer k.mu.RUnlock()
	if k.hides(text) {
		return withheld
	}
	return k.named.Replace(text)
}

// hides reports whether a text shows a key, or a piece of one, in another form than its own.
func (k *Keys) hides(text string) bool {
	rest := k.blanked.Replace(text)
	for _, plain := range decodings(rest, unescape, html.UnescapeString, unbase64) {
		if found(k.forms, plain) {
			return true
		}
	}
	parts := strings.Split(rest, elision)
	for i := range len(parts) - 1 {
		if k.cut(parts[i], end) || k.cut(parts[i+1], begin) {
			return true
		}
	}
	return false
}

// cut reports whether a text shows a piece of a key at one of its ends.
func (k *Keys) cut(text string, side func(text string, n int) string) bool {
	for _, plain := range decodings(side(text, around), unescape, html.UnescapeString, unbase64) {
		for line := range strings.Lines(plain) {
			if found(k.pieces, side(line, beside)) {
				return true
			}
		}
	}
	return false
}

func begin(text string, n int) string { return text[:min(n, len(text))] }
func end(text string, n int) string   { return text[max(0, len(text)-n):] }

// found reports whether a text, folded, has something that a replacer replaces.
func found(r *strings.Replacer, text string) bool {
	text = fold(text)
	return r.Replace(text) != text
}

// fold makes texts equal that differ in letter case, or in how a form writes spaces.
func fold(text string) string { return spaces.Replace(strings.ToLower(text)) }

var spaces = strings.NewReplacer(" ", "", "+", "")

// maxDecodings bounds what a text is decoded to.
const maxDecodings = 24

// decodings returns a text and its decoded forms, which may be encoded again: \u0026#34; is
// &#34; is a quotation mark.
func decodings(text string, decoders ...func(string) string) []string {
	all := []string{text}
	for i := 0; i < len(all); i++ {
		for _, decode := range decoders {
			if plain := decode(all[i]); len(all) < maxDecodings && !slices.Contains(all, plain) {
				all = append(all, plain)
			}
		}
	}
	return all
}

// escape is one of URLs, or of JSON and program text, also escaped once more.
var escape = regexp.MustCompile(`%[0-9A-Fa-f]{2}|\\+(?:[uU][0-9A-Fa-f]{4}|[xX][0-9A-Fa-f]{2}|["'/\\])`)

func unescape(text string) string {
	if !strings.ContainsAny(text, `%\`) {
		return text
	}
	return escape.ReplaceAllStringFunc(text, func(e string) string {
		digits := strings.TrimLeft(e, `%\uUxX`)
		n, err := strconv.ParseUint(digits, 16, 32)
		switch {
		case err != nil: // a quotation mark, a slash, or nothing but backslashes
			return e[len(e)-1:]
		case len(digits) == 4:
			return string(rune(n))
		}
		return string([]byte{byte(n)})
	})
}

var (
	base64Run      = regexp.MustCompile(`[A-Za-z0-9+/_-]{6,}`)
	standardBase64 = strings.NewReplacer("-", "+", "_", "/")
)

// unbase64 decodes what may be base64 in a text, each on a line. It may begin within a word.
func unbase64(text string) string {
	var lines []string
	for _, run := range base64Run.FindAllString(text, -1) {
		run = standardBase64.Replace(run)
		for from := range 4 {
			plain, _ := base64.RawStdEncoding.DecodeString(run[from:])
			lines = append(lines, string(plain))
		}
	}
	return strings.Join(lines, "\n")
}

// header returns a header with the keys redacted.
func (k *Keys) header(h http.Header) http.Header {
	shown := http.Header{}
	for name, values := range h {
		for _, v := range values {
			name, v, whole := strings.Cut(k.Text(name+":"+v), ":") // which may split a key
			if !whole || name+":"+v == withheld {
				name, v = "Withheld", withheld
			}
			shown[name] = append(shown[name], v)
		}
	}
	return shown
}

// part returns the beginning of a body that may itself have been cut, and redacts no more
// than that.
func (k *Keys) part(body []byte, limit int, cut bool) Part {
	text := string(body[:min(len(body), limit)])
	if cut = cut || len(body) > limit; cut {
		text = strings.TrimSuffix(k.Text(text+elision), elision)
	} else {
		text = k.Text(text)
	}
	return Part{[]byte(text[:min(len(text), limit)]), len(body), cut}
}
