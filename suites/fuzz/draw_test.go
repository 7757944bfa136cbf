package fuzz

import (
	"fmt"
	"slices"
	"testing"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/spec"
)

// inTurn draws as a run does: one input of each operation after another.
func inTurn(f *Fuzzer, ops []*spec.Operation, n int) []Input {
	var all []Input
	for more := true; more && len(all) < n; {
		more = false
		for _, op := range ops {
			if in, ok := f.Next([]*spec.Operation{op}); ok && len(all) < n {
				more, all = true, append(all, in)
			}
		}
	}
	return all
}

// allClasses is within how many inputs each class comes.
const allClasses = 300

func TestEachClassComesSoon(t *testing.T) {
	t.Parallel()
	contract := reftest.Contract(t)
	for seed := range uint64(10) {
		came := map[string]bool{}
		f := New(contract.Operations, seed, allClasses, nil, false)
		for _, in := range inTurn(f, contract.Operations, 2*allClasses) {
			op := contract.Operation(in.Operation)
			for _, m := range in.Mutations {
				came[m.Class] = true
				if !classes[m.Class].appliesTo(op) {
					t.Errorf("seed %d: %s is not for %s", seed, m.Class, op.ID)
				}
			}
		}
		for _, c := range catalogue {
			if !came[c.id] && slices.ContainsFunc(contract.Operations, c.appliesTo) {
				t.Errorf("seed %d: %s does not come in %d inputs", seed, c.id, allClasses)
			}
		}
		if c := f.Coverage(); c.Classes != len(came) || c.Of != len(catalogue) || c.Requests != allClasses {
			t.Errorf("seed %d: %d of %d classes, want %d of %d", seed, c.Classes, c.Of, len(came), len(catalogue))
		}
	}
}

// Each text comes with each of the header names of its class, and each size, before any are drawn:
// wherever the turns begin.
func TestWhatIsListedComesBeforeWhatIsDrawn(t *testing.T) {
	t.Parallel()
	f := New(nil, 1, 0, nil, false)
	for _, c := range catalogue {
		for _, first := range []int{0, 1, c.variants() + 2} {
			texts, sizes := map[string]bool{}, map[int]bool{}
			for n := range c.variants() {
				m := f.mutation(c, first, n)
				if len(c.texts) > 0 && !slices.Contains(c.texts, m.Text) || len(c.sizes) > 0 && !slices.Contains(c.sizes, m.N) {
					t.Errorf("%s: %+v is not listed", c.id, m)
				}
				texts[fmt.Sprint(m.Text, " ", m.N%max(1, len(c.names)))], sizes[m.N] = true, true
			}
			if want := len(c.texts) * max(1, len(c.names)); want > 0 && len(texts) != want {
				t.Errorf("%s from %d on: %d of %d texts and names", c.id, first, len(texts), want)
			}
			if len(c.sizes) > 0 && len(sizes) != len(c.sizes) {
				t.Errorf("%s from %d on: %d of %d sizes", c.id, first, len(sizes), len(c.sizes))
			}
		}
		for n := range 5 { // what is drawn is of the class, too
			if m := f.mutation(c, 0, c.variants()+n); len(c.sizes) > 0 && (m.N < slices.Min(c.sizes) || m.N > max(c.most, slices.Max(c.sizes))) {
				t.Errorf("%s: size %d", c.id, m.N)
			}
		}
	}
}

func TestASeedDrawsTheSame(t *testing.T) {
	t.Parallel()
	contract := reftest.Contract(t)
	one, again, other := Slice(contract.Operations, 1, 300), Slice(contract.Operations, 1, 300), Slice(contract.Operations, 2, 300)
	if fmt.Sprint(one) != fmt.Sprint(again) {
		t.Error("the slice is another one each time")
	}
	if fmt.Sprint(one) == fmt.Sprint(other) {
		t.Error("the slice of another seed is the same")
	}
	for _, op := range contract.Operations {
		for _, family := range Families() {
			if Applies(op, family) && len(one[SliceKey(op.ID, family)])*len(other[SliceKey(op.ID, family)]) == 0 {
				t.Errorf("a slice has nothing of %s for %s", family, op.ID)
			}
		}
	}
	drawn := 0
	for key, inputs := range one {
		for _, in := range inputs {
			if drawn++; key != SliceKey(in.Operation, familyOf(in.Class())) {
				t.Errorf("%s stands under %s", in, key)
			}
		}
	}
	if drawn != 300 {
		t.Errorf("%d inputs", drawn)
	}
}

// A number of requests is kept, whatever is in the corpus, of which all comes that is for the
// operations.
func TestANumberOfInputsIsDrawn(t *testing.T) {
	t.Parallel()
	contract := reftest.Contract(t)
	var corpus []Input
	for i, op := range contract.Operations {
		for range 10 * i { // of some more than of others
			corpus = append(corpus, Input{op.ID, []Mutation{{Class: "query/unknown", Text: "kept"}}})
		}
	}
	for _, n := range []int{1, 100, 150, 600} {
		for i := range contract.Operations {
			ops := contract.Operations[i:]
			f := New(ops, 1, n, corpus, false)
			all := inTurn(f, ops, 10*n)
			if len(all) != n || f.Coverage().Requests != n {
				t.Errorf("%d inputs of %d operations, want %d", len(all), len(ops), n)
			}
			kept, of := 0, 0
			for _, in := range all {
				if in.Mutations[0].Text == "kept" {
					kept++
				}
			}
			for _, in := range corpus {
				if in.isOf(ops) {
					of++
				}
			}
			if kept < min(n, of) {
				t.Errorf("%d inputs of %d operations: %d of %d in the corpus", n, len(ops), kept, of)
			}
		}
	}
}

// What is new makes its neighbours come more often, up to a bound.
func TestAnswersSteer(t *testing.T) {
	t.Parallel()
	contract := reftest.Contract(t)
	ops := []*spec.Operation{contract.Operation("updateCampaign")}
	in := Input{ops[0].ID, []Mutation{{Class: "json/type"}}}
	count := func(learn int) (n int) {
		f := New(ops, 1, 0, nil, false)
		inTurn(f, ops, 400)
		for i := range learn {
			if answer := fmt.Sprint(i); !f.Learn(in, answer) || f.Learn(in, answer) {
				t.Error("an answer is new twice, or never")
			}
		}
		for _, in := range inTurn(f, ops, 400) {
			if familyOf(in.Class()) == "json" {
				n++
			}
		}
		return n
	}
	if with, without := count(10), count(0); with < without*3/2 {
		t.Errorf("%d inputs of a family in which much was new, %d where nothing was", with, without)
	}
}

func TestReadOnlyDrawsNothingThatMayWrite(t *testing.T) {
	t.Parallel()
	ops := []*spec.Operation{reftest.Contract(t).Operation("listCreativeMediaFiles")}
	corpus := []Input{{ops[0].ID, []Mutation{{Class: "method/other", Text: "DELETE"}}}, {ops[0].ID, []Mutation{{Class: "query/unknown"}}}}
	all := inTurn(New(ops, 1, 2000, corpus, true), ops, 5000)
	for _, in := range all {
		if in.Writes() {
			t.Errorf("%s", in)
		}
	}
	if len(all) != 2000 || all[0].String() != corpus[1].String() {
		t.Errorf("%d inputs, the first is %s", len(all), all[0])
	}
}
