package engine_test

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/doctor"
	"github.com/adconform/adconform/internal/engine"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// maxSurvey is how many requests a run may send before it reports a wrong target file.
const maxSurvey = 10

// plainly404 answers every request with 404 as a router does, whatever the key.
func plainly404(w http.ResponseWriter, r *http.Request) {
	http.Error(w, "Cannot "+r.Method+" "+r.URL.Path, http.StatusNotFound)
}

// behind serves a server at its base path, and elsewhere at all other paths.
func behind(server http.Handler, elsewhere http.HandlerFunc) http.Handler {
	return instead(server, func(r *http.Request) bool { return !strings.HasPrefix(r.URL.Path, basePath+"/") }, elsewhere)
}

// Wrong base URLs and keys are reported after a few requests that change nothing, and are not findings.
func TestTheOperatorsMistakesAreNoFindings(t *testing.T) {
	exchange := func(t *fixtures.Target) {
		t.Credentials.Owner, t.Credentials.Stranger = t.Credentials.Stranger, t.Credentials.Owner
	}
	const looksLike = "baseURL: no answer below it looks like this interface, and a list is answered "
	noKey := func(r *http.Request) bool { return r.Header.Get("X-API-Key") == "" }
	for name, c := range reftest.FewOf(3, map[string]mistake{
		"path of nothing":          {plainly404, nil, looksLike + "404 text/plain; charset=utf-8: is its base path missing or wrong?"},
		"keys are looked at first": {instead(answering(404, ""), noKey, answering(401, "")), nil, looksLike + "404"},
		"a page for everything": {func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "<!doctype html>")
		}, nil, looksLike + "200 text/html"},
		"redirects": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://www.example.com/", http.StatusFound)
		}, nil, `which redirects to "https://www.example.com/"`},
		"a web server's own pages": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(map[bool]int{true: http.StatusNotFound, false: http.StatusMethodNotAllowed}[r.Method == http.MethodGet])
		}, nil, looksLike + "404 text/html: "},
		"no path": {
			nil,
			func(t *fixtures.Target) { t.BaseURL = strings.TrimSuffix(t.BaseURL, basePath) },
			"baseURL: GET /creatives/200/media-files below it is answered 404, but below /v2 it is answered 401, as it should be",
		},
		"keys exchanged": {
			nil,
			exchange,
			"credentials.owner: gets 403 for the owner's objects, but credentials.stranger reads them: are the two keys swapped?",
		},
		"keys exchanged, objects without values": {nil, func(t *fixtures.Target) {
			exchange(t)
			for _, key := range []string{"campaign", "connectionProfile", "connectionProfileRuleHost"} {
				t.Objects[key][0].Values = nil
			}
		}, "are the two keys swapped?"},
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
			"every operation answers 401 to the owner's key: is it the right key, and is X-Token the right header?",
		},
	}) {
		for _, readOnly := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, read-only %t", name, readOnly), func(t *testing.T) {
				config := engine.NewConfig(c.serve(t))
				config.AllowInconclusive, config.ReadOnly = true, readOnly
				config.Record = func(ex *wire.Exchange) {
					if mayHaveSet(ex) {
						t.Errorf("%s %s was answered %d", ex.Request.Method, ex.Request.Path, ex.Response.Status)
					}
				}
				r := execute(t, config)
				isInconclusive := r.Verdict == report.Inconclusive && r.ExitCode == report.ExitInconclusive
				if !isInconclusive || !strings.Contains(r.Reason, c.says) || r.Requests > maxSurvey {
					t.Errorf("%s, exit code %d, %d requests: %s", r.Verdict, r.ExitCode, r.Requests, r.Reason)
				}
				for _, v := range violations(r) {
					t.Error(v)
				}
			})
		}
	}
}

// A mistake is one of the operator, and what is said of it.
type mistake struct {
	elsewhere http.HandlerFunc // serves another base path, which the target file names
	change    func(*fixtures.Target)
	says      string
}

func (c *mistake) serve(t *testing.T) *fixtures.Target {
	if c.elsewhere == nil {
		target := serve(t, bundled(t))
		c.change(target)
		return target
	}
	target := serve(t, behind(bundled(t), c.elsewhere))
	target.BaseURL = strings.TrimSuffix(target.BaseURL, basePath) + "/v1"
	return target
}

// mayHaveSet reports whether a request may have changed something.
func mayHaveSet(ex *wire.Exchange) bool {
	mayWrite := !wire.Safe(ex.Request.Method) && string(ex.Request.Body) != "[]"
	return mayWrite && ex.Response.Status < 400
}

// A defect of only one operation is a finding, not the operator's mistake.
func TestADefectIsNotTakenForTheOperatorsMistake(t *testing.T) {
	server, users := bundled(t), fixtures.DefaultWorld().Users
	owner, stranger := users[0].Key, users[1].Key
	as := func(keys map[string]string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			r.Header.Set("X-API-Key", keys[r.Header.Get("X-API-Key")])
			server.ServeHTTP(w, r)
		}
	}
	// The server lacks one operation, and answers all requests that it does not route alike.
	unrouted := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) }
	}
	const list, other = "GET", ""
	for name, c := range reftest.FewOf(3, map[string]struct {
		method string
		answer http.HandlerFunc
	}{
		"reads show a page":          {"not PATCH", unrouted("<html>")},
		"lists of another form":      {list, unrouted("[]")},
		"lists unknown":              {list, plainly404},
		"lists 403":                  {list, answering(http.StatusForbidden, "")},
		"lists 405":                  {list, answering(http.StatusMethodNotAllowed, "")},
		"lists 401":                  {list, answering(http.StatusUnauthorized, "")},
		"permission of lists turned": {list, as(map[string]string{owner: stranger, stranger: owner})},
		"every key is the owner's":   {other, as(map[string]string{owner: owner, stranger: owner, "": owner})},
		"the stranger is refused":    {list, as(map[string]string{owner: owner})},
	}) {
		t.Run(name, func(t *testing.T) {
			r := runOn(t, instead(server, func(r *http.Request) bool {
				switch c.method {
				case "not PATCH":
					return r.Method != http.MethodPatch
				case list:
					return r.Method == list && strings.Contains(r.URL.Path, "/creatives/")
				}
				return strings.Contains(r.URL.Path, "/creatives/")
			}, c.answer), quick)
			if r.Verdict != report.Nonconforming {
				t.Errorf("%s after %d requests: %s", r.Verdict, r.Requests, r.Reason)
			}
		})
	}
}

const contractError404 = `{"error": {"responseCode": 404, "issues": [
	{"type": "not-found", "message": "no such thing", "relatedField": null}]}}`

// keyed404 checks keys and answers everything else with 404.
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

const mayBeWrong = "baseURL: every request was answered 404. Without objects in a target file that is expected; " +
	"otherwise check the path of the base URL"

// nothingThere is the most requests that are sent where nothing is: a twelfth of a run.
const nothingThere = standardRequests / 12

func nothingNamed(t *fixtures.Target) {
	t.Objects, t.Foreign = fixtures.Objects{}, fixtures.Foreign{}
}

// A server that answers all 404s alike conforms, and below a wrong base path of it everything is 404. The run
// reports which is the case if a named list shows it; otherwise it reports that it cannot know, and tests all the same.
func TestA404ForEverythingMayBeRight(t *testing.T) {
	only := func(key string, objects ...fixtures.Object) func(*fixtures.Target) {
		return func(t *fixtures.Target) {
			if len(objects) == 0 {
				objects = t.Objects[key]
			}
			nothingNamed(t)
			t.Objects[key] = objects
		}
	}
	all := func(*fixtures.Target) {}
	const wrong = "no answer below it looks like this interface, and a list is answered 404 application/json: " +
		"is its base path missing or wrong?"
	const another = `{"error": {"code": 404, "message": "not found", "status": "NOT_FOUND"}}`
	for name, c := range reftest.FewOf(3, map[string]uniform404{
		"nothing is named": {"", nothingNamed, mayBeWrong, 80, standardRequests, report.Unchecked},
		"one user": {
			"", func(t *fixtures.Target) { nothingNamed(t); t.Credentials.Stranger = "" }, mayBeWrong, 80, standardRequests, report.Unchecked,
		},
		"a campaign is named": {"", only("campaign"), "", 120, standardRequests, report.Unchecked}, // the doctor writes to none
		"all is named":        {"", all, "", 370, standardRequests, report.Fine},
		"what is named was deleted": {
			"", only("disposableVastCreatives", fixtures.Object{ID: "99999", MediaFileCount: -1}),
			mayBeWrong, 80, standardRequests, report.Unchecked,
		},
		"wrong, nothing is named": {contractError404, nothingNamed, mayBeWrong, 0, nothingThere, report.Unchecked},
		"wrong or empty, all is named": {
			contractError404, all, "objects: none of the objects that the target file names is there", 0, maxSurvey, report.Wrong,
		},
		"wrong, a router's own text": {"Cannot GET PATH", nothingNamed, wrong, 0, maxSurvey, report.Wrong},
		"wrong, another interface":   {another, nothingNamed, wrong, 0, maxSurvey, report.Wrong},
	}) {
		t.Run(name, func(t *testing.T) {
			target := c.serve(t)
			if r := execute(t, engine.NewConfig(target)); !c.fitsRun(r) {
				t.Errorf("%+v, %s, %d requests: %s", r.Cases, r.Verdict, r.Requests, r.Reason)
			}
			if parts := preflight(t, target).Parts; !c.fitsParts(parts) {
				t.Errorf("%+v", parts)
			}
		})
	}
}

// uniform404 is a server that gives the same 404 for unknown routes and objects, as frameworks with a single error
// handler do, and what is said of it.
type uniform404 struct {
	elsewhere string // the body of the 404s below a wrong path; "" if the path is right
	change    func(*fixtures.Target)
	says      string
	passed    int // least number of cases
	most      int // greatest number of requests
	status    report.PartStatus
}

func (c *uniform404) serve(t *testing.T) *fixtures.Target {
	target := serve(t, altered(bundled(t), func(r *http.Request, answer *httptest.ResponseRecorder) {
		if answer.Code == http.StatusNotFound || answer.Code == http.StatusMethodNotAllowed {
			*answer = *httptest.NewRecorder()
			keyed404(answer, r, contractError404)
		}
	}))
	if c.elsewhere != "" {
		target = serve(t, behind(bundled(t), func(w http.ResponseWriter, r *http.Request) { keyed404(w, r, c.elsewhere) }))
		target.BaseURL = strings.TrimSuffix(target.BaseURL, basePath) + "/v3"
	}
	c.change(target)
	return target
}

func (c *uniform404) fitsRun(r *report.Report) bool {
	isInBounds := r.Cases.Passed >= c.passed && r.Requests <= c.most
	isInconclusive := c.says == "" || r.Verdict == report.Inconclusive
	isSaid := strings.Contains(r.Reason, c.says) && strings.Contains(r.Reason, mayBeWrong) == (c.says == mayBeWrong)
	return len(r.Findings) == 0 && isInBounds && isInconclusive && isSaid
}

func (c *uniform404) fitsParts(parts []report.Part) bool {
	need := doctor.NeedBaseURL
	if strings.HasPrefix(c.says, doctor.NeedObjects) {
		need = doctor.NeedObjects
	}
	isTwice := len(parts) > 1 && parts[1].Need == need
	return parts[0].Need == need && parts[0].Status == c.status && !isTwice
}

// Servers for TLS answer plain HTTP with a page of their own.
func TestPlainHTTPAtAPortForTLS(t *testing.T) {
	for _, page := range []string{
		"Client sent an HTTP request to an HTTPS server.\n",
		"<html><center>The plain HTTP request was sent to HTTPS port</center></html>",
		"Reason: You're speaking plain HTTP to an SSL-enabled server port.<br />",
	} {
		r := runOn(t, answering(http.StatusBadRequest, page))
		if r.ExitCode != report.ExitInconclusive || !strings.Contains(r.Reason, "wants https://") {
			t.Errorf("%s: exit code %d: %s", page, r.ExitCode, r.Reason)
		}
	}
}

func preflight(t *testing.T, target *fixtures.Target) *report.Preflight {
	t.Helper()
	r, err := engine.Preflight(t.Context(), engine.NewConfig(target))
	noError(t, err)
	return r
}

func TestPreflightOfACompleteTarget(t *testing.T) {
	for _, p := range preflight(t, serve(t, readable(t))).Parts {
		if p.Status != report.Fine && !strings.HasSuffix(p.Need, "Rule") {
			t.Errorf("%s is %s: %s", p.Need, p.Status, p.Detail)
		}
	}
}

// Each mistake in a target file is found and named.
func TestPreflightFindsWhatIsWrong(t *testing.T) {
	id := func(key string, id spec.ID, without ...string) func(*fixtures.Target) {
		return func(t *fixtures.Target) {
			name, i := judge.SplitKey(key)
			t.Objects[name][i].ID = id
			for _, key := range without {
				delete(t.Objects, key)
				t.Foreign[strings.TrimPrefix(key, "foreign.")] = ""
			}
		}
	}
	foreign := func(key string, id spec.ID, without string) func(*fixtures.Target) {
		return func(t *fixtures.Target) { t.Foreign[key] = id; delete(t.Objects, without) }
	}
	const host, otherHost = "connectionProfileRuleHost", "connectionProfileOtherRuleHost"
	for _, c := range reftest.Few(9, []struct {
		need   string
		change func(*fixtures.Target)
		status report.PartStatus
		detail string
	}{
		{"baseURL", func(t *fixtures.Target) { t.BaseURL += "/v3" }, report.Wrong, "a list is answered 404"},
		{"credentials.owner", func(t *fixtures.Target) { t.Credentials.Owner = "someOtherKey1" }, report.Wrong, "is answered 401"},
		{"credentials.stranger", func(t *fixtures.Target) { t.Credentials.Stranger = "someOtherKey1" }, report.Wrong, "is not accepted"},
		{"credentials.stranger", func(t *fixtures.Target) { t.Credentials.Stranger = t.Credentials.Owner }, report.Wrong, "is the owner's key"},
		{"credentials.stranger", func(t *fixtures.Target) { t.Credentials.Stranger = "" }, report.Missing, "is not in the target file"},
		{"objects.campaign", id("campaign", "92", "foreign.campaign"), report.Wrong, "no permission"},
		{"objects.campaign", id("campaign", "2500"), report.Wrong, "does not exist"},
		{"objects." + host, func(t *fixtures.Target) { id(host, "57")(t); id(otherHost, "56")(t) }, report.Wrong, "does not exist under"},
		{"objects." + host, id(host, "5600"), report.Wrong, "does not exist"},
		{"objects." + otherHost, func(t *fixtures.Target) {
			t.Objects["connectionProfile"], t.Objects["otherConnectionProfile"] = t.Objects["otherConnectionProfile"], t.Objects["connectionProfile"]
		}, report.Wrong, "does not exist under"},
		{"objects.vastCreative", id("vastCreative", "96"), report.Wrong, "no permission"},
		{"objects.vastCreative", id("vastCreative", "230"), report.Wrong, "is not a VAST creative"},
		{"objects.vastCreative", id("vastCreative", "2300"), report.Wrong, "does not exist"},
		{"objects.plainCreative", id("plainCreative", "200", "vastCreative"), report.Wrong, "is a VAST creative"},
		{"objects.disposableCreatives[1]", id("disposableCreatives[1]", "93"), report.Wrong, "no permission"},
		{
			"objects.disposableCreatives[1]", id("disposableCreatives[1]", "3020"), report.Wrong,
			"does not exist: answered 404, like an unknown id, whereas another",
		},
		{"foreign.campaign", foreign("campaign", "26", "otherCampaign"), report.Wrong, "26 is not the stranger's, as the stranger gets 403"},
		{
			"foreign.vastCreative",
			foreign("vastCreative", "210", "emptyVastCreative"),
			report.Wrong, "210 is not the stranger's, as the stranger gets 403",
		},
	}) {
		t.Run(c.need+" "+c.detail, func(t *testing.T) {
			target := serve(t, readable(t))
			c.change(target)
			r := preflight(t, target)
			i := slices.IndexFunc(r.Parts, func(p report.Part) bool { return p.Need == c.need })
			if i < 0 || r.Parts[i].Status != c.status || !strings.Contains(r.Parts[i].Detail, c.detail) {
				t.Fatalf("want %s %q, got %+v", c.status, c.detail, r.Parts)
			}
			if r.ExitCode != report.ExitInconclusive {
				t.Errorf("exit code %d, findings %+v", r.ExitCode, r.Findings)
			}
			if cost := r.Parts[i].Cost; cost == nil || cost.Cases == 0 {
				t.Errorf("the part has no cost: %+v", cost)
			}
		})
	}
}

// A key that stops working meanwhile is named, and nothing is ready.
func TestPreflightNamesAKeyThatStops(t *testing.T) {
	for _, uses := range []int{1, 8} {
		server, left := bundled(t), uses
		isSpent := func(r *http.Request) bool {
			if r.Header.Get("X-API-Key") == fixtures.DefaultWorld().Users[0].Key {
				left--
			}
			return left < 0
		}
		r := preflight(t, serve(t, instead(server, isSpent, func(w http.ResponseWriter, r *http.Request) {
			r.Header.Set("X-API-Key", "expired")
			server.ServeHTTP(w, r)
		})))
		isNamed := slices.ContainsFunc(r.Parts, func(p report.Part) bool {
			return p.Need == doctor.NeedOwner && p.Status == report.Wrong && strings.Contains(p.Detail, "no longer accepted")
		})
		isLost := slices.ContainsFunc(r.Parts, func(p report.Part) bool { return p.Lost != nil })
		if !isNamed || isLost || r.ExitCode != report.ExitInconclusive || len(r.Findings) > 0 {
			t.Errorf("after %d requests: exit code %d, %+v", uses, r.ExitCode, r.Parts)
		}
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
			!slices.ContainsFunc(r.Findings, func(f report.Finding) bool { return f.Clause == clause && f.Curl != "" }) {
			t.Errorf("%s: exit code %d, findings %+v", clause, r.ExitCode, r.Findings)
		}
	}
}

// The doctor quotes no key.
func TestPreflightRepeatsNoKey(t *testing.T) {
	key := fixtures.DefaultWorld().Users[0].Key
	r := preflight(t, serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://example.com/"+key, http.StatusFound)
	})))
	if got := r.Parts[0].Detail; strings.Contains(got, key) || !strings.Contains(got, `example.com/$ADCONFORM_OWNER_KEY`) {
		t.Errorf("got %s", got)
	}
}

// Over HTTP/2 no request is sent in halves, and the reason does not blame the target.
func TestHalvesOverHTTP2(t *testing.T) {
	server := httptest.NewUnstartedServer(bundled(t))
	server.EnableHTTP2 = true
	server.TLS = &tls.Config{GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		protocols := []string{"h2"}
		if !slices.Contains(hello.SupportedProtos, "h2") {
			protocols = []string{"none"} // Go accepts HTTP/1.1 even if only h2 is configured
		}
		return &tls.Config{Certificates: server.TLS.Certificates, NextProtos: protocols}, nil
	}}
	server.StartTLS()
	t.Cleanup(server.Close)
	authorities := x509.NewCertPool()
	authorities.AddCert(server.Certificate())
	r := runOf(t, fixtures.DefaultWorld().Target(server.URL+basePath), selecting("updateCampaign/state/users-at-once"),
		func(c *engine.Config) { c.TLS = &tls.Config{RootCAs: authorities} })
	if got := r.Results[0].Reason; got != "over HTTP/2 a request cannot be sent in halves" {
		t.Errorf("%q", got)
	}
}
