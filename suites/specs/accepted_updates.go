package specs

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
	. "github.com/adconform/adconform/suites/match"
)

// Interface document, operations 1 to 3: an update answers with the new representation
// of the object.
var acceptedUpdates = Behaviour{Of: Updates, Specs: func(s *Specs, op *spec.Operation) {
	judged := slices.Concat([]string{op.Clause, "AUTH-4", "EFFECT-3"}, shown(op), op.Body.Clauses())

	s.It("ordinary", "The owner's update of all fields succeeds and shows what was sent.",
		Class("success"), Clause(judged...), Clause(op.Effects["persists"]), Quick, Probes,
		func(c *Case) { c.Probe(object(c)) })

	s.It("raw", "The answer to an update is one well-framed HTTP message.", Class("success"), Clause("HTTP-2", op.Clause),
		func(c *Case) { c.Expect(c.Send(Valid(c, object(c), Raw))).To(BeAccepted()) })

	s.It("same-again", "An update that sets what the object holds already succeeds, too.", Class("success"), Clause(judged...),
		func(c *Case) {
			o := object(c)
			if !o.Known() {
				c.Write(o, c.Ordinary(o, 0))
			}
			same := map[string]any{}
			for _, f := range op.Body.Fields {
				if v, known := o.Last(f.Name); known && v != nil { // null is taken or refused
					same[f.Name] = v
				}
			}
			if len(same) < len(op.Body.Fields) {
				c.NotTested(ByTarget, "the target does not show what an update set")
				return
			}
			c.Expect(c.Send(Plain(c, o, same))).To(BeAccepted())
		})

	s.DescribeTable("An update with the values %s succeeds.", Class("success"), Clause(judged...),
		func(c *Case, values map[string]any) {
			fields := c.Ordinary(object(c), 0)
			maps.Copy(fields, values)
			c.Expect(c.Send(Plain(c, object(c), fields))).To(BeAccepted())
		},
		combinations(op))
}}

// combinations has an entry for every combination of the values of enumerated fields.
func combinations(op *spec.Operation) []TableEntry {
	all := []map[string]any{{}}
	for _, f := range enums(op) {
		var next []map[string]any
		for _, values := range all {
			for _, v := range f.Enum {
				more := maps.Clone(values)
				more[f.Name] = v
				next = append(next, more)
			}
		}
		all = next
	}
	var entries []TableEntry
	for _, values := range all {
		var words []any
		for _, f := range enums(op) {
			words = append(words, values[f.Name])
		}
		if len(words) > 0 {
			entries = append(entries, Entry("values-"+slug(words...), strings.TrimSpace(fmt.Sprintln(words...)), values))
		}
	}
	return entries
}
