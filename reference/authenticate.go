package reference

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
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
	user, err = s.userOf(r.Context(), key)
	if errors.Is(err, errNotExist) {
		return 0, unauthenticated()
	}
	return user, err
}

// userOf returns the user with a key, or errNotExist. The database finds a
// candidate by a part of the hash; whether the rest is right is compared in a
// time that says nothing of how much of it is.
func (s *Server) userOf(ctx context.Context, key string) (user int64, err error) {
	hash := hashKey(key)
	user, stored, err := s.store.user(ctx, hash)
	if err == nil && subtle.ConstantTimeCompare([]byte(stored), []byte(hash)) != 1 {
		return 0, errNotExist
	}
	return user, err
}

// CheckUsers returns an error unless the database holds the users of a world
// with their keys: a file that was filled from another world keeps its own.
func (s *Server) CheckUsers(ctx context.Context, w fixtures.World) error {
	for _, u := range w.Users {
		user, err := s.userOf(ctx, u.Key)
		if err != nil && !errors.Is(err, errNotExist) {
			return err
		}
		if err != nil || user != u.ID {
			return fmt.Errorf("the database was filled from another world, in which user %d (%s) has another key; "+
				"give another database, or the world that it was filled from", u.ID, u.Name)
		}
	}
	return nil
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
