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

	"github.com/adconform/adconform/fixtures"
)

const (
	shortest = 4 // bytes of a key: shorter ones would be found in ordinary words
	piece    = 6 // bytes of a form of a key that may not remain at a cut in a text

	// maxPassing is how many keys of recorded traffic are kept: the traffic may go on for ever,
	// and some clients have a new token for each request.
	maxPassing = 100
)

// Keys are the keys that may not be shown. They are safe for concurrent use.
type Keys struct {
	mu    sync.RWMutex
	known []key // longest first: one may be the beginning of another

	named, quoted, blanked *strings.Replacer // replace each key by its variable, its expression, or a zero byte
	forms                  []string          // what a decoded text may show of a key
}

type key struct {
	value      string
	variable   string // the shell variable that holds the key
	expression string // the expression from which a shell makes it
	given      bool   // the operator gave it, and so has the variable
}

// Variable returns the name of the shell variable for a key: ADCONFORM_OWNER_KEY
// for "owner".
func Variable(name string) string {
	return "ADCONFORM_" + notVariable.ReplaceAllString(strings.ToUpper(name), "_") + "_KEY"
}

var notVariable = regexp.MustCompile(`[^A-Z0-9]`)

// add adds a key: one that the operator gave, or one that a case made of it, as a shell can
// with an expression ("" stands for the variable itself).
func (k *Keys) add(name, value, expression string, given bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	isKnown := func(known key) bool { return known.value == value }
	if len(value) < shortest || slices.ContainsFunc(k.known, isKnown) {
		return
	}
	variable := Variable(name)
	k.known = append(k.known, key{value, variable, cmp.Or(expression, "${"+variable+"}"), given})
	slices.SortFunc(k.known, longestFirst)
	k.prepare()
}

// longestFirst orders keys so that a key which contains another one is replaced as a whole.
func longestFirst(a, b key) int {
	return cmp.Or(len(b.value)-len(a.value), strings.Compare(a.value, b.value))
}

// addWords adds the words of a value that have at least so many bytes, and the password of HTTP's Basic.
func (k *Keys) addWords(name, value string, least int, given bool) {
	_, password, _ := fixtures.SplitBasic(value[strings.LastIndex(value, " ")+1:])
	k.add(name, password, "", given)
	isSeparator := func(r rune) bool { return strings.ContainsRune(` ;,=:"{}`, r) }
	for _, word := range strings.FieldsFunc(value, isSeparator) {
		if len(word) >= least {
			k.add(name, word, "", given)
		}
	}
}

// forget drops keys that the operator did not give, if there are too many.
func (k *Keys) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.known) > maxPassing {
		k.known = slices.DeleteFunc(k.known, func(known key) bool { return !known.given })
	}
}

// prepare makes what Text needs for the keys that are known.
func (k *Keys) prepare() {
	var named, quoted, blanked []string
	k.forms = nil
	for _, known := range k.known {
		named = append(named, known.value, "$"+known.variable)
		quoted = append(quoted, inDoubleQuotes.Replace(known.value), known.expression)
		blanked = append(blanked, known.value, "\x00")
		for _, plain := range decodings(known.value) { // as texts are decoded, see hides
			if plain = strings.TrimRight(plain, `\`); len(plain) >= shortest {
				k.forms = append(k.forms, fold(plain), hex.EncodeToString([]byte(plain)))
				k.forms = append(k.forms, base64Of(plain)...)
			}
		}
	}
	k.named = strings.NewReplacer(named...)
	k.quoted = strings.NewReplacer(quoted...)
	k.blanked = strings.NewReplacer(blanked...)
	slices.Sort(k.forms)
	k.forms = slices.Compact(k.forms)
}

// base64Of returns the characters that any base64 text with this part has for it, folded. They depend on how
// many bytes come before it.
func base64Of(part string) (forms []string) {
	for before := range 3 {
		for _, coding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			all := coding.EncodeToString([]byte("..."[:before] + part))
			start := (8*before + 5) / 6 // 6 bits a character
			end := 8 * (before + len(part)) / 6
			forms = append(forms, fold(all[start:end]))
		}
	}
	return forms
}

const (
	elision  = "…"
	around   = 256 // bytes next to an elision that are decoded
	beside   = 14  // bytes of the decoded text next to it that may hold a piece of a key, and half an escape
	withheld = "(withheld: it holds a key in another form)"
)

// Text replaces keys by variables. It withholds the whole text if that still shows a key, in
// other letter case or once it is decoded, or a piece of a key next to an elision.
func (k *Keys) Text(text string) string {
	k.mu.RLock()
	defer k.mu.RUnlock()
	if k.hides(text) {
		return withheld
	}
	return k.named.Replace(text)
}

// hides reports whether a text shows a key, or a piece of one, in a form other than its own.
func (k *Keys) hides(text string) bool {
	rest := k.blanked.Replace(text)
	for _, plain := range decodings(rest) {
		plain = fold(plain)
		if slices.ContainsFunc(k.forms, func(form string) bool { return strings.Contains(plain, form) }) {
			return true
		}
	}
	parts := strings.Split(rest, elision)
	for i := range len(parts) - 1 {
		if k.hasPiece(parts[i], end) || k.hasPiece(parts[i+1], begin) {
			return true
		}
	}
	return false
}

// hasPiece reports whether a text shows a piece of a key at the end that side returns.
func (k *Keys) hasPiece(text string, side func(text string, n int) string) bool {
	for _, plain := range decodings(side(text, around)) {
		plain = side(fold(plain), beside)
		for i := range len(plain) - piece + 1 {
			isOf := func(form string) bool { return strings.Contains(form, plain[i:i+piece]) }
			if slices.ContainsFunc(k.forms, isOf) {
				return true
			}
		}
	}
	return false
}

func begin(text string, n int) string {
	return text[:min(n, len(text))]
}

func end(text string, n int) string {
	return text[max(0, len(text)-n):]
}

// fold makes texts equal that differ only in letter case, or in how a form encodes spaces.
func fold(text string) string { return spaces.Replace(strings.ToLower(text)) }

var spaces = strings.NewReplacer(" ", "", "+", "")

// maxDecodings is the maximum number of decoded forms of a text.
const maxDecodings = 24

// decodings returns a text and its decoded forms. A decoded form may itself be encoded:
// \u0026#34; becomes &#34;, and that a quotation mark.
func decodings(text string) []string {
	all := []string{text}
	for i := 0; i < len(all); i++ {
		for _, plain := range []string{unescape(all[i]), html.UnescapeString(all[i])} {
			if len(all) < maxDecodings && !slices.Contains(all, plain) {
				all = append(all, plain)
			}
		}
	}
	return all
}

// escape matches an escape of URLs, or of JSON and program text, even if escaped once more.
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

// header returns a header with the keys redacted.
func (k *Keys) header(h http.Header) http.Header {
	shown := http.Header{}
	for name, values := range h {
		for _, v := range values {
			text := k.Text(name + ":" + v)
			name, v, isWhole := strings.Cut(text, ":") // a key may be split there
			if !isWhole || text == withheld {
				name = "Withheld"
				v = withheld
			}
			shown[name] = append(shown[name], v)
		}
	}
	return shown
}

// part returns the beginning of a body, which may itself have been cut, and redacts only that
// beginning.
func (k *Keys) part(body []byte, limit int, cut bool) Part {
	start := string(body[:min(len(body), limit)])
	mark := ""
	if len(start) < len(body) {
		cut = true
	}
	if cut {
		mark = elision
	}
	text := strings.TrimSuffix(k.Text(start+mark), mark)
	return Part{[]byte(text[:min(len(text), limit)]), len(body), cut}
}
