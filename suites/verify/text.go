package verify

import (
	"fmt"
	"io"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/report"
)

// Sentence says the outcome in one line.
func (r *Result) Sentence() string {
	switch r.Status {
	case Verified:
		return fmt.Sprintf("VERIFIED: %s (%s) follows from the recorded traffic", r.Claims.Verdict, r.Claims.Level)
	case Refuted:
		return "NOT VERIFIED: " + wording.Count(len(r.Reasons), "thing") + " in the report cannot be so"
	}
	return "CANNOT BE SAID: there is not enough to look at"
}

// maxReasons is how many reasons a screen has room for.
const maxReasons = 8

// WriteText writes a result for a terminal of so many columns; 0 for any.
func (r *Result) WriteText(w io.Writer, width int) error {
	if width <= 0 || width > widest {
		width = widest
	}
	var b strings.Builder
	indented := func(head, text string) {
		for i, line := range report.Wrap(wording.Printable(text), width-len(head)) {
			if i > 0 {
				head = strings.Repeat(" ", len(head))
			}
			b.WriteString(head + line + "\n")
		}
	}
	indented("", r.Sentence())
	if c := r.Claims; c.Verdict != "" {
		indented("", fmt.Sprintf("%s at %s, depth %s, adconform %s", c.Target, c.BaseURL, c.Depth, c.Suite))
	}
	b.WriteString("\n")
	for _, c := range r.Checks {
		indented(fmt.Sprintf("%-9s%-8s", map[Status]string{Verified: "ok", Refuted: "WRONG", Unknown: "unknown"}[c.Status], c.Name), c.Text)
	}
	list := func(title string, lines []string) {
		if len(lines) == 0 {
			return
		}
		b.WriteString("\n" + title + "\n")
		for _, line := range lines[:min(len(lines), maxReasons)] {
			indented("  - ", line)
		}
		if more := len(lines) - maxReasons; more > 0 {
			indented("  ", fmt.Sprintf("… and %d more, see --format json", more))
		}
	}
	if r.Status == Refuted {
		list("What is wrong", r.Reasons)
	}
	list("What no report of this kind shows", r.Underived)
	_, err := io.WriteString(w, b.String())
	return err
}

const widest = 80
