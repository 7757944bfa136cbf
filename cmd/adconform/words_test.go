package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestCasesListsThePlanTheSameEachTime(t *testing.T) {
	code, first, _ := run(t, nil, "cases")
	_, second, _ := run(t, nil, "cases")
	if code != 0 || first != second {
		t.Errorf("exit code %d, the same twice: %v", code, first == second)
	}
	for _, want := range []string{"updateCampaign/401/no-key\n", "judges AUTH-1 ", "needs objects.campaign", "observes malformed-id"} {
		if !strings.Contains(first, want) {
			t.Errorf("%q is missing", want)
		}
	}
}

func TestCasesAsJSON(t *testing.T) {
	code, stdout, _ := run(t, nil, "cases", "--json", "--operation", "updateCampaign", "--clause", "AUTH-2")
	var list []struct {
		Operation      string
		Clauses, Bases []string
	}
	if err := json.Unmarshal([]byte(stdout), &list); err != nil || code != 0 || len(list) == 0 {
		t.Fatalf("exit code %d, %d cases (%v)", code, len(list), err)
	}
	for _, c := range list {
		if c.Operation != "updateCampaign" || !strings.Contains(strings.Join(c.Clauses, " "), "AUTH-2") || len(c.Bases) == 0 {
			t.Errorf("%+v", c)
		}
	}
}

func TestCasesOfAGreaterDepthIncludeTheSmaller(t *testing.T) {
	n := map[string]int{}
	for _, depth := range []string{"quick", "standard", "deep"} {
		_, stdout, _ := run(t, nil, "cases", "--depth", depth)
		n[depth] = strings.Count(stdout, "\n  judges ")
	}
	if n["quick"] == 0 || n["quick"] >= n["standard"] || n["standard"] > n["deep"] {
		t.Errorf("cases %v", n)
	}
}

func TestExplain(t *testing.T) {
	for word, wants := range map[string][]string{
		"AUTH-2": {"lacks permission", "basis:     stated:", "source:    ", "updateCampaign/403/stranger\n"},
		"auth-2": {"AUTH-2: "},
		"updateCampaign/401/no-key": {
			"sends:     PATCH /campaigns/{campaignId}", "expects:   status 401", "AUTH-1 (stated)",
			"objects.campaign in the target file", "adconform run --case updateCampaign/401/no-key",
		},
		"malformed-id":   {"reference: 404", "treatment: observe", "open: {malformedID: 404}", "/open/zero-campaign"},
		"page-parameter": {"open: {pageParameter: page}"},
		"rule-fields":    {"treatment: ignored"},
	} {
		code, stdout, stderr := run(t, nil, "explain", word)
		if code != 0 {
			t.Errorf("%s: exit code %d, %s", word, code, stderr)
		}
		for _, want := range wants {
			if !strings.Contains(stdout, want) {
				t.Errorf("%s: %q is missing in\n%s", word, want, stdout)
			}
		}
	}
}

func TestVersionCounts(t *testing.T) {
	code, stdout, _ := run(t, nil, "version")
	if code != 0 || !strings.Contains(stdout, "(go1.") || !strings.Contains(stdout, "5 operations, ") ||
		!strings.Contains(stdout, " clauses, ") {
		t.Errorf("exit code %d, %q", code, stdout)
	}
}

func TestCasesTakesTheFiltersOfGinkgo(t *testing.T) {
	for args, want := range map[string]string{
		"--focus updateCampaign/401/no-key":                                         "1 cases",
		"--focus updateCampaign/401 --skip updateCampaign/401/[a-mo-z]":             "1 cases",
		"--label-filter writes&&class:401&&operation:deleteCreative --focus no-key": "1 cases",
	} {
		code, stdout, stderr := run(t, nil, append([]string{"cases"}, strings.Fields(args)...)...)
		if code != 0 || !strings.HasSuffix(stdout, "\n"+want+"\n") {
			t.Errorf("%s: exit code %d\n%s%s", args, code, stdout, stderr)
		}
	}
	code, _, stderr := run(t, nil, "cases", "--focus", "nowhere")
	if code != 2 || !strings.Contains(stderr, `no case matches --focus "nowhere"`) {
		t.Errorf("exit code %d, %q", code, stderr)
	}
}
