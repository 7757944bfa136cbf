package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites/report"
)

// authority signs certificates, in PEM files of a folder.
type authority struct {
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	a := &authority{dir: t.TempDir()}
	a.issue(t, "ca")
	return a
}

func (a *authority) file(name string) string { return filepath.Join(a.dir, name) }

// issue writes name.pem and name.key, signed by the authority, whose own they are
// when it has none.
func (a *authority) issue(t *testing.T, name string) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	noError(t, err)
	made := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter:    time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"target.example"}, BasicConstraintsValid: true, IsCA: a.cert == nil,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = made, key
	}
	der, err := x509.CreateCertificate(rand.Reader, made, parent, &key.PublicKey, signer)
	noError(t, err)
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	noError(t, err)
	if a.cert == nil {
		a.key = key
		if a.cert, err = x509.ParseCertificate(der); err != nil {
			t.Fatal(err)
		}
	}
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})
	write(t, a.file(name+".pem"), string(certPEM))
	write(t, a.file(name+".key"), string(keyPEM))
	write(t, a.file(name+".both"), string(keyPEM)+string(certPEM))
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	noError(t, err)
	return pair
}

// serveTLS serves the bundled reference with a certificate of the authority.
func (a *authority) serveTLS(t *testing.T, clients tls.ClientAuthType) (baseURL string) {
	t.Helper()
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	server := httptest.NewUnstartedServer(startedReference(t))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{a.issue(t, "server")}, ClientAuth: clients, ClientCAs: pool}
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.URL
}

func TestWhomToTrustAndWhoToBe(t *testing.T) {
	a := newAuthority(t)
	a.issue(t, "client")
	const open, guarded = tls.NoClientCert, tls.RequireAndVerifyClientCert
	for name, c := range map[string]struct {
		clients tls.ClientAuthType
		args    string
		code    int
		want    string
	}{
		"nobody is trusted":       {open, "", report.ExitInconclusive, "(--ca FILE), and does it"},
		"its authority is":        {open, "--ca ca.pem", 0, ""},
		"another is":              {open, "--ca client.pem", report.ExitInconclusive, "does not answer: tls: "},
		"no client certificate":   {guarded, "--ca ca.pem", report.ExitInconclusive, "does not answer: "},
		"a client certificate":    {guarded, "--ca ca.pem --cert client.pem --key client.key", 0, ""},
		"with its key in a file":  {guarded, "--ca ca.pem --cert client.both", 0, ""},
		"nothing is checked":      {guarded, "--insecure --cert client.both", 0, ""},
		"by variables of its own": {open, "", 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			env := map[string]string{}
			if c.code == 0 && c.args == "" {
				env["ADCONFORM_CA"] = a.file("ca.pem")
			}
			args := briefly("--case updateCampaign/401/no-key",
				"run", "--quiet", "--depth", "quick", targetOf(t, a.serveTLS(t, c.clients)))
			for _, word := range strings.Fields(c.args) {
				if !strings.HasPrefix(word, "--") {
					word = a.file(word)
				}
				args = append(args, word)
			}
			code, stdout, stderr := run(t, env, args...)
			if code != c.code || !strings.Contains(stderr, c.want) {
				t.Errorf("exit code %d, want %d\n%s%s", code, c.code, stdout, stderr)
			}
		})
	}
}

func TestInsecureIsSaidEverywhere(t *testing.T) {
	target := targetOf(t, newAuthority(t).serveTLS(t, tls.NoClientCert))
	dir := t.TempDir()
	code, stdout, stderr := run(t, nil,
		briefly("--case updateCampaign/401/no-key", "run", "--depth", "quick", target, "--insecure", "--report", dir)...)
	if code != 0 || !strings.HasPrefix(stderr, "adconform: INSECURE: ") || !strings.Contains(stdout, "\nINSECURE: ") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if r := readReport(t, dir); !r.Insecure {
		t.Error("report.json does not say it")
	}
	if junit := mustRead(t, filepath.Join(dir, "junit.xml")); !strings.Contains(junit, `<property name="insecure" value="INSECURE: `) {
		t.Error("junit.xml does not say it")
	}
	_, stdout, stderr = run(t, nil, briefly("--case updateCampaign/401/no-key", "run", "--depth", "quick")...)
	if strings.Contains(stdout+stderr, "INSECURE") {
		t.Error("said without --insecure")
	}
}

func TestBadConnectionFilesAreOneClearLine(t *testing.T) {
	a := newAuthority(t)
	a.issue(t, "one")
	a.issue(t, "other")
	write(t, a.file("text"), "not PEM")
	write(t, a.file("empty"), "")
	write(t, a.file("locked"), string(pem.EncodeToMemory(&pem.Block{Type: "ENCRYPTED PRIVATE KEY", Bytes: []byte("x")})))
	write(t, a.file("broken.pem"), string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("x")})))
	for args, want := range map[string]string{
		"--ca nowhere":                    "--ca nowhere: no such file or directory",
		"--ca text":                       "--ca text: has no certificate in PEM form",
		"--ca empty":                      "--ca empty: has no certificate",
		"--ca one.key":                    "--ca one.key: has no certificate",
		"--ca broken.pem":                 "--ca broken.pem: has no certificate",
		"--ca .":                          "--ca .: is a directory",
		"--cert nowhere":                  "--cert nowhere: open nowhere: no such file",
		"--cert one.pem":                  "--cert one.pem: tls: found a certificate rather than a key",
		"--cert text --key one.key":       "--cert text: tls: failed to find any PEM data in certificate input",
		"--cert one.pem --key nowhere":    "--cert one.pem: open nowhere: no such file",
		"--cert one.pem --key text":       "--cert one.pem: tls: failed to find any PEM data in key input",
		"--cert one.pem --key locked":     "--cert one.pem: tls: failed to parse private key; it wants",
		"--cert one.pem --key other.key":  "--cert one.pem: tls: private key does not match public key",
		"--cert broken.pem --key one.key": "--cert broken.pem: ",
		"--key one.key":                   "--key needs --cert",
		"--insecure --ca ca.pem":          "--insecure checks no certificate, so --ca has no effect",
	} {
		t.Run(args, func(t *testing.T) {
			t.Chdir(a.dir)
			refuses(t, nil, append([]string{"run"}, strings.Fields(args)...), "adconform: "+want)
		})
	}
}

func TestATargetBehindASocket(t *testing.T) {
	dir, err := os.MkdirTemp("", "adconform") // t.TempDir may be too long for a socket
	noError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s.sock")
	missing := "unix://" + filepath.Join(dir, "none.sock") + ":" + basePath
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Skip(err)
	}
	var requests atomic.Int64
	reference := http.StripPrefix(basePath, startedReference(t))
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		reference.ServeHTTP(w, r)
	})}
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })
	baseURL := "unix://" + socket + ":" + basePath
	whole := briefly("--case updateCampaign/401/no-key", "run", targetOf(t, baseURL))
	if code, stdout, stderr := run(t, nil, whole...); code != 0 || !strings.Contains(stdout, baseURL) {
		t.Errorf("target file: exit code %d\n%s%s", code, stdout, stderr)
	}
	keys := map[string]string{fixtures.OwnerVariable: "abcdefgh12"}
	before := requests.Load()
	if _, _, stderr := run(t, keys, "run", "--depth", "quick", baseURL); requests.Load() == before ||
		strings.Contains(stderr, "does not answer") {
		t.Errorf("URL: nothing came there: %s", stderr)
	}
	for _, target := range []string{missing, targetOf(t, missing)} {
		code, stdout, stderr := run(t, keys, "run", "--quiet", target)
		if code != report.ExitInconclusive || stdout != "" || strings.Count(stderr, "\n") != 1 ||
			!strings.Contains(stderr, missing+" does not answer: refused: nothing listens there: dial unix ") {
			t.Errorf("missing socket: exit code %d, %q%q", code, stdout, stderr)
		}
	}
}
