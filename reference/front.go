package reference

import (
	"bytes"
	_ "embed"
	"net/http"
	"path"

	"github.com/rs/cors"
	"github.com/swaggest/swgui/v5emb"

	"github.com/adconform/adconform/fixtures"
)

// Paths outside the base path of the contract.
const (
	DocsPath   = "/docs"
	HealthPath = "/healthz"
	ResetPath  = "/_adconform/reset"
	TokenPath  = "/_adconform/token" // ?user=owner or stranger
)

// Front serves what a developer needs beside the operations: documentation, health, a reset and tokens outside the base
// path, and calls from browsers. The zero value adds health alone.
type Front struct {
	OpenAPI []byte                            // the document, YAML, that DocsPath shows; nil for no documentation
	Reset   func() error                      // called on POST ResetPath; nil for no such path
	Token   func(user string) (string, error) // called on GET TokenPath?user=…; nil for no such path
	Origins []string                          // that browsers may call from, or *; nil for no CORS
}

// Before puts the front before a contract's handler.
func (o Front) Before(contract http.Handler) http.Handler {
	contract = allowOrigins(contract, o.Origins)
	pages := http.NewServeMux()
	pages.Handle("GET "+HealthPath,
		page("application/json", []byte(`{"status":"ok"}`+"\n"))) // a server that answers can do its work
	if o.Reset != nil {
		// The reset needs no key, so a page of another origin must not make a browser send it.
		pages.Handle("POST "+ResetPath, http.NewCrossOriginProtection().Handler(http.HandlerFunc(
			func(w http.ResponseWriter, _ *http.Request) {
				if err := o.Reset(); err != nil {
					http.Error(w, "The world could not be put back; the log says why.", http.StatusInternalServerError)
					return
				}
				w.WriteHeader(http.StatusNoContent)
			})))
	}
	if o.Token != nil {
		pages.HandleFunc("GET "+TokenPath, func(w http.ResponseWriter, r *http.Request) {
			token, err := o.Token(r.FormValue("user"))
			if err != nil {
				http.Error(w, "There is no such user: want ?user=owner or ?user=stranger.", http.StatusNotFound)
				return
			}
			page("text/plain; charset=utf-8", []byte(token+"\n")).ServeHTTP(w, r)
		})
	}
	if o.OpenAPI != nil {
		// The document names this server in place of the address that serve has by default.
		document := bytes.Replace(o.OpenAPI, []byte("url: http://127.0.0.1:8080"+BasePath),
			[]byte("url: "+BasePath), 1)
		pages.Handle("GET /{$}", http.RedirectHandler(DocsPath, http.StatusFound))
		pages.Handle("GET "+DocsPath, page("text/html; charset=utf-8", docsIndex))
		pages.Handle("GET "+DocsPath+"/start.js", page("text/javascript; charset=utf-8", docsScript))
		pages.Handle("GET "+DocsPath+"/openapi.yaml", page("application/yaml", document))
		pages.Handle("GET "+DocsPath+"/{file}", v5emb.New("", "", DocsPath))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The contract's handler refuses untidy paths, which the mux would redirect.
		if _, pattern := pages.Handler(r); pattern == "" || r.URL.Path != path.Clean(r.URL.Path) {
			contract.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "no-referrer")
		pages.ServeHTTP(w, r)
	})
}

func page(mediaType string, content []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", mediaType)
		w.Header().Set("Cache-Control", "no-store") // another version may serve the same port
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write(content)
	})
}

// allowOrigins lets scripts of these origins call the operations with a key and
// read the headers of the rate limit. It answers preflight requests.
func allowOrigins(next http.Handler, origins []string) http.Handler {
	if len(origins) == 0 {
		return next
	}
	return cors.New(cors.Options{
		AllowedOrigins: origins,
		AllowedMethods: []string{http.MethodGet, http.MethodHead, http.MethodPatch, http.MethodDelete},
		AllowedHeaders: []string{
			fixtures.DefaultKeyHeader, "Authorization", "Content-Type", "X-Adconform-Case", "X-Request-Id",
		},
		ExposedHeaders: []string{"X-RateLimit-IPRemaining", "Retry-After", "Allow"},
		MaxAge:         600, // seconds
	}).Handler(next)
}

// The page that starts Swagger UI. It is ours, not swgui's, because a strict
// content security policy allows no script inside the page.
//
//go:embed docs/index.html
var docsIndex []byte

//go:embed docs/start.js
var docsScript []byte

// policy lets the page talk to this server alone. Swagger UI writes styles into
// its elements.
const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
