package selftest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/adconform/adconform/docs/dialects"
	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/faults"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/internal/render"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/suites/report"
)

// spoken returns the variants that speak the dialects of docs/dialects, by their folders.
func spoken(t *testing.T) map[string]faults.Server {
	t.Helper()
	all := map[string]faults.Server{}
	folders, err := dialects.Files.ReadDir(".")
	noError(t, err)
	for _, folder := range folders {
		id := "dialect/" + folder.Name()
		if slices.Contains([]string{"basic", "cookie", "query", "tenant"}, folder.Name()) {
			id = "auth/" + folder.Name()
		}
		v, err := faults.ByID(faults.Variants(), id)
		noError(t, err)
		all[folder.Name()] = v
	}
	return all
}

// The example of a target file is that of the reference in the dialect, with the keys in variables.
func TestTargetFilesOfDialects(t *testing.T) {
	for folder, v := range spoken(t) {
		want := fixtures.DefaultWorld().Target("http://127.0.0.1:8080/v2")
		faults.Env{World: fixtures.DefaultWorld()}.Target(want, v)
		file := folder + "/target.yaml"
		data, err := dialects.Files.ReadFile(file)
		noError(t, err)
		contract, err := contractOf(&v)
		noError(t, err)
		keys := map[string]string{
			"ADCONFORM_OWNER_KEY": want.Credentials.Owner, "ADCONFORM_STRANGER_KEY": want.Credentials.Stranger,
		}
		variable := func(name string) (string, bool) { return keys[name], keys[name] != "" }
		is, err := fixtures.Parse(data, file, variable, contract.Keys()...)
		noError(t, err)
		ignored := cmp.Options{
			cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(fixtures.Target{}), cmpopts.IgnoreFields(fixtures.Target{}, "File"),
		}
		if diff := cmp.Diff(want, is, ignored); diff != "" {
			t.Errorf("%s: what serve writes (-) and the example (+): %s", file, diff)
		}
	}
}

// Texts as ids of campaigns and creatives leave a run partial, and the headline names nothing else.
func TestStatedTypesThatAnOverlayTakesAway(t *testing.T) {
	s := serving(t, spoken(t)["text-campaigns"])
	line := render.VerdictLine(ran(t, s))
	headline := regexp.MustCompile(fmt.Sprintf(
		`^CONFORMING \(partial\): \d+ clauses held; not shown: what the overlay removes \(%d: the type integer of [^()]* more\); tested: `,
		len(s.config.Contract.TakenAway)))
	if !headline.MatchString(line) {
		t.Error(line)
	}
	for _, statement := range s.config.Contract.TakenAway {
		if !strings.HasPrefix(statement, "the type integer of ") {
			t.Error(statement)
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
		if f.Severity != report.Notice {
			all = append(all, f.Clause+" "+f.Operation)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// A dialect hides no fault: a run finds what it finds without the dialect.
func TestFaultsAreFoundBehindDialects(t *testing.T) {
	for _, id := range reftest.Few(3, behind) {
		f := faultByID(t, id)
		without := violated(ran(t, serving(t, f)))
		if len(without) == 0 {
			t.Fatalf("%s is not found without a dialect", id)
		}
		for folder, d := range reftest.FewOf(3, spoken(t)) {
			t.Run(folder+"/"+id, func(t *testing.T) {
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
