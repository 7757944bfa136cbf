package reftest

import (
	"cmp"
	"maps"
	"slices"
	"testing"
)

// Few are the rows that a test tries: all of them; with -short n, from all over the table.
func Few[R any](n int, rows []R) []R {
	if !testing.Short() || len(rows) <= n {
		return rows
	}
	some := make([]R, n)
	for i := range some {
		some[i] = rows[i*len(rows)/n]
	}
	return some
}

// FewOf is Few for rows that have names, which says which are tried.
func FewOf[K cmp.Ordered, R any](n int, rows map[K]R) map[K]R {
	some := map[K]R{}
	for _, name := range Few(n, slices.Sorted(maps.Keys(rows))) {
		some[name] = rows[name]
	}
	return some
}

// Of is a number of things to try, fewer with -short.
func Of(all, short int) int {
	if testing.Short() {
		return short
	}
	return all
}

// Long skips with -short what takes many whole runs by its nature.
func Long(tb testing.TB) {
	tb.Helper()
	if testing.Short() {
		tb.Skip("a long proof: make verify runs it")
	}
}
