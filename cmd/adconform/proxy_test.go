//go:build unix

package main

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/adconform/adconform/suites/report"
)

// tunnelling is a proxy that tunnels every CONNECT to one address, if it is not
// to refuse, and counts them.
func tunnelling(t *testing.T, to string, refuse bool) (address string, tunnels *atomic.Int64) {
	t.Helper()
	tunnels = new(atomic.Int64)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	tunnel := func(conn net.Conn) {
		defer conn.Close()
		in := bufio.NewReader(conn)
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		if r.Method != http.MethodConnect || r.Host != "target.example:443" || refuse {
			io.WriteString(conn, "HTTP/1.1 407 "+r.Header.Get("Proxy-Authorization")+"\r\n\r\n")
			return
		}
		target, err := net.Dial("tcp", to)
		if err != nil {
			return
		}
		defer target.Close()
		tunnels.Add(1)
		io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n")
		go func() {
			io.Copy(target, in)
			target.Close()
		}()
		io.Copy(conn, target)
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go tunnel(conn)
		}
	}()
	return listener.Addr().String(), tunnels
}

// No proxy is used for loopback addresses, so the target has a name that only
// the proxy knows.
func TestARunThroughTheProxyOfTheEnvironment(t *testing.T) {
	a := newAuthority(t)
	to := strings.TrimPrefix(a.serveTLS(t, tls.NoClientCert), "https://")
	target := targetOf(t, "https://target.example")
	for name, refuse := range map[string]bool{"it tunnels": false, "it refuses": true} {
		t.Run(name, func(t *testing.T) {
			address, tunnels := tunnelling(t, to, refuse)
			cmd, stdout, stderr := program(t, briefly("--case updateCampaign/401/no-key",
				"run", "--quiet", "--depth", "quick", "--target", target, "--ca", a.file("ca.pem"))...)
			cmd.Env = append(cmd.Env, "HTTPS_PROXY=http://me:pass-word-77@"+address, "https_proxy=", "NO_PROXY=", "no_proxy=")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			cmd.Wait()
			code := cmd.ProcessState.ExitCode()
			if !refuse && (code != report.ExitConforming || tunnels.Load() == 0) {
				t.Errorf("exit code %d, %d tunnels\n%s%s", code, tunnels.Load(), stdout, stderr)
			}
			if refuse && (code != report.ExitInconclusive ||
				!strings.Contains(stderr.String(), "does not answer: proxy: it answered CONNECT with 407")) {
				t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
			}
			if shown := stdout.String() + stderr.String(); strings.Contains(shown, "pass-word-77") ||
				strings.Contains(shown, "bWU6cGFzcy13b3JkLTc3") {
				t.Errorf("the password of the proxy is in %s", shown)
			}
		})
	}
}
