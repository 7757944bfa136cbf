package mutants

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const (
	module = "github.com/adconform/adconform"
	folder = "reference" // of the package that has mutants
)

// leftOut are the files of the reference that run before the first request only: they
// fill the database, bring its tables up to date and open it.
var leftOut = []string{"store_migrate.go", "store_seed.go", "store_sqlite.go", "store_postgres.go"}

// Program is adconform with mutants of the reference in it.
type Program struct {
	Mutants []*Mutant // that there are, of which the program has those that are selected
	root    string    // of the module
	dir     string    // has the program
	path    string
}

// Root is the folder of the module that the working directory is in.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && bytes.HasPrefix(text, []byte("module "+module+"\n")) {
			return dir, nil
		}
		if up := filepath.Dir(dir); up != dir {
			dir = up
			continue
		}
		return "", errors.New("mutants are made of adconform's own source: run it in a clone of adconform")
	}
}

// List makes the mutants of the reference that compile.
func List(root string) ([]*Mutant, error) {
	_, all, err := list(root)
	return all, err
}

func list(root string) (s *source, all []*Mutant, err error) {
	if s, err = read(root, folder, leftOut); err == nil {
		all, err = compilable(s)
	}
	return s, all, err
}

// Build compiles the program with the selected mutants. It has to be closed.
func Build(ctx context.Context, root string, selected func([]*Mutant) []*Mutant) (*Program, error) {
	s, all, err := list(root)
	if err != nil {
		return nil, err
	}
	p := &Program{root: root, Mutants: all}
	if p.dir, err = os.MkdirTemp("", "adconform-mutants-"); err != nil {
		return nil, err
	}
	p.path = filepath.Join(p.dir, "adconform")
	if err := build(ctx, rewrite(s, selected(p.Mutants)), root, "./cmd/adconform", p.path); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// build compiles a program into a folder, beside rewritten files that the go command
// takes in place of those in the source, where nothing is written.
func build(ctx context.Context, files *rewritten, root, program, to string) error {
	dir := filepath.Dir(to)
	replace := map[string]string{}
	for path, text := range files.files {
		copied := filepath.Join(dir, filepath.Base(path))
		if err := os.WriteFile(copied, text, 0o600); err != nil {
			return err
		}
		replace[path] = copied
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	overlayFile := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlayFile, overlay, 0o600); err != nil {
		return err
	}
	// Without optimizations: thousands of functions compile in half the time.
	cmd := exec.CommandContext(ctx, "go", "build", "-overlay", overlayFile, "-gcflags="+files.pkg+"=-N -l", "-o", to, program)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, strings.TrimSpace(string(out)))
	}
	return nil
}

// Close removes the program.
func (p *Program) Close() error { return os.RemoveAll(p.dir) }
