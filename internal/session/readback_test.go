package session_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adconform/adconform/internal/session"
)

// surveys are servers that refuse some ways of reading.
var surveys = map[string]struct {
	refuses func(method string, fields int) bool
	survey  []string // requests for the object; G is GET, and P with fields a PATCH of these
	read    []string
	seen    string
}{
	"GET and {}": {
		func(string, int) bool { return false },
		[]string{"G", "P", "Pall", "G", "P", "Pall", "G", "P"},
		[]string{"G"},
		"name withoutCookiesAction withCookiesAction",
	},
	"{} alone": {
		func(method string, _ int) bool { return method == http.MethodGet },
		[]string{"G", "P", "Pall", "P", "Pall", "P"},
		[]string{"P"},
		"name withoutCookiesAction withCookiesAction",
	},
	"GET alone": {
		func(method string, fields int) bool { return method == http.MethodPatch && fields < 3 },
		[]string{"G", "P", "Pall", "G", "Pname", "PwithoutCookiesAction", "PwithCookiesAction", "Pall", "G"},
		[]string{"G"},
		"name withoutCookiesAction withCookiesAction",
	},
	"a part of the fields": {
		func(method string, fields int) bool { return method == http.MethodGet || fields == 0 },
		[]string{
			"G", "P", "Pall", "Pname", "PwithoutCookiesAction", "PwithCookiesAction",
			"Pall", "Pname", "PwithoutCookiesAction", "PwithCookiesAction",
		},
		[]string{"Pname", "PwithoutCookiesAction"},
		"withoutCookiesAction withCookiesAction name",
	},
	"nothing": {
		func(method string, fields int) bool { return method == http.MethodGet || fields < 3 },
		[]string{"G", "P", "Pall", "Pname", "PwithoutCookiesAction", "PwithCookiesAction", "Pall"},
		nil, "",
	},
}

// takesOf returns the requests for one object since the last time: G is GET, and P with fields a PATCH of these.
func (s *shop) takesOf(path string) (got []string) {
	for _, line := range s.takes() {
		method, rest, _ := strings.Cut(line, " ")
		at, fields, _ := strings.Cut(rest, " ")
		if at == path {
			fields = strings.Trim(fields, "{}")
			if fields == "name withCookiesAction withoutCookiesAction" {
				fields = "all"
			}
			got = append(got, method[:1]+fields)
		}
	}
	return got
}

// A survey asks in each way that the server has not refused, and later reads use the shortest that shows all fields.
func TestSurvey(t *testing.T) {
	const path = "/connection-profiles/12"
	for name, test := range surveys {
		s := newShop()
		s.hook = func(_, method, _ string, body map[string]any) int {
			if test.refuses(method, len(body)) {
				return 422
			}
			return 0
		}
		s.visit(t, "updateConnectionProfile", true, func(c *session.T) {
			if diff := cmp.Diff(test.survey, s.takesOf(path)); diff != "" {
				t.Errorf("%s: the survey: %s", name, diff)
			}
			seen := strings.Join(c.Read(c.Object(c.Test.Case.Operation, "connectionProfile")), " ")
			if diff := cmp.Diff(test.read, s.takesOf(path)); diff != "" || seen != test.seen {
				t.Errorf("%s: the read shows %q: %s", name, seen, diff)
			}
		})
	}
}
