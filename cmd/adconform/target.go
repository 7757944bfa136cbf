package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
)

// loadTarget reads a target file, or makes a target without objects from a URL and the keys in
// the environment.
func loadTarget(a *app, where, overlay string) (*fixtures.Target, error) {
	if isURL(where) {
		return fixtures.FromURL(where, a.Env)
	}
	if _, err := os.Stat(where); err != nil && fixtures.HostAndPort.MatchString(where) {
		return nil, fmt.Errorf("the target %s is neither a file nor a URL; did you mean http://%s?", where, where)
	}
	contract, err := loadContract(overlay) // with the keys of objects that it adds
	if err != nil {
		return nil, err
	}
	target, err := fixtures.Load(where, a.Env, contract.Keys()...)
	if err != nil {
		return nil, err
	}
	for _, w := range target.Warnings {
		a.note("%s", w.Error())
	}
	target.Warnings = nil // printed once
	return target, nil
}

// isURL tells a base URL from a target file.
func isURL(where string) bool { return strings.Contains(where, "://") }

// targetUse is the argument of a command that takes a target, in its help.
const targetUse = "[URL|FILE]"

// targetVariable names the target where no argument does.
const targetVariable = "ADCONFORM_TARGET"

// targetArgument lets a command take its target as an argument, else from the variable. An
// empty one is an error: the bundled reference is not what was meant.
func (o *options) targetArgument(env func(string) (string, bool)) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) > 1:
			return usagef(cmd, "unexpected argument %q: one target is tested", args[1])
		case len(args) == 0:
			return o.targetOfVariable(cmd, env)
		case blank(args[0]):
			return usagef(cmd, "the target is empty: "+needed)
		}
		o.target = args[0]
		return nil
	}
}

const needed = "name a target file or a base URL, or leave it out"

// targetOfVariable takes the target from the variable, where it is set.
func (o *options) targetOfVariable(cmd *cobra.Command, env func(string) (string, bool)) (err error) {
	given := false
	if o.target, given = env(targetVariable); given && blank(o.target) {
		err = usagef(cmd, "the variable %s is empty: %s", targetVariable, needed)
	}
	return err
}

// loadContract reads the contract, with an overlay if a file is named.
func loadContract(overlay string) (*spec.Contract, error) {
	if overlay == "" {
		return spec.Load()
	}
	data, err := readFlagFile("--overlay", overlay)
	if err != nil {
		return nil, err
	}
	return spec.LoadOverlaid(data, overlay)
}

// writeTarget writes a target file, readable by its owner only as it holds keys,
// and its schema beside it.
func writeTarget(path string, t *fixtures.Target) error {
	if err := report.CheckOwn(path, fixtures.TargetMark); err != nil {
		return err
	}
	if err := writeSchema(path); err != nil {
		return err
	}
	return report.WriteFile(path, 0o600, func(w io.Writer) error { return fixtures.WriteTarget(w, t) })
}

// writeSchema writes the schema that editors use beside a target file; beside a device or a
// pipe there is nothing to edit.
func writeSchema(targetFile string) error {
	if info, err := os.Stat(targetFile); err == nil && !info.Mode().IsRegular() {
		return nil
	}
	path, err := schemaBeside(targetFile)
	if err != nil {
		return err
	}
	return report.WriteFile(path, 0o644, func(w io.Writer) error {
		_, err := w.Write(fixtures.Schema())
		return err
	})
}

// schemaBeside returns where the schema for a target file is, if it may be written there.
func schemaBeside(targetFile string) (string, error) {
	dir := filepath.Dir(targetFile)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", fmt.Errorf("%s: %s is no folder; make it, or name another file", targetFile, dir)
	}
	path := filepath.Join(dir, fixtures.SchemaFile)
	return path, report.CheckOwn(path, fixtures.SchemaMark)
}

const (
	bundledName = "the bundled reference"          // the target's name in reports where none is given
	withFault   = bundledName + " with the fault " // the same, before the id of the fault
	basePath    = reference.BasePath               // of the paths of the reference
)

// open is the configuration of a run on the target, or where none is given on the bundled reference, with
// a fault if one is asked for; and what ends it.
func (a *app) open(ctx context.Context, o *options, fault string) (c *suites.Config, stop func(), err error) {
	target, stop := (*fixtures.Target)(nil), func() {}
	if o.target != "" {
		target, err = loadTarget(a, o.target, o.overlay)
	} else {
		target, stop, err = bundled(ctx, fault)
	}
	if err == nil {
		c, err = o.config(target)
	}
	if err != nil {
		stop()
		return nil, nil, err
	}
	if o.insecure {
		a.note(report.Insecure)
	}
	return c, stop, nil
}

// bundled serves the bundled reference, with a fault if one is asked for.
func bundled(ctx context.Context, fault string) (target *fixtures.Target, stop func(), err error) {
	stop = func() {}
	d, err := newDisguise(fixtures.DefaultWorld(), fault, "")
	if err != nil {
		return nil, stop, err
	}
	server, err := reference.New(d.options())
	if err != nil {
		return nil, stop, err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		server.Close()
		return nil, stop, fmt.Errorf("no free port for the bundled reference: %w", err)
	}
	// It has to outlive an interrupted run: what was changed is put back then. At the end
	// no request is under way, and an orderly shutdown would wait half a second for each
	// connection that net/http closed itself.
	serving := server.HTTP(d.Around(server, d.servers...))
	go serving.Serve(listener) // until it is closed
	target = d.target("http://" + listener.Addr().String() + basePath)
	target.Name = bundledName
	if fault != "" {
		target.Name = withFault + fault
	}
	return target, func() {
		serving.Close()
		server.Close()
	}, nil
}

// disguise is how a reference differs from itself: by a variant, then by a seeded fault.
type disguise struct {
	faults.Env
	servers []faults.Server
}

// newDisguise looks up a fault and a variant; empty ids are none.
func newDisguise(world fixtures.World, fault, variant string) (*disguise, error) {
	contract, err := spec.Load()
	if err != nil {
		return nil, err
	}
	d := &disguise{Env: faults.Env{Contract: contract, World: world}}
	for _, of := range []struct {
		id    string
		known func() []faults.Server
	}{{variant, faults.Variants}, {fault, func() []faults.Server { return faults.All(contract) }}} {
		if of.id == "" {
			continue
		}
		s, err := faults.ByID(of.known(), of.id)
		if err != nil {
			return nil, err
		}
		d.servers = append(d.servers, s)
	}
	return d, nil
}

// options are those of the reference that is in disguise.
func (d *disguise) options() reference.Options {
	return reference.Options{World: d.World, Choices: faults.Choices(d.servers...)}
}

// target is the target file of the reference at a base URL, with the open points that the disguise has pinned.
func (d *disguise) target(baseURL string) *fixtures.Target {
	t := d.World.Target(baseURL)
	t.Open = fixtures.Pins{}
	for _, s := range d.servers {
		maps.Copy(t.Open, s.Pins)
	}
	return t
}
