package report

import "github.com/adconform/adconform/suites/oracle"

// Hint is the usual cause of what a finding shows. It is no judgement.
type Hint struct {
	Text       string   `json:"text" yaml:"text"`
	Frameworks []string `json:"frameworks,omitempty" yaml:"frameworks"`
}

// String says what is often the cause, and where that is what is set from the start.
func (h *Hint) String() string { return h.Text }

func hintFor(*oracle.Finding) *Hint { return nil }
