package main

import (
	"context"
	"fmt"
	"net"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
)

const (
	basePath    = "/v2"                   // where the bundled reference has its paths
	bundledName = "the bundled reference" // in reports
)

// startBundled serves the bundled reference on a free loopback port, with a
// world and a database of its own, until stop is called.
func startBundled(ctx context.Context) (target *fixtures.Target, stop func(), err error) {
	world := fixtures.DefaultWorld()
	server, err := reference.New(ctx, reference.Options{World: world})
	if err != nil {
		return nil, nil, err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		server.Close()
		return nil, nil, fmt.Errorf("no free port for the bundled reference: %w", err)
	}
	// It has to outlive an interrupted run: what was changed is put back then.
	serving, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(serving, listener) // it ends when it is told to
	}()
	target = world.Target("http://" + listener.Addr().String() + basePath)
	target.Name = bundledName
	return target, func() {
		cancel()
		<-done
		server.Close()
	}, nil
}
