package schedule

import (
	_ "embed"
	"slices"
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

// Ranked is a plan in the order in which a budget is spent: what finds most for its
// requests comes first. Cases that are not ranked, such as those of a new operation, come
// last.
func Ranked(plan []*judge.Case) []*judge.Case {
	ranks := ranking()
	place := func(c *judge.Case) int {
		if r, ok := ranks[c.ID]; ok {
			return r.place
		}
		return len(ranks)
	}
	return slices.SortedStableFunc(slices.Values(plan), func(a, b *judge.Case) int { return place(a) - place(b) })
}
