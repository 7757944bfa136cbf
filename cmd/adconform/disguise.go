package main

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"strings"

	"github.com/adconform/adconform/cmd/adconform/internal/flags"
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
	theirs, err := flags.LoadContract(d.overlay)
	if err != nil {
		return nil, err
	}
	var servers []faults.Server // one around the other
	on := &disguised{}
	if d.variant != "" {
		variant, err := faults.VariantByID(d.variant)
		if err != nil {
			return nil, fmt.Errorf("--variant: %w", err)
		}
		servers, on.variant = append(servers, variant.Server), inWords(variant.Server)
	}
	if d.fault != "" {
		fault, err := faults.ByID(contract, d.fault)
		if err != nil {
			return nil, fmt.Errorf("--fault: %w", err)
		}
		servers, on.fault = append(servers, fault.Server), inWords(fault.Server)
	}
	for _, s := range servers {
		if s.Choices != nil {
			options.Choices = cmp.Or(options.Choices, reference.DefaultChoices())
			s.Choices(&options.Choices)
		}
		if len(s.Pins) > 0 && on.pins == nil {
			on.pins = fixtures.Pins{}
		}
		maps.Copy(on.pins, s.Pins)
	}
	env := faults.NewEnv(contract, world)
	on.wrap = func(h http.Handler) http.Handler {
		for _, s := range servers {
			if s.Wrap != nil {
				h = s.Wrap(h, env)
			}
		}
		if d.overlay != "" {
			h = reference.Dialect(h, contract, theirs, basePath)
		}
		return h
	}
	return on, nil
}

func inWords(s faults.Server) string { return s.ID + ": " + strings.TrimSuffix(s.Sentence, ".") }
