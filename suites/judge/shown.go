package judge

import (
	"strings"

	"github.com/adconform/adconform/internal/wording"
)

// A target may put a key, an escape sequence or a megabyte into any text that it
// answers with. What findings, reasons and observations repeat of that goes
// through here, whichever report shows it.

// maxChoice bounds an observed choice, in characters: part of it may be the target's.
const maxChoice = 200

// Presentable is a text without keys, and with what is not printable as escapes.
func (s *Model) Presentable(text string) string {
	return wording.Printable(s.redact(text))
}

func (s *Model) present(f *Finding) {
	f.Pointer, f.Expected, f.Got = s.Presentable(f.Pointer), s.Presentable(f.Expected), s.Presentable(f.Got)
}

// choice is an observed choice as reports show it.
func (s *Model) choice(text string) string {
	text = s.Presentable(text)
	if r := []rune(text); len(r) > maxChoice {
		return strings.TrimRight(string(r[:maxChoice-1]), " ") + "…"
	}
	return text
}
