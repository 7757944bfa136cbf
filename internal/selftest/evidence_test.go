package selftest

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
)

type wrap = func(http.Handler, faults.Env) http.Handler

// changed returns a wrapper that changes answers.
func changed(change func(r *http.Request, status int, body string) (int, string)) wrap {
	return func(h http.Handler, _ faults.Env) http.Handler {
		return reftest.Altered(h, func(r *http.Request, a *httptest.ResponseRecorder) {
			status, body := change(r, a.Code, a.Body.String())
			if a.Code, a.Body = status, bytes.NewBufferString(body); body != "" {
				a.Header().Set("Content-Type", "application/json")
			}
		})
	}
}

// when returns a wrapper that answers with an error if a condition holds.
func when(holds func(r *http.Request, status int) bool, status int) wrap {
	return changed(func(r *http.Request, is int, body string) (int, string) {
		if holds(r, is) {
			return status, fmt.Sprintf(`{"error":{"responseCode":%d,"issues":[{"type":"x","message":"no","relatedField":null}]}}`, status)
		}
		return is, body
	})
}

// always returns a wrapper that answers requests of a method with a status, except those without a key.
func always(method string, status int) wrap {
	return when(func(r *http.Request, _ int) bool { return r.Method == method && r.Header.Get("X-API-Key") != "" }, status)
}

// never returns a wrapper that answers 400 instead of a status.
func never(status int) wrap {
	return when(func(_ *http.Request, is int) bool { return is == status }, 400)
}

// becomes returns a wrapper that answers with 200 and a body instead of a status.
func becomes(from int, with string) wrap {
	return changed(func(_ *http.Request, status int, body string) (int, string) {
		if status == from {
			return 200, with
		}
		return status, body
	})
}

const noItems = `{"meta":{"pagination":{"count":0,"totalCount":0,"page":1,"totalPages":1}},"data":[]}`

// A clause whose premise a target does not meet does not count as held. (CLAUSE- stands for all clauses with that prefix.)
func TestNoClauseHoldsWithoutItsPremise(t *testing.T) {
	const lists, deletes, updates = "listCreativeMediaFiles", "deleteCreative", "update"
	const noUpdate = "PROFILE- HOST- CAMPAIGN- EFFECT-"
	for _, tc := range reftest.Few(2, []struct {
		name    string
		wrap    wrap
		clauses string
		of      string // prefix of the operations
	}{
		{"updates are 422", always(http.MethodPatch, 422), noUpdate + " AUTH-2 AUTH-4 ERR-1 ERR-2 OPEN-6 OPEN-7", updates},
		{"deletes are 404", always(http.MethodDelete, 404), "DELETE- OPEN-4 EFFECT-3 EFFECT-1 AUTH-2 AUTH-4", deletes},
		{"every page refused", when(func(r *http.Request, status int) bool {
			return r.URL.RawQuery != "" && status == http.StatusOK
		}, 400), "MEDIA-6 MEDIA-7 MEDIA-8", lists},
		{"deletes are 403", always(http.MethodDelete, 403), "DELETE- OPEN-4 EFFECT-3 EFFECT-1 AUTH-4", deletes},
		{"deletes are 422", always(http.MethodDelete, 422), "DELETE- OPEN-4 EFFECT-3 EFFECT-1 AUTH-2 AUTH-4 ERR-1", deletes},
		{"no answer is 204", becomes(204, "{}"), "DELETE- OPEN-4", deletes},
		{"updates are 403", always(http.MethodPatch, 403), noUpdate + " AUTH-4 ERR-1 ERR-2 ERR-3 ERR-4 ERR-5 ERR-10", updates},
		{"updates are 500", always(http.MethodPatch, 500), noUpdate + " AUTH-2 AUTH-4 ERR-1 ERR-3 ERR-4 ERR-5 ERR-10", updates},
		{"lists are empty", becomes(200, noItems), "CREATIVE- MEDIA-7 MEDIA-8 MEDIA-9", lists},
		{"lists are 404", always(http.MethodGet, 404), "CREATIVE- MEDIA- AUTH-4 EFFECT-3", lists},
		{"no answer is 422", never(422), "ERR-3 ERR-4 ERR-5 ERR-10", updates},
		{"no answer is 403", never(403), "AUTH-2", ""},
		{"no answer is 401", never(401), "AUTH-1", ""},
		{"no answer is 404", never(404), "ERR-1 ERR-2 DELETE-3", ""},
		{"no answer shows updatedAt", changed(func(_ *http.Request, status int, body string) (int, string) {
			return status, strings.ReplaceAll(body, `"updatedAt":`, `"changed":`)
		}), "PROFILE-8 PROFILE-12 HOST-9 HOST-11 CAMPAIGN-8 CAMPAIGN-14 CREATIVE-5", ""},
	}) {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := serving(t, faults.Server{ID: tc.name, Wrap: tc.wrap})
			seen := record(s.config)
			r := ran(t, s, func(c *suites.Config) { c.Select = cases(tc.of) })
			aimed := 0
			for _, cl := range r.Clauses {
				if !strings.HasPrefix(cl.Operation, tc.of) || !slices.ContainsFunc(strings.Fields(tc.clauses), func(c string) bool {
					return c == cl.ID || strings.HasSuffix(c, "-") && strings.HasPrefix(cl.ID, c)
				}) {
					continue
				}
				aimed++
				if cl.Status == report.Held || cl.Status == report.NotTested && cl.Reason == "" {
					t.Errorf("%s is %s, judged in %d cases: %q", cl.Subject(), cl.Status, cl.Cases, cl.Reason)
				}
			}
			if aimed < len(strings.Fields(tc.clauses)) {
				t.Errorf("only %d clause states of %s", aimed, tc.clauses)
			}
			for _, line := range seen.unshown(r) {
				t.Error(line)
			}
		})
	}
}
