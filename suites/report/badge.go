package report

import (
	"fmt"
	"html"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/adconform/adconform/internal/wording"
)

const (
	badgeName   = "contract"
	badgeHeight = 20
	badgeMargin = 6 // pixels beside a text
)

// Colours on which white text has a contrast of 4.5 to 1 at least.
var badgeColours = map[Verdict]string{Conforming: "#2e7d32", Nonconforming: "#c62828", Inconclusive: "#8a5a00"}

// WriteBadge writes the verdict as a small SVG for a README, with how many of
// the clauses held: "contract | conforming 106/107", with the edition. Green is for a complete run.
func WriteBadge(w io.Writer, r *Report) error {
	held, of := r.held()
	message := fmt.Sprintf("%s %d/%d", r.VerdictWords(), held, of)
	label := strings.TrimSpace(badgeName + " " + r.Edition)
	title := fmt.Sprintf("%s: %s%s, %d of %s held", label, r.VerdictWords(), scope(r), held, wording.Count(of, "clause"))
	colour, ok := badgeColours[r.Verdict]
	switch {
	case r.Selection != nil:
		message = fmt.Sprintf("%s in %d of %s", r.Verdict, r.Selection.Cases-r.leftOut(), wording.Count(r.Selection.Of, "case"))
	case r.Level == Partial:
		message = fmt.Sprintf("%s (partial) %d/%d", r.Verdict, held, of)
	}
	if r.Verdict == Conforming && r.Level.Below(Complete) {
		colour = badgeColours[Inconclusive]
	}
	left, right := textWidth(label)+2*badgeMargin, textWidth(message)+2*badgeMargin
	if !ok || r.onlyObserved() {
		colour = "#555"
	}
	// textLength fits the text to what was measured, whatever font there is.
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="%[2]d" viewBox="0 0 %[1]d %[2]d"
  role="img" aria-label="%[3]s">
  <title>%[3]s</title>
  <clipPath id="r"><rect width="%[1]d" height="%[2]d" rx="3"/></clipPath>
  <g clip-path="url(#r)">
    <rect width="%[4]d" height="%[2]d" fill="#444"/>
    <rect x="%[4]d" width="%[5]d" height="%[2]d" fill="%[6]s"/>
  </g>
  <g fill="#fff" font-family="Verdana,Geneva,'DejaVu Sans',sans-serif" font-size="11" text-rendering="geometricPrecision">
    <text x="%[7]d" y="14" textLength="%[8]d">%[9]s</text>
    <text x="%[10]d" y="14" textLength="%[11]d">%[12]s</text>
  </g>
</svg>
`, left+right, badgeHeight, html.EscapeString(title), left, right, colour,
		badgeMargin, textWidth(label), html.EscapeString(label), left+badgeMargin, textWidth(message), html.EscapeString(message))
	return err
}

// widths are those of characters in Verdana of 11 pixels, in tenths of a pixel.
var widths = map[string]int{"ijl": 31, "frt ": 43, "/": 50, "csvxyz": 60, "mw": 100}

const usualWidth = 69

// textWidth is the width of a text in pixels.
func textWidth(text string) int {
	tenths := utf8.RuneCountInString(text) * usualWidth
	for these, width := range widths {
		for _, c := range these {
			tenths += strings.Count(text, string(c)) * (width - usualWidth)
		}
	}
	return (tenths + 9) / 10
}
