package specs

import (
	"slices"
	"strconv"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// A ListedDimension is a dimension of an operation's requests, as users see it.
type ListedDimension struct {
	Operation string      `json:"operation"`
	Name      string      `json:"name"`
	Rows      []ListedRow `json:"rows"`
}

// A ListedRow is a row of the table of dimensions.
type ListedRow struct {
	Name  string `json:"name"`
	Words string `json:"words"`
	Claim string `json:"claim"` // plain, open or fault
}

var claims = map[claim]string{plain: "plain", open: "open", fault: "fault"}

// Dimensions lists what the requests of a target's operations are made of.
func Dimensions(c *spec.Contract, target *fixtures.Target) (all []ListedDimension) {
	s := &Specs{Contract: c, Target: target}
	for _, op := range c.Operations {
		if op.Reads() {
			continue
		}
		for _, d := range dimensionsOf(s, op) {
			listed := ListedDimension{Operation: op.ID, Name: d.name}
			for _, r := range d.rows {
				listed.Rows = append(listed.Rows, ListedRow{r.name, r.words, claims[r.is]})
			}
			all = append(all, listed)
		}
	}
	return all
}

// publish notes what the requests so far were made of. Pairs count when their answer is judged, not when they are
// planned.
func (g *grid) publish(c Case) {
	n := report.Arrays{Operation: g.op.ID, Dimensions: len(g.dimensions)}
	nobody, other := g.find("no-key"), g.find("stranger")
	for _, d := range g.dimensions {
		for _, r := range d.rows {
			switch {
			case r.isFault():
				continue
			case g.verdicts[r] == refusedAlone:
				n.RefusedAlone++
			}
			n.Rows++
			if r.clashes(nobody) {
				n.SpellsKey++
			}
			if g.met.has(r, nobody) {
				n.NoKey++
			}
			if g.met.has(r, other) {
				n.Stranger++
			}
		}
	}
	n.Table, n.Pairs = g.table()
	c.Run().NoteArrays(n)
}

// table returns the dimensions with their rows, each of which names the later rows that it met, and the number of
// pairs.
func (g *grid) table() (table []report.Dimension, pairs int) {
	var rows []*row
	for _, d := range g.dimensions {
		rows = append(rows, d.rows...)
	}
	for _, d := range g.dimensions {
		listed := report.Dimension{Name: d.name}
		for _, r := range d.rows {
			at := slices.Index(rows, r)
			met := func(n int) bool { return n > at && n < len(rows) && g.met.has(r, rows[n]) }
			for n := range rows {
				if met(n) {
					pairs++
				}
			}
			listed.Rows = append(listed.Rows, report.DimensionRow{
				Name: r.name, Words: r.words, Claim: claims[r.is], RefusedAlone: g.verdicts[r] == refusedAlone,
				Met: ranges(len(rows), met),
			})
		}
		table = append(table, listed)
	}
	return table, pairs
}

// ranges writes the numbers below n that are in a set: "26-31,40".
func ranges(n int, in func(int) bool) string {
	var parts []string
	for from := 0; from < n; from++ {
		if !in(from) {
			continue
		}
		to := from
		for in(to + 1) {
			to++
		}
		part := strconv.Itoa(from)
		if to > from {
			part += "-" + strconv.Itoa(to)
		}
		parts = append(parts, part)
		from = to
	}
	return strings.Join(parts, ",")
}

// has reports whether a request had both rows.
func (v *covering) has(a, b *row) bool { return v.pairs[[2]*row{a, b}] || v.pairs[[2]*row{b, a}] }
