package selftest

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/adconform/adconform/docs/dialects"
	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/engine"
	"github.com/adconform/adconform/internal/faults"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// served is a running server with the configuration of a run on it.
type served struct {
	config *engine.Config
	stop   func() error // returns an error if the server panicked
}

func (o *Options) serve(ctx context.Context, t *faults.Server) (*served, error) {
	contract, err := contractOf(t)
	if err != nil {
		return nil, err
	}
	world := fixtures.DefaultWorld()
	server, err := reference.New(reference.Options{World: world, Choices: faults.Choices(*t)})
	if err != nil {
		return nil, err
	}
	env := faults.Env{Contract: spec.Load(), World: world}
	handler := env.Around(server, *t)
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, server.Close())
	}
	panicked := new(logged)
	front := &http.Server{Handler: handler, ErrorLog: log.New(panicked, "", 0)}
	scheme := "http"
	if t.HTTP2 {
		scheme = "https"
		certificates := loopbackTLS().TLS.Certificates
		front.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: certificates}
		go front.ServeTLS(listener, "", "") //nolint:errcheck // until it is closed
	} else {
		go front.Serve(listener) //nolint:errcheck // until it is closed
	}
	target := world.Target(scheme + "://" + listener.Addr().String() + reference.BasePath)
	if o.Target != nil {
		o.Target(target)
	}
	env.Target(target, *t)
	if faults.Choices(*t).KeyUses > 0 {
		renewKeys(target, server)
	}
	if t.Clause != "" { // each request that hangs costs that much; a variant is not flagged because the machine is busy
		target.Limits.Timeout = 2 * time.Second
	}
	stop := func() error {
		front.Close()
		server.Close()
		if why := panicked.Load(); why != nil {
			return fmt.Errorf("the server panicked: %s", *why)
		}
		return nil
	}
	return &served{o.config(t, target, contract), stop}, nil
}

// config returns the configuration of a run on a server.
func (o *Options) config(t *faults.Server, target *fixtures.Target, contract *spec.Contract) *engine.Config {
	c := engine.NewConfig(target)
	c.Contract = contract
	c.Depth = o.depth(t)
	c.Seed = cmp.Or(o.Seed, engine.DefaultSeed)
	c.Disabled = o.Disabled
	c.Select = o.Select
	if t.Clause == "" {
		c.Drawn = 300
	} else { // a fault that shows an old state does so for good
		c.ReadDelay = 200 * time.Millisecond
	}
	if t.HTTP2 {
		authorities := x509.NewCertPool()
		authorities.AddCert(loopbackTLS().Certificate())
		c.TLS = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: authorities}
	}
	return c
}

// loopbackTLS returns a closed server whose certificate is valid for 127.0.0.1.
var loopbackTLS = sync.OnceValue(func() *httptest.Server {
	server := httptest.NewTLSServer(nil)
	server.Close()
	return server
})

// contractOf returns the contract with which a server is judged.
func contractOf(t *faults.Server) (*spec.Contract, error) {
	if t.Dialect == nil {
		return spec.Load(), nil
	}
	return dialects.Contract(t.Dialect.Overlays)
}

// renewKeys makes a target file say where the next keys of its users come from.
func renewKeys(target *fixtures.Target, server *reference.Server) {
	next := func(key string) fixtures.Renew {
		return func(context.Context) (string, error) { return server.Token(key) }
	}
	c := &target.Credentials
	c.Renew = map[string]fixtures.Renew{"owner": next(c.Owner), "stranger": next(c.Stranger)}
}

// logged keeps the line of a server's log that says why a fault or variant panicked, a defect of ours that would look
// like a lost answer. net/http logs no http.ErrAbortHandler, with which faults end a connection.
type logged struct{ atomic.Pointer[string] }

// Write implements io.Writer.
func (l *logged) Write(line []byte) (int, error) {
	_, from, hasPanicked := strings.Cut(string(line), "panic serving ")
	if hasPanicked { // an address: the reason, then the stack
		_, why, _ := strings.Cut(from, ": ")
		why, _, _ = strings.Cut(why, "\n")
		l.Store(&why)
	}
	return len(line), nil
}

// answered is a status with which an operation's path answered the declared method, or another one.
type answered struct {
	operation string
	declared  bool
	status    int
}

// evidence holds the answers on the wire, independent of the suite's judgement.
type evidence struct{ seen sync.Map }

// record collects the evidence of a run.
func record(c *engine.Config) *evidence {
	e := new(evidence)
	c.Record = func(ex *wire.Exchange) {
		if ex.Response == nil {
			return
		}
		for _, op := range spec.Load().Operations {
			if _, isPath := op.Match(plainPath(ex.Request.Path)); isPath {
				isDeclared := op.Method == ex.Request.Method
				e.seen.Store(answered{op.ID, isDeclared, ex.Response.Status}, true)
			}
		}
	}
	return e
}

// additions are what forms of a path add to one of its segments: a parameter, or a suffix.
var additions = regexp.MustCompile(`(;[^/]*|\.[a-z]+)(/|$)`)

// plainPath returns the plain form of the path of a request, which arrays send in any form.
func plainPath(target string) string {
	written, _, _ := strings.Cut(target, "?")
	if decoded, err := url.PathUnescape(written); err == nil {
		written = decoded
	}
	return path.Clean(additions.ReplaceAllString(strings.ToLower(written), "$2"))
}

// unshownClauses lists the clauses that a report calls held for an operation though no answer had a status that could
// show them.
func (e *evidence) unshownClauses(r *report.Report) (lines []string) {
	for i := range r.Clauses {
		c := &r.Clauses[i]
		isOfOperation := spec.Load().Operation(c.Operation) != nil
		if c.Status == report.Held && isOfOperation && !e.shows(c.ID, c.Operation) {
			lines = append(lines, c.Subject()+" is reported as held, but no answer of the operation could show it")
		}
	}
	return lines
}

// shows reports whether an answer could show a clause of an operation.
func (e *evidence) shows(id, operation string) bool {
	clause := spec.Load().Clause(id)
	for a := range e.seen.Range {
		a := a.(answered)
		if a.operation == operation && a.mayShow(clause) {
			return true
		}
	}
	return false
}

// mayShow reports whether an answer could show a clause. An answer to another method shows only that the server
// answers, does not fail, and has an Allow in a 405.
func (a answered) mayShow(clause *spec.Clause) bool {
	if !a.declared && clause.ID != "OPEN-12" {
		return strings.HasPrefix(clause.ID, "HTTP-")
	}
	return clause.ShownBy(a.status)
}
