package consistency

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/adconform/adconform/reference/postgrestest"
)

// TestEveryDatabaseConforms: the suite finds nothing wrong, whatever the world
// is kept in.
func TestEveryDatabaseConforms(t *testing.T) {
	depth, level := "standard", "complete"
	if testing.Short() {
		depth, level = "quick", "complete at depth quick"
	}
	for _, d := range databases {
		t.Run(d.name, func(t *testing.T) {
			p := serve(t, d.create(t))
			out, err := exec.Command(program, "run", p.target, "--depth", depth).CombinedOutput()
			if err != nil || !strings.Contains(string(out), "\nCONFORMING ("+level+"): ") {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

func TestPasswordIsNotShown(t *testing.T) {
	db := postgrestest.WrongPassword(t, postgrestest.URL(t), "hush")
	cmd := exec.Command(program, "serve", "--addr", "127.0.0.1:0", "--db", db)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 2 || strings.Count(string(out), "\n") != 1 ||
		!strings.HasPrefix(string(out), "adconform: --db: ") || !strings.Contains(string(out), "the password is wrong") ||
		strings.Contains(string(out), "hush") {
		t.Errorf("%v: %s", err, out)
	}
}
