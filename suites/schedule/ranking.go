package schedule

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/adconform/adconform/suites/testcase"
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

// Ranked is a plan in the order in which a budget is spent: what finds most for its
// requests comes first. Cases that are not ranked, such
// as those of a new operation, come last.
func Ranked(plan []*testcase.Case) []*testcase.Case {
	ranks := ranking()
	place := func(c *testcase.Case) int {
		if r, ok := ranks[c.ID]; ok {
			return r.place
		}
		return len(ranks)
	}
	ranked := slices.SortedStableFunc(slices.Values(plan), func(a, b *testcase.Case) int { return place(a) - place(b) })
	for _, c := range plan {
		if !c.Once {
			continue
		}
		from, to := slices.Index(ranked, c), 0
		for i, other := range ranked {
			if other.Place < c.Place && needsPartOf(other, c) {
				to = i
			}
		}
		if to > from {
			ranked = slices.Insert(slices.Delete(ranked, from, from+1), to, c)
		}
	}
	return ranked
}

// needsPartOf says whether a case needs what is gone once an object is that another case
// uses up: the media files of a container.
func needsPartOf(c, uses *testcase.Case) bool {
	return slices.ContainsFunc(c.Needs, func(need string) bool {
		return slices.ContainsFunc(uses.Needs, func(object string) bool { return strings.HasPrefix(need, object+".") })
	})
}
