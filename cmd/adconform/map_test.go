package main

import (
	"os"
	"os/exec"
	"path"
	"regexp"
	"strings"
	"testing"
)

var mapRow = regexp.MustCompile("(?m)^\\| `([^`]+)/` \\| (.*)$")

// The map of CONTRIBUTING.md has each package, in a row of its own or in that of the folder
// that it is in, and a package imports only those of rows further down.
func TestMapIsTrue(t *testing.T) {
	text, err := os.ReadFile("../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
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
	if err != nil {
		t.Fatal(err)
	}
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
