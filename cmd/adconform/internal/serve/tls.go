package serve

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"regexp"
	"time"

	"github.com/spf13/pflag"

	"github.com/adconform/adconform/internal/files"
	"github.com/adconform/adconform/suites/report"
)

// TLS are the flags of TLS.
type TLS struct {
	on bool
	ca string
}

// AddFlags adds --tls and --write-ca.
func (o *TLS) AddFlags(f *pflag.FlagSet) {
	f.BoolVar(&o.on, "tls", false, "serve HTTPS with a certificate made at the start")
	f.StringVar(&o.ca, "write-ca", "", "write the certificate of the authority that signed it to a `file`, for run --ca or curl --cacert")
}

// Listen opens the port that a flag names, with TLS if it is wanted; see secure.
func (o *TLS) Listen(ctx context.Context, flag, address string, protocols ...string) (l net.Listener, scheme string, err error) {
	plain, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, "", fmt.Errorf("%s %s: %w; give another address, such as 127.0.0.1:0 for a free port", flag, address, err)
	}
	if l, scheme, err = o.secure(plain, protocols...); err != nil {
		plain.Close()
	}
	return l, scheme, err
}

// secure puts TLS on a listener if it is wanted, and writes the CA's file.
// Protocols are those to offer (ALPN); none is HTTP/1.1.
func (o *TLS) secure(l net.Listener, protocols ...string) (secured net.Listener, scheme string, err error) {
	switch {
	case !o.on && o.ca != "":
		return nil, "", errors.New("--write-ca: there is no certificate without --tls; add --tls")
	case !o.on:
		return l, "http", nil
	}
	certificate, ca, err := makeCertificate(l.Addr(), time.Now())
	if err != nil {
		return nil, "", fmt.Errorf("--tls: no certificate could be made: %w", err)
	}
	if o.ca != "" {
		if err := ownAuthority(o.ca); err != nil {
			return nil, "", fmt.Errorf("--write-ca: %w", err)
		}
		err := files.Write(o.ca, 0o644, func(w io.Writer) error {
			return pem.Encode(w, &pem.Block{Type: "CERTIFICATE", Bytes: ca})
		})
		if err != nil {
			return nil, "", fmt.Errorf("--write-ca %w", err)
		}
	}
	config := &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12, NextProtos: protocols}
	return tls.NewListener(l, config), "https", nil
}

// ownAuthority finds out whether a file may be written that is there already: when it
// holds the authority of an earlier server.
func ownAuthority(path string) error {
	mark := regexp.MustCompile(`\A-----BEGIN CERTIFICATE-----`)
	if err := report.CheckOwn(path, mark); err != nil {
		return err
	}
	data, _ := os.ReadFile(path) // what cannot be read is told above
	block, _ := pem.Decode(data)
	if block == nil {
		return nil // there is none
	}
	if c, err := x509.ParseCertificate(block.Bytes); err != nil || c.Subject.CommonName != authorityName {
		return fmt.Errorf("%s holds a certificate that adconform did not make; name another file, or move it away", path)
	}
	return nil
}

// authorityName is in the certificate of each authority.
const authorityName = "adconform serve, authority of one run"

// certificateLife is how long a server may run with its certificate.
const certificateLife = 30 * 24 * time.Hour

// makeCertificate makes an authority and a server certificate that it signs. The
// authority's key is thrown away: nothing else will ever be signed by it.
func makeCertificate(addr net.Addr, now time.Time) (server tls.Certificate, ca []byte, err error) {
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return server, nil, err
	}
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()),
		Subject:      pkix.Name{CommonName: authorityName},
		NotBefore:    now.Add(-time.Hour), NotAfter: now.Add(certificateLife),
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	if ca, err = x509.CreateCertificate(rand.Reader, authority, authority, &caKey.PublicKey, caKey); err != nil {
		return server, nil, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return server, nil, err
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano() + 1),
		Subject:      pkix.Name{CommonName: "adconform serve"},
		NotBefore:    authority.NotBefore, NotAfter: authority.NotAfter,
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	leaf.DNSNames, leaf.IPAddresses = certified(addr)
	der, err := x509.CreateCertificate(rand.Reader, leaf, authority, &key.PublicKey, caKey)
	return tls.Certificate{Certificate: [][]byte{der, ca}, PrivateKey: key}, ca, err
}

// certified are the names and addresses under which a listener is reached: the
// loopback, its own address, and on all addresses the machine's name too.
func certified(addr net.Addr) (names []string, ips []net.IP) {
	names, ips = []string{"localhost"}, []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	tcp, ok := addr.(*net.TCPAddr)
	switch {
	case !ok:
	case !tcp.IP.IsUnspecified():
		ips = append(ips, tcp.IP)
	default:
		if host, err := os.Hostname(); err == nil {
			names = append(names, host)
		}
		addresses, _ := net.InterfaceAddrs() // without them the loopback still works
		for _, a := range addresses {
			if network, ok := a.(*net.IPNet); ok {
				ips = append(ips, network.IP)
			}
		}
	}
	return names, ips
}

// curl is the option that makes curl trust the server.
func (o *TLS) curl() string {
	switch {
	case o.ca != "":
		return " --cacert " + shellQuote(o.ca)
	case o.on:
		return " --insecure"
	}
	return ""
}

// runFlag is the flag that makes adconform run trust the server.
func (o *TLS) runFlag() string {
	if o.ca == "" {
		return ""
	}
	return " --ca " + shellQuote(o.ca)
}
