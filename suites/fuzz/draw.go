package fuzz

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"pgregory.net/rapid"

	"github.com/adconform/adconform/spec"
)

// Fuzzer says which input comes next, and learns from the answers. Each class comes once
// before any comes twice, on operations that take turns; then those come more often beside
// which something new was seen. It is safe for concurrent use.
type Fuzzer struct {
	mu       sync.Mutex
	random   *rand.Rand
	arms     []*arm
	first    map[*spec.Operation][]*arm // that each class is tried on at first
	classes  []*class                   // that are drawn
	quiet    []*class                   // that come beside others
	letIn    []*class                   // beside which those that are plain come in turn
	waiting  []Input                    // of a corpus
	left     int                        // requests; negative: no bound
	seen     map[string]bool            // signatures of answers
	coverage Coverage
}

// arm is a class on an operation.
type arm struct {
	op     *spec.Operation
	class  *class
	first  int // variant that is sent first
	sent   int
	weight float64
}

// Coverage is how much was sent.
type Coverage struct {
	Requests   int            `json:"requests"`   // that were drawn
	Classes    int            `json:"classes"`    // that were reached
	Of         int            `json:"of"`         // classes
	Signatures int            `json:"signatures"` // kinds of answers that were seen
	ByClass    map[string]int `json:"byClass"`    // requests
}

// New returns one for operations. Requests bound what it draws; 0 does not. With readOnly it draws
// nothing that may ask for a change.
func New(ops []*spec.Operation, seed uint64, requests int, corpus []Input, readOnly bool) *Fuzzer {
	waiting := slices.DeleteFunc(slices.Clone(corpus), func(in Input) bool { return !in.isOf(ops) || readOnly && in.Writes() })
	f := &Fuzzer{
		random: rand.New(rand.NewPCG(seed, 0)), first: map[*spec.Operation][]*arm{}, waiting: waiting,
		left: requests, seen: map[string]bool{}, coverage: Coverage{ByClass: map[string]int{}},
	}
	if requests == 0 {
		f.left = -1
	}
	f.classes = slices.DeleteFunc(slices.Clone(catalogue), func(c *class) bool { return readOnly && c.writes() })
	var alone [][]*arm
	for _, c := range f.classes {
		var of []*arm
		for _, op := range ops {
			if c.appliesTo(op) {
				a := &arm{op: op, class: c, weight: 1}
				if c.plain {
					a.weight = plainWeight
				}
				of = append(of, a)
			}
		}
		f.arms = append(f.arms, of...)
		if len(of) == 0 {
			continue
		}
		f.coverage.Of++
		if c.family() == "header" && !c.malformed && len(of) == len(ops) {
			f.letIn = append(f.letIn, c)
		}
		if c.quiet && len(of) == len(ops) {
			f.quiet = append(f.quiet, c)
		} else {
			alone = append(alone, of)
		}
	}
	f.deal(alone)
	return f
}

// deal says on which operation each class is tried first. None gets many more than another, so
// that they are through soon: those that few operations can be sent are dealt first. Each
// operation has some of each family.
func (f *Fuzzer) deal(classes [][]*arm) {
	f.random.Shuffle(len(classes), func(i, j int) { classes[i], classes[j] = classes[j], classes[i] })
	slices.SortStableFunc(classes, func(a, b []*arm) int { return len(a) - len(b) })
	add := func(a *arm) { f.first[a.op] = append(f.first[a.op], a) }
	dealt := func(a *arm) int {
		if f.lacks(a) {
			return 0
		}
		return len(f.first[a.op])
	}
	for _, of := range classes {
		add(slices.MinFunc(of, func(a, b *arm) int { return dealt(a) - dealt(b) }))
	}
	for _, a := range slices.Concat(classes...) {
		if f.lacks(a) {
			add(a)
		}
	}
	for op := range f.first {
		f.first[op] = familiesInTurn(f.first[op])
	}
}

// lacks says whether the operation of an arm is sent nothing of its family at first.
func (f *Fuzzer) lacks(a *arm) bool {
	return !slices.ContainsFunc(f.first[a.op], func(b *arm) bool { return b.class.family() == a.class.family() })
}

// familiesInTurn puts the first of each family before the second of any, so that few requests
// are odd in every part.
func familiesInTurn(all []*arm) []*arm {
	place, of := map[*arm]int{}, map[string]int{}
	for _, a := range all {
		place[a] = of[a.class.family()]
		of[a.class.family()]++
	}
	return slices.SortedStableFunc(slices.Values(all), func(a, b *arm) int { return place[a] - place[b] })
}

// Next is the next input for one of some operations; false where there is none any more.
func (f *Fuzzer) Next(ops []*spec.Operation) (in Input, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.left == 0 {
		return in, false
	}
	for i, in := range f.waiting {
		if in.isOf(ops) {
			f.waiting = slices.Delete(f.waiting, i, i+1)
			f.count(in)
			return in, true
		}
	}
	if f.left > 0 && f.left <= len(f.waiting) { // it is for others
		return in, false
	}
	for _, op := range ops {
		if queue := f.first[op]; len(queue) > 0 {
			f.first[op] = queue[1:]
			return f.draw(queue[0]), true
		}
	}
	if f.left > 0 && f.left <= f.pending() { // it is for others
		return in, false
	}
	return f.draw(f.pick(ops)), true
}

// pending is how many inputs still have to come.
func (f *Fuzzer) pending() int {
	n := len(f.waiting)
	for _, queue := range f.first {
		n += len(queue)
	}
	return n
}

// unsent is how much more an arm weighs for each of its variants that was not sent yet.
const unsent = 0.5

// pick draws an arm by weight.
func (f *Fuzzer) pick(ops []*spec.Operation) *arm {
	weigh := func(a *arm) float64 {
		if !slices.Contains(ops, a.op) {
			return 0
		}
		sent := a.sent
		if a.class.early() {
			sent = f.coverage.ByClass[a.class.id]
		}
		return a.weight * (1 + unsent*float64(max(0, a.class.variants()-sent)))
	}
	total := 0.0
	for _, a := range f.arms {
		total += weigh(a)
	}
	at := f.random.Float64() * total
	var last *arm
	for _, a := range f.arms {
		if w := weigh(a); w > 0 {
			if last = a; at < w {
				break
			}
			at -= w
		}
	}
	return last
}

// Once each class came, one in how many inputs has what hides nothing beside its own mutation, and
// one in how many of the others has any mutations.
const besideIn, severalIn = 2, 3

// draw makes an input of an arm: at first with others beside its own mutation, later now and then.
func (f *Fuzzer) draw(a *arm) Input {
	in := Input{Operation: a.op.ID}
	if a.sent == 0 { // after what other operations were sent
		a.first = a.class.middle() + f.coverage.ByClass[a.class.id]
	}
	if beside := f.letIn; a.class.plain && a.sent > 0 && len(beside) > 0 {
		c, round := beside[(a.sent-1)%len(beside)], (a.sent-1)/len(beside)
		in.Mutations = append(in.Mutations, f.mutation(c, 0, round))
	} else if f.pending() > 0 || f.random.IntN(besideIn) == 0 {
		in.Mutations = append(f.beside(a), f.more(a)...)
	} else if f.random.IntN(severalIn) == 0 {
		for range 1 + f.random.IntN(2) {
			if c := f.classes[f.random.IntN(len(f.classes))]; c.appliesTo(a.op) && c != a.class && !c.malformed {
				in.Mutations = append(in.Mutations, f.mutation(c, 0, f.random.IntN(c.variants())))
			}
		}
	}
	own := f.mutation(a.class, a.first, a.sent)
	if len(in.Mutations) > 0 && a.class.adds {
		own = inside(own)
	}
	in.Mutations = append(in.Mutations, own)
	a.sent++
	f.count(in)
	return in
}

// count counts what is sent.
func (f *Fuzzer) count(in Input) {
	if f.left > 0 {
		f.left--
	}
	f.coverage.Requests++
	for _, m := range in.Mutations {
		f.coverage.ByClass[m.Class]++
	}
}

// mutation is the one of a class whose turn it is, and after all of them one that is drawn.
func (f *Fuzzer) mutation(c *class, first, sent int) Mutation {
	turn, drawn := first+sent, sent >= c.variants()
	m := Mutation{Class: c.id, N: turn}
	seed := int(f.random.Uint64() >> 2)
	switch {
	case len(c.texts) > 0 && drawn:
		m.Text = drawnText(c, f.shuffled(c.texts)).Example(seed)
	case len(c.texts) > 0:
		m.Text = c.texts[turn%len(c.texts)]
	}
	switch {
	case len(c.names) > 0 && !drawn:
		m.N = (turn%len(c.texts) + turn/len(c.texts)) % len(c.names)
	case len(c.sizes) > 0 && drawn && c.most > 0:
		least, _ := c.bounds() // less than that is nothing odd, or a number that names something
		m.N = rapid.IntRange(least, c.most).Example(seed)
	case len(c.sizes) > 0:
		m.N = c.sizes[turn%len(c.sizes)]
	case drawn:
		m.N = f.random.IntN(manyPlaces)
	}
	return m
}

// manyPlaces is more than a request has of one kind: fields, ids, headers of a class.
const manyPlaces = 12

// shuffled are texts in another order: rapid draws the first of a list more often than others.
func (f *Fuzzer) shuffled(texts []string) []string {
	texts = slices.Clone(texts)
	f.random.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
	return texts
}

// drawnText is a text of a class, or where they may stand together several.
func drawnText(c *class, texts []string) *rapid.Generator[string] {
	one := rapid.SampledFrom(texts)
	if !c.joins() {
		return one
	}
	return rapid.Custom(func(t *rapid.T) string {
		all := rapid.SliceOfN(one, 1, 3).Draw(t, "texts")
		return strings.Join(all, rapid.SampledFrom([]string{"", "", " ", "a", "1"}).Draw(t, "between"))
	})
}

// joins says whether several texts of a class are one, too. Texts that name something
// stand alone.
func (c *class) joins() bool {
	return c.family() == "text" || strings.HasPrefix(c.id, "key/not-ascii") || strings.HasPrefix(c.id,
		"header/unknown") && c.id != "header/unknown-name"
}

// Learn notes what an input was answered, and says whether it is new. Then what is near it
// comes more often.
func (f *Fuzzer) Learn(in Input, signature string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.seen[signature] {
		return false
	}
	f.seen[signature] = true
	for _, a := range f.arms {
		if a.op.ID == in.Operation && a.class.family() == familyOf(in.Class()) && a.weight < mostWeight {
			a.weight *= heavier
		}
	}
	return true
}

// How much more often the neighbours of something new come, and at most.
const (
	heavier     = 1.5
	mostWeight  = 5
	plainWeight = 20 // of what comes beside each odd header
)

// Coverage is how much was sent until now.
func (f *Fuzzer) Coverage() Coverage {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.coverage
	c.Classes, c.Signatures = len(c.ByClass), len(f.seen)
	c.ByClass = map[string]int{}
	for id, n := range f.coverage.ByClass {
		c.ByClass[id] = n
	}
	return c
}

// Slice is a fixed part of what a fuzzer would draw, for each family of an operation: all
// operations together have so many inputs.
func Slice(ops []*spec.Operation, seed uint64, requests int) map[string][]Input {
	f := New(ops, seed, requests, nil, false)
	of := map[string][]Input{}
	for range requests {
		for _, op := range ops {
			if in, ok := f.Next([]*spec.Operation{op}); ok {
				key := SliceKey(in.Operation, familyOf(in.Class()))
				of[key] = append(of[key], in)
			}
		}
	}
	return of
}

// SliceKey names the inputs of an operation and a family in a slice.
func SliceKey(operation, family string) string { return fmt.Sprint(operation, " ", family) }
