package report_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/adconform/adconform/suites/report"
)

// What was recorded has no depth and no seed, but what was judged of it.
func TestReportsOfARecordingSayWhatWasJudged(t *testing.T) {
	for name, write := range map[string]func(io.Writer, *report.Report) error{
		"summary.md":  report.WriteMarkdown,
		"report.html": report.WriteHTML,
		"terminal": func(w io.Writer, r *report.Report) error {
			return report.Summary(w, r, report.Style{Width: 200})
		},
	} {
		for _, recorded := range []bool{false, true} {
			r := made()
			if recorded {
				r.Depth, r.Seed = "recorded", 0
				r.Recording = &report.Recording{Judged: 3, Skipped: map[string]int{"body not recorded": 2}, Others: 5}
			}
			var b bytes.Buffer
			if err := write(&b, r); err != nil {
				t.Fatal(err)
			}
			text := b.String()
			says := strings.Contains(text, "3 recorded exchanges judged; not judged: 2 body not recorded; 5 of other paths")
			if asks := strings.Contains(text, "seed "); says != recorded || asks == recorded {
				t.Errorf("%s: recorded %t, says it %t, says the seed %t", name, recorded, says, asks)
			}
		}
	}
}
