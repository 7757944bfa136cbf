package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/selftest"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// serveOptions are the flags of serve.
type serveOptions struct {
	disguise
	addr, data, targetFile string
	world                  string
	log                    string
	quiet, listFaults      bool
	front                  frontOptions
}

// serveCommand is the command.
func serveCommand(a *app) *cobra.Command {
	o := &serveOptions{log: "text"}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the reference implementation",
		Long: `Serves the reference implementation until it is interrupted. It prints the base
URL, the keys of its users, a request to try and the address of its interactive
documentation, its objects, and the fault that is on, and can write the target file
for adconform run. Requests are logged to standard error, never with a key.

Beside the five operations it has GET /healthz, GET /docs and, with --control, POST
/_adconform/reset, which puts the world back.`,
		Example: `  adconform serve
  adconform serve --addr 127.0.0.1:0 --write-target target.yaml --data world.db
  adconform serve --seed-world world.yaml --control --cors '*'
  adconform serve --latency 20ms-80ms --rate-limit 15,1
  adconform serve --fault auth/any-key/updateCampaign # broken on purpose
  adconform serve --list-faults                       # all of them`,
		Args: arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.listFaults {
				return selftest.List(a.Stdout)
			}
			return serveReference(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.addr, "addr", "127.0.0.1:8080", "`host:port` to listen on; port 0 means a free one")
	f.StringVar(&o.data, "data", "", "keep the objects in a `file`, and start with those that it holds; default: in memory alone")
	f.StringVar(&o.world, "seed-world", "",
		"the users, keys and objects of a YAML `file` in place of the default world; docs/world.yaml is an example")
	f.StringVar(&o.targetFile, "write-target", "", "write the target `file` of this server, with its keys, before it answers")
	addSingle(f, &o.fault, "fault", "id", "break the server in one way: the `id` of a seeded fault")
	addSingle(f, &o.variant, "variant", "id", "make other choices where the contract is open: the `id` of a variant")
	f.BoolVar(&o.listFaults, "list-faults", false, "list the faults and variants, and serve nothing")
	f.StringVar(&o.overlay, "overlay", "", "speak the names of an OpenAPI Overlay `file`")
	o.front.flags(f)
	addChoice(cmd, &o.log, "log", []string{"text", "json", "none"}, "how requests are logged: text, json or none")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "print the base URL only and log nothing")
	return cmd
}

func serveReference(ctx context.Context, a *app, o *serveOptions) error {
	ctx, cancel := a.Interruptible(ctx, "")
	defer cancel()
	world := fixtures.DefaultWorld()
	if o.world != "" {
		var err error
		if world, err = fixtures.LoadWorld(o.world); err != nil {
			return err
		}
	}
	options := reference.Options{World: world, Data: o.data, Logger: o.logger(a.Stderr)}
	on, err := o.put(world, &options)
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
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", o.addr)
	if err != nil {
		return fmt.Errorf("--addr %s: %w; give another address, such as 127.0.0.1:0 for a free port", o.addr, err)
	}
	origin := "http://" + listener.Addr().String()
	if tcp, ok := listener.Addr().(*net.TCPAddr); ok && tcp.IP.IsUnspecified() { // on all addresses, so on the loopback
		origin = fmt.Sprintf("http://127.0.0.1:%d", tcp.Port)
	}
	target := world.Target(origin + basePath)
	target.Open = on.pins
	target.Limits.Rate = o.front.rateLimit.PerSecond
	if o.front.control {
		target.Provision = &fixtures.Provision{Post: origin + reference.ResetPath}
	}
	if o.targetFile != "" {
		if err := writeTarget(o.targetFile, target); err != nil {
			listener.Close()
			return fmt.Errorf("--write-target %w", err)
		}
	}
	o.announce(a.Stdout, target, origin, on)
	return server.ServeWrapped(ctx, listener, handler)
}

// frontOptions are the flags of what is in front of the contract.
type frontOptions struct {
	control   bool
	latency   reference.Latency
	rateLimit reference.RateLimit
	origins   []string
}

func (o *frontOptions) flags(f *pflag.FlagSet) {
	f.BoolVar(&o.control, "control", false, "let POST /_adconform/reset, which needs no key, put the world back")
	addFlag(f, &o.latency, "latency", "time", readLatency, "hold every answer back: a `time` such as 50ms, or a range such as 20ms-80ms")
	addFlag(f, &o.rateLimit, "rate-limit", "burst,rate", readRateLimit,
		"`requests,refill`: how many an address may send at once, and how many more each second, such as 15,1")
	addFlag(f, &o.origins, "cors", "origin", readOrigins,
		"let browsers call from this `origin` (several with commas), such as http://localhost:3000, or from any with *")
}

func readLatency(text string) (l reference.Latency, err error) {
	low, high, isRange := strings.Cut(text, "-")
	if !isRange {
		high = low
	}
	var errLow, errHigh error
	l.Min, errLow = time.ParseDuration(low)
	l.Max, errHigh = time.ParseDuration(high)
	if errLow != nil || errHigh != nil || l.Min < 0 || l.Max < l.Min || l.Max > longestLatency {
		return reference.Latency{}, fmt.Errorf("want a time such as 50ms or a range such as 20ms-80ms, at most %v", longestLatency)
	}
	return l, nil
}

// longestLatency is below what the server allows for an exchange.
const longestLatency = 30 * time.Second

func readRateLimit(text string) (l reference.RateLimit, err error) {
	burst, refill, _ := strings.Cut(text, ",")
	var errBurst, errRefill error
	l.Burst, errBurst = strconv.Atoi(strings.TrimSpace(burst))
	l.PerSecond, errRefill = strconv.ParseFloat(strings.TrimSpace(refill), 64)
	if errBurst != nil || errRefill != nil || l.Burst < 1 || l.Burst > 1e6 || !(l.PerSecond >= 0.001 && l.PerSecond <= 1e6) {
		return reference.RateLimit{}, errors.New(
			"want two numbers such as 15,1: requests at once, 1 to 1000000, and more of them each second, 0.001 to 1000000")
	}
	return l, nil
}

func readOrigins(text string) ([]string, error) {
	var origins []string
	for origin := range strings.SplitSeq(text, ",") {
		origin = strings.TrimSpace(origin)
		u, err := url.Parse(origin)
		if origin != "*" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || origin != u.Scheme+"://"+u.Host) {
			return nil, errors.New("want origins such as http://localhost:3000, without a path, or *")
		}
		origins = append(origins, origin)
	}
	return origins, nil
}

// inFront is the server with its faults, variants and dialect, and all that is
// in front of it.
func (o *serveOptions) inFront(server *reference.Server, world fixtures.World, on *disguised) (http.Handler, error) {
	document, err := o.document()
	if err != nil {
		return nil, err
	}
	contract := &resettable{wrap: func() http.Handler { return on.wrap(server) }}
	contract.renew()
	front := reference.Front{
		OpenAPI: document,
		Latency: o.front.latency, RateLimit: o.front.rateLimit, Origins: o.front.origins,
	}
	if o.front.control {
		front.Reset = func() error {
			if err := server.Reset(world); err != nil {
				return err
			}
			contract.renew()
			return nil
		}
	}
	return front.Before(contract)
}

// document is what the documentation shows: the names that are spoken.
func (o *serveOptions) document() ([]byte, error) {
	if o.overlay == "" {
		return spec.OpenAPI(), nil
	}
	overlay, err := readFlagFile("--overlay", o.overlay)
	if err != nil {
		return nil, err
	}
	return spec.Overlay(spec.OpenAPI(), overlay)
}

// resettable is a handler that a reset replaces: faults and variants remember
// what passed, which then is no longer so.
type resettable struct {
	wrap func() http.Handler
	now  atomic.Pointer[http.Handler]
}

func (h *resettable) renew() {
	fresh := h.wrap()
	h.now.Store(&fresh)
}

// ServeHTTP implements http.Handler.
func (h *resettable) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	(*h.now.Load()).ServeHTTP(w, r)
}

// logger is what --log and --quiet ask for; nil for none.
func (o *serveOptions) logger(w io.Writer) *slog.Logger {
	switch {
	case o.quiet || o.log == "none":
		return nil
	case o.log == "json":
		return slog.New(slog.NewJSONHandler(w, nil))
	}
	return slog.New(slog.NewTextHandler(w, nil))
}
