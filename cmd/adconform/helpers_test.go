package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites/report"
)

// briefly is a command line that has some more flags with -short, so that it costs less.
func briefly(flags string, args ...string) []string {
	if testing.Short() {
		args = append(args, strings.Fields(flags)...)
	}
	return args
}

// buffer is written by a command and read by a test at the same time.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
	seen chan struct{} // gets a value after a write, if nobody has taken the last
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

// await waits until the text holds words.
func (b *buffer) await(t *testing.T, words string) {
	t.Helper()
	for !strings.Contains(b.String(), words) {
		select {
		case <-b.seen:
		case <-t.Context().Done():
			t.Fatalf("%q does not come in %q", words, b.String())
		}
	}
}

// newApp is the command line with no environment but env, for two outputs.
func newApp(stdout, stderr io.Writer, env map[string]string, interrupts <-chan os.Signal) *app {
	return &app{Stdout: stdout, Stderr: stderr, Env: lookup(env), Interrupts: interrupts, Exit: func(int) {}}
}

// run carries out a command line with no environment but env.
func run(t *testing.T, env map[string]string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	out, errs := newBuffer(), newBuffer()
	a := newApp(out, errs, env, make(chan os.Signal))
	code = a.run(args)
	return code, out.String(), errs.String()
}

// refuses expects a command line to be wrong usage: exit code 2, and one line on standard
// error that has the words.
func refuses(t *testing.T, env map[string]string, args []string, words ...string) {
	t.Helper()
	code, stdout, stderr := run(t, env, args...)
	if code != report.ExitUsage || stdout != "" || !strings.HasPrefix(stderr, "adconform: ") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("%q: exit code %d, standard output %q, not one line on standard error: %q", args, code, stdout, stderr)
	}
	has(t, stderr, words...)
}

func lookup(env map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v, ok := env[name]
		return v, ok
	}
}

// serving is a target file for a server with the default world's objects that
// answers everything with a handler.
func serving(t *testing.T, h http.HandlerFunc) (targetFile string) {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return targetOf(t, server.URL)
}

func targetOf(t *testing.T, baseURL string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "target.yaml")
	noError(t, writeTarget(path, fixtures.DefaultWorld().Target(baseURL)))
	return path
}

// answering is a handler that gives every request the same answer.
func answering(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		if _, err := w.Write([]byte(body)); err != nil {
			panic(http.ErrAbortHandler)
		}
	}
}

// noError ends a test with an error that has nothing to do with what it is about.
func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// has expects all words in a text.
func has(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, want := range words {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

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
