package selftest

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/suites/report"
)

// answered is a handler that answers some requests itself; status 0 leaves a request to the
// reference. What comes without a key always is.
func answered(status func(r *http.Request, body string) int) func(http.Handler) http.Handler {
	return func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			is := status(r, string(body))
			if is == 0 || r.Header.Get("X-API-Key") == "" {
				h.ServeHTTP(w, r)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(is)
			io.WriteString(w, errorBody(is))
		})
	}
}

// changed is a handler whose answers are others.
func changed(change func(r *http.Request, status int, body string) (int, string)) func(http.Handler) http.Handler {
	return func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			a := httptest.NewRecorder()
			h.ServeHTTP(a, r)
			status, body := change(r, a.Code, a.Body.String())
			maps.Copy(w.Header(), a.Header())
			w.Header().Del("Content-Length")
			if body != "" {
				w.Header().Set("Content-Type", "application/json")
			}
			w.WriteHeader(status)
			io.WriteString(w, body)
		})
	}
}

func errorBody(status int) string {
	return fmt.Sprintf(`{"error":{"responseCode":%d,"issues":[{"type":"x","message":"no","relatedField":null}]}}`, status)
}

// always answers requests of a method with a status.
func always(method string, status int) func(http.Handler) http.Handler {
	return answered(func(r *http.Request, _ string) int { return map[string]int{method: status}[r.Method] })
}

// becomes answers one status in place of another.
func becomes(from, to int, with string) func(http.Handler) http.Handler {
	return changed(func(_ *http.Request, status int, body string) (int, string) {
		if status == from {
			return to, with
		}
		return status, body
	})
}

// withoutMembers answers without members of these names.
func withoutMembers(names ...string) func(http.Handler) http.Handler {
	member := regexp.MustCompile(`"(` + strings.Join(names, "|") + `)":("[^"]*"|\{[^}]*\}|[^,}]*),?`)
	return changed(func(_ *http.Request, status int, body string) (int, string) {
		return status, strings.ReplaceAll(member.ReplaceAllString(body, ""), ",}", "}")
	})
}

// unpaged leaves the query out, or refuses it.
func unpaged(refusal int) func(http.Handler) http.Handler {
	return answered(func(r *http.Request, _ string) int {
		if r.URL.RawQuery == "" {
			return 0
		}
		r.URL.RawQuery = ""
		return refusal
	})
}

var emptyLists = changed(func(r *http.Request, status int, body string) (int, string) {
	if strings.HasSuffix(r.URL.Path, "/media-files") && status == http.StatusOK {
		return status, `{"meta":{"pagination":{"count":0,"totalCount":0,"page":1,"totalPages":1}},"data":[]}`
	}
	return status, body
})

// noWayBack takes updates of all fields only, and shows no object.
var noWayBack = answered(func(r *http.Request, body string) int {
	least := 2 // fields
	switch {
	case strings.Contains(r.URL.Path, "/campaigns/"):
		least = 1
	case !strings.Contains(r.URL.Path, "/hosts/"):
		least = 3
	}
	switch {
	case r.Method == http.MethodGet && !strings.HasSuffix(r.URL.Path, "/media-files"):
		return http.StatusMethodNotAllowed
	case r.Method == http.MethodPatch && strings.HasPrefix(body, "{") && strings.Count(body, `":`) < least:
		return http.StatusUnprocessableEntity
	}
	return 0
})

const (
	lists   = "listCreativeMediaFiles"
	deletes = "deleteCreative"
	updates = "update"
)

// unmet are targets that do not meet the premise of clauses, by operation. What
// these say can neither hold nor be called held.
var unmet = map[string]struct {
	wrap    func(http.Handler) http.Handler
	clauses string // PROFILE-: all of these
	of      string // prefix of the operations
}{
	"every page refused":   {unpaged(400), "MEDIA-6 MEDIA-7 MEDIA-8", lists},
	"pages without effect": {unpaged(0), "MEDIA-6 MEDIA-7 MEDIA-8", lists},
	"deletes are 403":      {always(http.MethodDelete, 403), "DELETE- OPEN-4 EFFECT-3 EFFECT-1 AUTH-4", deletes},
	"deletes are 404":      {always(http.MethodDelete, 404), "DELETE- OPEN-4 EFFECT-3 EFFECT-1 AUTH-2 AUTH-4", deletes},
	"deletes are 422":      {always(http.MethodDelete, 422), "DELETE- OPEN-4 EFFECT-3 EFFECT-1 AUTH-2 AUTH-4 ERR-1", deletes},
	"deletes are 405":      {always(http.MethodDelete, 405), "DELETE- OPEN-4 EFFECT-3 EFFECT-1 AUTH-2 AUTH-4 ERR-1", deletes},
	"no answer is 204":     {becomes(204, 200, "{}"), "DELETE- OPEN-4", deletes},
	"updates are 422": {
		always(http.MethodPatch, 422),
		"PROFILE- HOST- CAMPAIGN- EFFECT- AUTH-2 AUTH-4 ERR-1 ERR-2 OPEN-6 OPEN-7", updates,
	},
	"updates are 403": {
		always(http.MethodPatch, 403),
		"PROFILE- HOST- CAMPAIGN- EFFECT- AUTH-4 ERR-1 ERR-2 ERR-3 ERR-4 ERR-5 ERR-10", updates,
	},
	"updates are 500": {
		always(http.MethodPatch, 500),
		"PROFILE- HOST- CAMPAIGN- EFFECT- AUTH-2 AUTH-4 ERR-1 ERR-3 ERR-4 ERR-5 ERR-10", updates,
	},
	"lists are empty":  {emptyLists, "CREATIVE- MEDIA-7 MEDIA-8 MEDIA-9", lists},
	"lists are 404":    {always(http.MethodGet, 404), "CREATIVE- MEDIA- AUTH-4 EFFECT-3", lists},
	"no answer is 422": {becomes(422, 400, errorBody(400)), "ERR-3 ERR-4 ERR-5 ERR-10", updates},
	"no answer is 403": {becomes(403, 400, errorBody(400)), "AUTH-2", ""},
	"no answer is 401": {becomes(401, 400, errorBody(400)), "AUTH-1", ""},
	"no answer is 404": {becomes(404, 400, errorBody(400)), "ERR-1 ERR-2 DELETE-3", ""},
	"no answer shows updatedAt": {
		withoutMembers("updatedAt"),
		"PROFILE-8 PROFILE-12 HOST-9 HOST-11 CAMPAIGN-8 CAMPAIGN-14 CREATIVE-5", "",
	},
	"no creative shows what it may": {
		withoutMembers("parentId", "previewAnimationURL", "width", "height", "nbVariations", "latestScanStatus"),
		"CREATIVE-6 CREATIVE-11 CREATIVE-12 CREATIVE-13 CREATIVE-15 CREATIVE-17", lists,
	},
	"nothing can be read back": {noWayBack, "EFFECT-1 EFFECT-2 PROFILE-4 HOST-4 CAMPAIGN-4 OPEN-7", updates},
}

func TestNoClauseHoldsWithoutItsPremise(t *testing.T) {
	for i, name := range slices.Sorted(maps.Keys(unmet)) {
		if testing.Short() && i%10 != 0 {
			continue
		}
		tc := unmet[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			around := func(h http.Handler, _ faults.Env) http.Handler { return tc.wrap(h) }
			s := serving(t, trial{variant: &faults.Variant{Server: faults.Server{ID: name, Wrap: around}}})
			seen := record(s.config)
			r := ran(t, s)
			aimed := 0
			for _, cl := range r.Clauses {
				if !strings.HasPrefix(cl.Operation, tc.of) || !names(tc.clauses, cl.ID) {
					continue
				}
				aimed++
				if cl.Status == report.Held || cl.Status == report.NotTested && cl.Reason == "" {
					t.Errorf("%s is %s, judged in %d cases: %q", cl.Subject(), cl.Status, cl.Cases, cl.Reason)
				}
			}
			if aimed < len(strings.Fields(tc.clauses)) {
				t.Errorf("only %d states of %s", aimed, tc.clauses)
			}
			for _, line := range seen.unshown(r) {
				t.Error(line)
			}
		})
	}
}

func names(clauses, id string) bool {
	return slices.ContainsFunc(strings.Fields(clauses), func(c string) bool {
		return c == id || strings.HasSuffix(c, "-") && strings.HasPrefix(id, c)
	})
}
