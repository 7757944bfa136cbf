package session

import "github.com/adconform/adconform/suites/judge"

// settleAll looks whether refused writes to an object left a trace, by whatever
// operation they were sent.
func (t *T) settleAll(o *judge.Object) {
	t.Settle(o)
	for _, twin := range t.Test.Model.Twins(o) {
		t.Settle(twin)
	}
}
