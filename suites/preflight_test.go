package suites_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/doctor"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
)

func preflight(t *testing.T, target *fixtures.Target) *report.Preflight {
	t.Helper()
	r, err := suites.Preflight(t.Context(), suites.NewConfig(target))
	noError(t, err)
	return r
}

func TestPreflightOfACompleteTarget(t *testing.T) {
	for _, p := range preflight(t, serve(t, readable(t))).Parts {
		if p.Status != doctor.Fine && !strings.HasSuffix(p.Need, "Rule") {
			t.Errorf("%s is %s: %s", p.Need, p.Status, p.Detail)
		}
	}
}

// Each mistake in a target file is found and named.
func TestPreflightFindsWhatIsWrong(t *testing.T) {
	id := func(key string, id int64, without ...string) func(*fixtures.Target) {
		return func(t *fixtures.Target) {
			name, i := judge.SplitKey(key)
			t.Objects[name][i].ID = id
			for _, key := range without {
				delete(t.Objects, key)
				t.Foreign[strings.TrimPrefix(key, "foreign.")] = 0
			}
		}
	}
	foreign := func(key string, id int64, without string) func(*fixtures.Target) {
		return func(t *fixtures.Target) { t.Foreign[key] = id; delete(t.Objects, without) }
	}
	const host, otherHost = "connectionProfileRuleHost", "connectionProfileOtherRuleHost"
	for _, c := range reftest.Few(9, []struct {
		need   string
		change func(*fixtures.Target)
		status doctor.Status
		detail string
	}{
		{"baseURL", func(t *fixtures.Target) { t.BaseURL += "/v3" }, doctor.Wrong, "a list is answered 404"},
		{"credentials.owner", func(t *fixtures.Target) { t.Credentials.Owner = "someOtherKey1" }, doctor.Wrong, "is answered 401"},
		{"credentials.stranger", func(t *fixtures.Target) { t.Credentials.Stranger = "someOtherKey1" }, doctor.Wrong, "is not accepted"},
		{"credentials.stranger", func(t *fixtures.Target) { t.Credentials.Stranger = t.Credentials.Owner }, doctor.Wrong, "is the owner's key"},
		{"credentials.stranger", func(t *fixtures.Target) { t.Credentials.Stranger = "" }, doctor.Missing, "is not in the target file"},
		{"objects.campaign", id("campaign", 92, "foreign.campaign"), doctor.Wrong, "no permission"},
		{"objects.campaign", id("campaign", 2500), doctor.Wrong, "does not exist"},
		{
			"objects.campaign", func(t *fixtures.Target) { t.Objects["campaign"][0].Values["name"] = "Autumn" },
			doctor.Differs, `name is "Spring video"`,
		},
		{"objects." + host, func(t *fixtures.Target) { id(host, 57)(t); id(otherHost, 56)(t) }, doctor.Wrong, "does not exist, or not under"},
		{"objects." + host, id(host, 5600), doctor.Wrong, "does not exist"},
		{"objects." + otherHost, func(t *fixtures.Target) {
			t.Objects["connectionProfile"], t.Objects["otherConnectionProfile"] = t.Objects["otherConnectionProfile"], t.Objects["connectionProfile"]
		}, doctor.Wrong, "does not exist, or not under"},
		{"objects.vastCreative", id("vastCreative", 96), doctor.Wrong, "no permission"},
		{"objects.vastCreative", id("vastCreative", 230), doctor.Wrong, "is not a VAST creative"},
		{"objects.vastCreative", id("vastCreative", 2300), doctor.Wrong, "does not exist"},
		{"objects.vastCreative", func(t *fixtures.Target) {
			t.Objects["vastCreative"][0].MediaFileCount, t.Objects["vastCreative"][0].MediaFileIDs = 4, nil
		}, doctor.Differs, "has 3 media files"},
		{"objects.disposableVastCreatives[0]", func(t *fixtures.Target) {
			t.Objects["disposableVastCreatives"][0].MediaFileIDs = []int64{241, 249}
		}, doctor.Differs, "[241 242]"},
		{"objects.plainCreative", id("plainCreative", 200, "vastCreative"), doctor.Wrong, "is a VAST creative"},
		{"objects.disposableCreatives[1]", id("disposableCreatives[1]", 93), doctor.Wrong, "no permission"},
		{
			"objects.disposableCreatives[1]", id("disposableCreatives[1]", 3020), doctor.Wrong,
			"does not exist: answered 404, like an unknown id, whereas another",
		},
		{"foreign.campaign", foreign("campaign", 26, "otherCampaign"), doctor.Wrong, "the owner reads it"},
		{"foreign.vastCreative", foreign("vastCreative", 210, "emptyVastCreative"), doctor.Wrong, "the owner reads it"},
	}) {
		t.Run(c.need+" "+c.detail, func(t *testing.T) {
			target := serve(t, readable(t))
			c.change(target)
			r := preflight(t, target)
			i := slices.IndexFunc(r.Parts, func(p doctor.Part) bool { return p.Need == c.need })
			if i < 0 || r.Parts[i].Status != c.status || !strings.Contains(r.Parts[i].Detail, c.detail) {
				t.Fatalf("want %s %q, got %+v", c.status, c.detail, r.Parts)
			}
			if r.ExitCode != report.ExitInconclusive {
				t.Errorf("exit code %d, findings %+v", r.ExitCode, r.Findings)
			}
			if cost := r.Parts[i].Cost; c.status != doctor.Differs && (cost == nil || cost.Cases == 0) {
				t.Errorf("the part has no cost: %+v", cost)
			}
		})
	}
}

// The answers to a preflight are judged like all others.
func TestPreflightJudgesItsAnswers(t *testing.T) {
	server, users := bundled(t), fixtures.DefaultWorld().Users
	hasKey := func(key string) func(*http.Request) bool {
		return func(r *http.Request) bool { return r.Header.Get("X-API-Key") == key }
	}
	for clause, spoilt := range map[string]http.Handler{
		"AUTH-1": instead(server, hasKey(""), func(w http.ResponseWriter, r *http.Request) {
			r.Header.Set("X-API-Key", users[0].Key)
			server.ServeHTTP(w, r)
		}),
		"HTTP-1": instead(server, func(r *http.Request) bool { return strings.Contains(r.URL.Path, "/230/") }, answering(500, "")),
		"AUTH-2": instead(server, hasKey(users[1].Key), answering(404, errorBody(404))),
	} {
		r := preflight(t, serve(t, spoilt))
		if r.ExitCode != report.ExitNonconforming ||
			!slices.ContainsFunc(r.Findings, func(f judge.Finding) bool { return f.Clause == clause && f.Curl != "" }) {
			t.Errorf("%s: exit code %d, findings %+v", clause, r.ExitCode, r.Findings)
		}
	}
}

// The doctor quotes no key.
func TestPreflightRepeatsNoKey(t *testing.T) {
	key := fixtures.DefaultWorld().Users[0].Key
	r := preflight(t, serve(t, altered(readable(t), func(_ *http.Request, answer *httptest.ResponseRecorder) {
		answer.Body = bytes.NewBufferString(strings.ReplaceAll(answer.Body.String(), "Spring video", "a "+key))
	})))
	i := slices.IndexFunc(r.Parts, func(p doctor.Part) bool { return p.Need == "objects.campaign" })
	if got := r.Parts[i].Detail; strings.Contains(got, key) || !strings.Contains(got, `name is "a $ADCONFORM_OWNER_KEY"`) {
		t.Errorf("got %s", got)
	}
}
