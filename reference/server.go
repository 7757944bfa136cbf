// Package reference is the reference implementation of the interface: a server
// of the five operations of a world in memory. Where the contract is open
// it does what its Choices say.
package reference

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/adconform/adconform/fixtures"
)

// Options say what a server holds and how it answers.
type Options struct {
	World    fixtures.World   // what the server holds at first
	Data     string           // path of a file that keeps the world; what it holds already goes before World. "" for none
	Choices  Choices          // the zero value means DefaultChoices
	Logger   *slog.Logger     // gets what failed and from Serve one line a request, never a key; nil for none
	BasePath string           // before the paths of the operations; "" for /v2, "/" for none
	Now      func() time.Time // the clock of updatedAt; nil for time.Now
}

// Server answers the five operations. It is an http.Handler for any number of
// requests at a time.
type Server struct {
	choices Choices
	store   *store
	encoder *encoder
	mux     *http.ServeMux
	log     *slog.Logger
	now     func() time.Time
}

// New makes a server, which has to be closed. Errors say which option is wrong.
func New(o Options) (*Server, error) {
	if o.Choices == (Choices{}) {
		o.Choices = DefaultChoices()
	}
	base, err := basePath(o.BasePath)
	if err != nil {
		return nil, fmt.Errorf("reference: %w", err)
	}
	s := &Server{choices: o.Choices, mux: http.NewServeMux(), log: o.Logger, now: o.Now}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.now == nil {
		s.now = time.Now
	}
	s.encoder = newEncoder(&s.choices)
	for pattern, do := range s.operations() {
		method, path, _ := strings.Cut(pattern, " ")
		s.mux.Handle(method+" "+base+path, endpoint{s, do})
	}
	if s.store, err = openStore(o.Data, o.World); err != nil {
		return nil, fmt.Errorf("reference: %w", err)
	}
	return s, nil
}

func basePath(p string) (string, error) {
	switch {
	case p == "":
		return "/v2", nil
	case p == "/":
		return "", nil
	case !strings.HasPrefix(p, "/") || path.Clean(p) != p || strings.ContainsAny(p, "{}%?# "):
		return "", fmt.Errorf("base path %q: want / and plain segments without a slash at the end, such as /v2", p)
	}
	return p, nil
}

// Close closes the data file. Writes that come later are answered 500.
func (s *Server) Close() error { return s.store.close() }

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rec := &recorder{ResponseWriter: w}
	defer s.recoverPanic(rec, r)
	// A copy: where the request itself has another body, net/http reads on in it
	// before it sends the answer.
	bounded := *r
	bounded.Body = http.MaxBytesReader(w, r.Body, maxBody)
	s.route(rec, &bounded)
}

// Bounds on what one connection may cost, and on how long requests may still
// take after the end was asked for.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 30 * time.Second
	writeTimeout      = 40 * time.Second // of the whole exchange: leaves time to answer after readTimeout
	idleTimeout       = 2 * time.Minute
	shutdownGrace     = 10 * time.Second
	maxHeaderBytes    = 64 << 10
)

// Serve answers on the listener until ctx ends; then it finishes the requests
// that have begun and returns nil. It closes the listener, not the server.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	return s.ServeWrapped(ctx, listener, s)
}

// ServeWrapped is Serve with a handler around the server's own: a seeded fault,
// a variant or another dialect.
func (s *Server) ServeWrapped(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := s.HTTP(handler)
	done := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownGrace)
		defer cancel()
		err := server.Shutdown(grace)
		if err != nil {
			server.Close()
			err = fmt.Errorf("reference: requests that took longer than %v to end were cut off: %w", shutdownGrace, err)
		}
		done <- err
	})
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-done
}

// HTTP bounds what a connection may cost and logs each request; handler is what
// ServeWrapped takes.
func (s *Server) HTTP(handler http.Handler) *http.Server {
	return &http.Server{
		Handler:           accessLog(s.log, handler),
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
}

// recorder remembers the status of a response; 0 until its header is written.
type recorder struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements http.ResponseWriter.
func (w *recorder) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter: without a status it means 200.
func (w *recorder) Write(data []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(data)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Hijack implements http.Hijacker, for faults that write raw bytes.
func (w *recorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return http.NewResponseController(w.ResponseWriter).Hijack()
}

// accessLog writes one line for a request, with the status that went over the
// wire (0 when a fault took the connection): neither headers that may hold a
// key nor the query, which may too.
func accessLog(log *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		rec := &recorder{ResponseWriter: w}
		method, path := r.Method, r.URL.Path // as they came
		defer func() {
			attrs := []any{"method", method, "path", path, "status", rec.status, "duration", time.Since(start)}
			for _, id := range []struct{ attr, header string }{{"case", "X-Adconform-Case"}, {"requestId", "X-Request-Id"}} {
				if value := r.Header.Get(id.header); value != "" {
					attrs = append(attrs, id.attr, value)
				}
			}
			log.InfoContext(r.Context(), "request", attrs...)
		}()
		next.ServeHTTP(rec, r)
	})
}
