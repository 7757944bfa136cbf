package selftest

import (
	"regexp"
	"slices"
	"testing"

	"github.com/adconform/adconform/internal/faults"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// formed returns the variants whose requests carry keys in another way.
func formed() []faults.Server {
	return slices.DeleteFunc(faults.Variants(), func(v faults.Server) bool {
		c := faults.Choices(v)
		return c.KeyHeader == reference.DefaultChoices().KeyHeader && c.KeyQuery+c.Tenant == ""
	})
}

// However a request carries its key, a fault of authentication is found. Some have nothing to do with a key in that
// form: another credential is taken in its place, or bytes that the form does not have.
func TestFaultsOfKeysAreFoundInEachForm(t *testing.T) {
	ofKeys := regexp.MustCompile(`^(auth|permission|user)/[\w-]+/\w+$`)
	elsewhere := regexp.MustCompile(`^auth/(any-bearer|any-basic)/`)
	all := slices.DeleteFunc(faults.All(spec.Load()), func(f faults.Server) bool {
		return !ofKeys.MatchString(f.ID) || elsewhere.MatchString(f.ID) || f.Deep || f.Choices != nil
	})
	variants := formed()
	for i, f := range reftest.Few(12, all) {
		for j, v := range variants {
			if i%len(variants) != j && testing.Short() {
				continue
			}
			t.Run(v.ID+" "+f.ID, func(t *testing.T) {
				t.Parallel()
				both := f
				both.Choices, both.Dialect = func(c *reference.Choices) { *c = faults.Choices(v) }, v.Dialect
				r := ran(t, serving(t, both))
				if !slices.ContainsFunc(r.Findings, func(found report.Finding) bool { return isProof(found.Clause, found.Severity, &f) }) {
					t.Errorf("missed: %s: %q", f.Sentence, breaches(r))
				}
			})
		}
	}
}
