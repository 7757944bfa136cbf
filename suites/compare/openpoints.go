package compare

import (
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// Bounds on what a stranger's report may take.
const (
	maxPoints  = 200 // open points of a report
	maxAnswers = 20  // to one of them
	maxPlaces  = 20  // of an answer
	maxAnswer  = 40  // characters of an answer in a cell
)

// OpenPoint is a point that the contract leaves open, with what each target was seen to do.
type OpenPoint struct {
	ID       string   `json:"id"`
	Question string   `json:"question"`
	Differs  bool     `json:"differs"` // two targets were seen to choose otherwise at one place
	Targets  []Choice `json:"targets"` // by Comparison.Targets
}

// Choice is what one target was seen to do at an open point. Its answer is yes, no, in part (it
// says yes at one place and no at another), or what was seen; empty where nothing was.
type Choice struct {
	Answer string          `json:"answer"`
	Where  []report.Answer `json:"where,omitempty"` // answers, each with the places where it was given
	Pinned bool            `json:"pinned,omitempty"`
}

// openPoints fills in the open points, those at which targets differ first.
func (c *Comparison) openPoints(contract *spec.Contract) {
	c.OpenPoints = []OpenPoint{}
	for i, t := range c.Targets {
		points := t.current().points
		for _, p := range points[:min(len(points), maxPoints)] {
			id := clip(p.ID)
			at := slices.IndexFunc(c.OpenPoints, func(o OpenPoint) bool { return o.ID == id })
			if at < 0 {
				at = len(c.OpenPoints)
				point := OpenPoint{ID: id, Question: sentence(p.Question), Targets: make([]Choice, len(c.Targets))}
				if known := contract.OpenPoint(id); known != nil { // whatever a report says of it
					point.Question = known.Question
				}
				c.OpenPoints = append(c.OpenPoints, point)
			}
			c.OpenPoints[at].Targets[i] = choice(p)
		}
	}
	for i := range c.OpenPoints {
		c.OpenPoints[i].Differs = differs(c.OpenPoints[i].Targets)
	}
	slices.SortFunc(c.OpenPoints, func(a, b OpenPoint) int {
		if a.Differs != b.Differs {
			return map[bool]int{true: -1, false: 1}[a.Differs]
		}
		return strings.Compare(a.ID, b.ID)
	})
}

// choice is what a report says of an open point.
func choice(p report.OpenPoint) Choice {
	ch := Choice{Pinned: p.Pinned != nil}
	if len(p.Answers) == 0 { // of a version that had no answers
		p.Answers = []report.Answer{{Answer: strings.Join(p.Observed[:min(len(p.Observed), maxAnswers)], "; ")}}
	}
	var texts []string
	for _, a := range p.Answers[:min(len(p.Answers), maxAnswers)] {
		where := report.Answer{Answer: sentence(a.Answer), Observed: []string{}, At: []string{}}
		for _, text := range a.Observed[:min(len(a.Observed), maxAnswers)] {
			where.Observed = append(where.Observed, sentence(text))
		}
		for _, at := range a.At[:min(len(a.At), maxPlaces)] {
			where.At = append(where.At, clip(at))
		}
		ch.Where = append(ch.Where, where)
		if !slices.Contains(texts, where.Answer) {
			texts = append(texts, where.Answer)
		}
	}
	ch.Answer = wording.ClipPrintable(strings.Join(texts, "; "), maxAnswer)
	if slices.Contains(texts, inPart) || slices.Contains(texts, "yes") && slices.Contains(texts, "no") {
		ch.Answer = inPart
	}
	return ch
}

const inPart = "in part"

// differs says whether two targets gave other answers to one question at one place. An answer
// may say what it is about: "300 characters: accepted".
func differs(choices []Choice) bool {
	type question struct{ about, at string }
	seen := map[question][]string{}
	for _, ch := range choices {
		by := map[question][]string{}
		for _, w := range ch.Where {
			about, answer, ok := strings.Cut(w.Answer, ": ")
			if !ok {
				about, answer = "", w.Answer
			}
			places := w.At
			if len(places) == 0 {
				places = []string{""}
			}
			for _, at := range places {
				by[question{about, at}] = append(by[question{about, at}], answer)
			}
		}
		for q, answers := range by {
			slices.Sort(answers)
			if first, known := seen[q]; known && !slices.Equal(first, answers) {
				return true
			}
			seen[q] = answers
		}
	}
	return false
}
