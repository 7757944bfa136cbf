package oracle

import (
	"fmt"

	"github.com/adconform/adconform/internal/wording"
)

// Rounds say in which rounds of a run that was made several times something was seen.
type Rounds struct {
	Seen []int `json:"seen"` // their numbers, from 1
	Of   int   `json:"of"`   // rounds that could have seen it
	// Steady says that each of these did. A finding is steady that was seen in the same
	// cases, too, as far as they were run.
	Steady bool `json:"steady"`
}

// NewRounds are the rounds in which something was seen, of so many.
func NewRounds(seen []int, of int) *Rounds {
	if seen == nil {
		seen = []int{}
	}
	return &Rounds{seen, of, len(seen) == of}
}

// String says how steady something is: "steady: in each of 10 rounds", "in 3 of 10 rounds
// (2, 5, 9)"; "" where there was one run.
func (r *Rounds) String() string {
	switch {
	case r == nil:
		return ""
	case r.Of == 1:
		return "in the only round that tested it"
	case r.Steady:
		return fmt.Sprintf("steady: in each of %d rounds", r.Of)
	case len(r.Seen) == r.Of:
		return fmt.Sprintf("in each of %d rounds, but not always in the same cases", r.Of)
	}
	return fmt.Sprintf("in %d of %d rounds (%s)", len(r.Seen), r.Of, wording.Numbers(r.Seen))
}
