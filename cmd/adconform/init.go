package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites/report"
)

// initOptions are the flags of init.
type initOptions struct {
	draft   fixtures.Draft
	objects []string // key=ids
	force   bool
	yes     bool
}

func (a *app) initCommand() *cobra.Command {
	var o initOptions
	cmd := &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a target file",
		Long: `Writes a target file (target.yaml, unless another is named) with comments that say what
each key is for, and beside it the JSON Schema that editors use. On a terminal it asks
for the base URL and where the keys are, and each answer may be left out; elsewhere it
takes them from flags. What is left out, and each object that --object does not name, is
in the file as a comment.

The file says in which environment variables the keys are, never a key. A file that is
already there stays as it is.`,
		Example: `  adconform init
  adconform init --from http://127.0.0.1:8080/v2
  adconform init staging.yaml --from https://staging.example.com/v2 --object campaign=25 --object disposableCreatives=301,302`,
		Args: arguments(0, 1, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			path := "target.yaml"
			if len(args) > 0 {
				path = args[0]
			}
			return a.init(cmd.Context(), path, &o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.draft.BaseURL, "from", "", "`URL` that the paths of the interface follow")
	f.StringVar(&o.draft.Name, "name", "", "`name` of the implementation, for reports")
	f.StringVar(&o.draft.OwnerEnv, "owner-env", "", "`variable` with the key of the objects' owner; default: "+fixtures.OwnerVariable)
	f.StringVar(&o.draft.StrangerEnv, "stranger-env", "",
		"`variable` with the key of another user; default: "+fixtures.StrangerVariable+", if it is set")
	f.StringVar(&o.draft.Header, "header", "", "`name` of the request header with the key; default: "+fixtures.DefaultKeyHeader)
	f.StringArrayVar(&o.objects, "object", nil, "`key=ids` of an object that may be used, or of several: campaign=25 (can be repeated)")
	f.BoolVar(&o.force, "force", false, "overwrite the file")
	f.BoolVarP(&o.yes, "yes", "y", false, "ask nothing")
	return cmd
}

func (a *app) init(ctx context.Context, path string, o *initOptions) error {
	if _, err := os.Lstat(path); err == nil && !o.force {
		return fmt.Errorf("%s is already there; name another file, or overwrite it with --force", path)
	}
	if _, err := schemaBeside(path); err != nil {
		return err
	}
	d := &o.draft
	for flag, name := range map[string]string{"--owner-env": d.OwnerEnv, "--stranger-env": d.StrangerEnv} {
		if name == "" {
			continue
		}
		if err := a.checkVariable(name); err != nil {
			return fmt.Errorf("%s: %w", flag, err)
		}
	}
	if _, set := a.Env(fixtures.StrangerVariable); set && d.StrangerEnv == "" {
		d.StrangerEnv = fixtures.StrangerVariable
	}
	if err := d.Check(); err != nil {
		return errors.New(strings.Replace(err.Error(), "baseURL:", "--from:", 1))
	}
	for _, object := range o.objects {
		key, ids, ok := strings.Cut(object, "=")
		if !ok {
			return fmt.Errorf("--object %q: want key=ids such as campaign=25 or disposableCreatives=301,302", object)
		}
		if err := d.Set(key, ids); err != nil {
			return fmt.Errorf("--object %s: %w", key, err)
		}
	}
	if a.asks() && !o.yes {
		if err := a.askForTarget(ctx, d); err != nil {
			return err
		}
	}
	if err := writeSchema(path); err != nil {
		return err
	}
	if err := report.WriteFile(path, 0o644, d.Write); err != nil {
		return err
	}
	a.tellNext(path, d)
	return nil
}

// tellNext says what is to be done with a file that is written.
func (a *app) tellNext(path string, d *fixtures.Draft) {
	fmt.Fprintf(a.Stdout, "%s is written. Next:\n", path)
	if d.BaseURL == "" {
		fmt.Fprintln(a.Stdout, "  give it your base URL")
	}
	for _, name := range []string{d.Owner(), d.StrangerEnv} {
		if _, set := a.Env(name); name != "" && !set {
			fmt.Fprintf(a.Stdout, "  export %s=…   # its key\n", name)
		}
	}
	fmt.Fprintf(a.Stdout, "  adconform doctor %s   # what the file lacks, and what is not tested for that\n", path)
}

// none is the answer that there is nothing of the kind.
const none = "-"

// askForTarget asks for what flags have not given. Each answer is checked with those
// before it. The objects are left to the file, which has a comment on each.
func (a *app) askForTarget(ctx context.Context, d *fixtures.Draft) error {
	ctx, cancel := a.Interruptible(ctx, "")
	defer cancel()
	defer context.AfterFunc(ctx, func() { a.Exit(report.ExitInterrupted) })() // nothing is written yet
	out := a.harmless().Stdout
	fmt.Fprintln(out, "Enter takes what stands in brackets, or leaves it out.")
	q := &questions{out: out, lines: bufio.NewScanner(a.Stdin)}
	if d.BaseURL == "" {
		q.ask("base URL, which the paths of the interface follow, such as https://host/v2", "", into(d, &d.BaseURL))
	}
	if d.OwnerEnv == "" {
		q.ask("environment variable with the key of the user who owns the objects", fixtures.OwnerVariable, a.variableInto(d, &d.OwnerEnv))
	}
	q.ask("environment variable with the key of another user, without permission for them; - for none",
		cmp.Or(d.StrangerEnv, none), a.variableInto(d, &d.StrangerEnv))
	if d.Header == "" {
		q.ask("request header that carries the key", fixtures.DefaultKeyHeader, into(d, &d.Header))
	}
	return q.Err
}

// into takes an answer for a part of a draft, if the file would be right with it.
func into(d *fixtures.Draft, part *string) func(string) error {
	return func(text string) error {
		before := *part
		*part = text
		err := d.Check()
		if err != nil {
			*part = before
		}
		return err
	}
}

// variableInto takes the name of a variable for a part of a draft.
func (a *app) variableInto(d *fixtures.Draft, part *string) func(string) error {
	return func(text string) error {
		if text == none {
			text = ""
		} else if err := a.checkVariable(text); err != nil {
			return err
		}
		return into(d, part)(text)
	}
}

var (
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	usualName    = regexp.MustCompile(`^[A-Z]{1,16}[0-9]{0,3}(_([A-Z]{1,16}[0-9]{0,3}|[0-9]{1,3}))+$`)
)

// checkVariable refuses what is no name of a variable, and what may be a key that was
// given in its place. It does not repeat it.
func (a *app) checkVariable(name string) error {
	_, set := a.Env(name)
	if !variableName.MatchString(name) || !set && !usualName.MatchString(name) {
		return errors.New("want the name of an environment variable such as " + fixtures.OwnerVariable +
			": one that is set, or words in capitals with _ between them; the key itself stays out of the file")
	}
	return nil
}
