package selftest

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/adconform/adconform/docs/dialects"
	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// spoken returns the dialects.
func spoken() []faults.Server {
	return slices.DeleteFunc(faults.Variants(), func(v faults.Server) bool { return !strings.HasPrefix(v.ID, "dialect/") })
}

// The example of a target file has the objects of the reference in the dialect.
func TestTargetFilesOfDialects(t *testing.T) {
	for _, d := range spoken() {
		want := fixtures.DefaultWorld().Target("http://127.0.0.1:8080/v2")
		faults.Env{World: fixtures.DefaultWorld()}.Target(want, d)
		file := strings.TrimPrefix(d.ID, "dialect/") + "/target.yaml"
		data, err := dialects.Files.ReadFile(file)
		noError(t, err)
		keys := map[string]string{"ADCONFORM_OWNER_KEY": want.Credentials.Owner, "ADCONFORM_STRANGER_KEY": want.Credentials.Stranger}
		is, err := fixtures.Parse(data, file, func(name string) (string, bool) { return keys[name], keys[name] != "" })
		noError(t, err)
		if diff := cmp.Diff(want, is, cmpopts.IgnoreUnexported(fixtures.Target{}), cmpopts.IgnoreFields(fixtures.Target{}, "File")); diff != "" {
			t.Errorf("%s: what serve writes (-) and the example (+): %s", file, diff)
		}
	}
}

// behind lists two faults of each kind of behaviour.
var behind = []string{
	"auth/any-key/updateCampaign", "auth/no-key/listCreativeMediaFiles", // authentication
	"permission/stranger-allowed/deleteCreative", "permission/not-found-instead/updateConnectionProfileRuleHost",
	"refused/401-any-key/updateCampaign", "refused/422-malformed/updateConnectionProfile", // refused writes
	"effect/not-stored/updateConnectionProfileRuleHost", "effect/other-too/updateConnectionProfile", // effects
	"shown/other-object/updateConnectionProfile", "shown/foreign-object/updateCampaign", // ids
	"list/own-listed", "page/count-one-more", // lists
	"updateConnectionProfileRuleHost/422/error.issues-renamed", "updateConnectionProfile/404/status-400", // errors
	"updateConnectionProfile/success/data.id-dropped", "updateCampaign/success/data.name-as-array", // schema
	"transport/cut-off-always/updateConnectionProfile", "connection/done-and-lost/updateCampaign", // wire
}

// violated lists the clauses that a run has violations of, each with its operation.
func violated(r *report.Report) (all []string) {
	for _, f := range r.Findings {
		if f.Severity != oracle.Notice {
			all = append(all, f.Clause+" "+f.Operation)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// A dialect hides no fault: a run finds what it finds without the dialect.
func TestFaultsAreFoundBehindDialects(t *testing.T) {
	for i, id := range reftest.Few(6, behind) {
		f := faultByID(t, id)
		without := violated(ran(t, serving(t, f)))
		if len(without) == 0 {
			t.Fatalf("%s is not found without a dialect", id)
		}
		for j, d := range spoken() {
			if testing.Short() && i%2 != j%2 {
				continue
			}
			t.Run(strings.TrimPrefix(d.ID, "dialect/")+"/"+id, func(t *testing.T) {
				t.Parallel()
				both := f
				both.Dialect = d.Dialect
				both.Choices = func(c *reference.Choices) { *c = faults.Choices(f, d) }
				if diff := cmp.Diff(without, violated(ran(t, serving(t, both)))); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}
