package specs

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
)

// Limits on the requests of an operation at depth deep, so that a run sends at most 3,000.
const (
	mostFaultPairs = 200
	mostSamples    = 300
)

// pairs registers the case of pairs that are tried at depth deep only: spellings of JSON with texts, two faults in a
// request, and a sample of other pairs that depends on the seed.
func (g *grid) pairs(s *Specs, op *spec.Operation) {
	if op.Deletes() {
		return
	}
	s.Case("arrays/pairs", "Any two forms of a request go together, and two faults in it are no less refused than one.",
		Options{Deep, Clause(g.shown()...), Clause("AUTH-1"), optionIf(op.Updates(), Clause("ERR-4", "EFFECT-1"))},
		g.steps(func(g *grid, c Case, o *Object) {
			g.spellTexts(c, o, (*row).isBeyondASCII)
			random := rand.New(rand.NewPCG(c.Run().Seed, uint64(len(op.ID))))
			g.twoFaults(c, o, random)
			g.sample(c, o, random)
		}))
}

// spellTexts sends each spelling of JSON with texts.
func (g *grid) spellTexts(c Case, o *Object, isOne func(*row) bool) {
	spellings := covered(g.dimensions, func(r *row) bool { return r.parts == "body-text" || r.parts == "media" })
	isTaken := func(r *row) bool { return r.how.is(texted) && g.verdicts[r] == accepted && isOne(r) }
	for _, text := range g.rows(isTaken) {
		for _, m := range spellings {
			g.try(c, o, m.with(text))
		}
	}
}

// hasManyLetters reports whether a row gives a field the text that spellings differ about most.
func (r *row) hasManyLetters() bool { return strings.HasSuffix(r.name, "-"+manyLetters.name) }

// isBeyondASCII reports whether a row gives a field another text that spellings differ about.
func (r *row) isBeyondASCII() bool {
	const ends = "-emoji -right-to-left -eszett -escape-like -json-text -slash -beyond-ascii"
	return slices.ContainsFunc(strings.Fields(ends), func(end string) bool { return strings.HasSuffix(r.name, end) })
}

// rows returns the rows for which is holds.
func (g *grid) rows(is func(*row) bool) (all mix) {
	for _, d := range g.dimensions {
		for _, r := range d.rows {
			if is(r) {
				all = append(all, r)
			}
		}
	}
	return all
}

// twoFaults sends requests with two faults each. Which of them is reported is open.
func (g *grid) twoFaults(c Case, o *Object, random *rand.Rand) {
	var all []mix
	faults := g.rows((*row).isFault)
	for i, first := range faults {
		for _, second := range faults[i+1:] {
			if first.at != second.at && !first.clashes(second) {
				all = append(all, mix{first}.with(second))
			}
		}
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	g.stretch(c, o, all[:min(len(all), mostFaultPairs)])
}

// sample sends requests of rows that the target accepts. Two open rows that it accepts one by one may be refused
// together.
func (g *grid) sample(c Case, o *Object, random *rand.Rand) {
	g.together = true
	defer func() { g.together = false }()
	for range mostSamples {
		var m mix
		for _, d := range g.dimensions {
			r := d.rows[random.IntN(len(d.rows))]
			isIn := random.IntN(2) == 0 && (r.is == plain || g.verdicts[r] == accepted)
			if isIn && !slices.ContainsFunc(m, r.clashes) {
				m = append(m, r)
			}
		}
		if len(m) > 1 {
			g.try(c, o, m)
		}
	}
	if g.op.Updates() {
		c.Read(o)
	}
}
