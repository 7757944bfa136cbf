package engine_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites/report"
)

// A gateway that refuses a user once a quota is used up is no fault of the target: the run is inconclusive and says why,
// whosever key it is and whenever that begins.
func TestAQuotaIsNoFinding(t *testing.T) {
	t.Parallel()
	for _, user := range []string{"owner", "stranger", "anybody"} {
		for _, from := range reftest.Of([]int64{3, 10}, []int64{10}) {
			target := serve(t, bundled(t))
			keys := map[string]string{"owner": target.Credentials.Owner, "stranger": target.Credentials.Stranger}
			var n atomic.Int64
			isOver := func(r *http.Request) bool {
				key, isOne := keys[user]
				isCounted := !isOne || r.Header.Get(target.Credentials.Form().Header) == key
				return isCounted && n.Add(1) > from
			}
			forbidden := answering(http.StatusForbidden, errorBody(http.StatusForbidden))
			target.BaseURL = reftest.Serve(t, instead(bundled(t), isOver, forbidden))
			r := runOf(t, target, quick)
			noViolation(t, user, r)
			if r.ExitCode != report.ExitInconclusive || !strings.Contains(r.Reason, "is a quota used up?") {
				t.Errorf("%s, after %d of %d requests: exit code %d: %s", user, from, n.Load(), r.ExitCode, r.Reason)
			}
		}
	}
}
