package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/adconform/adconform/docs/dialects"
	"github.com/adconform/adconform/internal/engine"
	"github.com/adconform/adconform/suites/report"
)

var (
	shellBlock  = regexp.MustCompile("(?ms)^```sh\n(.*?)^```")
	credentials = regexp.MustCompile("(?ms)^```yaml\n(credentials:.*?)^```")
	commandSpan = regexp.MustCompile("`((?:adconform|go|make) [a-z][^`]*)`")
	flagSpan    = regexp.MustCompile("`--([a-z][a-z-]+)(?:[ =]([^`]+))?`")
	shellWord   = regexp.MustCompile(`'[^']*'|\S+`)
	someURL     = regexp.MustCompile(`https?://\S+/v2`)
	// someCases are the cases to which the runs of the pages are limited; one of them fails on the reader's server.
	someCases = "*/401/no-key"
	// placeholders are what a reader types in place of a word in capitals, or of a variable.
	placeholders = strings.NewReplacer("ROW", "page/count-one-more", "REPORT", "report", "DIR", "folder", "COMMAND", "cases",
		`"$TARGET"`, "target.yaml")
)

// notRun lists the programs of others that a page names but no test runs: they need a network, a registry, a server
// of one's own or a terminal.
var notRun = []string{"export", "$EDITOR", "podman", "pip", "python3", "schemathesis", "gh", "git"}

// notOurs lists the flags of other programs, podman's and Ginkgo's.
var notOurs = []string{"user", "userns", "focus", "label-filter", "dry-run"}

// The commands on the pages work: each in a shell block or in the text runs against a reference with a fault and is not
// wrong usage, the Makefile has its targets, tests and folders exist, and so do flags, with their values.
func TestCommandsOfThePagesWork(t *testing.T) {
	root, err := filepath.Abs("../..")
	noError(t, err)
	reader := newReader(t, root)
	for _, page := range pages(t, root) {
		text := strings.ReplaceAll(mustRead(t, page), "\\\n", " ")
		name, err := filepath.Rel(root, page)
		noError(t, err)
		t.Run(name, func(t *testing.T) {
			for _, span := range flagSpan.FindAllStringSubmatch(text, -1) {
				hasFlag(t, span[1], span[2])
			}
			for _, block := range credentials.FindAllStringSubmatch(text, -1) {
				write(t, "quoted.yaml", "version: 1\nbaseURL: "+reader.url+"\n"+block[1])
				reader.adconform(t, []string{"cases", "quoted.yaml"})
			}
			for _, line := range commandLines(text) {
				reader.types(t, line)
			}
		})
	}
}

// commandLines returns the lines of a page's shell blocks, and the commands in its text.
func commandLines(page string) (lines []string) {
	for _, block := range shellBlock.FindAllStringSubmatch(page, -1) {
		lines = append(lines, strings.Split(block[1], "\n")...)
	}
	for _, span := range commandSpan.FindAllStringSubmatch(page, -1) {
		lines = append(lines, strings.ReplaceAll(span[1], "\n", " "))
	}
	return lines
}

// generated lists the generated pages.
var generated = []string{"contract.md", "interface.md"}

// pages returns the pages of the project that are written by hand.
func pages(t *testing.T, root string) []string {
	t.Helper()
	docs, err := filepath.Glob(root + "/docs/*.md")
	noError(t, err)
	docs = slices.DeleteFunc(docs, func(page string) bool { return slices.Contains(generated, filepath.Base(page)) })
	return append(docs, root+"/README.md", root+"/CONTRIBUTING.md", root+"/SECURITY.md",
		root+"/docs/dialects/README.md", root+"/docs/embedding/README.md")
}

// fileSpan matches the name of a file of the project, or the end of its path.
var fileSpan = regexp.MustCompile("`([a-z][a-z_0-9/]*\\.(?:go|yaml|py))`")

var link = regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)

// The links of pages lead somewhere, and the files that they name exist.
func TestPagesAreLinked(t *testing.T) {
	files := ""
	noError(t, filepath.WalkDir("../..", func(path string, _ fs.DirEntry, err error) error {
		files += filepath.ToSlash(path) + "\n"
		return err
	}))
	for _, page := range pages(t, "../..") {
		for _, to := range link.FindAllStringSubmatch(mustRead(t, page), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), to[1])); err != nil {
				t.Errorf("%s: %v", page, err)
			}
		}
	}
	for _, page := range []string{"../../CONTRIBUTING.md", "../../docs/writing-a-case.md"} {
		for _, span := range fileSpan.FindAllStringSubmatch(mustRead(t, page), -1) {
			if !strings.Contains(files, "/"+span[1]+"\n") {
				t.Errorf("%s names the file %s, which does not exist", page, span[1])
			}
		}
	}
}

var quotedBlock = regexp.MustCompile("(?ms)^ *```(?:go|yaml)\n(.*?)^ *```")

// Each line of code that these pages quote is part of a line of the project, and the baseline entry in docs/ci.md
// loads.
func TestQuotedLinesAreInTheProject(t *testing.T) {
	known := filepath.Join(t.TempDir(), "known.yaml")
	for page, sources := range map[string][]string{
		"writing-a-case.md": {"spec/clauses.yaml", "suites/specs/*.go", "internal/faults/*.go"},
		"ci.md":             {"docs/ci/github.yml"},
	} {
		code := ""
		for _, pattern := range sources {
			files, err := filepath.Glob("../../" + pattern)
			noError(t, err)
			for _, file := range files {
				code += mustRead(t, file)
			}
		}
		for _, block := range quotedBlock.FindAllStringSubmatch(mustRead(t, "../../docs/"+page), -1) {
			switch {
			case strings.HasPrefix(block[1], "- finding:"):
				write(t, known, block[1])
				continue
			case strings.HasPrefix(block[1], "- uses: github/"): // a step that the template does not have
				continue
			}
			for line := range strings.Lines(block[1]) {
				if line = strings.TrimSpace(line); line != "…" && !strings.Contains(code, line) {
					t.Errorf("%s quotes %s, which is no line of %q", page, line, sources)
				}
			}
		}
	}
	b, err := engine.Load(known)
	if noError(t, err); len(b.Entries) != 1 {
		t.Errorf("%d entries", len(b.Entries))
	}
}

// typed returns the words of a command line, without its comment.
func typed(line string) (words []string) {
	line, _, _ = strings.Cut(placeholders.Replace(line)+" ", " # ")
	for _, word := range shellWord.FindAllString(line, -1) {
		words = append(words, strings.Trim(word, "'"))
	}
	return words
}

// hasFlag fails the test if no command has a flag, or if none that has it accepts the value. A value with an
// ellipsis or in capitals stands for others.
func hasFlag(t *testing.T, flag, value string) {
	t.Helper()
	if slices.Contains(notOurs, flag) {
		return
	}
	isExample := value != "" && !strings.ContainsAny(value, "…ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	err := fmt.Errorf("no command has the flag --%s", flag)
	for _, c := range (&app{Stdout: newBuffer(), Stderr: newBuffer()}).root().Commands() {
		f := c.Flags().Lookup(flag)
		switch {
		case f == nil:
		case !isExample:
			return
		default:
			if err = c.ParseFlags(typed("--" + flag + " " + value)); err == nil {
				return
			}
		}
	}
	t.Error(err)
}

// parses fails the test if a command line has an unknown command or flag.
func parses(t *testing.T, args []string) {
	t.Helper()
	c, rest, err := (&app{Stdout: newBuffer(), Stderr: newBuffer()}).root().Find(args)
	if err == nil {
		err = c.ParseFlags(rest)
	}
	if err != nil || !c.HasParent() {
		t.Errorf("adconform %s: %v", strings.Join(args, " "), err)
	}
}

// A reader runs the commands of all pages, in a folder with a target file and the reports of a
// run, against a server that has a fault.
type reader struct {
	root, makefile string
	target, url    string
	env            map[string]string
}

func newReader(t *testing.T, root string) *reader {
	t.Helper()
	file, target := serving(t, faulty(t, "auth/no-key/updateCampaign"))
	r := &reader{root: root, makefile: mustRead(t, root+"/Makefile"), target: file, url: target.BaseURL}
	r.env = map[string]string{"ADCONFORM_OWNER_KEY": target.Credentials.Owner, "ADCONFORM_STRANGER_KEY": target.Credentials.Stranger}
	t.Chdir(filepath.Dir(file))
	noError(t, os.CopyFS("docs/dialects", dialects.Files))
	examples, err := filepath.Glob("docs/dialects/*/target.yaml")
	noError(t, err)
	for _, example := range examples {
		write(t, example, someURL.ReplaceAllLiteralString(mustRead(t, example), r.url))
	}
	run(t, r.env, "run", r.target, "--case", someCases, "--quiet", "--report", "report")
	for _, copied := range []string{"main/report", "branch/report"} {
		noError(t, os.CopyFS(copied, os.DirFS("report")))
	}
	noError(t, os.Rename("main/report/traffic.har", "session.har"))
	noError(t, os.WriteFile("token", []byte("#!/bin/sh\necho "+target.Credentials.Owner), 0o700))
	return r
}

// types runs a command line, as far as a test can.
func (r *reader) types(t *testing.T, line string) {
	t.Helper()
	words := typed(line)
	switch {
	case len(words) == 0 || slices.Contains(notRun, words[0]):
	case words[0] == "adconform":
		r.adconform(t, words[1:])
	case words[0] == "make":
		r.hasTarget(t, words[1])
	case words[0] == "go":
		r.goTool(t, words)
	default:
		_, err := os.Stat(filepath.Join(r.root, words[0]))
		noError(t, err)
	}
}

func (r *reader) hasTarget(t *testing.T, target string) {
	t.Helper()
	if !strings.Contains(r.makefile, "\n"+target+":") && !strings.Contains(r.makefile, "\n"+target+" ") {
		t.Errorf("make has no target %s", target)
	}
}

// goTool runs the command of a go run, and checks that the folder and the test of another command exist.
func (r *reader) goTool(t *testing.T, words []string) {
	t.Helper()
	if len(words) > 3 && words[1] == "run" && words[2] == "./cmd/adconform" {
		r.adconform(t, words[3:])
		return
	}
	if i := slices.Index(words, "-run"); i >= 0 && words[1] == "test" {
		files, err := filepath.Glob(filepath.Join(r.root, words[2], "*_test.go"))
		noError(t, err)
		if !slices.ContainsFunc(files, func(f string) bool { return strings.Contains(mustRead(t, f), "\nfunc "+words[i+1]+"(") }) {
			t.Errorf("%s has no test %s", words[2], words[i+1])
		}
	}
	for _, word := range words {
		folder, isOurs := strings.CutPrefix(word, "github.com/adconform/adconform/")
		if folder, _, _ = strings.Cut(folder, "@"); !isOurs && !strings.HasPrefix(word, "./") {
			continue
		}
		_, err := os.Stat(filepath.Join(r.root, folder))
		noError(t, err)
	}
}

var baseURLLine = regexp.MustCompile(`(?m)^baseURL:.*`)

// isDialect reports whether an argument is the overlay of a dialect that has a target file.
func isDialect(arg string) bool {
	_, err := os.Stat(filepath.Join(filepath.Dir(arg), "target.yaml"))
	return err == nil && strings.HasPrefix(arg, "docs/dialects/")
}

// adconform runs a command line, but only parses the bare name of a command in a text. A run tries a few cases,
// selftest lists what it would try, serve is interrupted when it has begun, and init overwrites.
func (r *reader) adconform(t *testing.T, args []string) {
	t.Helper()
	parses(t, args)
	own := mustRead(t, r.target)
	for i := range args {
		args[i] = someURL.ReplaceAllLiteralString(args[i], r.url)
	}
	if i := slices.IndexFunc(args, isDialect); i >= 0 { // in which objects have other values
		text := mustRead(t, filepath.Join(filepath.Dir(args[i]), "target.yaml"))
		write(t, "dialect.yaml", baseURLLine.ReplaceAllLiteralString(text, "baseURL: "+r.url))
		args = slices.Replace(args, 1, 2, "dialect.yaml")
	}
	switch {
	case args[0] == "serve":
		args = append(args, "--addr", "127.0.0.1:0")
	case len(args) == 1:
		return
	case args[0] == "run" && !slices.Contains(args, "--case"):
		args = slices.Insert(args, 1, "--case", someCases)
	case args[0] == "selftest" && !slices.Contains(args, "--list"):
		args = append(args, "--list")
	case args[0] == "replay": // the other report is written by each run
		args[1] = "branch/report"
	case args[0] == "init":
		args = append(args, "--force")
	}
	if code, stderr := runUntilServing(r.env, args); code == report.ExitUsage {
		t.Errorf("adconform %s: %s", strings.Join(args, " "), stderr)
	}
	write(t, r.target, own)
}

// runUntilServing runs a command line, and interrupts serve when it has printed what it serves.
func runUntilServing(env map[string]string, args []string) (code int, stderr string) {
	out, errs, interrupts, ended := newBuffer(), newBuffer(), make(chan os.Signal, 1), make(chan int)
	a := &app{Stdout: out, Stderr: errs, Env: lookup(env), Interrupts: interrupts, Exit: func(int) {}}
	go func() { ended <- a.run(args) }()
	if args[0] == "serve" {
		select {
		case code = <-ended:
			return code, errs.String()
		case <-out.seen:
			interrupts <- os.Interrupt
		}
	}
	return <-ended, errs.String()
}

var mapRow = regexp.MustCompile("(?m)^\\| `([^`]+)/` \\| (.*)$")

// The map in CONTRIBUTING.md has a row for each package or for a folder that contains it, and a
// package imports only packages of rows further down.
func TestMapIsTrue(t *testing.T) {
	text, err := os.ReadFile("../../CONTRIBUTING.md")
	noError(t, err)
	rows := mapRow.FindAllStringSubmatch(string(text), -1)
	place := func(folder string) int {
		for i, row := range rows {
			if row[1] == folder || row[1] == path.Dir(folder) && strings.Contains(row[2], "`"+path.Base(folder)+"/`") {
				return i
			}
		}
		return -1
	}
	const module = "github.com/adconform/adconform/"
	packages, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"...").Output()
	noError(t, err)
	for line := range strings.Lines(string(packages)) {
		names := strings.Fields(strings.ReplaceAll(line, module, "./"))
		at := place(names[0][len("./"):])
		if at < 0 {
			t.Errorf("the map in CONTRIBUTING.md has no row for %s", names[0])
		}
		for _, imported := range names[1:] {
			folder, ours := strings.CutPrefix(imported, "./")
			if below := place(folder); ours && below >= 0 && below < at {
				t.Errorf("the map in CONTRIBUTING.md has %s below %s, which it imports", names[0], imported)
			}
		}
	}
}

// docs/embedding/README.md gives the right number of modules that each package requires.
func TestModulesOfEmbeddingAreCounted(t *testing.T) {
	const module = "github.com/adconform/adconform"
	page := mustRead(t, "../../docs/embedding/README.md")
	const form = `{{.ImportPath}} {{with .Module}}{{.Path}}{{end}} {{join .Deps " "}}`
	list, err := exec.Command("go", "list", "-deps", "-f", form, module+"/suites", module+"/suites/passive", module+"/suites/match").Output()
	noError(t, err)
	moduleOf, deps := map[string]string{}, map[string][]string{} // by package
	for line := range strings.Lines(string(list)) {
		words := strings.Split(strings.TrimSuffix(line, "\n"), " ")
		moduleOf[words[0]], deps[words[0]] = words[1], words[2:]
	}
	for _, name := range []string{"suites", "suites/passive", "suites/match"} {
		modules := map[string]bool{}
		for _, dep := range deps[module+"/"+name] {
			if of := moduleOf[dep]; of != "" && of != module {
				modules[of] = true
			}
		}
		row := regexp.MustCompile(`(?m)^\| .` + name + `. \|.*\| (\d+) \|$`).FindStringSubmatch(page)
		if row == nil || row[1] != strconv.Itoa(len(modules)) {
			t.Errorf("%s: %q of the page, want %d modules", name, row, len(modules))
		}
	}
}

// runFlags lists the flags of run according to the design.
const runFlags = "depth case skip clause seed read-only overlay fault require basis baseline allow-inconclusive rate concurrency " +
	"timeout wait deadline ca cert key insecure report quiet verbose"

// Every command has an example and a group. No command and no flag is hidden, and there are none
// beyond those of the design.
func TestCommandsAndFlags(t *testing.T) {
	root := (&app{Stdout: newBuffer()}).root()
	root.InitDefaultHelpCmd()
	if n := len(root.Commands()) - len([]string{"completion", "help"}); n > 12 {
		t.Errorf("%d commands", n)
	}
	for _, c := range append(root.Commands(), root) {
		var flags []string
		if c.Example == "" || c.Long == "" || c.Hidden || c.GroupID == "" && c != root {
			t.Errorf("%s: example %q, group %q, hidden %t", c.Name(), c.Example, c.GroupID, c.Hidden)
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden {
				t.Errorf("%s --%s is hidden", c.Name(), f.Name)
			}
			flags = append(flags, f.Name)
		})
		slices.Sort(flags)
		var help strings.Builder
		c.SetOut(&help)
		noError(t, c.Help())
		for line := range strings.Lines(help.String()) {
			if len(line) > 1+defaultColumns && c.Name() != "completion" { // the last line of completion is cobra's
				t.Errorf("%s --help is wider than a terminal: %s", c.Name(), line)
			}
		}
		if want := slices.Sorted(slices.Values(strings.Fields(runFlags))); c.Name() == "run" && !slices.Equal(flags, want) {
			t.Errorf("run has the %d flags %q, and the design %q", len(flags), flags, want)
		}
	}
}

// Every command knows the variables that the CI templates set.
func TestVariablesOfTemplates(t *testing.T) {
	text := mustRead(t, "../../action.yml")
	files, err := filepath.Glob("../../docs/ci/*.yml")
	noError(t, err)
	for _, file := range files {
		text += mustRead(t, file)
	}
	names := regexp.MustCompile(`\bADCONFORM_\w+`).FindAllString(text, -1)
	var warnings bytes.Buffer
	a := &app{Env: lookup(nil), Stderr: &warnings}
	for _, name := range names {
		a.Variables = append(a.Variables, name+"=x")
	}
	if problems := a.unknownVariables(a.root(), nil); len(problems) > 0 || warnings.Len() > 0 || len(names) < 5 {
		t.Errorf("%v and %s of %q", problems, &warnings, names)
	}
}
