package specs

import (
	"fmt"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	. "github.com/adconform/adconform/suites/match"
)

// Interface document, Errors, 404: an object that does not exist is answered 404, in
// any position of the path. The answer to a list is open.
func notFound(s *Specs, op *spec.Operation) {
	if len(op.Params) == 0 || op.Open["missing"] != "" {
		return
	}
	last := len(op.Params) - 1
	for i, param := range op.Params {
		for n := 1; n == 1 || n == 2 && i == last && op.Updates(); n++ {
			s.Case(fmt.Sprintf("404/unknown-%s-%d", noun(param), n), fmt.Sprintf("A path with an unknown %s is answered 404.", param.Name),
				Options{Clause(unknownID(op, i)), s.FirstID(i), optionIf(n == 1 && i == last, Quick)},
				func(c *Case, o *Object) {
					request := Request(c, o, Unknown(c, i, 0)) // also the second time: a 404 must not create the object
					request.Raw = n == 2
					if i == last {
						request.Object = nil // the path names no object of ours
					}
					c.Expect(c.Send(request)).To(BeRefused(404))
				})
		}
	}
	if last > 0 {
		mixedPaths(s, op)
	}
	refusedChangesNothing(s, 404, nil, func(c *Case, o *Object) {
		c.Expect(c.Send(Request(c, o, Unknown(c, 0, 3)))).To(BeRefused(404).Citing(unknownID(op, 0)))
	})
}

// unknownID returns the clause of an id in this position: of the object, or of a parent.
func unknownID(op *spec.Operation, position int) string {
	if position == len(op.Params)-1 {
		return "ERR-1"
	}
	return "ERR-2"
}

// mixedPaths registers paths whose ids exist but do not belong together, and all that mix own and
// foreign ids: 403 or 404, as they are wrong twice.
func mixedPaths(s *Specs, op *spec.Operation) {
	for i, param := range op.Params {
		s.Case("404/wrong-"+noun(param), fmt.Sprintf("A path whose %s belongs elsewhere is answered 404.", param.Name),
			Options{Needs(judge.OwnKey(spec.Other(param.Object))), Clause("ERR-2")},
			func(c *Case, o *Object) {
				c.Expect(c.Send(mixed(c, o, spec.Other, "an id that belongs elsewhere", i))).To(BeRefused(404))
			})
	}
	for bits := 1; bits < 1<<len(op.Params)-1; bits++ {
		var names []string
		var foreign []spec.Param
		var positions []int
		for i, param := range op.Params {
			if bits&(1<<i) != 0 {
				names, foreign, positions = append(names, noun(param)), append(foreign, param), append(positions, i)
			}
		}
		s.Case("404/foreign-"+strings.Join(names, "-"),
			fmt.Sprintf("A path that mixes own ids with a foreign %s is answered 403 or 404.", strings.Join(names, " and ")),
			Options{Needs(keysAs(foreign, judge.Foreign)...), NeedsStranger, Clause("ERR-2"), Observes("mixed-owners")},
			func(c *Case, o *Object) {
				request := mixed(c, o, judge.Foreign, judge.OthersID, positions...)
				c.Observe("mixed-owners", send(c, request, BeRefused(403, 404)).Choice())
			})
	}
}

// mixed returns a request with ids of other objects at some positions of the path.
func mixed(c *Case, o *Object, other func(key string) string, words string, positions ...int) Call {
	request := Request(c, o)
	for _, i := range positions {
		key := other(o.Op.Params[i].Object)
		At(i, c.Known().Lookup(key).Segment()).Called(words)(&request)
		if i == len(o.Op.Params)-1 {
			request.Object = c.Object(o.Op, key)
		}
	}
	return request
}

// An id that is not a positive 63-bit integer names nothing. The error with which it is
// refused is open.
func malformedIDs(s *Specs, op *spec.Operation) {
	for i, param := range op.Params {
		for _, row := range [][2]string{
			{"letters", "abc"},
			{"trailing-letters", "IDabc"},
			{"zero", "0"},
			{"negative", "-1"},
			{"beyond-63-bit", "9223372036854775808"},
			{"wrapped-32-bit", "WRAPPED"}, // it may be an unknown id
		} {
			name, words, options := row[0], beyond32, Options{Clause("ERR-1"), s.FirstID(i)}
			if name != "wrapped-32-bit" { // a router refuses letters for an id, but a lookup does not find 0
				words = malformed
				options = append(options, Observes("malformed-id"), func(c *judge.Case) {
					c.Probe = name + map[bool]string{false: " for a " + noun(param)}[i == len(op.Params)-1]
				})
			}
			s.Case("open/"+name+"-"+noun(param), param.Name+" with "+strings.ReplaceAll(name, "-", " ")+" is answered 400, 404 or 422.", options,
				func(c *Case, o *Object) {
					n, _ := o.IDs[i].Integer()
					id := strings.NewReplacer("ID", fmt.Sprint(n), "WRAPPED", fmt.Sprint(n+1<<32)).Replace(row[1])
					if a := sendMalformed(c, o, At(i, id).Called(words)); words == malformed {
						c.Observe("malformed-id", a.Choice())
					}
				})
		}
	}
	if len(op.Params) == 0 {
		return
	}
	last := len(op.Params) - 1
	s.Case("open/huge-"+noun(op.Params[last]), "An id at the limit of an integer type is answered 400, 404 or 422.",
		Options{Clause("ERR-1"), s.FirstID(last), Deep},
		func(c *Case, o *Object) {
			for _, id := range [][2]string{
				{"2147483648", "an id beyond 31 bits"},
				{"4294967295", "an id beyond 31 bits"},
				{"4294967296", beyond32},
				{"9223372036854775807", beyond32},
				{"99999999999999999999", malformed},
			} {
				sendMalformed(c, o, At(last, id[0]).Called(id[1]))
			}
		})
}

const malformed, beyond32 = "a malformed id", "an id beyond 32 bits"

// sendMalformed sends an id that names nothing or, for a list, nothing with items.
func sendMalformed(c *Case, o *Object, id Change) *judge.Answer {
	request := Request(c, o, id)
	if !request.Op.Deletes() {
		request.Object = nil
	}
	to := BeRefused(404, 422, 400)
	if request.Op.Lists() {
		to.OrEmpty()
	}
	if request.Op.Open["missing"] != "" { // a missing object may be answered 403
		to.Or(403)
	}
	return send(c, request, to)
}
