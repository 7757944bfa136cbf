package suites_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
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
	if _, ok := givenTarget(); ok {
		if err := onlyConformance(); err != nil {
			if suite, _ := ginkgo.GinkgoConfiguration(); suite.ParallelProcess == 1 { // say it only once
				fmt.Fprintln(os.Stderr, "adconform: "+err.Error())
			}
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
	if suite, _ := ginkgo.GinkgoConfiguration(); suite.ParallelTotal > 1 {
		return errors.New("the suite sends concurrently by itself and cannot be split across processes: run without -p or --procs")
	}
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
	suites.Run(t, target)
}
