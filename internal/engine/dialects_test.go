package engine_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/dialect"
	"github.com/adconform/adconform/internal/engine"
	"github.com/adconform/adconform/internal/render"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// ofIDs lists, for each kind of object, where openapi.yaml has the type of its id.
var ofIDs = map[string][]string{
	"profile":  {"parameters.connectionProfileId.schema", "schemas.ConnectionProfile.properties.id"},
	"rule":     {"parameters.connectionProfileRuleId.schema"},
	"host":     {"parameters.connectionProfileRuleHostId.schema", "schemas.ConnectionProfileRuleHost.properties.id"},
	"campaign": {"parameters.campaignId.schema", "schemas.Campaign.properties.id", "schemas.Creative.properties.campaignId"},
	"creative": {
		"parameters.deletedCreativeId.schema", "parameters.vastCreativeId.schema",
		"schemas.Creative.properties.id", "schemas.Creative.properties.parentId",
	},
}

// represented lists the updates, with the schemas of what they show.
var represented = map[string]string{
	"/connection-profiles/{connectionProfileId}": "ConnectionProfile",
	"/connection-profiles/{connectionProfileId}/rules/{connectionProfileRuleId}/hosts/{connectionProfileRuleHostId}": "" +
		"ConnectionProfileRuleHost",
	"/campaigns/{campaignId}": "Campaign",
}

// inDialect returns the contract of a dialect.
func inDialect(t *testing.T, d dialect.Dialect) *spec.Contract {
	t.Helper()
	overlay := "overlay: 1.0.0\ninfo: {title: t, version: 1.0.0}\nactions:\n"
	for kind, form := range d.IDs {
		for _, place := range ofIDs[kind] {
			type_ := map[bool]string{true: "{type: string, format: uuid}", false: "{type: string}"}[form == dialect.UUID]
			overlay += fmt.Sprintf("  - {target: $.components.%s, update: %s}\n", place, type_)
		}
	}
	for path, schema := range represented {
		if d.Bare {
			overlay += fmt.Sprintf("  - {target: \"$.paths['%s'].patch.responses['200'].content['application/json'].schema\","+
				" update: {$ref: '#/components/schemas/%s'}}\n", path, schema)
		}
	}
	c, err := spec.LoadOverlays(spec.Overlay{File: "dialect.yaml", Data: []byte(overlay)})
	noError(t, err)
	return c
}

// speaking configures a run of a server behind a dialect.
func speaking(t *testing.T, d dialect.Dialect, server http.Handler) *engine.Config {
	t.Helper()
	theirs, ours := inDialect(t, d), spec.Load()
	target := serve(t, d.Before(server, ours, fixtures.DefaultWorld()))
	d.Target(target)
	c := engine.NewConfig(target)
	c.Contract = theirs
	return c
}

func idsOf(form dialect.Form, kinds ...string) dialect.Dialect {
	d := dialect.Dialect{IDs: map[string]dialect.Form{}}
	for _, kind := range kinds {
		d.IDs[kind] = form
	}
	return d
}

var (
	openKinds = []string{"profile", "rule", "host"}
	allKinds  = append(openKinds, "campaign", "creative")
)

// Ids that are texts, and representations without an envelope, conform. Only types that the interface document gives
// make a run partial.
func TestDialectsConform(t *testing.T) {
	const lists = "listCreativeMediaFiles"
	bare := idsOf(dialect.UUID, openKinds...)
	bare.Bare = true
	for name, tc := range map[string]struct {
		dialect.Dialect
		server http.Handler
		away   string // one of the statements that the overlay takes away
	}{
		"UUIDs":           {idsOf(dialect.UUID, openKinds...), bundled(t), ""},
		"slugs":           {idsOf(dialect.Slug, openKinds...), readable(t), ""},
		"codes of rules":  {idsOf(dialect.Code, "rule"), bundled(t), ""},
		"names":           {idsOf(dialect.Name, openKinds...), bundled(t), ""},
		"bare":            {dialect.Dialect{Bare: true}, readable(t), ""},
		"bare with UUIDs": {bare, bundled(t), ""},
		"all UUIDs":       {idsOf(dialect.UUID, allKinds...), bundled(t), "the type integer of campaignId in the success of " + lists},
		"all codes":       {idsOf(dialect.Code, allKinds...), readable(t), "the type integer of the id of vastCreative in the path of " + lists},
	} {
		if testing.Short() && !strings.HasSuffix(name, "UUIDs") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := speaking(t, tc.Dialect, tc.server)
			r := execute(t, c)
			noFinding(t, name, r)
			putBack(t, name, r)
			level := map[bool]report.Level{true: report.Complete, false: report.Partial}[tc.away == ""]
			away := c.Contract.TakenAway
			isNamed := slices.Contains(away, tc.away) == (tc.away != "")
			if r.Verdict != report.Conforming || r.Level != level || !isNamed {
				t.Errorf("%s: %s, taken away: %q", render.VerdictLine(r), r.Reason, away)
			}
		})
	}
}

// rewriting changes the paths of requests before a server reads them.
func rewriting(server http.Handler, change func(path string) string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r = r.Clone(r.Context())
		r.URL.Path, r.URL.RawPath = change(r.URL.Path), ""
		r.RequestURI = r.URL.EscapedPath() + strings.TrimPrefix(r.RequestURI, r.URL.EscapedPath())
		server.ServeHTTP(w, r)
	}
}

// What resembles an id is not it, but letter case may have no meaning.
func TestFormsOfTextIDs(t *testing.T) {
	campaigns := idsOf(dialect.UUID, "campaign")
	slugs := idsOf(dialect.Slug, "campaign")
	id := func(d dialect.Dialect) string {
		target := fixtures.DefaultWorld().Target("http://localhost")
		d.Target(target)
		return string(target.Objects["campaign"][0].ID)
	}
	whole := func(d dialect.Dialect, matches func(sent, id string) bool) func(string) string {
		return func(path string) string {
			at := strings.LastIndexByte(path, '/') + 1
			if strings.Contains(path, "/campaigns/") && matches(path[at:], id(d)) {
				return path[:at] + id(d)
			}
			return path
		}
	}
	isBeginning := func(sent, id string) bool { return len(sent) > 6 && strings.HasPrefix(id, sent) }
	isZero := func(sent, _ string) bool { return strings.Trim(sent, "0-") == "" }
	goesOn := func(sent, id string) bool { return strings.HasPrefix(sent, id) }
	for name, tc := range map[string]struct {
		dialect.Dialect
		path func(string) string
		want string // the case that finds it; "" for none
	}{
		"the beginning of a UUID":    {campaigns, whole(campaigns, isBeginning), "updateCampaign/open/cut-short-campaign"},
		"the beginning of a slug":    {slugs, whole(slugs, isBeginning), "updateCampaign/open/cut-short-campaign"},
		"more than a UUID":           {campaigns, whole(campaigns, goesOn), "updateCampaign/open/trailing-letters-campaign"},
		"more than a slug":           {slugs, whole(slugs, goesOn), "updateCampaign/open/trailing-letters-campaign"},
		"other letters of a slug":    {slugs, whole(slugs, strings.EqualFold), ""},
		"zeros, which are anybody's": {campaigns, whole(campaigns, isZero), "updateCampaign/open/zero-campaign"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			theirs := tc.Dialect.Before(bundled(t), spec.Load(), fixtures.DefaultWorld())
			target := serve(t, rewriting(theirs, tc.path))
			tc.Dialect.Target(target)
			r := runOf(t, target, func(c *engine.Config) { c.Contract = inDialect(t, tc.Dialect) }, selecting("updateCampaign/"))
			if tc.want == "" {
				noFinding(t, name, r)
			} else if !slices.ContainsFunc(r.Findings, func(f report.Finding) bool { return slices.Contains(f.Cases, tc.want) }) {
				t.Errorf("%s finds nothing: %s", tc.want, render.VerdictLine(r))
			}
		})
	}
}

// Numbers where the document says texts, and texts where it says numbers, are violations.
func TestIDsOfTheWrongType(t *testing.T) {
	uuids := idsOf(dialect.UUID, openKinds...)
	target := serve(t, uuids.Before(bundled(t), spec.Load(), fixtures.DefaultWorld()))
	uuids.Target(target)
	for name, r := range map[string]*report.Report{
		"texts":   runOf(t, target, quick),
		"numbers": runOn(t, bundled(t), quick, func(c *engine.Config) { c.Contract = inDialect(t, uuids) }),
	} {
		if !slices.ContainsFunc(r.Findings, func(f report.Finding) bool { return f.Clause == "PROFILE-5" && f.Pointer == "/data/id" }) {
			t.Errorf("%s: %s", name, render.VerdictLine(r))
		}
	}
}
