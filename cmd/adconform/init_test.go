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

func TestInitTakesFlagsWithoutATerminal(t *testing.T) {
	file := filepath.Join(t.TempDir(), "target.yaml")
	env := map[string]string{fixtures.OwnerVariable: "k1", fixtures.StrangerVariable: "k2"}
	code, stdout, stderr := run(t, env, "init", file, "--from", "http://127.0.0.1:8080/v2", "--name", "Acme", "--header", "Api-Key",
		"--object", "campaign=25", "--object", "disposableCreatives=301, 302", "--object", "foreign.campaign=92")
	next := file + " is written. Next:\n  adconform doctor " + file + "   # what the file lacks, and what is not tested for that\n"
	if code != 0 || stderr != "" || stdout != next {
		t.Fatalf("exit code %d, %q, %q", code, stdout, stderr)
	}
	target, err := fixtures.Load(file, lookup(env))
	noError(t, err)
	credentials := fixtures.Credentials{Owner: "k1", Stranger: "k2", Header: "Api-Key"}
	if o := target.Objects; target.Name != "Acme" || target.Credentials != credentials ||
		o.Campaign.ID != 25 || len(o.DisposableCreatives) != 2 || target.Foreign.Campaign != 92 || len(target.Named()) != 4 {
		t.Errorf("%+v", target)
	}
}

// A stranger of whom nothing is known is no error of the next command.
func TestInitWritesAFileThatLoads(t *testing.T) {
	file := filepath.Join(t.TempDir(), "acme.yaml")
	env := map[string]string{fixtures.OwnerVariable: "abcdefgh12"}
	if code, _, stderr := run(t, env, "init", file, "--from", "http://127.0.0.1:1/v2"); code != 0 {
		t.Fatalf("exit code %d, %s", code, stderr)
	}
	target, err := fixtures.Load(file, lookup(env))
	if err != nil || target.BaseURL != "http://127.0.0.1:1/v2" || target.Credentials.Stranger != "" {
		t.Errorf("%+v (%v)", target, err)
	}
	if mustRead(t, filepath.Join(filepath.Dir(file), fixtures.SchemaFile)) != string(fixtures.Schema()) {
		t.Error("the schema is not beside it")
	}
}

func TestInitOverwritesOnlyByForce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "target.yaml")
	write(t, file, "mine")
	code, _, stderr := run(t, nil, "init", file)
	if code != 2 || !strings.Contains(stderr, "already there") || mustRead(t, file) != "mine" {
		t.Errorf("exit code %d, %q, the file holds %q", code, stderr, mustRead(t, file))
	}
	if code, _, _ := run(t, nil, "init", file, "--force"); code != 0 || mustRead(t, file) == "mine" {
		t.Errorf("exit code %d, the file holds %q", code, mustRead(t, file))
	}
}

func TestInitSaysWhatIsWrongWithAFlag(t *testing.T) {
	for args, want := range map[string]string{
		"--from 127.0.0.1:8080/v2":                "--from: 127.0.0.1:8080/v2 has no scheme; did you mean http://127.0.0.1:8080/v2?",
		"--from localhost:8080":                   "did you mean http://localhost:8080?",
		"--from ftp://a":                          "--from: ftp://a is not",
		"--object campaign=5 --object campaign=6": "objects.campaign is given already: 5",
		"--object disposableCreatives=1,2 --object objects.disposableCreatives=3": "objects.disposableCreatives is given already: [1,2]",
		"--object foreign.campaign=5 --object foreign.campaign=5":                 "foreign.campaign is given already: 5",
		"--object otherConnectionProfileRule=5":                                   "there is no key",
		"--from nowhere":                                                          "not an absolute http, https or unix URL",
		"--owner-env abcdef123":                                                   "the key itself stays out of the file",
		"--owner-env AKIA4QX7EXAMPLE":                                             "the key itself stays out of the file",
		"--stranger-env SK_9F3A77B2D15C4E60":                                      "the key itself stays out of the file",
		"--object campaign":                                                       "want key=ids",
		"--object campain=1":                                                      `there is no key "campain" (did you mean objects.campaign?`,
		"--object campaign=0":                                                     "want an id",
		"--object campaign=1,2":                                                   "want an id",
		"--object disposableCreatives=x":                                          "want ids such as",
		"--object campaign=99999999999999999999":                                  "want an id",
		"--object campaign=1 --object otherCampaign=1":                            "already objects.campaign",
		"--stranger-env ADCONFORM_OWNER_KEY --owner-env ADCONFORM_OWNER_KEY":      "the same key",
	} {
		file := filepath.Join(t.TempDir(), "target.yaml")
		refuses(t, nil, append([]string{"init", file}, strings.Fields(args)...), want)
		if _, err := os.Stat(file); err == nil {
			t.Errorf("%s: the file is written", args)
		}
	}
}

// A schema of somebody else stays, and so does the folder as it is.
func TestInitLooksBeforeItWrites(t *testing.T) {
	dir := t.TempDir()
	file, schema := filepath.Join(dir, "target.yaml"), filepath.Join(dir, fixtures.SchemaFile)
	write(t, schema, `{"$id": "ours"}`)
	for _, args := range [][]string{
		{"init", file, "--from", "http://127.0.0.1:8080/v2"}, {"serve", "--addr", "127.0.0.1:0", "--write-target", file},
	} {
		code, _, stderr := run(t, nil, args...)
		if _, err := os.Stat(file); err == nil || code != 2 || !strings.Contains(stderr, "adconform did not write it") {
			t.Errorf("%q: exit code %d, %s", args, code, stderr)
		}
	}
	noError(t, os.Remove(schema))
	write(t, file, "notes: of somebody else\n")
	for _, args := range [][]string{{"init", file}, {"serve", "--addr", "127.0.0.1:0", "--write-target", file}} {
		code, _, stderr := run(t, nil, args...)
		if _, err := os.Stat(schema); err == nil || code != 2 {
			t.Errorf("%q: exit code %d, %s", args, code, stderr)
		}
	}
}

// A name that is not set may be one that will be; a name that is set needs no form.
func TestInitTakesUsualNames(t *testing.T) {
	for _, name := range []string{"MY_KEY", "ACME_V2_OWNER", "STAGING2_API_KEY_1", "ADCONFORM_STRANGER_KEY"} {
		file := filepath.Join(t.TempDir(), "target.yaml")
		code, _, stderr := run(t, nil, "init", file, "--owner-env", name)
		if code != 0 || !strings.Contains(mustRead(t, file), "env: "+name+"}") {
			t.Errorf("%s: exit code %d, %s", name, code, stderr)
		}
	}
	file := filepath.Join(t.TempDir(), "target.yaml")
	if code, _, stderr := run(t, map[string]string{"TOKEN": "k1"}, "init", file, "--owner-env", "TOKEN"); code != 0 {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}
