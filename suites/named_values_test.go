package suites_test

import (
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
)

// What the target file says and no answer ever showed is told, with what to do, and
// is no finding.
func TestWrongNamedValuesAreToldAndNotFound(t *testing.T) {
	media := func(c *fixtures.Container, ids ...int64) { c.MediaFileIDs, c.MediaFileCount = ids, len(ids) }
	tried := 0
	for says, change := range map[string]func(*fixtures.Objects){
		`objects.campaign: the target file says type "display", and the target shows "video"; ` +
			`correct it, or leave it out`: func(o *fixtures.Objects) {
			o.Campaign.Values["type"] = "display"
		},
		`objects.otherCampaign: the target file says userId 7, and the target shows`: func(o *fixtures.Objects) {
			o.OtherCampaign.Values["userId"] = int64(7)
		},
		`objects.connectionProfile: the target file says createdAt "2020-01-01"`: func(o *fixtures.Objects) {
			o.ConnectionProfile.Values["createdAt"] = "2020-01-01"
		},
		`objects.vastCreative: the target file says that it has 4 media files, and the target lists 3`: func(o *fixtures.Objects) {
			o.VastCreative.MediaFileIDs, o.VastCreative.MediaFileCount = nil, 4
		},
		`objects.vastCreative: the target file says that it has the media files [201 202], ` +
			`and the target lists [201 202 203]`: func(o *fixtures.Objects) {
			media(o.VastCreative, 201, 202)
		},
		`objects.disposableVastCreatives[0]: the target file says that it has the media files [241 249], ` +
			`and the target lists [241 242]`: func(o *fixtures.Objects) {
			media(&o.DisposableVastCreatives[0], 241, 249)
		},
		`objects.pagedVastCreatives[0]: the target file says that it has 251 media files, and the target lists 250`: func(o *fixtures.Objects) {
			o.PagedVastCreatives[0].MediaFileCount = 251
		},
		`objects.emptyVastCreative: the target file says that it has 0 media files`: func(o *fixtures.Objects) {
			o.EmptyVastCreative.ID, o.DisposableVastCreatives = 250, o.DisposableVastCreatives[:1]
		},
	} {
		if tried++; testing.Short() && tried > 1 { // any one
			break
		}
		target := serve(t, bundled(t))
		change(&target.Objects)
		r := execute(t, suites.NewConfig(target))
		for _, v := range violations(r) {
			t.Errorf("%s: %s", says, v)
		}
		if r.ExitCode != report.ExitInconclusive ||
			!strings.Contains(strings.ReplaceAll(r.Reason, "objects.objects.", "objects."), strings.TrimPrefix(says, "objects.")) {
			t.Errorf("%s: %s, exit code %d: %s", says, r.Verdict, r.ExitCode, r.Reason)
		}
	}
}

// A value of the target file that a read showed before the first update is no mistake,
// whatever updates show from then on.
func TestAValueThatAReadShowedIsNoMistakeOfTheTargetFile(t *testing.T) {
	world := fixtures.DefaultWorld()
	r := runOn(t, faulty(t, "shown/userId-set/updateCampaign"), func(c *suites.Config) {
		c.Target.Objects.Campaign.Values["userId"] = world.Users[0].ID
	})
	if len(violations(r)) == 0 || len(r.Mistakes) > 0 {
		t.Errorf("%s: %s; mistakes of the target file: %q", r.Verdict, r.Reason, r.Mistakes)
	}
}

// A run without provision after another finds nothing to delete.
func TestUsedUpDisposablesAreToldAndNotFound(t *testing.T) {
	server := bundled(t)
	execute(t, suites.NewConfig(serve(t, server)))
	for _, stranger := range []bool{true, false} {
		target := serve(t, server)
		if !stranger {
			target.Credentials.Stranger = ""
		}
		r := execute(t, suites.NewConfig(target))
		for _, v := range violations(r) {
			t.Error(v)
		}
		if r.ExitCode != report.ExitInconclusive ||
			!strings.Contains(r.Reason, "disposableCreatives[0] (301), disposableCreatives[1] (302)") ||
			!strings.Contains(r.Reason, "provision") {
			t.Errorf("%s, exit code %d: %s", r.Verdict, r.ExitCode, r.Reason)
		}
	}
}
