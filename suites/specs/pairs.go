package specs

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
	. "github.com/adconform/adconform/suites/match"
)

// Limits on the requests of an operation at depth deep, so that those of a run are at most 3,000.
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
			g.spellTexts(c, o)
			random := rand.New(rand.NewPCG(c.Run().Seed, uint64(len(op.ID))))
			g.twoFaults(c, o, random)
			g.sample(c, o, random)
		}))
}

// spelledTexts are the ends of names of texts that a spelling may change, if it is read wrongly.
var spelledTexts = []string{
	"-emoji", "-right-to-left", "-eszett", "-escape-like", "-json-text", "-slash",
	"-beyond-ascii",
}

// spellTexts sends each spelling of JSON with some texts.
func (g *grid) spellTexts(c Case, o *Object) {
	for _, text := range g.rows(func(r *row) bool { return r.setsField() && g.verdicts[r] == accepted }) {
		if !slices.ContainsFunc(spelledTexts, func(end string) bool { return strings.HasSuffix(text.name, end) }) {
			continue
		}
		for _, spelling := range g.rows(func(r *row) bool { return r.parts == "body-text" }) {
			g.try(c, o, mix{text}.with(spelling))
		}
	}
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
			g.tryOpen(c, o, m, true)
		}
	}
	if g.op.Updates() {
		c.Read(o)
	}
}

// toAny returns the expectation of a request with several faults: it is refused, however.
func toAny(m mix, lists bool) *Matcher {
	clause := "ERR-1"
	for _, r := range m {
		switch {
		case r.name == "stranger":
			clause = "AUTH-2"
		case r.isFault() && strings.Contains(r.parts, "key"):
			clause = "AUTH-1"
		}
	}
	to := BeRefused().Citing(clause)
	if lists && clause == "AUTH-2" { // the list of what does not exist may be empty, whoever asks
		to.OrEmpty()
	}
	return to
}
