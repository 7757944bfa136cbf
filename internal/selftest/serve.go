package selftest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
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
)

// trial is a fault or a variant, one of the two; with neither it is the reference as it
// is.
type trial struct {
	fault   *faults.Fault
	variant *faults.Variant
}

// server is what the trial serves.
func (t trial) server() faults.Server {
	switch {
	case t.fault != nil:
		return t.fault.Server
	case t.variant != nil:
		return t.variant.Server
	}
	return faults.Server{ID: "reference"}
}

func (t trial) id() string { return t.server().ID }

// named is an error with the trial in which it came up.
func (t trial) named(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", t.id(), err)
}

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
	panics := &panicLog{}
	url, stop, err := listen(handler, panics)
	if err != nil {
		return nil, errors.Join(err, server.Close())
	}
	target := world.Target(url + reference.BasePath)
	if o.Target != nil {
		o.Target(target)
	}
	target.Open, target.Limits.Concurrency = as.Pins, o.Workers
	if t.fault != nil {
		target.Limits.Timeout = answerTime
	}
	c := suites.NewConfig(target)
	c.Depth = o.depth(t)
	c.Contract, c.Disabled, c.Select = contract, o.Disabled, o.Select
	return &served{c, env, func() error {
		stop()
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

// listen serves on a free port of the loopback interface.
func listen(h http.Handler, panics io.Writer) (url string, stop func(), err error) {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: h, ErrorLog: log.New(panics, "", 0)}
	go server.Serve(l)
	return "http://" + l.Addr().String(), func() { server.Close() }, nil
}
