package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/adconform/adconform/suites/report"
)

// A run uses up what is named, and no more; what it would take is said where less is.
func TestWhatARunUsesUp(t *testing.T) {
	const next = "; no provision brings them back, so the next run needs others"
	creatives := func(takes, named int) report.Disposables {
		return report.Disposables{Key: "creatives", Takes: takes, Named: named}
	}
	files := func(takes, named int) report.Disposables {
		return report.Disposables{Key: "files", Takes: takes, Named: named}
	}
	for _, c := range []struct {
		disposables []report.Disposables
		provisioned bool
		says        string
	}{
		{nil, false, ""},
		{[]report.Disposables{creatives(8, 8), files(2, 2)}, false, "a full run uses up 8 of creatives and 2 of files" + next},
		{[]report.Disposables{creatives(8, 8)}, true, "a full run uses up 8 of creatives, which provision brings back"},
		{[]report.Disposables{creatives(1, 8)}, false, "a full run uses up 1 of creatives" + next},
		{
			[]report.Disposables{creatives(3, 0), files(1, 0)},
			false,
			"cases of deletes are left out, as they take at least 3 of creatives (0 named) and 1 of files (0 named)",
		},
		{
			[]report.Disposables{creatives(3, 2), files(1, 0)}, false, "a full run uses up 2 of creatives" + next +
				"; cases of deletes are left out, as they take at least 3 of creatives (2 named) and 1 of files (0 named)",
		},
		{
			[]report.Disposables{creatives(4, 4), files(1, 0)}, true, "a full run uses up 4 of creatives, which provision brings back" +
				"; cases of deletes are left out, as they take at least 1 of files (0 named)",
		},
	} {
		var out bytes.Buffer
		r := &report.Preflight{Disposables: c.disposables, Provisioned: c.provisioned}
		err := report.PreflightSummary(&out, r, report.Style{})
		_, said, _ := strings.Cut(strings.Join(strings.Fields(out.String()), " "), "which can change anything")
		if err != nil || strings.TrimSpace(said) != c.says {
			t.Errorf("%+v: %v, %s", c, err, said)
		}
	}
}
