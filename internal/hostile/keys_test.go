package hostile

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/adconform/adconform/fixtures"
)

// window is the length of a piece of a key that is too much of it, in bytes of
// whatever form it has.
const window = 8

var longWindows = [2]int{3 * window, 5 * window}

// secrets finds keys, and pieces of keys, in what a run leaves behind.
type secrets struct {
	pieces map[string]string // what it is a piece of, by piece
	begins [1 << 16]bool     // how pieces begin: most of a text begins none
}

func newSecrets(w fixtures.World) *secrets {
	s := &secrets{pieces: map[string]string{}}
	for i, u := range w.Users {
		user := [...]string{"owner", "stranger"}[i]
		for _, form := range encodings {
			s.add("the "+user+"'s key", form(u.Key), form(u.Key[:2]))
		}
		for before := range 3 { // in the middle of a longer text
			padded := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("\x00", before) + u.Key))
			s.add("the "+user+"'s key in base64", padded[4:len(padded)-4], "")
		}
	}
	return s
}

// add takes every piece of a form, unless it is too regular to tell anything, or
// belongs to any key with the same beginning.
func (s *secrets) add(what, form, beginning string) {
	for _, form := range []string{form, html.EscapeString(form), inJSON(form)} {
		length := window
		switch { // where most of a piece is the same in any text
		case strings.Contains(form, `\u00`):
			length = longWindows[1]
		case strings.Contains(form, "&#") || strings.Contains(form, "&amp;"):
			length = longWindows[0]
		}
		for i := 0; i+length <= len(form); i++ {
			if piece := form[i : i+length]; !strings.Contains(beginning, piece) {
				s.pieces[piece], s.begins[begin(piece)] = what, true
			}
		}
	}
}

func inJSON(s string) string {
	b, _ := json.Marshal(s)
	return string(b[1 : len(b)-1])
}

func (s *secrets) in(text string) error {
	for i := range max(0, len(text)-1) {
		if !s.begins[begin(text[i:])] {
			continue
		}
		for _, length := range []int{window, longWindows[0], longWindows[1]} {
			if i+length > len(text) {
				break
			}
			if what, ok := s.pieces[text[i:i+length]]; ok {
				return fmt.Errorf("a piece of %s: %q", what, text[max(0, i-40):min(len(text), i+length+40)])
			}
		}
	}
	return nil
}

// begin is the first two bytes of a text, as a number.
func begin(text string) int { return int(text[0])<<8 | int(text[1]) }

// inJSON looks into every text of a JSON document, which also shows that it is
// one.
func (s *secrets) inJSON(data []byte) error {
	if !json.Valid(data) {
		return errors.New("it is not JSON")
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	for {
		token, err := decoder.Token()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if text, ok := token.(string); ok {
			if err := s.in(text); err != nil {
				return err
			}
		}
	}
}
