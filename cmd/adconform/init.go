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
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/wire"
)

// initOptions are the flags of init.
type initOptions struct {
	from, owner, stranger string
	objects               []string // key=ids
	force, yes            bool
}

func (a *app) initCommand() *cobra.Command {
	var o initOptions
	cmd := &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a target file",
		Long: `Writes a target file (target.yaml, unless another is named) with comments that say what
each key is for, and beside it the JSON Schema that editors use.

On a terminal it asks for the base URL, where the keys of two users are, which objects may
be used, and what brings them back, and looks by requests that only read whether that
is right. Elsewhere, and with --yes, it takes all from flags. What is left out is in the file
as a comment.

The file names the environment variables or files that hold the keys, and never holds a
key. A file that is already there stays as it is.`,
		Example: `  adconform init
  adconform init --from http://127.0.0.1:8080/v2
  adconform init staging.yaml --from https://staging.example.com/v2 \
    --object campaign=25 --object disposableCreatives=301,302`,
		Args: arguments(0, 1, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.init(cmd.Context(), append(args, "target.yaml")[0], &o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.from, "from", "", "base `URL`, which the paths of the interface follow")
	f.StringVar(&o.owner, "owner-env", "", "`variable` with the key of the objects' owner; default: "+fixtures.OwnerVariable)
	f.StringVar(&o.stranger, "stranger-env", "",
		"`variable` with the key of another user; default: "+fixtures.StrangerVariable+", if it is set")
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
	asks := a.asks() && !o.yes
	if err := a.fill(ctx, d, o, asks); err != nil {
		return err
	}
	if err := writeSchema(path); err != nil {
		return err
	}
	if err := report.WriteFile(path, 0o644, d.Write); err != nil {
		return err
	}
	return a.tellNext(ctx, d, asks)
}

// tellNext says what is to be done with a file that is written. On a terminal it looks whether the
// target is as the file says.
func (a *app) tellNext(ctx context.Context, d *fixtures.Draft, asked bool) error {
	next := []string{"  adconform doctor " + wire.Quote(d.File) + "   # what the file lacks, and what is not tested for that"}
	for _, user := range []string{"stranger", "owner"} {
		name := d.Variable("credentials." + user)
		if _, set := a.Env(name); name != "" && !set {
			next = slices.Insert(next, 0, "  export "+name+"=…   # the key of the "+user)
		}
	}
	if !d.Given("baseURL") {
		next = slices.Insert(next, 0, "  give it your base URL")
	}
	if asked && len(next) == 1 {
		o := newOptions()
		o.target = d.File
		if err := a.doctor(ctx, &o); err != nil && !errors.As(err, new(exitCode)) {
			return err
		}
		next = []string{"  adconform run " + wire.Quote(d.File) + " --report report"}
	}
	a.say(append([]string{d.File + " is written. Next:"}, next...)...)
	return nil
}

// rest is the answer that leaves out what is left of a section.
const rest = "."

// fill takes from flags what a draft lacks, else asks for it. Each answer is checked with those before it.
func (a *app) fill(ctx context.Context, d *fixtures.Draft, o *initOptions, asks bool) error {
	q := &questions{out: a.harmless().Stdout, lines: bufio.NewScanner(a.Stdin)}
	if asks {
		ctx, cancel := a.Interruptible(ctx, "")
		defer cancel()
		defer context.AfterFunc(ctx, func() { a.Exit(report.ExitInterrupted) })() // nothing is written yet
		q.tell("Enter takes what stands in brackets, or leaves it out.")
	}
	stranger := ""
	if _, set := a.Env(fixtures.StrangerVariable); set {
		stranger = fixtures.StrangerVariable
		if !asks {
			o.stranger = cmp.Or(o.stranger, stranger)
		}
	}
	const where = "environment variable, or file, that holds the key of "
	for _, part := range []struct {
		flag, given, question, usual string
		set                          func(string) error
	}{
		{
			"--from", o.from, "base URL, which the paths of the interface follow, such as https://host/v2", "",
			func(text string) error { return d.Set("baseURL", text) },
		},
		{"--owner-env", o.owner, where + "the user who owns the objects", fixtures.OwnerVariable, a.keyInto(d, "credentials.owner")},
		{
			"--stranger-env", o.stranger, where + "another user, without permission for them (a gate needs it)",
			stranger, a.keyInto(d, "credentials.stranger"),
		},
	} {
		switch {
		case part.given != "":
			if err := part.set(part.given); err != nil {
				return fmt.Errorf("%s: %s", part.flag, strings.TrimPrefix(err.Error(), "baseURL: "))
			}
		case asks:
			q.ask(part.question, part.usual, part.set)
		}
	}
	if asks {
		askForObjects(q, d)
	}
	return q.Err
}

// askForObjects asks which objects may be used, and what brings them back.
func askForObjects(q *questions, d *fixtures.Draft) {
	left := false
	for _, key := range fixtures.Keys() {
		section, name, _ := strings.Cut(key.Path, ".")
		if section != "objects" && section != "foreign" {
			continue
		}
		if key.Section != "" {
			q.tell("\n%s\nAn id, or as in the example; Enter leaves one out, and %s all that are left.", key.Section, rest)
			left = false
		}
		if !left && !d.Given(key.Path) {
			q.ask(fmt.Sprintf("%s: %s\n    such as %s", name, key.About, key.Example), "", func(text string) error {
				if left = text == rest; left {
					return nil
				}
				return d.SetText(key.Path, text)
			})
		}
	}
	q.tell("\nWithout a way to bring the objects back, a run uses up the disposable ones.")
	q.ask("URL that is sent a POST, or a program with its arguments, that brings them back", "", func(text string) error {
		if strings.Contains(text, "://") {
			return d.Set("provision.post", text)
		}
		return d.Set("provision.command", strings.Fields(text))
	})
}

// keyInto takes the name of a variable or of a file, beside the draft, for the key of a user.
func (a *app) keyInto(d *fixtures.Draft, path string) func(string) error {
	return func(text string) error {
		file := text
		if !filepath.IsAbs(file) {
			file = filepath.Join(filepath.Dir(d.File), file)
		}
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
			return d.Set(path, map[string]string{"file": text})
		}
		if err := a.checkVariable(text); err != nil {
			return err
		}
		return d.Set(path, map[string]string{"env": text})
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
			": one that is set, or words in capitals with _ between them; or a file; the key itself stays out of the target file")
	}
	return nil
}
