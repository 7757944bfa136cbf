package suites_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
)

// What the target file says and no answer ever showed is told, with what to do, and
// is no finding.
func TestWrongNamedValuesAreToldAndNotFound(t *testing.T) {
	media := func(c []fixtures.Object, ids ...int64) { c[0].MediaFileIDs, c[0].MediaFileCount = ids, len(ids) }
	tried := 0
	for says, change := range map[string]func(fixtures.Objects){
		`objects.campaign: the target file says type "display", and the target shows "video"; ` +
			`correct it or leave it out, or see why the target changes it`: func(o fixtures.Objects) {
			o["campaign"][0].Values["type"] = "display"
		},
		`objects.campaign: the target file says name "Autumn", and the target shows "Spring video"`: func(o fixtures.Objects) {
			o["campaign"][0].Values["name"] = "Autumn"
		},
		`objects.connectionProfile: the target file says withCookiesAction "fail", and the target shows "warn"`: func(o fixtures.Objects) {
			o["connectionProfile"][0].Values["withCookiesAction"] = "fail"
		},
		`objects.connectionProfileOtherRuleHost: the target file says regularExpression "^/b/", and the target shows`: func(o fixtures.Objects) {
			o["connectionProfileOtherRuleHost"][0].Values["regularExpression"] = "^/b/"
		},
		`objects.otherCampaign: the target file says userId 7, and the target shows`: func(o fixtures.Objects) {
			o["otherCampaign"][0].Values["userId"] = int64(7)
		},
		`objects.connectionProfile: the target file says createdAt "2020-01-01"`: func(o fixtures.Objects) {
			o["connectionProfile"][0].Values["createdAt"] = "2020-01-01"
		},
		`objects.vastCreative: the target file says that it has 4 media files, and the target lists 3`: func(o fixtures.Objects) {
			o["vastCreative"][0].MediaFileIDs, o["vastCreative"][0].MediaFileCount = nil, 4
		},
		`objects.vastCreative: the target file says that it has the media files [201 202], ` +
			`and the target lists [201 202 203]`: func(o fixtures.Objects) {
			media(o["vastCreative"], 201, 202)
		},
		`objects.disposableVastCreatives[0]: the target file says that it has the media files [241 249], ` +
			`and the target lists [241 242]`: func(o fixtures.Objects) {
			media(o["disposableVastCreatives"], 241, 249)
		},
		`objects.pagedVastCreatives[0]: the target file says that it has 251 media files, and the target lists 250`: func(o fixtures.Objects) {
			o["pagedVastCreatives"][0].MediaFileCount = 251
		},
		`objects.emptyVastCreative: the target file says that it has 0 media files`: func(o fixtures.Objects) {
			o["emptyVastCreative"][0].ID, o["disposableVastCreatives"] = 250, o["disposableVastCreatives"][:1]
		},
		`objects.emptyVastCreative (230) has no list: it is answered 422, as what is no container is`: func(o fixtures.Objects) {
			o["emptyVastCreative"][0].ID, o["plainCreative"][0].ID = 230, 301
			o["disposableCreatives"] = o["disposableCreatives"][1:]
		},
		`objects.pagedVastCreatives[0] (230) has no list`: func(o fixtures.Objects) {
			o["pagedVastCreatives"][0].ID, o["plainCreative"] = 230, nil
		},
		`objects.vastCreative (201) has no list`: func(o fixtures.Objects) {
			o["vastCreative"] = []fixtures.Object{{ID: 201, MediaFileCount: -1}}
		},
	} {
		if tried++; testing.Short() && tried > 1 { // any one
			break
		}
		target := serve(t, bundled(t))
		change(target.Objects)
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
		c.Target.Objects["campaign"][0].Values["userId"] = world.Users[0].ID
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

// without are target files that lack one thing, by the need that a case names.
var without = map[string]func(*fixtures.Target){
	"credentials.stranger":               func(t *fixtures.Target) { t.Credentials.Stranger = "" },
	"objects.connectionProfile":          func(t *fixtures.Target) { t.Objects["connectionProfile"] = nil },
	"objects.connectionProfileRuleHost":  func(t *fixtures.Target) { t.Objects["connectionProfileRuleHost"] = nil },
	"objects.otherConnectionProfile":     func(t *fixtures.Target) { t.Objects["otherConnectionProfile"] = nil },
	"objects.campaign":                   func(t *fixtures.Target) { t.Objects["campaign"] = nil },
	"objects.otherCampaign":              func(t *fixtures.Target) { t.Objects["otherCampaign"] = nil },
	"objects.disposableCreatives[0]":     func(t *fixtures.Target) { t.Objects["disposableCreatives"] = nil },
	"objects.disposableVastCreatives[0]": func(t *fixtures.Target) { t.Objects["disposableVastCreatives"] = nil },
	"objects.vastCreative":               func(t *fixtures.Target) { t.Objects["vastCreative"] = nil },
	"objects.emptyVastCreative":          func(t *fixtures.Target) { t.Objects["emptyVastCreative"] = nil },
	"objects.pagedVastCreatives[0]":      func(t *fixtures.Target) { t.Objects["pagedVastCreatives"] = nil },
	"objects.plainCreative":              func(t *fixtures.Target) { t.Objects["plainCreative"] = nil },
	"foreign.campaign":                   func(t *fixtures.Target) { t.Foreign["campaign"] = 0 },
	"objects.disposableVastCreatives[0].mediaFiles": func(t *fixtures.Target) {
		for i := range t.Objects["disposableVastCreatives"] {
			t.Objects["disposableVastCreatives"][i].MediaFileIDs = nil
		}
	},
}

// What the preflight says that a lack costs is what a run then leaves untested.
func TestWhatALackCostsIsWhatARunLeavesUntested(t *testing.T) {
	for i, need := range slices.Sorted(maps.Keys(without)) {
		if testing.Short() && i%7 != 0 {
			continue
		}
		remove := without[need]
		t.Run(need, func(t *testing.T) {
			target := serve(t, bundled(t))
			remove(target)
			c := suites.NewConfig(target)
			missing, total, err := c.Missing(nil)
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(missing, func(m report.Part) bool { return m.Need == need })
			if i < 0 || missing[i].Cost.Cases == 0 {
				t.Fatalf("not told: %+v", missing)
			}
			r := execute(t, c)
			var untested []string
			stated := 0
			for _, cl := range r.Clauses {
				if cl.Status == report.NotTested && cl.Cause == judge.ByOperator && !slices.Contains(untested, cl.ID) {
					untested = append(untested, cl.ID)
					if cl.Basis == "stated" {
						stated++
					}
				}
			}
			// A clause that no case left aims at may be seen all the same.
			untold := slices.DeleteFunc(slices.Clone(untested), func(id string) bool { return slices.Contains(total.Clauses, id) })
			if r.Cases.NotTested != total.Cases || len(untold) > 0 || (len(untested) == 0) != (len(total.Clauses) == 0) ||
				(stated == 0) != (total.Stated == 0) {
				t.Errorf("told %d cases, %v (%d stated)\nrun  %d cases, %v (%d stated)", total.Cases, total.Clauses, total.Stated,
					r.Cases.NotTested, untested, stated)
			}
			if (total.Stated > 0) != (r.Verdict == report.Inconclusive) {
				t.Errorf("%d stated clauses, and the run is %s: %s", total.Stated, r.Verdict, r.Reason)
			}
		})
	}
}

// A value that is too thin for its purpose leaves a run partial, as a missing one does, and so
// does an overlay that takes judgement away; what a choice of the target hides takes nothing.
func TestWhatTakesFromALevel(t *testing.T) {
	pinned := func(value any) func(*suites.Config) {
		return func(c *suites.Config) { c.Target.Open = fixtures.Pins{"pageParameter": value} }
	}
	onePage := func(c *reference.Choices) { c.PageParameter = "" }
	asIs := func(*suites.Config) {}
	for name, tc := range map[string]struct {
		choice func(*reference.Choices)
		change func(*suites.Config)
		says   string // in the report of a run that is partial, and of the doctor
	}{
		"one page": {func(c *reference.Choices) { c.PageSize = 300 }, asIs, "has one page;fits on one page: name one with more"},
		"the same object again": {nil, func(c *suites.Config) {
			c.Target.Objects["pagedVastCreatives"] = c.Target.Objects["vastCreative"]
		}, "pages beyond the first;is vastCreative again: name another"},
		"a parameter without effect":   {nil, pinned("seite"), "parameter seite has no effect;seite does not show the second"},
		"no paging, and several pages": {nil, pinned(nil), "there is no paging, and;says that there is no paging"},
		"no paging, which is not said": {onePage, asIs, "has one page;fits on one page: name one with more"},
		"no paging, which is said":     {onePage, pinned(nil), ""},
		"nothing is kept":              {func(c *reference.Choices) { c.RequireAllFields, c.EmptyObject = true, reference.Refuse }, asIs, ""},
		"an overlay that takes away": {nil, func(c *suites.Config) {
			c.Contract = overlaid(t, `{target: "$.paths.*.*['x-effects']", remove: true}`)
		}, "the overlay takes away (22: PROFILE-2;overlay takes away (22"},
	} {
		c := suites.NewConfig(serve(t, reftest.New(t, fixtures.DefaultWorld(), func(c *reference.Choices) {
			if tc.choice != nil {
				tc.choice(c)
			}
		})))
		tc.change(c)
		doctor, err := suites.Preflight(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		inRun, inDoctor, thin := strings.Cut(tc.says, ";")
		r := execute(t, c)
		if r.Verdict != report.Conforming || (r.Level == report.Partial) != thin || !strings.Contains(report.NotShownLine(r.NotShown), inRun) {
			t.Errorf("%s: %s", name, report.VerdictLine(r))
		}
		if !strings.Contains(fmt.Sprint(doctor.Parts), inDoctor) || (doctor.Outcome == report.Incomplete) != thin {
			t.Errorf("%s: the doctor says %s of %+v", name, doctor.Outcome, doctor.Parts)
		}
	}
}

// overlaid is the contract with one action of an overlay.
func overlaid(t *testing.T, action string) *spec.Contract {
	t.Helper()
	c, err := spec.LoadOverlaid([]byte("overlay: 1.0.0\ninfo: {title: t, version: 1.0.0}\nactions:\n  - "+action), "overlay.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Violations of a basis that does not count are no reason to say nothing of them.
func TestAHeadlineNamesWhatDoesNotCount(t *testing.T) {
	server := bundled(t)
	c := suites.NewConfig(serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-API-Key") == "" && strings.HasPrefix(r.URL.Path, "/v2/campaigns/") {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		server.ServeHTTP(w, r)
	})))
	c.Bases = []spec.Basis{spec.Published}
	if r := execute(t, c); !strings.Contains(r.Reason, " of a basis that does not count") {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
}
