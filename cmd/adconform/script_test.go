package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites/report"
)

// TestScripts runs the scripts in testdata/script: command lines and their results.
// They have the commands of testscript and these:
//
//	adconform ARG…             exits with 0; with ! before it, with 1
//	exits CODE ARG…            adconform exits with another code
//	refuses ARG… => TEXT       adconform exits with 2 and prints nothing but one line on standard
//	                           error, which has the text; … in the text stands for anything
//	says TEXT…                 standard output has the texts, wherever its lines break
//	terminal N [<FILE] ARG…    adconform exits with 0 on a terminal of N columns, on which the lines
//	                           of FILE are typed; standard error has the text without colours
//	serve ARG…                 adconform serve at $URL, with target.yaml as its target file and
//	                           $KEY as its owner's key, until the end, or
//	interrupt                  which prints everything that the server wrote
//	answer STATUS [BODY]       starts a server that gives every request this answer, in place of serve
//	http METHOD PATH [BODY]    sends a request to $HOST, with $KEY, and prints the answer
//	replace OLD NEW FILE       replaces a text that the file has to contain; \n is the end of a line
//	certificates NAME…         writes ca.pem, and NAME.pem and NAME.key, signed by it; NAME.both has both
//	front tls|guarded          listens at $FRONT in front of $HOST; guarded asks for a certificate
//
// NAME=VALUE before the first ARG is a variable of one command line. $REPOSITORY is the root
// of the project. The program runs in the process of the test and in the folder of the script,
// so the scripts run in turn.
func TestScripts(t *testing.T) {
	root, err := filepath.Abs("../..")
	noError(t, err)
	testscript.RunT(inTurn{t}, testscript.Params{
		Dir: "testdata/script", RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("REPOSITORY", root)
			env.Values["background"] = new(inBackground)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"adconform": func(ts *testscript.TestScript, neg bool, args []string) {
				exits(ts, map[bool]int{true: report.ExitNonconforming}[neg], args)
			},
			"exits": func(ts *testscript.TestScript, _ bool, args []string) {
				code, err := strconv.Atoi(args[0])
				ts.Check(err)
				exits(ts, code, args[1:])
			},
			"refuses": scriptRefuses, "says": scriptSays, "serve": scriptServe, "interrupt": scriptInterrupt,
			"answer": scriptAnswer, "http": scriptHTTP, "replace": scriptReplace,
			"terminal": scriptTerminal, "certificates": scriptCertificate, "front": scriptFront,
		},
	})
}

// An inTurn is a test whose parts run one after another.
type inTurn struct{ *testing.T }

func (inTurn) Parallel()     {}
func (inTurn) Verbose() bool { return testing.Verbose() }
func (t inTurn) Run(name string, part func(testscript.T)) {
	t.T.Run(name, func(t *testing.T) { part(inTurn{t}) })
}

// variables returns the variables of a script and those that begin a command line.
func variables(ts *testscript.TestScript, args []string) (env func(string) (string, bool), rest []string) {
	own := map[string]string{}
	for ; len(args) > 0; args = args[1:] {
		name, value, ok := strings.Cut(args[0], "=")
		if !ok || strings.HasPrefix(name, "-") {
			break
		}
		own[name] = value
	}
	return func(name string) (string, bool) {
		if value, ok := own[name]; ok {
			return value, true
		}
		value := ts.Getenv(name)
		return value, value != ""
	}, args
}

// inFolder calls a function in the folder of a script.
func inFolder(ts *testscript.TestScript, do func()) {
	before, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	defer func() { ts.Check(os.Chdir(before)) }()
	do()
}

// scripted runs a command line, and keeps its output for the script.
func scripted(ts *testscript.TestScript, args []string) (code int, stdout, stderr string) {
	env, rest := variables(ts, args)
	out, errs := newBuffer(), newBuffer()
	inFolder(ts, func() {
		code = (&app{
			Stdout: out, Stderr: errs, Env: env, Variables: args[:len(args)-len(rest)], Interrupts: make(chan os.Signal), Exit: func(int) {},
		}).run(rest)
	})
	stdout, stderr = out.String(), errs.String()
	fmt.Fprint(ts.Stdout(), stdout)
	fmt.Fprint(ts.Stderr(), stderr)
	return code, stdout, stderr
}

func exits(ts *testscript.TestScript, want int, args []string) {
	if code, _, _ := scripted(ts, args); code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

var sgr = regexp.MustCompile(`\x1b\[[0-9;]*m`)

func scriptTerminal(ts *testscript.TestScript, neg bool, args []string) {
	columns, err := strconv.Atoi(args[0])
	ts.Check(err)
	env, args := variables(ts, args[1:])
	typed := ""
	if file, ok := strings.CutPrefix(args[0], "<"); ok {
		typed, args = strings.ReplaceAll(ts.ReadFile(file), "^D", "\x04"), args[1:]
	}
	inFolder(ts, func() {
		code, shown, err := onTerminal(uint16(columns), typed, env, args)
		ts.Check(err)
		fmt.Fprint(ts.Stdout(), shown)
		fmt.Fprint(ts.Stderr(), sgr.ReplaceAllString(shown, ""))
		if (code == 0) == neg {
			ts.Fatalf("exit code %d", code)
		}
	})
}

func scriptRefuses(ts *testscript.TestScript, _ bool, args []string) {
	end := slices.Index(args, "=>")
	if end < 0 {
		ts.Fatalf("usage: refuses ARG… => TEXT")
	}
	code, stdout, stderr := scripted(ts, args[:end])
	if code != report.ExitUsage || stdout != "" || !strings.HasPrefix(stderr, "adconform: ") || strings.Count(stderr, "\n") != 1 {
		ts.Fatalf("exit code %d, or not one line on standard error alone", code)
	}
	for part := range strings.SplitSeq(strings.Join(args[end+1:], " "), "…") {
		_, rest, ok := strings.Cut(stderr, part)
		if !ok {
			ts.Fatalf("%q is missing", part)
		}
		stderr = rest
	}
}

// flat returns a text without its line breaks, as a port of five digits may move one.
func flat(text string) string { return strings.Join(strings.Fields(text), "") }

func scriptSays(ts *testscript.TestScript, neg bool, args []string) {
	said := ts.ReadFile("stdout")
	for _, text := range args {
		if strings.Contains(flat(said), flat(text)) == neg {
			ts.Fatalf("%q is in standard output: %t", text, neg)
		}
	}
}

// inBackground holds the server that a script has left running.
type inBackground struct {
	interrupt      func() // nil if nothing runs
	stdout, stderr *buffer
}

func scriptServe(ts *testscript.TestScript, _ bool, args []string) {
	env, args := variables(ts, args)
	interrupts, ended := make(chan os.Signal), make(chan int, 1)
	b := ts.Value("background").(*inBackground)
	b.stdout, b.stderr = newBuffer(), newBuffer()
	a := &app{Stdout: b.stdout, Stderr: b.stderr, Env: env, Interrupts: interrupts, Exit: func(int) {}}
	inFolder(ts, func() {
		go func() {
			ended <- a.run(append([]string{"serve", "--addr", "127.0.0.1:0", "--write-target", "target.yaml"}, args...))
		}()
		for !strings.Contains(b.stdout.String(), "test it") {
			select {
			case code := <-ended:
				ts.Fatalf("exit code %d: %s", code, b.stderr)
			case <-b.stdout.seen:
			}
		}
	})
	fmt.Fprint(ts.Stdout(), b.stdout)
	target, err := fixtures.Load(ts.MkAbs("target.yaml"), env)
	ts.Check(err)
	tell(ts, target)
	b.interrupt = sync.OnceFunc(func() {
		http.DefaultClient.CloseIdleConnections()
		interrupts <- os.Interrupt
		if code := <-ended; code != 0 {
			ts.Fatalf("exit code %d: %s", code, b.stderr)
		}
	})
	ts.Defer(b.interrupt)
}

// tell sets the variables of the script that describe its server.
func tell(ts *testscript.TestScript, target *fixtures.Target) {
	base, err := url.Parse(target.BaseURL)
	ts.Check(err)
	ts.Setenv("URL", target.BaseURL)
	ts.Setenv("HOST", base.Host)
	ts.Setenv("KEY", target.Credentials.Owner)
}

func scriptInterrupt(ts *testscript.TestScript, _ bool, _ []string) {
	b := ts.Value("background").(*inBackground)
	b.interrupt()
	fmt.Fprint(ts.Stdout(), b.stdout)
	fmt.Fprint(ts.Stderr(), b.stderr)
}

func scriptAnswer(ts *testscript.TestScript, _ bool, args []string) {
	status, err := strconv.Atoi(args[0])
	ts.Check(err)
	body := append(args[1:], "{}")[0]
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		io.WriteString(w, body)
	}))
	ts.Defer(server.Close)
	target := fixtures.DefaultWorld().Target(server.URL)
	tell(ts, target)
	ts.Check(writeTarget(ts.MkAbs("target.yaml"), target))
}

func scriptHTTP(ts *testscript.TestScript, _ bool, args []string) {
	r, err := http.NewRequest(args[0], "http://"+ts.Getenv("HOST")+args[1], strings.NewReader(strings.Join(args[2:], " ")))
	ts.Check(err)
	r.Header.Set("Origin", "http://localhost:3000")
	r.Header.Set(fixtures.DefaultKeyHeader, ts.Getenv("KEY"))
	response, err := http.DefaultClient.Do(r)
	ts.Check(err)
	defer response.Body.Close()
	ts.Check(response.Write(ts.Stdout()))
}

func scriptReplace(ts *testscript.TestScript, _ bool, args []string) {
	lines := strings.NewReplacer(`\n`, "\n")
	before, with, file := lines.Replace(args[0]), lines.Replace(args[1]), args[2]
	text := ts.ReadFile(file)
	if !strings.Contains(text, before) {
		ts.Fatalf("%q is not in %s", before, file)
	}
	ts.Check(os.WriteFile(ts.MkAbs(file), []byte(strings.ReplaceAll(text, before, with)), 0o600))
}

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
