package report_test

import (
	"strings"
	"testing"

	"github.com/adconform/adconform/suites/report"
)

func TestSummaryTellsWhatWasWaitedForAndSentAgain(t *testing.T) {
	for want, change := range map[string]func(*report.Report){
		"\nwaited 14.0 s for 12 answers 429 and 1 answer 503 with Retry-After\n": func(r *report.Report) {
			r.RateLimited, r.Unavailable, r.WaitedSeconds = 12, 1, 14
		},
		"\nwaited 3.0 s for the rate limit of the target\n":                                     func(r *report.Report) { r.WaitedSeconds = 3 },
		"\n2 requests sent again over a new connection, as the target had ended the one before": func(r *report.Report) { r.Resent = 2 },
		"\nINSECURE: certificates are not checked":                                              func(r *report.Report) { r.Insecure = true },
	} {
		var plain, changed strings.Builder
		r := made()
		if err := report.Summary(&plain, r, report.Style{Width: 120}); err != nil {
			t.Fatal(err)
		}
		change(r)
		if err := report.Summary(&changed, r, report.Style{Width: 120}); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(plain.String(), want) || !strings.Contains(changed.String(), want) {
			t.Errorf("%q is missing in\n%s", want, changed.String())
		}
	}
}
