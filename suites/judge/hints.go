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
)

// Hint is the usual cause of what a finding shows. It is no judgement.
type Hint struct {
	ID         string
	Text       string
	Frameworks []string                  // of which that is the default
	When       map[string]*regexp.Regexp // over the parts of a finding
	Decides    bool                      // one sight of a finding that meets it is enough
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
var Hints = sync.OnceValue(func() (all []*Hint) {
	d := yaml.NewDecoder(bytes.NewReader(hintsYAML))
	d.KnownFields(true)
	if err := d.Decode(&all); err != nil {
		panic("hints.yaml: " + err.Error())
	}
	return all
})

// HintFor is the first hint whose conditions a finding meets, or nil.
func HintFor(f *Finding) *Hint {
	parts := map[string]string{"check": f.Check, "clause": f.Clause, "cause": f.CauseWords, "expected": f.Expected, "got": f.Got}
	if s := f.Sent; s != nil {
		parts["sent"], parts["at"], parts["value"] = s.What, s.At, s.Value
	}
	if a := f.Answer; a != nil {
		parts["status"], parts["type"], parts["says"] = fmt.Sprint(a.Status), strings.ToLower(a.Type), a.Says
	}
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
