package engine

import (
	"strings"

	"github.com/adconform/adconform/internal/wording"
)

// A target may put a key, an escape sequence or a megabyte into any text that it
// answers with. What findings, reasons and observations repeat of that goes
// through here, whichever report shows it.

// maxChoice bounds an observed choice, in characters: part of it may be the target's.
const maxChoice = 200

// presentable is a text without keys, and with what is not printable as escapes.
func (s *Model) presentable(text string) string {
	return wording.Printable(s.redact(text))
}

// Presentable is presentable for what others repeat.
func (s *Model) Presentable(text string) string { return s.presentable(text) }

func (s *Model) present(f *Finding) {
	f.Pointer, f.Expected, f.Got = s.presentable(f.Pointer), s.presentable(f.Expected), s.presentable(f.Got)
}

// choice is an observed choice as reports show it.
func (s *Model) choice(text string) string {
	text = s.presentable(text)
	if r := []rune(text); len(r) > maxChoice {
		return strings.TrimRight(string(r[:maxChoice-1]), " ") + "…"
	}
	return text
}
