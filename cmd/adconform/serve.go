package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// serveOptions are the flags of serve.
type serveOptions struct {
	addr, db, targetFile    string
	fault, variant, overlay string
	quiet                   bool
}

func (a *app) serveCommand() *cobra.Command {
	o := &serveOptions{}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the reference implementation",
		Long: `Serves the reference implementation with its default world until it is
interrupted. It prints the base URL and the keys of its two users, and can write
the target file for adconform run. Requests are logged to standard error.`,
		Example: `  adconform serve
  adconform serve --addr 127.0.0.1:0 --write-target target.yaml --db world.sqlite
  adconform serve --fault 401/no-key/updateCampaign   # broken on purpose
  adconform selftest --list-faults                    # all of them`,
		Args: arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.serve(cmd.Context(), o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.addr, "addr", "127.0.0.1:8080", "`host:port` to listen on; port 0 means a free one")
	f.StringVar(&o.db, "db", "", "SQLite `file` or postgres:// URL of the database that keeps the objects; default: a database in memory")
	f.StringVar(&o.targetFile, "write-target", "", "write the target `file` of this server, with its keys, before it answers")
	f.StringVar(&o.fault, "fault", "", "break the server in one way: the `id` of a seeded fault")
	f.StringVar(&o.variant, "variant", "", "make other choices where the contract is open: the `id` of a variant")
	f.StringVar(&o.overlay, "overlay", "", "speak the names of an OpenAPI Overlay `file`")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "print the base URL only and log nothing")
	return cmd
}

func (a *app) serve(ctx context.Context, o *serveOptions) error {
	ctx, cancel := a.interruptible(ctx, "")
	defer cancel()
	world := fixtures.DefaultWorld()
	options := reference.Options{World: world, DSN: o.db}
	if !o.quiet {
		options.Logger = slog.New(slog.NewTextHandler(a.stderr, nil))
	}
	wrap, pins, err := o.wrapping(world, &options)
	if err != nil {
		return err
	}
	server, err := reference.New(ctx, options)
	if err != nil {
		return fmt.Errorf("--db: %w", err) // which names the database, without its password
	}
	defer server.Close()
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", o.addr)
	if err != nil {
		return fmt.Errorf("--addr %s: %w; give another address, such as 127.0.0.1:0 for a free port", o.addr, err)
	}
	target := world.Target("http://" + reachable(listener.Addr()) + basePath)
	target.Name, target.Open = "adconform reference", pins
	if o.targetFile != "" {
		if err := writeTarget(o.targetFile, target); err != nil {
			listener.Close()
			return fmt.Errorf("--write-target %w", err)
		}
	}
	announce(a.stdout, o, target)
	return server.ServeWrapped(ctx, listener, wrap(server))
}

// wrapping is what --fault, --variant and --overlay put around the server, and
// what a target file for the result has to pin.
func (o *serveOptions) wrapping(world fixtures.World, options *reference.Options) (func(http.Handler) http.Handler, fixtures.Pins, error) {
	wrap := func(h http.Handler) http.Handler { return h }
	contract, err := spec.Load()
	if err != nil {
		return nil, nil, err
	}
	around := func(outer func(http.Handler) http.Handler) {
		inner := wrap
		wrap = func(h http.Handler) http.Handler { return outer(inner(h)) }
	}
	env := faults.NewEnv(contract, world)
	var pins fixtures.Pins
	if o.variant != "" {
		v, err := faults.VariantByID(o.variant)
		if err != nil {
			return nil, nil, fmt.Errorf("--variant: %w", err)
		}
		if v.Choices != nil {
			options.Choices = reference.DefaultChoices()
			v.Choices(&options.Choices)
		}
		if v.Wrap != nil {
			around(func(h http.Handler) http.Handler { return v.Wrap(h, env) })
		}
		pins = v.Pins
	}
	if o.fault != "" {
		f, err := faults.ByID(contract, o.fault)
		if err != nil {
			return nil, nil, fmt.Errorf("--fault: %w", err)
		}
		around(func(h http.Handler) http.Handler { return f.Wrap(h, env) })
	}
	if o.overlay != "" {
		data, err := os.ReadFile(o.overlay)
		if err != nil {
			return nil, nil, fmt.Errorf("--overlay: %w", err)
		}
		theirs, err := spec.LoadOverlaid(data, o.overlay)
		if err != nil {
			return nil, nil, fmt.Errorf("--overlay: %w", err)
		}
		around(func(h http.Handler) http.Handler { return reference.Dialect(h, contract, theirs, basePath) })
	}
	return wrap, pins, nil
}

// announce prints what one needs to talk to the server.
func announce(w io.Writer, o *serveOptions, t *fixtures.Target) {
	if o.quiet {
		fmt.Fprintln(w, t.BaseURL)
		return
	}
	fmt.Fprintf(w, "base URL      %s\n", t.BaseURL)
	fmt.Fprintf(w, "owner key     %s\n", t.Credentials.Owner)
	fmt.Fprintf(w, "stranger key  %s\n", t.Credentials.Stranger)
	fmt.Fprintf(w, "try it        curl -i -H '%s: %s' %s/creatives/%d/media-files\n",
		t.Credentials.Header, t.Credentials.Owner, t.BaseURL, t.Objects.VastCreative.ID)
	if o.targetFile != "" {
		fmt.Fprintf(w, "test it       adconform run --target %s\n", o.targetFile)
	}
}

// reachable is where a client on this machine finds a listener: one on all
// addresses is found on the loopback.
func reachable(addr net.Addr) string {
	tcp, ok := addr.(*net.TCPAddr)
	if ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("127.0.0.1:%d", tcp.Port)
	}
	return addr.String()
}

// writeTarget writes a target file, readable by its owner only as it holds keys,
// and its schema beside it.
func writeTarget(path string, t *fixtures.Target) error {
	if err := writeSchema(path); err != nil {
		return err
	}
	return report.WriteFile(path, 0o600, func(w io.Writer) error {
		return fixtures.WriteTarget(w, t, fixtures.WriteOptions{})
	})
}

// writeSchema writes the schema that editors use beside a target file.
func writeSchema(targetFile string) error {
	path := filepath.Join(filepath.Dir(targetFile), fixtures.SchemaFile)
	return report.WriteFile(path, 0o644, func(w io.Writer) error {
		_, err := w.Write(fixtures.Schema())
		return err
	})
}
