package schedule

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"

	"github.com/adconform/adconform/suites/judge"
)

//go:embed ranking.txt
var rankingText string

// rank is the place of a case in the order in which a budget is spent.
type rank struct{ place, requests int }

var ranking = sync.OnceValue(func() map[string]rank {
	ranks := map[string]rank{}
	for line := range strings.Lines(rankingText) {
		id, requests, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		n, err := strconv.Atoi(requests)
		if err != nil {
			panic("ranking.txt: " + line)
		}
		ranks[id] = rank{len(ranks), n}
	}
	return ranks
})

// Ranked reorders a plan for a run that may end at any time: the cases that the
// first so many requests are best spent on, in the order of the plan, then those
// for the next, and so on.
func Ranked(plan []*judge.Case, requests int) []*judge.Case {
	var ordered []*judge.Case
	for len(plan) > 0 {
		picked := Affordable(plan, requests)
		if len(picked) == 0 {
			return append(ordered, plan...)
		}
		var rest []*judge.Case
		for _, c := range plan {
			if picked[c] {
				ordered = append(ordered, c)
			} else {
				rest = append(rest, c)
			}
		}
		plan = rest
	}
	return ordered
}

// Affordable picks the cases that a budget of requests is best spent on: the
// best-ranked ones that fit. The order in which they are sent stays that of the
// plan. Cases that are not ranked, such as those of a new operation, come last.
func Affordable(plan []*judge.Case, requests int) map[*judge.Case]bool {
	ranks := ranking()
	ordered := make([]*judge.Case, 0, len(plan))
	byPlace := map[int]*judge.Case{}
	var rest []*judge.Case
	for _, c := range plan {
		if r, ok := ranks[c.ID]; ok {
			byPlace[r.place] = c
		} else {
			rest = append(rest, c)
		}
	}
	for place := range len(ranks) {
		if c := byPlace[place]; c != nil {
			ordered = append(ordered, c)
		}
	}
	picked := map[*judge.Case]bool{}
	for _, c := range append(ordered, rest...) {
		n := max(1, ranks[c.ID].requests)
		if n <= requests {
			picked[c] = true
			requests -= n
		}
	}
	return picked
}
