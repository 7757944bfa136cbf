package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/adconform/adconform/cmd/adconform/internal/flags"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// A target file with the names that keys once had gives the same run, and a warning for
// each of them.
func TestOldNamesGiveTheSameRun(t *testing.T) {
	target, _, _ := startServe(t, "--control", "--fault", "refused/401-any-key/updateConnectionProfileRuleHost")
	file := filepath.Join(t.TempDir(), "target.yaml")
	if err := flags.WriteTarget(file, target); err != nil {
		t.Fatal(err)
	}
	now, warnings := reported(t, file)
	if strings.Contains(warnings, "old name") || len(now.Findings) == 0 || now.Level != report.Complete {
		t.Fatalf("level %s, %d findings\n%s", now.Level, len(now.Findings), warnings)
	}
	text := mustRead(t, file)
	for old, name := range spec.RenamedKeys {
		text = regexp.MustCompile(`\b`+name+`:`).ReplaceAllString(text, old+":")
	}
	write(t, file, text)
	old, warnings := reported(t, file)
	if !reflect.DeepEqual(now, old) {
		t.Errorf("with old names %+v\nwith new ones %+v", old, now)
	}
	line := 1 + strings.Count(text[:strings.Index(text, "otherConnectionProfileRule:")], "\n")
	want := fmt.Sprintf("%s:%d: objects.otherConnectionProfileRule is now called connectionProfileOtherRule; ", file, line) +
		"the old name still works"
	if !strings.Contains(warnings, want) {
		t.Errorf("%q is missing in\n%s", want, warnings)
	}
}

// reported is what a run finds, without what differs from run to run, and its standard error.
func reported(t *testing.T, file string) (r report.Report, stderr string) {
	t.Helper()
	code, stdout, stderr := run(t, nil, briefly("--depth quick", "run", "--target", file, "--seed", "7", "--format", "json")...)
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatalf("exit code %d (%v)\n%s", code, err, stderr)
	}
	r.Started, r.DurationSeconds = time.Time{}, 0
	for i := range r.Results {
		r.Results[i].Seconds = 0
	}
	return r, stderr
}
