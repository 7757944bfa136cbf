package main

import (
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/adconform/adconform/fixtures"
)

// A restarting server listens again at its address as soon as adconform says that it waits for it.
type restarting struct {
	*buffer
	restart func()
}

func (r restarting) Write(p []byte) (int, error) {
	if strings.Contains(string(p), "waiting for ") {
		r.restart()
	}
	return r.buffer.Write(p)
}

func TestWaitLastsThroughARestart(t *testing.T) {
	reference := faulty(t, "auth/no-key/updateCampaign")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	noError(t, err)
	address := listener.Addr().String()
	dir := t.TempDir()
	report, file := filepath.Join(dir, "report"), filepath.Join(dir, "target.yaml")
	noError(t, writeTarget(file, fixtures.DefaultWorld().Target("http://"+address+basePath)))
	server := &http.Server{Handler: reference}
	go server.Serve(listener)
	env := map[string]string{targetVariable: file}
	if code, _, stderr := run(t, env, "run", "--case", "updateCampaign/401/no-key", "--report", report); code != 1 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for _, test := range []struct {
		args string
		code int
		says string
	}{
		{"replay " + report + " --wait 1m", 1, "0 fixed, 1 failing"},
		{"doctor --wait 1m", 0, "READY"},
		{"run --wait 1m --case updateCampaign/401/no-key", 1, "NONCONFORMING"},
	} {
		noError(t, server.Close())
		errs := restarting{newBuffer(), sync.OnceFunc(func() {
			again, err := net.Listen("tcp", address)
			noError(t, err)
			server = &http.Server{Handler: reference}
			go server.Serve(again)
		})}
		out := newBuffer()
		code := (&app{Stdout: out, Stderr: errs, Env: lookup(env), Exit: func(int) {}}).run(strings.Fields(test.args))
		if code != test.code || !strings.Contains(out.String(), test.says) {
			t.Errorf("%s: exit code %d\n%s%s", test.args, code, out, errs)
		}
		if strings.Count(errs.String(), "waiting for ") != 1 {
			t.Errorf("%s: %s", test.args, errs)
		}
	}
	noError(t, server.Close())
}
