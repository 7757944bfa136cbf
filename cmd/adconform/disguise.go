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

// Disguise is how the reference is to differ from itself: by a seeded fault, by other
// choices, by other names.
type Disguise struct{ Fault, Variant, Overlay string }

// Disguised is what a disguise comes to.
type Disguised struct {
	Wrap           func(http.Handler) http.Handler
	Pins           fixtures.Pins // what a target file for the server has to settle
	Fault, Variant string        // in words; empty for none
}

// Put looks up what is asked for, and sets the choices that it needs.
func (d Disguise) Put(world fixtures.World, options *reference.Options) (*Disguised, error) {
	contract, err := spec.Load()
	if err != nil {
		return nil, err
	}
	theirs, err := LoadContract(d.Overlay)
	if err != nil {
		return nil, err
	}
	var servers []faults.Server // one around the other
	on := &Disguised{}
	if d.Variant != "" {
		variant, err := faults.VariantByID(d.Variant)
		if err != nil {
			return nil, fmt.Errorf("--variant: %w", err)
		}
		servers, on.Variant = append(servers, variant.Server), inWords(variant.Server)
	}
	if d.Fault != "" {
		fault, err := faults.ByID(contract, d.Fault)
		if err != nil {
			return nil, fmt.Errorf("--fault: %w", err)
		}
		servers, on.Fault = append(servers, fault.Server), inWords(fault.Server)
	}
	for _, s := range servers {
		if s.Choices != nil {
			options.Choices = cmp.Or(options.Choices, reference.DefaultChoices())
			s.Choices(&options.Choices)
		}
		if len(s.Pins) > 0 && on.Pins == nil {
			on.Pins = fixtures.Pins{}
		}
		maps.Copy(on.Pins, s.Pins)
	}
	env := faults.NewEnv(contract, world)
	on.Wrap = func(h http.Handler) http.Handler {
		for _, s := range servers {
			if s.Wrap != nil {
				h = s.Wrap(h, env)
			}
		}
		if d.Overlay != "" {
			h = reference.Dialect(h, contract, theirs)
		}
		return h
	}
	return on, nil
}

func inWords(s faults.Server) string { return s.ID + ": " + strings.TrimSuffix(s.Sentence, ".") }
