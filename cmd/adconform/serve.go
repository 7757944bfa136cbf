package main

import (
	"context"
	"fmt"
	"net"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/selftest"
	"github.com/adconform/adconform/reference"
)

// options are the flags of serve.
type options struct {
	Disguise
	addr, data, targetFile string
	world                  string
	log                    string
	quiet, listFaults      bool
	front                  frontOptions
}

// Command is the command.
func Command(t *Terminal) *cobra.Command {
	o := &options{log: textLog}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the reference implementation",
		Long: `Serves the reference implementation until it is interrupted. It prints the base
URL, the keys of its users, a request to try and the address of its interactive
documentation, its objects, and the fault that is on, and can write the target file
for adconform run. Requests are logged to standard error, never with a key.

Beside the five operations it has GET /, GET /healthz, GET /docs and, with --control,
POST /_adconform/reset, which puts the world back.`,
		Example: `  adconform serve
  adconform serve --addr 127.0.0.1:0 --write-target target.yaml --data world.db
  adconform serve --seed-world world.yaml --control --cors '*'
  adconform serve --latency 20ms-80ms --rate-limit 15,1
  adconform serve --fault auth/any-key/updateCampaign # broken on purpose
  adconform serve --list-faults                       # all of them`,
		Args: Arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.listFaults {
				return selftest.List(t.Stdout)
			}
			return serveReference(cmd.Context(), t, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.addr, "addr", "127.0.0.1:8080", "`host:port` to listen on; port 0 means a free one")
	f.StringVar(&o.data, "data", "", "keep the objects in a `file`, and start with those that it holds; default: in memory alone")
	f.StringVar(&o.world, "seed-world", "",
		"the users, keys and objects of a YAML `file` in place of the default world; docs/world.yaml is an example")
	f.StringVar(&o.targetFile, "write-target", "", "write the target `file` of this server, with its keys, before it answers")
	AddSingle(f, &o.Fault, "fault", "id", "break the server in one way: the `id` of a seeded fault")
	AddSingle(f, &o.Variant, "variant", "id", "make other choices where the contract is open: the `id` of a variant")
	f.BoolVar(&o.listFaults, "list-faults", false, "list the faults and variants, and serve nothing")
	f.StringVar(&o.Overlay, "overlay", "", "speak the names of an OpenAPI Overlay `file`")
	o.front.flags(f)
	AddChoice(cmd, &o.log, "log", []string{textLog, jsonLog, "none"}, "how requests are logged: text, json or none")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "print the base URL only and log nothing")
	return cmd
}

func serveReference(ctx context.Context, t *Terminal, o *options) error {
	ctx, cancel := t.Interruptible(ctx, "")
	defer cancel()
	world := fixtures.DefaultWorld()
	if o.world != "" {
		var err error
		if world, err = fixtures.LoadWorld(o.world); err != nil {
			return err
		}
	}
	options := reference.Options{World: world, Data: o.data, Logger: o.logger(t.Stderr)}
	on, err := o.Put(world, &options)
	if err != nil {
		return err
	}
	server, err := reference.New(options)
	if err != nil {
		return err
	}
	defer server.Close()
	handler, err := o.inFront(server, world, on)
	if err != nil {
		return err
	}
	listener, err := listen(ctx, "--addr", o.addr)
	if err != nil {
		return err
	}
	origin := "http://" + Reachable(listener.Addr())
	target := world.Target(origin + BasePath)
	target.Open = on.Pins
	o.front.describe(target, origin)
	if o.targetFile != "" {
		if err := WriteTarget(o.targetFile, target); err != nil {
			listener.Close()
			return fmt.Errorf("--write-target %w", err)
		}
	}
	o.announce(t.Stdout, target, origin, on)
	return server.ServeWrapped(ctx, listener, handler)
}

// Listen opens the port that a flag names.
func listen(ctx context.Context, flag, address string) (net.Listener, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w; give another address, such as 127.0.0.1:0 for a free port", flag, address, err)
	}
	return l, nil
}

// Reachable is where a client on this machine finds a listener: one on all
// addresses is found on the loopback.
func Reachable(addr net.Addr) string {
	tcp, ok := addr.(*net.TCPAddr)
	if ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("127.0.0.1:%d", tcp.Port)
	}
	return addr.String()
}
