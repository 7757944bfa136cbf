// Package front is what a server for developers has in front of the contract's
// handler and outside its base path: documentation, health, a reset, and
// conditions such as latency that a client has to live with.
package front

import (
	"context"
	"net/http"
	"strings"

	"github.com/adconform/adconform/reference"
)

// Paths outside the base path of the contract.
const (
	DocsPath   = "/docs"
	HealthPath = "/healthz"
	ResetPath  = "/_adconform/reset"
)

// Options say what is in front. The zero value adds health alone.
type Options struct {
	OpenAPI   []byte                      // the document, YAML, that DocsPath shows; nil for no documentation
	Start     *Start                      // what / shows; nil for no such page
	BasePath  string                      // where the operations of the document are on this server
	Healthy   func(context.Context) error // an error makes HealthPath answer 503; nil for none
	Reset     func(context.Context) error // what POST ResetPath does; nil for no such path
	Latency   Latency
	RateLimit RateLimit
	Origins   []string // that browsers may call from, or *; nil for no CORS
}

// New puts the front before a contract's handler. An error means that the
// OpenAPI document cannot be read.
func New(contract http.Handler, o Options) (http.Handler, error) {
	contract = o.Latency.handler(contract)
	contract = o.RateLimit.handler(contract)
	contract = allowOrigins(contract, o.Origins)
	pages := map[string]http.Handler{HealthPath: only(health(o.Healthy), http.MethodGet, http.MethodHead)}
	if o.Reset != nil {
		pages[ResetPath] = fromHereOnly(only(reset(o.Reset), http.MethodPost))
	}
	var docs http.Handler
	if o.OpenAPI != nil {
		var err error
		if docs, err = documentation(o.OpenAPI, o.BasePath); err != nil {
			return nil, err
		}
		docs = only(docs, http.MethodGet, http.MethodHead)
	}
	var start http.Handler
	if o.Start != nil {
		var err error
		if start, err = startPage(o.Start); err != nil {
			return nil, err
		}
	}
	// No http.ServeMux: it would redirect untidy paths that the contract refuses.
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page := pages[r.URL.Path]
		switch {
		case page != nil:
			page.ServeHTTP(w, r)
		case start != nil && r.URL.Path == "/" && (r.Method == http.MethodGet || r.Method == http.MethodHead):
			start.ServeHTTP(w, r)
		case docs != nil && (r.URL.Path == DocsPath || strings.HasPrefix(r.URL.Path, DocsPath+"/")):
			docs.ServeHTTP(w, r)
		default:
			contract.ServeHTTP(w, r)
		}
	}), nil
}

// only refuses other methods with 405.
func only(next http.Handler, methods ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, m := range methods {
			if r.Method == m {
				next.ServeHTTP(w, r)
				return
			}
		}
		allow := strings.Join(methods, ", ")
		w.Header().Set("Allow", allow)
		reference.WriteError(w, http.StatusMethodNotAllowed, "methodNotAllowed", "The resource has no such method; it has "+allow+".")
	})
}

// health answers 200 while the server can do its work.
func health(healthy func(context.Context) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if healthy != nil && healthy(r.Context()) != nil {
			reference.WriteError(w, http.StatusServiceUnavailable, "unhealthy", "The server cannot reach its database.")
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		_, _ = w.Write([]byte(`{"status":"ok"}` + "\n"))
	})
}
