package bench

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/files"
	"github.com/adconform/adconform/internal/peak"
	"github.com/adconform/adconform/reference/front"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
)

// The benchmarks report ratios, or the one figure with a unit, in place of ns/op.
func reportOnly(b *testing.B, value float64, unit string) {
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(value, unit)
}

// BenchmarkStart is the time from the start of a process to the arrival of its first
// request.
func BenchmarkStart(b *testing.B) {
	g := NewWithT(b)
	arrived := make(chan time.Time, 1)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	g.Expect(err).NotTo(HaveOccurred())
	server := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case arrived <- time.Now():
		default: // only the first one counts
		}
		<-r.Context().Done() // no answer: the program does no more
	})}
	go server.Serve(listener)
	b.Cleanup(func() { server.Close() })
	program, file := build(b), targetFile(b, "http://"+listener.Addr().String()+basePath)
	var total time.Duration
	for b.Loop() {
		ctx, cancel := context.WithTimeout(b.Context(), 10*time.Second)
		cmd := exec.CommandContext(ctx, program, "run", "--quiet", file)
		start := time.Now()
		g.Expect(cmd.Start()).To(Succeed())
		for took := time.Duration(-1); took < 0; { // a late request of the process before is none
			select {
			case at := <-arrived:
				took = at.Sub(start)
			case <-ctx.Done():
				b.Fatal("no request was sent")
			}
			total += max(0, took)
		}
		cancel()
		cmd.Wait() //nolint:errcheck // it was killed, and says so
	}
	reportOnly(b, total.Seconds()*1000/float64(b.N), "ms")
}

// BenchmarkMemory is the peak of the resident set of processes that run the suite.
func BenchmarkMemory(b *testing.B) {
	program, dir := build(b), b.TempDir()
	s := serveApart(b)
	for _, way := range []struct {
		name string
		args []string
	}{
		{"bundled", []string{"run", "--quiet"}},
		{"apart", []string{"run", "--quiet", s.file}},
		{"report", []string{"run", "--quiet", s.file, "--report", filepath.Join(dir, "report")}},
	} {
		b.Run(way.name, func(b *testing.B) {
			g := NewWithT(b)
			var total int64
			for b.Loop() {
				s.reset(b)
				var out strings.Builder
				cmd := exec.CommandContext(b.Context(), program, way.args...)
				cmd.Stdout, cmd.Stderr = &out, &out
				w, err := peak.Start(cmd)
				g.Expect(err).NotTo(HaveOccurred())
				most, err := w.Wait()
				g.Expect(err).NotTo(HaveOccurred(), out.String())
				total += most
			}
			reportOnly(b, float64(total)/(1<<20)/float64(b.N), "MiB")
		})
	}
}

// BenchmarkSuite compares a standard run with a bare loop that sends the same requests
// to the same server with as many workers, by turns.
func BenchmarkSuite(b *testing.B) {
	requests := record(b)
	for _, where := range []struct {
		name string
		open func(testing.TB) *site
	}{
		{"bundled", func(tb testing.TB) *site { return serve(tb, nil) }},
		{"apart", serveApart},
	} {
		for _, workers := range []int{1, 8} {
			b.Run(fmt.Sprintf("%s/workers=%d", where.name, workers), func(b *testing.B) {
				s := where.open(b)
				bare := newLoop(b, requests)
				bare.run(b, s.target.BaseURL, workers) // warms up
				s.reset(b)
				runSuite(b, s.config(workers))
				var suite, loop time.Duration
				for b.Loop() {
					s.reset(b)
					_, took := runSuite(b, s.config(workers))
					suite += took
					s.reset(b)
					loop += bare.run(b, s.target.BaseURL, workers)
				}
				reportOnly(b, suite.Seconds()/loop.Seconds(), "÷loop")
			})
		}
	}
}

// BenchmarkLatency runs the suite against a server that holds each answer back. The
// ideal is the latency of all requests, when no worker ever waits for another.
func BenchmarkLatency(b *testing.B) {
	for _, latency := range []time.Duration{5 * time.Millisecond, 50 * time.Millisecond} {
		for _, workers := range []int{4, 8, 16} {
			b.Run(fmt.Sprintf("%v/workers=%d", latency, workers), func(b *testing.B) {
				g := NewWithT(b)
				s := serve(b, func(h http.Handler) http.Handler {
					held, err := front.New(h, front.Options{Latency: front.Latency{Min: latency, Max: latency}})
					g.Expect(err).NotTo(HaveOccurred())
					return held
				})
				var suite, ideal time.Duration
				for b.Loop() {
					s.reset(b)
					r, took := runSuite(b, s.config(workers))
					suite += took
					ideal += time.Duration(r.Requests) * latency / time.Duration(workers)
				}
				reportOnly(b, suite.Seconds()/ideal.Seconds(), "÷ideal")
			})
		}
	}
}

// runSuite runs the suite as `adconform run` does, Ginkgo included. A run that does not
// conform, or leaves a case out, is no measure.
func runSuite(tb testing.TB, c *suites.Config) (*report.Report, time.Duration) {
	tb.Helper()
	start := time.Now()
	r, err := suites.RunGinkgo(tb.Context(), c)
	took := time.Since(start)
	switch {
	case err != nil:
		tb.Fatal(err)
	case r.ExitCode != report.ExitConforming || r.Cases.NotTested > 0:
		tb.Fatalf("%s, %d cases not tested: %s", r.Verdict, r.Cases.NotTested, r.Reason)
	}
	return r, took
}

// targetFile writes the target file of the default world at a base URL.
func targetFile(tb testing.TB, baseURL string) string {
	tb.Helper()
	file := filepath.Join(tb.TempDir(), "target.yaml")
	err := files.Write(file, 0o600, func(w io.Writer) error {
		return fixtures.WriteTarget(w, fixtures.DefaultWorld().Target(baseURL), fixtures.WriteOptions{})
	})
	if err != nil {
		tb.Fatal(err)
	}
	return file
}
