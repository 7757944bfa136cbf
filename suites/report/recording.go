package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/wording"
)

// String says what became of the recorded exchanges: "12 exchanges judged; not
// judged: 3 body not recorded; 40 of other paths".
func (r *Recording) String() string {
	parts := []string{wording.Count(r.Judged, "recorded exchange") + " judged"}
	var skipped []string
	for _, reason := range slices.Sorted(maps.Keys(r.Skipped)) {
		skipped = append(skipped, fmt.Sprintf("%d %s", r.Skipped[reason], reason))
	}
	if len(skipped) > 0 {
		parts = append(parts, "not judged: "+strings.Join(skipped, ", "))
	}
	if r.Others > 0 {
		parts = append(parts, fmt.Sprintf("%d of other paths", r.Others))
	}
	return strings.Join(parts, "; ")
}

// extent says in a line how much was sent, or what was judged of a recording,
// which has neither depth nor seed.
func extent(r *Report) string {
	if r.Recording != nil {
		return r.Recording.String()
	}
	c := r.Cases
	return fmt.Sprintf("%s: %d passed, %d failed, %d not tested; %s in %.1f s (depth %s, seed %d)",
		wording.Count(c.Planned, "case"), c.Passed, c.Failed, c.NotTested,
		wording.Count(r.Requests, "request"), r.DurationSeconds, r.Depth, r.Seed)
}
