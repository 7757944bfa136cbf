package spec

import (
	"fmt"
	"strings"
)

// OpenPoint is a point that the interface document leaves open, with the rules that observe it.
type OpenPoint struct {
	ID        string `yaml:"id" json:"id"`
	Question  string `yaml:"question" json:"question"`
	Reference string `yaml:"reference" json:"reference"` // what the bundled reference chose
	Treatment string `yaml:"treatment" json:"treatment"` // observe, adopted or ignored
	Pin       string `yaml:"pin" json:"pin,omitempty"`   // key under open: in a target file
	Detail    string `yaml:"detail" json:"detail,omitempty"`
	// Answers maps choices to answers to the question.
	Answers map[Choice]string `yaml:"answers" json:"-"`
	// Sent describes what was sent, if a choice is about one of several things.
	Sent map[string]string `yaml:"sent" json:"-"`
	// Alike gives a notice to a target whose choices differ between operations.
	Alike Alike `yaml:"alike" json:"-"`
}

// Alike names the operations that must choose alike at an open point.
type Alike string

// The groups of operations; "" for none.
const (
	InAll       Alike = "all"
	InUpdates   Alike = "updates"
	InLoosening Alike = "loosening" // all except an update that requires a field and refuses a body without it
)

// Choice is what a target chose at an open point, as reports show it: a word, and what goes with
// it ("refused (422)", "404 Not Found"). Where a point is about several things, what was sent
// comes first ("nul: accepted").
type Choice string

// The words of choices. Other choices are statuses, numbers, and names from the target.
const (
	Accepted   Choice = "accepted"
	Refused    Choice = "refused"
	Taken      Choice = "taken" // in another form: a number as a text
	Trimmed    Choice = "trimmed"
	Kept       Choice = "kept"
	Reset      Choice = "reset"
	Unset      Choice = "unset"
	Ignored    Choice = "ignored"
	NoField    Choice = "none" // is required
	EveryField Choice = "all"  // is required
	NoScheme   Choice = "none"
	NoEffect   Choice = "no effect"
	AtOnce     Choice = "0" // seconds after a change a read shows it
	Later      Choice = "later"
)

// With adds details to the word of a choice.
func (c Choice) With(format string, args ...any) Choice {
	return c + " " + Choice(fmt.Sprintf(format, args...))
}

// Of returns the choice with what was sent before it.
func (c Choice) Of(sent string) Choice {
	if c == "" {
		return c
	}
	return Choice(sent) + ": " + c
}

// Is reports whether a choice has this word.
func (c Choice) Is(word Choice) bool { return c.word() == word }

func (c Choice) word() Choice {
	word, _, _ := strings.Cut(string(c), " ")
	return Choice(strings.TrimSuffix(word, ","))
}

// Answer returns the answer that a choice gives to the question.
func (p *OpenPoint) Answer(c Choice) string {
	sent, rest, several := strings.Cut(string(c), ": ")
	if !several {
		sent = ""
		rest = string(c)
	}
	if text, ok := p.Answers[Choice(rest).word()]; ok {
		return text
	}
	if words := p.Sent[sent]; words != "" {
		return words + ": " + rest
	}
	return string(c)
}

// AsPinned reports whether a choice is the one that the target file pins, by its word, its number or
// as a whole. What is ignored is accepted, and an unknown field that is accepted is ignored; RFC 3339 and rfc3339
// are the same form.
func (p *OpenPoint) AsPinned(pin any, c Choice) bool {
	words := strings.NewReplacer(" ", "", "-", "")
	plain := func(text string) string { return words.Replace(strings.ToLower(text)) }
	want := plain(fmt.Sprint(pin))
	word := plain(string(c.word()))
	_, tellsIgnored := p.Answers[Ignored]
	switch [2]Choice{Choice(want), Choice(word)} {
	case [2]Choice{Accepted, Ignored}:
		return true
	case [2]Choice{Ignored, Accepted}:
		return !tellsIgnored
	}
	return plain(string(c)) == want || word == want
}

// Judged reports whether a pin of the point is judged. A page parameter only informs.
func (p *OpenPoint) Judged() bool { return p.Pin != "" && p.Pin != PageParameter }

// PageParameter is the pin of the query parameter that selects a page.
const PageParameter = "pageParameter"
