package hostile

import (
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
)

// A mode is a hostile server. One of conn, answer and idle is set.
type mode struct {
	id       string
	says     string        // regexp that a finding, or the reason of the verdict, has to match
	timeout  time.Duration // limits.timeout of the target file
	exits    []int         // the exit codes that are right
	short    bool          // tried with -short, too
	computes bool          // computes instead of waiting, so processor time counts

	conn   func(net.Conn)          // called with each connection, before a byte is read
	idle   bool                    // the server accepts no connections
	https  bool                    // the base URL has the scheme https
	at     string                  // the operation whose answers are hostile; "" means all
	answer func(s *site) behaviour // answers each request of those operations
}

// A behaviour answers one request; next is the reference.
type behaviour func(w http.ResponseWriter, r *http.Request, next http.Handler)

// A site is a running hostile server with a reference behind it.
type site struct {
	mode      *mode
	world     fixtures.World
	reference http.Handler
	baseURL   string
	other     string       // host of another origin, which no request may reach
	fired     atomic.Int64 // number of hostile answers
	elsewhere atomic.Int64 // number of connections to the other origin

	mu    sync.Mutex
	conns []net.Conn
	front *http.Server // nil if the mode does not speak HTTP
}

const basePath = "/v2"

// open starts a server that runs until the test ends.
func open(t *testing.T, m *mode) *site {
	t.Helper()
	s := &site{mode: m, world: fixtures.DefaultWorld()}
	oddKeys(&s.world)
	server, err := reference.New(reference.Options{World: s.world})
	noError(t, err)
	t.Cleanup(func() { server.Close() })
	s.reference = server
	other, l := listen(t), listen(t)
	s.other, s.baseURL = other.Addr().String(), "http://"+l.Addr().String()+basePath
	if m.https {
		s.baseURL = "https" + strings.TrimPrefix(s.baseURL, "http")
	}
	go accept(other, func(c net.Conn) {
		s.elsewhere.Add(1)
		c.Close()
	})
	t.Cleanup(s.die)
	switch {
	case m.idle:
		s.fired.Add(1)
		fill(t, l)
	case m.conn != nil:
		go accept(l, func(c net.Conn) {
			s.keep(c)
			s.fired.Add(1)
			go m.conn(c)
		})
	default:
		s.front = &http.Server{Handler: s.handler(), ErrorLog: log.New(io.Discard, "", 0)}
		go s.front.Serve(l)
	}
	return s
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	noError(t, err)
	t.Cleanup(func() { l.Close() })
	return l
}

func accept(l net.Listener, do func(net.Conn)) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		do(c)
	}
}

// fill gives a listener the shortest possible queue, if the system supports that, and fills
// it: later connections get no answer even from the kernel.
func fill(t *testing.T, l net.Listener) {
	t.Helper()
	conn, err := l.(*net.TCPListener).SyscallConn()
	noError(t, err)
	noError(t, conn.Control(func(fd uintptr) { err = shortenQueue(fd) }))
	noError(t, err)
	for range 10 {
		c, err := net.DialTimeout("tcp", l.Addr().String(), 200*time.Millisecond)
		if err != nil {
			return
		}
		t.Cleanup(func() { c.Close() })
	}
}

// die closes everything that clients can reach of the server.
func (s *site) die() {
	if s.front != nil {
		s.front.Close()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.conns {
		c.Close()
	}
}

// keep records a connection that a behaviour may leave open.
func (s *site) keep(c net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conns = append(s.conns, c)
}

// handler returns the hostile answer for the mode's requests, and the reference's for others.
func (s *site) handler() http.Handler {
	do := s.mode.answer(s)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.mode.at != "" && s.mode.at != operation(r) {
			s.reference.ServeHTTP(w, r)
			return
		}
		s.fired.Add(1)
		do(w, r, s.reference)
	})
}

// operation returns the operation of a request, if a row names it.
func operation(r *http.Request) string {
	switch {
	case r.Method == http.MethodDelete:
		return byBytes
	case strings.HasSuffix(r.URL.Path, "/media-files"):
		return "listCreativeMediaFiles"
	case r.Method == http.MethodPatch && strings.HasPrefix(r.URL.Path, basePath+"/campaigns/"):
		return byNetHTTP
	}
	return ""
}

// raw takes the connection from net/http and passes it on.
func (s *site) raw(do func(net.Conn, *http.Request)) behaviour {
	return func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		io.Copy(io.Discard, r.Body) //nolint:errcheck // a request that is cut off is answered all the same
		c, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err) // net/http supports it
		}
		s.keep(c)
		defer c.Close()
		do(c, r)
	}
}
