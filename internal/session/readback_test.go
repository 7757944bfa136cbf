package session_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/session"
	"github.com/adconform/adconform/spec"
)

// surveys are servers that refuse some ways of reading.
var surveys = map[string]struct {
	refuses func(method string, fields []string) bool
	survey  []string // requests for the object; G is GET, and P with fields a PATCH of these
	read    []string
	seen    string
}{
	"GET and {}": {
		func(string, []string) bool { return false },
		[]string{"G", "P", "Pall", "G", "P", "Pall", "G", "P"},
		[]string{"G"},
		"name withoutCookiesAction withCookiesAction",
	},
	"{} alone": {
		func(method string, _ []string) bool { return method == http.MethodGet },
		[]string{"G", "P", "Pall", "P", "Pall", "P"},
		[]string{"P"},
		"name withoutCookiesAction withCookiesAction",
	},
	"GET alone": {
		func(method string, fields []string) bool { return method == http.MethodPatch && len(fields) < 3 },
		[]string{"G", "P", "Pall", "G", "Pname", "PwithoutCookiesAction", "PwithCookiesAction", "Pall", "G"},
		[]string{"G"},
		"name withoutCookiesAction withCookiesAction",
	},
	"a part of the fields": {
		func(method string, fields []string) bool { return method == http.MethodGet || len(fields) == 0 },
		[]string{
			"G", "P", "Pall", "Pname", "PwithoutCookiesAction", "PwithCookiesAction",
			"Pall", "Pname", "PwithoutCookiesAction", "PwithCookiesAction",
		},
		[]string{"Pname", "PwithoutCookiesAction"},
		"withoutCookiesAction withCookiesAction name",
	},
	"a part of the fields, but not the name": {
		func(method string, fields []string) bool {
			return method == http.MethodGet || len(fields) == 0 || slices.Equal(fields, []string{"name"})
		},
		[]string{
			"G", "P", "Pall", "Pname", "PwithoutCookiesAction", "PwithCookiesAction",
			"Pall", "PwithoutCookiesAction", "PwithCookiesAction",
		},
		[]string{"PwithoutCookiesAction", "PwithCookiesAction"},
		"name withCookiesAction withoutCookiesAction",
	},
	"nothing": {
		func(method string, fields []string) bool { return method == http.MethodGet || len(fields) < 3 },
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
			if test.refuses(method, slices.Sorted(maps.Keys(body))) {
				return 422
			}
			return 0
		}
		one, _ := s.visit(t, "updateConnectionProfile", true, func(c *session.T) {
			if diff := cmp.Diff(test.survey, s.takesOf(path)); diff != "" {
				t.Errorf("%s: the survey: %s", name, diff)
			}
			var names []string
			for _, f := range c.Read(c.Object(c.Test.Case.Operation, "connectionProfile")) {
				names = append(names, f.Name)
			}
			seen := strings.Join(names, " ")
			if diff := cmp.Diff(test.read, s.takesOf(path)); diff != "" || seen != test.seen {
				t.Errorf("%s: the read shows %q: %s", name, seen, diff)
			}
		})
		want := spec.Accepted
		if test.refuses(http.MethodPatch, nil) {
			want = "refused (422)"
		}
		all := one.Model.Outcome.Observations()
		i := slices.IndexFunc(all, func(o *judge.Observation) bool { return o.Point == "empty-object" })
		if got := all[max(i, 0)].Choices(); i < 0 || !slices.Equal(got, []spec.Choice{want}) {
			t.Errorf("%s: {} is observed to be %q, want %q", name, got, want)
		}
	}
}

// Other objects are asked for with {} only if it shows the values of the target file on the first, and so resets
// nothing.
func TestSurveyOfOthers(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*fixtures.Target)
		want   []string
	}{
		"as given":      {func(*fixtures.Target) {}, []string{"G", "P"}},
		"other values":  {func(f *fixtures.Target) { f.Objects["connectionProfile"][0].Values["name"] = "Another" }, nil},
		"without value": {func(f *fixtures.Target) { f.Objects["connectionProfile"][0].Values = nil }, nil},
	} {
		s := newShop()
		s.visit(t, "updateConnectionProfile", true, func(*session.T) {
			if diff := cmp.Diff(test.want, s.takesOf("/connection-profiles/13")); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}, test.change)
	}
}
