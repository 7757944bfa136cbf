package faults

import (
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/reference"
)

// Variants lists every variant, sorted by id.
func Variants() []Variant {
	all := slices.Concat(
		requestVariants(),
		valueVariants(),
		deleteVariants(),
		listVariants(),
		answerVariants(),
		freeVariants(),
		wireVariants(),
		connectionVariants(),
		coercionVariants(),
		dateVariants(),
		conditionalVariants(),
		missingFirstVariants(),
		combinedVariants(),
	)
	slices.SortFunc(all, func(a, b Variant) int { return strings.Compare(a.ID, b.ID) })
	return all
}

// choice is a variant that the reference has a choice for.
func choice(id, sentence, open string, set func(*reference.Choices)) Variant {
	v := Variant{ID: id, Sentence: sentence + ".", Choices: set}
	if open != "" {
		v.Open = strings.Fields(open)
	}
	return v
}

// harmless is a variant that rewrites answers in ways that nobody may mind.
func harmless(id, sentence string, b func() behaviour) Variant {
	return Variant{ID: id, Sentence: sentence + ".", Wrap: fresh(b)}
}

// answering is a harmless variant that looks at the answer only.
func answering(id, sentence string, change func(a *answer) *answer) Variant {
	return harmless(id, sentence, func() behaviour {
		return func(x *exchange) *answer { return change(x.forward()) }
	})
}

// stricter is a variant that refuses what no contract says must be taken.
func stricter(id, sentence, open, field string, refuses func(s string) bool) Variant {
	return Variant{
		ID: id, Sentence: sentence + ".", Open: strings.Fields(open),
		Wrap: each(func(x *exchange) *answer {
			s, ok := x.fields()[field].(string)
			if x.op == nil || !x.op.Updates() || !ok || !refuses(s) {
				return x.forward()
			}
			// What else is wrong comes first: an update without fields finds out.
			if a := x.peek(x.request.with(saying([]byte("{}")))); !a.ok() {
				return a
			}
			return refusal(http.StatusUnprocessableEntity, field)
		}),
	}
}
