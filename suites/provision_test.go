package suites_test

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites"
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
	for name, c := range map[string]struct {
		host, problem string
		config        *tls.Config
		shown         bool
	}{
		"same host, insecure":  {"127.0.0.1", "", &tls.Config{InsecureSkipVerify: true}, false},
		"other host, insecure": {"localhost", "unknown authority", &tls.Config{InsecureSkipVerify: true}, false},
		"same host":            {"127.0.0.1", "", &tls.Config{RootCAs: roots, Certificates: certificate}, true},
		"other host":           {"localhost", "", &tls.Config{RootCAs: roots, Certificates: certificate}, false},
	} {
		shown = 0
		target := serve(t, bundled(t))
		target.BaseURL = strings.Replace(target.BaseURL, "127.0.0.1", c.host, 1)
		target.Provision = &fixtures.Provision{Post: server.URL}
		config := suites.NewConfig(target)
		config.TLS = c.config
		run, err := suites.Start(t.Context(), config)
		if err == nil {
			run.Report()
		}
		if c.problem == "" && err != nil || c.problem != "" && (err == nil || !strings.Contains(err.Error(), c.problem)) || (shown > 0) != c.shown {
			t.Errorf("%s: %v, client certificate shown: %t", name, err, shown > 0)
		}
	}
}
