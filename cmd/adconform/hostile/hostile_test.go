package hostile

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// TestHostileTargets is the table of adconform selftest --hostile.
func TestHostileTargets(t *testing.T) {
	program := filepath.Join(t.TempDir(), "adconform")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	o := Options{Program: program, Progress: func(_, _ int, o Outcome) {
		for _, p := range o.Problems {
			t.Errorf("%s: %s", o.ID, p)
		}
	}}
	if only := os.Getenv("HOSTILE_ONLY"); only != "" {
		o.Only = regexp.MustCompile(only)
	}
	outcomes, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteTable(t.Output(), outcomes); err != nil {
		t.Fatal(err)
	}
}
