//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// actionStep is what a step of action.yml runs, and the inputs with their defaults.
func actionStep(t *testing.T, id string) (script string, defaults map[string]string) {
	t.Helper()
	var action struct {
		Inputs map[string]struct{ Default string }
		Runs   struct {
			Steps []struct{ ID, Run string }
		}
	}
	if err := yaml.Unmarshal([]byte(mustRead(t, "../../action.yml")), &action); err != nil {
		t.Fatal(err)
	}
	defaults = map[string]string{}
	for name, input := range action.Inputs {
		defaults[name] = input.Default
	}
	for _, step := range action.Runs.Steps {
		if step.ID == id {
			return step.Run, defaults
		}
	}
	t.Fatalf("action.yml has no step %s", id)
	return "", nil
}

// The GitHub action fails where its input is empty, and where less was tested than
// all. .ci/templates runs it on a binary of its own.
func TestTheActionWantsATargetAndACompleteRun(t *testing.T) {
	for _, tool := range []string{"bash", "jq"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	script, defaults := actionStep(t, "run")
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	temp := t.TempDir()
	if err := os.Symlink(executable, filepath.Join(temp, "adconform")); err != nil {
		t.Fatal(err)
	}
	target := bundledTarget(t)
	const one = "--quiet --case updateCampaign/401/no-key"
	for name, c := range map[string]struct{ target, require, arguments, outputs string }{
		"no target":                 {"", defaults["require"], "--quiet", "exit-code=2"},
		"a complete run":            {target, defaults["require"], "--quiet", "exit-code=0\nverdict=conforming\nlevel=complete"},
		"a selection":               {target, defaults["require"], one, "exit-code=3\nverdict=inconclusive\nlevel=selection"},
		"a selection, and asked so": {target, "selection", one, "exit-code=0\nverdict=conforming\nlevel=selection"},
		"quoted arguments": {
			target, "selection", "--quiet\n--label-filter 'class:401 && !writes'\n--focus \"no-key$\"",
			"exit-code=0\nverdict=conforming\nlevel=selection",
		},
		"an open quote":       {target, "selection", "--quiet --label-filter 'class:401", "exit-code=2"},
		"what a shell may do": {target, "selection", one + " --baseline $(touch x)", "exit-code=2"},
		"help":                {target, "complete", "--help", "exit-code=2"},
		"a dry run":           {target, "complete", "--dry-run", "exit-code=2"},
		"a report elsewhere":  {target, "selection", one + " --report " + filepath.Join(t.TempDir(), "r"), "exit-code=2"},
		"no arguments":        {bundledTarget(t), "complete", "", "exit-code=0\nverdict=conforming\nlevel=complete"},
	} {
		if testing.Short() && c.target != "" && !strings.Contains(c.arguments, "no-key") {
			continue
		}
		output := filepath.Join(t.TempDir(), "output")
		cmd := exec.CommandContext(t.Context(), "bash", "-e", "-o", "pipefail", "-c", script)
		cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GITHUB_") })
		cmd.Env = append(cmd.Env, asProgram+"=1", "RUNNER_TEMP="+temp, "GITHUB_OUTPUT="+output, "BASELINE=",
			"TARGET="+c.target, "REQUIRE="+c.require, "ARGUMENTS="+c.arguments, "REPORT="+filepath.Join(t.TempDir(), "report"))
		text, err := cmd.CombinedOutput()
		if got := strings.TrimSpace(mustRead(t, output)); got != c.outputs || (err == nil) != strings.HasPrefix(c.outputs, "exit-code=0") {
			t.Errorf("%s: %v, outputs %q\n%s", name, err, got, text)
		}
	}
}
