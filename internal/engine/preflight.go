package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/doctor"
	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/session"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// Preflight checks, with requests that change nothing, whether a run of this configuration has everything
// that it needs, and what it would not test.
func Preflight(ctx context.Context, c *Config) (*report.Preflight, error) {
	plan, err := c.Sendable()
	if err != nil {
		return nil, err
	}
	contract, reading := c.contract(), *c
	reading.ReadOnly = true
	client, err := reading.Client()
	if err != nil {
		return nil, err
	}
	defer client.Close()
	session := session.NewSession(session.Options{
		ModelOptions: judge.ModelOptions{
			Contract: contract, Target: c.Target, Seed: c.Seed, Disabled: c.Disabled,
		},
		Client: client, Record: c.Record, ReadOnly: true,
	})
	r := &report.Preflight{
		Schema: report.PreflightSchema, Target: c.described(), Findings: []report.Finding{},
		Provisioned: c.Target.Provision != nil, Parts: doctor.Look(ctx, session), Unseen: []string{},
	}
	var wrong []string
	for _, part := range r.Parts {
		if part.Status == report.Wrong {
			wrong = append(wrong, part.Need)
		}
	}
	isShown := func(need string) bool {
		p := doctor.Find(r.Parts, need)
		return p != nil && p.Status == report.Fine
	}
	missing, total := c.Missing(plan, wrong)
	missing = append(missing, c.unrestorable(plan, isShown)...)
	r.Unseen = append(r.Unseen, c.unseen(isShown)...)
	for _, g := range c.overlaid() {
		r.Parts = append(r.Parts, report.Part{Need: g.Need, Status: report.Differs, Detail: g.Text})
	}
	if i := slices.IndexFunc(r.Parts, func(p report.Part) bool { return p.Need == doctor.NeedObjects }); i >= 0 {
		r.Parts[i].Cost = &total
		isNamed := func(m report.Part) bool { return judge.Has(c.Target, m.Need) } // but not there
		missing = slices.DeleteFunc(missing, isNamed)
	}
	for _, m := range missing {
		r.Parts = c.withMissing(r.Parts, m)
	}
	found, _ := session.Outcome().Groups(contract)
	r.Findings = append(r.Findings, judgedRows(found, r.Parts)...)
	isBroken := func(row report.Finding) bool { return c.counts(&row, len(session.Outcome().Liveness.Lost())) }
	broken := slices.ContainsFunc(r.Findings, isBroken)
	r.Cost, r.Requests = total, session.Outcome().Traffic.Requests
	isUnfit := func(p report.Part) bool { return p.Status == report.Wrong || p.Status == report.Differs }
	unfit := slices.ContainsFunc(r.Parts, isUnfit)
	switch {
	case ctx.Err() != nil:
		r.ExitCode = report.ExitInterrupted
	case broken:
		r.ExitCode = report.ExitNonconforming
	case unfit || total.Stated > 0:
		r.ExitCode = report.ExitInconclusive
	}
	return r, nil
}

// withMissing adds what the target file lacks to the parts of a preflight, with what it costs.
func (c *Config) withMissing(parts []report.Part, m report.Part) []report.Part {
	if m.Status == report.Missing {
		m.Write = c.example(m.Need)
	}
	at := slices.IndexFunc(parts, func(p report.Part) bool { return p.Need == m.Need })
	if at < 0 {
		return append(parts, m)
	}
	parts[at].Cost, parts[at].NotShown = m.Cost, m.NotShown
	return parts
}

// judgedRows returns the findings that a preflight reports. What differs from a wrong line of the target file is the
// operator's mistake; keys, and each answer by itself, are judged without that file.
func judgedRows(found []*finding.Finding, parts []report.Part) (rows []report.Finding) {
	isMistaken := func(caseID string) bool {
		_, key, _ := strings.Cut(caseID, doctor.CasePart)
		part := doctor.Find(parts, key)
		return part != nil && part.EndsRun
	}
	for _, f := range found {
		row := f.Row()
		isByFile := !strings.HasPrefix(row.Clause, "AUTH-") && oracle.Row(row.Check) == nil
		isElsewhere := func(caseID string) bool { return !isMistaken(caseID) }
		if !isByFile || slices.ContainsFunc(f.Cases, isElsewhere) {
			rows = append(rows, row)
		}
	}
	return rows
}

// example returns what to write into the target file for a need: "campaign: 25", or "campaign: {id: 25, name: …}" for
// a value of an object that the file names.
func (c *Config) example(need string) string {
	key, value := fixtures.Example(need, c.contract().Keys()...)
	name, field, _ := strings.Cut(strings.TrimPrefix(need, judge.OwnKeys), ".")
	if objects := c.Target.Objects[name]; strings.HasPrefix(need, judge.OwnKeys) && field != "" && len(objects) == 1 {
		value = fmt.Sprintf("{id: %s, %s: …}", objects[0].ID, field)
	}
	return strings.TrimSuffix(key+": "+value, ": ")
}

// Missing returns the keys that the target file lacks: first those that the cases of a plan need, in their order,
// then those that only make a run judge more. Each comes with what a run does not test without it. Missing
// also returns the cost of all of them together. Keys in wrong count as missing. It sends nothing.
func (c *Config) Missing(plan []*judge.Case, wrong []string) (missing []report.Part, total report.Cost) {
	without := map[*judge.Case]bool{}
	short := map[string][]*judge.Case{}
	var needs []string
	for _, cs := range plan {
		for _, need := range append([]string{doctor.NeedBaseURL, doctor.NeedOwner}, cs.Needs...) {
			if c.gives(need, wrong) {
				continue
			}
			without[cs] = true
			container, isOfContainer := strings.CutSuffix(need, mediaFiles)
			isFirst := short[need] == nil
			if isFirst && (!isOfContainer || c.gives(container, wrong)) {
				needs = append(needs, need)
			}
			short[need] = append(short[need], cs)
		}
	}
	for _, need := range slices.Concat(needs, c.judgedBy()) {
		cost := c.costOf(plan, short[need], without)
		missing = append(missing, report.Part{
			Need: need, Status: report.Missing, Detail: judge.NotGiven(c.Target, need),
			Cost: &cost, NotShown: notShown(need),
		})
	}
	return missing, c.costOf(plan, slices.Collect(maps.Keys(without)), without)
}

// gives reports whether the target file gives what a case needs, unless that is wrong.
func (c *Config) gives(need string, wrong []string) bool {
	isGone := slices.Contains(wrong, doctor.NeedObjects) && strings.HasPrefix(need, judge.OwnKeys)
	if isGone || slices.Contains(wrong, need) {
		return false
	}
	isOfEveryCase := need == doctor.NeedBaseURL || need == doctor.NeedOwner
	return isOfEveryCase || judge.Has(c.Target, need)
}

// costOf returns what is lost with these cases of a plan: themselves, and the clauses that they judge and no case that
// can run does. The cases in without cannot run, either.
func (c *Config) costOf(plan, lost []*judge.Case, without map[*judge.Case]bool) report.Cost {
	cost, untested := report.Cost{Cases: len(lost), Clauses: []string{}}, map[string]bool{}
	isLost := func(cs *judge.Case) bool { return slices.Contains(lost, cs) }
	runs := func(cs *judge.Case) bool { return !without[cs] && !isLost(cs) }
	for at, all := range aims(c.contract(), plan) {
		untested[at.clause] = untested[at.clause] || slices.ContainsFunc(all, isLost) && !slices.ContainsFunc(all, runs)
	}
	for _, cl := range c.contract().Clauses {
		if untested[cl.ID] {
			cost.Clauses = append(cost.Clauses, cl.ID)
			if cl.Basis == spec.Stated {
				cost.Stated++
			}
		}
	}
	return cost
}

// unrestorable returns the values without which cases cannot put back what they overwrite, unless the target shows
// them. isShown reports whether a GET shows an object; only a run finds out whether {} does.
func (c *Config) unrestorable(plan []*judge.Case, isShown func(need string) bool) (parts []report.Part) {
	short := map[string][]*judge.Case{}
	var needs []string
	for _, cs := range plan {
		for _, need := range cs.Unrestorable(c.Target) {
			object, _, _ := cutValue(need)
			if len(cs.Missing(c.Target)) > 0 || isShown(object) {
				continue
			}
			if short[need] == nil {
				needs = append(needs, need)
			}
			short[need] = append(short[need], cs)
		}
	}
	for _, need := range needs {
		cost := c.costOf(plan, short[need], nil)
		parts = append(parts, report.Part{
			Need: need, Status: report.Missing, Cost: &cost, NotShown: notShown(need), MayBeShown: true,
			Detail: "neither the target file nor GET shows it",
		})
	}
	return parts
}

// unseen lists the objects whose values a run may have to take from the target file to restore them, as no GET shows
// them.
func (c *Config) unseen(isShown func(need string) bool) (objects []string) {
	for _, op := range c.contract().Operations {
		if !op.Updates() || len(op.Params) == 0 {
			continue
		}
		for _, key := range []string{op.Key(), spec.Other(op.Key()), spec.Sibling(op.Key())} {
			o := judge.Find(c.Target, key)
			fields := judge.NewObject(key, op, nil, o.Values).Unseen()
			if len(fields) > 0 && !isShown(judge.OwnKey(key)) {
				objects = append(objects, fmt.Sprintf("%s %s (%s)", key, o.ID, strings.Join(fields, ", ")))
			}
		}
	}
	return objects
}

// cutValue divides the key of a value into that of its object and the name of the value.
func cutValue(need string) (object, value string, is bool) {
	i := strings.LastIndex(need, ".")
	return need[:max(0, i)], need[i+1:], i > 0
}

// gaps returns the keys of the target file that the run would have needed, and the other reasons why
// cases did not run, in the order of the plan.
func (e *execution) gaps(selected bool) []report.Gap {
	gaps := e.config.narrowed()
	add := func(need, text string, cases int) {
		i := slices.IndexFunc(gaps, func(g report.Gap) bool { return g.Need == need && g.Text == text })
		if i < 0 {
			i = len(gaps)
			gaps = append(gaps, report.Gap{Need: need, Text: text})
		}
		gaps[i].Cases += cases
	}
	for _, r := range e.outcome.Results() {
		missing := r.Case.Missing(e.config.Target)
		switch {
		case r.Status != judge.NotTested || r.Cause == judge.ByTarget:
		case len(missing) > 0: // count each case only once
			add(missing[0], notShown(missing[0]), 1)
		case leftAlone(r, e.config.Target) != "":
			add(leftAlone(r, e.config.Target), notShown(leftAlone(r, e.config.Target)), 1)
		default:
			add("", r.Reason, 1)
		}
	}
	if !selected {
		for _, need := range e.config.judgedBy() {
			add(need, notShown(need), 0)
		}
	}
	return gaps
}

// leftAlone returns the value that the target file would have to give for a case to write to an object; "" if the case
// was not tested for another reason.
func leftAlone(r *judge.Result, t *fixtures.Target) string {
	for _, need := range r.Case.Unrestorable(t) {
		object, _, _ := cutValue(strings.TrimPrefix(need, judge.OwnKeys))
		if strings.HasPrefix(r.Reason, object+" ") {
			return need
		}
	}
	return ""
}

// overlaid returns the gap that an overlay causes, which no case shows.
func (c *Config) overlaid() []report.Gap {
	if away := c.contract().TakenAway; len(away) > 0 {
		text := fmt.Sprintf("what the overlay removes (%d: %s)", len(away), wording.Some(away, 2))
		return []report.Gap{{Need: "overlay", Text: text}}
	}
	return nil
}

// narrowed returns the gaps of a run that the configuration limits, which no case shows.
func (c *Config) narrowed() []report.Gap {
	gaps := c.overlaid()
	if off := c.switchedOff(); off != "" {
		gaps = append(gaps, report.Gap{Text: off})
	}
	if c.Depth == judge.Quick {
		gaps = append(gaps, report.Gap{Text: "what only --depth standard tests"})
	}
	return gaps
}

// switchedOff describes what disabled checks would show; "" if there are none.
func (c *Config) switchedOff() string {
	if n := len(c.Disabled); n > 0 {
		return fmt.Sprintf("what the %s %s would find", wording.Noun(n, "check"), wording.List(c.Disabled))
	}
	return ""
}

// judgedBy returns the missing keys that no case needs, but with which a run judges more: values of
// objects (those that never change and those that an update sets), a neighbour that an update must
// leave alone, and the files of a list.
func (c *Config) judgedBy() (missing []string) {
	for _, op := range c.contract().Operations {
		if key := op.Key(); op.Updates() && c.names(key) {
			missing = append(missing, c.missingValues(op)...)
			sibling := spec.Sibling(key)
			if c.Depth > judge.Quick && len(op.Params) > 1 && !c.names(sibling) {
				missing = append(missing, judge.OwnKey(sibling))
			}
		}
	}
	for _, n := range c.Target.Named() {
		isWalked := n.Key == "objects.vastCreative" || strings.HasPrefix(n.Key, "objects.paged")
		if o := judge.ContainerOf(c.Target, n.Bare); o != nil && o.MediaFileCount < 0 && isWalked {
			missing = append(missing, n.Key+mediaFiles)
		}
	}
	return missing
}

func (c *Config) names(key string) bool { return judge.Has(c.Target, judge.OwnKey(key)) }

// missingValues returns the values of an update's object that the target file does not give.
func (c *Config) missingValues(op *spec.Operation) (missing []string) {
	shown, key := op.Representation(), op.Key()
	if shown == nil {
		return nil
	}
	for _, f := range shown.Fields {
		_, isGiven := c.Target.Objects[key][0].Values[f.Meaning]
		isCompared := f.Stays || op.Body.Named(f.Name) != nil
		if isCompared && !isGiven && fixtures.Describes(key, f.Meaning) {
			missing = append(missing, judge.OwnKey(key)+"."+f.Meaning)
		}
	}
	return missing
}

const mediaFiles = ".mediaFiles"

// notShown describes what is not shown without a key of the target file.
func notShown(need string) string {
	key := strings.TrimPrefix(need, judge.OwnKey(""))
	for _, w := range missingWords {
		if strings.HasPrefix(key, w.prefix) && strings.HasSuffix(key, w.suffix) {
			return w.text
		}
	}
	if name, value, ok := strings.Cut(key, "."); ok {
		return fmt.Sprintf("whether %s of %s is right", value, name)
	}
	return "cases that need " + need
}

// missingWords describes what is not shown without a key. The first match counts.
var missingWords = []struct{ prefix, suffix, text string }{
	{"baseURL", "", "the whole suite"},
	{"credentials.owner", "", "the whole suite"},
	{"credentials.stranger", "", "what another user may not do"},
	{"foreign.", "", "objects of other users"},
	{"pagedVastCreatives", mediaFiles, "how many media files a list of several pages holds"},
	{"pagedVastCreatives", "", "pages beyond the first"},
	{"vastCreative", mediaFiles, "whether a list has the right media files"},
	{"vastCreative", "", "the list of a VAST creative"},
	{"emptyVastCreative", "", "an empty list"},
	{"plainCreative", "", "the list of a creative that is not a VAST creative"},
	{"disposableVastCreatives", mediaFiles, "deletes of media files"},
	{"disposableVastCreatives", "", "deletes of containers"},
	{"disposableCreatives[", "", "deletes"},
	{"connectionProfileRuleOtherHost", "", "whether an update leaves a host of the same rule alone"},
	{"connectionProfileOtherRuleHost.", "", "updates of two hosts"},
	{"connectionProfileOtherRuleHost", "", "hosts in the path of another rule"},
	{"connectionProfileOtherRule", "", "hosts under another rule"},
	{"otherConnectionProfile.", "", "updates of two connection profiles"},
	{"otherConnectionProfile", "", "whether an update leaves a second connection profile alone"},
	{"otherCampaign.", "", "updates of two campaigns"},
	{"otherCampaign", "", "whether an update leaves a second campaign alone"},
	{"connectionProfileRuleHost", "RuleHost", "updates of rule hosts"},
	{"connectionProfileRule", "Rule", "updates of rule hosts"},
	{"connectionProfile", "Profile", "updates of connection profiles and rule hosts"},
	{"campaign", "campaign", "updates of campaigns"},
}
