package report

import (
	"fmt"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/oracle"
)

// Repeat is what became of each round of a run that was made several times.
type Repeat struct {
	Asked  int     `json:"asked"`           // rounds that were asked for
	Ended  string  `json:"ended,omitempty"` // why not all were made
	Rounds []Round `json:"rounds"`          // that were made
}

// Round is one run of several.
type Round struct {
	Verdict         Verdict `json:"verdict"` // whatever a baseline accepts
	Reason          string  `json:"reason"`
	DurationSeconds float64 `json:"durationSeconds"`
	Requests        int     `json:"requests"`
	Cases           Counts  `json:"cases"`
	Findings        int     `json:"findings"`          // but for notices
	LeftOut         int     `json:"leftOut,omitempty"` // cases that lack what a round before used up
}

// InRound says of a text in which round it is so.
func (r *Report) InRound(round int, text string) string {
	return fmt.Sprintf("in round %d of %d: %s", round, r.Repeat.Asked, text)
}

// roundLines say how many rounds a run had and what became of them; none where it had one.
func (r *Report) roundLines() (lines []string) {
	if r.Repeat == nil {
		return nil
	}
	by := map[Verdict][]int{}
	lacking, leftOut := []int{}, 0
	for i, round := range r.Repeat.Rounds {
		by[round.Verdict] = append(by[round.Verdict], i+1)
		if round.LeftOut > 0 {
			lacking = append(lacking, i+1)
			leftOut = max(leftOut, round.LeftOut)
		}
	}
	var parts []string
	for _, v := range []Verdict{Nonconforming, Inconclusive, Conforming} {
		if rounds := by[v]; len(rounds) > 0 {
			parts = append(parts, fmt.Sprintf("%s in %s %s", v, wording.Noun(len(rounds), "round"), wording.Numbers(rounds)))
		}
	}
	if len(parts) > 1 {
		lines = append(lines, strings.Join(parts, ", "))
	}
	if len(lacking) > 0 {
		lines = append(lines, fmt.Sprintf("%s %s left out %s: an earlier one used up what they need. "+
			"A provision in the target file brings it back",
			wording.Noun(len(lacking), "round"), wording.Numbers(lacking), wording.Count(leftOut, "case")))
	}
	if r.Repeat.Ended != "" {
		lines = append(lines, "the other rounds were not made: "+r.Repeat.Ended)
	}
	return lines
}

// inRounds says how many rounds a verdict is about, as it follows the scope; "" for one run.
func (r *Report) inRounds() string {
	if r.Repeat == nil {
		return ""
	}
	made, asked := len(r.Repeat.Rounds), r.Repeat.Asked
	text := " in " + wording.Count(asked, "round")
	if made < asked {
		text = fmt.Sprintf(" in %d of %s", made, wording.Count(asked, "round"))
	}
	if r.Selection != nil {
		return "," + text
	}
	return text
}

// withRounds adds to a text in which rounds it is so.
func withRounds(text string, r *oracle.Rounds) string {
	if r == nil {
		return text
	}
	return text + "; " + r.String()
}

// failures say of a case in which rounds it failed: "in 0 of 10 rounds".
func failures(r *oracle.Rounds) string {
	if len(r.Seen) == 0 {
		return fmt.Sprintf("in 0 of %s", wording.Count(r.Of, "round"))
	}
	return r.String()
}
