package reference

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"

	"github.com/adconform/adconform/fixtures"
)

// authenticate returns the user whose key the request carries, or 401.
func (s *Server) authenticate(r *http.Request) (user int64, err error) {
	key := s.key(r)
	if key == "" {
		return 0, unauthenticated()
	}
	user, err = s.store.user(key)
	if errors.Is(err, errNotExist) {
		return 0, unauthenticated()
	}
	return user, err
}

// key returns the key of the request, or "" if it has none or several: where
// the header is given, it alone counts.
func (s *Server) key(r *http.Request) string {
	if keys := r.Header.Values(fixtures.DefaultKeyHeader); len(keys) > 0 {
		return only(keys)
	}
	if s.choices.KeyAsBearer {
		if scheme, key, _ := strings.Cut(only(r.Header.Values("Authorization")), " "); strings.EqualFold(scheme, "Bearer") {
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

func hashKey(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}
