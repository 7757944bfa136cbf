package fuzz

import (
	"slices"
	"strings"
)

// Shorter are inputs with half of the mutations, with one less, then with a shorter text or a smaller
// number.
func (in Input) Shorter() []Input {
	var all []Input
	if half := len(in.Mutations) / 2; half > 1 {
		all = append(all, Input{in.Operation, in.Mutations[half:]}, Input{in.Operation, in.Mutations[:half]})
	}
	if len(in.Mutations) > 1 {
		for i := range in.Mutations {
			all = append(all, Input{in.Operation, slices.Delete(slices.Clone(in.Mutations), i, i+1)})
		}
	}
	for i, m := range in.Mutations {
		c := classes[m.Class]
		with := func(m Mutation) {
			one := Input{in.Operation, slices.Clone(in.Mutations)}
			one.Mutations[i] = m
			all = append(all, one)
		}
		if !c.whole() {
			for _, text := range shorterTexts(m.Text) {
				with(Mutation{m.Class, text, m.N})
			}
		}
		least, _ := c.bounds()
		for _, n := range smaller(m.N, least) {
			with(Mutation{m.Class, m.Text, n})
		}
	}
	return all
}

// whole says whether parts of its texts are not sent: a part of %20 behind an id makes another id,
// and one of a method another method.
func (c *class) whole() bool {
	return slices.Contains([]string{"path", "method", "query", "framing"}, c.family()) ||
		strings.HasPrefix(c.id, "header/method-override") || c.id == "header/forwarded-path"
}

// shorterTexts are parts of a text: its halves, and all but a character.
func shorterTexts(text string) []string {
	r := []rune(text)
	if len(r) < 2 || string(r) != text { // bytes that are no characters stay together
		return nil
	}
	half := len(r) / 2
	return []string{string(r[:half]), string(r[half:]), string(r[1:]), string(r[:len(r)-1])}
}

// smaller are numbers between a least one and another.
func smaller(n, least int) []int {
	if n <= least {
		return nil
	}
	var all []int
	for _, m := range []int{least, least + (n-least)/2, n - 1} {
		if m < n && !slices.Contains(all, m) {
			all = append(all, m)
		}
	}
	return all
}
