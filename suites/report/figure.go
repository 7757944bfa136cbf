package report

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

// Figure is what the self-test showed of this version of the suite: how many
// seeded faults it catches, and how many conforming variants it flags.
type Figure struct {
	Faults   int `json:"faults"`
	Caught   int `json:"caught"`
	Variants int `json:"variants"`
	Flagged  int `json:"flagged"`
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
	return fmt.Sprintf("catches %d of %d seeded faults and flags %d of %d conforming variants", f.Caught, f.Faults, f.Flagged, f.Variants)
}
