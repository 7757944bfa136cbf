package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/adconform/adconform/fixtures"
)

// askForTarget asks for what flags have not given. Each answer is checked with those
// before it.
func (a *app) askForTarget(ctx context.Context, d *fixtures.Draft) error {
	ctx, cancel := a.Interruptible(ctx, "")
	defer cancel()
	out := a.Harmless().Stdout
	fmt.Fprintln(out, "Enter takes what stands in brackets, or leaves it out.")
	q := NewQuestions(ctx, a.Stdin, out)
	if d.BaseURL == "" {
		q.About("The base URL is what the paths of the interface follow, such as https://host/v2.")
		q.Ask("base URL", "", into(d, &d.BaseURL))
	}
	if d.OwnerEnv == "" {
		q.About("Environment variables hold the keys; the file has their names alone.")
		q.Ask("variable with the key of the user who owns the objects", fixtures.OwnerVariable, a.variableInto(d, &d.OwnerEnv))
	}
	q.Ask("variable with the key of another user, without permission for them; - for none",
		orNone(d.StrangerEnv), a.variableInto(d, &d.StrangerEnv))
	if d.Header == "" {
		q.Ask("request header that carries the key", fixtures.DefaultKeyHeader, into(d, &d.Header))
	}
	askForObjects(q, d)
	return q.Err
}

func orNone(name string) string {
	if name == "" {
		return none
	}
	return name
}

// none is the answer that there is nothing of the kind; rest is the answer that leaves
// out all that is left.
const (
	none = "-"
	rest = "."
)

// askForObjects asks for the ids, key by key.
func askForObjects(q *Questions, d *fixtures.Draft) {
	section, enough := "", false
	for _, key := range fixtures.ObjectKeys() {
		if key.Section == "foreign" && d.StrangerEnv == "" {
			return // nobody owns them
		}
		if key.Section != section {
			section = key.Section
			q.About(map[string]string{
				"objects": "Ids of the owner's objects. A run changes these and puts them back, deletes the disposable ones,\n" +
					"and touches nothing else. Enter a full stop to leave out the rest.",
				"foreign": "Ids of the other user's objects. They are not changed.",
			}[section])
		}
		if enough {
			return
		}
		word := "id"
		if key.Many {
			word = "ids with commas"
		}
		about, _, _ := strings.Cut(key.About, "; mediaFiles") // which are asked for nowhere
		q.Ask(fmt.Sprintf("%s (%s), %s", key.Key, about, word), "", func(text string) error {
			if text == rest {
				enough = true
				return nil
			}
			return d.Set(key.Path(), text)
		})
	}
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
