package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	declared  = regexp.MustCompile(`^func (?:\(\w* ?\*?(\w+)\) )?(\w+)`)
	mentioned = regexp.MustCompile(`\b(Check[A-Z]\w*)\b(?:\.\w+)?|\.find\("([a-z-]+)"|\bID: "([a-z-]+)"|\b(?:run|place): (\w+)`)
	returned  = regexp.MustCompile(`^\t+return "([a-z-]+)"$`)
)

// What explain says of where a check is does not rot: it is read from the code of the suite. A
// function judges by a check that it hands on as a row (CheckIdentity, not compared, and not
// CheckIdentity.ID), finds by an id, or is named by a row of the oracle's list.
func TestJudgedIsFresh(t *testing.T) {
	ids := map[string]string{}
	for _, c := range allChecks() {
		name := "Check"
		for word := range strings.SplitSeq(c.ID, "-") {
			name += strings.ToUpper(word[:1]) + word[1:]
		}
		ids[name], ids[c.ID] = c.ID, c.ID
	}
	files, err := filepath.Glob("../../suites/*/*.go")
	noError(t, err)
	var places []string
	oracles, inFile := map[string]string{}, map[string]string{} // checks, and files, by function
	for _, path := range files {
		place, name, row := strings.TrimPrefix(filepath.ToSlash(path), "../../"), "", ""
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		add := func(id string) {
			if ids[id] != "" && name != "" {
				places = append(places, fmt.Sprintf("%s %s %s", ids[id], place, name))
			}
		}
		for line := range strings.Lines(mustRead(t, path)) {
			line, _, _ = strings.Cut(strings.TrimRight(line, "\n"), " // ")
			if m := declared.FindStringSubmatch(line); m != nil {
				name = strings.TrimPrefix(m[1]+"."+m[2], ".")
				inFile[filepath.Dir(place)+" "+name] = place
			} else if line == "}" || strings.HasPrefix(line, "//") {
				name = ""
			}
			for _, m := range mentioned.FindAllStringSubmatch(line, -1) {
				switch {
				case m[3] != "":
					row = m[3]
				case m[4] != "" && row != "":
					oracles[m[4]] = row
				case m[2] != "":
					add(m[2])
				case m[0] == m[1] && !strings.Contains(line, "= "+m[1]+" ") && !strings.Contains(line, "== "+m[1]):
					add(m[1])
				}
			}
			if m := returned.FindStringSubmatch(line); m != nil && name == "Expect.Check" {
				add(m[1])
			}
		}
	}
	for function, id := range oracles {
		places = append(places, fmt.Sprintf("%s %s %s", id, inFile["suites/oracle "+function], function))
	}
	slices.Sort(places)
	text := strings.Join(slices.Compact(places), "\n") + "\n"
	if *update {
		noError(t, os.WriteFile("judged.txt", []byte(text), 0o644))
	} else if judgedText != text {
		t.Errorf("judged.txt is not as the code is: go test ./cmd/adconform -run TestJudgedIsFresh -update\n%s", text)
	}
	for id := range ids {
		if c := ids[id]; !strings.Contains("\n"+text, "\n"+c+" ") {
			t.Errorf("no function below suites judges by the check %s", c)
		}
	}
	// A word that is the id of a check, too, names none where it means something else: a coding of bodies.
	if strings.Count("\n"+text, "\nidentity ") != 1 {
		t.Errorf("identity is judged in more than one place:\n%s", text)
	}
}
