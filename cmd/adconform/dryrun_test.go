package main

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
)

// writesOf are the writes of a dry run of a standard run, by method and path.
func writesOf(t *testing.T, target *fixtures.Target) (*report.Writes, []string) {
	t.Helper()
	c := suites.NewConfig(target)
	var err error
	if c.Contract, err = spec.Load(); err != nil {
		t.Fatal(err)
	}
	w, err := planWrites(t.Context(), c, suites.GinkgoOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, o := range w.Objects {
		for _, r := range o.Requests {
			for range r.Times {
				paths = append(paths, r.Method+" "+r.Path)
			}
		}
	}
	slices.Sort(paths)
	return w, paths
}

func TestADryRunListsWhatARunThenSends(t *testing.T) {
	for name, change := range map[string]func(*fixtures.Target){
		"complete":  func(*fixtures.Target) {},
		"no values": withoutValues,
		"partial": func(t *fixtures.Target) {
			t.Credentials.Stranger = ""
			t.Objects.ConnectionProfile, t.Objects.EmptyVastCreative = nil, nil
			t.Objects.DisposableCreatives = t.Objects.DisposableCreatives[:1]
		},
		"a creative in two roles": func(t *fixtures.Target) {
			t.Objects.VastCreative = &t.Objects.PagedVastCreatives[0]
			t.Foreign.VastCreative = t.Foreign.Creative
		},
	} {
		if testing.Short() && name != "partial" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			w := watch(t, "", "")
			change(w.target)
			if name == "a creative in two roles" {
				w.target.Foreign.Creative = 96 // which is a VAST creative there
				w.target.Foreign.VastCreative = 96
			}
			plan, paths := writesOf(t, w.target)
			if len(w.writes) > 0 {
				t.Fatalf("%d writes reached the target of a dry run", len(w.writes))
			}
			r := w.run(t, t.Context(), nil)
			slices.Sort(w.writes)
			if !slices.Equal(paths, w.writes) {
				t.Errorf("the dry run lists %d writes, the run sent %d", len(paths), len(w.writes))
			}
			if plan.Writes != len(paths) || plan.Requests != r.Requests {
				t.Errorf("told %d writes of %d requests, sent %d of %d", plan.Writes, plan.Requests, len(w.writes), r.Requests)
			}
			if got, want := len(plan.Deleted), len(w.target.Objects.DisposableCreatives); got < want {
				t.Errorf("%d deletions are told, at least the %d disposables are deleted", got, want)
			}
		})
	}
}

// On servers that conform in other ways other requests may be sent, but to no
// other objects.
func TestARunStaysWithTheObjectsOfTheDryRun(t *testing.T) {
	reftest.Long(t)
	contract, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, variant := range various {
		t.Run("variant "+variant, func(t *testing.T) {
			w := watch(t, "", variant)
			plan, _ := writesOf(t, w.target)
			w.run(t, t.Context(), nil)
			if len(w.writes) == 0 {
				t.Fatal("nothing was sent")
			}
			for _, write := range w.writes {
				method, path, _ := strings.Cut(write, " ")
				_, object := named(contract, w.target, method, path)
				if !slices.ContainsFunc(plan.Objects, func(o report.Written) bool { return o.Key == object.Key }) {
					t.Errorf("%s is sent for %q, which the dry run does not tell", write, object.Key)
				}
			}
		})
	}
}

func TestADryRunSendsNothingToTheTarget(t *testing.T) {
	var reached atomic.Int64
	target := serving(t, func(w http.ResponseWriter, _ *http.Request) { reached.Add(1) })
	text := strings.Replace(mustRead(t, target), "provision:", "provision:\n  command: [/nowhere/reset]", 1)
	write(t, target, text)
	code, stdout, stderr := run(t, nil, "run", "--target", target, "--dry-run")
	if code != 0 || reached.Load() > 0 || stderr != "" {
		t.Errorf("exit code %d, %d requests, %q", code, reached.Load(), stderr)
	}
	for _, want := range []string{
		"DRY RUN: nothing was sent to http://127.0.0.1:", "\ncampaign 25: ", "\n  PATCH /campaigns/25 as owner ",
		"Deleted for good", "disposableCreatives[0] 301", "/nowhere/reset",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is missing in\n%s", want, stdout)
		}
	}
	keys := fixtures.DefaultWorld().Users
	if strings.Contains(stdout, keys[0].Key) || strings.Contains(stdout, keys[1].Key) {
		t.Error("a key is shown")
	}
	_, stdout, _ = run(t, nil, "run", "--target", target, "--dry-run", "--format", "json", "--operation", "updateCampaign")
	var w report.Writes
	if err := json.Unmarshal([]byte(stdout), &w); err != nil || w.Schema != report.WritesSchema || w.Writes == 0 || len(w.Deleted) > 0 {
		t.Errorf("%v: %+v", err, w)
	}
	_, stdout, _ = run(t, nil, "run", "--target", target, "--dry-run", "--verbose", "--case", "updateCampaign/422/name-is-number")
	if !strings.Contains(stdout, `{"name":1}`) {
		t.Errorf("no body in\n%s", stdout)
	}
	if code, stdout, _ := run(t, nil, "run", "--target", target, "--dry-run", "--read-only"); code != 0 ||
		!strings.Contains(stdout, "; 0 could change something") {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
}

func TestADryRunSaysThatItWritesNoReport(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "report")
	code, _, stderr := run(t, nil, "run", "--dry-run", "--report", dir, "--case", "updateCampaign/401/no-key")
	if code != 0 || !strings.Contains(stderr, "--report has no effect") {
		t.Errorf("exit code %d, %q", code, stderr)
	}
}
