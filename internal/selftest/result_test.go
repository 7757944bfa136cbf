package selftest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/spec"
)

func fault(clause string, basis spec.Basis, v Verdict, requests int) Outcome {
	return Outcome{ID: "f/" + clause, Kind: "fault", Clause: clause, Basis: basis, Source: "hand", Verdict: v, Requests: requests}
}

func variant(v Verdict) Outcome { return Outcome{ID: "v", Kind: "variant", Verdict: v, Requests: 500} }

func TestGoodResults(t *testing.T) {
	caught := fault("AUTH-1", spec.Stated, Caught, 5)
	critical := func(v Verdict) Outcome {
		o := fault("AUTH-1", spec.Stated, v, 5)
		o.Severity = faults.Critical
		return o
	}
	many := func(n int, o Outcome) []Outcome {
		all := make([]Outcome, n)
		for i := range all {
			all[i] = o
		}
		return all
	}
	for _, tc := range []struct {
		name     string
		outcomes []Outcome
		depth    string
		want     bool
	}{
		{"all caught", []Outcome{caught, variant(Passed)}, "", true},
		{"one missed", []Outcome{caught, fault("AUTH-1", spec.Stated, Missed, 500)}, "", false},
		{"wrong reason", []Outcome{caught, fault("AUTH-1", spec.Stated, WrongReason, 500)}, "", false},
		{"inert", []Outcome{caught, fault("AUTH-1", spec.Stated, Inert, 500)}, "", false},
		{"flagged", []Outcome{caught, variant(Flagged)}, "", false},
		{"55 % of what is critical at depth quick", append(many(11, critical(Caught)), many(9, critical(Missed))...), "quick", true},
		{"54 % of what is critical at depth quick", append(many(54, critical(Caught)), many(46, critical(Missed))...), "quick", false},
		{"flagged at depth quick", append(many(11, critical(Caught)), variant(Flagged)), "quick", false},
	} {
		r := newResult(reftest.Contract(t), tc.outcomes)
		r.Depth = tc.depth
		if got := r.Good(); got != tc.want {
			t.Errorf("%s: good %t, want %t", tc.name, got, tc.want)
		}
	}
}

func TestResultCounts(t *testing.T) {
	r := newResult(reftest.Contract(t), []Outcome{
		fault("AUTH-1", spec.Stated, Caught, 4), fault("AUTH-1", spec.Stated, Caught, 10), fault("AUTH-1", spec.Stated, Missed, 500),
		fault("HTTP-1", spec.Standard, Inert, 500), variant(Passed), variant(Flagged),
	})
	if got := r.Clauses[0]; got.ID != "AUTH-1" || got.Count != (Count{Of: 3, Good: 2, Missed: 1, Requests: 10}) {
		t.Errorf("AUTH-1 is %+v", got)
	}
	if len(r.Clauses) != 2 || r.Clauses[1].Inert != 1 {
		t.Errorf("clauses %+v", r.Clauses)
	}
	if r.Faults.Of != 4 || r.Variants != (Count{Of: 2, Good: 1, Requests: 500}) {
		t.Errorf("faults %+v, variants %+v", r.Faults, r.Variants)
	}
}

func TestTextSaysWhatIsWrong(t *testing.T) {
	missed := fault("AUTH-1", spec.Stated, Missed, 500)
	missed.Sentence = "Any key passes."
	flagged := variant(Flagged)
	flagged.Findings = []string{"HTTP-1 updateCampaign/success/ordinary: expected x; got y"}
	var b bytes.Buffer
	noError(t, newResult(reftest.Contract(t), []Outcome{missed, flagged, fault("AUTH-1", spec.Stated, Caught, 5)}).WriteText(&b))
	for _, want := range []string{
		"f/AUTH-1: missed: Any key passes.", "v: flagged", "found: HTTP-1 updateCampaign/success/ordinary",
		"1 of 2 faults caught (median after 5 requests), 1 of 1 variants flagged",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
	if !strings.Contains(strings.Join(strings.Fields(b.String()), " "), "AUTH-1 2 1 1 0 0 5") {
		t.Errorf("no line for AUTH-1 in\n%s", b.String())
	}
	if line := newResult(reftest.Contract(t), []Outcome{flagged}).Figure(); line != "1 of 1 variants flagged, in 0 s" {
		t.Errorf("of variants alone: %s", line)
	}
}

type exit int

func (e exit) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// command runs the command line and gives its output and error.
func command(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	cmd := Command(
		func(code int) error { return exit(code) },
		func(ctx context.Context) (context.Context, func()) { return ctx, func() {} },
	)
	var out, errs bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetErr(&errs)
	cmd.SetArgs(args)
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	err = cmd.ExecuteContext(t.Context())
	return out.String(), errs.String(), err
}

func TestCommandSaysWhatIsWrongWithItsFlags(t *testing.T) {
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"--only", "("}, `--only "("`},
		{[]string{"--only", "^no such id$"}, "no fault or variant has such an id"},
		{[]string{"--list", "--only", "^no such id$"}, "no fault or variant has such an id"},
		{[]string{"--depth", "1"}, "want quick, standard or deep"},
		{[]string{"--figure", "x.json", "--only", "a"}, "wants a whole self-test"},
		{[]string{"--checks", "--only", "^no such check$"}, "--only matches no check"},
		{[]string{"extra"}, `unexpected argument "extra"`},
	} {
		if _, _, err := command(t, tc.args...); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v: got %v, want %q", tc.args, err, tc.want)
		}
	}
}

func TestCommandLists(t *testing.T) {
	out, _, err := command(t, "--list", "--only", "^(page/count-one-more|wire/pretty)$")
	want := "page/count-one-more  MEDIA-3 major  count is one more than the items.\nwire/pretty  variant  JSON is indented.\n"
	if err != nil || out != want {
		t.Errorf("got %v %q, want %q", err, out, want)
	}
	out, _, err = command(t, "--list", "--variants", "--json", "--only", "pretty")
	var lines []map[string]any
	if json.Unmarshal([]byte(out), &lines) != nil || err != nil || len(lines) != 1 || lines[0]["kind"] != "variant" {
		t.Errorf("got %v %s", err, out)
	}
}

func TestCommandRuns(t *testing.T) {
	out, progress, err := command(t, "--only", "^page/count-one-more$")
	if err != nil || !strings.Contains(out, "1 of 1 faults caught") || !strings.Contains(progress, "1 of 1, 0 not as they should be") {
		t.Errorf("got %v\n%s%s", err, out, progress)
	}
	out, _, err = command(t, "--only", "^page/count-one-more$", "--json")
	var r Result
	if json.Unmarshal([]byte(out), &r) != nil || err != nil || r.Schema != Schema || r.Faults.Good != 1 {
		t.Errorf("got %v\n%s", err, out)
	}
	out, _, err = command(t, "--only", "^delete/listed-too$", "--depth", "quick", "--json")
	if json.Unmarshal([]byte(out), &r) != nil || r.Depth != "quick" {
		t.Errorf("at depth quick: got %v\n%s", err, out)
	}
}
