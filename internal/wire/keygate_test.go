package wire

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/adconform/adconform/fixtures"
)

// keyedServer serves three operations to a key: what refuses returns, if it is not 0, is the status of the nth
// request.
func keyedServer(refuses func(n int, r *http.Request) int) http.HandlerFunc {
	var mu sync.Mutex
	n := 0
	return func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		n++
		status := refuses(n, r)
		switch user := r.Header.Get(keyHeader); {
		case status != 0:
		case user == "":
			status = 401
		case r.Method == "PATCH" && strings.HasSuffix(r.URL.Path, "unknown"):
			status = 404
		default:
			status = 200
		}
		w.WriteHeader(status)
	}
}

// ask returns a request of an operation.
func ask(operation, method, path string, as Credential) Request {
	return Request{Method: method, Path: path, Operation: operation, Credential: as}
}

var (
	list   = ask("list", "GET", "/list", owner)
	update = ask("update", "PATCH", "/thing", owner)
	remove = ask("remove", "DELETE", "/thing", owner)
	nobody = ask("list", "GET", "/list", Credential{Name: "none"})
)

func ordinaryRequests() []Request { return []Request{list, ask("update", "PATCH", "/unknown", owner)} }

// A refusal is passed on if another operation accepts the key, and is an error if none does.
func TestKeyGate(t *testing.T) {
	of := func(is func(r *http.Request) bool, from int, status int) func(int, *http.Request) int {
		return func(n int, r *http.Request) int {
			if n >= from && is(r) {
				return status
			}
			return 0
		}
	}
	withKey := func(r *http.Request) bool { return r.Header.Get(keyHeader) != "" }
	byOwner := func(r *http.Request) bool { return r.Header.Get(keyHeader) == ownerKey }
	byStranger := func(r *http.Request) bool { return withKey(r) && !byOwner(r) }
	all := func(*http.Request) bool { return true }
	deletes := func(r *http.Request) bool { return r.Method == "DELETE" }
	until := func(last int, refuses func(int, *http.Request) int) func(int, *http.Request) int {
		return func(n int, r *http.Request) int {
			if n > last {
				return 0
			}
			return refuses(n, r)
		}
	}
	strangers := ask("list", "GET", "/list", stranger)
	forbidden := ask("update", "PATCH", "/foreign", owner)
	forbidden.MayBeForbidden = true
	for name, test := range map[string]struct {
		refuses func(int, *http.Request) int
		send    []Request
		want    string // statuses, and ! for a key that has stopped
		says    string
		most    int // requests
	}{
		"never accepted": {of(byOwner, 1, 401), []Request{list, update}, "401 401", "", 2},
		"expired": {
			of(withKey, 3, 401),
			[]Request{list, update, update, nobody, list},
			"200 200 ! 401 !",
			"the owner's key was accepted 2 times and is refused since request 3: has it expired?", 5 + 2 + askedAgain,
		},
		"expired on a server that looks up ids first": {func(n int, r *http.Request) int {
			switch {
			case strings.HasSuffix(r.URL.Path, "unknown"):
				return 404
			case n >= 3 && withKey(r):
				return 401
			}
			return 0
		}, []Request{list, update, update, list}, "200 200 ! !", "has it expired?", 4 + 3 + askedAgain},
		"one operation": {
			of(deletes, 1, 401),
			[]Request{list, remove, remove, remove, remove, remove},
			"200 401 401 401 401 401", "", 6 + 3,
		},
		"one operation from some time on": {
			of(deletes, 3, 401), []Request{list, remove, remove, list}, "200 200 401 200", "", 5,
		},
		"for a moment": {
			until(8, of(withKey, 3, 401)), []Request{list, update, update, list}, "200 200 401 200", "", 12,
		},
		"the stranger's": {
			of(byStranger, 3, 401),
			[]Request{strangers, list, strangers, list},
			"200 200 ! 200", "the stranger's key was accepted 1 time and is refused since request 3", 4 + 2 + askedAgain,
		},
		"a quota": {
			of(all, 4, 403),
			[]Request{list, update, nobody, nobody, update, list},
			"200 200 401 ! ! !",
			"everything is answered 403 since request 4: is a quota used up?", 6 + 2 + askedAgain,
		},
		"no permission for an object": {
			of(func(r *http.Request) bool { return r.URL.Path == "/foreign" }, 1, 403),
			[]Request{list, forbidden, forbidden},
			"200 403 403", "", 3,
		},
		"no permission any more": {
			of(func(r *http.Request) bool { return r.URL.Path == "/thing" }, 3, 403),
			[]Request{list, update, update},
			"200 200 403", "", 4,
		},
	} {
		requests := 0
		counted := func(n int, r *http.Request) int { requests = n; return test.refuses(n, r) }
		inBubble(t, Options{Secrets: []Credential{owner, stranger}}, keyedServer(counted), func(t *testing.T, c *Client) {
			c.Beside(ordinaryRequests)
			var got []string
			var stop *KeyStop
			for _, r := range test.send {
				ex := c.Do(t.Context(), "case", r)
				switch {
				case ex.Err == nil:
					got = append(got, http.StatusText(ex.Response.Status))
				case ex.Err.Kind == KeyStopped && ex.Response.Status == ex.Stop.Status:
					got, stop = append(got, "!"), ex.Stop
				default:
					t.Errorf("%s: %v", name, ex)
				}
			}
			want := strings.NewReplacer("200", "OK", "401", "Unauthorized", "403", "Forbidden").Replace(test.want)
			if strings.Join(got, " ") != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
			if (stop == nil) != (test.says == "") || stop != nil && !strings.Contains(stop.String(), test.says) {
				t.Errorf("%s: %v, want %q", name, stop, test.says)
			}
			if stop != nil && stop.Back() {
				t.Errorf("%s: back", name)
			}
			if requests > test.most {
				t.Errorf("%s: %d requests, want at most %d", name, requests, test.most)
			}
		})
	}
}

// Requests that are under way while the key stops all fail, and one that was sent before and is accepted later
// does not bring the key back; one that was sent after that does.
func TestKeyGateAtOnce(t *testing.T) {
	back := false
	handle := keyedServer(func(n int, r *http.Request) int {
		if n > 2 && !back && r.Header.Get(keyHeader) != "" && r.URL.Path != "/slow" {
			return 401
		}
		return 0
	})
	var started chan bool
	slow := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			started <- true
			<-started
		}
		handle(w, r)
	}
	inBubble(t, Options{Secrets: []Credential{owner}}, slow, func(t *testing.T, c *Client) {
		started = make(chan bool)
		c.Beside(ordinaryRequests)
		status(t, c.Do(t.Context(), "case", list), 200)
		status(t, c.Do(t.Context(), "case", update), 200)
		late := make(chan *Exchange)
		go func() { late <- c.Do(t.Context(), "case", ask("list", "GET", "/slow", owner)) }()
		<-started
		var all sync.WaitGroup
		got := make([]*Exchange, 8)
		for i := range got {
			all.Go(func() { got[i] = c.Do(t.Context(), "case", []Request{list, update}[i%2]) })
		}
		all.Wait()
		for _, ex := range got {
			expectKind(t, "at once", ex, KeyStopped, "no longer accepted")
		}
		stop := got[0].Stop
		if n := len(stop.Refused()); n < len(got) || stop.First() != 4 {
			t.Errorf("%d refused, from %d on", n, stop.First())
		}
		started <- true
		status(t, <-late, 200)
		if stop.Back() {
			t.Error("back by a request that was sent before")
		}
		back = true
		status(t, c.Do(t.Context(), "case", update), 200)
		if !stop.Back() {
			t.Error("not back")
		}
	})
}

// tokenServer accepts a token for a number of requests; next prints the token that it accepts.
type tokenServer struct {
	mu        sync.Mutex
	uses, n   int
	runs      int
	neverAsks string // a method that is always refused
	fails     func(run int) (string, error)
}

func (s *tokenServer) token(n int) string { return fmt.Sprintf("%s-%d", ownerKey, n/s.uses) }

func (s *tokenServer) next(context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs++
	if s.fails != nil {
		return s.fails(s.runs)
	}
	return s.token(s.n), nil
}

func (s *tokenServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Header.Get(keyHeader) != s.token(s.n) || r.Method == s.neverAsks {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	s.n++
}

// A key that is refused is renewed, once for all requests that it is in, and the request is sent again. If that
// is of no use, another operation tells whether the key has stopped.
func TestKeyRenewal(t *testing.T) {
	first := Credential{Name: "owner", Value: ownerKey + "-0", Send: true}
	as := func(r Request) Request { r.Credential = first; return r }
	odd := as(list)
	odd.Credential = Credential{Name: "changed", Value: ownerKey + "-x", Send: true}
	for name, test := range map[string]struct {
		server *tokenServer
		send   []Request
		want   string // statuses, and ! for a key that has stopped
		runs   int
		says   string
	}{
		"renewed": {
			&tokenServer{uses: 2},
			[]Request{as(list), as(update), as(remove), as(list), as(list)},
			"200 200 200 200 200", 2, "",
		},
		"a bad key": {&tokenServer{uses: 2}, []Request{as(list), odd, as(list), odd}, "200 401 200 401", 0, ""},
		"refused by one operation": {
			&tokenServer{uses: 5, neverAsks: "DELETE"},
			[]Request{as(list), as(remove), as(remove), as(list)},
			"200 401 401 200", 1, "",
		},
		"renewed beside an operation that refuses it": {
			&tokenServer{uses: 3, neverAsks: "DELETE"},
			[]Request{as(list), as(remove), as(list), as(list), as(remove), as(list)},
			"200 401 200 200 401 200", 2, "",
		},
		"printed again": {
			&tokenServer{uses: 2, fails: func(int) (string, error) { return ownerKey + "-0", nil }},
			[]Request{as(list), as(update), as(list)},
			"200 200 !", 1, "its command printed an earlier key again",
		},
		"a command that fails": {
			&tokenServer{uses: 2, fails: func(int) (string, error) { return "", errors.New("no " + ownerKey + "-0") }},
			[]Request{as(list), as(update), as(list)},
			"200 200 !", 1, "its command failed: no $ADCONFORM_OWNER_KEY",
		},
		"a wrong key": {
			&tokenServer{uses: 2, fails: func(run int) (string, error) { return fmt.Sprint("wrong-key-", run), nil }},
			[]Request{as(list), as(update), as(list)},
			"200 200 !", 1, "so is the new key that its command printed",
		},
		"too often": {
			&tokenServer{uses: 1}, slices.Repeat([]Request{as(list)}, maxRenewals+2),
			strings.Repeat("200 ", maxRenewals+1) + "!", maxRenewals, "it was renewed 59 times already",
		},
	} {
		options := Options{Secrets: []Credential{first}, Renew: map[string]fixtures.Renew{"owner": test.server.next}}
		inBubble(t, options, test.server.ServeHTTP, func(t *testing.T, c *Client) {
			c.Beside(func() []Request { return []Request{as(list), as(update)} })
			var got []string
			says := ""
			for _, r := range test.send {
				ex := c.Do(t.Context(), "case", r)
				if ex.Stop != nil {
					got, says = append(got, "!"), ex.Stop.String()
				} else {
					got = append(got, fmt.Sprint(ex.Response.Status))
				}
			}
			if strings.Join(got, " ") != test.want || !strings.Contains(says, test.says) || test.server.runs != test.runs {
				t.Errorf("%s: %q, %q; the command ran %d times", name, got, says, test.server.runs)
			}
			if text := c.Redact(c.Key("owner") + " " + first.Value); text != "$ADCONFORM_OWNER_KEY $ADCONFORM_OWNER_KEY" {
				t.Errorf("%s: %q is shown", name, text)
			}
		})
	}

	server := &tokenServer{uses: 2}
	options := Options{Secrets: []Credential{first}, Renew: map[string]fixtures.Renew{"owner": server.next}}
	inBubble(t, options, server.ServeHTTP,
		func(t *testing.T, c *Client) {
			c.Beside(func() []Request { return []Request{as(list), as(update)} })
			status(t, c.Do(t.Context(), "case", as(list)), 200)
			status(t, c.Do(t.Context(), "case", as(list)), 200)
			server.mu.Lock()
			server.uses = 100
			server.n = 200
			server.mu.Unlock()
			for _, way := range []Way{InOrder, Together, Around} {
				for _, ex := range c.DoAll(t.Context(), "case", way, as(update), as(update)) {
					status(t, ex, 200)
				}
			}
			if server.runs != 1 {
				t.Errorf("the command ran %d times", server.runs)
			}
		})
}
