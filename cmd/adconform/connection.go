package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/adconform/adconform/internal/files"
	"github.com/adconform/adconform/suites"
)

// connection are the flags that say whom to trust and who to be at the target.
// Proxies come from HTTPS_PROXY, HTTP_PROXY and NO_PROXY.
type connection struct {
	ca, cert, key string // PEM files
	Insecure      bool
}

// AddConnection adds whom to trust and who to be at the target.
func (o *connection) AddConnection(f *pflag.FlagSet) {
	f.StringVar(&o.ca, "ca", "", "PEM `file` of certificate authorities to trust beside the system's")
	f.StringVar(&o.cert, "cert", "", "PEM `file` of the client certificate, with its chain")
	f.StringVar(&o.key, "key", "", "PEM `file` of its private key; default: the file of --cert")
	f.BoolVar(&o.Insecure, "insecure", false, "do not check the target's certificate; every report says so")
}

// apply reads the files. An error is one line with flag and file.
func (o *connection) apply(c *suites.Config) error {
	switch {
	case o.key != "" && o.cert == "":
		return errors.New("--key needs --cert: the certificate that the private key belongs to")
	case o.Insecure && o.ca != "":
		return errors.New("--insecure checks no certificate, so --ca has no effect: leave one of them out")
	case *o == connection{}:
		return nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: o.Insecure}
	if o.ca != "" {
		pool, err := o.authorities()
		if err != nil {
			return err
		}
		config.RootCAs = pool
	}
	if o.cert != "" {
		pair, err := o.keyPair()
		if err != nil {
			return err
		}
		config.Certificates = []tls.Certificate{pair}
	}
	c.TLS = config
	return nil
}

// authorities are the system's, where it has any, and those of the file.
func (o *connection) authorities() (*x509.CertPool, error) {
	data, err := readFlagFile("--ca", o.ca)
	if err != nil {
		return nil, err
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(data) {
		return nil, fmt.Errorf("--ca %s: has no certificate in PEM form (-----BEGIN CERTIFICATE-----)", o.ca)
	}
	return pool, nil
}

func (o *connection) keyPair() (pair tls.Certificate, err error) {
	certificate, err := readFlagFile("--cert", o.cert)
	if err != nil {
		return pair, err
	}
	flag, file, key := "--cert", o.cert, certificate
	if o.key != "" {
		flag, file = "--key", o.key
		if key, err = readFlagFile(flag, file); err != nil {
			return pair, err
		}
	}
	hasCertificate, _ := blocks(certificate, "CERTIFICATE")
	hasKey, locked := blocks(key, "PRIVATE KEY")
	switch {
	case !hasCertificate:
		return pair, fmt.Errorf("--cert %s: has no certificate in PEM form (-----BEGIN CERTIFICATE-----)", o.cert)
	case !hasKey && o.key == "":
		return pair, fmt.Errorf("--cert %s: has no private key beside the certificate; name the file of the key by --key", o.cert)
	case !hasKey:
		return pair, fmt.Errorf("--key %s: has no private key in PEM form (-----BEGIN PRIVATE KEY-----)", o.key)
	case locked:
		return pair, fmt.Errorf("%s %s: the private key is encrypted; give one without passphrase (openssl pkey -in FILE -out FILE)", flag, file)
	}
	pair, err = tls.X509KeyPair(certificate, key)
	switch {
	case err != nil && strings.Contains(err.Error(), "does not match"):
		return pair, fmt.Errorf("%s %s: the private key is not that of the certificate in %s", flag, file, o.cert)
	case err != nil:
		return pair, fmt.Errorf("%s %s: %w", flag, file, err)
	}
	return pair, nil
}

// blocks says whether PEM data hold a block of a kind, and whether the first of
// these is encrypted.
func blocks(data []byte, kind string) (found, encrypted bool) {
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		if strings.HasSuffix(block.Type, kind) {
			return true, strings.HasPrefix(block.Type, "ENCRYPTED") || strings.Contains(block.Headers["Proc-Type"], "ENCRYPTED")
		}
	}
	return false, false
}

func readFlagFile(flag, file string) ([]byte, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", flag, file, files.WithoutPath(err))
	}
	return data, nil
}
