package verify

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/liveness"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/passive/recording"
	"github.com/adconform/adconform/suites/report"
)

// evidence judges the recorded traffic again, and makes the run again with it.
func (v *verification) evidence(ctx context.Context) {
	if !v.readHAR() {
		return
	}
	judged, wrong := v.passive(ctx)
	v.judged("traffic", fmt.Sprintf("%s; judged alone: %s", wording.Count(len(v.har), "exchange"), judged), append(numbered(v.har), wrong...))
	v.limits()
	defer v.copies()
	if why := v.beyond(); why != "" {
		v.unknown("verdict", why)
		return
	}
	c, err := suites.Again(v.report)
	if err != nil {
		v.unknown("verdict", "the run cannot be made again: "+strings.ReplaceAll(err.Error(), "\n", "; "))
		return
	}
	v.again(ctx, c)
}

// numbered says where the exchanges are not numbered as they stand.
func numbered(all []report.Exchange) []string {
	for i := range all {
		if all[i].Seq != i+1 {
			return []string{fmt.Sprintf("traffic: exchange %d has the number %d: some are missing, or in another order", i+1, all[i].Seq)}
		}
	}
	return nil
}

// passive judges the traffic as that of others, without what the run knows: it may find nothing
// against an operation against which the report has nothing.
func (v *verification) passive(ctx context.Context) (judged string, wrong []string) {
	not := func(err error) (string, []string) { return "not at all: " + err.Error(), nil }
	r := v.report
	if slices.ContainsFunc(v.har, func(ex report.Exchange) bool { return strings.Contains(ex.Case, "/fuzz") }) {
		return not(errors.New("an archive does not show how odd requests were written"))
	}
	contract, err := suites.ContractOf(r)
	if err != nil {
		return not(err)
	}
	archive, err := recording.Open(filepath.Join(v.dir, report.HARFile), nil, contract)
	if err != nil {
		return not(err)
	}
	all := []*recording.Recording{archive}
	base, err := recording.ChooseBase(recording.Bases(all), "", "")
	if err != nil {
		return not(err)
	}
	target := &fixtures.Target{Version: 1, BaseURL: cmp.Or(base, r.Target.BaseURL)}
	if r.Run != nil {
		target.Credentials.Header = r.Run.Keys.Header
	}
	c := suites.NewConfig(target)
	c.Contract = contract
	j, err := suites.NewJudge(c, recording.Keys(all, base))
	if err != nil {
		return not(err)
	}
	n := &report.Recording{Skipped: map[string]int{}}
	if err := archive.Judge(ctx, j, base, n); err != nil {
		return not(err)
	}
	alone := j.Report()
	for i := range alone.Findings {
		if f := &alone.Findings[i]; f.Severity == oracle.Violation && !against(r, f.Operation) {
			wrong = append(wrong, fmt.Sprintf("traffic: %s breaks %s, and the report has nothing against it: expected %s, got %s",
				f.Operation, f.Clause, f.Expected, wording.Clip(f.Got, maxLine)))
		}
	}
	return fmt.Sprintf("%d of them, and nothing that the report lacks", n.Judged), wrong
}

// against says whether a report has something against an operation: the run, which knows more,
// may have found another clause broken by the same answers.
func against(r *report.Report, operation string) bool {
	return slices.ContainsFunc(r.Findings, func(f oracle.Finding) bool {
		return f.Severity != oracle.Notice && (f.Operation == operation || f.Operation == "all")
	})
}

// beyond says why a run cannot be made again from its recorded answers; "" where it can.
func (v *verification) beyond() string {
	r := v.report
	switch {
	case r.Level == report.Observed:
		return "others sent the traffic: no plan says what would have had to be asked"
	case r.Run == nil:
		return "report.json does not say what the run was given: an older version made it"
	case r.Interrupted, strings.HasPrefix(r.Stopped, "the deadline of"):
		return "the run was ended from outside (" + r.Stopped + "), and what it would have found is not known"
	}
	return ""
}

// development is the version of a build that has none.
const development = "devel"

// limits tells what the evidence does not show.
func (v *verification) limits() {
	r := v.report
	v.underived("who answered: whoever has a conforming server, such as the bundled reference, can record such traffic")
	if r.Suite.Version == development {
		v.underived("the version: a development build made the report, and another one may judge otherwise")
	}
	if r.Target.Subject != nil {
		v.underived("whose implementation it is: organisation, product and version are the report's own word")
	}
	if r.Insecure {
		v.underived("who answered at %s: certificates were not checked", r.Target.BaseURL)
	}
	lost, raw := 0, 0
	for i := range v.har {
		if v.har[i].Error != "" {
			lost++
		}
		raw += len(v.har[i].Anomalies)
	}
	if lost > 0 {
		v.underived("why %s had no complete answer: that is taken as it is recorded", wording.Count(lost, "request"))
	}
	if raw > 0 {
		v.underived("what only the bytes of a connection show: %s in HTTP's framing, taken as recorded", wording.Count(raw, "error"))
	}
	if r.Run != nil && r.Run.Provision {
		v.underived("whether the objects were provisioned before the run and after it")
	}
}

// again makes the run again and compares the reports.
func (v *verification) again(ctx context.Context, c *suites.Config) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	t := newTape(v.har, stop)
	c.Answer = t.answer
	c.LeaveOut = v.leftOut()
	r, err := suites.Execute(ctx, c)
	if err != nil {
		v.unknown("verdict", "the run cannot be made again: "+err.Error())
		return
	}
	wrong := append(t.wrong, t.rest()...)
	if len(wrong) > 0 {
		wrong = append(v.found(r), wrong...)
	} else {
		var text bytes.Buffer
		if err := report.WriteJSON(&text, r); err != nil {
			v.unknown("verdict", err.Error())
			return
		}
		wrong = append(differences(v.data, text.Bytes(), v.report.Run.Keys.Header), order(v.har, r.Exchanges)...)
	}
	if n := v.cut(); n > 0 && len(wrong) > 0 {
		v.unknown("verdict", fmt.Sprintf("of %s only the beginning was recorded (%s)", wording.Count(n, "answer"), wrong[0]))
		return
	}
	if why := stoppedAsking(v.report, r); why != "" && len(wrong) > 0 {
		v.unknown("verdict", fmt.Sprintf("%s, and what is asked then hangs on which of several answers got lost first (%s)", why, wrong[0]))
		return
	}
	v.judged("verdict", fmt.Sprintf("%s, as %s follow from %s", r.Verdict,
		wording.Count(len(r.Results), "case"), wording.Count(len(v.har), "exchange")), wrong)
}

// cut is how many answers were recorded in part.
func (v *verification) cut() (n int) {
	for i := range v.har {
		if b := v.har[i].ResponseBody; b != nil && b.Cut && v.har[i].Error == "" {
			n++
		}
	}
	return n
}

// stoppedAsking says why a run asked an operation, or the target, no more; "" where none did.
// Several workers see answers get lost, in an order that nothing records.
func stoppedAsking(runs ...*report.Report) string {
	for _, r := range runs {
		for i := range r.Results {
			if why := r.Results[i].Reason; liveness.Ended(why) {
				return why
			}
		}
	}
	return ""
}

// found are the findings that follow from the traffic, as far as it goes, and are not in the
// report.
func (v *verification) found(r *report.Report) (wrong []string) {
	for i := range r.Findings {
		f := &r.Findings[i]
		if !slices.ContainsFunc(v.report.Findings, func(said oracle.Finding) bool { return said.ID == f.ID }) {
			wrong = append(wrong, fmt.Sprintf("findings: %s (%s, check %s) follows from the traffic and is not in the report: %s",
				f.Operation, f.Clause, f.Check, wording.ClipPrintable(report.Sentence(f), maxLine)))
		}
	}
	return wrong
}

// leftOut says of a case that it was not run as the time of a budget was over: what the time
// was is not recorded.
func (v *verification) leftOut() func(string) string {
	b := v.report.Run.Budget
	if b == nil || b.Seconds == 0 {
		return nil
	}
	over := map[string]string{}
	for i := range v.report.Results {
		if c := &v.report.Results[i]; c.Requests == 0 && strings.HasPrefix(c.Reason, "the budget of ") {
			over[c.ID] = c.Reason
		}
	}
	v.underived("when the time of the budget was over: that is taken as the report has it")
	return func(id string) string { return over[id] }
}
