package main

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/fuzz"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/wire"
)

// fuzzReport fuzzes a target, and gives the report.
func fuzzReport(t *testing.T, target string, args ...string) (r *report.Report, code int) {
	t.Helper()
	dir := t.TempDir()
	code, _, stderr := run(t, nil, append([]string{"fuzz", target, "--report", dir}, args...)...)
	r, err := report.Read(dir)
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	return r, code
}

// fragile fails with 500 while a request is such a one, and is the reference else.
func fragile(t *testing.T, breaks func(*http.Request) bool) (target string, broken *atomic.Bool) {
	t.Helper()
	bundled := startedReference(t)
	broken = &atomic.Bool{}
	broken.Store(true)
	return serving(t, func(w http.ResponseWriter, r *http.Request) {
		if broken.Load() && breaks(r) {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		bundled.ServeHTTP(w, r)
	}), broken
}

func asked(r *http.Request) bool { return r.URL.RawQuery != "" }

func TestFuzzRefusesWrongUsage(t *testing.T) {
	keys := map[string]string{fixtures.OwnerVariable: "abcdefgh12"}
	dir := t.TempDir()
	file, target := filepath.Join(dir, "file"), targetOf(t, "http://127.0.0.1:1/v2")
	touch(t, file)
	for args, want := range map[string]string{
		"fuzz --requests 0":                             "want a number, more than 0",
		"fuzz --duration 5":                             "want a time such as 10s",
		"fuzz --duration 0s":                            "more than 0",
		"fuzz --corpus=":                                "--corpus is empty",
		"fuzz --corpus " + file:                         "--corpus " + file + ": not a directory",
		"fuzz --corpus " + file + "/below":              "--corpus " + file + "/below: not a directory",
		"fuzz nowhere.yaml":                             "nowhere.yaml: no such file",
		"fuzz a b":                                      `unexpected argument "b"`,
		"fuzz http://127.0.0.1:1/v2":                    fixtures.OwnerVariable,
		"run --corpus " + dir:                           "--corpus is for --depth deep",
		"run --depth deep --corpus " + file:             "--corpus " + file + ": not a directory",
		"run --depth deep --corpus " + dir + "/none":    dir + "/none: no such file or directory; adconform fuzz --corpus makes one",
		"fuzz " + target + " --report " + file + "/sub": "not a directory",
	} {
		refuses(t, nil, strings.Fields(args), want)
	}
	refuses(t, keys, []string{"fuzz", "http://192.0.2.1/v2"}, "192.0.2.1", "--i-own-this-target")
	for text, want := range map[string]string{
		"{": "no input of fuzz",
		`{"operation":"updateCampaign","mutations":[{"class":"json/none"}]}`:                "no class",
		`{"operation":"updateNone","mutations":[{"class":"json/type"}]}`:                    "no operation",
		`{"operation":"deleteCreative","mutations":[{"class":"path/size","text":"301"}]}`:   "no text",
		`{"operation":"updateCampaign","mutations":[{"class":"json/blanks","n":99999999}]}`: "n is 99999999",
	} {
		corpus := t.TempDir()
		name := filepath.Join(corpus, "new-1.json")
		write(t, name, text)
		refuses(t, nil, []string{"fuzz", "--corpus", corpus}, "--corpus: "+name+": ", want)
		refuses(t, nil, []string{"run", "--depth", "deep", "--corpus", corpus}, "--corpus: "+name+": ", want)
	}
}

// The proxy sees whatever is sent to a target that is elsewhere.
func TestFuzzSendsNothingToAnotherMachineUnasked(t *testing.T) {
	var requests atomic.Int64
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		answering(404, "{}")(w, r)
	}))
	defer proxy.Close()
	t.Setenv("HTTP_PROXY", proxy.URL)
	target := targetOf(t, "http://192.0.2.1/v2")
	refuses(t, nil, []string{"fuzz", target, "--requests", "5"}, "192.0.2.1", "not this machine", "--i-own-this-target")
	if n := requests.Load(); n > 0 {
		t.Errorf("%d requests were sent", n)
	}
	run(t, nil, "fuzz", target, "--requests", "5", "--i-own-this-target", "--timeout", "2s")
	if requests.Load() == 0 {
		t.Error("nothing is sent to a target that is called one's own")
	}
}

// tap notes the lines with a path of the target, as they come, and those that ask for another
// method: what is no HTTP a server refuses before any handler sees it.
type tap struct {
	net.Listener
	mu    sync.Mutex
	lines []string
}

type tapped struct {
	net.Conn
	to   *tap
	line []byte
}

var tellingLine = regexp.MustCompile(`(?i)` + basePath + `|^x-(http-)?method`)

func (l *tap) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	return &tapped{Conn: conn, to: l}, err
}

func (c *tapped) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	for i, part := range bytes.Split(p[:n], []byte("\n")) {
		if i > 0 {
			if tellingLine.Match(c.line) {
				c.to.mu.Lock()
				c.to.lines = append(c.to.lines, string(c.line))
				c.to.mu.Unlock()
			}
			c.line = nil
		}
		if c.line = append(c.line, part...); len(c.line) > 200_000 {
			c.line = nil
		}
	}
	return n, err
}

// tapping puts a handler in front of a watched server, and notes the lines that come.
func tapping(t *testing.T, w *watched, wrap func(http.Handler) http.Handler) (target string, lines *tap) {
	t.Helper()
	front := httptest.NewUnstartedServer(wrap(w.Server))
	lines = &tap{Listener: front.Listener}
	front.Listener = lines
	front.Start()
	t.Cleanup(front.Close)
	w.target.BaseURL = front.URL + basePath
	target = filepath.Join(t.TempDir(), "target.yaml")
	if err := writeTarget(target, w.target); err != nil {
		t.Fatal(err)
	}
	return target, lines
}

func asItIs(h http.Handler) http.Handler { return h }

func TestReadOnlyFuzzingAsksForNoChange(t *testing.T) {
	w := watch(t, "", "")
	target, tap := tapping(t, w, asItIs)
	r, code := fuzzReport(t, target, "--read-only", "--requests", "300")
	if code != report.ExitConforming || r.Fuzz.Requests != 300 || r.Requests < 300 {
		t.Errorf("exit code %d: %d were drawn, %d sent", code, r.Fuzz.Requests, r.Requests)
	}
	if len(tap.lines) < 200 {
		t.Fatalf("only %d lines came", len(tap.lines))
	}
	for _, line := range tap.lines {
		method, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, value, isHeader := strings.Cut(line, ": ")
		switch {
		case isHeader && strings.HasPrefix(strings.ToLower(name), "x-"):
			method = strings.ToUpper(strings.TrimSpace(value))
			if slices.Contains([]string{"DELETE", "PUT", "POST", "PATCH"}, method) {
				t.Errorf("%q", line)
			}
		case slices.Contains([]string{"DELETE", "PUT", "POST", "PATCH"}, strings.ToUpper(method)):
			t.Errorf("%q", line)
		}
	}
	mustBeAsBefore(t, w, r)
}

var pathBelowBase = regexp.MustCompile(basePath + `/([^\s?#]*)`)

// Also on a server that fails on whatever is odd, where all that is found is shrunk, nothing goes
// to what the target file does not name, and no delete to what it names.
func TestFuzzNamesOnlyWhatTheTargetFileNames(t *testing.T) {
	w := watch(t, "", "")
	ordinary := regexp.MustCompile(`^` + basePath + `/(connection-profiles|campaigns|creatives)/[0-9]+` +
		`(/rules/[0-9]+/hosts/[0-9]+|/media-files)?$`)
	target, tap := tapping(t, w, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if !ordinary.MatchString(r.RequestURI) {
				rw.WriteHeader(http.StatusInternalServerError)
				return
			}
			next.ServeHTTP(rw, r)
		})
	})
	requests := 300
	if testing.Short() {
		requests = 150
	}
	r, _ := fuzzReport(t, target, "--requests", fmt.Sprint(requests))
	if len(r.Findings) < requests/10 {
		t.Errorf("only %d findings: %s", len(r.Findings), r.Reason)
	}
	named := map[int]bool{}
	for _, n := range w.target.Named() {
		named[int(n.ID)] = true
	}
	const unknown = 1<<31 - 1000 // ids that nothing has are from here on
	for _, line := range tap.lines {
		found := pathBelowBase.FindStringSubmatch(line)
		if found == nil {
			continue
		}
		deletes := strings.HasPrefix(strings.ToUpper(strings.TrimSpace(line)), http.MethodDelete)
		parts := strings.Split(path.Clean("/"+found[1]), "/") // /creatives/301
		for i := 2; i < len(parts); i += 2 {
			digits := parts[i][:len(parts[i])-len(strings.TrimLeft(parts[i], "0123456789"))] // as a lax server reads it
			id, err := strconv.Atoi(digits)
			if err == nil && 0 < id && id < unknown && (deletes || !named[id]) {
				t.Errorf("%d in %q", id, line)
			}
		}
	}
	mustBeAsBefore(t, w, r)
}

func TestAfterFuzzingAllIsAsBefore(t *testing.T) {
	for i, fault := range []string{"", "refused/401-any-key/updateCampaign", "refused/422-right-fields/updateConnectionProfile"} {
		if testing.Short() && i > 1 {
			continue
		}
		t.Run(fault, func(t *testing.T) {
			w := watch(t, fault, "")
			target := filepath.Join(t.TempDir(), "target.yaml")
			if err := writeTarget(target, w.target); err != nil {
				t.Fatal(err)
			}
			r, code := fuzzReport(t, target, "--requests", "200")
			if (code == report.ExitNonconforming) != (fault != "") || r.Fuzz.Requests != 200 {
				t.Errorf("exit code %d after %d requests: %s", code, r.Fuzz.Requests, r.Reason)
			}
			mustBeAsBefore(t, w, r)
		})
	}
}

// Ctrl-C comes at some request, which is not answered before the run knows.
func TestAnInterruptEndsFuzzingInOrder(t *testing.T) {
	for _, at := range []int64{200, 20} {
		if testing.Short() && at < 100 {
			continue
		}
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			w := watch(t, "", "")
			var requests atomic.Int64
			reached, stderr := make(chan struct{}), newBuffer()
			target, _ := tapping(t, w, func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
					if requests.Add(1) == at {
						close(reached)
						for !strings.Contains(stderr.String(), "interrupted") {
							<-stderr.seen
						}
					}
					if asked(r) {
						rw.WriteHeader(http.StatusInternalServerError)
						return
					}
					next.ServeHTTP(rw, r)
				})
			})
			dir, interrupts, stdout := t.TempDir(), make(chan os.Signal), newBuffer()
			a := &app{stdout: stdout, stderr: stderr, env: lookup(nil), interrupts: interrupts, exit: func(int) {}}
			ended := make(chan int)
			go func() { ended <- a.run([]string{"fuzz", target, "--duration", "10m", "--report", dir}) }()
			<-reached
			interrupts <- os.Interrupt
			code := <-ended
			r, err := report.Read(dir)
			if err != nil {
				t.Fatal(err)
			}
			if code != report.ExitInterrupted || !r.Interrupted || !strings.Contains(stderr.String(), "putting back") {
				t.Errorf("exit code %d, interrupted %t\n%s%s", code, r.Interrupted, stdout, stderr)
			}
			if at > 100 && len(r.Findings) == 0 {
				t.Error("what was found is not told")
			}
			mustBeAsBefore(t, w, r)
		})
	}
}

// What is kept names no target, and is sent first the next time.
func TestACorpusIsKeptAndSentFirst(t *testing.T) {
	target, _ := fragile(t, asked)
	corpus := filepath.Join(t.TempDir(), "made", "corpus")
	r, code := fuzzReport(t, target, "--requests", "300", "--corpus", corpus)
	names, err := os.ReadDir(corpus)
	if err != nil || code != report.ExitNonconforming {
		t.Fatalf("exit code %d: %s, %v", code, r.Reason, err)
	}
	world, address := fixtures.DefaultWorld().Target(""), regexp.MustCompile(`127\.0\.0\.1:[0-9]+`).FindString(mustRead(t, target))
	sent := map[string]int{}
	kinds := map[string]int{}
	for _, name := range names {
		text := mustRead(t, filepath.Join(corpus, name.Name()))
		for _, secret := range []string{address, world.Credentials.Owner, world.Credentials.Stranger} {
			if strings.Contains(text, secret) {
				t.Errorf("%s holds %q: %s", name.Name(), secret, text)
			}
		}
		in, err := fuzz.Read(must(spec.Load()), text)
		if err != nil {
			t.Errorf("%s: %v", name.Name(), err)
		}
		for _, m := range in.Mutations {
			sent[m.Class]++
		}
		kind, _, _ := strings.Cut(name.Name(), "-")
		kinds[kind]++
	}
	if kinds["found"] < 5 || kinds["new"] < 5 || len(kinds) != 2 {
		t.Errorf("%v is kept", kinds)
	}
	again, _ := fuzzReport(t, target, "--requests", fmt.Sprint(len(names)), "--corpus", corpus, "--seed", "9")
	if fmt.Sprint(again.Fuzz.ByClass) != fmt.Sprint(sent) {
		t.Errorf("the corpus has %v, what is sent first is %v", sent, again.Fuzz.ByClass)
	}
	if len(again.Findings) < kinds["found"] {
		t.Errorf("%d findings, %d were kept", len(again.Findings), kinds["found"])
	}
	code, stdout, stderr := run(t, nil, "run", "--target", target, "--depth", "deep", "--corpus", corpus, "--label-filter", "class:fuzz",
		"--allow-inconclusive")
	if code != report.ExitNonconforming || !strings.Contains(stdout, "/fuzz/query-") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// The same seed draws the same; another one does not.
func TestFuzzDrawsBySeed(t *testing.T) {
	kept := func(seed string) []string {
		target, _ := fragile(t, asked)
		corpus := t.TempDir()
		r, _ := fuzzReport(t, target, "--requests", "200", "--corpus", corpus, "--seed", seed)
		if fmt.Sprint(r.Seed) != seed || r.Fuzz.Requests != 200 {
			t.Errorf("seed %d, %d requests", r.Seed, r.Fuzz.Requests)
		}
		files, err := os.ReadDir(corpus)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, f := range files {
			names = append(names, f.Name()) // by what is in them
		}
		return names
	}
	one, again, other := kept("5"), kept("5"), kept("6")
	if !slices.Equal(one, again) {
		t.Errorf("the same seed kept\n%s and\n%s", one, again)
	}
	if slices.Equal(one, other) {
		t.Errorf("another seed kept the same: %s", one)
	}
}

// The line of a finding shows it again, be it for curl or for a raw connection.
func TestTheLineOfAFuzzedFindingShowsItAgain(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no POSIX shell")
	}
	target, _ := fragile(t, func(r *http.Request) bool {
		return asked(r) || r.TransferEncoding != nil || r.Header.Get("Cookie") != ""
	})
	r, _ := fuzzReport(t, target, "--requests", "400")
	world := fixtures.DefaultWorld().Target("")
	by := map[string]int{}
	for _, f := range r.Findings {
		tool := "curl"
		if strings.Contains(f.Curl, "| nc ") {
			tool = "nc"
		}
		if by[tool]++; by[tool] > 8 {
			continue
		}
		script := "curl() { command curl -s \"$@\"; }; nc() { shift 2; echo \"$@\"; cat; }; " + f.Curl
		cmd := exec.CommandContext(t.Context(), shell, "-c", script)
		cmd.Env = append(os.Environ(), "ADCONFORM_OWNER_KEY="+world.Credentials.Owner, "ADCONFORM_STRANGER_KEY="+world.Credentials.Stranger)
		out, err := cmd.Output()
		if tool == "nc" && err == nil {
			out, err = overConnection(out)
		}
		if err != nil && exec.Command(tool, "--version").Run() != nil {
			t.Skipf("%s is not installed", tool)
		}
		if err != nil || !strings.HasPrefix(string(out), "HTTP/1.1 500 ") {
			t.Errorf("%s\n%v %.200q", f.Curl, err, out)
		}
	}
	if by["curl"] < 5 || by["nc"] < 1 {
		t.Errorf("findings by what sends them: %v", by)
	}
}

// overConnection does what nc does: the first line says where.
func overConnection(message []byte) ([]byte, error) {
	to, rest, _ := bytes.Cut(message, []byte("\n"))
	conn, err := net.Dial("tcp", strings.Join(strings.Fields(string(to)), ":"))
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if _, err := conn.Write(rest); err != nil {
		return nil, err
	}
	answer := make([]byte, 200)
	conn.SetReadDeadline(time.Now().Add(30 * time.Second))
	n, err := conn.Read(answer)
	return answer[:n], err
}

func TestReplayOfAFuzzedReport(t *testing.T) {
	target, broken := fragile(t, asked)
	dir := t.TempDir()
	if code, stdout, _ := run(t, nil, "fuzz", target, "--requests", "80", "--report", dir); code != report.ExitNonconforming {
		t.Fatalf("exit code %d\n%s", code, stdout)
	}
	code, stdout, stderr := run(t, nil, "replay", dir)
	if code != report.ExitNonconforming || !strings.Contains(stdout, "\n0 fixed, ") || strings.Contains(stdout, " 0 still failing") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	broken.Store(false)
	code, stdout, stderr = run(t, nil, "replay", dir)
	if code != report.ExitConforming || !strings.Contains(stdout, " 0 still failing, 0 different, 0 still passing, 0 not tested") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

func TestTheReportOfFuzzingIsWholeAndHoldsNoKey(t *testing.T) {
	target, _ := fragile(t, func(r *http.Request) bool { return asked(r) || len(r.Header.Values(wire.DefaultKeyHeader)) > 1 })
	dir := t.TempDir()
	_, stdout, stderr := run(t, nil, "fuzz", target, "--requests", "300", "--report", dir)
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(mustRead(t, filepath.Join(dir, report.JSONFile))))
	if err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(report.SchemaJSON()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("report.schema.json", schema); err != nil {
		t.Fatal(err)
	}
	if err := c.MustCompile("report.schema.json").Validate(document); err != nil {
		t.Error(err)
	}
	texts := map[string]string{"standard output": stdout, "standard error": stderr}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) < 5 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, f := range files {
		texts[f.Name()] = mustRead(t, filepath.Join(dir, f.Name()))
	}
	world := fixtures.DefaultWorld().Target("")
	for name, text := range texts {
		for _, key := range []string{world.Credentials.Owner, world.Credentials.Stranger} {
			if strings.Contains(text, key) {
				t.Errorf("%s holds a key", name)
			}
		}
	}
}

// A rate cannot be kept in less time than its requests take.
func TestFuzzKeepsTheRate(t *testing.T) {
	var requests atomic.Int64
	target, _ := fragile(t, func(*http.Request) bool { requests.Add(1); return false })
	begun := time.Now()
	r, _ := fuzzReport(t, target, "--requests", "60", "--rate", "100/s")
	const atOnce = 10 // a tenth of a second's worth
	n := requests.Load()
	if took, least := time.Since(begun), time.Duration(n-atOnce)*10*time.Millisecond; n < 60 || took < least {
		t.Errorf("%d requests in %s, want %s at least", n, took, least)
	}
	if r.Fuzz.Requests != 60 {
		t.Errorf("%d were drawn", r.Fuzz.Requests)
	}
}

func TestFuzzOnATerminal(t *testing.T) {
	target, _ := fragile(t, asked)
	output := onTerminal(t, 80, nil, "fuzz", target, "--requests", "200")
	live, rest := frames(output)
	if len(live) < 2 || !strings.Contains(strings.Join(live, ""), " classes, ") || !strings.Contains(strings.Join(live, ""), " left") {
		t.Errorf("no progress in %q", output)
	}
	for _, frame := range live {
		if len([]rune(frame)) >= 80 || strings.Contains(frame, "\n") {
			t.Errorf("the line %q", frame)
		}
	}
	if !strings.HasPrefix(rest, "\x1b[1;31mNONCONFORMING") {
		t.Errorf("after the progress comes %.200q", rest)
	}
	for line := range strings.Lines(sgr.ReplaceAllString(rest, "")) {
		text := strings.TrimSpace(line)
		if len([]rune(line))-1 > 80 && strings.Contains(text, " ") && !strings.HasPrefix(text, "curl ") && !strings.HasPrefix(text, "printf ") {
			t.Errorf("%q", line)
		}
	}
}
