package main

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites/report"
)

// A buffer can be written by a command while a test reads it.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
	seen chan struct{} // gets a value after a write, unless it still has one
}

func newBuffer() *buffer { return &buffer{seen: make(chan struct{}, 1)} }

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case b.seen <- struct{}{}:
	default:
	}
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// run runs a command line with only env as its environment.
func run(t *testing.T, env map[string]string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	out, errs := newBuffer(), newBuffer()
	a := &app{Stdout: out, Stderr: errs, Env: lookup(env), Interrupts: make(chan os.Signal), Exit: func(int) {}}
	return a.run(args), out.String(), errs.String()
}

func lookup(env map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v, ok := env[name]
		return v, ok
	}
}

// serving serves a handler, and returns its target file and target, which have the default world's objects.
func serving(t *testing.T, h http.Handler) (file string, target *fixtures.Target) {
	t.Helper()
	file, target = filepath.Join(t.TempDir(), "target.yaml"), fixtures.DefaultWorld().Target(reftest.Serve(t, h))
	noError(t, writeTarget(file, target))
	return file, target
}

// faulty returns the reference with a fault.
func faulty(t *testing.T, fault string) http.Handler {
	t.Helper()
	return reftest.With(t, fixtures.DefaultWorld(), fault)
}

var noError = reftest.NoError

func mustRead(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	noError(t, err)
	return string(data)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	noError(t, os.WriteFile(path, []byte(text), 0o600))
}

func readReport(t *testing.T, dir string) *report.Report {
	t.Helper()
	r, err := report.Read(dir)
	noError(t, err)
	return r
}

// putBack fails the test if a run left an object changed.
func putBack(t *testing.T, r *report.Report) {
	t.Helper()
	for _, c := range r.Changes {
		if c.Change != "deleted" && !c.Restored {
			t.Errorf("%s was not put back: %s", c.Object, c.Reason)
		}
	}
}
