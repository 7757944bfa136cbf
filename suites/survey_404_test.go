package suites_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/doctor"
	"github.com/adconform/adconform/suites/report"
)

const contractError404 = `{"error": {"responseCode": 404, "issues": [
	{"type": "not-found", "message": "no such thing", "relatedField": null}]}}`

// alike404 answers with one 404 whatever a server has no route or no object for, as
// frameworks with one error handler do. Keys are looked at first.
func alike404(server http.Handler, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		rec := httptest.NewRecorder()
		server.ServeHTTP(rec, r)
		if rec.Code == http.StatusNotFound || rec.Code == http.StatusMethodNotAllowed {
			keyed404(w, r, body)
			return
		}
		maps.Copy(w.Header(), rec.Header())
		w.WriteHeader(rec.Code)
		w.Write(rec.Body.Bytes())
	}
}

// keyed404 knows keys, and nothing else.
func keyed404(w http.ResponseWriter, r *http.Request, body string) {
	w.Header().Set("Content-Type", "application/json")
	status := http.StatusNotFound
	key, users := r.Header.Get("X-API-Key"), fixtures.DefaultWorld().Users
	if key != users[0].Key && key != users[1].Key {
		status, body = http.StatusUnauthorized, strings.ReplaceAll(contractError404, "404", "401")
	}
	w.WriteHeader(status)
	fmt.Fprint(w, strings.ReplaceAll(body, "PATH", r.URL.Path))
}

const mayBeWrong = "baseURL: the owner gets 404 for every path: if that is not because ids are unknown, check its path"

func nothingNamed(t *fixtures.Target) {
	t.Objects, t.Foreign = fixtures.Objects{}, fixtures.Foreign{}
}

// A server whose 404s are all alike conforms: what names no object that can be listed is
// tested all the same, and said to show as much as it does.
func TestA404ForEverythingMayBeRight(t *testing.T) {
	oneUser := func(t *fixtures.Target) {
		nothingNamed(t)
		t.Credentials.Stranger = ""
	}
	only := func(keep func(from, to *fixtures.Objects)) func(*fixtures.Target) {
		return func(t *fixtures.Target) {
			all := t.Objects
			nothingNamed(t)
			keep(&all, &t.Objects)
		}
	}
	for name, c := range reftest.FewOf(3, map[string]struct {
		body   string
		change func(*fixtures.Target)
		cases  int
		unsure bool
	}{
		"nothing is named":    {contractError404, nothingNamed, 80, true},
		"the path is told":    {strings.Replace(contractError404, "no such thing", "nothing at PATH", 1), nothingNamed, 80, true},
		"one user":            {contractError404, oneUser, 80, true},
		"a campaign is named": {contractError404, only(func(from, to *fixtures.Objects) { to.Campaign = from.Campaign }), 120, false},
		"all is named":        {contractError404, func(*fixtures.Target) {}, 370, false},
		"what is named was deleted": {contractError404, only(func(from, to *fixtures.Objects) {
			to.DisposableVastCreatives = from.DisposableVastCreatives[:1]
			to.DisposableVastCreatives[0] = fixtures.Container{Object: fixtures.Object{ID: 99999}, MediaFileCount: -1}
		}), 80, true},
	}) {
		t.Run(name, func(t *testing.T) {
			target := serve(t, alike404(bundled(t), c.body))
			c.change(target)
			r := execute(t, suites.NewConfig(target))
			if len(r.Findings) > 0 || r.Cases.Passed < c.cases || strings.Contains(r.Reason, mayBeWrong) != c.unsure {
				t.Errorf("%+v, %s: %s", r.Cases, r.Verdict, r.Reason)
			}
			if c.unsure && r.Verdict != report.Inconclusive {
				t.Errorf("%s: %s", r.Verdict, r.Reason)
			}
			status := doctor.Fine
			if c.unsure || name == "a campaign is named" { // doctor writes to none
				status = doctor.Unchecked
			}
			parts := preflight(t, target).Parts
			p := parts[0]
			if p.Need != doctor.NeedBaseURL || p.Status != status || len(parts) > 1 && parts[1].Need == p.Need {
				t.Errorf("%+v", parts)
			}
		})
	}
}

// Beneath another path of such a server nothing is there: the run says so where a named
// list tells, and where nothing can tell, that it cannot.
func TestA404ForEverythingMayBeAWrongPath(t *testing.T) {
	const wrong = "every path beneath it is answered 404 to the owner: is its path right?"
	for name, c := range reftest.FewOf(3, map[string]struct {
		body   string
		change func(*fixtures.Target)
		says   string
		most   int // requests
	}{
		"nothing is named":     {contractError404, nothingNamed, mayBeWrong, 100},
		"all is named":         {contractError404, func(*fixtures.Target) {}, wrong + " If it is, is vastCreative 200 there?", maxSurvey},
		"a router's own text":  {"Cannot GET PATH", nothingNamed, wrong, maxSurvey},
		"a framework's object": {`{"status": 404, "error": "Not Found", "path": "PATH"}`, nothingNamed, wrong, maxSurvey},
		"another interface":    {`{"error": {"code": 404, "message": "not found", "status": "NOT_FOUND"}}`, nothingNamed, wrong, maxSurvey},
		"nothing":              {"", nothingNamed, wrong, maxSurvey},
	}) {
		t.Run(name, func(t *testing.T) {
			target := serve(t, behind(bundled(t), func(w http.ResponseWriter, r *http.Request) { keyed404(w, r, c.body) }))
			target.BaseURL = strings.TrimSuffix(target.BaseURL, basePath) + "/v3"
			c.change(target)
			r := execute(t, suites.NewConfig(target))
			if len(r.Findings) > 0 || r.Verdict != report.Inconclusive || !strings.Contains(r.Reason, c.says) || r.Requests > c.most {
				t.Errorf("%s, %d requests: %s", r.Verdict, r.Requests, r.Reason)
			}
		})
	}
}
