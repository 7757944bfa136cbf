package specs

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/spec"
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
		s.Case("404/unknown-"+noun(param)+"-1", "A path with an unknown "+param.Name+" is answered 404.",
			Options{Clause(unknownID(op, i)), s.firstID(i), optionIf(i == last, Quick)},
			func(c Case, o *Object) {
				request := Request(c, o, Unknown(c, i, 0))
				if i == last {
					request.Object = nil // the path names no object of ours
				}
				send(c, request, BeRefused(404))
			})
	}
	if last > 0 {
		mixedPaths(s, op)
	}
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
		s.Case("404/wrong-"+noun(param), "A path whose "+param.Name+" belongs to another parent is answered 404.",
			Options{Needs(judge.OwnKey(spec.Other(param.Object))), Clause("ERR-2")},
			func(c Case, o *Object) {
				send(c, Request(c, o, mixed(c, spec.Other, otherParent, i)), BeRefused(404))
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
		needs := Needs(keysAs(foreign, judge.Foreign)...)
		writes := bits >= 1<<(len(op.Params)-1) // to the stranger's object, whose id is the last
		if writes {
			needs = needsForeign(op)
		}
		s.Case("404/foreign-"+strings.Join(names, "-"),
			"A path that mixes own ids with a foreign "+strings.Join(names, " and ")+" is answered 403 or 404.",
			Options{needs, NeedsStranger, Clause("ERR-2"), Observes("mixed-owners")},
			func(c Case, o *Object) {
				if writes {
					strangers(c, op)
				}
				request := Request(c, o, mixed(c, judge.Foreign, finding.OthersID, positions...))
				c.Observe("mixed-owners", send(c, request, BeRefused(403, 404)).Choice())
			})
	}
}

// otherParent is about a path whose ids exist and do not belong together.
const otherParent = finding.Oddity("an id under the wrong parent")

// mixed puts ids of other objects into some positions of the path.
func mixed(c Case, other func(key string) string, what finding.Oddity, positions ...int) Change {
	return func(call *Call) {
		for _, i := range positions {
			key := other(call.Op.Params[i].Object)
			At(i, string(c.Target().Lookup(key))).Called(what)(call)
			if i == len(call.Op.Params)-1 {
				call.Object = c.Object(call.Op, key)
			}
		}
	}
}

// idForms are ids that name nothing, by name; ID stands for a right one.
var idForms = [][2]string{
	{"letters", "abc"},
	{"trailing-letters", "IDabc"},
	{"zero", "0"},
	{"negative", "-1"},
	{"beyond-63-bit", "9223372036854775808"},
	{"wrapped-32-bit", "WRAPPED"}, // it may be an unknown id
}

// An id that is not a positive 63-bit integer names nothing. The error with which it is
// refused is open.
func malformedIDs(s *Specs, op *spec.Operation) {
	for i, param := range op.Params {
		if param.HasTexts() {
			oddTexts(s, op, i)
			continue
		}
		for _, row := range idForms {
			what := malformed
			if row[0] == "wrapped-32-bit" {
				what = beyond32
			}
			oddID(s, op, i, row[0], what, func(id spec.ID) string {
				n, _ := id.Integer()
				return strings.NewReplacer("ID", string(id), "WRAPPED", fmt.Sprint(n+1<<32)).Replace(row[1])
			})
		}
	}
	hugeIDs(s, op)
}

// hugeIDs registers ids at the limits of integer types, or of the length of texts.
func hugeIDs(s *Specs, op *spec.Operation) {
	if len(op.Params) == 0 {
		return
	}
	last := len(op.Params) - 1
	type id struct {
		id   string
		what finding.Oddity
	}
	title, also, ids := "An id at the limit of an integer type is answered 400, 404 or 422.", []int(nil), []id{
		{"2147483648", finding.Beyond31},
		{"4294967295", finding.Beyond31},
		{"4294967296", beyond32},
		{"9223372036854775807", beyond32},
		{"99999999999999999999", malformed},
	}
	if op.Params[last].HasTexts() {
		title, also = "A very long id is answered 400, 404, 414, 422 or 431.", []int{414, 431}
		ids = []id{{strings.Repeat("k7", 150), longID}, {strings.Repeat("k7", 2000), longID}}
	}
	s.Case("open/huge-"+noun(op.Params[last]), title, Options{Clause("ERR-1"), s.firstID(last), Deep},
		func(c Case, o *Object) {
			for _, id := range ids {
				sendMalformed(c, o, At(last, id.id).Called(id.what), also...)
			}
		})
}

// oddID registers a case with another form of an id. A malformed one is observed.
func oddID(s *Specs, op *spec.Operation, i int, name string, what finding.Oddity, form func(id spec.ID) string) {
	param := op.Params[i]
	if id := judge.Find(s.Target, first(param.Object)).ID; id != "" && form(id) == "" {
		return // such a form of it may be another object's
	}
	options := Options{Clause("ERR-1"), s.firstID(i)}
	if what == malformed { // a router refuses letters for an id, but a lookup does not find 0
		options = append(options, Observes("malformed-id"), func(c *judge.Case) {
			c.Probe = name + map[bool]string{false: " for a " + noun(param)}[i == len(op.Params)-1]
			if param.HasTexts() { // another check refuses it than one for a number
				c.Probe += ", a text"
			}
		})
	}
	title := param.Name + " with " + strings.ReplaceAll(name, "-", " ") + " is answered 400, 404 or 422."
	s.Case("open/"+name+"-"+noun(param), title, options,
		func(c Case, o *Object) {
			id := form(o.IDs[i])
			skipUnless(c, id != "", judge.ByTarget, "such a form of the id may be another object's")
			var also []int
			if what == blankID { // a router may take it for the path above
				also = append(also, 405)
			}
			if a := sendMalformed(c, o, At(i, id).Called(what), also...); what == malformed {
				c.Observe("malformed-id", a.Choice())
			}
		})
}

// oddTexts registers the cases with other forms of an id that is a text: what resembles it, but is not it, names
// nothing. Only a text that cannot be an id, such as abc for a UUID, is malformed.
func oddTexts(s *Specs, op *spec.Operation, i int) {
	isUUID := op.Params[i].IDs().Format == "uuid"
	orElse := func(otherwise finding.Oddity) finding.Oddity {
		return map[bool]finding.Oddity{true: malformed, false: otherwise}[isUUID]
	}
	if isUUID {
		oddID(s, op, i, "letters", malformed, func(spec.ID) string { return "abc" })
		const zero = "00000000-0000-0000-0000-000000000000"
		oddID(s, op, i, "zero", "the UUID of zeros", func(spec.ID) string { return zero })
	} else {
		oddID(s, op, i, "blank", blankID, func(spec.ID) string { return " " })
	}
	oddID(s, op, i, "trailing-letters", orElse("an id with letters behind it"), func(id spec.ID) string {
		return string(id + "abc")
	})
	oddID(s, op, i, "cut-short", orElse("an id that is cut short"), cutShort)
	id := judge.Find(s.Target, first(op.Params[i].Object)).ID
	if op.Deletes() || id != "" && otherLetters(id) == "" { // other cases may need what it deletes
		return
	}
	title := op.Params[i].Name + " in other letter case is taken for the id, or answered 400, 404 or 422."
	s.Case("open/letter-case-"+noun(op.Params[i]), title,
		Options{Clause("ERR-1"), s.firstID(i)},
		func(c Case, o *Object) {
			id := otherLetters(o.IDs[i])
			skipUnless(c, id != "", judge.ByTarget, "the id has too few letters")
			to := BeAccepted().Or(400, 404, 422).Citing("ERR-1")
			if op.Open["missing"] != "" {
				to.Or(403)
			}
			send(c, Request(c, o, At(i, id).Called("an id in other letter case")), to)
		})
}

// cutShort returns the beginning of an id, "" if that may be another object's, such as cars for cars-2.
func cutShort(id spec.ID) string {
	if id.IsUUID() {
		return string(id[:len(id)-1])
	}
	word := strings.TrimRightFunc(string(id), func(c rune) bool { return !unicode.IsLetter(c) })
	if len(word) < 4 || !unicode.IsLetter(rune(word[len(word)-3])) {
		return ""
	}
	return word[:len(word)-2]
}

// otherLetters returns an id in other letter case, "" if it has so few letters that it may be another object's.
func otherLetters(id spec.ID) string {
	letters, other := 0, strings.ToUpper(string(id))
	for _, c := range string(id) {
		if unicode.IsLetter(c) {
			letters++
		}
	}
	if other == string(id) {
		other = strings.ToLower(other)
	}
	if letters < 4 && !id.IsUUID() || other == string(id) {
		return ""
	}
	return other
}

// Ids that name nothing.
const (
	malformed = finding.MalformedID
	beyond32  = finding.Beyond32
	longID    = finding.Oddity("a very long id")
	blankID   = finding.Oddity("a blank id")
)

// sendMalformed sends an id that names nothing or, for a list, nothing with items.
func sendMalformed(c Case, o *Object, id Change, also ...int) *judge.Answer {
	request := Request(c, o, id)
	if !request.Op.Deletes() {
		request.Object = nil
	}
	to := BeRefused(404, 422, 400).Or(also...)
	if request.Op.Lists() {
		to.OrEmpty()
	}
	if request.Op.Open["missing"] != "" { // a missing object may be answered 403
		to.Or(403)
	}
	return send(c, request, to)
}
