package suites_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/onsi/ginkgo/v2"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
)

// As a plain Ginkgo suite, ginkgo ./suites -- -target FILE tests the target of FILE and nothing else, with
// Ginkgo's own flags. The ginkgo program accepts only a package in which a test file imports Ginkgo.

const (
	targetFlag     = "target"
	targetVariable = "ADCONFORM_TARGET"
)

var targetFile = flag.String(targetFlag, "", "target `file`; without it, and without "+targetVariable+", the package's own tests run")

func TestMain(m *testing.M) {
	flag.Parse()
	if form, ok := os.LookupEnv(embeddedVariable); ok {
		registerOwnSuite(form)
	}
	if _, ok := givenTarget(); ok {
		if err := onlyConformance(); err != nil {
			fmt.Fprintln(os.Stderr, "adconform: "+err.Error())
			os.Exit(report.ExitUsage)
		}
	}
	os.Exit(m.Run())
}

// givenTarget returns the target file that the flag or the variable names. An empty name counts as given: it
// must not lead to a test of the reference.
func givenTarget() (file string, ok bool) {
	file, ok = os.LookupEnv(targetVariable)
	flag.Visit(func(f *flag.Flag) {
		if f.Name == targetFlag {
			file, ok = *targetFile, true
		}
	})
	return file, ok
}

// onlyConformance makes TestConformance the only test that runs, whatever the flags of go test select.
func onlyConformance() error {
	for name, value := range map[string]string{"run": "^TestConformance$", "skip": "", "bench": "", "fuzz": ""} {
		if err := flag.Set("test."+name, value); err != nil {
			return err
		}
	}
	return nil
}

// TestConformance tests the given target, or else the bundled reference.
func TestConformance(t *testing.T) {
	file, ok := givenTarget()
	if !ok {
		suites.Run(t, serve(t, bundled(t)), withShort)
		return
	}
	if strings.TrimSpace(file) == "" {
		t.Fatalf("-%s or %s is empty: name a target file", targetFlag, targetVariable)
	}
	if !filepath.IsAbs(file) { // its name is relative to the module's root, and tests run in the folder of the package
		file = filepath.Join("..", file)
	}
	target, err := fixtures.Load(file, os.LookupEnv)
	noError(t, err)
	config := suites.NewConfig(target)
	config.Seed = uint64(rand.Uint32())

	suites.Describe(config)
	suite, reporter := ginkgo.GinkgoConfiguration()
	suite.FailOnEmpty = true
	ginkgo.RunSpecs(t, "adconform", suite, reporter)
}

// targetFileOf writes the target file of a server with the default world.
func targetFileOf(t *testing.T, h http.Handler) string {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "t.yaml"))
	noError(t, err)
	defer file.Close()
	noError(t, fixtures.WriteTarget(file, serve(t, h)))
	return file.Name()
}

// This test runs the test binary as go test and the ginkgo program do and, without -short, through that program
// itself. If a target is given, the package's own tests do not run.
func TestATestBinaryTestsTheTargetAndNothingElse(t *testing.T) {
	binary, err := os.Executable()
	noError(t, err)
	right := targetFileOf(t, bundled(t))
	failing := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }
	wrong := targetFileOf(t, http.HandlerFunc(failing))
	log := filepath.Join(t.TempDir(), "log")
	const one = "updateCampaign 401 updateCampaign/401/no-key"
	for name, c := range map[string]struct {
		args, env []string
		fails     bool
		says      string
	}{
		"by the variable":          {[]string{"-ginkgo.focus", one}, []string{"ADCONFORM_TARGET=" + wrong}, true, "NONCONFORMING"},
		"a file that is not there": {[]string{"-target", "no-such.yaml"}, nil, true, "no-such.yaml: no such file"},
		"an empty variable":        {nil, []string{"ADCONFORM_TARGET="}, true, "ADCONFORM_TARGET is empty"},
		"an empty flag":            {[]string{"-target", ""}, nil, true, "-target or ADCONFORM_TARGET is empty"},
		"a focus": {
			[]string{"-target", right, "-ginkgo.focus", one, "-test.bench", ".", "-test.testlogfile=" + log},
			nil, false,
			"CONFORMING (selection, 1 of 4",
		},
		"a dry run": {[]string{"-target", wrong, "-ginkgo.dry-run", "-ginkgo.seed", "7"}, nil, false, "[7] adconform - 4"},
		"a focus on nothing": {
			[]string{"-target", wrong, "-ginkgo.focus", "nothing like this"}, nil, true, "no specs ran and --fail-on-empty is set",
		},
		"a filter of labels": {
			[]string{"-target", right, "-ginkgo.label-filter", "class:401 && operation:updateCampaign", "-ginkgo.skip", "changes-nothing"},
			nil, false, "CONFORMING (selection, ",
		},
		"a filter that is none": {[]string{"-target", wrong, "-ginkgo.label-filter", "class:401 &&"}, nil, true, "Syntax Error"},
		"a run that would select nothing": {
			[]string{"-target", wrong, "-ginkgo.focus", one, "-test.skip", "TestConformance"}, nil, true, "NONCONFORMING",
		},
		"the ginkgo program, --no-color --succinct": {nil, nil, false, "CONFORMING (complete): "},
		"the ginkgo program, --no-color --procs=3":  {nil, nil, false, "CONFORMING (complete): "},
	} {
		flag, isGinkgo := strings.CutPrefix(name, "the ginkgo program, --no-color ")
		if testing.Short() && isGinkgo {
			continue
		}
		program, args := binary, append([]string{"-ginkgo.succinct", "-ginkgo.no-color"}, c.args...)
		if isGinkgo {
			program, args = "go", []string{"tool", "ginkgo", "--no-color", flag, "./suites", "--", "-target", targetFileOf(t, bundled(t))}
		}
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Dir, cmd.Env = "..", append(cmd.Environ(), c.env...) // the root of the module
		text, err := cmd.CombinedOutput()
		out, failed := string(text), err != nil
		if failed != c.fails || strings.Count(out, c.says) != 1 || strings.Contains(out, "Benchmark") ||
			strings.Contains(strings.ReplaceAll(out, "TestConformance", ""), "--- FAIL: Test") {
			t.Errorf("%s: failed: %v, want %q once, and no other test, in\n%s", name, failed, c.says, out)
		}
	}
	if _, err := os.Stat(log); err == nil {
		t.Error("go test can cache the result")
	}
}
