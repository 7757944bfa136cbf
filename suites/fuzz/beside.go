package fuzz

import (
	"slices"

	"github.com/adconform/adconform/spec"
)

// A request is odd in several ways, so that few requests hold much of the lists: each one as long
// as classes have not come yet, then half of them. A finding is shrunk to what it takes.
const (
	quietOnes = 3 // headers and queries that most servers do not look at
	severalOf = 4 // texts of its own class
	inOneText = 3 // texts in a field
)

// beside is what comes beside the class of an arm, and keeps no server from reading that: what
// few look at, and texts in the body where the class is read before it.
func (f *Fuzzer) beside(a *arm) []Mutation {
	switch a.class.family() {
	case "framing":
		return nil
	case "header", "query":
		return append(f.texts(a.op), f.quietly()...)
	}
	return f.quietly()
}

// more are other texts of an arm's own class, where several can stand in one request.
func (f *Fuzzer) more(a *arm) []Mutation {
	var all []Mutation
	for a.class.adds && len(all) < severalOf-1 && a.sent < a.class.variants()-1 {
		all = append(all, inside(f.mutation(a.class, a.first, a.sent)))
		a.sent++
	}
	return all
}

// quietly are those of the quiet classes of which least was sent.
func (f *Fuzzer) quietly() []Mutation {
	var all []Mutation
	for _, c := range f.rarest(f.quiet)[:min(quietOnes, len(f.quiet))] {
		all = append(all, f.next(c))
	}
	return all
}

// texts are odd texts for each field of an update.
func (f *Fuzzer) texts(op *spec.Operation) []Mutation {
	if !op.Updates() {
		return nil
	}
	var all []Mutation
	taken := map[*spec.Field]bool{}
	for _, field := range op.Body.Fields {
		of := f.rarest(slices.DeleteFunc(slices.Clone(f.classes), func(c *class) bool {
			return c.fields == nil || !c.fields(field) || !c.appliesTo(op)
		}))
		if own := slices.DeleteFunc(slices.Clone(of), (*class).takesAnyText); len(own) > 0 {
			of = own // such as those of hostnames
		}
		if len(of) == 0 || taken[field] {
			continue
		}
		place := max(0, 2*slices.Index(freeTexts(op), field))
		if !of[0].adds {
			m := f.next(of[0])
			m.N = place + 1
			all = append(all, m)
			for _, other := range op.Body.Fields {
				taken[other] = taken[other] || of[0].fields(other) && !of[0].takesAnyText()
			}
			continue
		}
		of = slices.DeleteFunc(of, func(c *class) bool { return !c.adds })
		for _, c := range of[:min(inOneText, len(of))] {
			m := f.next(c)
			m.N = place
			all = append(all, m)
		}
	}
	return all
}

// takesAnyText says whether it is about every text, not about those of a kind.
func (c *class) takesAnyText() bool { return c.fields(&spec.Field{Type: "string"}) }

// rarest are classes in the order of how much of their lists was sent; those alike by chance.
func (f *Fuzzer) rarest(classes []*class) []*class {
	classes = slices.Clone(classes)
	f.random.Shuffle(len(classes), func(i, j int) { classes[i], classes[j] = classes[j], classes[i] })
	slices.SortStableFunc(classes, func(a, b *class) int {
		return f.coverage.ByClass[a.id]*b.variants() - f.coverage.ByClass[b.id]*a.variants()
	})
	return classes
}

// next is the mutation of a class that follows those that were sent, whatever the operation was.
func (f *Fuzzer) next(c *class) Mutation {
	return f.mutation(c, c.middle(), f.coverage.ByClass[c.id])
}

// inside is a mutation that leaves in a text what others have put there.
func inside(m Mutation) Mutation {
	if classes[m.Class].fields != nil {
		m.N &^= 1
	}
	return m
}
