package model

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"

	"github.com/adconform/adconform/spec"
)

// settled returns a departure without the answers that the target file rules out, and whether nothing is left of it but
// success.
func (w *World) settled(d Departure) (_ Departure, isOrdinary bool) {
	point := w.Contract.OpenPoint(d.Point)
	if point == nil || !point.Judged() {
		return d, false
	}
	pin, isPinned := w.Target.Open[point.Pin]
	if !isPinned {
		return d, false
	}
	isPin := func(choices ...spec.Choice) bool {
		return slices.ContainsFunc(choices, func(c spec.Choice) bool { return point.AsPinned(pin, c) })
	}
	if d.Open && isPin(acceptances...) {
		return d, true
	}
	shows := d.Empty && isPin(choiceOf(http.StatusOK))
	refuses := d.Statuses
	if d.Point != "required-fields" || !isPin(spec.EveryField) {
		isOther := func(status int) bool { return !isPin(spec.Refused, choiceOf(status)) }
		refuses = slices.DeleteFunc(slices.Clone(d.Statuses), isOther)
	}
	if !shows && len(refuses) == 0 { // the pin is in words that are not about one status
		return d, false
	}
	d.Statuses = refuses
	d.Open = false
	d.Empty = shows
	d.Clause = cmp.Or(d.Clause, "PIN-1")
	return d, false
}

// acceptances lists what a target file may say of a target that accepts a request at an open point.
var acceptances = []spec.Choice{
	spec.Accepted, spec.Ignored, spec.Taken, spec.NoField,
	choiceOf(http.StatusOK), choiceOf(http.StatusNoContent),
}

// choiceOf returns a status as a choice.
func choiceOf(status int) spec.Choice {
	return spec.Choice(fmt.Sprintf("%d %s", status, http.StatusText(status)))
}
