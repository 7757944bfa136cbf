package wire

import (
	"net/http"
	"strings"
	"sync"
	"testing"
)

// keyedServer serves three operations to a key: what refuses returns, if it is not 0, is the status of the nth request.
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
		"expired": {of(withKey, 3, 401), []Request{list, update, update, nobody, list}, "200 200 ! 401 !",
			"the owner's key was accepted 2 times and is refused since request 3: has it expired?", 5 + 2 + askedAgain},
		"expired on a server that looks up ids first": {func(n int, r *http.Request) int {
			switch {
			case strings.HasSuffix(r.URL.Path, "unknown"):
				return 404
			case n >= 3 && withKey(r):
				return 401
			}
			return 0
		}, []Request{list, update, update, list}, "200 200 ! !", "has it expired?", 4 + 3 + askedAgain},
		"one operation":                   {of(deletes, 1, 401), []Request{list, remove, remove, remove, remove, remove}, "200 401 401 401 401 401", "", 6 + 3},
		"one operation from some time on": {of(deletes, 3, 401), []Request{list, remove, remove, list}, "200 200 401 200", "", 5},
		"for a moment":                    {until(8, of(withKey, 3, 401)), []Request{list, update, update, list}, "200 200 401 200", "", 12},
		"the stranger's": {of(byStranger, 3, 401), []Request{ask("list", "GET", "/list", stranger), list, ask("list", "GET", "/list", stranger), list},
			"200 200 ! 200", "the stranger's key was accepted 1 time and is refused since request 3", 4 + 2 + askedAgain},
		"a quota": {of(all, 4, 403), []Request{list, update, nobody, nobody, update, list}, "200 200 401 ! ! !",
			"everything is answered 403 since request 4: is a quota used up?", 6 + 2 + askedAgain},
		"no permission for an object": {of(func(r *http.Request) bool { return r.URL.Path == "/foreign" }, 1, 403),
			[]Request{list, forbidden, forbidden}, "200 403 403", "", 3},
		"no permission any more": {of(func(r *http.Request) bool { return r.URL.Path == "/thing" }, 3, 403),
			[]Request{list, update, update}, "200 200 403", "", 4},
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

// Requests that are under way while the key stops all fail, and one that was sent before and is accepted later does not
// bring the key back; one that was sent after that does.
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
