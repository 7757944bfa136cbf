// Package hostile runs the program against hostile servers: each run must end within limits of
// memory, with a verdict that names what the server did, with reports that other tools can read,
// and without a key in anything that it leaves behind. `make hostile` prints a line for each;
// `go test -run 'Hostile/gzip'` picks some. `go test -short` tries one of each kind, at depth quick.
package hostile

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/internal/render"
	"github.com/adconform/adconform/suites/report"
)

// The limits that every run must keep.
const (
	maxMemory = 256 << 20 // bytes, the peak of the resident set
	maxTime   = time.Minute
)

func TestMain(m *testing.M) {
	// Runs spend most of their time waiting, so many can run in parallel.
	if err := flag.Set("test.parallel", strconv.Itoa(6*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	m.Run()
}

// TestHostile runs the program on each hostile server.
func TestHostile(t *testing.T) {
	program := filepath.Join(t.TempDir(), "adconform")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-w", "-o", program, "../../cmd/adconform").CombinedOutput()
	if err != nil {
		t.Fatal(err, string(out))
	}
	schema := jsonschema.NewCompiler().MustCompile("../../suites/report/report.schema.json")
	for _, m := range modes(t) {
		if testing.Short() && !m.short {
			continue
		}
		t.Run(m.id, func(t *testing.T) {
			if !m.computes {
				t.Parallel()
			}
			s := open(t, &m)
			run := start(t, program, s)
			t.Logf("exit code %d in %.1f s, at most %d MiB", run.exit, run.took.Seconds(), run.memory>>20)
			for _, problem := range slices.Concat(run.bounds(s), run.says(&m), run.leaves(&s.world, schema)) {
				t.Error(strconv.QuoteToGraphic(problem))
			}
		})
	}
}

var noError = reftest.NoError

// A run is a finished run of the program.
type run struct {
	dir            string // with the target file and the report folder
	exit           int    // -1 if ended by a signal
	took           time.Duration
	memory         int64 // bytes at the peak; 0 if the system does not report them
	stdout, stderr string
}

// start writes the target file of the site, runs the program on it, and waits for the program to end.
func start(t *testing.T, program string, s *site) *run {
	t.Helper()
	r := &run{dir: t.TempDir()}
	target := s.world.Target(s.baseURL)
	target.Limits.Timeout = s.mode.timeout
	file := filepath.Join(r.dir, "target.yaml")
	write := func(w io.Writer) error { return fixtures.WriteTarget(w, target) }
	noError(t, render.WriteFile(file, 0o600, write))
	ctx, cancel := context.WithTimeout(t.Context(), 3*maxTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "run", file, "--report", filepath.Join(r.dir, "report"),
		"--depth", reftest.Of("standard", "quick"))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	// The run gets nothing from the environment: no proxy, no flags. The summary for the CI
	// goes into the folder, where it is checked.
	summary := "GITHUB_STEP_SUMMARY=" + filepath.Join(r.dir, "step-summary.md")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + r.dir, "TMPDIR=" + r.dir, summary}
	started := time.Now()
	noError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	tick := time.NewTicker(40 * time.Millisecond)
	defer tick.Stop()
	for running := true; running; {
		select {
		case err := <-ended:
			if !errors.As(err, new(*exec.ExitError)) {
				noError(t, err)
			}
			running = false
		case <-tick.C:
			r.memory = max(r.memory, highWater(cmd.Process.Pid))
		}
	}
	r.took, r.exit = time.Since(started), cmd.ProcessState.ExitCode()
	if s.mode.computes { // time that the machine spends on other processes does not count
		r.took = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	r.stdout, r.stderr = stdout.String(), stderr.String()
	return r
}

// highWater returns the peak of the resident set of a process in bytes, or 0 if it has ended or
// the system does not report it.
func highWater(pid int) (bytes int64) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if _, rest, ok := strings.Cut(string(status), "VmHWM:"); ok {
		fmt.Sscanf(rest, "%d kB", &bytes)
	}
	return bytes << 10
}

// bounds returns the limits that a run does not keep: those of time, memory and exit code.
func (r *run) bounds(s *site) (problems []string) {
	problem := func(is bool, format string, args ...any) {
		if is {
			problems = append(problems, fmt.Sprintf(format, args...))
		}
	}
	problem(r.took > maxTime, "it took %s to end, more than %s", r.took, maxTime)
	problem(r.memory > maxMemory, "%d MiB at the peak, more than %d", r.memory>>20, maxMemory>>20)
	problem(!slices.Contains(s.mode.exits, r.exit), "exit code %d, want one of %v: %s", r.exit, s.mode.exits, r.stderr)
	problem(strings.Contains(r.stderr, "goroutine "), "it crashed: %.200s", r.stderr)
	problem(s.fired.Load() == 0, "the server was never asked for what it does")
	problem(s.elsewhere.Load() > 0, "%d connections to another origin", s.elsewhere.Load())
	return problems
}

// says checks that report.json has a finding or a reason that names what the server does.
func (r *run) says(m *mode) (problems []string) {
	made, err := report.Read(filepath.Join(r.dir, "report"))
	if err != nil {
		return []string{err.Error()}
	}
	texts := []string{made.Reason}
	for i := range made.Findings {
		texts = append(texts, made.Findings[i].Clause+": "+made.Findings[i].Sentence())
	}
	for _, c := range made.Results {
		texts = append(texts, c.Reason)
		if c.Cause == "suite" {
			problems = append(problems, c.ID+": "+c.Reason)
		}
	}
	if !slices.ContainsFunc(texts, regexp.MustCompile(m.says).MatchString) {
		problems = append(problems, fmt.Sprintf("nothing says %q: %s", m.says, render.VerdictLine(made)))
	}
	return problems
}

// leaves checks everything that a run leaves behind: its two outputs, and every file that it
// wrote, whatever the format.
func (r *run) leaves(w *fixtures.World, schema *jsonschema.Schema) (problems []string) {
	secrets := newSecrets(w)
	note := func(where string, err error) {
		if err != nil {
			problems = append(problems, where+": "+err.Error())
		}
	}
	for name, text := range map[string]string{"standard output": r.stdout, "standard error": r.stderr} {
		note(name, errors.Join(printable(text), secrets.in(text)))
	}
	note("the folder", filepath.WalkDir(r.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "target.yaml" {
			return err
		}
		data, err := os.ReadFile(path)
		note(d.Name(), errors.Join(err, secrets.in(string(data)), valid(d.Name(), data, schema)))
		return nil
	}))
	return problems
}

// valid returns why a file does not have its format. The tests of suites/report check how formats, among them the
// page, represent hostile texts.
func valid(name string, data []byte, schema *jsonschema.Schema) error {
	control := func(r rune) bool { return r < ' ' && !strings.ContainsRune("\n\r\t", r) || r == 0x7f }
	if !utf8.Valid(data) || bytes.ContainsFunc(data, control) {
		return errors.New("it holds control characters, or is not UTF-8")
	}
	switch filepath.Ext(name) {
	case ".json", ".har", ".sarif":
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err == nil && name == report.JSONFile {
			err = schema.Validate(document)
		}
		return err
	case ".md":
		return commandless(string(data))
	case ".xml":
		return xml.Unmarshal(data, new(struct{}))
	}
	return nil
}

// printable checks that output to a terminal does not move the cursor or change the writing
// direction, and that a CI log contains no commands.
func printable(text string) error {
	for i, r := range text {
		if r != '\n' && !unicode.IsPrint(r) || r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd") {
			return fmt.Errorf("the character %U at byte %d", r, i)
		}
	}
	return commandless(text)
}

// obeyed matches what the runners of GitHub, Azure and GitLab take for a command.
var obeyed = regexp.MustCompile(`(?m)^\s*::.*$|##(vso)?\[.*|section_(start|end):.*`)

// commandless checks that nothing in a log commands a runner.
func commandless(text string) error {
	if command := obeyed.FindString(text); command != "" {
		return fmt.Errorf("a CI takes this for a command: %q", command)
	}
	return nil
}

// Keys with characters that every encoding changes.
const (
	oddOwnerKey    = `q7"Zp/+W&<x>\%4Tz~bK2'mJ=h;R9`
	oddStrangerKey = `L3'e{"k":\/}+=<&>%20Yv8Nw#s?Gd5`
)

// encodings are the forms in which the server echoes a key.
var encodings = []func(string) string{
	func(k string) string { return k },
	func(k string) string { return base64.StdEncoding.EncodeToString([]byte(k)) },
	func(k string) string { return base64.RawURLEncoding.EncodeToString([]byte("user:" + k + ":x")) },
	url.QueryEscape,
	url.PathEscape,
	func(k string) string { return each(k, "%%%02x") },
	func(k string) string { return each(k, `\u%04x`) },
	func(k string) string { b, _ := json.Marshal(k); return string(b) },
	html.EscapeString,
	func(k string) string { return hex.EncodeToString([]byte(k)) },
	strings.ToUpper,
}

func each(s, format string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, format, c)
	}
	return b.String()
}

// window is the length of a piece of a key that must not be shown.
const window = 8

// secrets finds pieces of keys in all their forms in a text.
type secrets struct{ *strings.Replacer }

func newSecrets(w *fixtures.World) secrets {
	var pieces []string
	add := func(piece string) { // as it is, and as it appears in HTML and in JSON
		quoted, _ := json.Marshal(piece)
		for _, form := range []string{piece, html.EscapeString(piece), string(quoted[1 : len(quoted)-1])} {
			pieces = append(pieces, form, "")
		}
	}
	for _, u := range w.Users[:2] {
		for i := 0; i+window <= len(u.Key); i++ {
			for _, form := range encodings {
				add(form(u.Key[i : i+window]))
			}
		}
		for before := range 3 { // for base64 in the middle of a longer text
			text := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("\x00", before) + u.Key))
			for i := 4; i+window <= len(text)-4; i++ {
				add(text[i : i+window])
			}
		}
	}
	return secrets{strings.NewReplacer(pieces...)}
}

// in finds a piece of a key in a text.
func (s secrets) in(text string) error {
	rest := s.Replace(text)
	if rest == text {
		return nil
	}
	at := 0
	for at < len(rest) && rest[at] == text[at] {
		at++
	}
	return errors.New("a piece of a key: " + text[max(0, at-40):min(len(text), at+80)])
}

// Each form of a key is found in a text, and nothing is found in a text without one.
func TestSecretsAreFound(t *testing.T) {
	world := fixtures.DefaultWorld()
	oddKeys(&world)
	s := newSecrets(&world)
	for i, form := range encodings {
		if text := "see " + form(oddOwnerKey) + " there"; s.in(text) == nil {
			t.Errorf("form %d is not found in %s", i, text)
		}
		if err := s.in("see " + form(oddOwnerKey[:1]+"i9Mnvdmv3UBxYDYC0azcrOMz3WnK")); err != nil {
			t.Errorf("form %d: %v", i, err)
		}
	}
}

func oddKeys(w *fixtures.World) { w.Users[0].Key, w.Users[1].Key = oddOwnerKey, oddStrangerKey }
