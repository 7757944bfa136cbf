package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/wire"
)

// initOptions are the flags of init.
type initOptions struct {
	from, owner, stranger string
	objects               []string // key=ids
	force                 bool
}

func (a *app) initCommand() *cobra.Command {
	var o initOptions
	cmd := &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a target file",
		Long: `Writes a target file (target.yaml, unless another is named) with comments that say what
each key is for, and beside it the JSON Schema that editors use. What no flag gives is in
the file as a comment, to be filled in.

The file names the environment variables that hold the keys, and never holds a key. A file
that is already there stays as it is.`,
		Example: `  adconform init
  adconform init --from http://127.0.0.1:8080/v2
  adconform init staging.yaml --from https://staging.example.com/v2 \
    --object campaign=25 --object disposableCreatives=301,302`,
		Args: arguments(0, 1, ""),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.init(append(args, "target.yaml")[0], &o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.from, "from", "", "base `URL`, which the paths of the interface follow")
	f.StringVar(&o.owner, "owner-env", "", "`variable` with the key of the objects' owner; default: "+fixtures.OwnerVariable)
	f.StringVar(&o.stranger, "stranger-env", "",
		"`variable` with the key of another user; default: "+fixtures.StrangerVariable+", if it is set")
	f.StringArrayVar(&o.objects, "object", nil, "`key=ids` of an object that may be used, or of several: campaign=25 (can be repeated)")
	f.BoolVar(&o.force, "force", false, "overwrite the file")
	return cmd
}

func (a *app) init(path string, o *initOptions) error {
	if _, err := os.Lstat(path); err == nil && !o.force {
		return fmt.Errorf("%s is already there; name another file, or overwrite it with --force", path)
	}
	if _, err := schemaBeside(path); err != nil {
		return err
	}
	d := &fixtures.Draft{File: path}
	for _, object := range o.objects {
		key, ids, ok := strings.Cut(object, "=")
		if !ok {
			return fmt.Errorf("--object %q: want key=ids such as campaign=25 or disposableCreatives=301,302", object)
		}
		if !strings.Contains(key, ".") {
			key = "objects." + key
		}
		if err := d.SetText(key, ids); err != nil {
			return fmt.Errorf("--object %s: %w", object, err)
		}
	}
	if _, set := a.Env(fixtures.StrangerVariable); set && o.stranger == "" {
		o.stranger = fixtures.StrangerVariable
	}
	if o.from != "" {
		if err := d.Set("baseURL", o.from); err != nil {
			return fmt.Errorf("--from: %s", strings.TrimPrefix(err.Error(), "baseURL: "))
		}
	}
	for _, key := range [][2]string{{"owner", o.owner}, {"stranger", o.stranger}} {
		if user, name := key[0], key[1]; name != "" {
			err := cmp.Or(a.checkVariable(name), d.Set("credentials."+user, map[string]string{"env": name}))
			if err != nil {
				return fmt.Errorf("--%s-env: %w", user, err)
			}
		}
	}
	if err := writeSchema(path); err != nil {
		return err
	}
	if err := report.WriteFile(path, 0o644, d.Write); err != nil {
		return err
	}
	a.say(path + " is written. Next:")
	if !d.Given("baseURL") {
		a.say("  give it your base URL")
	}
	for _, user := range []string{"owner", "stranger"} {
		name := d.Variable("credentials." + user)
		if _, set := a.Env(name); name != "" && !set {
			a.say("  export " + name + "=…   # the key of the " + user)
		}
	}
	a.say("  adconform doctor " + wire.Quote(path) + "   # what the file lacks, and what is not tested for that")
	return nil
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
			": one that is set, or words in capitals with _ between them; the key itself stays out of the target file")
	}
	return nil
}
