package suites_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// remove deletes creatives as an earlier run would have done.
func remove(t *testing.T, target *fixtures.Target, ids ...int64) {
	t.Helper()
	for _, id := range ids {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, fmt.Sprintf("%s/creatives/%d", target.BaseURL, id), nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set(target.Credentials.Header, target.Credentials.Owner)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != http.StatusNoContent {
			t.Fatalf("%d: %s", id, res.Status)
		}
	}
}

// allDisposables are the simple ones: a run deletes them before media files.
func allDisposables(target *fixtures.Target) (ids []int64) {
	for _, d := range target.Objects.DisposableCreatives {
		ids = append(ids, d.ID)
	}
	return ids
}

func violations(r *report.Report) (texts []string) {
	for _, f := range r.Findings {
		if f.Severity == oracle.Violation {
			texts = append(texts, f.Case+" "+f.Clause+": "+f.Expected+", got "+f.Got)
		}
	}
	return texts
}

// What a run that was killed has used up is not the target's fault.
func TestUsedUpMediaFilesAreNoFinding(t *testing.T) {
	for _, files := range reftest.Few(1, [][]int64{{241}, {242}, {241, 242}}) {
		target := serve(t, bundled(t))
		remove(t, target, append(allDisposables(target), files...)...)
		r := execute(t, suites.NewConfig(target))
		if v := violations(r); len(v) > 0 {
			t.Errorf("without %v: %s", files, strings.Join(v, "\n"))
		}
		for _, c := range r.Results {
			if c.ID == "deleteCreative/effects/media-file-disposablevastcreatives-0" && (c.Status == judge.NotTested) != (len(files) == 2) {
				t.Errorf("without %v: %s is %s: %s", files, c.ID, c.Status, c.Reason)
			}
		}
	}
}

// A media file that is there and not listed is one, also after an earlier run.
func TestUnlistedMediaFileIsAFinding(t *testing.T) {
	reference := bundled(t)
	target := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/creatives/240/media-files") {
			r.URL.Path = strings.Replace(r.URL.Path, "240", "210", 1) // which has none
		}
		reference.ServeHTTP(w, r)
	}))
	remove(t, target, allDisposables(target)...)
	v := strings.Join(violations(execute(t, suites.NewConfig(target))), "\n")
	if !strings.Contains(v, "MEDIA-7: the media files [241 242] of disposableVastCreatives[0], got []; the delete of 241 was answered 204") {
		t.Errorf("no finding of the list: %s", v)
	}
}

// What a request deleted that had to be refused is deleted: no other delete took it along.
func TestWhatAWrongRequestDeletedIsNotMissed(t *testing.T) {
	for _, id := range reftest.Few(1, []string{"user/named-by-X-User-Id", "permission/stranger-allowed", "permission/stranger-sometimes"}) {
		r := runOnFault(t, id+"/deleteCreative")
		if len(violations(r)) == 0 {
			t.Errorf("%s is not found", id)
		}
		for _, f := range r.Findings {
			if f.Check == "delete-other" || f.Clause == "EFFECT-3" {
				t.Errorf("%s: %s in %s: expected %s, got %s", id, f.Check, f.Case, f.Expected, f.Got)
			}
		}
		for _, text := range r.Mistakes {
			t.Errorf("%s: told as a mistake of the target file: %s", id, text)
		}
	}
}
