package suites_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/doctor"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/wire"
)

// maxSurvey is how many requests a run may send before it says that the target file
// is wrong.
const maxSurvey = 10

// plainly404 knows nothing beneath it, whoever asks, as a router does.
func plainly404(w http.ResponseWriter, r *http.Request) {
	http.Error(w, "Cannot "+r.Method+" "+r.URL.Path, http.StatusNotFound)
}

// behind puts a server at a base path, and something else around it.
func behind(server http.Handler, elsewhere http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, basePath+"/") {
			server.ServeHTTP(w, r)
			return
		}
		elsewhere(w, r)
	})
}

// A wrong base URL and wrong keys are told as such, by a few requests that change
// nothing, and no finding is made of them.
func TestTheOperatorsMistakesAreToldBeforeFindings(t *testing.T) {
	withKey := func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(map[bool]int{true: http.StatusUnauthorized, false: http.StatusNotFound}[r.Header.Get("X-API-Key") == ""])
	}
	exchange := func(t *fixtures.Target) {
		t.Credentials.Owner, t.Credentials.Stranger = t.Credentials.Stranger, t.Credentials.Owner
	}
	wrongPath := func(t *fixtures.Target) { t.BaseURL = strings.TrimSuffix(t.BaseURL, basePath) + "/v1" }
	for name, c := range reftest.FewOf(3, map[string]struct {
		elsewhere http.HandlerFunc
		change    func(*fixtures.Target)
		says      string
	}{
		"path of nothing": {
			plainly404,
			wrongPath,
			"baseURL: no answer beneath it looks like this interface, and a list is answered 404 text/plain; charset=utf-8: is its path right?",
		},
		"keys are looked at before": {withKey, wrongPath, "baseURL: no answer beneath it looks like this interface, and a list is answered 404"},
		"a page for everything": {
			func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<!doctype html>") },
			wrongPath,
			"baseURL: no answer beneath it looks like this interface, and a list is answered 200 text/html",
		},
		"redirects": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://www.example.com/", http.StatusFound)
		}, wrongPath, `which redirects to "https://www.example.com/"`},
		"a web server's own pages": {
			func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				w.WriteHeader(map[bool]int{true: http.StatusNotFound, false: http.StatusMethodNotAllowed}[r.Method == http.MethodGet])
			}, wrongPath, "baseURL: no answer beneath it looks like this interface, and a list is answered 404 text/html: ",
		},
		"keys exchanged": {
			nil,
			exchange,
			"credentials.owner: gets 403 for the owner's objects, and credentials.stranger reads them: are the two keys exchanged?",
		},
		"keys exchanged, objects without values": {nil, func(t *fixtures.Target) {
			exchange(t)
			for _, key := range []string{"campaign", "connectionProfile", "connectionProfileRuleHost"} {
				t.Objects[key][0].Values = nil
			}
		}, "are the two keys exchanged?"},
		"one key twice": {
			nil,
			func(t *fixtures.Target) { t.Credentials.Stranger = t.Credentials.Owner },
			"credentials.stranger: is the owner's key",
		},
		"owner unknown": {
			nil,
			func(t *fixtures.Target) { t.Credentials.Owner = "someOtherKey1" },
			"every operation answers 401 to the owner's key",
		},
		"key header": {
			nil,
			func(t *fixtures.Target) { t.Credentials.Header = "X-Token" },
			"every operation answers 401 to the owner's key: is it the right key, and X-Token its header?",
		},
	}) {
		for _, readOnly := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, read-only %t", name, readOnly), func(t *testing.T) {
				server := bundled(t)
				target := serve(t, server)
				if c.elsewhere != nil {
					target = serve(t, behind(server, c.elsewhere))
				}
				c.change(target)
				config := suites.NewConfig(target)
				config.AllowInconclusive, config.ReadOnly = true, readOnly
				config.Record = func(ex *wire.Exchange) {
					if s := ex.Response.Status; !wire.Safe(ex.Request.Method) && s < 400 && string(ex.Request.Body) != "[]" {
						t.Errorf("%s %s was answered %d", ex.Request.Method, ex.Request.Path, s)
					}
				}
				r := execute(t, config)
				if r.Verdict != report.Inconclusive || r.ExitCode != report.ExitInconclusive || !strings.Contains(r.Reason, c.says) ||
					r.Requests > maxSurvey {
					t.Errorf("%s, exit code %d, %d requests: %s", r.Verdict, r.ExitCode, r.Requests, r.Reason)
				}
				for _, v := range violations(r) {
					t.Error(v)
				}
			})
		}
	}
}

// What one operation does to all keys is the target's doing.
func TestADefectIsNotTakenForTheOperatorsMistake(t *testing.T) {
	type answer = func(w http.ResponseWriter, r *http.Request, next http.Handler)
	owner, stranger := fixtures.DefaultWorld().Users[0].Key, fixtures.DefaultWorld().Users[1].Key
	list := func(r *http.Request) bool { return r.Method == http.MethodGet }
	always := func(h http.HandlerFunc) answer {
		return func(w http.ResponseWriter, r *http.Request, _ http.Handler) { h(w, r) }
	}
	status := func(code int) answer {
		return always(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) })
	}
	as := func(keys map[string]string) answer {
		return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			r.Header.Set("X-API-Key", keys[r.Header.Get("X-API-Key")])
			next.ServeHTTP(w, r)
		}
	}
	// One operation that is not there, of a server that answers what it does not route alike.
	unrouted := func(status int, body string) answer {
		return always(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		})
	}
	for name, c := range reftest.FewOf(3, map[string]struct {
		when   func(*http.Request) bool
		answer answer
	}{
		"reads show a page":          {func(r *http.Request) bool { return r.Method != http.MethodPatch }, unrouted(200, "<html>")},
		"lists of another form":      {list, unrouted(200, "[]")},
		"lists unknown":              {list, always(plainly404)},
		"lists 403":                  {list, status(http.StatusForbidden)},
		"lists 405":                  {list, status(http.StatusMethodNotAllowed)},
		"lists 401":                  {list, status(http.StatusUnauthorized)},
		"permission of lists turned": {list, as(map[string]string{owner: stranger, stranger: owner})},
		"every key is the owner's":   {func(*http.Request) bool { return true }, as(map[string]string{owner: owner, stranger: owner, "": owner})},
		"the stranger is refused":    {list, as(map[string]string{owner: owner})},
	}) {
		t.Run(name, func(t *testing.T) {
			server := bundled(t)
			target := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if c.when(r) && (strings.Contains(r.URL.Path, "/creatives/") || strings.HasPrefix(name, "reads")) {
					c.answer(w, r, server)
					return
				}
				server.ServeHTTP(w, r)
			}))
			if r := execute(t, suites.NewConfig(target)); r.Verdict != report.Nonconforming {
				t.Errorf("%s after %d requests: %s", r.Verdict, r.Requests, r.Reason)
			}
		})
	}
}

const contractError404 = `{"error": {"responseCode": 404, "issues": [
	{"type": "not-found", "message": "no such thing", "relatedField": null}]}}`

// alike404 answers with one 404 whatever a server has no route or no object for, as
// frameworks with one error handler do. Keys are looked at first.
func alike404(server http.Handler, body string) http.HandlerFunc {
	return altered(server, func(r *http.Request, answer *httptest.ResponseRecorder) {
		if answer.Code == http.StatusNotFound || answer.Code == http.StatusMethodNotAllowed {
			*answer = *httptest.NewRecorder()
			keyed404(answer, r, body)
		}
	})
}

// keyed404 knows keys, and nothing else.
func keyed404(w http.ResponseWriter, r *http.Request, body string) {
	w.Header().Set("Content-Type", "application/json")
	status := http.StatusNotFound
	key, users := r.Header.Get("X-API-Key"), fixtures.DefaultWorld().Users
	if key != users[0].Key && key != users[1].Key {
		w.Header().Set("WWW-Authenticate", "ApiKey")
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
	only := func(keep func(from, to fixtures.Objects)) func(*fixtures.Target) {
		return func(t *fixtures.Target) {
			all := t.Objects
			nothingNamed(t)
			keep(all, t.Objects)
		}
	}
	for name, c := range reftest.FewOf(3, map[string]struct {
		body   string
		change func(*fixtures.Target)
		cases  int
		unsure bool
	}{
		"nothing is named":    {contractError404, nothingNamed, 80, true},
		"one user":            {contractError404, oneUser, 80, true},
		"a campaign is named": {contractError404, only(func(from, to fixtures.Objects) { to["campaign"] = from["campaign"] }), 120, false},
		"all is named":        {contractError404, func(*fixtures.Target) {}, 370, false},
		"what is named was deleted": {contractError404, only(func(from, to fixtures.Objects) {
			to["disposableVastCreatives"] = from["disposableVastCreatives"][:1]
			to["disposableVastCreatives"][0] = fixtures.Object{ID: 99999, MediaFileCount: -1}
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
	const wrong = "no answer beneath it looks like this interface, and a list is answered 404 application/json: is its path right?"
	for name, c := range reftest.FewOf(3, map[string]struct {
		body   string
		change func(*fixtures.Target)
		says   string
		most   int // requests
	}{
		"nothing is named":    {contractError404, nothingNamed, mayBeWrong, 120},
		"all is named":        {contractError404, func(*fixtures.Target) {}, wrong + " If it is, is vastCreative 200 there?", maxSurvey},
		"a router's own text": {"Cannot GET PATH", nothingNamed, wrong, maxSurvey},
		"another interface":   {`{"error": {"code": 404, "message": "not found", "status": "NOT_FOUND"}}`, nothingNamed, wrong, maxSurvey},
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
