package selftest

import (
	"regexp"
	"testing"

	"github.com/adconform/adconform/fixtures"
)

// withoutObjects is what is tested of a target that is given by its URL.
func withoutObjects(t *fixtures.Target) {
	t.Objects, t.Foreign = fixtures.Objects{}, fixtures.Foreign{}
}

// What needs no objects is judged as with them: a key that identifies nobody has two
// faults where the id is unknown too, and no variant is flagged.
func TestWithoutObjectsNoVariantIsFlagged(t *testing.T) {
	o := Options{Variants: true, Target: withoutObjects}
	if testing.Short() {
		o.Only = regexp.MustCompile(`^(auth/(key-as|missing-before)|path/malformed-id-400|wire/(429-often|reversed|etag$|http-1.0))`)
	}
	r := run(t, o)
	for _, v := range r.Outcomes {
		if len(v.Findings) != 1 || v.Requests < 80 { // the one is its headline
			t.Errorf("%s: %d requests, %q", v.ID, v.Requests, v.Findings)
		}
	}
}

// Refusals are judged without objects, too. What hangs on them is not: whoever takes a
// wrong key for a right one answers 404, as who looks at the id first does.
func TestWithoutObjectsFaultsAreFound(t *testing.T) {
	o := only(`^(auth/no-key/updateCampaign|updateCampaign/401/(status-(200|403|404|500)|body-html|error.issues-dropped)|` +
		`updateConnectionProfileRuleHost/404/(status-400|error-dropped)|deleteCreative/404/status-(200|403))$`)
	o.Target, o.Variants = withoutObjects, false
	r := run(t, o)
	for _, f := range r.Outcomes {
		open := f.ID == "updateCampaign/401/status-404" || f.ID == "auth/no-key/updateCampaign"
		if (f.Verdict == Caught) == open {
			t.Errorf("%s: %s, %q", f.ID, f.Verdict, f.Findings)
		}
	}
	if len(r.Outcomes) != 11 {
		t.Errorf("%d faults", len(r.Outcomes))
	}
}
