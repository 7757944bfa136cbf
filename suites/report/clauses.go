package report

import (
	"slices"
	"strconv"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
)

// allOperations is the operation of a clause that relates several.
const allOperations = "all"

// Totals returns each clause once, with its status on all operations together: broken if
// any operation broke it, otherwise held if any held it.
func (r *Report) Totals() []Clause {
	worth := func(c Clause) int {
		if c.Status == NotTested && c.Cause == judge.ByOperator {
			return 1
		}
		return map[ClauseStatus]int{Broken: 3, Held: 2}[c.Status]
	}
	at, all := map[string]int{}, []Clause{}
	for _, c := range r.Clauses {
		i, known := at[c.ID]
		if !known {
			at[c.ID] = len(all)
			all = append(all, c)
			continue
		}
		cases := all[i].Cases + c.Cases
		if worth(c) > worth(all[i]) {
			all[i] = c
		}
		all[i].Operation, all[i].Cases = allOperations, cases
	}
	return all
}

// Subject returns the clause and its operation: "AUTH-2 of updateCampaign".
func (c *Clause) Subject() string {
	return strings.TrimSuffix(c.ID+" of "+c.Operation, " of "+allOperations)
}

// Ran reports whether a complete run carried out each of these cases.
func (r *Report) Ran(cases []string) bool {
	return !r.Selected && !r.Interrupted && r.Stopped == "" && all(cases, r.tested)
}

// tested reports whether a case was carried out.
func (r *Report) tested(id string) bool {
	return slices.ContainsFunc(r.Results, func(c Case) bool { return c.ID == id && c.Status != judge.NotTested })
}

func all[T any](of []T, is func(T) bool) bool {
	return !slices.ContainsFunc(of, func(v T) bool { return !is(v) })
}

// PinBlock returns the choices that a run observed at open points as lines of YAML, to be pasted under
// open: in the target file, so that later runs judge them. It leaves out points that the file already
// pins and choices that were not the same everywhere, and returns "" if nothing is left.
func PinBlock(r *Report) string {
	var b strings.Builder
	for i := range r.OpenPoints {
		o := &r.OpenPoints[i]
		if value := o.pinned(); o.Pin != "" && value != nil {
			b.WriteString(fixtures.Line(o.Pin, value) + "\n")
		}
	}
	return b.String()
}

// pinIntro introduces the lines.
const pinIntro = "To have these choices judged from now on, paste them under open: in the target file:"

// pinned returns the value that pins a choice, int64 or string; nil if there is none.
func (o *OpenPoint) pinned() any {
	words := fixtures.PinWords(o.Pin)
	for _, w := range words {
		if all(o.Observed, func(choice string) bool { return spec.AsPinned(w, spec.Choice(choice)) }) {
			return w
		}
	}
	if words != nil || len(o.Observed) != 1 {
		return nil
	}
	seen := o.Observed[0]
	first, _, _ := strings.Cut(seen, " ")
	number, err := strconv.ParseInt(first, 10, 64)
	_, example := fixtures.Example("open." + o.Pin)
	switch {
	case o.Pin == spec.PageParameter && (seen == string(spec.NoEffect) || seen == "refused"):
		return nil
	case err == nil:
		return number
	case spec.AsPinned(example, spec.Choice(seen)):
		return example // as people write it
	}
	return seen
}
