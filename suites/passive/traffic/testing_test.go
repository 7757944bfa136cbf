package traffic_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/passive/traffic"
)

// told is a test whose words are kept.
type told struct {
	testing.TB
	errors, logs []string
	cleanup      []func()
}

func (t *told) Helper()                   {}
func (t *told) Name() string              { return "TestOfAVendor" }
func (t *told) Failed() bool              { return len(t.errors) > 0 }
func (t *told) Skipped() bool             { return false }
func (t *told) Errorf(f string, a ...any) { t.errors = append(t.errors, fmt.Sprintf(f, a...)) }
func (t *told) Error(a ...any)            { t.errors = append(t.errors, fmt.Sprint(a...)) }
func (t *told) Log(a ...any)              { t.logs = append(t.logs, fmt.Sprint(a...)) }
func (t *told) Cleanup(f func())          { t.cleanup = append(t.cleanup, f) }
func (t *told) end() {
	for _, f := range t.cleanup {
		f()
	}
}

const key = "a-key-that-nobody-may-see"

func server(id int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w,
			`{"data":{"id":%d,"name":"a","createdAt":"2024-03-01T09:00:00Z","updatedAt":"2024-03-02T09:00:00Z","type":"video",`+
				`"shareURL":"https://a.example/25","adspecId":1,"userId":2}}`,
			id)
	}
}

func rename(t *testing.T, c *http.Client, base string) {
	t.Helper()
	r, err := http.NewRequest("PATCH", base+"/campaigns/25", strings.NewReader(`{"name":"a"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"X-Api-Key": {key}, "Content-Type": {"application/json"}}
	res, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, res.Body)
	res.Body.Close()
}

// The client's transport and the server's handler tell the same: each finding
// with clause, expectation and a curl line without the key, then the verdict.
func TestFindingsFailTheTest(t *testing.T) {
	for name, start := range map[string]func(testing.TB, http.Handler) (*http.Client, string, func()){
		"transport": func(in testing.TB, h http.Handler) (*http.Client, string, func()) {
			s := httptest.NewServer(h)
			return &http.Client{Transport: traffic.Transport(in, s.URL+"/v2", nil)}, s.URL + "/v2", s.Close
		},
		"handler": func(in testing.TB, h http.Handler) (*http.Client, string, func()) {
			s := httptest.NewServer(traffic.Handler(in, "/v2", h))
			return s.Client(), s.URL + "/v2", s.Close
		},
	} {
		t.Run(name, func(t *testing.T) {
			good := &told{TB: t}
			client, base, stop := start(good, server(25))
			rename(t, client, base)
			stop()
			good.end()
			if len(good.errors) != 0 || len(good.logs) != 1 ||
				!strings.Contains(good.logs[0], "NOTHING WRONG SEEN in 1 exchange: ") ||
				!strings.Contains(good.logs[0], "1 recorded exchange judged") {
				t.Errorf("%q %q", good.errors, good.logs)
			}

			bad := &told{TB: t}
			client, base, stop = start(bad, server(26))
			for range 3 {
				rename(t, client, base)
			}
			stop()
			bad.end()
			if len(bad.errors) != 1 || len(bad.logs) != 1 || !strings.Contains(bad.logs[0], "NONCONFORMING: 1 finding") {
				t.Fatalf("%q %q", bad.errors, bad.logs)
			}
			for _, words := range []string{"CAMPAIGN-2 (stated)", "expected id 25", "got 26", "curl -i -X PATCH", "X-API-Key: $ADCONFORM_"} {
				if !strings.Contains(bad.errors[0], words) {
					t.Errorf("%q is missing in %s", words, bad.errors[0])
				}
			}
			if strings.Contains(bad.errors[0], key) {
				t.Error("the key is shown")
			}
		})
	}
}

// A test that judges nothing, for example as the base URL is wrong, is not green.
func TestNothingJudgedFailsTheTest(t *testing.T) {
	s := httptest.NewServer(server(25))
	defer s.Close()
	in := &told{TB: t}
	rename(t, &http.Client{Transport: traffic.Transport(in, s.URL+"/v3", nil)}, s.URL+"/v2")
	in.end()
	if len(in.errors) != 1 || !strings.Contains(in.errors[0], "INCONCLUSIVE") || !strings.Contains(in.errors[0], "1 of other paths") {
		t.Errorf("%q", in.errors)
	}
	bears := &told{TB: t}
	traffic.Handler(bears, "/v2", server(25), func(c *suites.Config) { c.AllowInconclusive = true })
	bears.end()
	if len(bears.errors) > 0 || len(bears.logs) != 1 || !strings.Contains(bears.logs[0], "INCONCLUSIVE") {
		t.Errorf("with AllowInconclusive: %q, %q", bears.errors, bears.logs)
	}
}

// Requests to another server are no business of the test.
func TestOtherServersAreNotJudged(t *testing.T) {
	right, wrong := httptest.NewServer(server(25)), httptest.NewServer(server(26))
	defer right.Close()
	defer wrong.Close()
	in := &told{TB: t}
	client := &http.Client{Transport: traffic.Transport(in, right.URL+"/v2", nil)}
	rename(t, client, right.URL+"/v2")
	rename(t, client, wrong.URL+"/v2")
	in.end()
	if len(in.errors) != 0 {
		t.Errorf("%q", in.errors)
	}
}

// A handler that reads only as much as it needs is judged by the rest.
func TestAHandlerThatDoesNotReadTheBody(t *testing.T) {
	in := &told{TB: t}
	s := httptest.NewServer(traffic.Handler(in, "/v2", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(403)
		fmt.Fprint(w, `{"error":{"responseCode":404,"issues":[]}}`)
	})))
	rename(t, s.Client(), s.URL+"/v2")
	s.Close()
	in.end()
	if len(in.errors) != 1 || !strings.Contains(in.errors[0], "ERR-7") {
		t.Errorf("%q", in.errors)
	}
}

// A client that looks at the status only is judged by the whole answer.
func TestAClientThatDoesNotReadTheAnswer(t *testing.T) {
	s := httptest.NewServer(server(26))
	defer s.Close()
	in := &told{TB: t}
	client := &http.Client{Transport: traffic.Transport(in, s.URL+"/v2", nil)}
	r, err := http.NewRequest("PATCH", s.URL+"/v2/campaigns/25", strings.NewReader(`{"name":"a"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"X-Api-Key": {key}, "Content-Type": {"application/json"}}
	res, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	in.end()
	if len(in.errors) != 1 || !strings.Contains(in.errors[0], "CAMPAIGN-2") {
		t.Errorf("%q", in.errors)
	}
}

// A handler that answers before it has read all is not taken to have got half a
// JSON text.
func TestAHandlerThatReadsABeginning(t *testing.T) {
	in := &told{TB: t}
	s := httptest.NewServer(traffic.Handler(in, "/v2", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.ReadFull(r.Body, make([]byte, 5))
		short := r.WithContext(r.Context())
		short.Body = http.NoBody
		server(25)(w, short)
	})))
	r, err := http.NewRequest("PATCH", s.URL+"/v2/campaigns/25", struct{ io.Reader }{strings.NewReader(`{"name":"a"}`)})
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"X-Api-Key": {key}, "Content-Type": {"application/json"}}
	res, err := s.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	s.Close()
	in.end()
	if len(in.errors) != 0 {
		t.Errorf("%q", in.errors)
	}
}

// keyed is a transport that adds the key on the way.
type keyed struct{ next http.RoundTripper }

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Api-Key", key)
	return k.next.RoundTrip(r)
}

// Who a client is may show below the transport that judges.
func TestAKeyThatIsAddedOnTheWay(t *testing.T) {
	for name, c := range map[string]struct {
		next  http.RoundTripper
		finds bool
	}{
		"nothing added":          {nil, true},
		"a transport of its own": {&http.Transport{}, true},
		"a key":                  {keyed{http.DefaultTransport}, false},
		"a certificate":          {&http.Transport{TLSClientConfig: &tls.Config{Certificates: make([]tls.Certificate, 1)}}, false},
	} {
		target := httptest.NewServer(server(25))
		mine := &told{TB: t}
		r, err := http.NewRequest("PATCH", target.URL+"/v2/campaigns/25", strings.NewReader(`{"name":"a"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		res, err := (&http.Client{Transport: traffic.Transport(mine, target.URL+"/v2", c.next)}).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		mine.end()
		target.Close()
		if found := strings.Contains(strings.Join(mine.errors, ""), "AUTH-1"); found != c.finds {
			t.Errorf("%s: %q", name, mine.errors)
		}
	}
}
