package reference

import (
	"bytes"
	_ "embed"
	"fmt"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"path"
	"strconv"
	"sync"
	"time"

	"github.com/rs/cors"
	"github.com/swaggest/swgui/v5emb"
	"golang.org/x/time/rate"

	"github.com/adconform/adconform/fixtures"
)

// Paths outside the base path of the contract.
const (
	DocsPath   = "/docs"
	HealthPath = "/healthz"
	ResetPath  = "/_adconform/reset"
)

// Front serves what a developer needs beside the operations: documentation, health and a reset outside the base path,
// and conditions such as latency. The zero value adds health alone.
type Front struct {
	OpenAPI   []byte       // the document, YAML, that DocsPath shows; nil for no documentation
	Reset     func() error // what POST ResetPath does; nil for no such path
	Latency   Latency
	RateLimit RateLimit
	Origins   []string // that browsers may call from, or *; nil for no CORS
}

// Before puts the front before a contract's handler.
func (o Front) Before(contract http.Handler) http.Handler {
	contract = o.Latency.handler(contract)
	contract = o.RateLimit.handler(contract)
	contract = allowOrigins(contract, o.Origins)
	pages := http.NewServeMux()
	pages.Handle("GET "+HealthPath, page("application/json", []byte(`{"status":"ok"}`+"\n"))) // a server that answers can do its work
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
	if o.OpenAPI != nil {
		// The document names this server in place of the address that serve has by default.
		document := bytes.Replace(o.OpenAPI, []byte("url: http://127.0.0.1:8080"+BasePath), []byte("url: "+BasePath), 1)
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
		AllowedHeaders: []string{fixtures.DefaultKeyHeader, "Content-Type", "X-Adconform-Case", "X-Request-Id"},
		ExposedHeaders: []string{RemainingHeader, "Retry-After", "Allow"},
		MaxAge:         600, // seconds
	}).Handler(next)
}

// Latency delays each answer by a random time from Min to Max.
type Latency struct{ Min, Max time.Duration }

func (l Latency) handler(next http.Handler) http.Handler {
	if l.Max <= 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		timer := time.NewTimer(l.Min + rand.N(l.Max-l.Min+1))
		defer timer.Stop()
		select {
		case <-timer.C:
			next.ServeHTTP(w, r)
		case <-r.Context().Done(): // the client has gone; its request never arrived
			panic(http.ErrAbortHandler)
		}
	})
}

// RemainingHeader tells how many requests an address may send at once
// (published).
const RemainingHeader = "X-RateLimit-IPRemaining"

// RateLimit is a bucket of requests for each client address: Burst at first,
// refilled with PerSecond a second. The zero value is no limit.
type RateLimit struct {
	Burst     int
	PerSecond float64
}

// maxBuckets bounds the memory for client addresses. When there are more, all buckets are dropped.
const maxBuckets = 10_000

func (l RateLimit) handler(next http.Handler) http.Handler {
	if l.Burst <= 0 {
		return next
	}
	var mu sync.Mutex
	own := &Server{choices: DefaultChoices()} // for the error shape
	buckets := map[string]*rate.Limiter{}
	// take takes one request out of an address's bucket and returns how many remain, or how
	// long to wait for the next one.
	take := func(address string) (remaining int, wait time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		bucket := buckets[address]
		if bucket == nil {
			if len(buckets) >= maxBuckets {
				clear(buckets)
			}
			bucket = rate.NewLimiter(rate.Limit(l.PerSecond), l.Burst)
			buckets[address] = bucket
		}
		now := time.Now()
		if bucket.AllowN(now, 1) {
			return int(bucket.TokensAt(now)), 0
		}
		return 0, max(1, time.Duration((1-bucket.TokensAt(now))/l.PerSecond*float64(time.Second)))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		address, _, _ := net.SplitHostPort(r.RemoteAddr)
		remaining, wait := take(address)
		w.Header()[RemainingHeader] = []string{strconv.Itoa(remaining)} // Set would change its letter case
		if wait > 0 {
			seconds := int64(math.Ceil(wait.Seconds()))
			w.Header().Set("Retry-After", strconv.FormatInt(seconds, 10)) // RFC 9110, 10.2.3
			own.write(w, own.errorAnswer(r, refuse(http.StatusTooManyRequests, "rateLimitExceeded",
				fmt.Sprintf("Too many requests from this address; wait %d s.", seconds))))
			return
		}
		next.ServeHTTP(w, r)
	})
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
