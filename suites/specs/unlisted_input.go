package specs

import (
	"github.com/adconform/adconform/spec"
	. "github.com/adconform/adconform/suites/dsl"
	"github.com/adconform/adconform/suites/fuzz"
	"github.com/adconform/adconform/suites/fuzz/play"
	"github.com/adconform/adconform/suites/testcase"
)

// unlistedRequests is how many requests a deep run sends that nobody listed.
const unlistedRequests = 300

// Input that nobody listed: a fixed part of what fuzz would send, by the part of the request
// that is odd. Only what no conforming server does is judged.
var unlistedInput = Behaviour{Of: EveryOperation, Specs: func(s *Specs, op *spec.Operation) {
	for _, family := range fuzz.Families() {
		if !fuzz.Applies(op, family) {
			continue
		}
		s.It("fuzz-"+family, "Whatever is odd about the "+family+" of a request, the server does not fail, and what is refused changes nothing.",
			Class(testcase.ClassOpen), Deep, UnknownIDs, s.OrUnknown(), Clause(fuzz.Clauses(op)...),
			func(c *Case) {
				all := fuzz.Slice(c.Known().Contract.Operations, c.Known().Seed, unlistedRequests)
				play.Inputs(c, all[fuzz.SliceKey(op.ID, family)])
			})
	}
}}
