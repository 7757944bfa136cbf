package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
)

// Pin is what a run saw at an open point that a target file can pin.
type Pin struct {
	Key   string // under open in the target file
	Value any    // int64 or string; nil: see Left
	Left  string // why it is left out
}

// Pins are what a run saw at the open points that a target file can pin, in the order of the
// contract. What is not the same everywhere is left out, and what the file pins by now.
func Pins(r *Report, contract *spec.Contract, file fixtures.Pins) []Pin {
	var pins []Pin
	for _, point := range contract.Open {
		i := slices.IndexFunc(r.OpenPoints, func(o OpenPoint) bool { return o.ID == point.ID })
		if point.Pin == "" || i < 0 || len(r.OpenPoints[i].Observed) == 0 {
			continue // nobody asked, or nothing shows it
		}
		o := r.OpenPoints[i]
		pin := Pin{Key: point.Pin}
		pinned, given := file[point.Pin]
		asPinned := func(choice string) bool { return judge.AsPinned(pinned, choice) }
		switch {
		case given && (point.ID == pageParameter || all(o.Observed, asPinned)):
			pin.Left = "the file pins it as " + pinText(pinned)
		case given:
			pin.Left = fmt.Sprintf("is pinned as %s, and the run saw %s: change it by hand if that is meant", pinText(pinned), seen(r, o))
		default:
			pin.Value, pin.Left = pinOf(r, point.Pin, o)
		}
		pins = append(pins, pin)
	}
	return pins
}

// pinOf is the value that pins what was seen, or why there is none.
func pinOf(r *Report, key string, o OpenPoint) (value any, left string) {
	words := fixtures.PinWords(key)
	known := 0 // choices that could be pinned alone
	for _, w := range words {
		if all(o.Observed, func(choice string) bool { return judge.AsPinned(w, choice) }) {
			return w, ""
		}
		if slices.ContainsFunc(o.Observed, func(choice string) bool { return judge.AsPinned(w, choice) }) {
			known++
		}
	}
	switch {
	case len(o.Observed) > 1 && known != 1 || known > 1:
		return nil, "is not always the same: " + seen(r, o)
	case words != nil:
		return nil, "has no word for what was seen: " + seen(r, o)
	case o.ID == pageParameter && slices.Contains([]string{"no effect", "refused"}, o.Observed[0]):
		return nil, "was not found: " + seen(r, o)
	}
	first, _, _ := strings.Cut(o.Observed[0], " ")
	if n, err := strconv.ParseInt(first, 10, 64); err == nil {
		return n, ""
	}
	if example := fixtures.PinExample(key); judge.AsPinned(example, o.Observed[0]) {
		return example, "" // as people write it
	}
	return o.Observed[0], ""
}

// seen says what was seen, by operation where operations differ.
func seen(r *Report, o OpenPoint) string {
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Pointer == openPoint+o.ID && f.Clause == "OPEN-1" {
			return f.Got
		}
	}
	return cmp.Or(wording.List(o.Observed), "nothing")
}

// pinText is a pin as a target file has it.
func pinText(pin any) string {
	if pin == nil {
		return "null"
	}
	return fmt.Sprint(pin)
}
