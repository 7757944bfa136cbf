package report_test

import (
	"encoding/xml"
	"strconv"
	"strings"
	"testing"

	"github.com/adconform/adconform/suites/report"
)

// badgeXML is what a test reads of badge.svg.
type badgeXML struct {
	XMLName xml.Name
	Width   float64  `xml:"width,attr"`
	Role    string   `xml:"role,attr"`
	Label   string   `xml:"aria-label,attr"`
	Title   string   `xml:"title"`
	Texts   []string `xml:"g>text"`
	Rects   []struct {
		Width string `xml:"width,attr"`
		Fill  string `xml:"fill,attr"`
	} `xml:"g>rect"`
}

func TestBadge(t *testing.T) {
	fills := map[string]bool{}
	for verdict, want := range map[report.Verdict]string{
		report.Conforming: "conforming 0/2", report.Nonconforming: "nonconforming 0/2", report.Inconclusive: "inconclusive 0/2",
	} {
		r := made()
		r.Verdict = verdict
		var badge badgeXML
		if err := xml.Unmarshal([]byte(written(t, r, func(b *strings.Builder) error { return report.WriteBadge(b, r) })), &badge); err != nil {
			t.Fatal(err)
		}
		title := "contract: " + string(verdict) + ", 0 of 2 clauses held"
		if verdict == report.Conforming {
			title = "contract: conforming (complete), 0 of 2 clauses held"
		}
		if badge.XMLName.Space != "http://www.w3.org/2000/svg" || badge.Role != "img" || badge.Label != title || badge.Title != title {
			t.Errorf("%+v", badge)
		}
		if len(badge.Texts) != 2 || badge.Texts[0] != "contract" || badge.Texts[1] != want {
			t.Errorf("texts %q", badge.Texts)
		}
		// 5 to 9 pixels a character: neither cramped nor lost in space.
		perCharacter := (badge.Width - 24) / float64(len("contract"+want))
		sum := 0.0
		for _, rect := range badge.Rects {
			w, err := strconv.ParseFloat(rect.Width, 64)
			if err != nil {
				t.Fatal(err)
			}
			sum += w
		}
		if perCharacter < 5 || perCharacter > 9 || sum != badge.Width {
			t.Errorf("%s: %.1f pixels a character, rectangles of %v in %v", want, perCharacter, sum, badge.Width)
		}
		fills[badge.Rects[1].Fill] = true
	}
	if len(fills) != 3 {
		t.Errorf("colours %v, want three", fills)
	}
}

func TestBadgeOfAHostileTarget(t *testing.T) {
	r := hostile()
	if text := written(t, r, func(b *strings.Builder) error { return report.WriteBadge(b, r) }); strings.Contains(text, "evil") {
		t.Error("the target speaks in the badge")
	}
}
