package main

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/adconform/adconform/cmd/adconform/internal/bundled"
	"github.com/adconform/adconform/cmd/adconform/internal/flags"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites/report"
)

// The proxy sees whatever is sent to a target that is elsewhere.
func TestFuzzSendsNothingToAnotherMachineUnasked(t *testing.T) {
	var requests atomic.Int64
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		answering(404, "{}")(w, r)
	}))
	defer proxy.Close()
	t.Setenv("HTTP_PROXY", proxy.URL)
	target := targetOf(t, "http://192.0.2.1/v2")
	refuses(t, nil, []string{"fuzz", target, "--requests", "5"}, "192.0.2.1", "not this machine", "--i-own-this-target")
	if n := requests.Load(); n > 0 {
		t.Errorf("%d requests were sent", n)
	}
	run(t, nil, "fuzz", target, "--requests", "5", "--i-own-this-target", "--timeout", "2s")
	if requests.Load() == 0 {
		t.Error("nothing is sent to a target that is called one's own")
	}
}

// tap notes the lines with a path of the target, as they come, and those that ask for another
// method: what is no HTTP a server refuses before any handler sees it.
type tap struct {
	net.Listener
	mu    sync.Mutex
	lines []string
}

type tapped struct {
	net.Conn
	to   *tap
	line []byte
}

var tellingLine = regexp.MustCompile(`(?i)` + bundled.BasePath + `|^x-(http-)?method`)

func (l *tap) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	return &tapped{Conn: conn, to: l}, err
}

func (c *tapped) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	for i, part := range bytes.Split(p[:n], []byte("\n")) {
		if i > 0 {
			if tellingLine.Match(c.line) {
				c.to.mu.Lock()
				c.to.lines = append(c.to.lines, string(c.line))
				c.to.mu.Unlock()
			}
			c.line = nil
		}
		if c.line = append(c.line, part...); len(c.line) > 200_000 {
			c.line = nil
		}
	}
	return n, err
}

// tapping puts a handler in front of a watched server, and notes the lines that come.
func tapping(t *testing.T, w *watched, wrap func(http.Handler) http.Handler) (target string, lines *tap) {
	t.Helper()
	front := httptest.NewUnstartedServer(wrap(w.Server))
	lines = &tap{Listener: front.Listener}
	front.Listener = lines
	front.Start()
	t.Cleanup(front.Close)
	w.target.BaseURL = front.URL + bundled.BasePath
	target = filepath.Join(t.TempDir(), "target.yaml")
	if err := flags.WriteTarget(target, w.target); err != nil {
		t.Fatal(err)
	}
	return target, lines
}

func asItIs(h http.Handler) http.Handler { return h }

func TestReadOnlyFuzzingAsksForNoChange(t *testing.T) {
	w := watch(t, "", "")
	target, tap := tapping(t, w, asItIs)
	r, code := fuzzReport(t, target, "--read-only", "--requests", "300")
	if code != report.ExitConforming || r.Fuzz.Requests != 300 || r.Requests < 300 {
		t.Errorf("exit code %d: %d were drawn, %d sent", code, r.Fuzz.Requests, r.Requests)
	}
	if len(tap.lines) < 200 {
		t.Fatalf("only %d lines came", len(tap.lines))
	}
	for _, line := range tap.lines {
		method, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, value, isHeader := strings.Cut(line, ": ")
		switch {
		case isHeader && strings.HasPrefix(strings.ToLower(name), "x-"):
			method = strings.ToUpper(strings.TrimSpace(value))
			if slices.Contains([]string{"DELETE", "PUT", "POST", "PATCH"}, method) {
				t.Errorf("%q", line)
			}
		case slices.Contains([]string{"DELETE", "PUT", "POST", "PATCH"}, strings.ToUpper(method)):
			t.Errorf("%q", line)
		}
	}
	mustBeAsBefore(t, w, r)
}

var pathBelowBase = regexp.MustCompile(bundled.BasePath + `/([^\s?#]*)`)

// Also on a server that fails on whatever is odd, where all that is found is shrunk, nothing goes
// to what the target file does not name, and no delete to what it names.
func TestFuzzNamesOnlyWhatTheTargetFileNames(t *testing.T) {
	w := watch(t, "", "")
	ordinary := regexp.MustCompile(`^` + bundled.BasePath + `/(connection-profiles|campaigns|creatives)/[0-9]+` +
		`(/rules/[0-9]+/hosts/[0-9]+|/media-files)?$`)
	target, tap := tapping(t, w, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if !ordinary.MatchString(r.RequestURI) {
				rw.WriteHeader(http.StatusInternalServerError)
				return
			}
			next.ServeHTTP(rw, r)
		})
	})
	requests := 300
	if testing.Short() {
		requests = 100
	}
	r, _ := fuzzReport(t, target, "--requests", fmt.Sprint(requests))
	if len(r.Findings) < requests/10 {
		t.Errorf("only %d findings: %s", len(r.Findings), r.Reason)
	}
	named := map[int]bool{}
	for _, n := range w.target.Named() {
		named[int(n.ID)] = true
	}
	const unknown = 1<<31 - 1000 // ids that nothing has are from here on
	for _, line := range tap.lines {
		found := pathBelowBase.FindStringSubmatch(line)
		if found == nil {
			continue
		}
		deletes := strings.HasPrefix(strings.ToUpper(strings.TrimSpace(line)), http.MethodDelete)
		parts := strings.Split(path.Clean("/"+found[1]), "/") // /creatives/301
		for i := 2; i < len(parts); i += 2 {
			digits := parts[i][:len(parts[i])-len(strings.TrimLeft(parts[i], "0123456789"))] // as a lax server reads it
			id, err := strconv.Atoi(digits)
			if err == nil && 0 < id && id < unknown && (deletes || !named[id]) {
				t.Errorf("%d in %q", id, line)
			}
		}
	}
	mustBeAsBefore(t, w, r)
}

func TestAfterFuzzingAllIsAsBefore(t *testing.T) {
	requests := strconv.Itoa(reftest.Of(200, 60))
	for i, fault := range []string{"", "refused/401-any-key/updateCampaign", "refused/422-right-fields/updateConnectionProfile"} {
		if testing.Short() && i > 1 {
			continue
		}
		t.Run(fault, func(t *testing.T) {
			w := watch(t, fault, "")
			target := filepath.Join(t.TempDir(), "target.yaml")
			if err := flags.WriteTarget(target, w.target); err != nil {
				t.Fatal(err)
			}
			r, code := fuzzReport(t, target, "--requests", requests)
			if (code == report.ExitNonconforming) != (fault != "") || fmt.Sprint(r.Fuzz.Requests) != requests {
				t.Errorf("exit code %d after %d requests: %s", code, r.Fuzz.Requests, r.Reason)
			}
			mustBeAsBefore(t, w, r)
		})
	}
}

// Ctrl-C comes at some request, which is not answered before the run knows.
func TestAnInterruptEndsFuzzingInOrder(t *testing.T) {
	for _, at := range []int64{200, 20} {
		if testing.Short() && at < 100 {
			continue
		}
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			w := watch(t, "", "")
			var requests atomic.Int64
			reached, stderr := make(chan struct{}), newBuffer()
			target, _ := tapping(t, w, func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
					if requests.Add(1) == at {
						close(reached)
						for !strings.Contains(stderr.String(), "interrupted") {
							<-stderr.seen
						}
					}
					if asked(r) {
						rw.WriteHeader(http.StatusInternalServerError)
						return
					}
					next.ServeHTTP(rw, r)
				})
			})
			dir, interrupts, stdout := t.TempDir(), make(chan os.Signal), newBuffer()
			a := newApp(stdout, stderr, nil, interrupts)
			ended := make(chan int)
			go func() { ended <- a.run([]string{"fuzz", target, "--duration", "10m", "--report", dir}) }()
			<-reached
			interrupts <- os.Interrupt
			code := <-ended
			r, err := report.Read(dir)
			if err != nil {
				t.Fatal(err)
			}
			if code != report.ExitInterrupted || !r.Interrupted || !strings.Contains(stderr.String(), "putting back") {
				t.Errorf("exit code %d, interrupted %t\n%s%s", code, r.Interrupted, stdout, stderr)
			}
			if at > 100 && len(r.Findings) == 0 {
				t.Error("what was found is not told")
			}
			mustBeAsBefore(t, w, r)
		})
	}
}
