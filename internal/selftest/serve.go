package selftest

import (
	"bytes"
	"context"
	"errors"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/wire"
)

// served is a running server, and the configuration of a run against it.
type served struct {
	config *suites.Config
	env    faults.Env
	stop   func() error // says whether the server panicked
}

// answerTime is how long an answer may take. A fault that lets requests hang
// costs that much for each. What conforms has the time that every target has: a
// machine that does much else is no reason to flag it.
const answerTime = 2 * time.Second

func (o *Options) serve(ctx context.Context, contract *spec.Contract, t trial) (*served, error) {
	world := fixtures.DefaultWorld()
	env := faults.NewEnv(contract, world)
	choices, as := reference.DefaultChoices(), t.server()
	if as.Choices != nil {
		as.Choices(&choices)
	}
	server, err := reference.New(reference.Options{World: world, Choices: choices})
	if err != nil {
		return nil, err
	}
	var handler http.Handler = server
	if as.Wrap != nil {
		handler = as.Wrap(handler, env)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, server.Close())
	}
	panics := &panicLog{}
	front := &http.Server{Handler: handler, ErrorLog: log.New(panics, "", 0)}
	go front.Serve(listener) //nolint:errcheck // until it is closed
	target := world.Target("http://" + listener.Addr().String() + reference.BasePath)
	if o.Target != nil {
		o.Target(target)
	}
	target.Open = as.Pins
	if t.fault != nil {
		target.Limits.Timeout = answerTime
	}
	c := suites.NewConfig(target)
	c.Depth = o.depth(t)
	c.Contract, c.Disabled, c.Select = contract, o.Disabled, o.Select
	return &served{c, env, func() error {
		front.Close()
		server.Close()
		return panics.err()
	}}, nil
}

// panicLog keeps what a server says of a panic: a fault or variant that panics
// is a defect of ours, which would pass for a lost answer. What it says of
// connections that faults break is dropped.
type panicLog struct {
	mu    sync.Mutex
	first string
}

// Write implements io.Writer.
func (l *panicLog) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.first == "" && bytes.HasPrefix(line, []byte("http: panic")) {
		l.first, _, _ = strings.Cut(string(line), "\n")
	}
	return len(line), nil
}

func (l *panicLog) err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.first == "" {
		return nil
	}
	return errors.New(l.first)
}

// evidence is which statuses each operation answered with, as the wire had them. It
// knows nothing of what the suite made of the answers.
type evidence struct {
	contract *spec.Contract
	mu       sync.Mutex
	statuses map[string]map[int]bool // by operation
}

// undeclared marks answers to other methods on the path of an operation, which show
// only that the server answers, does not fail, and says with a 405 what it has.
const undeclared = ", another method"

// record notes every exchange of a run.
func record(c *suites.Config) *evidence {
	e := &evidence{contract: c.Contract, statuses: map[string]map[int]bool{}}
	c.Record = func(ex *wire.Exchange) {
		if ex.Response == nil {
			return
		}
		id := ""
		for _, op := range e.contract.Operations {
			if _, fits := op.Match(ex.Request.Path); fits && op.Method == ex.Request.Method {
				id = op.ID
				break
			} else if fits {
				id = op.ID + undeclared
			}
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.statuses[id] == nil {
			e.statuses[id] = map[int]bool{}
		}
		e.statuses[id][ex.Response.Status] = true
	}
	return e
}

// unshown are the clauses that a report calls held for an operation of which no
// answer had a status that could show it.
func (e *evidence) unshown(r *report.Report) []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var lines []string
	for i := range r.Clauses {
		c := &r.Clauses[i]
		op, clause := e.contract.Operation(c.Operation), e.contract.Clause(c.ID)
		if c.Status != report.Held || op == nil {
			continue
		}
		shown := false
		for status := range e.statuses[op.ID] {
			shown = shown || clause.ShownBy(status)
		}
		for status := range e.statuses[op.ID+undeclared] {
			shown = shown || strings.HasPrefix(c.ID, "HTTP-") || c.ID == "OPEN-12" && clause.ShownBy(status)
		}
		if !shown {
			lines = append(lines, c.Subject()+" is called held, and no answer of the operation could show it")
		}
	}
	return lines
}
