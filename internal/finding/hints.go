package finding

import (
	"bytes"
	_ "embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/adconform/adconform/internal/wording"
)

// A Hint is a usual cause of a finding. It judges nothing.
type Hint struct {
	ID         string
	Text       string
	Frameworks []string                  // that behave this way by default
	When       map[string]*regexp.Regexp // by part of the finding
	Decides    bool                      // one matching observation of a finding is enough
}

// String returns the hint as a sentence or two.
func (h *Hint) String() string {
	if len(h.Frameworks) == 0 {
		return h.Text
	}
	return fmt.Sprintf("%s Common in %s.", h.Text, wording.List(h.Frameworks))
}

//go:embed hints.yaml
var hintsYAML []byte

// Hints returns all hints in the order in which they are tried.
var Hints = sync.OnceValue(func() (all []*Hint) {
	d := yaml.NewDecoder(bytes.NewReader(hintsYAML))
	d.KnownFields(true)
	if err := d.Decode(&all); err != nil {
		panic("hints.yaml: " + err.Error())
	}
	return all
})

// HintFor returns the first hint whose conditions all match f, or nil.
func HintFor(f *Finding) *Hint {
	parts := map[string]string{"check": f.Check, "clause": f.Clause, "cause": f.CauseWords, "expected": f.Expected, "got": f.Got}
	if s := f.Sent; s != nil {
		parts["sent"], parts["at"], parts["value"] = s.What, s.At, s.Value
	}
	if a := f.Answer; a != nil {
		parts["status"], parts["type"], parts["says"] = fmt.Sprint(a.Status), strings.ToLower(a.Type), a.Says
	}
	for _, h := range Hints() {
		unmet := func(part string) bool { return !h.When[part].MatchString(parts[part]) }
		if !slices.ContainsFunc(slices.Collect(maps.Keys(h.When)), unmet) {
			return h
		}
	}
	return nil
}
