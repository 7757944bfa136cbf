package k6_test

import (
	"flag"
	"net/http"
	"strings"
	"testing"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/suites/testcase"
)

func TestNoCheckFailsOnTheReference(t *testing.T) {
	world, target := small()
	s := plan(t, target, testcase.Standard, nil)
	p := play(t, text(t, s), once(serve(t, world)))
	if len(p.broken) > 0 {
		t.Errorf("broken: %v\n%s", p.broken, strings.Join(p.said, "\n"))
	}
	if n := p.counters["adconform_judged"]; n != int64(s.Requests()) {
		t.Errorf("%d answers of %d are judged", n, s.Requests())
	}
	for _, clause := range []string{
		"HTTP-1", "HTTP-3", "JSON-1", "ERR-1", "ERR-2", "ERR-3", "ERR-4", "ERR-5", "ERR-6", "ERR-7", "ERR-8", "ERR-9", "ERR-10",
		"ERR-11", "ERR-12",
		"AUTH-1", "AUTH-2", "AUTH-3", "PROFILE-1", "PROFILE-2", "PROFILE-3", "PROFILE-8", "HOST-3", "CAMPAIGN-3", "MEDIA-3",
		"MEDIA-4", "MEDIA-7", "MEDIA-8", "CREATIVE-9",
	} {
		if p.held[clause] == 0 {
			t.Errorf("%s is not judged", clause)
		}
	}
}

// Faults that one answer shows.
func TestChecksFailOnFaults(t *testing.T) {
	_, target := small()
	depth := testcase.Depth(reftest.Of(int(testcase.Standard), int(testcase.Quick)))
	script := text(t, plan(t, target, depth, nil))
	for fault, clause := range reftest.FewOf(2, map[string]string{
		"auth/any-key/deleteCreative":                               "AUTH-1",
		"auth/no-key/updateCampaign":                                "AUTH-1",
		"permission/not-found-instead/deleteCreative":               "AUTH-2",
		"crash/name-quote/updateConnectionProfile":                  "HTTP-1",
		"deleteCreative/401/code-404":                               "ERR-7",
		"deleteCreative/403/body-html":                              "JSON-1",
		"deleteCreative/403/type-application-octet-stream":          "HTTP-3",
		"updateCampaign/401/issue-message-empty":                    "ERR-9",
		"updateCampaign/404/error.issues.message-as-object":         "ERR-11",
		"updateCampaign/success/data-null":                          "CAMPAIGN-16",
		"listCreativeMediaFiles/success/data.campaignId-as-boolean": "CREATIVE-2",
		"shown/other-object/updateCampaign":                         "CAMPAIGN-2",
		"effect/old-representation/updateCampaign":                  "CAMPAIGN-3",
		"updateCampaign/422/related-field-null":                     "ERR-10",
		"list/twice":                                                "MEDIA-8",
		"auth/owner-forbidden/updateCampaign":                       "AUTH-4",
		"validation/conflict/updateCampaign":                        "ERR-12",
	}) {
		t.Run(fault, func(t *testing.T) {
			p := play(t, script, once(faulty(t, fault)))
			if p.broken[clause] == 0 {
				t.Errorf("%s is not broken; broken are %v", clause, p.brokenClauses())
			}
			if len(p.said) == 0 {
				t.Error("nothing is said")
			}
		})
	}
}

var all = flag.Bool("all", false, "play the script on every variant, not on some")

// Variants differ where the contract is open; no check may fail on them.
func TestNoCheckFailsOnVariants(t *testing.T) {
	_, target := small()
	depth := testcase.Depth(reftest.Of(int(testcase.Standard), int(testcase.Quick)))
	script := text(t, plan(t, target, depth, nil))
	one := reftest.Of(13, 150)
	for _, v := range faults.Variants() {
		if !*all && !faults.Sampled(v.ID, one) && v.ID != "answer/charset-upper" {
			continue
		}
		t.Run(v.ID, func(t *testing.T) {
			p := play(t, script, once(faulty(t, v.ID)))
			if len(p.broken) > 0 {
				t.Errorf("broken: %v\n%s", p.broken, strings.Join(p.said, "\n"))
			}
		})
	}
}

// A target with longer pages than the simulated target has fewer of them.
func TestNoCheckFailsOnOtherPages(t *testing.T) {
	world, target := small()
	script := text(t, plan(t, target, testcase.Standard, func(c *testcase.Case) bool { return c.Operation.Lists() }))
	long := reftest.New(t, world, func(c *reference.Choices) { c.PageSize, c.PageBeyond = 1000, reference.PageNotFound })
	p := play(t, script, once(reftest.Serve(t, long)))
	if len(p.broken) > 0 || p.held["MEDIA-1"] == 0 {
		t.Errorf("broken: %v\n%s", p.broken, strings.Join(p.said, "\n"))
	}
}

func TestBusyTargetIsNotJudged(t *testing.T) {
	world, target := small()
	script := text(t, plan(t, target, testcase.Quick, func(c *testcase.Case) bool { return c.Class == testcase.Class401 }))
	limited := 0
	h := reftest.New(t, world, nil)
	url := reftest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if limited < 3 || r.Header.Get("X-Adconform-Case") == "restore" && limited < 5 {
			limited++
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		h.ServeHTTP(w, r)
	}))
	p := play(t, script, once(url))
	if p.counters["adconform_rate_limited"] != 3 || len(p.broken) > 0 {
		t.Errorf("%v, broken %v", p.counters, p.broken)
	}
	if p.slept < 2 || strings.Contains(strings.Join(p.said, "\n"), "not put back") {
		t.Errorf("teardown did not wait: %d times, %v", p.slept, p.said)
	}
}
