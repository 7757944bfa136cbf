package reference

import (
	"bufio"
	"log/slog"
	"net"
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
