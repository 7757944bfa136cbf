package report

import (
	"fmt"

	"github.com/adconform/adconform/internal/wording"
)

// Fuzz says how much input was sent that nobody listed.
type Fuzz struct {
	Requests int            `json:"requests"` // that were drawn, without looks and what puts back
	Classes  int            `json:"classes"`  // that were reached
	Of       int            `json:"of"`       // classes that the operations have
	Answers  int            `json:"answers"`  // kinds of answers that were seen
	ByClass  map[string]int `json:"byClass"`  // requests of each class
}

// String says so in words.
func (f *Fuzz) String() string {
	return fmt.Sprintf("%s, which reached %d of %d classes", wording.Count(f.Requests, "odd request"), f.Classes, f.Of)
}
