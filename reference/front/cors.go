package front

import (
	"net/http"

	"github.com/rs/cors"

	"github.com/adconform/adconform/fixtures"
)

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
