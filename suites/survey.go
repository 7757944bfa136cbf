package suites

import (
	"context"
	"slices"

	"github.com/adconform/adconform/suites/doctor"
	"github.com/adconform/adconform/suites/specs"
)

// survey looks whether base URL and keys can be used, before anything else is sent.
func (e *Execution) survey(ctx context.Context) {
	if e.mistake != "" || !slices.ContainsFunc(e.plan, e.config.has) {
		return
	}
	s := e.session
	for _, k := range doctor.FirstLook(ctx, s, e.operations, specs.FirstOf) {
		switch text := k.Need + ": " + k.Detail; {
		case k.Stops:
			e.mistake = text
			return
		case k.Status == doctor.Unchecked:
			e.unsure = text
		}
	}
	if s.OwnerRefused(ctx, e.operations) {
		e.keyRefused.Store(true)
	}
}
