package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
)

// keysByName has a key in every variable.
func keysByName(name string) (string, bool) { return name, true }

func TestInitAsksOnATerminal(t *testing.T) {
	file := filepath.Join(t.TempDir(), "target.yaml")
	const key, capitals = "GnxosFffTHR1GkMFWRhmKUWlLI0dMdzF", "AKIA4QX7EXAMPLE"
	answers := strings.Join([]string{
		"ftp://x", "http://127.0.0.1:8080/v2", // a wrong answer is asked for again
		key, capitals, "ACME_4QX7EXAMPLE", "",
		fixtures.OwnerVariable, capitals, "ACME_OTHER_KEY",
		"",
	}, "\n") + "\n"
	code, shown := typing(t, answers, 100, nil, "init", file)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, shown)
	}
	for _, want := range []string{
		"is not an absolute http", "the key itself stays out of the file", "the same key",
		"adconform doctor " + file, "export ACME_OTHER_KEY",
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q in\n%s", want, shown)
		}
	}
	text := mustRead(t, file)
	target, err := fixtures.Load(file, keysByName)
	if err != nil || strings.Contains(text, key) || strings.Contains(text, "4QX7") || strings.Contains(shown, "export "+capitals) {
		t.Fatalf("%v\n%s", err, text)
	}
	if target.BaseURL != "http://127.0.0.1:8080/v2" || target.Credentials.Owner != fixtures.OwnerVariable ||
		target.Credentials.Stranger != "ACME_OTHER_KEY" || len(target.Named()) != 0 {
		t.Errorf("%+v", target)
	}
	if !strings.Contains(text, "# disposableCreatives: [301") || !strings.Contains(text, " # WILL BE DELETED") {
		t.Errorf("no comments in\n%s", text)
	}
}

func TestInitWritesNothingWhereTheAnswersEnd(t *testing.T) {
	file := filepath.Join(t.TempDir(), "target.yaml")
	code, shown := typing(t, "http://127.0.0.1:8080/v2\n\x04", 100, nil, "init", file)
	if _, err := os.Stat(file); err == nil || code != 2 || !strings.Contains(shown, "nothing is written") {
		t.Errorf("exit code %d: %s", code, shown)
	}
}
