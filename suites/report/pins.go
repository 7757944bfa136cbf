package report

import (
	"slices"
	"strconv"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites/judge"
)

// PinBlock is what a run saw at open points as lines of YAML, to be pasted under open: in the
// target file: from then on a run judges it. What the file pins already is left out, and so is
// what was not the same everywhere. It is "" where nothing is left.
func PinBlock(r *Report) string {
	var b strings.Builder
	for _, o := range r.OpenPoints {
		if o.Pin == "" {
			continue
		}
		if value := pinOf(&o); value != nil {
			b.WriteString(fixtures.Line(o.Pin, value) + "\n")
		}
	}
	return b.String()
}

// pinIntro says what the lines are for.
const pinIntro = "To have these judged from now on, paste them under open: in the target file:"

// pinOf is the value that pins what was seen, int64 or string; nil where there is none.
func pinOf(o *OpenPoint) any {
	words := fixtures.PinWords(o.Pin)
	for _, w := range words {
		if all(o.Observed, func(choice string) bool { return judge.AsPinned(w, choice) }) {
			return w
		}
	}
	if words != nil || len(o.Observed) != 1 ||
		o.ID == pageParameter && slices.Contains([]string{"no effect", "refused"}, o.Observed[0]) {
		return nil
	}
	first, _, _ := strings.Cut(o.Observed[0], " ")
	if n, err := strconv.ParseInt(first, 10, 64); err == nil {
		return n
	}
	if example := fixtures.PinExample(o.Pin); judge.AsPinned(example, o.Observed[0]) {
		return example // as people write it
	}
	return o.Observed[0]
}
