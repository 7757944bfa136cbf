package suites_test

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
)

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
