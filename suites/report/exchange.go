package report

// Exchange is a request and its answer in the form that reports show, an entry of an HTTP Archive 1.2:
// keys are replaced by shell variables, long bodies truncated. Names that begin with _ are ours.
type Exchange map[string]any

// Seq returns the number of the exchange in the run, from 1; Finding.Exchange refers to it.
func (e Exchange) Seq() int { return e["_seq"].(int) }
