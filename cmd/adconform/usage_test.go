package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
)

// Wrong usage is one line on standard error, with a remedy, and exit code 2.
func TestWrongUsageIsOneClearLine(t *testing.T) {
	keys := map[string]string{fixtures.OwnerVariable: "abcdefgh12"}
	broken := filepath.Join(t.TempDir(), "target.yaml")
	for _, c := range []struct {
		args string
		env  map[string]string
		want []string
	}{
		{args: "rnu", want: []string{`unknown command "rnu"`, "did you mean run?", "see adconform --help"}},
		{args: "help rnu", want: []string{"did you mean run?"}},
		{args: "completion bsh", want: []string{"did you mean bash?"}},
		{args: "run --tagret x", want: []string{"unknown flag --tagret", "did you mean --target?", "see adconform run --help"}},
		{args: "run -z", want: []string{"unknown shorthand flag"}},
		{args: "run --target", want: []string{"--target needs a value"}},
		{args: "run http://127.0.0.1:9/v2 extra", want: []string{`unexpected argument "extra"`}},
		{args: "run --depth depe", want: []string{"quick, standard, deep", "did you mean deep?"}},
		{args: "run --basis stated,publshed", want: []string{"did you mean published?"}},
		{args: "run --format jsn", want: []string{"did you mean json?"}},
		{args: "run --seed -1", want: []string{"--seed", "0 or more"}},
		{args: "run --strict=maybe", want: []string{"true or false"}},
		{args: "run --budget 0", want: []string{"--budget", "60 or a time such as 2m"}},
		{args: "run --rate fast", want: []string{"--rate", "10/s"}},
		{args: "run --timeout 10", want: []string{"--timeout", "10s"}},
		{args: "run --deadline 10", want: []string{"--deadline", "10s"}},
		{args: "run --key k", want: []string{"--key needs --cert"}},
		{args: "run --quiet --verbose", want: []string{"exclude one another"}},
		{args: "run --clause AUTHH-1", want: []string{"no such clause", "did you mean AUTH-1?"}},
		{args: "run --case updateCampaign/401/no-kye", want: []string{"did you mean updateCampaign/401/no-key?"}},
		{args: "run --operation updateCampain", want: []string{"did you mean updateCampaign?"}},
		{args: "cases --focus (", want: []string{"--focus", "missing closing )"}},
		{args: "cases --label-filter &&", want: []string{`--label-filter "&&"`, "'basis:stated && !writes'"}},
		{args: "cases --operation updateCampaign --case deleteCreative/401/no-key", want: []string{"no case matches the selection"}},
		{args: "run --overlay nowhere.yaml", want: []string{"--overlay nowhere.yaml", "no such file"}},
		{args: "run --target nowhere.yaml", want: []string{"nowhere.yaml: no such file", "adconform init"}},
		{args: "run --target 127.0.0.1:80/v2", want: []string{"did you mean http://127.0.0.1:80/v2?"}},
		{args: "run http://127.0.0.1:9/v2", want: []string{fixtures.OwnerVariable, "adconform init"}},
		{args: "run http://127.0.0.1:9/v2 --target x", want: []string{"given twice"}},
		{args: "run ftp://127.0.0.1/v2", env: keys, want: []string{"not an absolute http, https or unix URL"}},
		{args: "run --report " + filepath.Join(broken, "sub"), want: []string{"report folder", "not a directory"}},
		{args: "run", env: map[string]string{"ADCONFORM_SEED": "x"}, want: []string{"variable ADCONFORM_SEED", "whole number"}},
		{args: "run", env: map[string]string{"ADCONFORM_DEPTH": "x"}, want: []string{"variable ADCONFORM_DEPTH", "quick, standard, deep"}},
		{args: "serve --addr 127.0.0.1:http-no", want: []string{"--addr 127.0.0.1:http-no", "127.0.0.1:0"}},
		{args: "explain", want: []string{"is missing", "see adconform explain --help"}},
		{args: "explain AUTHH-2", want: []string{`"AUTHH-2" is no clause, case, open point or check`, "did you mean AUTH-2?"}},
		{args: "explain malfromed-id", want: []string{"did you mean malformed-id?"}},
		{args: "check", want: []string{"a recording is missing"}},
		{args: "check nowhere.har", want: []string{"nowhere.har: no such file"}},
		{args: "check x.har --base-url http://a --base-path /", want: []string{"exclude one another"}},
		{args: "run --case=", want: []string{"--case is empty", "leave it out"}},
		{args: "run --operation= --case updateCampaign/401/no-key", want: []string{"--operation is empty"}},
		{args: "run --case updateCampaign/401/no-key --clause=", want: []string{"--clause is empty"}},
		{args: "run --focus=", want: []string{"--focus is empty"}},
		{args: "run --focus no-key --focus=", want: []string{"--focus is empty"}},
		{args: "run --skip=", want: []string{"--skip is empty"}},
		{args: "run --label-filter=", want: []string{"--label-filter is empty"}},
		{args: "run --report=", want: []string{"--report is empty"}},
		{args: "run --baseline=", want: []string{"--baseline is empty"}},
		{args: "run --overlay=", want: []string{"--overlay is empty"}},
		{args: "check x.har --baseline=", want: []string{"--baseline is empty"}},
		{args: "run --dry-run --require complete", want: []string{"--dry-run tests nothing"}},
		{args: "run --require selection", env: map[string]string{"ADCONFORM_DRY_RUN": "true"}, want: []string{"--dry-run tests nothing"}},
		{
			args: "run --fault auth/any-key/updateCampaign --fault auth/empty-key/updateCampaign",
			want: []string{`--fault "auth/empty-key/updateCampaign"`, "given twice", "one is put on at a time"},
		},
		{args: "serve --fault auth/any-key/updateCampaign --fault x", want: []string{"--fault is given twice"}},
		{args: "serve --variant wire/pretty --variant x", want: []string{"--variant is given twice"}},
		{args: "init a b", want: []string{`unexpected argument "b"`}},
	} {
		t.Run(c.args, func(t *testing.T) {
			if strings.HasPrefix(c.args, "run --report") {
				touch(t, broken)
			}
			refuses(t, c.env, strings.Fields(c.args), c.want...)
		})
	}
}

func TestProblemsOfATargetFileComeAllAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "target.yaml")
	write(t, path, "baseURL: http://127.0.0.1:1/v2\ncredentials: {owner: {env: NO_SUCH}}\nobjcts: {}\n")
	code, _, stderr := run(t, nil, "run", "--target", path)
	if code != 2 || strings.Count(stderr, "adconform: "+path+":") != 2 {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}

func TestEveryCommandHasAnExample(t *testing.T) {
	for _, c := range append((&app{}).root().Commands(), (&app{}).root()) {
		if c.Example == "" || c.Long == "" {
			t.Errorf("%s: example %q", c.Name(), c.Example)
		}
	}
}

func TestHelpExitsWithZero(t *testing.T) {
	for _, args := range []string{"", "help", "--help", "run --help", "help run", "completion", "completion bash"} {
		code, stdout, stderr := run(t, nil, strings.Fields(args)...)
		if code != 0 || stdout == "" || stderr != "" {
			t.Errorf("%q: exit code %d, standard error %q", args, code, stderr)
		}
	}
}

func TestTheShellCompletesIds(t *testing.T) {
	for args, want := range map[string]string{
		"run --clause AUTH-":    "AUTH-1",
		"run --operation ":      "deleteCreative",
		"run --case updateCamp": "updateCampaign/401/no-key",
		"run --depth ":          "standard",
		"explain malformed":     "malformed-id",
	} {
		words := append([]string{"__complete"}, strings.Split(args, " ")...)
		if code, stdout, _ := run(t, nil, words...); code != 0 || !strings.Contains(stdout, want+"\n") {
			t.Errorf("%q: exit code %d, %q", args, code, stdout)
		}
	}
}
