package render

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// PinBlock returns the choices that a run observed at open points as lines of YAML, to be pasted under
// open: in the target file, so that later runs judge them. It leaves out points that the file already
// pins and choices that were not the same everywhere, and returns "" if nothing is left.
func PinBlock(r *report.Report) (lines string) {
	for _, o := range r.OpenPoints {
		if value := pinned(&o); value != nil {
			lines += fixtures.Line(o.Pin, value) + "\n"
		}
	}
	return lines
}

// pinned returns the value that pins a choice, int64 or string; nil if there is none.
func pinned(o *report.OpenPoint) any {
	words := fixtures.PinWords(o.Pin)
	switch {
	case o.Pin == "":
		return nil
	case words == nil && len(o.Observed) == 1:
		_, example := fixtures.Example("open." + o.Pin) // as people write it
		number, _, _ := strings.Cut(o.Observed[0], " ")
		if n, err := strconv.ParseInt(number, 10, 64); err == nil {
			words = append(words, n)
		}
		words = append(words, example, o.Observed[0])
	}
	point := cmp.Or(spec.Load().OpenPoint(o.ID),
		&spec.OpenPoint{})
	i := slices.IndexFunc(words, func(w any) bool {
		isOther := func(choice string) bool {
			return !point.AsPinned(w, spec.Choice(choice))
		}
		return !slices.ContainsFunc(o.Observed, isOther)
	})
	if i < 0 || o.Pin == spec.PageParameter && (words[i] == string(spec.NoEffect) || words[i] == "refused") {
		return nil
	}
	return words[i]
}
