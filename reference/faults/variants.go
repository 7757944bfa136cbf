package faults

import (
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
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
		userVariants(),
		looseVariants(),
		decodingVariants(),
		combinedVariants(),
		damagedVariants(),
		onlyFieldVariants(),
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
			if x.op == nil || !x.op.Updates() || !ok || !refuses(s) || x.holds(s) {
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

// limited is a variant that refuses texts longer than the suite's ordinary ones.
func limited(id, sentence, field string, longest int) Variant {
	return stricter(id, sentence, "text-length", field, func(s string) bool { return len([]rune(s)) > longest })
}

// holds says whether a text stands in the world from the start, so that it can be
// put back.
func (env *Env) holds(s string) bool {
	for _, p := range env.World.Profiles {
		for _, r := range p.Rules {
			for _, h := range r.Hosts {
				if h.Hostname == s || h.RegularExpression != nil && *h.RegularExpression == s {
					return true
				}
			}
		}
		if p.Name == s {
			return true
		}
	}
	return slices.ContainsFunc(env.World.Campaigns, func(c spec.Campaign) bool { return c.Name == s })
}
