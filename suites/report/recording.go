package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// String says what became of the recorded exchanges: "12 exchanges judged; not
// judged: 3 body not recorded; 40 of other paths".
func (r *Recording) String() string {
	parts := []string{count(r.Judged, "recorded exchange") + " judged"}
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
