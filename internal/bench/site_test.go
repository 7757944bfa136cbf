package bench

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"
	"github.com/onsi/gomega/gexec"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/suites"
)

const basePath = "/v2"

// site is the bundled reference with the default world, on a loopback port.
type site struct {
	target *fixtures.Target
	file   string // with the target; only of a server apart
	reset  func(testing.TB)
}

// config is a standard run with so many workers.
func (s *site) config(workers int) *suites.Config {
	target := *s.target
	target.Limits.Concurrency = workers
	return suites.NewConfig(&target)
}

// serve serves the reference in this process, as `adconform run` does; wrap may be nil.
func serve(tb testing.TB, wrap func(http.Handler) http.Handler) *site {
	tb.Helper()
	g := NewWithT(tb)
	world := fixtures.DefaultWorld()
	server, err := reference.New(reference.Options{World: world})
	g.Expect(err).NotTo(HaveOccurred())
	tb.Cleanup(func() { server.Close() })
	var handler http.Handler = server
	if wrap != nil {
		handler = wrap(server)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	g.Expect(err).NotTo(HaveOccurred())
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		server.ServeWrapped(ctx, listener, handler) //nolint:errcheck // it ends when it is told to
	}()
	tb.Cleanup(func() { cancel(); <-done })
	return &site{
		target: world.Target("http://" + listener.Addr().String() + basePath),
		reset:  func(tb testing.TB) { NewWithT(tb).Expect(server.Reset(world)).To(Succeed()) },
	}
}

// serveApart serves the reference in a process of its own.
func serveApart(tb testing.TB) *site {
	tb.Helper()
	g := NewWithT(tb)
	session, err := gexec.Start(exec.Command(build(tb), "serve", "--quiet", "--addr", "127.0.0.1:0", "--control"), nil, os.Stderr)
	g.Expect(err).NotTo(HaveOccurred())
	tb.Cleanup(func() { g.Eventually(session.Kill(), "10s").Should(gexec.Exit()) })
	g.Eventually(session, "10s").Should(gbytes.Say(`http://\S+\n`))
	base := strings.TrimSpace(string(session.Out.Contents()))
	return &site{
		target: fixtures.DefaultWorld().Target(base), file: targetFile(tb, base),
		reset: func(tb testing.TB) {
			answer, err := http.Post(strings.TrimSuffix(base, basePath)+reference.ResetPath, "", nil)
			g := NewWithT(tb)
			g.Expect(err).NotTo(HaveOccurred())
			answer.Body.Close()
			g.Expect(answer.StatusCode).To(BeNumerically("<", 300))
		},
	}
}

var program = sync.OnceValues(func() (string, error) {
	return gexec.Build("github.com/adconform/adconform/cmd/adconform")
})

// build compiles the program, once.
func build(tb testing.TB) string {
	tb.Helper()
	file, err := program()
	if err != nil {
		tb.Fatal(err)
	}
	return file
}

func TestMain(m *testing.M) {
	code := m.Run()
	gexec.CleanupBuildArtifacts()
	os.Exit(code)
}
