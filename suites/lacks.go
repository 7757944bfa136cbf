package suites

import (
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/doctor"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
)

// Lack is something that a run needs and the target file does not give, or gives
// wrongly.
type Lack struct {
	Need     string `json:"need"`     // credentials.stranger, objects.campaign, foreign.campaign
	NotShown string `json:"notShown"` // without it
	report.Cost
}

// Plan is what a run would send, and to what.
type Plan struct {
	Contract *spec.Contract
	Target   *fixtures.Target
	Depth    judge.Depth
	Cases    []*judge.Case
}

// Lacks lists what the target file does not give, in the order in which cases need it, then
// what no case needs and a run judges by, and the cost of all of it together. Needs for which
// wrong is true (nil: none) count as not given.
func (p *Plan) Lacks(wrong func(need string) bool) (lacks []Lack, total report.Cost) {
	l := &costs{Plan: p, aims: aims(p.Contract, p.Cases), short: map[*judge.Case]bool{}}
	given := func(need string) bool { return judge.Has(p.Target, need) && (wrong == nil || !wrong(need)) }
	for _, need := range []string{doctor.NeedBaseURL, doctor.NeedOwner} {
		if wrong != nil && wrong(need) { // every case needs it
			for _, cs := range p.Cases {
				l.short[cs] = true
			}
			all := l.cost(func(*judge.Case) bool { return true })
			return []Lack{{need, notShown(need), all}}, all
		}
	}
	var needs []string
	for _, cs := range p.Cases {
		for _, need := range cs.Needs {
			if given(need) {
				continue
			}
			l.short[cs] = true
			container, ofContainer := strings.CutSuffix(need, ".mediaFiles")
			if !slices.Contains(needs, need) && (!ofContainer || given(container)) {
				needs = append(needs, need)
			}
		}
	}
	for _, need := range needs {
		cost := l.cost(func(cs *judge.Case) bool { return slices.Contains(cs.Needs, need) })
		lacks = append(lacks, Lack{need, notShown(need), cost})
	}
	for _, need := range judgedBy(p.Contract, p.Target, p.Depth) {
		lacks = append(lacks, Lack{need, notShown(need), report.Cost{Clauses: []string{}}})
	}
	return lacks, l.cost(func(cs *judge.Case) bool { return l.short[cs] })
}

// costs says what is lost with cases that cannot be run.
type costs struct {
	*Plan
	aims  map[subject][]*judge.Case
	short map[*judge.Case]bool // cannot be run
}

// cost is what is lost with some of the cases: clauses that only these judge, or
// that nothing judges as the rest cannot be run either.
func (l *costs) cost(lost func(*judge.Case) bool) report.Cost {
	cost := report.Cost{Clauses: []string{}}
	type judges struct{ lost, kept, short int }
	of := map[subject]*judges{}
	for _, cs := range l.Cases {
		if lost(cs) {
			cost.Cases++
		}
	}
	for at, all := range l.aims {
		j := &judges{}
		of[at] = j
		for _, cs := range all {
			switch {
			case lost(cs):
				j.lost++
			case l.short[cs]:
				j.short++
			default:
				j.kept++
			}
		}
	}
	untested := map[string]bool{}
	for at, j := range of {
		if j.lost > 0 && j.kept == 0 && (j.short == 0 || !l.owned(at)) {
			untested[at.clause] = true
		}
	}
	for _, cl := range l.Contract.Clauses {
		if !untested[cl.ID] {
			continue
		}
		cost.Clauses = append(cost.Clauses, cl.ID)
		if cl.Basis == spec.Stated {
			cost.Stated++
		}
	}
	return cost
}

// owned says whether all cases that judge a clause share a need: then that one
// has its cost alone.
func (l *costs) owned(at subject) bool {
	var common []string
	first := true
	for _, cs := range l.aims[at] {
		if first {
			common, first = slices.Clone(cs.Needs), false
			continue
		}
		common = slices.DeleteFunc(common, func(need string) bool { return !slices.Contains(cs.Needs, need) })
	}
	return len(common) > 0
}

// Disposables are what the cases use up, by key, in the order of the plan.
func (p *Plan) Disposables() []report.Disposables {
	all := []report.Disposables{}
	seen := map[string]bool{}
	for _, cs := range p.Cases {
		for _, need := range cs.Needs {
			key, own := strings.CutPrefix(strings.TrimSuffix(need, mediaFiles), judge.OwnKeys)
			if !cs.Once || !own || !spec.Disposable(key) || seen[key] {
				continue
			}
			seen[key] = true
			name, _ := judge.SplitKey(key)
			i := slices.IndexFunc(all, func(d report.Disposables) bool { return d.Key == name })
			if i < 0 {
				i = len(all)
				all = append(all, report.Disposables{Key: name, Named: len(p.Target.Objects.ByKey(name))})
			}
			all[i].Takes++
		}
	}
	return all
}
