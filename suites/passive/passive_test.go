package passive_test

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites/passive"
)

const key = "a-key-that-no-output-may-show"

var noError = reftest.NoError

func campaign(name string) string {
	return fmt.Sprintf(`{"data":{"id":25,"name":%q,"createdAt":"2024-03-01T09:00:00Z","updatedAt":"2024-03-02T09:00:00Z",`+
		`"type":"video","shareURL":"https://a.example/25","adspecId":1,"userId":2}}`, name)
}

// A recorder is a test that keeps its errors.
type recorder struct {
	testing.TB
	errors  []string
	cleanup func()
}

func (t *recorder) Failed() bool              { return len(t.errors) > 0 }
func (t *recorder) Errorf(f string, a ...any) { t.errors = append(t.errors, fmt.Sprintf(f, a...)) }
func (t *recorder) Cleanup(f func())          { t.cleanup = f }

// expect ends the recorded test, which has to fail at most once, with these words, and without showing the key.
func (t *recorder) expect(words string) {
	t.cleanup()
	all := strings.Join(t.errors, "\n")
	isRight := all == ""
	if words != "" {
		isRight = len(t.errors) == 1 && strings.Contains(all, words)
	}
	if !isRight || strings.Contains(all, key) {
		t.TB.Errorf("%q, want %q", t.errors, words)
	}
}

type adding struct{ http.RoundTripper } // may add a key

// With a target file the transport judges a sequence: an update that was answered 200 shows when the object is asked
// for.
func TestTransportJudgesSequences(t *testing.T) {
	for name, c := range map[string]struct{ later, want string }{
		"kept":             {"Amber Lake", ""},
		"not kept":         {"Spring video", "CAMPAIGN-4 (stated) "},
		"another client's": {"Quick Fox", ""},
	} {
		t.Run(name, func(t *testing.T) {
			names := []string{"Amber Lake", c.later, "Green Hill", c.later}
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				io.WriteString(w, campaign(names[0]))
				names = names[1:]
			}))
			defer s.Close()
			in := &recorder{TB: t}
			target := fixtures.DefaultWorld().Target(s.URL + "/v2")
			target.Open = fixtures.Pins{"readDelay": int64(0)} // otherwise the next read may lag
			client := http.Client{Transport: passive.TransportTo(in, target, nil)}
			for _, body := range []string{`{"name":"Amber Lake"}`, `{}`} {
				r, _ := http.NewRequest("PATCH", s.URL+"/v2/campaigns/25", strings.NewReader(body))
				r.Header = http.Header{"Content-Type": {"application/json"}, "X-Api-Key": {target.Credentials.Owner}}
				res, err := client.Do(r)
				noError(t, err)
				res.Body.Close()
			}
			in.expect(c.want)
		})
	}
}

// A test fails once for each cause, and if nothing was judged. The transport passes bodies on unchanged.
func TestTransport(t *testing.T) {
	for name, c := range map[string]struct {
		status                 int
		shown, path, key, want string
		next                   http.RoundTripper
	}{
		"conforms":       {shown: "a", path: "/v2/campaigns/25", key: key},
		"lost update":    {shown: "b", path: "/v2/campaigns/25", key: key, want: "CAMPAIGN-3 (stated) "},
		"commands":       {shown: "##[a] section_start:1:b", path: "/v2/campaigns/25", key: key, want: `got "#\u0023[a] section_start\u003a1:b"`},
		"no key":         {shown: "a", path: "/v2/campaigns/25", want: "AUTH-1 "},
		"a key is added": {shown: "a", path: "/v2/campaigns/25", next: adding{http.DefaultTransport}},
		"another path":   {shown: "b", path: "/v3/campaigns/25", want: "/v2 was judged: is the base URL right?"},
		"a gateway":      {status: 502, path: "/v2/campaigns/25", want: "/v2 was judged: 2 answered by a gateway"},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if body, _ := io.ReadAll(r.Body); string(body) != `{"name":"a"}` {
					t.Errorf("the server got %q", body)
				}
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(cmp.Or(c.status, 200))
				io.WriteString(w, campaign(c.shown))
			}))
			defer s.Close()
			in := &recorder{TB: t}
			client := http.Client{Transport: passive.Transport(in, s.URL+"/v2", c.next)}
			for range 2 {
				r, _ := http.NewRequest("PATCH", s.URL+c.path, strings.NewReader(`{"name":"a"}`))
				r.Header = http.Header{"Content-Type": {"application/json"}, "X-Api-Key": {c.key}}
				res, err := client.Do(r)
				noError(t, err)
				if body, _ := io.ReadAll(res.Body); string(body) != campaign(c.shown) {
					t.Errorf("the client got %q", body)
				}
			}
			in.expect(c.want)
		})
	}
}
