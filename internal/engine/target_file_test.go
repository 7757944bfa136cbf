package engine_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/engine"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/internal/render"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// What is wrong with the target is found, however much it looks like a wrong target file.
func TestAFaultIsNotTakenForAWrongTargetFile(t *testing.T) {
	shows := func(path string, change func(body string) string) http.Handler {
		return altered(bundled(t), func(r *http.Request, answer *httptest.ResponseRecorder) {
			if r.Method == http.MethodGet && strings.Contains(r.URL.Path, path) && answer.Code == http.StatusOK {
				answer.Body = bytes.NewBufferString(change(answer.Body.String()))
			}
		})
	}
	replaced := func(id, by string) func(string) string {
		return func(body string) string { return strings.ReplaceAll(body, `"id":`+id+`,`, `"id":`+by+`,`) }
	}
	names := func(ids ...spec.ID) func(*fixtures.Target) {
		return func(t *fixtures.Target) { t.Objects["vastCreative"][0].MediaFileIDs = ids }
	}
	for name, c := range reftest.FewOf(3, map[string]struct {
		server http.Handler
		change func(*fixtures.Target)
		clause string
	}{
		"the owner writes to the stranger's": {faulty(t, "permission/owner-on-foreign/updateCampaign"), nil, "AUTH-2"},
		"another's file is listed":           {shows("/200/", replaced("203", "241")), names("201", "202"), "MEDIA-7"},
		"the stranger's creative is listed":  {shows("/200/", replaced("203", "93")), names("201", "202"), "MEDIA-7"},
		"files where the file says 0": {bundled(t), func(t *fixtures.Target) {
			t.Objects["emptyVastCreative"][0].ID = "250"
			t.Objects["disposableVastCreatives"] = t.Objects["disposableVastCreatives"][:1]
		}, "MEDIA-7"},
	}) {
		target := serve(t, c.server)
		if c.change != nil {
			c.change(target)
		}
		r := runOf(t, target)
		if !slices.ContainsFunc(r.Findings, func(f report.Finding) bool { return f.Clause == c.clause && f.Fails }) {
			t.Errorf("%s: %s: %s", name, r.Verdict, r.Reason)
		}
	}
}

// A value of the target file that a read showed before the first update is not a mistake, whatever updates
// show afterwards.
func TestAValueThatAReadShowedIsNoMistakeOfTheTargetFile(t *testing.T) {
	r := runOn(t, faulty(t, "shown/userId-set/updateCampaign"), func(c *engine.Config) {
		selecting("updateCampaign/")(c)
		c.Target.Objects["campaign"][0].Values["userId"] = fixtures.DefaultWorld().Users[0].ID
	})
	if len(violations(r)) == 0 || len(r.Mistakes) > 0 {
		t.Errorf("%s: %s; mistakes of the target file: %q", r.Verdict, r.Reason, r.Mistakes)
	}
}

// A run leaves untested exactly the cases and clauses that the preflight reports as the cost of a missing key.
func TestWhatAMissingKeyCostsIsWhatARunLeavesUntested(t *testing.T) {
	for _, need := range reftest.Few(2, strings.Fields("credentials.stranger objects.connectionProfile objects.connectionProfileRuleHost "+
		"objects.otherConnectionProfile objects.disposableVastCreatives[0] objects.otherCampaign objects.disposableCreatives[0] "+
		"objects.campaign objects.vastCreative objects.emptyVastCreative objects.pagedVastCreatives[0] "+
		"objects.plainCreative foreign.campaign objects.disposableVastCreatives[0].mediaFiles")) {
		t.Run(need, func(t *testing.T) {
			c := engine.NewConfig(serve(t, bundled(t)))
			withShort(c)
			dropKey(c.Target, need)
			missing, total := c.Missing(c.Plan(), nil)
			i := slices.IndexFunc(missing, func(m report.Part) bool { return m.Need == need })
			if i < 0 || missing[i].Cost.Cases == 0 {
				t.Fatalf("the key is not among the missing ones: %+v", missing)
			}
			r := execute(t, c)
			untested, stated := untestedClauses(r)
			// A clause at which no remaining case aims may be judged all the same.
			unnamed := slices.DeleteFunc(slices.Clone(untested), func(id string) bool { return slices.Contains(total.Clauses, id) })
			if r.Cases.NotTested != total.Cases || len(unnamed) > 0 || (len(untested) == 0) != (len(total.Clauses) == 0) ||
				(stated == 0) != (total.Stated == 0) {
				t.Errorf("named %d cases, %v (%d stated)\nrun   %d cases, %v (%d stated)", total.Cases, total.Clauses, total.Stated,
					r.Cases.NotTested, untested, stated)
			}
			if (total.Stated > 0) != (r.Verdict == report.Inconclusive) {
				t.Errorf("%d stated clauses, and the run is %s: %s", total.Stated, r.Verdict, r.Reason)
			}
		})
	}
}

// dropKey removes what a target file has under a key.
func dropKey(target *fixtures.Target, need string) {
	switch key := strings.TrimSuffix(strings.TrimPrefix(need, "objects."), "[0]"); key {
	case "credentials.stranger":
		target.Credentials.Stranger = ""
	case "foreign.campaign":
		target.Foreign["campaign"] = ""
	case "disposableVastCreatives[0].mediaFiles":
		for i := range target.Objects["disposableVastCreatives"] {
			target.Objects["disposableVastCreatives"][i].MediaFileIDs = nil
		}
	default:
		delete(target.Objects, key)
	}
}

// untestedClauses returns the clauses that the operator left untested, and how many of them are stated.
func untestedClauses(r *report.Report) (ids []string, stated int) {
	for _, cl := range r.Clauses {
		isLeft := cl.Status == report.NotTested && cl.Cause == judge.ByOperator
		if !isLeft || slices.Contains(ids, cl.ID) {
			continue
		}
		ids = append(ids, cl.ID)
		if cl.Basis == spec.Stated {
			stated++
		}
	}
	return ids, stated
}

// A value that a run has to put back, and that no request shows, costs what doctor says; a target that shows it needs
// no such value.
func TestAValueThatNoRequestShowsIsListedAsMissing(t *testing.T) {
	for name, row := range map[string]struct {
		server http.Handler
		cases  int // that a run leaves out
	}{
		"shown by {}":  {bundled(t), 0},
		"shown by GET": {readable(t), 0},
		"not shown":    {secretive(t), 2},
	} {
		const need = "objects.otherCampaign.name"
		target := serve(t, row.server)
		delete(target.Objects["otherCampaign"][0].Values, "name")
		looked := preflight(t, target)
		i := slices.IndexFunc(looked.Parts, func(p report.Part) bool { return p.Need == need })
		if isListed := i >= 0; isListed != (name != "shown by GET") || isListed && looked.Parts[i].Cost.Cases != 2 {
			t.Errorf("%s: doctor says %+v", name, looked.Parts)
		}
		left := 0
		for _, gap := range runOf(t, target).NotShown {
			if gap.Need == need {
				left = gap.Cases
			}
		}
		if left != row.cases {
			t.Errorf("%s: the run leaves out %d cases, want %d", name, left, row.cases)
		}
	}
}

// A value that is too thin for its purpose leaves a run partial, as a missing one does, and so does an
// overlay that takes away clauses or effects. What the target's own choices hide does not.
func TestWhatTakesFromALevel(t *testing.T) {
	pinned := func(value any) func(*engine.Config) {
		return func(c *engine.Config) { c.Target.Open = fixtures.Pins{"pageParameter": value} }
	}
	onePage := func(c *reference.Choices) { c.PageParameter = "" }
	asIs := func(*engine.Config) {}
	for name, tc := range reftest.FewOf(4, map[string]struct {
		choice func(*reference.Choices)
		change func(*engine.Config)
		says   string // in the report of a partial run, and in that of the doctor, which tries no other page
		depth  judge.Depth
	}{
		"one page": {func(c *reference.Choices) { c.PageSize = 300 }, asIs, "has one page;fits on one page: name one with more", judge.Standard},
		"the same object again": {nil, func(c *engine.Config) {
			c.Target.Objects["pagedVastCreatives"] = c.Target.Objects["vastCreative"]
		}, "pages beyond the first;is vastCreative again: name another", judge.Quick},
		"a parameter without effect":   {nil, pinned("seite"), "parameter seite has no effect;", judge.Standard},
		"no paging, and several pages": {nil, pinned(nil), "there is no paging, and;", judge.Standard},
		"no paging, which is not said": {onePage, asIs, "has one page;fits on one page: name one with more", judge.Standard},
		"no paging, which is said":     {onePage, pinned(nil), "", judge.Quick},
		"nothing is kept":              {func(c *reference.Choices) { c.Required, c.EmptyObject = ".", reference.Refuse }, asIs, "", judge.Quick},
		"an overlay that takes away": {nil, func(c *engine.Config) {
			const overlay = "overlay: 1.0.0\ninfo: {title: t, version: 1.0.0}\n" +
				`actions: [{target: "$.paths.*.*['x-effects']", remove: true}]`
			var err error
			c.Contract, err = spec.LoadOverlays(spec.Overlay{File: "overlay.yaml", Data: []byte(overlay)})
			noError(t, err)
		}, "the overlay removes (22: PROFILE-2;overlay removes (22", judge.Quick},
	}) {
		c := engine.NewConfig(serve(t, reftest.New(t, fixtures.DefaultWorld(), func(c *reference.Choices) {
			if tc.choice != nil {
				tc.choice(c)
			}
		})))
		c.Depth = tc.depth
		if tc.depth == judge.Standard { // of paging, and only standard has cases of it
			only := *spec.Load()
			only.Operations = []*spec.Operation{only.Operation("listCreativeMediaFiles")}
			c.Contract = &only
		}
		tc.change(c)
		looked, err := engine.Preflight(t.Context(), c)
		noError(t, err)
		inRun, inDoctor, thin := strings.Cut(tc.says, ";")
		r := execute(t, c)
		gaps := len(r.NotShown)
		if tc.depth == judge.Quick { // of which one is that this depth tests less
			gaps--
		}
		level := map[bool]report.Level{true: report.Partial, false: report.Complete}[len(r.NotShown) > 0]
		if r.Verdict != report.Conforming || r.Level != level || (gaps > 0) != thin || !strings.Contains(render.NotShownLine(r.NotShown), inRun) {
			t.Errorf("%s: %s", name, render.VerdictLine(r))
		}
		if !strings.Contains(fmt.Sprint(looked.Parts), inDoctor) || (looked.ExitCode == report.ExitInconclusive) != (inDoctor != "") {
			t.Errorf("%s: the doctor exits with %d: %+v", name, looked.ExitCode, looked.Parts)
		}
	}
}

// Media files that a killed run used up cause no finding, nor does a container that it emptied and that then has
// no list.
func TestUsedUpMediaFilesAreNoFinding(t *testing.T) {
	notFoundWhenEmpty := func(_ *http.Request, answer *httptest.ResponseRecorder) {
		if answer.Code == http.StatusOK && strings.Contains(answer.Body.String(), `"totalCount":0`) {
			answer.Code, answer.Body = http.StatusNotFound, bytes.NewBufferString(errorBody(404))
		}
	}
	for _, c := range reftest.Few(2, []struct {
		files  []spec.ID
		change func(*http.Request, *httptest.ResponseRecorder)
	}{
		{[]spec.ID{"241"}, nil},
		{[]spec.ID{"242"}, nil},
		{[]spec.ID{"241", "242"}, nil},
		{[]spec.ID{"241", "242"}, notFoundWhenEmpty},
		{[]spec.ID{"241"}, notFoundWhenEmpty},
	}) {
		server := bundled(t)
		if c.change != nil {
			server = altered(server, c.change)
		}
		target := serve(t, server)
		delete(target.Objects, "emptyVastCreative")
		gone := slices.Clone(c.files)
		for _, d := range target.Objects["disposableCreatives"] { // which a run deletes before media files
			gone = append(gone, d.ID)
		}
		for _, id := range gone {
			r := httptest.NewRequest(http.MethodDelete, fmt.Sprintf("%s/creatives/%s", basePath, id), http.NoBody)
			r.Header.Set(target.Credentials.Header, target.Credentials.Owner)
			w := httptest.NewRecorder()
			if server.ServeHTTP(w, r); w.Code != http.StatusNoContent {
				t.Fatalf("%s: %d", id, w.Code)
			}
		}
		r := runOf(t, target, selecting("Creative"))
		noViolation(t, fmt.Sprintf("without %v", c.files), r)
		for _, cs := range r.Results {
			if cs.ID == "deleteCreative/effects/media-file-disposablevastcreatives-0" && cs.Status != judge.NotTested {
				t.Errorf("without %v: %s is %s: %s", c.files, cs.ID, cs.Status, cs.Reason)
			}
		}
	}
}

// An object of the target file that does not exist is the operator's mistake. The script of run shows the same of those
// that an earlier run deleted.
func TestWhatIsNotThereIsNoFinding(t *testing.T) {
	target := serve(t, bundled(t))
	for key, id := range map[string]spec.ID{
		"campaign": "2500", "connectionProfileRuleHost": "5600", "vastCreative": "2000",
		"disposableCreatives": "3010", "disposableVastCreatives": "2400",
	} {
		target.Objects[key][0].ID = id
	}
	r := runOf(t, target, quick)
	noViolation(t, "never there", r)
	if r.ExitCode != report.ExitInconclusive {
		t.Errorf("exit code %d: %s", r.ExitCode, r.Reason)
	}
	for _, c := range r.Results {
		if strings.HasPrefix(c.ID, "updateCampaign/success/") && c.Status != judge.NotTested {
			t.Errorf("%s %s: %s", c.ID, c.Status, c.Reason)
		}
	}
}

// Provisioning on the target's host uses the TLS settings of the target; another host has to have a valid
// certificate, and does not get the client's.
func TestProvisionIsTrustedLikeItsTarget(t *testing.T) {
	shown := 0
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		shown += len(r.TLS.PeerCertificates)
	}))
	server.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
	server.StartTLS()
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	known := &tls.Config{RootCAs: roots, Certificates: server.TLS.Certificates}
	for name, c := range reftest.FewOf(2, map[string]struct {
		host, problem string
		config        *tls.Config
		shown         bool
	}{
		"same host, insecure":  {"127.0.0.1", "", &tls.Config{InsecureSkipVerify: true}, false},
		"other host, insecure": {"localhost", "unknown authority", &tls.Config{InsecureSkipVerify: true}, false},
		"same host":            {"127.0.0.1", "", known, true},
		"other host":           {"localhost", "", known, false},
	}) {
		shown = 0
		r := runOn(t, bundled(t), func(config *engine.Config) {
			config.Target.BaseURL = strings.Replace(config.Target.BaseURL, "127.0.0.1", c.host, 1)
			config.Target.Provision = &fixtures.Provision{Post: server.URL}
			config.TLS = c.config
			selecting("listCreativeMediaFiles/success/ordinary")(config)
		})
		if failed := r.Stopped != ""; failed != (c.problem != "") || !strings.Contains(r.Stopped, c.problem) || (shown > 0) != c.shown {
			t.Errorf("%s: %q, client certificate shown: %t", name, r.Stopped, shown > 0)
		}
	}
}

const listed = `- finding: another id
  reason: 'a: b # c'
  at:
    - updateCampaign CAMPAIGN-2 identity /data/*/id
  cases:
    - a
    - b
`

func written(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "known.yaml")
	noError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// named returns a finding at a place, in cases.
func named(words, place string, cases ...string) report.Finding {
	f := report.Finding{
		Operation: "updateCampaign", Clause: "CAMPAIGN-2", Check: "identity", Pointer: place, Cases: cases,
		Severity: report.Violation, CauseWords: words, Title: words, Fails: true,
	}
	f.At = []report.Site{f.Site()}
	return f
}

func TestLoadSaysWhatIsWrongAndWhere(t *testing.T) {
	for text, want := range map[string]string{
		"version: 1\nfindings: []\n":                       "known.yaml:1: cannot unmarshal !!map; adconform baseline writes a list ",
		"- finding: [\n":                                   "known.yaml:1: ",
		listed + "  expires: 2027-01-31\n":                 "known.yaml:8: field expires not found; ",
		listed + "---\n" + listed:                          "known.yaml:9: a second YAML document begins here; remove it, as a file holds one; ",
		"- null\n":                                         "known.yaml: entry 1 lacks finding, at or reason",
		listed + "- finding: x\n":                          "known.yaml: entry 2 lacks finding, at or reason",
		strings.Replace(listed, "'a: b # c'", "' '", 1):    "known.yaml: entry 1 lacks finding, at or reason",
		strings.Replace(listed, "another id", "[a]", 1):    "known.yaml:1: cannot unmarshal !!seq; adconform baseline",
		listed + listed:                                    `known.yaml: entry 2 is a second one for "another id"`,
		strings.Replace(listed, "  at:\n    - ", "  x", 1): "known.yaml:3: ",
	} {
		if _, err := engine.Load(written(t, text)); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s\ngot %v\nwant %q", text, err, want)
		}
	}
}

// An entry accepts its finding at its places, in its cases, and is gone if a whole run carried out all these cases
// and did not have the finding.
func TestAnEntryIsStrictBothWays(t *testing.T) {
	for name, tc := range map[string]struct {
		found                  report.Finding
		comesAndGoes, selected bool
		hidden                 string // cases in which the target shows nothing
		fresh                  string // new cases
		becomes                string // gone, or accepted
	}{
		"the same":                      {found: named("another id", "/data/17/id", "a", "b"), becomes: "accepted"},
		"a case less":                   {found: named("another id", "/data/3/id", "b"), becomes: "accepted"},
		"a case more":                   {found: named("another id", "/data/3/id", "a", "c", "b", "d"), fresh: "c d"},
		"another place":                 {found: named("another id", "/data/3/name", "a"), fresh: "a"},
		"another finding":               {found: named("another type", "/data/3/id", "a"), becomes: "gone"},
		"and one case shows nothing":    {found: named("another type", "/data/3/id", "a"), hidden: "b", becomes: "gone"},
		"and no case shows anything":    {found: named("another type", "/data/3/id", "a"), hidden: "a b"},
		"and a selection":               {found: named("another type", "/data/3/id", "a"), selected: true},
		"comes and goes":                {found: named("another id", "/data/3/id", "c"), comesAndGoes: true, becomes: "accepted"},
		"comes and goes, and is away":   {found: named("another type", "/data/3/id", "c"), comesAndGoes: true},
		"comes and goes, now elsewhere": {found: named("another id", "/data/3/name", "c"), comesAndGoes: true, fresh: "c"},
	} {
		b, err := engine.Load(written(t, listed))
		noError(t, err)
		if tc.comesAndGoes {
			b.Entries[0].Cases = nil
		}
		r := &report.Report{Findings: []report.Finding{tc.found}, Selected: tc.selected}
		for _, id := range []string{"a", "b", "c", "d"} {
			c := report.Case{ID: id, Status: judge.Passed}
			if strings.Contains(tc.hidden, id) {
				c = report.Case{ID: id, Status: judge.NotTested, Cause: judge.ByTarget, Requests: 1}
			}
			r.Results = append(r.Results, c)
		}
		b.Apply(r)
		f := r.Findings[0]
		if strings.Join(f.NewCases, " ") != tc.fresh || (f.Known != "") != (tc.becomes == "accepted") ||
			(len(r.Baseline.Stale) > 0) != (tc.becomes == "gone") {
			t.Errorf("%s: known %q, new cases %q, %+v", name, f.Known, f.NewCases, r.Baseline)
		}
		f.Fails = f.Known == ""
		before := len(b.Entries)
		b.Update(r, "")
		if len(b.Entries) > before || (len(b.Entries) < before) != (tc.becomes == "gone") {
			t.Errorf("%s: without a reason: %d entries", name, len(b.Entries))
		}
		b.Update(r, "ticket 4711")
		if b.Apply(r); r.Findings[0].Known == "" || len(r.Baseline.Stale) > 0 {
			t.Errorf("%s: not accepted after the update: %+v", name, r.Findings[0])
		}
		noError(t, b.Save())
		again, err := engine.Load(b.File)
		if err != nil || len(again.Entries) != len(b.Entries) || !slices.Equal(again.Entries[0].Cases, b.Entries[0].Cases) {
			t.Errorf("%s: %v: %+v", name, err, again)
		}
	}
}
