package report

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
)

// Proof is what was measured of this version of the suite; what was not is nil. Each part
// is written by a self-test of its own, see figure.json.
type Proof struct {
	Faults   Share     `json:"faults"`   // good: caught
	Variants Share     `json:"variants"` // good: not flagged
	Mutants  *Mutants  `json:"mutants,omitempty"`
	Ablation *Ablation `json:"ablation,omitempty"`
	Quick    *Share    `json:"quick,omitempty"` // of the faults, at depth quick
}

// Share is how many of a kind came out as they have to.
type Share struct {
	Of   int                `json:"of"`
	Good int                `json:"good"`
	By   map[string][]Group `json:"by,omitempty"` // severity, basis, clause, kind
}

// Group is a part of a share.
type Group struct {
	ID   string `json:"id"`
	Of   int    `json:"of"`
	Good int    `json:"good"`
}

// Mutants are those of the reference's source that break the contract; good: killed.
type Mutants struct {
	Share
	// Listed mutants are none of the share: a reviewed table says why no request can show
	// them, or which open point they change.
	Listed int `json:"listed"`
}

// Ablation is what runs without keys of a complete target file miss and say nothing of.
type Ablation struct {
	Keys   int `json:"keys"`   // taken out in turn
	Faults int `json:"faults"` // tried without
	Missed int `json:"missed"` // by a run that is called complete
}

// figureJSON is written by: adconform selftest --figure suites/report/figure.json, with
// --mutants, --ablate or --depth quick for these parts.
//
//go:embed figure.json
var figureJSON []byte

// Proved is what was measured of this version.
func Proved() *Proof {
	p := &Proof{}
	if err := json.Unmarshal(figureJSON, p); err != nil {
		panic("figure.json: " + err.Error())
	}
	return p
}

// Figure is what every report says of the suite: how many seeded faults it catches, how
// many conforming variants it flags, and how many source mutants it kills.
type Figure struct {
	Faults   int     `json:"faults"`
	Caught   int     `json:"caught"`
	Variants int     `json:"variants"`
	Flagged  int     `json:"flagged"`
	Severity []Group `json:"severity,omitempty"` // of the faults, the worst first
	Mutants  int     `json:"mutants,omitempty"`  // 0: not measured
	Killed   int     `json:"killed,omitempty"`
}

// SelfTest is the figure of this version.
func SelfTest() Figure { return Proved().Figure() }

// Figure is a proof in a few numbers.
func (p *Proof) Figure() Figure {
	f := Figure{
		Faults: p.Faults.Of, Caught: p.Faults.Good, Variants: p.Variants.Of, Flagged: p.Variants.Of - p.Variants.Good,
		Severity: p.Faults.By["severity"],
	}
	if p.Mutants != nil {
		f.Mutants, f.Killed = p.Mutants.Of, p.Mutants.Good
	}
	return f
}

// String is the figure in words.
func (f Figure) String() string {
	text := fmt.Sprintf("catches %d of %d seeded faults", f.Caught, f.Faults)
	if len(f.Severity) > 0 {
		text += " (" + f.Severities() + ")"
	}
	if f.Mutants > 0 {
		text += fmt.Sprintf(", kills %d of %d source mutants", f.Killed, f.Mutants)
	}
	return text + fmt.Sprintf(" and flags %d of %d conforming variants", f.Flagged, f.Variants)
}

// Severities are the faults by severity: "414 critical, 1328 major, 2003 minor".
func (f Figure) Severities() string {
	var parts []string
	for _, g := range f.Severity {
		parts = append(parts, g.words())
	}
	return strings.Join(parts, ", ")
}

// words are the group's id with how many there are, and how many of them are good
// unless all are: "414 critical", "413 of 414 critical".
func (g Group) words() string {
	if g.Good == g.Of {
		return fmt.Sprintf("%d %s", g.Of, g.ID)
	}
	return fmt.Sprintf("%d of %d %s", g.Good, g.Of, g.ID)
}
