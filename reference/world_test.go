package reference

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
)

// The world of the tests is the default one: profile 12 with rules 34 (hosts 56, 58) and 35 (host
// 57), profile 13, campaigns 25 and 26, the VAST creatives 200 (files 201 to 203), 220 (250 files
// from 1001) and 210 (none), the plain creative 230. The stranger's ids are from 91 to 98.
var (
	testWorld   = fixtures.DefaultWorld
	ownerKey    = testWorld().Users[0].Key
	strangerKey = testWorld().Users[1].Key
)

// newServer serves the test world in memory, with the default choices as changed
// by flip.
func newServer(t testing.TB, flip func(*Choices)) *Server {
	t.Helper()
	o := Options{World: testWorld(), Choices: DefaultChoices()}
	if flip != nil {
		flip(&o.Choices)
	}
	return newServerWith(t, o)
}

func newServerWith(t testing.TB, o Options) *Server {
	t.Helper()
	s, err := New(o)
	noError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// reply is a response.
type reply struct {
	status int
	header http.Header
	body   string
}

// request sends a request by name, such as "PATCH /campaigns/25", without any
// header but those given by name and value.
func request(s http.Handler, name, body string, headers ...string) reply {
	return requestAt(s, BasePath, name, body, headers...)
}

func requestAt(s http.Handler, base, name, body string, headers ...string) reply {
	method, path, _ := strings.Cut(name, " ")
	r := httptest.NewRequest(method, base+path, strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return serve(s, r)
}

func serve(s http.Handler, r *http.Request) reply {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return reply{w.Code, w.Header(), w.Body.String()}
}

// ask sends a request of the owner.
func ask(s http.Handler, name, body string, headers ...string) reply {
	return request(s, name, body, append(headers, fixtures.DefaultKeyHeader, ownerKey)...)
}

// at returns the JSON at a place of the body such as data.name or data.0.id,
// "absent" if there is none.
func (r reply) at(place string) string {
	value := jsontext.Value(r.body)
	for name := range strings.SplitSeq(place, ".") {
		var object map[string]jsontext.Value
		var array []jsontext.Value
		if json.Unmarshal(value, &object) == nil && object[name] != nil {
			value = object[name]
		} else if i, err := strconv.Atoi(name); err == nil && json.Unmarshal(value, &array) == nil && i < len(array) {
			value = array[i]
		} else {
			return "absent"
		}
	}
	return string(value)
}

// issues returns the types of the issues with their fields: "invalidType name".
func (r reply) issues() string {
	var body spec.ErrorBody
	if err := json.Unmarshal([]byte(r.body), &body); err != nil {
		return err.Error()
	}
	var all []string
	for _, issue := range body.Error.Issues {
		field := "null"
		if issue.RelatedField != nil {
			field = *issue.RelatedField
		}
		all = append(all, issue.Type+" "+field)
	}
	return strings.Join(all, ", ")
}

func (r reply) is(t *testing.T, status int) reply {
	t.Helper()
	if r.status != status {
		t.Fatalf("status %d, want %d: %s", r.status, status, r.body)
	}
	return r
}

func (r reply) shows(t *testing.T, place, want string) reply {
	t.Helper()
	if got := r.at(place); got != want {
		t.Errorf("%s: expected %s, got %s in %s", place, want, got, r.body)
	}
	return r
}

// refuses checks an answer in the error shape.
func (r reply) refuses(t *testing.T, status int, issues string) {
	t.Helper()
	if r.status != status || r.at("error.responseCode") != strconv.Itoa(status) || r.issues() != issues {
		t.Errorf("expected %d %s, got %d %s", status, issues, r.status, r.body)
	}
	if got := r.header.Get("Content-Type"); got != "application/json" {
		t.Errorf("Content-Type %q", got)
	}
}

// noError fails the test at once on an error that is unrelated to its subject.
func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
