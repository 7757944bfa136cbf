package wire

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Shortest is the length in bytes from which a value counts as a key. Taking out
// shorter ones would take apart words that have nothing to do with it.
const Shortest = 4

// maxPassing bounds the keys of others that are known at a time: traffic has no end,
// and some clients have a token for each request. What is shown of an exchange is
// made with the keys of the last ones.
const maxPassing = 100

// Keys are the keys that may not be shown. They are safe for concurrent use.
type Keys struct {
	mu      sync.RWMutex
	known   map[string]known // by value
	passing []string         // the oldest first
	forms   [256][]form      // by the byte that they begin with, the longest first: a key may be the beginning of another
}

// form is a way in which a key may come back, in lower case, and the variable in its place.
type form struct{ text, variable string }

type known struct {
	variable string
	given    bool // by the operator, who has the variable
}

// New returns an empty set of keys.
func newKeys() *Keys { return &Keys{known: map[string]known{}} }

// Variable is the shell variable that stands for a key: "owner" gives
// ADCONFORM_OWNER_KEY.
func Variable(name string) string {
	name = strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToUpper(name))
	return "ADCONFORM_" + name + "_KEY"
}

// give adds a key of the operator, who has it in the variable of that name.
func (k *Keys) give(name, value string) { k.add(value, known{Variable(name), true}, false) }

// derive adds a key that a case made from another.
func (k *Keys) derive(name, value string) { k.add(value, known{Variable(name), false}, false) }

// pass adds a key of somebody else. Only the last ones are known.
func (k *Keys) pass(name, value string) { k.add(value, known{Variable(name), false}, true) }

func (k *Keys) add(value string, as known, passing bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, there := k.known[value]; there || len(value) < Shortest {
		return
	}
	k.known[value] = as
	if passing {
		if k.passing = append(k.passing, value); len(k.passing) > maxPassing {
			delete(k.known, k.passing[0])
			k.passing = k.passing[1:]
		}
	}
	k.forms = [256][]form{}
	for value, as := range k.known {
		for _, text := range forms(value) {
			text = lowered(text)
			k.forms[text[0]] = append(k.forms[text[0]], form{text, as.variable})
		}
	}
	for _, all := range k.forms {
		slices.SortFunc(all, func(a, b form) int {
			return cmp.Or(len(b.text)-len(a.text), strings.Compare(a.text, b.text), strings.Compare(a.variable, b.variable))
		})
	}
}

const (
	elision  = "…"
	withheld = "(withheld: it holds a key in another form)"
)

// Text puts variables in the place of keys, also in other letter case and in the forms
// that encodings give to them. A text that still shows one, or a part of one at an
// elision, once it is decoded is withheld whole. It takes the text for one of ours: what
// was left out of it at an elision may be the other half of a key.
func (k *Keys) Text(text string) string {
	k.mu.RLock()
	defer k.mu.RUnlock()
	parts := strings.Split(text, elision)
	for i, part := range parts {
		core, cut := part, i < len(parts)-1
		if cut {
			core = strings.TrimRight(part, " ")
		}
		shown, ok := k.show(core, i > 0, cut)
		if !ok {
			return withheld
		}
		parts[i] = shown + part[len(core):]
	}
	return strings.Join(parts, elision)
}

// Body is Text for what is not ours: an elision in it is one like others. With cut, it
// is the beginning of a longer text, and an end that may be half a key is left out.
func (k *Keys) Body(text string, cut bool) string {
	k.mu.RLock()
	defer k.mu.RUnlock()
	shown, _ := k.show(text, false, cut)
	return shown
}

// show replaces the keys in a text that is, if it goesOn or is cut, the end or the beginning
// of a longer one; not ok: it is withheld.
func (k *Keys) show(text string, goesOn, cut bool) (shown string, ok bool) {
	shown, rest := k.replace(text, cut)
	if goesOn {
		before, _, _ := strings.Cut(rest, "\x00")
		if end, variable := k.endOfKey(lowered(before)); end > 0 {
			shown, rest = " $"+variable+shown[end:], rest[end:]
		}
	}
	if k.showsDecoded(rest, goesOn, cut) {
		return withheld, false
	}
	return shown, true
}

// replace puts the variables in the place of the keys, and in rest a zero byte. With cut,
// the text is the beginning of a longer one, and an end that may be half a key is left out.
func (k *Keys) replace(text string, cut bool) (shown, rest string) {
	var out, other strings.Builder
	low := lowered(text)
	for i := 0; i < len(text); {
		f, half := k.at(low[i:])
		switch {
		case f.text != "":
			out.WriteString("$" + f.variable)
			other.WriteByte(0)
			i += len(f.text)
		case half && cut:
			return out.String(), other.String()
		default:
			out.WriteByte(text[i])
			other.WriteByte(text[i])
			i++
		}
	}
	return out.String(), other.String()
}

// at is the longest form of a key that a text in lower case begins with; half says that
// the text ends within one.
func (k *Keys) at(low string) (found form, half bool) {
	for _, f := range k.forms[low[0]] {
		if strings.HasPrefix(low, f.text) {
			return f, false
		}
		half = half || strings.HasPrefix(f.text, low)
	}
	return form{}, half
}

// endOfKey finds the end of a key, of at least Shortest bytes, at the beginning of a text
// in lower case, which may itself begin within an escape.
func (k *Keys) endOfKey(low string) (end int, variable string) {
	for at := range max(0, min(len(low)-Shortest+1, maxEscape)) {
		for _, all := range k.forms {
			for _, f := range all {
				for from := 1; from+Shortest <= len(f.text); from++ {
					next := strings.Index(f.text[from:], low[at:at+Shortest])
					if next < 0 {
						break
					}
					if from += next; strings.HasPrefix(low[at:], f.text[from:]) {
						return at + len(f.text) - from, f.variable
					}
				}
			}
		}
	}
	return 0, ""
}

const (
	maxEscape = 16 // bytes of an escape, within some others
	maxLayers = 4  // escapes within one another: \u0026#34; is &#34; is a quotation mark
)

// showsDecoded says whether a text shows a key once escapes and base64 in it are decoded.
func (k *Keys) showsDecoded(text string, goesOn, cut bool) bool {
	for range maxLayers {
		for i, run := range strings.FieldsFunc(text, notBase64) {
			run = standard.Replace(run)
			for from := range max(0, min(4, len(run)-2*Shortest+1)) { // what stands before it may be no part of it
				b, _ := base64.RawStdEncoding.DecodeString(run[from:])
				if k.in(unescaped(string(b), cut), goesOn && i == 0, cut) {
					return true
				}
			}
		}
		plain := unescaped(text, cut)
		if plain == text {
			return false
		}
		if text = plain; k.in(text, goesOn, cut) {
			return true
		}
	}
	return false
}

// in says whether a text shows a key, or where it goes on or is cut, a part of one.
func (k *Keys) in(text string, goesOn, cut bool) bool {
	low := lowered(text)
	for i := range len(low) {
		if f, half := k.at(low[i:]); f.text != "" || half && cut && len(low)-i >= Shortest {
			return true
		}
	}
	if !goesOn {
		return false
	}
	end, _ := k.endOfKey(low)
	return end > 0
}

func lowered(text string) string {
	b := []byte(text)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// forms are the ways in which a value may come back as a whole, beside the case of ASCII
// letters.
func forms(value string) []string {
	b := []byte(value)
	quoted, _ := json.Marshal(value) // a string has a JSON text
	program := strconv.Quote(value)
	program = program[1 : len(program)-1]
	all := []string{
		value, strings.ToUpper(value), strings.ToLower(value), hex.EncodeToString(b),
		url.QueryEscape(value), url.PathEscape(value), html.EscapeString(value),
		string(quoted[1 : len(quoted)-1]), program, strings.ReplaceAll(program, "/", `\/`), strings.ReplaceAll(value, "'", `'\''`),
	}
	for _, e := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		all = append(all, e.EncodeToString(b), e.WithPadding(base64.NoPadding).EncodeToString(b))
		for before := range 3 {
			if text := withinBase64(e, b, before); len(text) >= 2*Shortest {
				all = append(all, text)
			}
		}
	}
	plain := value // what a text shows in which all escapes are read, also those that are the key's own
	for range maxLayers {
		plain = unescaped(plain, false)
	}
	if plain = strings.TrimRight(plain, `\`); len(plain) >= Shortest {
		all = append(all, plain)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// withinBase64 is what stays of b in the encoding of a longer text, such as
// "user:key" in Basic authentication, with (before mod 3) bytes in front of it.
func withinBase64(e *base64.Encoding, b []byte, before int) string {
	text := e.WithPadding(base64.NoPadding).EncodeToString(append(make([]byte, before), b...))
	text = text[[...]int{0, 2, 3}[before]:]
	if (before+len(b))%3 != 0 {
		text = text[:len(text)-1]
	}
	return text
}

var (
	// escapes of URLs, of JSON and program text, also escaped once more, and of HTML
	escape     = regexp.MustCompile(`%[0-9A-Fa-f]{2}|\\+(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|["'/\\])|&#?[0-9A-Za-z]+;`)
	halfEscape = regexp.MustCompile(`(?:%[0-9A-Fa-f]?|\\+(?:u[0-9A-Fa-f]{0,3}|x[0-9A-Fa-f]?)?|&#?[0-9A-Za-z]*)$`)
	standard   = strings.NewReplacer("-", "+", "_", "/")
)

// unescaped reads one layer of escapes. Of a text that was cut, the end may be half of one.
func unescaped(text string, cut bool) string {
	if !strings.ContainsAny(text, `%\&`) {
		return text
	}
	if cut {
		text = halfEscape.ReplaceAllString(text, "")
	}
	return escape.ReplaceAllStringFunc(text, func(e string) string {
		if e[0] == '&' {
			return html.UnescapeString(strings.ToLower(e)) // the case of keys may have been changed, too
		}
		rest := strings.TrimLeft(e, `\`)
		if len(rest) < 2 { // a quotation mark, a slash, or nothing but backslashes
			return cmp.Or(rest, `\`)
		}
		n, _ := strconv.ParseUint(rest[1:], 16, 32)
		if rest[0] == 'u' {
			return string(rune(n))
		}
		return string([]byte{byte(n)})
	})
}

func notBase64(r rune) bool {
	return r >= 0x80 || !isAlphanumeric(byte(r)) && !strings.ContainsRune("+/-_", r)
}
