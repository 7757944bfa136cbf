package reference

import (
	"net/http"
	"time"
)

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

// Unwrap lets http.ResponseController reach the connection.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// logAccess writes one line for a request: neither headers that may hold a key
// nor the query, which may too.
func (s *Server) logAccess(r *http.Request, status int, took time.Duration) {
	attrs := []any{"method", r.Method, "path", r.URL.Path, "status", status, "duration", took}
	for _, id := range []struct{ attr, header string }{{"case", "X-Adconform-Case"}, {"requestId", "X-Request-Id"}} {
		if value := r.Header.Get(id.header); value != "" {
			attrs = append(attrs, id.attr, value)
		}
	}
	s.log.InfoContext(r.Context(), "request", attrs...)
}
