package finding

import (
	"bytes"
	_ "embed"
	"regexp"
	"slices"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/adconform/adconform/suites/report"
)

// A Hint is a usual cause of a finding. It judges nothing.
type Hint struct {
	ID         string
	Text       string
	Frameworks []string // that behave this way by default
	When       conditions
	Decides    bool // one matching sighting of a finding is enough
}

// conditions are those of a hint: each list that is not empty has what the sighting has.
type conditions struct {
	Check, Clause []string
	Cause         []Kind
	Subject       []Oddity // of the cause
	Sent, Extra   []Oddity
	Declared      []string
	At            []Part
	Status        []int      // 4 is any 4xx
	Shape         []string   // kinds of JSON values
	Members       [][]string // of an object
	Aspect        []Aspect
	Words         *regexp.Regexp // over what is odd about the part of the request
	// Texts of the target.
	Type, Says, Value, Name *regexp.Regexp
}

//go:embed hints.yaml
var hintsYAML []byte

// Hints returns the hints that have conditions, in the order in which they are tried.
var Hints = sync.OnceValue(func() (all []*Hint) {
	d := yaml.NewDecoder(bytes.NewReader(hintsYAML))
	d.KnownFields(true)
	if err := d.Decode(&all); err != nil {
		panic("hints.yaml: " + err.Error())
	}
	return all
})

// HintFor returns the first hint whose conditions all hold for a sighting, or else that of its cause, or nil.
func HintFor(s *Sighting) *Hint {
	for _, h := range Hints() {
		if h.When.areMet(s) {
			return h
		}
	}
	return table[s.Cause.Kind].hint
}

func (c *conditions) areMet(s *Sighting) bool {
	sent := s.Sent
	answer := s.Answer
	if sent == nil {
		sent = &Sent{}
	}
	if answer == nil {
		answer = &report.Answer{}
	}
	for _, isMet := range []bool{
		isAmong(c.Check, s.Check), isAmong(c.Clause, s.Clause),
		isAmong(c.Cause, s.Cause.Kind), isAmong(c.Subject, s.Cause.Subject.What),
		isAmong(c.Sent, sent.What), isAmong(c.Extra, sent.Extra), isAmong(c.Declared, sent.Declared),
		isAmong(c.At, sent.At.Part), matches(c.Value, sent.Value), matches(c.Words, string(sent.What)),
		c.hasStatus(answer.Status), matches(c.Type, answer.Type), matches(c.Says, answer.Says),
		isAmong(c.Shape, s.Shape.Kind), c.hasMembers(s), isAmong(c.Aspect, s.Aspect), matches(c.Name, s.Name),
	} {
		if !isMet {
			return false
		}
	}
	return true
}

// isAmong reports whether a condition has the value, or there is none.
func isAmong[T comparable](all []T, one T) bool {
	return len(all) == 0 || slices.Contains(all, one)
}

func matches(text *regexp.Regexp, one string) bool {
	return text == nil || text.MatchString(one)
}

func (c *conditions) hasStatus(status int) bool {
	return isAmong(c.Status, status) || slices.Contains(c.Status, status/100)
}

func (c *conditions) hasMembers(s *Sighting) bool {
	is := func(names []string) bool { return slices.Equal(names, s.Shape.Members) }
	return len(c.Members) == 0 || slices.ContainsFunc(c.Members, is)
}
