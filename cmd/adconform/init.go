package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/doctor"
	"github.com/adconform/adconform/internal/engine"
	"github.com/adconform/adconform/internal/render"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/report"
)

func (a *app) initCommand() *cobra.Command {
	var from string
	var force, yes bool
	o := newOptions()
	cmd := &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a target file",
		Long: `Writes a target file (target.yaml, unless another is named) with comments that
explain each key, and beside it the JSON Schema that editors use.

On a terminal it asks for the base URL, where the keys of two users are, and
how to restore objects, and checks the answers by requests that only read.
Elsewhere, and with --yes, it leaves that to an editor, as it does which objects
may be used. The file never contains a key, only the names of the variables or
files that hold them.`,
		Example: `  adconform init
  adconform init staging.yaml --from https://staging.example.com/v2`,
		RunE: func(cmd *cobra.Command, args []string) error {
			path := append(args, "target.yaml")[0]
			if _, err := os.Lstat(path); err == nil && !force {
				return fmt.Errorf("%s already exists; name another file, or overwrite it with --force", path)
			}
			return a.init(cmd.Context(), path, from, a.asks() && !yes, &o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&from, "from", "", "base `URL`, to which the paths of the interface are appended")
	f.BoolVar(&force, "force", false, "overwrite the file")
	f.BoolVarP(&yes, "yes", "y", false, "ask nothing")
	o.add(cmd, "overlay")
	return cmd
}

func (a *app) init(ctx context.Context, path, from string, asks bool, o *options) error {
	contract, err := loadContract(o.overlays)
	if err != nil {
		return err
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() { // before it asks
		return fmt.Errorf("%s: %s is not a folder; create it, or name another file", path, filepath.Dir(path))
	}
	d := &fixtures.Draft{File: path, IDs: contract.Keys()}
	if from != "" {
		if err := d.Set("baseURL", from); err != nil {
			return err
		}
	}
	usual := map[string]string{"credentials.owner": fixtures.OwnerVariable}
	if _, isSet := a.Env(fixtures.StrangerVariable); isSet {
		usual["credentials.stranger"] = fixtures.StrangerVariable
	}
	complete := setVariables
	if asks {
		complete = func(d *fixtures.Draft, usual map[string]string) error { return a.fill(ctx, d, usual) }
	}
	if err := complete(d, usual); err != nil {
		return err
	}
	if err := writeWithSchema(path, 0o644, d.Write); err != nil {
		return err
	}
	return a.tellNext(ctx, d, asks, o)
}

// setVariables makes a draft take the keys of users from the usual variables.
func setVariables(d *fixtures.Draft, usual map[string]string) error {
	for user, name := range usual {
		if err := d.Set(user, map[string]string{"env": name}); err != nil {
			return err
		}
	}
	return nil
}

// tellNext prints what to do next with a file that was written. After questions it checks whether the
// file fits the target.
func (a *app) tellNext(ctx context.Context, d *fixtures.Draft, asked bool, o *options) error {
	file := wording.Quote(d.File)
	for _, overlay := range o.overlays {
		file += " --overlay " + wording.Quote(overlay)
	}
	next := []string{d.File + " was written. Next:"}
	if d.Values["baseURL"] == nil {
		next = append(next, "  write your base URL into it")
	}
	for _, user := range []string{"owner", "stranger"} {
		from, _ := d.Values["credentials."+user].(map[string]string)
		if _, set := a.Env(from["env"]); from["env"] != "" && !set {
			next = append(next, "  export "+from["env"]+"=…   # the key of the "+user)
		}
	}
	if !asked || len(next) > 1 {
		a.say(append(next, "  adconform doctor "+file+"   # what the file lacks, and what is therefore not tested")...)
		return nil
	}
	o.target = d.File
	if err := a.onTarget(ctx, o, "", a.doctor); err != nil && !errors.As(err, new(exitCode)) {
		return err
	}
	a.say(next[0], "  write into it what is missing, or test without it:", "  adconform run "+file+" --report report")
	return nil
}

// asked lists what init asks for. An answer about the header may name a query parameter. Objects are for an editor,
// which shows what each key is for.
var asked = []string{
	"baseURL", "credentials.owner", "credentials.stranger", "credentials.header", "provision.post", "provision.command",
}

// fill asks for what a draft lacks.
func (a *app) fill(ctx context.Context, d *fixtures.Draft, usual map[string]string) error {
	ctx, cancel := a.Interruptible(ctx, "")
	defer cancel()
	defer context.AfterFunc(ctx, func() { a.Exit(report.ExitInterrupted) })() // nothing has been written yet
	lines := bufio.NewScanner(a.Stdin)
	a.say("Enter accepts the value in brackets, or skips the question. A key stays out of the file:",
		"answer with the environment variable or the file that holds it.")
	for _, key := range fixtures.Keys() {
		if !slices.Contains(asked, key.Path) {
			continue
		}
		if key.Section != "" {
			a.say(append([]string{""}, render.Wrap(key.Section, defaultColumns)...)...)
		}
		if err := a.ask(lines, d, key, usual[key.Path]); err != nil {
			return err
		}
	}
	return nil
}

// ask repeats a question until the answer is accepted, together with those before it, or is empty, which stands
// for the usual one.
func (a *app) ask(lines *bufio.Scanner, d *fixtures.Draft, key fixtures.Key, usual string) error {
	question := fmt.Sprintf("  %s: %s\n    such as %s", key.Path, key.About, key.Example)
	if usual != "" {
		question = fmt.Sprintf("  %s: %s [%s]", key.Path, key.About, usual)
	}
	isKnown := d.Values[key.Path] != nil
	if key.Path == "provision.command" && d.Values["provision.post"] != nil {
		isKnown = true // one of the two is enough
	}
	for !isKnown {
		fmt.Fprint(a.Stdout, question+": ")
		if !lines.Scan() {
			fmt.Fprintln(a.Stdout)
			return errors.New("the input has ended before the last answer; nothing is written")
		}
		answer := cmp.Or(strings.TrimSpace(lines.Text()), usual)
		if answer == "" {
			return nil
		}
		err := a.set(d, key.Path, answer)
		if err != nil {
			a.say("    " + err.Error())
		}
		isKnown = err == nil
	}
	return nil
}

// usualName matches a name that can hardly be a key.
var usualName = regexp.MustCompile(`^[A-Z]{1,16}[0-9]{0,3}(_([A-Z]{1,16}[0-9]{0,3}|[0-9]{1,3}))+$`)

// set sets the value at a path of a draft, as an answer gives it. In place of a user's key it takes
// a file, relative to the draft, or a variable. It rejects a text that is neither, as it may be the key itself;
// the error does not repeat it.
func (a *app) set(d *fixtures.Draft, path, text string) error {
	switch {
	case path == "provision.command":
		return d.Set(path, strings.Fields(text))
	case path == "credentials.header" && strings.HasPrefix(text, "?"):
		return d.Set("credentials.query", strings.TrimSuffix(text[1:], "={key}"))
	case !strings.HasPrefix(path, "credentials."), path == "credentials.header":
		return d.Set(path, text)
	}
	file := text
	if !filepath.IsAbs(file) {
		file = filepath.Join(filepath.Dir(d.File), file)
	}
	info, err := os.Stat(file)
	_, set := a.Env(text)
	switch {
	case err == nil && info.Mode().IsRegular():
		return d.Set(path, map[string]string{"file": text})
	case set || usualName.MatchString(text):
		return d.Set(path, map[string]string{"env": text})
	}
	return fmt.Errorf("%s: want the name of an environment variable such as %s: one that is set, or words in capitals "+
		"with _ between them; or a file; the key itself stays out of the target file", path, fixtures.OwnerVariable)
}

func (a *app) doctorCommand() *cobra.Command {
	o := newOptions()
	cmd := &cobra.Command{
		Use:   "doctor " + targetUse,
		Short: "Check by reading whether a target has what a run needs",
		Long: `Checks whether the target answers, accepts both keys and has the objects that
the target file names. It reports what is missing and what that costs a run, and
lists what a run may change. It sends only GET requests; what only a write could
show is reported as unchecked.

Exit codes: 0 a run has what it needs to test every stated clause, 1 an answer
already broke the contract, 2 wrong usage or configuration, 3 something is
missing or wrong, or the target does not answer, 130 interrupted.`,
		Example: `  adconform doctor target.yaml
  adconform doctor target.yaml && adconform run target.yaml`,
		Args: o.takeTarget(a.Env),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.onTarget(cmd.Context(), &o, "", a.doctor) },
	}
	o.add(cmd, "overlay depth wait rate timeout ca cert key insecure json verbose")
	return cmd
}

func (a *app) doctor(ctx context.Context, o *options, c *engine.Config) error {
	if o.verbose {
		c.Record = a.exchange
	}
	// The check of the base URL says whether the target still does not answer.
	if _, err := a.waitFor(ctx, c, o.wait); err != nil {
		return err
	}
	r, err := engine.Preflight(ctx, c)
	if err != nil {
		return err
	}
	for i := range r.Parts {
		if err := r.Parts[i].Lost; err != nil {
			r.Parts[i].Detail = doesNotAnswer(err)
		}
	}
	if o.json {
		a.printJSON(r)
		return exitCode(r.ExitCode)
	}
	_ = render.PreflightSummary(a.Stdout, r, o.style(a))
	if c.Target.File == "" || slices.ContainsFunc(r.Parts, isFatal) {
		return exitCode(r.ExitCode)
	}
	if plan, err := c.Sendable(); err == nil {
		a.say("")
		a.printWrites(c, plan)
	}
	return exitCode(r.ExitCode)
}

// isFatal reports whether a run would send nothing because of a part.
func isFatal(part report.Part) bool {
	isNeeded := part.Need == doctor.NeedBaseURL || part.Need == doctor.NeedOwner
	return isNeeded && part.Status == report.Wrong
}
