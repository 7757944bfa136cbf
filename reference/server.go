// Package reference is the reference implementation of the interface: a server
// of the five operations of a world in memory. Where the contract is open
// it does what its Choices say.
package reference

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/adconform/adconform/fixtures"
)

// BasePath is before the paths of the operations.
const BasePath = "/v2"

// Options say what a server holds and how it answers.
type Options struct {
	World   fixtures.World   // what the server holds at first
	Data    string           // path of a file that keeps the world; what it holds already goes before World. "" for none
	Choices Choices          // the zero value means DefaultChoices
	Logger  *slog.Logger     // gets what failed and from Serve one line a request, never a key; nil for none
	Now     func() time.Time // the clock of updatedAt; nil for time.Now
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
		s.mux.Handle(method+" "+BasePath+path, endpoint{s, do})
	}
	var err error
	if s.store, err = openStore(o.Data, o.World); err != nil {
		return nil, fmt.Errorf("reference: %w", err)
	}
	return s, nil
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

// operation is the meaning of one operation: it answers a request of an
// authenticated user. An error that is no refusal is answered 500.
type operation func(r *http.Request, user int64) (*answer, error)

// operations are those of the contract and the reads that choices add, by
// method and path below the base path.
func (s *Server) operations() map[string]operation {
	const (
		profile    = "/connection-profiles/{connectionProfileId}"
		ruleHost   = profile + "/rules/{connectionProfileRuleId}/hosts/{connectionProfileRuleHostId}"
		campaign   = "/campaigns/{campaignId}"
		creative   = "/creatives/{creativeId}"
		mediaFiles = creative + "/media-files"
	)
	ops := map[string]operation{
		"PATCH " + profile:   profiles.update(s),
		"PATCH " + ruleHost:  ruleHosts.update(s),
		"PATCH " + campaign:  campaigns.update(s),
		"DELETE " + creative: s.deleteCreative,
		"GET " + mediaFiles:  s.listCreativeMediaFiles,
	}
	if s.choices.ReadCampaign || s.choices.ReadAll {
		ops["GET "+campaign] = campaigns.read(s)
	}
	if s.choices.ReadAll {
		ops["GET "+profile] = profiles.read(s)
		ops["GET "+ruleHost] = ruleHosts.read(s)
	}
	return ops
}

// endpoint is an operation as the mux knows it.
type endpoint struct {
	*Server
	do operation
}

// ServeHTTP implements http.Handler: who is not authenticated learns nothing
// else.
func (e endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	user, err := e.authenticate(r)
	var a *answer
	if err == nil {
		a, err = e.do(r, user)
	} else {
		skipBody(w, r)
	}
	if err != nil {
		a = e.errorAnswer(r, err)
	}
	e.write(w, r, a)
}

// unreadTime is how long is waited for the rest of a body that nobody reads.
const unreadTime = time.Second

// skipBody reads away the body of a request that is refused without it, so that
// the connection can take the next request. net/http would wait for a slow one as
// long as for a body that is wanted, before it answers.
func skipBody(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength == 0 || r.ContentLength > maxBody || r.Header.Get("Expect") != "" {
		return // net/http knows what to do
	}
	if http.NewResponseController(w).SetReadDeadline(time.Now().Add(unreadTime)) != nil {
		return // no connection, as in tests
	}
	if _, err := io.CopyN(io.Discard, r.Body, maxBody); !errors.Is(err, io.EOF) {
		w.Header().Set("Connection", "close")
	}
}

// route answers a request by the operation of its method and path. What the mux
// would answer itself (404, 405 and redirects to a tidier path) gets a body in
// the error shape.
func (s *Server) route(w http.ResponseWriter, r *http.Request) {
	handler, _ := s.mux.Handler(r)
	if _, ours := handler.(endpoint); ours {
		s.mux.ServeHTTP(w, r)
		return
	}
	probe := headerOnly{}
	handler.ServeHTTP(probe, r)
	refusal := notFound()
	if allow := http.Header(probe).Get("Allow"); allow != "" {
		refusal = methodNotAllowed(allow)
	}
	s.write(w, r, s.errorAnswer(r, refusal))
}

// headerOnly is a response of which nothing but the header is wanted.
type headerOnly http.Header

func (h headerOnly) Header() http.Header         { return http.Header(h) }
func (h headerOnly) Write(b []byte) (int, error) { return len(b), nil }
func (h headerOnly) WriteHeader(int)             {}

// recoverPanic answers 500 to a request whose operation panicked, so that the
// client gets an answer and the server goes on.
func (s *Server) recoverPanic(w *recorder, r *http.Request) {
	cause := recover()
	if cause == nil {
		return
	}
	if err, ok := cause.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(cause) // net/http closes the connection
	}
	a := s.errorAnswer(r, fmt.Errorf("panic: %v\n%s", cause, debug.Stack()))
	if w.status != 0 {
		panic(http.ErrAbortHandler) // another answer has begun
	}
	s.write(w, r, a)
}

var positive = regexp.MustCompile(`^[1-9][0-9]*$`)

// pathIDs returns the ids that the path holds under these names: positive
// integers below 2^63 in plain digits.
func (s *Server) pathIDs(r *http.Request, names ...string) ([]int64, error) {
	ids := make([]int64, len(names))
	for i, name := range names {
		text := r.PathValue(name)
		id, err := strconv.ParseInt(text, 10, 64)
		switch {
		case err == nil && positive.MatchString(text):
			ids[i] = id
		case s.choices.MalformedID == http.StatusNotFound:
			return nil, notFound()
		default:
			return nil, wrongParameter(s.choices.MalformedID, name, "must be a positive integer below 2^63.")
		}
	}
	return ids, nil
}

func (s *Server) pathID(r *http.Request, name string) (int64, error) {
	ids, err := s.pathIDs(r, name)
	if err != nil {
		return 0, err
	}
	return ids[0], nil
}
