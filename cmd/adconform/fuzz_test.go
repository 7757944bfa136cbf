package main

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
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

// What is kept names no target, and is sent first the next time.
func TestACorpusIsKeptAndSentFirst(t *testing.T) {
	target, _ := fragile(t, asked)
	corpus := filepath.Join(t.TempDir(), "made", "corpus")
	r, code := fuzzReport(t, target, "--requests", strconv.Itoa(reftest.Of(300, 70)), "--corpus", corpus)
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
		in, err := fuzz.Read(reftest.Contract(t), text)
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
	requests := strconv.Itoa(reftest.Of(200, 30))
	kept := func(seed string) []string {
		target, _ := fragile(t, asked)
		corpus := t.TempDir()
		r, _ := fuzzReport(t, target, "--requests", requests, "--corpus", corpus, "--seed", seed)
		if fmt.Sprint(r.Seed) != seed || fmt.Sprint(r.Fuzz.Requests) != requests {
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
	r, _ := fuzzReport(t, target, "--requests", strconv.Itoa(reftest.Of(400, 150)))
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
	requests := strconv.Itoa(reftest.Of(80, 8))
	if code, stdout, _ := run(t, nil, "fuzz", target, "--requests", requests, "--report", dir); code != report.ExitNonconforming {
		t.Fatalf("exit code %d\n%s", code, stdout)
	}
	again := []string{"replay", dir}
	if testing.Short() { // else all that failed
		again = append(again, readReport(t, dir).Findings[0].Cases[0])
	}
	code, stdout, stderr := run(t, nil, again...)
	if code != report.ExitNonconforming || !strings.Contains(stdout, "\n0 fixed, ") || strings.Contains(stdout, " 0 still failing") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	broken.Store(false)
	code, stdout, stderr = run(t, nil, again...)
	if code != report.ExitConforming || !strings.Contains(stdout, " 0 still failing, 0 different, 0 still passing, 0 not tested") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

func TestTheReportOfFuzzingIsWholeAndHoldsNoKey(t *testing.T) {
	target, _ := fragile(t, func(r *http.Request) bool { return asked(r) || len(r.Header.Values(wire.DefaultKeyHeader)) > 1 })
	dir := t.TempDir()
	_, stdout, stderr := run(t, nil, "fuzz", target, "--requests", strconv.Itoa(reftest.Of(300, 100)), "--report", dir)
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
	t.Parallel() // it waits
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
	output := onTerminal(t, 80, nil, "fuzz", target, "--requests", strconv.Itoa(reftest.Of(200, 100)))
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
