package hostile

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
)

// Keys with characters that every encoding changes.
const (
	oddOwnerKey    = `q7"Zp/+W&<x>\%4Tz~bK2'mJ=h;R9`
	oddStrangerKey = `L3'e{"k":\/}+=<&>%20Yv8Nw#s?Gd5`
)

// encodings are the forms in which the server echoes a key.
var encodings = []func(string) string{
	func(k string) string { return k },
	func(k string) string { return base64.StdEncoding.EncodeToString([]byte(k)) },
	func(k string) string { return base64.RawURLEncoding.EncodeToString([]byte("user:" + k + ":x")) },
	url.QueryEscape,
	url.PathEscape,
	func(k string) string { return each(k, "%%%02x") },
	func(k string) string { return each(k, `\u%04x`) },
	func(k string) string { b, _ := json.Marshal(k); return string(b) },
	html.EscapeString,
	func(k string) string { return hex.EncodeToString([]byte(k)) },
	strings.ToUpper,
}

func each(s, format string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, format, c)
	}
	return b.String()
}

// window is the length of a piece of a key that must not be shown.
const window = 8

// secrets finds pieces of keys in all their forms in a text.
type secrets struct{ *strings.Replacer }

func newSecrets(w *fixtures.World) secrets {
	var pieces []string
	add := func(piece string) { // as it is, and as it appears in HTML and in JSON
		quoted, _ := json.Marshal(piece)
		for _, form := range []string{piece, html.EscapeString(piece), string(quoted[1 : len(quoted)-1])} {
			pieces = append(pieces, form, "")
		}
	}
	for _, u := range w.Users[:2] {
		for i := 0; i+window <= len(u.Key); i++ {
			for _, form := range encodings {
				add(form(u.Key[i : i+window]))
			}
		}
		for before := range 3 { // for base64 in the middle of a longer text
			text := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("\x00", before) + u.Key))
			for i := 4; i+window <= len(text)-4; i++ {
				add(text[i : i+window])
			}
		}
	}
	return secrets{strings.NewReplacer(pieces...)}
}

// in finds a piece of a key in a text.
func (s secrets) in(text string) error {
	rest := s.Replace(text)
	if rest == text {
		return nil
	}
	at := 0
	for at < len(rest) && rest[at] == text[at] {
		at++
	}
	return errors.New("a piece of a key: " + text[max(0, at-40):min(len(text), at+80)])
}

// Each form of a key is found in a text, and nothing is found in a text without one.
func TestSecretsAreFound(t *testing.T) {
	world := fixtures.DefaultWorld()
	oddKeys(&world)
	s := newSecrets(&world)
	for i, form := range encodings {
		if text := "see " + form(oddOwnerKey) + " there"; s.in(text) == nil {
			t.Errorf("form %d is not found in %s", i, text)
		}
		if err := s.in("see " + form(oddOwnerKey[:1]+"i9Mnvdmv3UBxYDYC0azcrOMz3WnK")); err != nil {
			t.Errorf("form %d: %v", i, err)
		}
	}
}

func oddKeys(w *fixtures.World) { w.Users[0].Key, w.Users[1].Key = oddOwnerKey, oddStrangerKey }
