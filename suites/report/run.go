package report

import (
	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
)

// Run is what a run was given, beside depth, seed and selection: with the recorded
// answers it can be made again.
type Run struct {
	Mark     string           `json:"mark"`     // see suites.Config
	Contract []spec.Source    `json:"contract"` // the documents that it was judged by
	Target   *fixtures.Target `json:"target"`   // as a target file has it, without its keys
	File     bool             `json:"file"`     // it was a target file, not a URL
	Keys     Keys             `json:"keys"`

	Bases             []spec.Basis `json:"basis,omitempty"`
	Require           Level        `json:"require,omitempty"`
	AllowInconclusive bool         `json:"allowInconclusive,omitempty"`
	Baseline          string       `json:"baseline,omitempty"` // the text of its file, without comments
	Budget            *Bound       `json:"budget,omitempty"`
	ReadOnly          bool         `json:"readOnly,omitempty"`
	Combined          bool         `json:"combined,omitempty"`
	StopEarly         bool         `json:"stopEarly,omitempty"`
	Disabled          []string     `json:"disabled,omitempty"` // checks
	Inputs            []string     `json:"inputs,omitempty"`   // of a corpus of fuzz
	Provision         bool         `json:"provision,omitempty"`
}

// Keys are what cases ask of keys, which no report holds.
type Keys struct {
	Header   string `json:"header"`
	Stranger bool   `json:"stranger"` // there is one
	// Length is that of an unknown key, which is as long as the owner's.
	Length int `json:"length"`
	// Forms are those that the owner's key has: changed, shorter, other-case.
	Forms []string `json:"forms"`
}

// Bound is the budget of a run.
type Bound struct {
	Requests int     `json:"requests,omitempty"`
	Seconds  float64 `json:"seconds,omitempty"`
	InOrder  bool    `json:"inOrder,omitempty"` // of the plan
}
