package verify

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
)

// evidence judges the recorded traffic again, and makes the run again with it.
func (v *verification) evidence(ctx context.Context) {
	if !v.readHAR() {
		return
	}
	v.check("traffic", wording.Count(len(v.har), "exchange"), numbered(v.har))
	v.limits()
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

// beyond says why a run cannot be made again from its recorded answers; "" where it can.
func (v *verification) beyond() string {
	r := v.report
	switch {
	case r.Level == report.Observed:
		return "others sent the traffic: no plan says what would have had to be asked"
	case r.Run == nil:
		return "report.json does not say what the run was given: an older version made it"
	case r.Repeat != nil:
		return "it is of several rounds (--repeat), which are not made again"
	case r.Interrupted, strings.HasPrefix(r.Stopped, "the deadline of"):
		return "the run was ended from outside (" + r.Stopped + "), and what it would have found is not known"
	}
	return ""
}

// limits tells what the evidence does not show.
func (v *verification) limits() {
	r := v.report
	v.underived("who answered: whoever has a conforming server, such as the bundled reference, can record such traffic")
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
		v.underived("bytes of the connection: %s of HTTP's framing are taken as they are recorded", wording.Count(raw, "breach"))
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
	if len(wrong) == 0 {
		var text bytes.Buffer
		if err := report.WriteJSON(&text, r); err != nil {
			v.unknown("verdict", err.Error())
			return
		}
		wrong = append(differences(v.data, text.Bytes()), order(v.har, r.Exchanges)...)
	}
	v.check("verdict", fmt.Sprintf("%s, as %s follow from %s", r.Verdict,
		wording.Count(len(r.Results), "case"), wording.Count(len(v.har), "exchange")), wrong)
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
