package hostile

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// TestHostileTargets is what adconform selftest --hostile shows, without what is
// slow. Each row of it ends within its bars.
func TestHostileTargets(t *testing.T) {
	program := filepath.Join(t.TempDir(), "adconform")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	o := Options{Program: program, Quick: true, Progress: func(_, _ int, o Outcome) {
		for _, p := range o.Problems {
			t.Errorf("%s: %s", o.ID, p)
		}
	}}
	outcomes, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteTable(t.Output(), outcomes); err != nil {
		t.Fatal(err)
	}
}
