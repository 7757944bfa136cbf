package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/adconform/adconform/cmd/adconform/internal/flags"
	"github.com/adconform/adconform/cmd/adconform/internal/terminal"
	"github.com/adconform/adconform/internal/files"
	"github.com/adconform/adconform/internal/process"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/wire"
)

// server are the flags that say how the target comes up.
type server struct {
	command string
	wait    time.Duration
}

func (o *server) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.command, "start", "", "shell `command` that starts the target; it is stopped at the end, with all that it has started")
	flags.Add(f, &o.wait, "wait", "time", flags.ReadTime, "wait so long until the target answers; with --start the default is 60s")
}

const (
	startWait  = time.Minute            // for a server that --start starts
	firstPause = 50 * time.Millisecond  // between two looks whether it answers
	lastPause  = 500 * time.Millisecond // between two, later
	stopGrace  = 5 * time.Second        // from asking a server to end to killing it
	tailLines  = 15                     // of its output, shown when it ends by itself
	tailBytes  = 64 << 10
)

// startServer starts the target, where there is a command for that, and waits until it
// answers. end stops it. A server that does not come up ends the run as inconclusive.
func (a *app) startServer(ctx context.Context, o *server, c *suites.Config) (end func(), err error) {
	end = func() {}
	if o.command == "" && o.wait == 0 {
		return end, nil
	}
	client, err := c.Client()
	if err != nil {
		return nil, err
	}
	defer client.Close()
	url := wording.Printable(c.Target.BaseURL)
	var s *started
	var failed <-chan struct{}
	if o.command != "" {
		if c.Target.File == "" && strings.HasPrefix(c.Target.Name, flags.Bundled) {
			return nil, errors.New("--start needs a target: name the URL or the target file of the server that it starts")
		}
		if answers(ctx, client) == "" {
			return nil, fmt.Errorf("--start: something answers at %s already: stop it first, or leave --start out", url)
		}
		if s, err = start(o.command); err != nil {
			return nil, fmt.Errorf("--start: %w", err)
		}
		a.Note("started %s; its output is in %s", o.command, s.log)
		failed, end = s.failed, func() { a.stopServer(s, client.Redact) }
		if o.wait == 0 {
			o.wait = startWait
		}
	}
	waiting, cancel := context.WithTimeout(ctx, o.wait)
	defer cancel()
	last := a.awaitAnswer(waiting, client, url, failed)
	switch {
	case last == "":
		return end, nil
	case ctx.Err() != nil:
		end()
		return nil, terminal.Interrupted
	case waiting.Err() != nil:
		a.Note("nothing was tested: waited %s for %s, and the last was: %s", o.wait, url, last)
	default:
		a.Note("nothing was tested: the command of --start ended before %s answered", url)
	}
	end()
	return nil, terminal.ExitCode(report.ExitInconclusive)
}

// awaitAnswer waits until the target answers, the server has ended or the time is over. It
// returns what came last; "" is an answer.
func (a *app) awaitAnswer(ctx context.Context, client *wire.Client, url string, failed <-chan struct{}) (last string) {
	told := ""
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		now := answers(ctx, client)
		if ctx.Err() == nil || last == "" {
			last = now
		}
		if now == "" {
			return ""
		}
		if last != told && ctx.Err() == nil {
			a.Note("waiting for %s: %s", url, last)
			told = last
		}
		select {
		case <-ctx.Done():
			return last
		case <-failed:
			return last
		case <-time.After(pause):
		}
	}
}

// answers says why the target does not answer yet, "" when it does. A gateway whose server
// is not up yet says so by 502, 503 or 504.
func answers(ctx context.Context, client *wire.Client) (why string) {
	ex := client.Do(ctx, "wait", wire.Request{Method: http.MethodGet, Path: "/"})
	switch {
	case ex.Err != nil:
		return ex.Err.Error()
	case ex.Response.Status >= http.StatusBadGateway && ex.Response.Status <= http.StatusGatewayTimeout:
		return fmt.Sprintf("%d %s", ex.Response.Status, http.StatusText(ex.Response.Status))
	}
	return ""
}

// started is a server that runs.
type started struct {
	cmd    *exec.Cmd
	log    string        // the file with its output
	ended  chan struct{} // closed when the command has ended: it may have left a server behind
	failed chan struct{} // closed when it has ended with another exit code than 0
}

// running is what an interrupt that ends the program at once has to end too. It is locked
// while a server is started, so that none comes up unseen.
var running struct {
	sync.Mutex
	server *started
}

// exitAtOnce ends the program, and the server that runs.
func exitAtOnce(code int) {
	running.Lock() // for ever
	if running.server != nil {
		running.server.kill()
	}
	os.Exit(code)
}

func start(command string) (*started, error) {
	log, err := os.CreateTemp("", "adconform-start-*.log")
	if err != nil {
		return nil, err
	}
	defer log.Close() // it has its own
	shell := process.Shell(command)
	// It is stopped after the last request, when no context says so.
	cmd := exec.CommandContext(context.Background(), shell[0], shell[1:]...)
	s := &started{cmd: cmd, log: log.Name(), ended: make(chan struct{}), failed: make(chan struct{})}
	s.cmd.Stdout, s.cmd.Stderr = log, log
	process.Group(s.cmd)
	running.Lock()
	defer running.Unlock()
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", shell[0], files.WithoutPath(err))
	}
	go func() {
		defer close(s.ended)
		if s.cmd.Wait() != nil { // its state says how it ended
			close(s.failed)
		}
	}()
	running.server = s
	return s, nil
}

// stopServer ends a server and what it has started. One that ended by itself is told, with
// the end of its output, where keys of the environment may stand.
func (a *app) stopServer(s *started, redact func(string) string) {
	select {
	case <-s.failed:
		tail := s.tail()
		if len(tail) == 0 {
			a.Note("the command of --start ended by itself: %s; it wrote nothing", s.cmd.ProcessState)
			break
		}
		a.Note("the command of --start ended by itself: %s; the end of its output:", s.cmd.ProcessState)
		for _, line := range tail {
			fmt.Fprintln(a.Harmless().Stderr, "  "+wording.Printable(redact(line)))
		}
	default:
		_ = process.Terminate(s.cmd)
		select {
		case <-s.ended:
		case <-time.After(stopGrace):
		}
	}
	s.kill()
	running.Lock()
	defer running.Unlock()
	running.server = nil
}

// kill ends what is left of it, at once.
func (s *started) kill() { _ = process.Kill(s.cmd) }

// tail is the end of its output.
func (s *started) tail() []string {
	f, err := os.Open(s.log)
	if err != nil {
		return []string{err.Error()}
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > tailBytes {
		_, _ = f.Seek(-tailBytes, io.SeekEnd)
	}
	data, _ := io.ReadAll(io.LimitReader(f, tailBytes))
	text := strings.TrimRight(string(bytes.ToValidUTF8(data, nil)), "\r\n")
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	return lines[max(0, len(lines)-tailLines):]
}
