package reference

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"runtime/debug"
	"strconv"
	"time"
)

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
