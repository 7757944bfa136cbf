package doctor_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/doctor"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/internal/session"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// answering serves the paths that begin so with one status.
func answering(status int, at ...string) func(http.Handler) http.Handler {
	return func(server http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for _, path := range at {
				if strings.HasPrefix(r.URL.Path, "/v2"+path) {
					w.WriteHeader(status)
					return
				}
			}
			server.ServeHTTP(w, r)
		})
	}
}

func same(server http.Handler) http.Handler { return server }

func named(key string, id spec.ID) func(*fixtures.Target) {
	return func(t *fixtures.Target) { t.Objects[key] = []fixtures.Object{{ID: id, MediaFileCount: -1}} }
}

func owner(key string) func(*fixtures.Target) {
	return func(t *fixtures.Target) { t.Credentials.Owner = key }
}

// looks are targets, and what is wrong with them.
var looks = map[string]struct {
	around func(http.Handler) http.Handler
	change func(*fixtures.Target)
	says   string // the parts that are not fine: key, state, and how the detail begins
}{
	"as the target file says": {same, nil, ""},
	"no lists": {
		answering(500, "/creatives"), nil,
		"credentials.owner: unchecked: is answered 500; credentials.stranger: unchecked: is answered 500",
	},
	"no target": {
		answering(404, "/"), nil, "baseURL: wrong: no answer below it looks like this interface, and a list is answered 404",
	},
	"wrong key": {
		same, owner("wrong-key-0123456789"),
		"credentials.owner: wrong: is answered 401: is it the right key, and is X-API-Key the right header?",
	},
	"the stranger's key": {
		same, func(t *fixtures.Target) {
			owner(t.Credentials.Stranger)(t)
			t.Credentials.Stranger = fixtures.DefaultWorld().Users[0].Key
		},
		"credentials.owner: wrong: gets 403 for the owner's objects, but credentials.stranger reads them",
	},
	"the stranger's key is wrong": {
		same, func(t *fixtures.Target) { t.Credentials.Stranger = "wrong-key-0123456789" },
		"credentials.stranger: wrong: is answered 401: it is not accepted",
	},
	"an absent campaign": {same, named("campaign", "777"), "objects.campaign: wrong: does not exist"},
	"an absent creative": {
		same, named("plainCreative", "777"), "objects.plainCreative: wrong: does not exist (404)",
	},
	"a container as a plain creative": {
		same, named("plainCreative", "220"), "objects.plainCreative: wrong: is pagedVastCreatives[0] again",
	},
	"a plain creative as a container": {
		same, named("vastCreative", "230"),
		"objects.vastCreative: wrong: is not a VAST creative: its list is answered 422; " +
			"objects.plainCreative: wrong: is vastCreative again",
	},
	"another number of files": {
		same, func(t *fixtures.Target) { t.Objects["vastCreative"][0].MediaFileIDs = []spec.ID{"201"} },
		"objects.vastCreative: wrong: the target file ",
	},
	"a foreign object that is the owner's": {
		same, func(t *fixtures.Target) { t.Foreign["campaign"] = "25"; delete(t.Objects, "campaign") },
		"foreign.campaign: wrong: the owner can read it",
	},
}

// Look finds what of a target file cannot be used, by requests that only read.
func TestLook(t *testing.T) {
	for name, test := range looks {
		world := fixtures.DefaultWorld()
		url := reftest.Serve(t, test.around(reftest.New(t, world, func(c *reference.Choices) { c.ReadAll = true })))
		target := world.Target(url)
		if test.change != nil {
			test.change(target)
		}
		client, err := wire.New(wire.Options{BaseURL: url, Key: target.Credentials.Form()})
		reftest.NoError(t, err)
		var methods []string
		s := session.NewSession(session.Options{
			ModelOptions: judge.ModelOptions{Contract: spec.Load(), Target: target}, Client: client, ReadOnly: true,
			Record: func(ex *wire.Exchange) { methods = append(methods, ex.Request.Method) },
		})
		var got []string
		for _, part := range doctor.Look(t.Context(), s) {
			if part.Status != report.Fine && !strings.HasSuffix(part.Need, "Rule") { // no operation reads rules
				got = append(got, part.Need+": "+string(part.Status)+": "+part.Detail)
			}
		}
		if want := strings.Split(test.says, "; "); !slices.EqualFunc(got, want, strings.HasPrefix) && test.says+strings.Join(got, "") != "" {
			t.Errorf("%s: %q, want %q", name, got, test.says)
		}
		if all := strings.Join(methods, " "); strings.Trim(all, "GET ") != "" {
			t.Errorf("%s: sends %s", name, all)
		}
	}
}
