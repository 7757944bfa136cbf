// Package reference implements the interface: a server of the five operations for a world in memory. Where the
// contract is open, its Choices decide.
package reference

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
)

// BasePath precedes the paths of the operations.
const BasePath = "/v2"

// Options configure what a server holds and how it answers.
type Options struct {
	World   fixtures.World // what the server holds initially
	Data    string         // path of a file that keeps the world; its contents take precedence over World. "" for none
	Choices Choices        // the zero value means DefaultChoices
	Logger  *slog.Logger   // logs failures and, from Serve, one line per request, never a key; nil for none
}

// Server answers the five operations. It is an http.Handler for any number of
// requests at a time.
type Server struct {
	choices Choices
	users   []fixtures.User
	store   *store
	mux     *http.ServeMux
	log     *slog.Logger
	tokens  tokens
	now     func() time.Time
}

// New returns a server, which must be closed. An error names the invalid option.
func New(o Options) (*Server, error) {
	if o.Choices == (Choices{}) {
		o.Choices = DefaultChoices()
	}
	s := &Server{
		choices: o.Choices, users: o.World.Users, mux: http.NewServeMux(),
		log: o.Logger, now: func() time.Time {
			return time.Now().Add(time.Duration(o.Choices.Clock) * time.Second)
		},
	}
	s.tokens = tokens{uses: o.Choices.KeyUses, used: map[string]int{}}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	for path, methods := range s.operations() {
		s.mux.Handle(BasePath+path, s.handler(methods))
	}
	s.mux.Handle("/", s.handler(nil))
	var err error
	if s.store, err = openStore(o.Data, o.World); err != nil {
		return nil, err
	}
	return s, nil
}

// Close closes the data file. Later writes are answered 500.
func (s *Server) Close() error { return s.store.close() }

// Reset replaces what the server holds by a world, in one step: a request sees the old world or the new one. After an
// error the old world stays.
func (s *Server) Reset(w fixtures.World) error {
	err := s.store.fill(w)
	if err != nil {
		s.log.Error("reset failed", "error", err)
	}
	return err
}

// Hooks let a seeded fault change how a request is handled: each gets what the server decided and returns what it
// goes on with. The zero value changes nothing.
type Hooks struct {
	Authenticate func(user int64) int64         // the user of the key; 0 for an unknown key
	Permit       func(permitted bool) bool      // whether the user may have the object
	Save         func(before []byte, value any) // the object as shown before, and what is stored, not shown
	Delete       func(c spec.Creative) []int64  // the ids of the creatives that are deleted
}

type hooksKey struct{}

// With returns the context of a request with hooks.
func (h Hooks) With(ctx context.Context) context.Context {
	return context.WithValue(ctx, hooksKey{}, h)
}

// caller is an authenticated user, with the hooks of the request and the ids in its path.
type caller struct {
	user int64
	ids  []int64
	Hooks
}

// An operation answers a request of an authenticated user. An error that is not a refusal is answered 500.
type operation func(r *http.Request, by caller) (*answer, error)

// operations returns those of the contract and the reads that choices add, by path below the base path and by method.
func (s *Server) operations() map[string]map[string]operation {
	const (
		profile  = "/connection-profiles/{connectionProfileId}"
		ruleHost = profile + "/rules/{connectionProfileRuleId}/hosts/{connectionProfileRuleHostId}"
		campaign = "/campaigns/{campaignId}"
		creative = "/creatives/{creativeId}"
	)
	all := map[string]map[string]operation{
		profile:                   {"PATCH": profiles.update(s)},
		ruleHost:                  {"PATCH": ruleHosts.update(s)},
		campaign:                  {"PATCH": campaigns.update(s)},
		creative:                  {"DELETE": s.deleteCreative},
		creative + "/media-files": {"GET": s.listCreativeMediaFiles, "HEAD": s.listCreativeMediaFiles},
	}
	read := func(path string, do operation) {
		all[path]["GET"] = do
		all[path]["HEAD"] = do
	}
	if s.choices.ReadCampaign || s.choices.ReadAll {
		read(campaign, campaigns.read(s))
	}
	if s.choices.ReadAll {
		read(profile, profiles.read(s))
		read(ruleHost, ruleHosts.read(s))
	}
	return all
}

// ServeHTTP implements http.Handler. It refuses untidy paths, which the mux would redirect.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !hasEntered(r) {
		s.choices.Entrance(s, s.users).ServeHTTP(w, r)
		return
	}
	if r.URL.Path != path.Clean("/"+r.URL.Path) {
		s.write(w, s.errorAnswer(r, notFound()))
		return
	}
	// This is a copy, as net/http reads the rest of the body before it answers if the request itself has another body.
	bounded := *r
	bounded.Body = http.MaxBytesReader(w, r.Body, maxBody)
	s.mux.ServeHTTP(w, &bounded)
}

// handler answers with the operation of the method, or 404 if the path has none. A client that is not authenticated
// learns nothing else.
func (s *Server) handler(methods map[string]operation) http.Handler {
	allow := strings.Join(slices.Sorted(maps.Keys(methods)), ", ")
	answer := func(w http.ResponseWriter, r *http.Request) (*answer, error) {
		do := methods[r.Method]
		if allow == "" {
			return nil, notFound()
		}
		if do == nil {
			w.Header().Set("Allow", allow)
			return nil, refuse(http.StatusMethodNotAllowed, "methodNotAllowed",
				"The resource has no such method; it has "+allow+".")
		}
		var by caller
		users := s.store.read().Users
		by.user = users[hashKey(s.tokens.key(s.key(r), func(key string) bool { return users[hashKey(key)] != 0 }))]
		if by.Hooks, _ = r.Context().Value(hooksKey{}).(Hooks); by.Authenticate != nil {
			by.user = by.Authenticate(by.user)
		}
		if by.user == 0 {
			return nil, refuse(http.StatusUnauthorized, "authenticationFailed", "The user cannot be authenticated.")
		}
		var err error
		if by.ids, err = s.pathIDs(r); err != nil {
			return nil, err
		}
		return do(r, by)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, err := answer(w, r)
		if err != nil {
			a = s.errorAnswer(r, err)
		}
		s.write(w, a)
	})
}

// key returns the key of the request, or "" if it has none or several: where
// the header is given, it alone counts.
func (s *Server) key(r *http.Request) string {
	if keys := r.Header.Values(fixtures.DefaultKeyHeader); len(keys) > 0 {
		return only(keys)
	}
	if s.choices.KeyAsBearer {
		scheme, key, _ := strings.Cut(only(r.Header.Values("Authorization")), " ")
		if strings.EqualFold(scheme, "Bearer") {
			return strings.TrimSpace(key)
		}
	}
	if s.choices.KeyInQuery {
		return only(r.URL.Query()["api_key"])
	}
	return ""
}

func only(values []string) string {
	if len(values) != 1 {
		return ""
	}
	return values[0]
}

// hashKey hashes a key. Users are looked up by the hash, so that the time does not tell how much of a key is right.
func hashKey(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

var (
	positive  = regexp.MustCompile(`^[1-9][0-9]*$`)
	parameter = regexp.MustCompile(`\{(\w+)\}`) // of a path
)

// Route returns the path that the server looks up for an escaped one: "/v2/c%61mpaigns/2%35" is another spelling of
// "/v2/campaigns/25". An encoded slash stays, as it divides no segments.
func Route(escaped string) string {
	segments := strings.Split(escaped, "/")
	for i, segment := range segments {
		if plain, err := url.PathUnescape(segment); err == nil && !strings.Contains(plain, "/") {
			segments[i] = url.PathEscape(plain)
		}
	}
	return strings.Join(segments, "/")
}

// pathIDs returns the ids in the path: positive integers below 2^63 in plain digits.
func (s *Server) pathIDs(r *http.Request) (ids []int64, err error) {
	for _, param := range parameter.FindAllStringSubmatch(r.Pattern, -1) {
		text := r.PathValue(param[1])
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil || !positive.MatchString(text) {
			return nil, wrongParameter(s.choices.MalformedID, param[1], "must be a positive integer below 2^63.")
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// Limits on the cost of one connection, and on the duration of requests after the server was asked to end.
const (
	readTimeout    = 30 * time.Second
	writeTimeout   = 40 * time.Second // of the whole exchange: leaves time to answer after readTimeout
	shutdownGrace  = 10 * time.Second
	maxHeaderBytes = 64 << 10
)

// HTTP limits the cost of a connection and logs each request. The handler is the
// server, or one around it: a seeded fault or a variant.
func (s *Server) HTTP(handler http.Handler) *http.Server {
	return &http.Server{
		Handler:           accessLog(s.log, handler),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
}

// Serve answers on the listener until ctx ends, finishes the requests that have begun, and returns nil. It closes the
// listener, not the Server.
func (s *Server) Serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := s.HTTP(handler)
	ended := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownGrace)
		defer cancel()
		ended <- server.Shutdown(grace)
	})
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	if err := <-ended; err != nil {
		server.Close()
		return fmt.Errorf("reference: requests that took longer than %v to end were cut off: %w", shutdownGrace, err)
	}
	return nil
}

// recorder keeps the status of a response; 0 until the header is written.
type recorder struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements http.ResponseWriter.
func (w *recorder) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the connection, for faults that write raw bytes.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// accessLog writes one line for a request, with the status that was sent (0 when a fault took the connection). It
// leaves out the headers and the query, which may hold a key.
func accessLog(log *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		rec := &recorder{ResponseWriter: w}
		method := r.Method
		path := r.URL.Path // as they came
		defer func() {
			attrs := []any{
				"method", method, "path", path, "status", rec.status, "duration", time.Since(start),
			}
			for _, id := range [][2]string{{"case", "X-Adconform-Case"}, {"requestId", "X-Request-Id"}} {
				if value := r.Header.Get(id[1]); value != "" {
					attrs = append(attrs, id[0], value)
				}
			}
			log.InfoContext(r.Context(), "request", attrs...)
		}()
		next.ServeHTTP(rec, r)
	})
}
