package suites_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/session"
)

func changeOf(t *testing.T, changes []session.Change, object string) session.Change {
	t.Helper()
	for _, c := range changes {
		if c.Object == object {
			return c
		}
	}
	t.Fatalf("nothing is told of %s: %+v", object, changes)
	return session.Change{}
}

func TestAnObjectThatWasNotAsTheTargetFileSaysIsTold(t *testing.T) {
	target := serve(t, readable(t))
	target.Objects.Campaign.Values["name"] = "Autumn video"
	c := changeOf(t, execute(t, suites.NewConfig(target)).Changes, "campaign")
	if !c.Restored || !strings.Contains(c.Reason, `name was first seen as "Spring video"`) {
		t.Errorf("%+v", c)
	}
}

func TestPartOfTheValuesIsToldByName(t *testing.T) {
	server := bundled(t)
	target := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPatch && r.ContentLength < 60 { // no way to look: parts of an update are refused
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnprocessableEntity)
			return
		}
		server.ServeHTTP(w, r)
	}))
	delete(target.Objects.ConnectionProfile.Values, "withCookiesAction")
	c := changeOf(t, execute(t, suites.NewConfig(target)).Changes, "connectionProfile")
	if c.Restored || !strings.Contains(c.Reason, "gave withCookiesAction; the rest is put back") {
		t.Errorf("%+v", c)
	}
}

// What cannot be put back is told with the request that would, without a key.
func TestWhatCannotBePutBackIsToldWithItsRemedy(t *testing.T) {
	for name, end := range reftest.FewOf(2, map[string]http.HandlerFunc{
		"refused": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusConflict) },
		"crashed": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"hung up": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	}) {
		t.Run(name, func(t *testing.T) {
			server := bundled(t)
			var tries atomic.Int64
			target := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Connection", "close") // one that was idle for long would be tried once more
				if strings.HasPrefix(r.Header.Get("X-Adconform-Case"), "updateCampaign/restore/campaign") {
					tries.Add(1)
					end(w, r)
					return
				}
				server.ServeHTTP(w, r)
			}))
			config := suites.NewConfig(target)
			if testing.Short() {
				config.Select = func(cs *judge.Case) bool { return cs.Operation.ID == "updateCampaign" }
			}
			c := changeOf(t, execute(t, config).Changes, "campaign")
			if c.Restored || c.Reason == "" || !strings.HasPrefix(c.Undo, "curl -i -X PATCH ") ||
				!strings.Contains(c.Undo, "Spring video") || strings.Contains(c.Undo, target.Credentials.Owner) {
				t.Errorf("%+v", c)
			}
			if want := int64(3); name != "refused" && tries.Load() != want {
				t.Errorf("tried %d times, want %d: it may fail now and then only", tries.Load(), want)
			}
		})
	}
}
