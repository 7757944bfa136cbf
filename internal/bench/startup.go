package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites/report"
)

// measureStartup is the time from the start of a process to the arrival of its
// first request, of adconform and by turns of a program that does nothing else.
func measureStartup(ctx context.Context, rounds int) (Figures, error) {
	dir, err := os.MkdirTemp("", "adconform-bench-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	adconform, err := build(ctx, dir, "./cmd/adconform")
	if err != nil {
		return nil, err
	}
	hello, err := build(ctx, dir, "./internal/bench/hello")
	if err != nil {
		return nil, err
	}
	arrivals := make(chan time.Time, 1000)
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	server := &http.Server{ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case arrivals <- time.Now():
		default: // only the first one counts
		}
		<-r.Context().Done() // no answer: the program does no more
	})}
	go server.Serve(listener)
	defer server.Close()
	baseURL := "http://" + listener.Addr().String() + basePath
	file, err := writeTarget(dir, baseURL)
	if err != nil {
		return nil, err
	}
	into := samples{}
	for round := -1; round < 2*rounds; round++ {
		ours, used, err := firstRequest(ctx, arrivals, adconform, "run", "--quiet", "--target", file)
		if err != nil {
			return nil, err
		}
		theirs, _, err := firstRequest(ctx, arrivals, hello, baseURL)
		if err != nil {
			return nil, err
		}
		if round >= 0 {
			into.add("startup/ms", ours.Seconds()*1000)
			into.add("startup/processor", used.Seconds()*1000)
			into.add("startup/hello", ours.Seconds()/theirs.Seconds())
		}
	}
	return into.figures(), nil
}

// firstRequest starts a program and ends it after its first request: the time that
// this took, and what the program had used of the processor.
func firstRequest(ctx context.Context, arrivals <-chan time.Time, program string, args ...string) (took, used time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	select {
	case at := <-arrivals:
		took = at.Sub(start)
	case <-ctx.Done():
	}
	cancel()
	_ = cmd.Wait() // it was killed, and says so
	for len(arrivals) > 0 {
		<-arrivals
	}
	if took == 0 {
		return 0, 0, fmt.Errorf("%s sent no request", program)
	}
	return took, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

// build compiles a command of this module.
func build(ctx context.Context, dir, pkg string) (string, error) {
	program := filepath.Join(dir, filepath.Base(pkg))
	cmd := exec.CommandContext(ctx, "go", "build", "-o", program, pkg)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", errors.Join(fmt.Errorf("go build %s: %s", pkg, out), err)
	}
	return program, nil
}

// writeTarget writes the target file of the default world at a base URL.
func writeTarget(dir, baseURL string) (string, error) {
	file := filepath.Join(dir, "target.yaml")
	target := fixtures.DefaultWorld().Target(baseURL)
	return file, report.WriteFile(file, 0o600, func(w io.Writer) error {
		return fixtures.WriteTarget(w, target, fixtures.WriteOptions{})
	})
}
