package suites_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// remove deletes creatives as an earlier run would have done.
func remove(t *testing.T, target *fixtures.Target, ids ...int64) {
	t.Helper()
	for _, id := range ids {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, fmt.Sprintf("%s/creatives/%d", target.BaseURL, id), nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set(target.Credentials.Header, target.Credentials.Owner)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != http.StatusNoContent {
			t.Fatalf("%d: %s", id, res.Status)
		}
	}
}

// allDisposables are the simple ones: a run deletes them before media files.
func allDisposables(target *fixtures.Target) (ids []int64) {
	for _, d := range target.Objects["disposableCreatives"] {
		ids = append(ids, d.ID)
	}
	return ids
}

func violations(r *report.Report) (texts []string) {
	for _, f := range r.Findings {
		if f.Severity == oracle.Violation {
			texts = append(texts, f.Case+" "+f.Clause+": "+f.Expected+", got "+f.Got)
		}
	}
	return texts
}

// What a run that was killed has used up is not the target's fault, nor is a container that it emptied and
// whose list is then not found.
func TestUsedUpMediaFilesAreNoFinding(t *testing.T) {
	as := func(h http.Handler) http.Handler { return h }
	for _, c := range reftest.Few(2, []struct {
		files []int64
		of    func(http.Handler) http.Handler
	}{
		{[]int64{241}, as},
		{[]int64{242}, as},
		{[]int64{241, 242}, as},
		{[]int64{241, 242}, notFoundWhenEmpty},
		{[]int64{241}, notFoundWhenEmpty},
	}) {
		target := serve(t, c.of(bundled(t)))
		target.Objects["emptyVastCreative"] = nil
		remove(t, target, append(allDisposables(target), c.files...)...)
		r := execute(t, suites.NewConfig(target))
		if v := violations(r); len(v) > 0 {
			t.Errorf("without %v: %s", c.files, strings.Join(v, "\n"))
		}
		for _, cs := range r.Results {
			if cs.ID == "deleteCreative/effects/media-file-disposablevastcreatives-0" && (cs.Status == judge.NotTested) != (len(c.files) == 2) {
				t.Errorf("without %v: %s is %s: %s", c.files, cs.ID, cs.Status, cs.Reason)
			}
		}
	}
}

// A media file that is there and not listed is one, also after an earlier run.
func TestUnlistedMediaFileIsAFinding(t *testing.T) {
	reference := bundled(t)
	target := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/creatives/240/media-files") {
			r.URL.Path = strings.Replace(r.URL.Path, "240", "210", 1) // which has none
		}
		reference.ServeHTTP(w, r)
	}))
	remove(t, target, allDisposables(target)...)
	v := strings.Join(violations(execute(t, suites.NewConfig(target))), "\n")
	if !strings.Contains(v, "MEDIA-7: the media files [241 242] of disposableVastCreatives[0], got []; the delete of 241 was answered 204") {
		t.Errorf("no finding of the list: %s", v)
	}
}

// notFoundWhenEmpty answers 404 for the list of a container that is empty.
func notFoundWhenEmpty(server http.Handler) http.Handler {
	return altered(server, func(_ *http.Request, answer *httptest.ResponseRecorder) {
		if answer.Code == http.StatusOK && strings.Contains(answer.Body.String(), `"totalCount":0`) {
			answer.Code, answer.Body = http.StatusNotFound, bytes.NewBufferString(`{"error":{"responseCode":404,"issues":[]}}`)
		}
	})
}

// What the target file names and nobody has is the operator's mistake, whatever
// else of it is there.
func TestWhatWasNeverThereIsNoFinding(t *testing.T) {
	target := serve(t, bundled(t))
	for key, id := range map[string]int64{
		"campaign": 2500, "connectionProfileRuleHost": 5600, "vastCreative": 2000, "disposableCreatives": 3010, "disposableVastCreatives": 2400,
	} {
		target.Objects[key][0].ID = id
	}
	r := execute(t, suites.NewConfig(target))
	if v := violations(r); len(v) > 0 {
		t.Error(strings.Join(v, "\n"))
	}
	if r.ExitCode != 3 {
		t.Errorf("exit code %d: %s", r.ExitCode, r.Reason)
	}
	for _, c := range r.Results {
		if strings.HasPrefix(c.ID, "updateCampaign/success/") && c.Status != judge.NotTested {
			t.Errorf("%s %s: %s", c.ID, c.Status, c.Reason)
		}
	}
}

// TestProvisionIsTrustedLikeItsTarget: what is said of TLS is said of the target's
// host; another one has to have a certificate, and does not see the client's.
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
	certificate := server.TLS.Certificates
	for name, c := range reftest.FewOf(2, map[string]struct {
		host, problem string
		config        *tls.Config
		shown         bool
	}{
		"same host, insecure":  {"127.0.0.1", "", &tls.Config{InsecureSkipVerify: true}, false},
		"other host, insecure": {"localhost", "unknown authority", &tls.Config{InsecureSkipVerify: true}, false},
		"same host":            {"127.0.0.1", "", &tls.Config{RootCAs: roots, Certificates: certificate}, true},
		"other host":           {"localhost", "", &tls.Config{RootCAs: roots, Certificates: certificate}, false},
	}) {
		shown = 0
		target := serve(t, bundled(t))
		target.BaseURL = strings.Replace(target.BaseURL, "127.0.0.1", c.host, 1)
		target.Provision = &fixtures.Provision{Post: server.URL}
		config := suites.NewConfig(target)
		config.TLS = c.config
		r := execute(t, config)
		if failed := r.Stopped != ""; failed != (c.problem != "") || !strings.Contains(r.Stopped, c.problem) || (shown > 0) != c.shown {
			t.Errorf("%s: %q, client certificate shown: %t", name, r.Stopped, shown > 0)
		}
	}
}

// A provision that fails is told with what it said, and nothing is sent.
func TestAFailedProvisionIsInconclusive(t *testing.T) {
	reset := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "the database is locked", http.StatusServiceUnavailable)
	}))
	t.Cleanup(reset.Close)
	for said, p := range map[string]*fixtures.Provision{
		reset.URL + " answered 503 Service Unavailable: the database is locked": {Post: reset.URL},
		"/bin/sh: exit status 7: no such world": {
			Command: []string{"/bin/sh", "-c", "echo no such world >&2; exit 7"},
		},
	} {
		target := serve(t, bundled(t))
		target.Provision = p
		c := suites.NewConfig(target)
		c.AllowInconclusive = true
		r := execute(t, c)
		if r.Verdict != report.Inconclusive || r.ExitCode != report.ExitInconclusive || r.Requests > 0 || !strings.Contains(r.Reason, said) {
			t.Errorf("%s, exit code %d, %d requests: %q does not say %q", r.Verdict, r.ExitCode, r.Requests, r.Reason, said)
		}
	}
}
