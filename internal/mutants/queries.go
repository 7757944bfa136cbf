package mutants

import (
	"regexp"
	"slices"
	"strconv"
)

var query = regexp.MustCompile("^[`\"]\\s*(?:SELECT|UPDATE|DELETE FROM|INSERT)\\b")

// isSQL says whether a string as it is written is a query.
func isSQL(literal string) bool { return query.MatchString(literal) }

// queryEdit replaces a part of a literal, quotes included.
type queryEdit struct {
	from, to int
	text     string
}

// clauses of a query: the part that the first group has is replaced.
var clauses = []struct {
	pattern *regexp.Regexp
	text    string
}{
	{regexp.MustCompile(`(?:WHERE|AND|ON) \S+ (=) `), "<>"},
	{regexp.MustCompile(` (<>) `), "="},
	{regexp.MustCompile(` (>) \d`), ">="},
	{regexp.MustCompile(`\b(AND)\b`), "OR"},
	{regexp.MustCompile(`\b(WHERE) `), "WHERE 1 = 1 OR"},
	{regexp.MustCompile(`\b(LEFT JOIN)\b`), "JOIN"},
	{regexp.MustCompile(`(\w+ = \$\d+, )`), ""}, // one of the columns that are set
	{regexp.MustCompile(`(, \w+ = \$\d+)(?:\s+WHERE|$)`), ""},
}

var (
	parameter = regexp.MustCompile(`\$(\d+)`)
	number    = regexp.MustCompile(`[ (](\d+)\b`)
	columns   = regexp.MustCompile(`[$\w.]+`)
	comma     = regexp.MustCompile(`^,\s*$`)
)

// otherQueries are the changes of a query: operators, conditions, parameters, numbers,
// and columns in another order.
func otherQueries(literal string) (all []queryEdit) {
	for _, c := range clauses {
		for _, at := range c.pattern.FindAllStringSubmatchIndex(literal, -1) {
			if at[2] < at[3] {
				all = append(all, queryEdit{at[2], at[3], c.text})
			}
		}
	}
	parameters := parameter.FindAllStringSubmatchIndex(literal, -1)
	highest := 0
	for _, at := range parameters {
		n, _ := strconv.Atoi(literal[at[2]:at[3]])
		highest = max(highest, n)
	}
	for _, at := range parameters {
		if n, _ := strconv.Atoi(literal[at[2]:at[3]]); highest > 1 {
			all = append(all, queryEdit{at[2], at[3], strconv.Itoa(n%highest + 1)})
		}
	}
	for _, at := range number.FindAllStringSubmatchIndex(literal, -1) {
		n, _ := strconv.Atoi(literal[at[2]:at[3]])
		all = append(all, queryEdit{at[2], at[3], strconv.Itoa(n + 1)}, queryEdit{at[2], at[3], strconv.Itoa(n - 1)})
	}
	words := columns.FindAllStringIndex(literal, -1)
	for i, a := range words[:len(words)-1] {
		if b := words[i+1]; comma.MatchString(literal[a[1]:b[0]]) && literal[a[0]] != '$' && literal[b[0]] != '$' {
			all = append(all, queryEdit{a[0], b[1], literal[b[0]:b[1]] + literal[a[1]:b[0]] + literal[a[0]:a[1]]})
		}
	}
	slices.SortStableFunc(all, func(a, b queryEdit) int { return a.from - b.from })
	return all
}
