package specs

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	. "github.com/adconform/adconform/suites/match"
)

// move is a kind of step of random sequences. Numbers determine what it sends: the same numbers give the
// same request, and 0 is the simplest choice.
type move struct {
	name string
	// kinds has a letter for each number: a for one that selects something of its own, g for one of which more is
	// more of the same, 0 for one that has no effect at 0, and - for one without effect.
	kinds string
	often int // it is drawn so many times as often as others
	how   how // the operations that it suits
	// send sends a request that the document describes; odd returns a change to a valid request, after which the
	// document does not say what the answer is.
	send func(x *exploration, c Case, s *step)
	odd  func(s *step) oddity
}

// moves is the alphabet of random sequences.
var moves []move

func init() { // some moves refer to all
	moves = []move{
		{"ordinary", "a", 1, shows, sendOrdinary, nil},
		{"part", "-aa", 12, inParts | shows, func(_ *exploration, c Case, s *step) {
			sendFields(c, s.at, someOf(c, s), false)
		}, nil},
		{"user", "a-aa", 3, 0, sendAsOther, nil},
		{"pair", "a", 1, shows, sendPair, nil},
		{"look", "", 1, 0, func(_ *exploration, c Case, s *step) { look(c, s.at) }, nil},
		{"unknown", "a", 1, withID, func(_ *exploration, c Case, s *step) {
			sendJudged(c, unknownIn(c, s.at, s.next(len(s.at.Op.Params))))
		}, nil},
		{"wrong", "aa", 1, updating | shows, func(_ *exploration, c Case, s *step) {
			f := pick(s, s.at.Op.Body.Fields)
			sendWrong(c, s.at, f, pick(s, wrongValues(s.at.Op, f)))
		}, nil},
		{"rows", "aaa", 4, shows, sendRows, nil},
		{"page", "g0", 5, listing, sendPage, nil},
		{"text", "a0g0", 14, updating, nil, oddTextOf},
		{"query", "g0", 6, listing, nil, func(s *step) oddity {
			text := numberOf(s)
			return oddity{"the page " + text, oddQuery("PAGE=" + text), 0}
		}},
		{"listed", "a", 2, 0, nil, func(s *step) oddity { return pick(s, oddClasses(s.at.Op, oddParts...)) }},
	}
}

// movesOn returns the moves for an operation, repeated if they are drawn often.
func movesOn(op *spec.Operation) (all []*move) {
	for i := range moves {
		if m := &moves[i]; m.how.suits(op) {
			all = append(all, slices.Repeat([]*move{m}, m.often)...)
		}
	}
	return all
}

// varied returns ordinary values; a step chooses the values of enumerated fields, which may also stay the same.
func varied(c Case, s *step) map[string]any {
	values := c.Ordinary(s.at, 0)
	n := s.next(9)
	for _, f := range fieldsWhere(s.at.Op, isListed) {
		values[f.Name] = f.Enum[n%len(f.Enum)]
		n /= len(f.Enum)
	}
	return values
}

func sendOrdinary(_ *exploration, c Case, s *step) {
	switch o := s.at; {
	case o.Op.Updates():
		c.Write(o, varied(c, s))
	case o.Op.Deletes() && !o.Placeholder():
		deleteOnce(c, o)
		deleteAgain(c, o)
	default:
		look(c, o)
	}
}

// someOf returns values for a subset of the fields that a step chooses, with null for some of them: those that can
// be unset, and in one of three cases the others, too.
func someOf(c Case, s *step) map[string]any {
	fields := s.at.Op.Body.Fields
	values, subsets := varied(c, s), 1<<len(fields)
	left, null := s.next(subsets), s.next(3*subsets)
	for i, f := range fields {
		switch {
		case left&(1<<i) != 0:
			delete(values, f.Name)
		case null&(1<<i) != 0 && (f.Optional || null < subsets):
			values[f.Name] = nil
		}
	}
	return values
}

// look reads what an object or a list holds.
func look(c Case, o *Object) {
	switch {
	case o.Op.Updates():
		c.Read(o)
	case o.Op.Lists():
		list(c, o, 0)
	case o.Op.Reads():
		send(c, Request(c, o), BeAccepted())
	}
}

// sendAsOther sends a request, perhaps with some of the fields, as the stranger or without a valid key.
func sendAsOther(_ *exploration, c Case, s *step) {
	o := s.at
	request := ofUnknownKey(c, o)
	switch s.next(4) {
	case 0:
		As(anonymous)(&request)
	case 1:
	default:
		if !hasStranger(c, o.Op) || o.Placeholder() {
			return
		}
		request = Request(c, o, As(c.Stranger()))
	}
	switch page := c.Target().PageParameter(o.Op); {
	case inParts.suits(o.Op):
		Fields(someOf(c, s))(&request)
	case o.Op.Lists() && page != "" && s.next(2) == 1:
		Query(page, "1")(&request)
	}
	sendJudged(c, request)
}

// sendRows sends a request that is made of up to three rows of the table of dimensions.
func sendRows(x *exploration, c Case, s *step) {
	o := s.at
	if o.Op.Reads() || o.Op.Deletes() || o.Placeholder() {
		return
	}
	g := x.grids[o.Op]
	if g.run != c.Run() {
		g.forget(c)
	}
	g.together = true
	defer func() { g.together = false }()
	var m mix
	for range 3 {
		goesWith := func(r *row) bool { return g.verdicts[r] != refusedAlone && !slices.ContainsFunc(m, r.clashes) }
		if r := pick(s, append(mix{nil}, g.rows(goesWith)...)); r != nil {
			m = m.with(r)
		}
	}
	g.judge(c, o, c.Send(m.made(c, o)), m)
	settle(c, o)
}

// sendPair sends requests for two objects at the same instant.
func sendPair(x *exploration, c Case, s *step) {
	o, other := s.at, pick(s, x.objects)
	same := o == other || o.Key != "" && o.Key == other.Key // by another operation; either may come last
	if same || o.Op.Deletes() || other.Op.Deletes() {
		return
	}
	settle(c, other)
	for _, a := range c.SendTogether(Request(c, o), Request(c, other)) {
		c.Judge(a, c.Right(a))
	}
}

// sendPage requests a page by a number, which may exist or not. A page far beyond the last is as empty as
// others beyond it.
func sendPage(_ *exploration, c Case, s *step) {
	text := numberOf(s)
	first := list(c, s.at, 0)
	if first == nil || first.List == nil || c.Target().PageParameter(s.at.Op) == "" {
		return
	}
	number, _ := strconv.ParseInt(text, 10, 64)
	if next := first.List.TotalPages + 1; number > next {
		askBeyond(c, s.at, BeAccepted().OrRefused(), fmt.Sprint(next))
	}
	askBeyond(c, s.at, BeAccepted().OrRefused(), text)
}

// powers returns the unsigned numbers around powers of two and ten, up to so many of them.
func powers(twos, tens int64) (all []*big.Int) {
	for base, most := range map[int64]int64{2: twos, 10: tens} {
		for exponent := range most + 1 {
			power := new(big.Int).Exp(big.NewInt(base), big.NewInt(exponent), nil)
			for _, beside := range []int64{-1, 0, 1} {
				all = append(all, new(big.Int).Add(power, big.NewInt(beside)))
			}
		}
	}
	slices.SortFunc(all, (*big.Int).Cmp)
	return slices.CompactFunc(all, func(x, y *big.Int) bool { return x.Cmp(y) == 0 })
}

var (
	numbers     = powers(70, 30)
	numberForms = []string{"%s", "%s", "%s", "-%s", "%s.5", "%s.0", "%se1"}
	// drawnAlphabets make texts of any length; of other alphabets one text shows what is odd about them.
	drawnAlphabets = slices.Concat(plainAlphabets, oddAlphabets[:3])
	// lengths of texts, in characters.
	lengths = powers(12, 4)
	// places are where in a text the characters of its alphabet stand; the rest is ASCII.
	places = []string{"", ", the last one of them", ", the first one of them"}
)

// numberOf returns a number that a step chooses.
func numberOf(s *step) string {
	number := pick(s, numbers)
	return fmt.Sprintf(pick(s, numberForms), number)
}

// oddTextOf sets a field to a text of so many characters.
func oddTextOf(s *step) oddity {
	f, of := pick(s, s.at.Op.Body.Fields), pick(s, drawnAlphabets)
	length, at := int(pick(s, lengths).Int64()), s.next(len(places))
	letters, text := []rune(of.letters), []rune(strings.Repeat("n", length))
	for i := range text {
		if at == 0 || i == []int{0, length - 1, 0}[at] {
			text[i] = letters[i%len(letters)]
		}
	}
	words := fmt.Sprintf("a %s of %s%s %s", f.Name, wording.Count(length, "character"), places[at], of.words)
	made := oddity{words, Set(f.Name, string(text)), 0}
	if slices.Contains(plainAlphabets, of) && length > 0 && isPlainText(f) {
		made.how = shows
	}
	return made
}
