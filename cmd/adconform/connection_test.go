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
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptCertificate writes name.pem and name.key, and both into name.both, signed by the
// certificate authority ca, which it makes first.
func scriptCertificate(ts *testscript.TestScript, _ bool, names []string) {
	var parent *x509.Certificate
	var signer *ecdsa.PrivateKey
	for _, name := range append([]string{"ca"}, names...) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		ts.Check(err)
		made := &x509.Certificate{
			SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
			NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
			IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, BasicConstraintsValid: true, IsCA: parent == nil,
			ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		}
		if parent == nil {
			parent, signer = made, key
		}
		der, err := x509.CreateCertificate(rand.Reader, made, parent, &key.PublicKey, signer)
		ts.Check(err)
		private, err := x509.MarshalPKCS8PrivateKey(key)
		ts.Check(err)
		certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
		keyPEM := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})
		for end, data := range map[string][]byte{".pem": certPEM, ".key": keyPEM, ".both": append(certPEM, keyPEM...)} {
			ts.Check(os.WriteFile(ts.MkAbs(name+end), data, 0o600))
		}
	}
}

// scriptFront listens at $FRONT with TLS, optionally requesting client certificates, and forwards
// all requests to $HOST.
func scriptFront(ts *testscript.TestScript, _ bool, args []string) {
	pair, err := tls.LoadX509KeyPair(ts.MkAbs("server.pem"), ts.MkAbs("server.key"))
	ts.Check(err)
	server := httptest.NewUnstartedServer(httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: ts.Getenv("HOST")}))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: x509.NewCertPool()}
	server.TLS.ClientCAs.AppendCertsFromPEM([]byte(ts.ReadFile("ca.pem")))
	if args[0] == "guarded" {
		server.TLS.ClientAuth = tls.RequireAndVerifyClientCert
	}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	ts.Setenv("FRONT", server.Listener.Addr().String())
	ts.Defer(server.Close)
}
