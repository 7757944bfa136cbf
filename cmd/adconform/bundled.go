package main

import (
	"context"
	"fmt"
	"net"
	"net/http"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// What reports and requests show of the bundled reference.
const (
	BasePath  = reference.BasePath           // where its paths are
	WithFault = Bundled + " with the fault " // its name, before the id of the fault
)

// Start serves the bundled reference on a free loopback port, with a world and a
// store of its own, until stop is called; with a fault it is broken on purpose.
func Start(ctx context.Context, world fixtures.World, fault string) (target *fixtures.Target, stop func(), err error) {
	options, name := reference.Options{World: world}, Bundled
	on := &Disguised{Wrap: func(h http.Handler) http.Handler { return h }}
	if fault == "" {
		go func() { _, _ = spec.Load() }() // the run needs it next; an error comes up then
	} else {
		if on, err = (Disguise{Fault: fault}).Put(world, &options); err != nil {
			return nil, nil, err
		}
		name = WithFault + fault
	}
	baseURL, stop, err := Serve(ctx, options, on.Wrap)
	if err != nil {
		return nil, nil, err
	}
	target = world.Target(baseURL)
	target.Name, target.Open = name, on.Pins
	return target, stop, nil
}

// Serve serves the reference on a free loopback port until stop is called; wrap
// puts something around the server.
func Serve(
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
	return "http://" + listener.Addr().String() + BasePath, func() {
		serving.Close()
		<-done
		server.Close()
	}, nil
}
