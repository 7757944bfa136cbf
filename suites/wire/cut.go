package wire

import (
	"regexp"
	"strings"
)

// RedactCut is Redact for a text that may have been shortened, by … in the place
// of what is left out: a piece of a key on either side of it goes too.
func (c *Client) RedactCut(text string) string {
	text = c.Redact(text)
	marks := cutMark.FindAllStringIndex(text, -1)
	for i := len(marks) - 1; i >= 0; i-- {
		before, after := text[:marks[i][0]], text[marks[i][1]:]
		rest, name := c.secrets.cutEnd(before)
		tail, tailName := c.secrets.cutBeginning(after)
		text = rest + name + text[marks[i][0]:marks[i][1]] + tailName + tail
	}
	return text
}

// cutMark is where a text was shortened; what a quotation closes with may follow.
var cutMark = regexp.MustCompile(` ?… ?`)

// cutEnd takes the longest end of a text that is the beginning of a key's form.
func (s *secrets) cutEnd(text string) (rest, name string) {
	return s.piece(func(form string, n int) bool { return strings.HasSuffix(text, form[:n]) },
		func(n int) string { return text[:len(text)-n] }, text)
}

// cutBeginning takes the longest beginning of a text that is the end of a form.
func (s *secrets) cutBeginning(text string) (rest, name string) {
	return s.piece(func(form string, n int) bool { return strings.HasPrefix(text, form[len(form)-n:]) },
		func(n int) string { return text[n:] }, text)
}

func (s *secrets) piece(is func(form string, n int) bool, without func(n int) string, text string) (rest, name string) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	longest := 0
	for _, f := range s.forms {
		for n := min(len(f.text), len(text)); n > longest && n >= minSecret; n-- {
			if is(f.text, n) {
				longest, name = n, f.variable
				break
			}
		}
	}
	return without(longest), name
}
