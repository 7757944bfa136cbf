package report

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
)

// Figure is what every report says of the suite: how many seeded faults it catches, and how
// many conforming variants it flags.
type Figure struct {
	Faults   int     `json:"faults"`
	Caught   int     `json:"caught"`
	Variants int     `json:"variants"`
	Flagged  int     `json:"flagged"`
	Severity []Group `json:"severity,omitempty"` // of the faults, the worst first
}

// Group are the faults of one severity; good: caught.
type Group struct {
	ID   string `json:"id"`
	Of   int    `json:"of"`
	Good int    `json:"good"`
}

// figureJSON is written by: adconform selftest --figure suites/report/figure.json
//
//go:embed figure.json
var figureJSON []byte

// SelfTest is the figure of this version.
func SelfTest() Figure {
	var f Figure
	if err := json.Unmarshal(figureJSON, &f); err != nil {
		panic("figure.json: " + err.Error())
	}
	return f
}

// String is the figure in words.
func (f Figure) String() string {
	text := fmt.Sprintf("catches %d of %d seeded faults", f.Caught, f.Faults)
	if len(f.Severity) > 0 {
		text += " (" + f.Severities() + ")"
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
