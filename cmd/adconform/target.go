package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/files"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// loadTarget reads a target file, or makes a target of a URL and the keys of the
// environment. Such a target names no objects. With an overlay the file may name
// what the operations that it adds are tried on.
func loadTarget(a *app, where, overlay string) (*fixtures.Target, error) {
	if !isURL(where) {
		if _, err := os.Stat(where); err != nil && fixtures.HostAndPort.MatchString(where) {
			return nil, fmt.Errorf("the target %s is neither a file nor a URL; did you mean http://%s?", where, where)
		}
		contract, err := loadContract(overlay)
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
		target.Warnings = nil // said once
		return target, nil
	}
	return fixtures.FromURL(where, a.Env)
}

// isURL tells a base URL from a target file.
func isURL(where string) bool { return strings.Contains(where, "://") }

// targetVariable names the target where no argument does.
const targetVariable = "ADCONFORM_TARGET"

// targetArgument lets a command take its target as an argument, else from the variable. One that
// is empty is none: a test of the bundled reference is not what is meant.
func (o *options) targetArgument(env func(string) (string, bool)) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) > 1:
			return usagef(cmd, "unexpected argument %q: one target is tested", args[1])
		case len(args) == 1 && blank(args[0]):
			return usagef(cmd, "the target is empty: "+needed)
		case len(args) == 1:
			o.target = args[0]
			return nil
		}
		return o.targetOfVariable(cmd, env)
	}
}

const needed = "name a target file or a base URL, or leave it out"

// targetOfVariable takes the target of the variable, where it is set.
func (o *options) targetOfVariable(cmd *cobra.Command, env func(string) (string, bool)) error {
	given := false
	if o.target, given = env(targetVariable); given && blank(o.target) {
		return usagef(cmd, "the variable %s is empty: %s", targetVariable, needed)
	}
	return nil
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
	return files.Write(path, 0o600, func(w io.Writer) error {
		return fixtures.WriteTarget(w, t)
	})
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
	return files.Write(path, 0o644, func(w io.Writer) error {
		_, err := w.Write(fixtures.Schema())
		return err
	})
}

// schemaBeside is where the schema for a target file is, if it may be written there.
func schemaBeside(targetFile string) (string, error) {
	path := filepath.Join(filepath.Dir(targetFile), fixtures.SchemaFile)
	return path, report.CheckOwn(path, fixtures.SchemaMark)
}

// What reports and requests show of the bundled reference.
const (
	basePath  = reference.BasePath               // where its paths are
	withFault = bundledName + " with the fault " // its name, before the id of the fault
)

// startBundled serves the bundled reference on a free loopback port, with a world and a
// store of its own, until stop is called; with a fault it is broken on purpose.
func startBundled(ctx context.Context, world fixtures.World, fault string) (target *fixtures.Target, stop func(), err error) {
	options, name := reference.Options{World: world}, bundledName
	on := &disguised{wrap: func(h http.Handler) http.Handler { return h }}
	if fault == "" {
		go func() { _, _ = spec.Load() }() // the run needs it next; an error comes up then
	} else {
		if on, err = (disguise{fault: fault}).put(world, &options); err != nil {
			return nil, nil, err
		}
		name = withFault + fault
	}
	baseURL, stop, err := serveFree(ctx, options, on.wrap)
	if err != nil {
		return nil, nil, err
	}
	target = world.Target(baseURL)
	target.Name, target.Open = name, on.pins
	return target, stop, nil
}

// serveFree serves the reference on a free loopback port until stop is called; wrap
// puts something around the server.
func serveFree(
	ctx context.Context, options reference.Options, wrap func(http.Handler) http.Handler,
) (baseURL string, stop func(), err error) {
	server, err := reference.New(options)
	if err != nil {
		return "", nil, err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		server.Close()
		return "", nil, fmt.Errorf("no free port for the bundled reference: %w", err)
	}
	// It has to outlive an interrupted run: what was changed is put back then. At the end
	// no request is under way, and an orderly shutdown would wait half a second for each
	// connection that net/http closed itself.
	serving := server.HTTP(wrap(server))
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = serving.Serve(listener) // until it is closed
	}()
	return "http://" + listener.Addr().String() + basePath, func() {
		serving.Close()
		<-done
		server.Close()
	}, nil
}

// disguise is how the reference is to differ from itself: by a seeded fault, by other
// choices, by other names.
type disguise struct{ fault, variant, overlay string }

// disguised is what a disguise comes to.
type disguised struct {
	wrap           func(http.Handler) http.Handler
	pins           fixtures.Pins // what a target file for the server has to settle
	fault, variant string        // in words; empty for none
}

// put looks up what is asked for, and sets the choices that it needs.
func (d disguise) put(world fixtures.World, options *reference.Options) (*disguised, error) {
	contract, err := spec.Load()
	if err != nil {
		return nil, err
	}
	theirs, err := loadContract(d.overlay)
	if err != nil {
		return nil, err
	}
	var servers []faults.Server // one around the other
	on := &disguised{}
	if d.variant != "" {
		variant, err := faults.VariantByID(d.variant)
		if err != nil {
			return nil, fmt.Errorf("--variant: %w", err)
		}
		servers, on.variant = append(servers, variant.Server), inWords(variant.Server)
	}
	if d.fault != "" {
		fault, err := faults.ByID(contract, d.fault)
		if err != nil {
			return nil, fmt.Errorf("--fault: %w", err)
		}
		servers, on.fault = append(servers, fault.Server), inWords(fault.Server)
	}
	for _, s := range servers {
		if s.Choices != nil {
			options.Choices = cmp.Or(options.Choices, reference.DefaultChoices())
			s.Choices(&options.Choices)
		}
		if len(s.Pins) > 0 && on.pins == nil {
			on.pins = fixtures.Pins{}
		}
		maps.Copy(on.pins, s.Pins)
	}
	env := faults.NewEnv(contract, world)
	on.wrap = func(h http.Handler) http.Handler {
		for _, s := range servers {
			if s.Wrap != nil {
				h = s.Wrap(h, env)
			}
		}
		if d.overlay != "" {
			h = reference.Dialect(h, contract, theirs)
		}
		return h
	}
	return on, nil
}

func inWords(s faults.Server) string { return s.ID + ": " + strings.TrimSuffix(s.Sentence, ".") }
