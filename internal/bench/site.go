package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/reference/front"
)

const basePath = "/v2"

// site is the bundled reference on a loopback port, with the default world.
type site struct {
	target *fixtures.Target
	reset  func(context.Context) error // puts the world back, so that each round meets the same
	stop   func()
}

// open serves the reference in this process, as `adconform run` does. wrap puts
// something around it; nil for nothing.
func open(ctx context.Context, wrap func(http.Handler) http.Handler) (*site, error) {
	world := fixtures.DefaultWorld()
	server, err := reference.New(ctx, reference.Options{World: world})
	if err != nil {
		return nil, err
	}
	var handler http.Handler = server
	if wrap != nil {
		handler = wrap(server)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, server.Close())
	}
	serving, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.ServeWrapped(serving, listener, handler) // it ends when it is told to
	}()
	return &site{
		target: world.Target("http://" + listener.Addr().String() + basePath),
		reset:  func(ctx context.Context) error { return server.Reset(ctx, world) },
		stop: func() {
			cancel()
			<-done
			server.Close()
		},
	}, nil
}

// delayed holds every answer back, as `adconform serve --latency` does.
func delayed(latency time.Duration) func(http.Handler) http.Handler {
	return func(h http.Handler) http.Handler {
		held, err := front.New(h, front.Options{Latency: front.Latency{Min: latency, Max: latency}})
		if err != nil { // only a document can be wrong, and there is none
			panic(err)
		}
		return held
	}
}

// openApart serves the reference in a process of its own.
func openApart(ctx context.Context) (*site, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, program, "-serve")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		cancel()
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, err
	}
	stop := func() {
		cancel()
		_ = cmd.Wait() // it was killed, and says so
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return nil, fmt.Errorf("the reference did not start: %w", err)
	}
	origin := strings.TrimSpace(line)
	return &site{
		target: fixtures.DefaultWorld().Target(origin + basePath),
		reset:  func(ctx context.Context) error { return post(ctx, origin+front.ResetPath) },
		stop:   stop,
	}, nil
}

func post(ctx context.Context, url string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode >= 300 {
		return fmt.Errorf("%s: %s", url, answer.Status)
	}
	return nil
}

// serve is the process of openApart: it prints its origin and serves until it is
// ended.
func serve(ctx context.Context) error {
	world := fixtures.DefaultWorld()
	server, err := reference.New(ctx, reference.Options{World: world})
	if err != nil {
		return err
	}
	defer server.Close()
	handler, err := front.New(server, front.Options{Reset: func(ctx context.Context) error { return server.Reset(ctx, world) }})
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + listener.Addr().String())
	return server.ServeWrapped(ctx, listener, handler)
}
