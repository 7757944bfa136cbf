//go:build unix

package main

import (
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/adconform/adconform/cmd/adconform/internal/flags"
	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// registry is a git repository that began as docs/registry/template.
type registry struct {
	t      *testing.T
	dir    string
	env    []string
	commit string // that pull requests start from
}

func newRegistry(t *testing.T) *registry {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil && os.Getenv("CI") == "" {
		t.Skip("git is not installed")
	}
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := &registry{t: t, dir: t.TempDir()}
	r.env = append(os.Environ(), asProgram+"=1", "ADCONFORM="+executable, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.test", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.test")
	if err := os.CopyFS(r.dir, os.DirFS(filepath.Join("..", "..", "docs", "registry", "template"))); err != nil {
		t.Fatal(err)
	}
	r.git("init", "--quiet", "--initial-branch=main")
	r.commitAll()
	return r
}

func (r *registry) run(name string, args ...string) (int, string) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = r.dir, r.env
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		r.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

func (r *registry) git(args ...string) string {
	r.t.Helper()
	code, out := r.run("git", args...)
	if code != 0 {
		r.t.Fatalf("git %v: %s", args, out)
	}
	return strings.TrimSpace(out)
}

func (r *registry) commitAll() {
	r.t.Helper()
	r.git("add", "--all")
	r.git("commit", "--quiet", "--allow-empty", "--message=change")
	r.commit = r.git("rev-parse", "HEAD")
}

// path is a path below the reports.
func (r *registry) path(of string) string {
	return filepath.Join(r.dir, "reports", filepath.FromSlash(of))
}

// place copies files of a report into a folder below the reports.
func (r *registry) place(from, folder string, files ...string) {
	r.t.Helper()
	err := os.MkdirAll(r.path(folder), 0o777)
	for _, file := range files {
		err = errors.Join(err, os.WriteFile(filepath.Join(r.path(folder), file), []byte(mustRead(r.t, filepath.Join(from, file))), 0o666))
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

// edit changes a file.
func (r *registry) edit(path, from, to string) {
	r.t.Helper()
	text := mustRead(r.t, path)
	if !strings.Contains(text, from) {
		r.t.Fatalf("%s does not hold %q", path, from)
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, from, to)), 0o666); err != nil {
		r.t.Fatal(err)
	}
}

// evidence are the files of a report that a registry holds.
var evidence = []string{report.JSONFile, report.HARFile}

// submitted makes a report of a server of a product: the reference, a variant of it, or one
// with a fault.
func submitted(t *testing.T, product, variant, fault string) (dir string) {
	t.Helper()
	contract, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	world, choices := fixtures.DefaultWorld(), reference.DefaultChoices()
	var as faults.Server
	if variant != "" {
		v, errVariant := faults.VariantByID(variant)
		as, err = v.Server, errVariant
	} else if fault != "" {
		f, errFault := faults.ByID(contract, fault)
		as, err = f.Server, errFault
	}
	if as.Choices != nil {
		as.Choices(&choices)
	}
	ref, errRef := reference.New(reference.Options{World: world, Choices: choices, BasePath: "/v2"})
	if err := errors.Join(err, errRef); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ref.Close() })
	server := httptest.NewServer(ref)
	if as.Wrap != nil {
		server.Config.Handler = as.Wrap(ref, faults.NewEnv(contract, world))
	}
	t.Cleanup(server.Close)
	target := world.Target(server.URL + "/v2")
	target.Implementation = fixtures.Implementation{Organisation: "Acme Ads", Product: product, Version: "1.0"}
	file := filepath.Join(t.TempDir(), "target.yaml")
	dir = t.TempDir()
	if err := flags.WriteTarget(file, target); err != nil {
		t.Fatal(err)
	}
	want := map[bool]int{true: report.ExitNonconforming, false: report.ExitConforming}[fault != ""]
	if code, out, errs := run(t, nil, "run", file, "--quiet", "--depth", "quick", "--report", dir); code != want {
		t.Fatalf("%s: exit code %d: %s%s", product, code, out, errs)
	}
	return dir
}

// TestTheCheckOfARegistry makes pull requests to a registry, and looks which are accepted.
func TestTheCheckOfARegistry(t *testing.T) {
	r := newRegistry(t)
	ref, east := submitted(t, "Reference", "", ""), submitted(t, "East", "", "refused/401-any-key/updateCampaign")
	made, err := report.Read(ref)
	if err != nil {
		t.Fatal(err)
	}
	day := made.Started.Format(time.DateOnly)
	past, fresh := "acme-ads/reference/"+day, "acme-ads/east/"+day
	if code, out := r.run("sh", "check", r.commit); code != 0 {
		t.Fatalf("nothing in it, nothing changed: %s", out)
	}
	r.place(ref, past, evidence...)
	r.commitAll()
	add := func(files ...string) { r.place(east, fresh, append(files, evidence...)...) }
	const stays, outside, plain = "a report that is there stays", "reports are reports/", "report.json: it is no plain file"
	for name, row := range map[string]struct {
		change func()
		want   []string // none: it is accepted
	}{
		"variants and a faulty server": {func() {
			r.place(submitted(t, "North", "value/trimmed", ""), "acme-ads/north/"+day, evidence...)
			r.place(submitted(t, "South", "path/malformed-id-422", ""), "acme-ads/south/"+day, evidence...)
			r.place(east, fresh, evidence...)
		}, nil},
		"a second one of the day": {func() { r.place(ref, past+"-2", evidence...) }, nil},
		"no report":               {func() { r.edit(filepath.Join(r.dir, "README.md"), "# Reports", "# All reports") }, nil},
		"a changed verdict": {func() {
			add()
			r.edit(r.path(fresh+"/report.json"), `"verdict": "nonconforming"`, `"verdict": "conforming"`)
		}, []string{fresh + ": it is not verified"}},
		"changed answers": {func() {
			add()
			r.edit(r.path(fresh+"/traffic.har"), `"status":401`, `"status":403`)
		}, []string{fresh + ": it is not verified"}},
		"another's traffic": {func() {
			r.place(east, fresh, report.JSONFile)
			r.place(ref, fresh, report.HARFile)
		}, []string{fresh + ": it is not verified"}},
		"no traffic":         {func() { r.place(east, fresh, report.JSONFile) }, []string{fresh + ": report.json and traffic.har belong"}},
		"a changed past one": {func() { r.edit(r.path(past+"/report.json"), "Acme", "Acne") }, []string{"report.json: " + stays}},
		"a deleted past one": {func() { r.remove(past) }, []string{"report.json: " + stays, "traffic.har: " + stays}},
		"a past one moved":   {func() { r.move(past, past+"-2") }, []string{stays}},
		"more of a past one": {func() { r.place(ref, past, "report.html") }, []string{outside}},
		"outside the layout": {func() { r.place(east, "east", evidence...) }, []string{"east/report.json: " + outside}},
		"another file":       {func() { add("report.html") }, []string{"report.html: " + outside}},
		"an odd name":        {func() { r.place(east, "acme-ads/e\"\n a/"+day, evidence...) }, []string{outside}},
		"a blank at the end": {func() { add(); r.move(fresh+"/traffic.har", fresh+"/traffic.har ") }, []string{outside}},
		"another's folder":   {func() { r.place(east, "beta/east/"+day, evidence...) }, []string{"has to be acme-ads/east/" + day}},
		"another day":        {func() { r.place(east, "acme-ads/east/2020-01-01", evidence...) }, []string{"has to be acme-ads/east/" + day}},
		"a link":             {func() { add(); r.link("/etc/hostname", fresh+"/report.json") }, []string{plain}},
		"a program":          {func() { add(); r.mode(fresh+"/report.json", 0o777) }, []string{plain}},
		"the check, too": {func() {
			add()
			r.edit(filepath.Join(r.dir, "check"), "exit $refused", "exit 0")
		}, []string{"check: what adds reports changes nothing else"}},
	} {
		if testing.Short() && !slices.Contains([]string{"a second one of the day", "a changed verdict"}, name) {
			continue
		}
		base, trusted := r.commit, filepath.Join(t.TempDir(), "check")
		if err := os.WriteFile(trusted, []byte(mustRead(t, filepath.Join(r.dir, "check"))), 0o666); err != nil {
			t.Fatal(err)
		}
		row.change()
		r.commitAll()
		code, out := r.run("sh", trusted, base)
		if (code == 0) != (row.want == nil) || code > 1 || strings.Contains(out, "refused:") != (code == 1) {
			t.Errorf("%s: exit code %d\n%s", name, code, out)
		}
		for _, want := range row.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: not told %q:\n%s", name, want, out)
			}
		}
		r.git("reset", "--quiet", "--hard", base)
		r.git("clean", "--quiet", "-fdx")
		r.commit = base
	}
	page := filepath.Join(t.TempDir(), "page")
	r.env = append(r.env, "PAGE="+page)
	code, out := r.run("sh", "check", r.commit)
	if code != 0 || !strings.Contains(mustRead(t, filepath.Join(page, "index.html")), ">verified<") {
		t.Errorf("the page: exit code %d, %s", code, out)
	}
	if code, out := r.run("sh", "check", "none"); code != 2 {
		t.Errorf("no such base: exit code %d, %s", code, out)
	}
}

func (r *registry) remove(of string) { r.must(os.RemoveAll(r.path(of))) }

func (r *registry) move(from, to string) { r.must(os.Rename(r.path(from), r.path(to))) }

func (r *registry) mode(of string, mode os.FileMode) { r.must(os.Chmod(r.path(of), mode)) }

func (r *registry) link(to, at string) {
	r.must(errors.Join(os.Remove(r.path(at)), os.Symlink(to, r.path(at))))
}

func (r *registry) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}
