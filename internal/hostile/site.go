package hostile

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
)

// arms are what a hostile server does. One of conn and answer is set, or none
// for a server that does nothing but get its client killed.
type arms struct {
	conn   func(net.Conn)                    // with each connection, before a byte is read
	listen func() (*listener, error)         // instead of a listener on the loopback interface
	scheme string                            // of the base URL; "" means http
	at     string                            // the operation whose answers are hostile; "" means all
	answer func(s *site) behaviour           // with each of those requests
	keys   func(*fixtures.World)             // gives the users other keys
	target func(s *site, t *fixtures.Target) // changes the target file

	kill      int  // the run is killed when this many requests have arrived
	provision bool // the target file says how the objects are brought back
}

// behaviour answers one request; next is the reference.
type behaviour func(w http.ResponseWriter, r *http.Request, next http.Handler)

// listener is where a target listens, and what else has to be closed for it.
type listener struct {
	net.Listener
	idle  bool // nobody accepts
	close func()
}

// site is a hostile server that runs, with a reference behind it.
type site struct {
	world     fixtures.World
	baseURL   string
	fired     atomic.Int64 // hostile answers
	elsewhere atomic.Int64 // connections to the other origin
	other     string       // URL of the other origin, which nobody may visit

	reference atomic.Pointer[reference.Server]
	arrived   func() // is told of each request
	closers   []func()
	arms      arms

	mu    sync.Mutex
	conns []net.Conn
	front io.Closer // the HTTP server
}

const basePath = "/v2"

// open starts a server.
func open(ctx context.Context, a arms) (_ *site, err error) {
	s := &site{world: fixtures.DefaultWorld(), arms: a}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if a.keys != nil {
		a.keys(&s.world)
	}
	if err := s.reset(ctx); err != nil {
		return nil, err
	}
	if err := s.openOther(); err != nil {
		return nil, err
	}
	l, err := s.listen()
	if err != nil {
		return nil, err
	}
	scheme := a.scheme
	if scheme == "" {
		scheme = "http"
	}
	s.baseURL = scheme + "://" + l.Addr().String() + basePath
	switch {
	case l.idle:
		s.fired.Add(1)
	case a.conn != nil:
		go s.serveConns(l)
	default:
		server := &http.Server{Handler: s.handler(), ErrorLog: log.New(io.Discard, "", 0)}
		s.front = server
		go server.Serve(l)
	}
	return s, nil
}

func (s *site) listen() (*listener, error) {
	if s.arms.listen != nil {
		l, err := s.arms.listen()
		if err == nil {
			s.closers = append(s.closers, l.close)
		}
		return l, err
	}
	l, err := loopback()
	if err != nil {
		return nil, err
	}
	s.closers = append(s.closers, func() { l.Close() })
	return &listener{Listener: l}, nil
}

func loopback() (net.Listener, error) {
	return new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
}

// reset brings the reference behind the server back to its first state.
func (s *site) reset(ctx context.Context) error {
	server, err := reference.New(ctx, reference.Options{World: s.world})
	if err != nil {
		return err
	}
	s.closers = append(s.closers, func() { server.Close() })
	s.reference.Store(server)
	return nil
}

// openOther opens the origin that a redirect may point at and nobody may visit.
func (s *site) openOther() error {
	l, err := loopback()
	if err != nil {
		return err
	}
	s.closers = append(s.closers, func() { l.Close() })
	s.other = "http://" + l.Addr().String()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.elsewhere.Add(1)
			c.Close()
		}
	}()
	return nil
}

// die ends all that clients see of the server.
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

func (s *site) close() {
	s.die()
	for _, c := range s.closers {
		c()
	}
}

// keep notes a connection that a behaviour may leave open.
func (s *site) keep(c net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conns = append(s.conns, c)
}

func (s *site) serveConns(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		s.keep(c)
		s.fired.Add(1)
		go s.arms.conn(c)
	}
}

// handler is the hostile answer where it is due, and the reference elsewhere.
func (s *site) handler() http.Handler {
	var do behaviour
	if s.arms.answer != nil {
		do = s.arms.answer(s)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.arrived != nil {
			s.arrived()
		}
		next := http.Handler(s.reference.Load())
		if do == nil || s.arms.at != "" && s.arms.at != operation(r) {
			next.ServeHTTP(w, r)
			return
		}
		s.fired.Add(1)
		do(w, r, next)
	})
}

// operation names the operation that a request means.
func operation(r *http.Request) string {
	path := strings.TrimPrefix(r.URL.Path, basePath)
	switch {
	case r.Method == http.MethodDelete:
		return "deleteCreative"
	case strings.HasSuffix(path, "/media-files"):
		return "listCreativeMediaFiles"
	case strings.HasPrefix(path, "/campaigns/") && r.Method == http.MethodPatch:
		return "updateCampaign"
	case strings.Contains(path, "/hosts/") && r.Method == http.MethodPatch:
		return "updateConnectionProfileRuleHost"
	case r.Method == http.MethodPatch:
		return "updateConnectionProfile"
	}
	return ""
}

// raw takes the connection from net/http and hands it over.
func (s *site) raw(do func(net.Conn)) behaviour {
	return func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		io.Copy(io.Discard, r.Body) //nolint:errcheck // a request that is cut off is answered all the same
		c, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(fmt.Sprintf("no connection to take over: %v", err))
		}
		s.keep(c)
		defer c.Close()
		do(c)
	}
}

// recorded is an answer of the reference, to be spoiled.
type recorded struct {
	header http.Header
	status int
	body   []byte
}

func record(r *http.Request, h http.Handler) *recorded {
	rec := &recorded{header: http.Header{}, status: http.StatusOK}
	h.ServeHTTP(rec, r)
	return rec
}

// Header, Write and WriteHeader implement http.ResponseWriter.
func (rec *recorded) Header() http.Header { return rec.header }

func (rec *recorded) Write(b []byte) (int, error) {
	rec.body = append(rec.body, b...)
	return len(b), nil
}

// WriteHeader keeps the status.
func (rec *recorded) WriteHeader(status int) { rec.status = status }

// send writes the answer, with the length that its body has.
func (rec *recorded) send(w http.ResponseWriter) {
	for name, values := range rec.header {
		if name != "Content-Length" {
			w.Header()[name] = values
		}
	}
	w.WriteHeader(rec.status)
	w.Write(rec.body)
}
