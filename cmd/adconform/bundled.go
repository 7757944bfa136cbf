package main

import (
	"context"
	"fmt"
	"net"
	"net/http"

	"github.com/adconform/adconform/cmd/adconform/internal/flags"
	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

const (
	basePath  = "/v2" // where the bundled reference has its paths
	withFault = flags.Bundled + " with the fault "
)

// startBundled serves the bundled reference on a free loopback port, with a world and a
// database of its own, until stop is called; with a fault it is broken on purpose.
func startBundled(ctx context.Context, world fixtures.World, fault string) (target *fixtures.Target, stop func(), err error) {
	options, name := reference.Options{World: world}, flags.Bundled
	on := &disguised{wrap: func(h http.Handler) http.Handler { return h }}
	if fault == "" {
		go func() { _, _ = spec.Load() }() // the run needs it next; an error comes up then
	} else {
		if on, err = (disguise{fault: fault}).put(world, &options); err != nil {
			return nil, nil, err
		}
		name = withFault + fault
	}
	baseURL, stop, err := startReference(ctx, options, on.wrap)
	if err != nil {
		return nil, nil, err
	}
	target = world.Target(baseURL)
	target.Name, target.Open = name, on.pins
	return target, stop, nil
}

// startReference serves the reference on a free loopback port until stop is called; wrap
// puts something around the server.
func startReference(
	ctx context.Context, options reference.Options, wrap func(http.Handler) http.Handler,
) (baseURL string, stop func(), err error) {
	server, err := reference.New(ctx, options)
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
