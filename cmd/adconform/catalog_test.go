package main

import (
	"os"
	"os/exec"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

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
