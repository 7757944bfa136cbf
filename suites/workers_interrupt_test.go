package suites_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
)

// A run that ends anywhere puts back what all its chains changed, also on a target
// that carries out what it refuses.
func TestInterruptedWorkersPutBack(t *testing.T) {
	for name, handler := range map[string]func(http.Handler) http.Handler{
		"conforming":       func(h http.Handler) http.Handler { return h },
		"refuses and does": refusesAndDoes,
	} {
		for i, after := range []int64{1, 40, 80, 120, 160, 240, 320, 400, 520} {
			if testing.Short() && i%5 != 1 {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", name, after), func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				readable := readable(t)
				h := handler(readable)
				var n atomic.Int64
				target := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if n.Add(1) == after {
						cancel()
					}
					h.ServeHTTP(w, r)
				}))
				target.Limits.Concurrency = 16
				before := held(t, readable, target)
				r, err := suites.Execute(ctx, suites.NewConfig(target))
				if err != nil {
					t.Fatal(err)
				}
				if r.ExitCode != report.ExitInterrupted {
					t.Errorf("exit code %d: %s", r.ExitCode, r.Reason)
				}
				for object, now := range held(t, readable, target) {
					if now != before[object] {
						t.Errorf("%s is %s, and was %s", object, now, before[object])
					}
				}
				for _, change := range r.Changes {
					if change.Change == "updated" && !change.Restored {
						t.Errorf("%+v", change)
					}
				}
			})
		}
	}
}

// refusesAndDoes carries out what it answers 401 to.
func refusesAndDoes(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, r)
		if answer.Code == http.StatusUnauthorized && r.Method == http.MethodPatch {
			r.Body = io.NopCloser(bytes.NewReader(body))
			r.Header.Set("X-API-Key", fixtures.DefaultWorld().Users[0].Key)
			h.ServeHTTP(httptest.NewRecorder(), r)
		}
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	})
}

// held is what of each object of a target a run may change, as the server shows it.
func held(t *testing.T, h http.Handler, target *fixtures.Target) map[string]string {
	all := map[string]string{}
	o := target.Objects
	profile := fmt.Sprintf("/connection-profiles/%d", o.ConnectionProfile.ID)
	for _, path := range []string{
		profile, fmt.Sprintf("/connection-profiles/%d", o.OtherConnectionProfile.ID),
		fmt.Sprintf("%s/rules/%d/hosts/%d", profile, o.ConnectionProfileRule.ID, o.ConnectionProfileRuleHost.ID),
		fmt.Sprintf("%s/rules/%d/hosts/%d", profile, o.ConnectionProfileRule.ID, o.ConnectionProfileRuleOtherHost.ID),
		fmt.Sprintf("%s/rules/%d/hosts/%d", profile, o.ConnectionProfileOtherRule.ID, o.ConnectionProfileOtherRuleHost.ID),
		fmt.Sprintf("/campaigns/%d", o.Campaign.ID), fmt.Sprintf("/campaigns/%d", o.OtherCampaign.ID),
	} {
		r := httptest.NewRequest(http.MethodGet, basePath+path, http.NoBody)
		r.Header.Set("X-API-Key", target.Credentials.Owner)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		var body struct{ Data map[string]any }
		if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || body.Data == nil {
			t.Fatalf("%s: %d %s", path, w.Code, w.Body)
		}
		delete(body.Data, "updatedAt")
		all[path] = strings.TrimSpace(fmt.Sprint(body.Data))
	}
	return all
}
