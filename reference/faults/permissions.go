package faults

import (
	"maps"

	"github.com/adconform/adconform/spec"
)

// permissions let a user do what only another may.
func permissions(op *spec.Operation) []row {
	add := func(name, sentence string, does behaviour) row {
		return fault(name, "AUTH-2 AUTH-3 EFFECT-1", sentence, does)
	}
	allowed := func(is condition) behaviour { return when(all(unpermitted, is), asHolder) }
	rows := []row{
		add("stranger-allowed", "any user may act on any object", allowed(always)),
		add("stranger-second-time", "a user without permission is refused once, then allowed", allowed(beyond(1))),
		add("stranger-sometimes", "every third request without permission is allowed", allowed(nth(3))),
		add("not-found-instead", "a user without permission is told that the object does not exist", restates(403, 404, always)).graded(Major),
		add("not-authenticated-instead", "a user without permission is told to authenticate", restates(403, 401, always)).graded(Major),
	}
	if !op.Deletes() {
		rows = append(rows,
			add("owner-on-foreign", "the first user may act on everybody's objects", allowed(byOwner)),
			add("stranger-on-own", "the second user may act on the first user's objects", allowed(byStranger)))
	}
	if !op.Updates() {
		return rows
	}
	unchanged := func(x *exchange) *answer { return x.send(x.asHolder(saying(object{}))) }
	pretended := func(x *exchange) *answer {
		return unchanged(x).shown(func(data object) { maps.Copy(data, x.fields()) })
	}
	emptyByStranger := func(x *exchange) bool { return byStranger(x) && !onForeign(x) && string(x.body) == "{}" }
	stranger := all(byStranger, unpermitted)
	return append(rows,
		add("empty-object-allowed", "{} of a user without permission is answered with the representation", when(emptyByStranger, asHolder)),
		add("shown-unchanged", "a user without permission is shown the object, unchanged", when(stranger, unchanged)),
		add("pretended", "a user without permission is answered as if the update were made", when(stranger, pretended)))
}
