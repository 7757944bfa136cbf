package suites_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
)

// Media files that a killed run used up cause no finding, nor does a container that it emptied and that then has
// no list.
func TestUsedUpMediaFilesAreNoFinding(t *testing.T) {
	notFoundWhenEmpty := func(_ *http.Request, answer *httptest.ResponseRecorder) {
		if answer.Code == http.StatusOK && strings.Contains(answer.Body.String(), `"totalCount":0`) {
			answer.Code, answer.Body = http.StatusNotFound, bytes.NewBufferString(errorBody(404))
		}
	}
	for _, c := range reftest.Few(2, []struct {
		files  []int64
		change func(*http.Request, *httptest.ResponseRecorder)
	}{
		{[]int64{241}, nil},
		{[]int64{242}, nil},
		{[]int64{241, 242}, nil},
		{[]int64{241, 242}, notFoundWhenEmpty},
		{[]int64{241}, notFoundWhenEmpty},
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
			r := httptest.NewRequest(http.MethodDelete, fmt.Sprintf("%s/creatives/%d", basePath, id), http.NoBody)
			r.Header.Set(target.Credentials.Header, target.Credentials.Owner)
			w := httptest.NewRecorder()
			if server.ServeHTTP(w, r); w.Code != http.StatusNoContent {
				t.Fatalf("%d: %d", id, w.Code)
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
	for key, id := range map[string]int64{
		"campaign": 2500, "connectionProfileRuleHost": 5600, "vastCreative": 2000, "disposableCreatives": 3010, "disposableVastCreatives": 2400,
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
		r := runOn(t, bundled(t), func(config *suites.Config) {
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
