package main

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/spec"
)

// disguise is how the reference is to differ from itself: by a seeded fault, by other
// choices, by other names.
type disguise struct{ fault, variant, overlay string }

// disguised is what a disguise comes to.
type disguised struct {
	wrap  func(http.Handler) http.Handler
	pins  fixtures.Pins // what a target file for the server has to settle
	fault string        // in words; empty for none
	// variant is likewise.
	variant string
}

// put looks up what is asked for, and sets the choices that it needs.
func (d disguise) put(world fixtures.World, options *reference.Options) (*disguised, error) {
	contract, err := spec.Load()
	if err != nil {
		return nil, err
	}
	theirs, err := loadContract(d.overlay)
	if err != nil {
		return nil, err
	}
	var variant faults.Variant
	var fault faults.Fault
	on := &disguised{}
	if d.variant != "" {
		if variant, err = faults.VariantByID(d.variant); err != nil {
			return nil, fmt.Errorf("--variant: %w", err)
		}
		on.variant = inWords(variant.ID, variant.Sentence)
	}
	if d.fault != "" {
		if fault, err = faults.ByID(contract, d.fault); err != nil {
			return nil, fmt.Errorf("--fault: %w", err)
		}
		on.fault = inWords(fault.ID, fault.Sentence)
	}
	for _, choose := range []func(*reference.Choices){variant.Choices, fault.Choices} {
		if choose != nil {
			options.Choices = cmp.Or(options.Choices, reference.DefaultChoices())
			choose(&options.Choices)
		}
	}
	if len(variant.Pins)+len(fault.Pins) > 0 {
		on.pins = fixtures.Pins{}
		maps.Copy(on.pins, variant.Pins)
		maps.Copy(on.pins, fault.Pins)
	}
	env := faults.NewEnv(contract, world)
	on.wrap = func(h http.Handler) http.Handler {
		if variant.Wrap != nil {
			h = variant.Wrap(h, env)
		}
		if fault.Wrap != nil {
			h = fault.Wrap(h, env)
		}
		if d.overlay != "" {
			h = reference.Dialect(h, contract, theirs, basePath)
		}
		return h
	}
	return on, nil
}

func inWords(id, sentence string) string { return id + ": " + strings.TrimSuffix(sentence, ".") }
