package main

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/adconform/adconform/fixtures"
)

// Wrong usage is one line on standard error, with a remedy, and exit code 2.
func TestWrongUsageIsOneClearLine(t *testing.T) {
	keys := map[string]string{fixtures.OwnerVariable: "abcdefgh12"}
	file, dir := filepath.Join(t.TempDir(), "a-file"), t.TempDir()
	write(t, file, "")
	run(t, nil, "run", "--report", dir, "--case", "updateCampaign/401/*", "--quiet", "--fault", "auth/no-key/updateCampaign")
	const faults = "; adconform serve --list-faults lists all"
	for _, c := range []struct {
		args string
		env  map[string]string
		want string // parts, with … between them
	}{
		{"rnu", nil, `unknown command "rnu"…did you mean run?…see adconform --help`},
		{"help rnu", nil, "did you mean run?"},
		{"completion bsh", nil, "did you mean bash?"},
		{"pin report", nil, `unknown command "pin"`},
		{"run --dpeth x", nil, "unknown flag: --dpeth (did you mean depth?)…see adconform run --help"},
		{"run --target x", nil, "unknown flag: --target"},
		{"run --repeat 3", nil, "unknown flag: --repeat"},
		{"run -z", nil, "unknown shorthand flag"},
		{"run --case", nil, "flag needs an argument: --case"},
		{"run http://127.0.0.1:9/v2 extra", nil, `unexpected argument "extra"`},
		{"run --depth depe", nil, "quick, standard, deep…did you mean deep?"},
		{"run --basis stated,publshed", nil, "did you mean published?"},
		{"run --require all", nil, "want one of complete, partial, selection"},
		{"run --seed -1", nil, "invalid argument…--seed"},
		{"run --read-only=maybe", nil, "invalid argument…--read-only"},
		{"run --rate fast", nil, "--rate…10/s"},
		{"run --timeout 10", nil, "--timeout…10s"},
		{"run --concurrency 0", nil, "--concurrency…more than 0"},
		{"run --key k", nil, "--key needs --cert"},
		{"run --quiet --verbose", nil, "exclude one another"},
		{"run --clause AUTHH-1", nil, "no such clause…did you mean AUTH-1?"},
		{"run --case updateCampaign/401/no-kye", nil, "no such case…did you mean updateCampaign/401/no-key?"},
		{"run --case updateCampain/*", nil, "--case updateCampain/*: there is no such case"},
		{"run --skip none/*", nil, "--skip none/*: there is no such case"},
		{"run --skip *", nil, "no case matches --skip *"},
		{"cases --case updateCampaign/* --skip updateCampaign/*", nil, "no case matches the selection"},
		{"run --case deleteCreative/* --clause CAMPAIGN-3", nil, "no case matches --case deleteCreative/* and --clause CAMPAIGN-3"},
		{"run --read-only --case updateCampaign/422/*", nil, "no case of the selection"},
		{"run", map[string]string{"ADCONFORM_CASE": "none"}, "--case none: there is no such case"},
		{"run --overlay nowhere.yaml", nil, "--overlay nowhere.yaml…no such file"},
		{"run nowhere.yaml", nil, "nowhere.yaml: no such file…adconform init"},
		{"run 127.0.0.1:80/v2", nil, "did you mean http://127.0.0.1:80/v2?"},
		{"run http://127.0.0.1:9/v2", nil, fixtures.OwnerVariable + "…adconform init"},
		{"run ftp://127.0.0.1/v2", keys, "not an absolute http, https or unix URL"},
		{"run --report " + filepath.Join(file, "sub"), nil, "report folder…not a directory"},
		{"run --baseline known.yaml", nil, "--baseline: baseline known.yaml: no such file"},
		{"run", map[string]string{"ADCONFORM_SEED": "x"}, "variable ADCONFORM_SEED…invalid argument"},
		{"run", map[string]string{"ADCONFORM_DEPTH": "x"}, "variable ADCONFORM_DEPTH…quick, standard, deep"},
		{"serve --addr 127.0.0.1:http-no", nil, "--addr 127.0.0.1:http-no…127.0.0.1:0"},
		{"explain", nil, "is missing…see adconform explain --help"},
		{"explain AUTHH-2", nil, `"AUTHH-2" is no clause, case, open point or check…did you mean AUTH-2?`},
		{"explain malfromed-id", nil, "did you mean malformed-id?"},
		{"check", nil, "a recording is missing"},
		{"check nowhere.har", nil, "nowhere.har: no such file"},
		{"check x.har --baseline=", nil, "--baseline is empty"},
		{"run --case=", nil, "--case is empty…leave it out"},
		{"run --case updateCampaign/401/no-key --clause=", nil, "--clause is empty"},
		{"run --report=", nil, "--report is empty"},
		{"init a b", nil, `unexpected argument "b"`},

		{"run --fault auth/any-key/updateCampaign --fault x", nil, `"--fault" flag…given twice…one is put on at a time`},
		{"serve --variant wire/pretty --variant x", nil, "--variant is given twice"},
		{"serve --fault auth/any-ky/updateCampaign", nil, "(did you mean auth/any-key/updateCampaign?)" + faults},
		{"run --fault auth/any-key", nil, "; beginning alike: auth/any-key/deleteCreative, "},
		{"run --fault zz", nil, `unknown fault "zz"` + faults},
		{"run --fault authentication/none", nil, "; beginning alike: auth/"},
		{"serve --variant wire/prety", nil, "(did you mean wire/pretty?)" + faults},
		{"selftest --list --only wire/prety", nil, "(did you mean wire/pretty?); adconform selftest --list"},
		{"run y --fault x", nil, "--fault breaks the bundled reference: leave out the target and --overlay"},

		{"baseline add known.yaml " + dir, nil, "--reason is missing"},
		{"baseline add known.yaml " + dir + " --reason r", nil, "--expires is missing"},
		{"baseline add known.yaml " + dir + " --reason r --expires soon", nil, `"soon" is not a date`},
		{"baseline add known.yaml " + dir + " --reason r --expires 2001-01-01", nil, "--expires 2001-01-01 is over"},
		{
			"baseline add known.yaml " + dir + " --reason r --expires 2999-01-01 --clause AUTH1", nil,
			`--clause "AUTH1" is not one of the contract's (did you mean AUTH-1?)`,
		},
		{"baseline add " + dir + "/none/k.yaml " + dir + " --reason r --expires 2999-01-01", nil, "none/k.yaml: no such file or directory"},
		{"baseline add known.yaml", nil, "an argument is missing: name the baseline and the report"},
		{"baseline prune known.yaml " + dir, nil, "baseline known.yaml: no such file or directory"},
		{"baseline prone known.yaml", nil, "did you mean prune?"},
		{"diff " + dir, nil, "a report is missing"},
		{"replay", nil, "the report is missing"},
		{"replay " + dir + "/none", nil, "none: no such file or directory"},
	} {
		t.Run(c.args, func(t *testing.T) { refuses(t, c.env, strings.Fields(c.args), strings.Split(c.want, "…")...) })
	}
}

// A pipeline whose variable is not set does not mean the bundled reference.
func TestAnEmptyTargetIsAnError(t *testing.T) {
	none := map[string]string{"ADCONFORM_TARGET": ""}
	for _, command := range []string{"run", "cases", "doctor"} {
		refuses(t, none, []string{command}, "the variable ADCONFORM_TARGET is empty: name")
		refuses(t, map[string]string{"ADCONFORM_TARGET": "t.yaml"}, []string{command, " "}, "the target is empty: name")
	}
	refuses(t, none, []string{"replay", "report"}, "the variable ADCONFORM_TARGET is empty: name")
	target := serving(t, answering(500, "{}"))
	if code, stdout, _ := run(t, none, "run", "--quiet", "--depth", "quick", target); code != 1 ||
		!strings.Contains(stdout, "; tested: adconform reference at http://") {
		t.Errorf("an argument wins over the variable: exit code %d, %s", code, stdout)
	}
}

func TestProblemsOfATargetFileComeAllAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "target.yaml")
	write(t, path, "baseURL: http://127.0.0.1:1/v2\ncredentials: {owner: {env: NO_SUCH}}\nobjcts: {}\n")
	code, _, stderr := run(t, nil, "run", path)
	if code != 2 || strings.Count(stderr, "adconform: "+path+":") != 2 {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}

// A file that adconform did not write is never written over, and the run that would sends
// nothing.
func TestFilesOfOthersStay(t *testing.T) {
	var requests atomic.Int64
	target := serving(t, func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		answering(404, "{}")(w, r)
	})
	const recording = `{"log": {"version": "1.2", "creator": {"name": "some browser", "version": "1"}, "entries": []}}`
	for file, line := range map[string]string{
		"report.html": "run TARGET --report DIR",
		"summary.md":  "run TARGET --report DIR --case updateCampaign/401/no-key",
		"traffic.har": "check DIR/traffic.har --report DIR",
		"mine.yaml":   "serve --addr 127.0.0.1:0 --write-target DIR/mine.yaml",
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, file)
		write(t, path, recording)
		refuses(t, nil, strings.Fields(strings.NewReplacer("TARGET", target, "DIR", dir).Replace(line)),
			path+" is there, and adconform did not write it; name another, or move it away")
		if mustRead(t, path) != recording {
			t.Errorf("%s was written over", file)
		}
	}
	if n := requests.Load(); n > 0 {
		t.Errorf("%d requests were sent", n)
	}
}

// runFlags are those of run, and of the design.
const runFlags = "depth case skip clause seed read-only overlay fault require basis baseline allow-inconclusive rate concurrency " +
	"timeout wait deadline ca cert key insecure report quiet verbose"

// Every command has an example and a group, and so has every flag of the commands that have
// many. None is hidden, and there are no more than the design has.
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
		if want := slices.Sorted(slices.Values(strings.Fields(runFlags))); c.Name() == "run" && !slices.Equal(flags, want) {
			t.Errorf("run has the %d flags %q, and the design %q", len(flags), flags, want)
		}
		many := []string{"run", "serve", "doctor"}
		if help := flagsByGroup(c.Flags(), 0); slices.Contains(many, c.Name()) && strings.HasPrefix(help, "Flags:") {
			t.Errorf("%s has flags without a group:\n%s", c.Name(), help)
		}
	}
	seen := map[string]bool{}
	for _, g := range flagGroups {
		for _, name := range strings.Fields(g.flags) {
			if seen[name] {
				t.Errorf("--%s is in two groups", name)
			}
			seen[name] = true
		}
	}
}

// What a command or flag of the help is under.
func TestHelpIsGrouped(t *testing.T) {
	for _, c := range []struct{ args, title, below string }{
		{"", "Test a server:", "  run "},
		{"help", "Gate:", "  baseline "},
		{"--help", "Develop a client:", "  check "},
		{"run --help", "How careful:", "--read-only"},
		{"help run", "Connection:", "--ca file"},
		{"run --help", "Output:", "--report folder"},
		{"serve --help", "What:", "--fault id"},
		{"init --help", "What:", "--from URL"},
		{"completion", "Usage:", "adconform completion [command]"},
	} {
		code, stdout, stderr := run(t, nil, strings.Fields(c.args)...)
		below := func(part string) bool {
			return strings.HasPrefix(part, c.title+"\n") && strings.Contains(part, c.below)
		}
		if code != 0 || stderr != "" || !slices.ContainsFunc(strings.Split(stdout, "\n\n"), below) {
			t.Errorf("%s: exit code %d, no %s below %s in\n%s%s", c.args, code, c.below, c.title, stdout, stderr)
		}
	}
}

// On a terminal the flags are no wider than that.
func TestHelpKeepsToTheWidth(t *testing.T) {
	_, flags, _ := strings.Cut(onTerminal(t, 72, nil, "run", "--help"), "\n\nWhat:")
	for line := range strings.Lines(flags) {
		if len([]rune(line)) > 73 {
			t.Error(line)
		}
	}
	c := &cobra.Command{Use: "x"}
	c.Flags().String("long", "", strings.Repeat("word ", 60))
	for line := range strings.Lines(flagsByGroup(c.Flags(), 70)) {
		if len(line) > 71 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
}

func TestTheShellCompletesIds(t *testing.T) {
	for args, want := range map[string]string{
		"run --clause AUTH-": "AUTH-1", "run --case updateCamp": "updateCampaign/401/no-key",
		"run --skip deleteCreative/401": "deleteCreative/401/no-key", "run --depth ": "standard", "explain malformed": "malformed-id",
	} {
		words := append([]string{"__complete"}, strings.Split(args, " ")...)
		if code, stdout, _ := run(t, nil, words...); code != 0 || !strings.Contains(stdout, want+"\n") {
			t.Errorf("%q: exit code %d, %q", args, code, stdout)
		}
	}
	if code, stdout, _ := run(t, nil, "completion", "bash"); code != 0 || stdout == "" {
		t.Errorf("exit code %d", code)
	}
}
