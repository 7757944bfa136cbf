package judge

import (
	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
)

// Unnamed is an object that cases update and of which the target file does not give
// the values of some fields.
type Unnamed struct {
	Key       string // objects.campaign
	Operation *spec.Operation
	Fields    []string
}

// UnnamedOf are those of a target file.
func UnnamedOf(contract *spec.Contract, target *fixtures.Target) []Unnamed {
	var all []Unnamed
	for _, op := range contract.Operations {
		if !op.Updates() || len(op.Params) == 0 {
			continue
		}
		id, given := Find(target, op.Key())
		if id == 0 {
			continue
		}
		if _, unknown := NewObject(op.Key(), op, []int64{id}, given).Before(); len(unknown) > 0 {
			all = append(all, Unnamed{OwnKey(op.Key()), op, unknown})
		}
	}
	return all
}
