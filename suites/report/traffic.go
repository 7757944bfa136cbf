package report

import (
	"fmt"
	"strings"

	"github.com/adconform/adconform/internal/wording"
)

// Insecure is said in every report of a run with --insecure.
const Insecure = "INSECURE: certificates are not checked (--insecure), so nobody knows who answers"

// waits says what was waited for and sent again: "waited 14.0 s for 12 answers
// 429; 1 request sent again as its connection had ended".
func waits(r *Report) string {
	var causes, parts []string
	if r.RateLimited > 0 {
		causes = append(causes, wording.Count(r.RateLimited, "answer")+" 429")
	}
	if r.Unavailable > 0 {
		causes = append(causes, wording.Count(r.Unavailable, "answer")+" 503 with Retry-After")
	}
	if len(causes) == 0 {
		causes = []string{"the rate limit of the target"}
	}
	if r.WaitedSeconds > 0 {
		parts = append(parts, fmt.Sprintf("waited %.1f s for %s", r.WaitedSeconds, strings.Join(causes, " and ")))
	}
	if r.Resent > 0 {
		parts = append(parts, wording.Count(r.Resent, "request")+" sent again over a new connection, as the target had ended the one before")
	}
	return strings.Join(parts, "; ")
}
