package wire

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
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
// refusals return the status with which the nth request is refused, or 0.
type refusals func(n int, r *http.Request) int

// refuse refuses such requests from the nth on with a status.
func refuse(is func(r *http.Request) bool, from, status int) refusals {
	return func(n int, r *http.Request) int {
		if n >= from && is(r) {
			return status
		}
		return 0
	}
}

// until refuses no request after the last.
func until(last int, refuses refusals) refusals {
	return func(n int, r *http.Request) int {
		if n > last {
			return 0
		}
		return refuses(n, r)
	}
}

func TestKeyGate(t *testing.T) {
	withKey := func(r *http.Request) bool { return r.Header.Get(keyHeader) != "" }
	byOwner := func(r *http.Request) bool { return r.Header.Get(keyHeader) == ownerKey }
	byStranger := func(r *http.Request) bool { return withKey(r) && !byOwner(r) }
	all := func(*http.Request) bool { return true }
	deletes := func(r *http.Request) bool { return r.Method == "DELETE" }
	strangers := ask("list", "GET", "/list", stranger)
	forbidden := ask("update", "PATCH", "/foreign", owner)
	forbidden.MayBeForbidden = true
	for name, test := range map[string]struct {
		refuses refusals
		send    []Request
		want    string // statuses, and ! for a key that has stopped
		says    string
		most    int // requests
	}{
		"never accepted": {refuse(byOwner, 1, 401), []Request{list, update}, "401 401", "", 2},
		"expired": {
			refuse(withKey, 3, 401),
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
			refuse(deletes, 1, 401),
			[]Request{list, remove, remove, remove, remove, remove},
			"200 401 401 401 401 401", "", 6 + 3,
		},
		"one operation from some time on": {
			refuse(deletes, 3, 401), []Request{list, remove, remove, list}, "200 200 401 200", "", 5,
		},
		"for a moment": {
			until(8, refuse(withKey, 3, 401)), []Request{list, update, update, list}, "200 200 401 200", "", 12,
		},
		"the stranger's": {
			refuse(byStranger, 3, 401),
			[]Request{strangers, list, strangers, list},
			"200 200 ! 200", "the stranger's key was accepted 1 time and is refused since request 3", 4 + 2 + askedAgain,
		},
		"a quota": {
			refuse(all, 4, 403),
			[]Request{list, update, nobody, nobody, update, list},
			"200 200 401 ! ! !",
			"everything is answered 403 since request 4: is a quota used up?", 6 + 2 + askedAgain,
		},
		"a quota of the stranger's": {
			refuse(byStranger, 3, 403),
			[]Request{strangers, update, strangers, nobody, update, strangers},
			"200 200 ! 401 200 !",
			"the stranger's key was accepted 1 time and everything is answered 403 since request 3: is a quota used up?", 6 + 2 + askedAgain,
		},
		"no permission for an object": {
			refuse(func(r *http.Request) bool { return r.URL.Path == "/foreign" }, 1, 403),
			[]Request{list, forbidden, forbidden},
			"200 403 403", "", 3,
		},
		"no permission any more": {
			refuse(func(r *http.Request) bool { return r.URL.Path == "/thing" }, 3, 403),
			[]Request{list, update, update},
			"200 200 403", "", 4,
		},
	} {
		t.Run(name, func(t *testing.T) {
			requests := 0
			counted := func(n int, r *http.Request) int { requests = n; return test.refuses(n, r) }
			inBubble(t, Options{Secrets: []Credential{owner, stranger}}, keyedServer(counted), func(t *testing.T, c *Client) {
				c.Beside(ordinaryRequests)
				got, stop := sendInTurn(t, c, test.send)
				if got != test.want {
					t.Errorf("%q, want %q", got, test.want)
				}
				expectStop(t, stop, test.says)
			})
			if requests > test.most {
				t.Errorf("%d requests, want at most %d", requests, test.most)
			}
		})
	}
}

// sendInTurn returns the statuses of requests, ! for a key that has stopped, and the last such stop.
func sendInTurn(t *testing.T, c *Client, requests []Request) (got string, stop *KeyStop) {
	t.Helper()
	var all []string
	for _, r := range requests {
		ex := c.Do(t.Context(), "case", r)
		switch {
		case ex.Err == nil:
			all = append(all, strconv.Itoa(ex.Response.Status))
		case ex.Err.Kind == KeyStopped && ex.Response.Status == ex.Stop.Status:
			all = append(all, "!")
			stop = ex.Stop
		default:
			t.Error(ex)
		}
	}
	return strings.Join(all, " "), stop
}

// expectStop expects a key to have stopped for good, with these words, or not to have stopped.
func expectStop(t *testing.T, stop *KeyStop, words string) {
	t.Helper()
	switch {
	case stop == nil:
		if words != "" {
			t.Errorf("the key has not stopped, want %q", words)
		}
	case words == "", stop.Back(), !strings.Contains(stop.String(), words):
		t.Errorf("%s, back %t, want %q", stop, stop.Back(), words)
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
		t.Run(name, func(t *testing.T) {
			inBubble(t, options, test.server.ServeHTTP, func(t *testing.T, c *Client) {
				c.Beside(func() []Request { return []Request{as(list), as(update)} })
				got, stop := sendInTurn(t, c, test.send)
				if got != test.want || test.server.runs != test.runs {
					t.Errorf("%q; the command ran %d times", got, test.server.runs)
				}
				expectStop(t, stop, test.says)
				if text := c.Redact(c.Key("owner") + " " + first.Value); text != "$ADCONFORM_OWNER_KEY $ADCONFORM_OWNER_KEY" {
					t.Errorf("%q is shown", text)
				}
			})
		})
	}
}

// Requests that are under way together share one renewal.
func TestKeyRenewalIsShared(t *testing.T) {
	first := Credential{Name: "owner", Value: ownerKey + "-0", Send: true}
	as := func(r Request) Request { r.Credential = first; return r }
	server := &tokenServer{uses: 2}
	options := Options{Secrets: []Credential{first}, Renew: map[string]fixtures.Renew{"owner": server.next}}
	inBubble(t, options, server.ServeHTTP, func(t *testing.T, c *Client) {
		c.Beside(func() []Request { return []Request{as(list), as(update)} })
		for range 2 {
			status(t, c.Do(t.Context(), "case", as(list)), 200)
		}
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
