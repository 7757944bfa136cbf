package specs

import (
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
	n := report.Arrays{Operation: g.op.ID, Dimensions: len(g.dimensions), Pairs: len(g.met.pairs)}
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
	c.Run().NoteArrays(n)
}

// has reports whether a request had both rows.
func (v *covering) has(a, b *row) bool { return v.pairs[[2]*row{a, b}] || v.pairs[[2]*row{b, a}] }
