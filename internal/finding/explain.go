package finding

import (
	"net/http"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
)

// Sightings of one family at one place have one cause: the heaviest sighting's cause explains the others. If all have
// the weight 0, each keeps its own.

// A symptom is what a sighting has in common with others of a family.
type symptom struct {
	group  group
	weight int
	cause  Cause // of the group, if none is heavier
	own    bool  // the sighting keeps its cause, and may explain others
}

// A group is a family at one place.
type group struct {
	family    family
	operation string
	at        string
	status    int
	detail    string
}

// explained is what the sightings of a run say about one another.
type explained struct {
	contract *spec.Contract
	heaviest map[group]symptom
	isOdd    map[group]bool  // a sighting of weight 0 is in the group
	ownersIn map[string]bool // operations that let the owner access the stranger's object
	othersIn map[string]bool // operations that let the stranger access the owner's object
}

// explanations compares sightings with one another.
func explanations(contract *spec.Contract, all []*Sighting) *explained {
	e := &explained{contract: contract}
	e.heaviest = map[group]symptom{}
	e.isOdd = map[group]bool{}
	e.ownersIn = map[string]bool{}
	e.othersIn = map[string]bool{}
	for _, s := range all {
		if s.letsIn() {
			e.noteAccess(s)
		}
		for _, one := range s.symptoms(contract) {
			if one.weight == 0 {
				e.isOdd[one.group] = true
			}
			if one.weight > e.heaviest[one.group].weight {
				e.heaviest[one.group] = one
			}
		}
	}
	return e
}

// noteAccess notes which of two users can access the other's object.
func (e *explained) noteAccess(s *Sighting) {
	switch {
	case s.Sent.is(OthersID):
		e.ownersIn[s.Operation] = true
	case s.Sent.isAt(Key) && s.cites("AUTH-2"):
		e.othersIn[s.Operation] = true
	}
}

// letsIn reports whether a sighting is that a user can access another user's object.
func (s *Sighting) letsIn() bool {
	return s.Check == checkNotRefused && s.cites("AUTH-2", "AUTH-3")
}

// causeOf returns the cause of a sighting, which another may explain.
func (e *explained) causeOf(s *Sighting) Cause {
	isUnchecked := e.ownersIn[s.Operation] && e.othersIn[s.Operation]
	if s.letsIn() && isUnchecked {
		return CauseOf(NotChecked)
	}
	for _, one := range s.symptoms(e.contract) {
		by := e.heaviest[one.group]
		if by.weight == 0 || one.own {
			continue
		}
		if by.cause.Subject.What == Ordinary && e.isOdd[one.group] {
			by.cause.Subject.What = AlsoOrdinary
		}
		return by.cause
	}
	return s.Cause
}

// symptoms returns the symptoms of a sighting. The first whose cause is known decides.
func (s *Sighting) symptoms(contract *spec.Contract) []symptom {
	one := s.answerSymptom(contract)
	if one.group.family == 0 {
		one = s.acceptanceSymptom()
	}
	if one.group.family == 0 {
		row := table[s.Cause.Kind]
		one = symptom{group{family: row.family}, row.weight, s.Cause, row.own}
		if row.family == byWrite {
			one.group.at = wording.AnyItem(s.Pointer)
		}
	}
	if one.group.family == 0 {
		return nil
	}
	one.group.operation = s.Operation
	all := []symptom{one}
	if s.Check == checkServerError && !s.IsOrdinary() {
		all = append(all, s.oddSymptoms()...)
	}
	return all
}

// ordinaryWeight is the weight of an answer to an ordinary request, and ownersWeight that of one about the owner's key.
const ordinaryWeight, ownersWeight = 1, 2

// answerSymptom returns the symptom of an answer that ordinary requests may get, too, or none.
func (s *Sighting) answerSymptom(contract *spec.Contract) symptom {
	in := group{family: byAnswer, status: s.Cause.Status}
	isRefusal := s.Check == checkExpectedStatus && s.Answer != nil
	switch {
	case s.Cause.fails():
		in.detail = s.Cause.Detail
	case isRefusal && s.mayBeOfAll(contract.Operation(s.Operation)):
		in.status = s.Answer.Status
	default:
		return symptom{}
	}
	one := symptom{group: in, cause: s.Cause}
	if s.IsOrdinary() {
		one.weight = ordinaryWeight
		if s.Clause == "AUTH-4" {
			one.weight = ownersWeight
		}
	}
	return one
}

// mayBeOfAll reports whether a refusal may be due to what all requests of an operation have in common: that it knows no
// key, or wants a header or a body.
func (s *Sighting) mayBeOfAll(op *spec.Operation) bool {
	switch s.Answer.Status {
	case http.StatusUnauthorized:
		return !s.Sent.isAt(Key) || s.Sent.is(StrangersKey)
	case http.StatusUnprocessableEntity:
		return op != nil && !op.Updates()
	case http.StatusForbidden, http.StatusNotFound:
		return false
	}
	return s.Answer.Status/100 == 4
}

// acceptanceSymptom returns the symptom of an accepted id or value, or none.
func (s *Sighting) acceptanceSymptom() symptom {
	if s.Check != checkNotRefused {
		return symptom{}
	}
	if s.Sent.isAt(Path) {
		name := s.Sent.At.Name
		cause := Cause{Kind: AcceptedAny, Detail: name}
		weight := oneIf(s.Sent.is(UnknownID))
		return symptom{group: group{family: byID, at: name}, weight: weight, cause: cause}
	}
	if s.Clause != "ERR-5" {
		return symptom{}
	}
	in := group{family: byList} // the field is not compared with its list
	if s.Sent != nil {
		in.at = s.Sent.At.String()
	}
	return symptom{group: in, weight: oneIf(!s.Sent.is(OtherCase)), cause: s.Cause}
}

// oddSymptoms returns the symptoms of an odd request that makes the server fail.
func (s *Sighting) oddSymptoms() []symptom {
	if s.Sent.Request() == "" {
		return s.oddTextSymptoms()
	}
	return append([]symptom{s.requestSymptom()}, s.oddTextSymptoms()...)
}

// oddTextSymptoms returns the symptoms of a text that makes the server fail: an oddity that fails alone is the cause of
// the failure of a text that has it among several.
func (s *Sighting) oddTextSymptoms() (all []symptom) {
	in := group{family: byText, operation: s.Operation, at: s.Sent.At.String(), status: s.status()}
	parts, hasSeveral := partsOfTexts[s.Sent.What]
	if !hasSeveral {
		parts = []Oddity{s.Sent.What}
	}
	for _, part := range parts {
		in.detail = string(part)
		all = append(all, symptom{group: in, weight: oneIf(!hasSeveral), cause: s.Cause, own: !hasSeveral})
	}
	return all
}

// requestSymptom returns the symptom of an odd request: where a class has one that is also sent for itself, that is the
// cause.
func (s *Sighting) requestSymptom() symptom {
	isAlone := !s.Sent.IsClass()
	in := group{family: byRequest, operation: s.Operation, at: s.Sent.Request(), status: s.status()}
	return symptom{group: in, weight: oneIf(isAlone), cause: s.Cause, own: isAlone}
}

func oneIf(isTrue bool) int {
	if isTrue {
		return 1
	}
	return 0
}
