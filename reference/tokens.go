package reference

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// tokens are keys that are good for a number of requests: first a user's key itself, then KEY.1, KEY.2, and so on.
type tokens struct {
	uses int // 0 if a key is good for ever

	mu   sync.Mutex
	used map[string]int // requests so far, by the user's key
}

// key returns the key of the user whose token this is now, and counts the request; "" if it is no one's token, or no
// longer one.
func (t *tokens) key(token string, isKnown func(key string) bool) string {
	if t.uses == 0 || token == "" {
		return token
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	key := token
	if !isKnown(key) {
		key = token[:max(0, strings.LastIndexByte(token, '.'))]
	}
	if !isKnown(key) || token != t.current(key) {
		return ""
	}
	t.used[key]++
	return key
}

// current returns the token of a user for the next request.
func (t *tokens) current(key string) string {
	if n := t.used[key] / max(1, t.uses); n > 0 {
		return key + "." + strconv.Itoa(n)
	}
	return key
}

// Token returns the token of the user with this key for the next request: the key itself, unless Choices.KeyUses
// limits its use. It fails if no user has the key.
func (s *Server) Token(key string) (string, error) {
	if s.store.read().Users[hashKey(key)] == 0 {
		return "", fmt.Errorf("no user has this key")
	}
	s.tokens.mu.Lock()
	defer s.tokens.mu.Unlock()
	return s.tokens.current(key), nil
}
