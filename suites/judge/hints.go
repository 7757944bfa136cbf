package judge

import (
	"bytes"
	_ "embed"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/oracle"
)

// Hint is the usual cause of what a finding shows. It is no judgement.
type Hint struct {
	ID         string   `json:"-" yaml:"id"`
	Text       string   `json:"text" yaml:"text"`
	Frameworks []string `json:"frameworks,omitempty" yaml:"frameworks"` // of which that is the default

	When map[string]*regexp.Regexp `json:"-" yaml:"when"` // over a finding, by its part
}

// String is a hint in a sentence or two.
func (h *Hint) String() string {
	if len(h.Frameworks) == 0 {
		return h.Text
	}
	return fmt.Sprintf("%s Often so in %s.", h.Text, wording.List(h.Frameworks))
}

//go:embed hints.yaml
var hintsYAML []byte

// Hints are all hints, in the order in which they are tried.
var Hints = sync.OnceValue(func() []*Hint {
	var all []*Hint
	d := yaml.NewDecoder(bytes.NewReader(hintsYAML))
	d.KnownFields(true)
	if err := d.Decode(&all); err != nil {
		panic("hints.yaml: " + err.Error())
	}
	for _, h := range all {
		for part := range h.When {
			if _, known := hintParts(&oracle.Finding{})[part]; !known {
				panic(fmt.Sprintf("hints.yaml: %s: %q is no part of a finding", h.ID, part))
			}
		}
	}
	return all
})

// hintParts are what the conditions of a hint look at.
func hintParts(f *oracle.Finding) map[string]string {
	parts := map[string]string{
		"check": f.Check, "clause": f.Clause, "cause": f.CauseWords, "expected": f.Expected, "got": f.Got,
		"sent": "", "at": "", "value": "", "status": "", "type": "", "says": "",
	}
	if s := f.Sent; s != nil {
		parts["sent"], parts["at"], parts["value"] = s.What, s.At, s.Value
	}
	if a := f.Answer; a != nil {
		parts["status"], parts["type"], parts["says"] = fmt.Sprint(a.Status), strings.ToLower(a.Type), a.Says
	}
	return parts
}

// HintFor is the first hint whose conditions a finding meets, or nil.
func HintFor(f *oracle.Finding) *Hint {
	parts := hintParts(f)
	for _, h := range Hints() {
		met := true
		for part, is := range h.When {
			met = met && is.MatchString(parts[part])
		}
		if met {
			return h
		}
	}
	return nil
}
