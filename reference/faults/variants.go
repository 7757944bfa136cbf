package faults

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// Variants lists every variant, sorted by id.
func Variants() []Variant {
	all := slices.Concat(
		chosenVariants(),
		requestVariants(),
		bodyVariants(),
		textVariants(),
		foldedVariants(),
		decodingVariants(),
		itemVariants(),
		pageVariants(),
		dateVariants(),
		clockVariants(),
		answerVariants(),
		jsonVariants(),
		headerVariants(),
		rateVariants(),
		connectionVariants(),
		conditionalVariants(),
		userVariants(),
		nameVariants(),
		fieldVariants(),
	)
	slices.SortFunc(all, func(a, b Variant) int { return strings.Compare(a.ID, b.ID) })
	return all
}

// variant is an implementation whose answers differ at open points, "" for none.
func variant(id, sentence, open string, does behaviour) Variant {
	v := wrapped(id, sentence, does.wrap)
	v.Open = strings.Fields(open)
	return v
}

// wrapped is a variant that differs in any way; at no open point, unless they are set.
func wrapped(id, sentence string, around wrap) Variant {
	return Variant{Server: Server{ID: id, Sentence: sentence + ".", Wrap: around}}
}

//go:embed variants.yaml
var variantsFile []byte

// chosenVariants are those of variants.yaml.
func chosenVariants() []Variant {
	var rows []struct {
		ID, Sentence string
		Open         []string
		Choices      object
		Pins         map[string]any
	}
	dec := yaml.NewDecoder(bytes.NewReader(variantsFile))
	dec.KnownFields(true)
	if err := dec.Decode(&rows); err != nil {
		panic(fmt.Sprintf("variants.yaml: %v", err))
	}
	var all []Variant
	for _, r := range rows {
		if err := choose(r.Choices, &reference.Choices{}); err != nil {
			panic(fmt.Sprintf("variants.yaml: %s: %v", r.ID, err))
		}
		v := wrapped(r.ID, r.Sentence, nil)
		v.Open, v.Pins, v.Choices = r.Open, r.Pins, func(c *reference.Choices) { _ = choose(r.Choices, c) }
		all = append(all, v)
	}
	return all
}

// choose sets choices by their names.
func choose(choices object, c *reference.Choices) error {
	dec := json.NewDecoder(bytes.NewReader(encode(choices)))
	dec.DisallowUnknownFields()
	return dec.Decode(c)
}

// updating says that an update is sent.
func updating(x *exchange) bool { return x.op != nil && x.op.Updates() }

// refusedInstead is the refusal of an update in place of the server, where nothing else
// is wrong with it: an update without fields finds out, and changes nothing.
func (x *exchange) refusedInstead(refusal *answer) *answer {
	if a := x.peek(x.with(saying(object{}))); !a.ok() {
		return a
	}
	return refusal
}

// stricter is a variant that refuses texts that no contract says must be taken, but for
// those that the world has from the start and that have to be put back.
func stricter(id, sentence, open, field string, refuses func(s string) bool) Variant {
	return variant("value/"+id, sentence, open, func(x *exchange) *answer {
		s, ok := x.fields()[field].(string)
		if !updating(x) || !ok || !refuses(s) || x.holds(s) {
			return x.forward()
		}
		return x.refusedInstead(refusal(422, field))
	})
}

// holds says whether a text stands in the world from the start.
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
