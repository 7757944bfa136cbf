package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/engine"
	"github.com/adconform/adconform/internal/faults"
	"github.com/adconform/adconform/internal/render"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// loadTarget reads a target file, or returns a target without objects for a URL, with the keys from
// the environment. The contract tells which keys objects may have, as an overlay adds some.
func loadTarget(a *app, where string, contract *spec.Contract) (*fixtures.Target, error) {
	if _, err := os.Stat(where); err != nil && isURL(where) {
		return fixtures.FromURL(where, a.Env)
	}
	target, err := fixtures.Load(where, a.Env, contract.Keys()...)
	if err != nil {
		return nil, err
	}
	for _, w := range target.Warnings {
		a.note("%s", w.Error())
	}
	return target, nil
}

// isURL reports whether a target is a base URL rather than a file, although its scheme may be missing.
func isURL(where string) bool {
	return strings.Contains(where, "://") || fixtures.HostAndPort.MatchString(where)
}

// targetUse describes, in the help of a command, the argument that names a target.
const targetUse = "[URL|FILE]"

// targetVariable names the target if no argument does.
const targetVariable = "ADCONFORM_TARGET"

// takeTarget takes the target of a command from its argument, or else from the variable. An empty one is
// an error, as it cannot mean the bundled reference.
func (o *options) takeTarget(env func(string) (string, bool)) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		value, isGiven := env(targetVariable)
		if len(args) > 0 {
			value = args[0]
			isGiven = true
		}
		o.target = value
		if isGiven && isBlank(value) {
			return usagef(cmd, "the target is empty: name a target file or a base URL as an argument or by %s, "+
				"or leave both out", targetVariable)
		}
		return nil
	}
}

// loadContract reads the contract, with the overlays whose files are named.
func loadContract(files []string) (*spec.Contract, error) {
	if len(files) == 0 {
		return spec.Load(), nil
	}
	var overlays []spec.Overlay
	for _, file := range files {
		data, err := wording.ReadText(file, 1)
		if err != nil {
			return nil, fmt.Errorf("--overlay %s: %w", file, err)
		}
		overlays = append(overlays, spec.Overlay{File: file, Data: data})
	}
	c, err := spec.LoadOverlays(overlays...)
	if err != nil {
		return nil, err
	}
	if _, err := fixtures.TextKinds(c.Keys()...); err != nil {
		return nil, fmt.Errorf("%s: the overlaid document: %w", strings.Join(files, ", "), err)
	}
	return c, nil
}

// writeTarget writes a target file, readable only by its owner as it contains keys.
func writeTarget(path string, t *fixtures.Target) error {
	if err := render.CheckOwn(path, fixtures.TargetMark, "file"); err != nil {
		return err
	}
	return writeWithSchema(path, 0o600, func(w io.Writer) error { return fixtures.WriteTarget(w, t) })
}

// writeWithSchema writes a target file and, beside it, the schema that editors use, unless another file is in its
// place.
func writeWithSchema(path string, mode fs.FileMode, write func(io.Writer) error) error {
	if err := render.WriteFile(path, mode, write); err != nil {
		return err
	}
	schema := filepath.Join(filepath.Dir(path), fixtures.SchemaFile)
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || isOthers(schema) {
		return err
	}
	return os.WriteFile(schema, []byte(fixtures.Schema()), 0o644)
}

// isOthers reports whether a file is there that is not a schema of ours.
func isOthers(file string) bool { return render.CheckOwn(file, fixtures.SchemaMark, "file") != nil }

const (
	bundledName = "the bundled reference"          // the target's name in reports if none is given
	withFault   = bundledName + " with the fault " // the same, before the id of the fault
	basePath    = reference.BasePath               // of the paths of the reference
)

// onTarget calls do with the configuration of a run on the target or, if none is given, on the bundled
// reference with an optional fault. An interrupt prints note and ends the context of do.
func (a *app) onTarget(
	ctx context.Context, o *options, note string, do func(context.Context, *options, *engine.Config) error,
) error {
	ctx, cancel := a.Interruptible(ctx, note)
	defer cancel()
	contract, err := loadContract(o.overlays)
	if err != nil {
		return err
	}
	var target *fixtures.Target
	stop := func() {}
	if o.target != "" {
		target, err = loadTarget(a, o.target, contract)
	} else {
		target, stop, err = bundled(ctx, o.fault)
	}
	if err != nil {
		return err
	}
	defer stop()
	c, err := o.config(target, contract)
	if err != nil {
		return err
	}
	if o.insecure {
		a.note(render.Insecure)
	}
	err = do(ctx, o, c)
	isMessage := err != nil && !errors.As(err, new(exitCode))
	if isMessage && ctx.Err() != nil {
		return interrupted
	}
	return err
}

// bundled serves the bundled reference, with an optional fault.
func bundled(ctx context.Context, fault string) (target *fixtures.Target, stop func(), err error) {
	server, err := newReference(fault, "", reference.Options{})
	if err != nil {
		return nil, nil, err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, fmt.Errorf("no free port for the bundled reference: %w", err)
	}
	// The server must outlive an interrupted run, which still restores objects. At the end
	// no request is in flight, and a graceful shutdown would wait half a second for each
	// connection that net/http closed itself.
	serving := server.HTTP(server.handler())
	go serving.Serve(listener) // until it is closed
	target = server.target("http://" + listener.Addr().String() + basePath)
	target.Name = bundledName
	if fault != "" {
		target.Name = withFault + fault
	}
	return target, func() { serving.Close() }, nil
}

// varied is the reference as a variant and a seeded fault change it.
type varied struct {
	*reference.Server
	world   fixtures.World
	changes []faults.Server // the fault last
}

// newReference returns the reference with a fault and a variant; an empty id means none.
func newReference(fault, variant string, o reference.Options) (v *varied, err error) {
	v = &varied{world: fixtures.DefaultWorld()}
	if variant != "" {
		if err := v.add(faults.Variants(), variant); err != nil {
			return nil, err
		}
	}
	if fault != "" {
		all := append(faults.All(spec.Load()), faults.Unfound(spec.Load())...)
		if err := v.add(all, fault); err != nil {
			return nil, err
		}
	}
	o.World = v.world
	o.Choices = faults.Choices(v.changes...)
	v.Server, err = reference.New(o)
	return v, err
}

// add adds a fault or variant to the changes.
func (v *varied) add(known []faults.Server, id string) error {
	change, err := faults.ByID(known, id)
	if err != nil {
		return err
	}
	if change.HTTP2 {
		return fmt.Errorf("%s %s speaks HTTP/2 over TLS, which only adconform selftest --only %[2]s serves",
			change.Kind(), id)
	}
	v.changes = append(v.changes, change)
	return nil
}

// handler returns the reference within its changes, which remember requests.
func (v *varied) handler() http.Handler {
	return faults.Env{Contract: spec.Load(), World: v.world}.Around(v.Server, v.changes...)
}

// target returns the target file of the reference at a base URL.
func (v *varied) target(baseURL string) *fixtures.Target {
	t := v.world.Target(baseURL)
	faults.Env{World: v.world}.Target(t, v.changes...)
	return t
}
