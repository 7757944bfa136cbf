package traffic

import "net/http"

// handler is an http.Handler that lets an observer see what passes.
type handler struct {
	observer *Observer
	next     http.Handler
}

// ServeHTTP implements http.Handler.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := h.observer.begin(r.Method, r.URL.RequestURI())
	if x == nil {
		h.next.ServeHTTP(w, r)
		return
	}
	hasBody := r.Body != nil && r.Body != http.NoBody
	x.asked(r.Header, r.ContentLength, hasBody)
	seen := r
	if hasBody {
		seen = r.WithContext(r.Context())
		seen.Body = &body{ReadCloser: r.Body, x: x, of: &x.request}
	}
	rw := &responseWriter{ResponseWriter: w, x: x}
	defer func() { // before the server sends the rest of the answer
		p := recover()
		switch {
		case p != nil: // the server ends the connection
			x.end(panicked, nil)
			panic(p)
		case r.Context().Err() != nil:
			x.end(aborted, nil)
		default:
			rw.head(http.StatusOK)
			x.whole(&x.response)
			x.end("", nil)
		}
	}()
	h.next.ServeHTTP(rw, seen)
}

// responseWriter keeps what a handler writes.
type responseWriter struct {
	http.ResponseWriter
	x       *exchange
	written bool
}

// Unwrap lets http.ResponseController reach flushing, hijacking and the rest.
func (w *responseWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush implements http.Flusher, for handlers that look for it themselves.
func (w *responseWriter) Flush() {
	w.head(http.StatusOK)
	_ = http.NewResponseController(w.ResponseWriter).Flush() // a handler that has to know asks a ResponseController
}

// WriteHeader implements http.ResponseWriter.
func (w *responseWriter) WriteHeader(status int) {
	if status >= 200 || status == http.StatusSwitchingProtocols {
		w.head(status)
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *responseWriter) Write(b []byte) (int, error) {
	w.first(http.StatusOK, b)
	n, err := w.ResponseWriter.Write(b)
	w.x.take(&w.x.response, b[:n])
	return n, err
}

// head notes the head of the answer, once.
func (w *responseWriter) head(status int) { w.first(status, nil) }

// first is head with what is known of the body, from which a server guesses a
// media type that the handler does not give.
func (w *responseWriter) first(status int, b []byte) {
	if w.written {
		return
	}
	w.written = true
	if status == http.StatusSwitchingProtocols {
		w.x.drop(switched)
		return
	}
	header := w.Header()
	if _, given := header["Content-Type"]; !given && len(b) > 0 && header.Get("Content-Encoding") == "" {
		header = header.Clone()
		header.Set("Content-Type", http.DetectContentType(b))
	}
	w.x.answered("HTTP/1.1", status, header, -1, true)
}
