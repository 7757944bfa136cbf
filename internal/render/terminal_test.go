package render_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/adconform/adconform/internal/render"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// The headline says how much a verdict covers: how many cases were left out, or show nothing because of
// the target's choices.
func TestHeadline(t *testing.T) {
	for want, c := range map[string]struct {
		level                report.Level
		planned, left, of    int // of: those from which they were selected
		hidden, broken, fast bool
	}{
		"CONFORMING (complete): 2 clauses held":                           {level: report.Complete, planned: 5},
		"CONFORMING (partial, 3 of 5 cases): 2 clauses held":              {level: report.Partial, planned: 5, left: 2},
		"CONFORMING (partial, 3 of 5 cases, depth quick): 2 clauses held": {level: report.Partial, planned: 5, left: 2, fast: true},
		"CONFORMING (partial, 4 of 5 cases): 2 clauses held":              {level: report.Partial, planned: 5, left: 1, hidden: true},
		"NONCONFORMING: 1 finding; ":                                      {level: report.Complete, planned: 5, hidden: true, broken: true},
		"CONFORMING (partial): 2 clauses held":                            {level: report.Partial, planned: 5},
		"CONFORMING (selection, 3 of 354 cases): 2 clauses held":          {level: report.Selected, planned: 5, left: 2, of: 354},
		"CONFORMING (selection, 2 of 54 cases, depth quick): 2 clauses":   {level: report.Selected, planned: 2, of: 54, fast: true},
		"NONCONFORMING (selection, 1 of 354 cases): 1 finding":            {level: report.Selected, planned: 1, of: 354, broken: true},
		"NOTHING WRONG SEEN: 2 clauses held":                              {level: report.Observed, planned: 1},
	} {
		r := base()
		r.Level, r.Cases.Planned = c.level, c.planned
		if !c.broken {
			r.Verdict, r.Reason = report.Conforming, "2 clauses held"
		}
		if c.fast {
			r.Depth = "quick"
		}
		if c.of > 0 {
			r.Selection = &report.Selection{Filters: []string{"--case x"}, Cases: c.planned, Of: c.of}
		}
		for range c.left {
			r.Results = append(r.Results, report.Case{Status: report.NotTested, Cause: report.ByOperator})
		}
		for i := range 3 {
			if c.hidden {
				why := []string{"it shows none", "it takes no updates", "it takes no updates"}[i]
				r.Results = append(r.Results, report.Case{Status: report.NotTested, Cause: report.ByTarget, Reason: why})
			}
		}
		if got := render.VerdictLine(r); !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "; tested: Acme at http://127.0.0.1:1/v2") {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestLevels(t *testing.T) {
	for i, l := range report.Levels() {
		for j, other := range report.Levels() {
			if l.Below(other) != (i > j) || l.Below("") || !report.Level("").Below(l) {
				t.Errorf("%s below %s: %v; or %s below none", l, other, l.Below(other), l)
			}
		}
	}
}

func summary(t *testing.T, r *report.Report, s render.Style) string {
	t.Helper()
	return written(t, r, func(v *render.View, w io.Writer) error { return v.Summary(w, s) })
}

func TestSummaryTellsWhatIsWrongToSomeoneNew(t *testing.T) {
	got := summary(t, made(), render.Style{})
	want := `NONCONFORMING: 1 finding; tested: Acme at http://127.0.0.1:1/v2
4 cases: 1 passed, 1 failed, 2 not tested
2 clauses: 0 held, 1 broken, 1 not tested
7 requests in 1.5 s (depth standard, seed 1)
next: fix the finding, then run adconform replay DIR (DIR: the folder of
--report)

Findings: 1 critical
updateCampaign: expected status 401; got status 200
  clause    AUTH-1 (stated, critical) A request whose user cannot be
            authenticated is answered 401. [interface document, Authentication 1
            and 2; Errors, 401]
  expected  status 401
  got       status 200
  cases     updateCampaign/401/no-key
  check     expected-status, failed 2 of 9 checks, see adconform explain
            expected-status
    curl -i http://127.0.0.1/campaigns/25

Not tested
  without credentials.stranger: 2 cases, clause AUTH-2
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	var b strings.Builder
	paint := func(_ render.Mark, row string) string { return "\x1b[" + row }
	if err := render.NewView(made()).Summary(&b, render.Style{Paint: paint}); err != nil || !strings.Contains(b.String(), "\x1b[") {
		t.Errorf("%v; no colours in %q", err, b.String())
	}
}

// All findings are shown, each in at most a screenful, and the first items of every other kind; nothing
// is wider than the screen.
func TestSummaryFitsTheScreen(t *testing.T) {
	r := made()
	r.Findings[0].Cases = nil
	for i := range 8 * 40 {
		id := fmt.Sprintf("updateCampaign/class-%d/a-case-of-many-%d", i/40, i%40)
		r.Results = append(r.Results, report.Case{ID: id})
		if i < 8*40-1 {
			r.Findings[0].Cases = append(r.Findings[0].Cases, id)
		}
	}
	got := summary(t, r, render.Style{})
	if rows := strings.Count(got, "\n"); rows > 44 || !strings.Contains(got, "a-case-of-many-2 and 316 more") {
		t.Errorf("%d rows:\n%s", rows, got)
	}
	for i := range 100 {
		f := exampleOf("updateCampaign")
		f.Clause, f.Pointer, f.Got = fmt.Sprintf("CAMPAIGN-%d", i+1), "/data/name", fmt.Sprintf(`"a name that differs %d"`, i)
		r.Findings = append(r.Findings, f)
	}
	for i := range 30 {
		n := exampleOf("updateCampaign")
		n.Clause, n.Severity, n.Fails = "OPEN-1", report.Notice, false
		r.Findings = append(r.Findings, n)
		r.Results = append(r.Results, report.Case{Status: report.NotTested, Reason: fmt.Sprint("reason ", i)})
		r.Changes = append(r.Changes, changes...)
	}
	for _, width := range []int{60, 80, 200} {
		got := summary(t, r, render.Style{Width: width, Dir: "out"})
		for _, want := range []string{"Findings: 101 critical", "a name that differs 99", "30 notices", "… and 26 more, see out/report.html"} {
			if !strings.Contains(got, want) || strings.Contains(got, "more finding") {
				t.Errorf("width %d: %q is missing in\n%s", width, want, got)
			}
		}
		for line := range strings.Lines(got) {
			if len([]rune(line))-1 > width && !strings.Contains(line, "curl") {
				t.Errorf("width %d: %q", width, line)
			}
		}
	}
}

// changes holds an object that was restored, one that was meant to be deleted, and one that was not restored.
var changes = []report.Change{
	{Object: "campaign", ID: "25", Change: "updated", Restored: true},
	{Object: "disposableCreatives[0]", ID: "301", Change: "deleted"},
	{Object: "connectionProfile", ID: "12", Change: "updated", Reason: "the target refused the old values: 422", Undo: "curl -X PATCH undo"},
}

// The lines about a run besides its findings, each present only if needed.
func TestSummarySaysWhatToKnow(t *testing.T) {
	style := render.Style{Width: 120, Dir: "out/", All: true}
	plain := summary(t, made(), style)
	for want, change := range map[string]func(*report.Report){
		"\nwaited 14.0 s for the target: 12 answers 429, 1 time busy or away (502 to 504, or no": func(r *report.Report) {
			r.RateLimited, r.Unavailable, r.WaitedSeconds = 12, 1, 14
		},
		"\nINSECURE: certificates are not verified": func(r *report.Report) { r.Insecure = true },
		"\n  connectionProfile 12 (updated): the target refused the old values: 422\n    curl -X PATCH undo\n": func(r *report.Report) {
			r.Changes = changes
		},
		"\nObjects that could not be verified as restored\n  campaign 26 (updated): why; provision has run since\n": func(r *report.Report) {
			r.Changes = []report.Change{{Object: "campaign", ID: "26", Change: "updated", Restored: true, Reason: "why; provision has run since"}}
		},
		"\n    its body is not UTF-8: PATCH http://a; see out/report.html#": func(r *report.Report) {
			r.Findings[0].Curl = "# its body is not UTF-8: PATCH http://a"
		},
		"\n    adconform replay out/ updateCampaign/401/no-key\n": func(r *report.Report) { // its request fills the screen
			r.Findings[0].Curl = "curl " + strings.Repeat("x", 4000)
		},
		"\nb.yaml: gone: another\n": func(r *report.Report) {
			r.Baseline = &report.Baseline{File: "b.yaml", Known: 1, Stale: []string{"another"}}
		},
		"\n1 open point observed, see out/report.html\n\nPaste these choices under open: in the target file, " +
			"to have them judged from now on\n  malformedID: 404\n": func(r *report.Report) {
			r.OpenPoints = []report.OpenPoint{{
				ID: "malformed-id", Question: "Which?", Answers: []report.PointAnswer{{Answer: "404", At: []string{"updateCampaign"}}},
				Observed: []string{"404 Not Found"}, Pin: "malformedID",
			}}
		},
		"\n  AUTH-1: updateCampaign: expected status 401; got status 200\n    ticket 7\n": func(r *report.Report) {
			r.Findings[0].Known, r.Findings[0].Fails = "ticket 7", false
		},
		"\nnext: give credentials.stranger in t.yaml; adconform doctor t.yaml lists everything that is missing\n": func(r *report.Report) {
			r.Findings, r.Target.Given = nil, "t.yaml"
			r.NotShown = []report.Gap{{Need: "credentials.stranger", Text: "what others may do", Cases: 2}}
		},
		"\nnext: adconform init --from http://a/v2 writes target.yaml": func(r *report.Report) {
			r.Findings, r.Target.Given = nil, "http://a/v2"
		},
		"\nnext: correct this, and run again; adconform doctor t.yaml ": func(r *report.Report) {
			r.Findings, r.Target.Given, r.Verdict, r.Cases.Run = nil, "t.yaml", report.Inconclusive, 0
		},
		"\nnext: correct what stopped the run, and run it to its end: ": func(r *report.Report) { r.Findings, r.Interrupted = nil, true },
		"\nnext: correct this, and run again; adconform doctor t.yaml checks": func(r *report.Report) {
			r.Findings, r.Target.Given, r.Verdict, r.Mistakes = nil, "t.yaml", report.Inconclusive, []string{"campaign 25 is gone"}
			r.Reason = r.Mistakes[0]
		},
		"\nnext: keep it that way in CI: adconform run 't 1.yaml' --overlay a --require complete\n": func(r *report.Report) {
			r.Findings, r.Target.Given, r.Verdict = nil, "t 1.yaml", report.Conforming
			r.Flags.Run = " --overlay a"
		},
		" target.yaml --ca b shows what": func(r *report.Report) {
			r.Findings, r.Target.Given, r.Flags.Doctor = nil, "http://a/v2", " --ca b"
		},
		", then run adconform replay out/ --insecure\n": func(r *report.Report) { r.Flags.Replay = " --insecure" },
		"\n  without credentials.stranger (what others may do): 2 cases, clause AUTH-2\n": func(r *report.Report) {
			r.NotShown = []report.Gap{{Need: "credentials.stranger", Text: "what others may do", Cases: 2}}
		},
		"\n  it shows none: 1 case, clause AUTH-2\n": func(r *report.Report) {
			r.Results[2].Cause, r.Results[2].Reason = report.ByTarget, "it shows none"
			r.Clauses[1].Cause, r.Clauses[1].Reason = report.ByTarget, "it shows none"
		},
		"\nFindings: 1 critical, 1 minor\n": func(r *report.Report) {
			r.Findings = append(r.Findings, exampleOf("deleteCreative"))
			r.Findings[1].Impact = ""
		},
		"\n  sent      name in the path: 7, a number for a text\n": func(r *report.Report) {
			r.Findings[0].Sent = &report.Sent{At: "path:name", What: "a number for a text", Value: "7"}
		},
		"\n  1. answered 200:\n    curl -i one\n": func(r *report.Report) {
			r.Findings[0].Requests = []report.Request{{Curl: "curl -i one", Then: "200"}}
		},
	} {
		r := made()
		change(r)
		got := summary(t, r, style)
		if strings.Contains(plain, want) || !strings.Contains(got, want) || strings.Count(got, "campaign 25 ") > 1 ||
			strings.Contains(got, "xxxx") {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}

// However long the reason, the verdict comes first and takes two lines; the whole reason is a line of its own.
func TestTheVerdictTakesTwoLines(t *testing.T) {
	r := made()
	r.Findings, r.Verdict = nil, report.Inconclusive
	r.Reason = "12 stated clauses not tested: PROFILE-1" + strings.Repeat(", PROFILE-1 of updateCampaign", 12)
	got := summary(t, r, render.Style{})
	const head = "INCONCLUSIVE: 12 stated clauses not tested; tested: Acme at\nhttp://127.0.0.1:1/v2\n"
	if !strings.HasPrefix(got, head+"reason: 12 stated clauses not tested: ") || strings.Count(got, "PROFILE-1") < 12 {
		t.Error(got)
	}
	r.Target.Name = "Acme" + strings.Repeat(" and its sister companies", 5)
	got = summary(t, r, render.Style{})
	const first = "INCONCLUSIVE: 12 stated clauses not tested\nreason: 12 stated"
	if !strings.HasPrefix(got, first) || !strings.Contains(got, "\ntested: Acme and its sister companies") {
		t.Error(got)
	}
	r.Verdict, r.Reason = report.Conforming, "2 clauses held"
	r.Results[2].Cause, r.Results[2].Reason = report.ByTarget, "it shows none"
	if got := summary(t, r, render.Style{}); !strings.Contains(got, "\n1 of 4 cases could not decide anything: it shows none\n") {
		t.Error(got)
	}
}

// The heading of what was not tested promises something to fix only if there is something beside it that is not.
func TestNotTested(t *testing.T) {
	r := made()
	if got := summary(t, r, render.Style{}); !strings.Contains(got, "\nNot tested\n  without credentials.stranger: ") {
		t.Error(got)
	}
	r.Results = append(r.Results, report.Case{Status: report.NotTested, Cause: report.ByTarget, Reason: "it shows none"})
	r.NotShown = []report.Gap{
		{Need: "credentials.stranger", Text: "what others may do", Cases: 2},
		{Need: "objects.campaign.name", Text: "whether name of campaign is right"},
		{Need: "objects.campaign.type", Text: "whether type of campaign is right"},
	}
	got := summary(t, r, render.Style{})
	if !strings.Contains(got, "\nNot tested (what you can fix comes first)\n  without credentials.stranger (what others may do): ") ||
		!strings.Contains(got, "\n  without values of objects.campaign (name, type)\n") {
		t.Error(got)
	}
}

// The most costly parts come first.
func TestPreflightSummary(t *testing.T) {
	part := func(need string, id spec.ID, status report.PartStatus, detail string, cost *report.Cost) report.Part {
		return report.Part{Need: need, ID: id, Status: status, Detail: detail, Cost: cost, NotShown: "updates"}
	}
	for says, r := range map[string]report.Preflight{
		"INCOMPLETE: a run would not test 9 cases and 1 clause, so it would be inconclusive … " +
			"no disposable object is left: name others, or add provision " +
			"Missing or wrong in the target file, most costly first " +
			"campaign: missing (updates): 7 cases, clause A write under objects: campaign: 25 " +
			"a 1: wrong: is not there (updates): 2 cases " +
			"disposableCreatives[0] 2: wrong: is not there (updates): 2 cases " +
			"a.name, size: missing (whether these values are right) write under objects: a: {id: 1, name: …, size: …} " +
			"2 entries fine, 0 cannot be checked by reading; --verbose shows all": {
			ExitCode: report.ExitInconclusive, Cost: report.Cost{Cases: 9, Clauses: []string{"A"}, Stated: 1},
			Parts: []report.Part{
				part("baseURL", "", report.Fine, "answers", nil),
				part("objects.a", "1", report.Wrong, "is not there", &report.Cost{Cases: 2}),
				part("objects.disposableCreatives[0]", "2", report.Wrong, "is not there", &report.Cost{Cases: 2}),
				{
					Need: "objects.campaign", Status: report.Missing, Detail: "is not in the target file", NotShown: "updates",
					Cost: &report.Cost{Cases: 7, Clauses: []string{"A"}}, Write: "campaign: 25",
				},
				{Need: "objects.a.name", Status: report.Missing, Detail: "is not in the target file", Write: "a: {id: 1, name: …}"},
				{Need: "objects.a.size", Status: report.Missing, Detail: "is not in the target file", Write: "a: {id: 1, size: …}"},
				part("credentials.owner", "", report.Fine, "is accepted", nil),
			},
		},
		"READY as far as GET requests can tell: the target file has everything that a run needs … " +
			"0 entries fine, 1 cannot be checked by reading; --verbose shows all": {
			Parts: []report.Part{part("objects.a", "1", report.Unchecked, "answered 405", nil)},
		},
		"READY: 3 cases would be skipped; every stated clause is still tested (result: partial) … ": {Cost: report.Cost{Cases: 3}},
		"INCOMPLETE: the target does not answer … ": {
			ExitCode: report.ExitInconclusive, Parts: []report.Part{{Lost: new(wire.TransportError)}},
		},
		"INCOMPLETE: the target file does not fit the target … ": {ExitCode: report.ExitInconclusive},
		"BROKEN: an answer already broke the contract … ":        {ExitCode: report.ExitNonconforming},
		"INTERRUPTED … ": {ExitCode: report.ExitInterrupted},
	} {
		var out bytes.Buffer
		err := render.PreflightSummary(&out, &r, render.Style{Width: 1000})
		head, rest, _ := strings.Cut(strings.Join(strings.Fields(out.String()), " "), "0 requests sent, which only read")
		first, then, _ := strings.Cut(says, "… ")
		if err != nil || !strings.HasPrefix(head, first) || !strings.HasPrefix(strings.TrimSpace(rest), then) {
			t.Errorf("%v: %q, want %q", err, out.String(), says)
		}
	}
}

// White space in which two texts differ is shown, wherever a finding is: nothing between them may look the same.
func TestWhiteSpaceIsShown(t *testing.T) {
	for got, want := range map[string]string{
		`"a"`:            `"a"`,
		`"a b" (200), c`: `"a b" (200), c`,
		`" a"`:           `"␠a"`,
		`"a " and more`:  `"a␠" and more`,
		`"a  b"`:         `"a␠␠b"`,
		`" "`:            `"␠"`,
		`"a\" b"`:        `"a\" b"`,
		"\"a\u00a0b\"":   `"a\u00a0b"`,
		"\"a\u2003b\"":   `"a\u2003b"`,
		"\"a\tb\"":       `"a\tb"`,
		"\"a\nb\"":       `"a\nb"`,
		"\"a\r\nb\"":     `"a\r\nb"`,
		"text/html ":     "text/html␠",
	} {
		r := made()
		f := &r.Findings[0]
		f.Expected, f.Got = `"a", as sent`, got
		for name, text := range map[string]string{
			"summary": summary(t, r, render.Style{Width: 200}), "page": written(t, r, (*render.View).WriteHTML),
			"JUnit": render.Describe(f), "sentence": f.Sentence(),
		} {
			if name == "page" { // in JSON
				text = strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(text)
			}
			if !strings.Contains(text, want) {
				t.Errorf("%s shows %q otherwise than %s:\n%s", name, got, want, text)
			}
		}
	}
}
