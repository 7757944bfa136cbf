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

// Keys in which every encoding shows.
const (
	oddOwnerKey    = `q7"Zp/+W&<x>\%4Tz~bK2'mJ=h;R9`
	oddStrangerKey = `L3'e{"k":\/}+=<&>%20Yv8Nw#s?Gd5`
)

// encodings are the forms in which the server gives a key back.
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

// window is how many characters of a key are too many of it.
const window = 8

// secrets are the pieces of keys in all their forms, by length.
type secrets struct {
	pieces map[int]map[string]bool
	begins [1 << 16]bool // how pieces begin: most of a text begins none
}

func newSecrets(w *fixtures.World) *secrets {
	s := &secrets{pieces: map[int]map[string]bool{}}
	for _, u := range w.Users[:2] {
		for i := 0; i+window <= len(u.Key); i++ {
			for _, form := range encodings {
				s.add(form(u.Key[i : i+window]))
			}
		}
		for before := range 3 { // base64 in the middle of a longer text
			text := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("\x00", before) + u.Key))
			for i := 4; i+window <= len(text)-4; i++ {
				s.add(text[i : i+window])
			}
		}
	}
	return s
}

// add takes a piece, as it is and as it stands in HTML and in JSON.
func (s *secrets) add(piece string) {
	quoted, _ := json.Marshal(piece)
	for _, form := range []string{piece, html.EscapeString(piece), string(quoted[1 : len(quoted)-1])} {
		if s.pieces[len(form)] == nil {
			s.pieces[len(form)] = map[string]bool{}
		}
		s.pieces[len(form)][form], s.begins[int(form[0])<<8|int(form[1])] = true, true
	}
}

// in finds a piece of a key in a text.
func (s *secrets) in(text []byte) error {
	for i := range max(0, len(text)-1) {
		if !s.begins[int(text[i])<<8|int(text[i+1])] {
			continue
		}
		for length, pieces := range s.pieces {
			if i+length <= len(text) && pieces[string(text[i:i+length])] {
				return errors.New("a piece of a key: " + string(text[max(0, i-40):min(len(text), i+length+40)]))
			}
		}
	}
	return nil
}

// Each form of a key is found in a text, and a text without is let pass.
func TestSecretsAreFound(t *testing.T) {
	world := fixtures.DefaultWorld()
	oddKeys(&world)
	s := newSecrets(&world)
	for i, form := range encodings {
		if text := "see " + form(oddOwnerKey) + " there"; s.in([]byte(text)) == nil {
			t.Errorf("form %d is not found in %s", i, text)
		}
		if err := s.in([]byte("see " + form(oddOwnerKey[:1]+"i9Mnvdmv3UBxYDYC0azcrOMz3WnK"))); err != nil {
			t.Errorf("form %d: %v", i, err)
		}
	}
}

func oddKeys(w *fixtures.World) { w.Users[0].Key, w.Users[1].Key = oddOwnerKey, oddStrangerKey }
