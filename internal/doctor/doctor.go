// Package doctor checks a target before a run, by requests that only read: which keys of the
// target file can be used, and whether a run makes sense at all.
package doctor

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/session"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// The keys of the target file that are checked besides the objects.
const (
	NeedBaseURL = "baseURL"
	NeedOwner   = "credentials.owner"
	NeedObjects = "objects" // all of them
)

const unknownKey = "unknown" // stands for the key of an unknown id

// preflight checks one target. It requests every object of the target file as the owner: a
// creative by its list of media files, an object that can be updated by a GET of its path,
// which is published for campaigns and may exist for others.
type preflight struct {
	*session.T
	lists *spec.Operation
	parts []report.Part

	unknown    *judge.Answer            // to the request for the list of an unknown id
	offersRead map[*spec.Operation]bool // a missing object is answered otherwise than an operation that is not there
	plainKnown bool                     // the list of a plain creative is answered otherwise than that of an unknown id
}

// look is a named object with the owner's answer to a read of it.
type look struct {
	fixtures.Named
	op     *spec.Operation  // nil if no operation names the object, as for a rule
	ids    []spec.ID        // of the path; nil if one is not known
	answer *judge.Answer    // empty if it was not read
	files  *fixtures.Object // of a VAST creative
	page   *judge.ListPage  // of a creative

	ownership report.PartStatus // of a foreign object, by the stranger's answer; "" if the stranger was not asked
	mistake   string            // what the target file says wrongly about the object
}

// Look finds out, by requests that only read, whether the target answers, accepts the keys and has
// the objects. The answers are judged like any others.
func Look(ctx context.Context, s *session.Session) []report.Part {
	p := &preflight{T: s.Begin(ctx, &judge.Case{ID: "preflight"})}
	p.lists = listOperation(s.Model)
	if p.lists == nil {
		part := wrong(NeedBaseURL, "the document has no operation that only reads")
		part.Status = report.Unchecked
		return []report.Part{part}
	}
	p.Case.Operation = p.lists
	key, id := someCreative(s.Model)
	caseOfCreative := func(op *spec.Operation, _ string) string { return caseOf(op, key) }
	p.parts, _ = FirstLook(ctx, s, s.Model.Contract.Operations, caseOfCreative)
	if !slices.ContainsFunc(p.parts, isWrong) && p.checkKeys(key, id) {
		p.checkObjects()
	}
	s.DiscardPrefetched()
	if why := p.Known().Outcome.KeyStopped(judge.OwnerName); why != "" { // meanwhile
		p.parts = slices.DeleteFunc(p.parts, func(k report.Part) bool { return k.Need == NeedOwner })
		p.add(NeedOwner, "", report.Wrong, why)
	}
	return p.parts
}

func isWrong(k report.Part) bool { return k.Status == report.Wrong }

// Find returns the part for a key, or nil.
func Find(parts []report.Part, need string) *report.Part {
	if i := slices.IndexFunc(parts, func(k report.Part) bool { return k.Need == need }); i >= 0 {
		return &parts[i]
	}
	return nil
}

func listOperation(s *judge.Model) *spec.Operation { return s.Contract.ListOf("vastCreative") }

// CasePart divides the id of the case under which an object is requested: before it is the operation, after it the key.
const CasePart = "/preflight/"

func caseOf(op *spec.Operation, key string) string { return op.ID + CasePart + key }

// someCreative returns the creative of the target file whose list the cases request, or an unknown id.
func someCreative(s *judge.Model) (key string, id spec.ID) {
	lists := listOperation(s)
	if id := s.Lookup(lists.Key()); id != "" {
		return judge.OwnKey(lists.Key()), id
	}
	return unknownKey, s.UnknownObject(lists).ID()
}

func (p *preflight) add(need string, id spec.ID, status report.PartStatus, detail string) {
	p.parts = append(p.parts, report.Part{Need: need, ID: id, Status: status, Detail: detail})
}

// read reads the object under a key.
func (p *preflight) read(
	op *spec.Operation, key string, ids []spec.ID, as wire.Credential, e judge.Expect,
) *judge.Answer {
	isRaw := !as.Send && op == p.lists
	c := judge.Call{Op: op, Method: http.MethodGet, As: as, Raw: isRaw}
	for _, id := range ids {
		c.Path = append(c.Path, string(id))
	}
	p.Case = &judge.Case{ID: caseOf(op, key), Operation: op}
	return p.Ask(c, e)
}

// checkKeys checks whether the target answers and accepts the keys, by the list of one
// creative. It returns false if it makes no sense to look for objects.
func (p *preflight) checkKeys(key string, id spec.ID) bool {
	ask := func(as wire.Credential, e judge.Expect) *judge.Answer {
		return p.read(p.lists, key, []spec.ID{id}, as, e)
	}
	owner := ask(p.Known().Owner(), judge.Expect{})
	if err := owner.Exchange.Err; err != nil {
		p.Result.Findings = nil // the check reports that the target does not answer
		if owner.Exchange.Stop == nil {
			part := wrong(NeedBaseURL, "%s", err)
			part.Lost = err
			p.parts = append(p.parts, part)
		}
		return false
	}
	keyless := judge.Expect{Statuses: []int{http.StatusUnauthorized}, Clause: "AUTH-1"}
	if key == unknownKey { // such a request is wrong twice; the server may report either
		keyless.Statuses = append(keyless.Statuses, http.StatusNotFound, http.StatusUnprocessableEntity)
	}
	ask(wire.Credential{Name: "none"}, keyless)
	credentials := p.Known().Target.Credentials
	p.addKey(NeedOwner, owner, "is it the right key, and "+credentials.Form().Question())
	if credentials.Stranger == "" {
		return !isRefusedOrFailed(owner)
	}
	var expect judge.Expect
	if owner.OK { // a key that is not accepted, or the owner's, is the operator's mistake
		allowed := []int{http.StatusForbidden, http.StatusUnauthorized}
		expect = judge.Expect{Success: true, Statuses: allowed, Clause: "AUTH-2"}
	}
	stranger := ask(p.Known().Stranger(), expect)
	if owner.OK && stranger.OK {
		p.add(judge.NeedStranger, "", report.Wrong, fmt.Sprintf("can read %s %s of the owner. "+
			"Name a user without permission for it; if this is one, the target does not check permissions",
			strings.TrimPrefix(key, judge.OwnKeys), id))
	} else {
		p.addKey(judge.NeedStranger, stranger, "it is not accepted")
	}
	return !isRefusedOrFailed(owner)
}

// isRefusedOrFailed reports whether the key or the server lets nobody read anything.
func isRefusedOrFailed(a *judge.Answer) bool {
	return a.Status == http.StatusUnauthorized || isServerError(a.Status)
}

func isOneOf(status int, statuses ...int) bool { return slices.Contains(statuses, status) }

func isServerError(status int) bool { return status >= http.StatusInternalServerError }

// isUnanswered reports whether an answer says nothing about what was asked for.
func isUnanswered(a *judge.Answer) bool {
	return a.Status == 0 || isServerError(a.Status)
}

// addKey adds what the answer to a user's request for the list says about the user's key. unknown explains a 401.
func (p *preflight) addKey(need string, a *judge.Answer, unknown string) {
	switch {
	case isUnanswered(a):
		p.add(need, "", report.Unchecked, "is answered "+a.StatusText())
	case a.Status == http.StatusUnauthorized:
		p.add(need, "", report.Wrong, "is answered 401: "+unknown)
	default:
		p.add(need, "", report.Fine, "is accepted")
	}
}

// checkObjects requests all objects of the target file, then judges the answer for each.
func (p *preflight) checkObjects() {
	s := p.Known()
	p.unknown = p.read(p.lists, unknownKey, s.UnknownObject(p.lists).IDs, s.Owner(), judge.Expect{})
	p.offersRead = map[*spec.Operation]bool{p.lists: p.unknown.Status == http.StatusNotFound}
	caseOfOwn := func(op *spec.Operation, _ string) string { return caseOf(op, judge.OwnKey(op.Key())) }
	ownerships := LookAtNamed(p.Ctx, p.Session, nil, foreignKeys(s.Target), caseOfOwn)
	var looks []*look
	lists := FirstLists{}
	for _, n := range s.Target.Named() {
		l := &look{Named: n, op: p.readerOf(n), answer: new(judge.Answer)}
		if l.op == nil && n.Kind != "rule" {
			continue
		}
		looks = append(looks, l)
		p.take(l, Find(ownerships, n.Key), lists)
	}
	mistakes := lists.Mistakes(p.Ctx, p.Session)
	for _, l := range looks {
		if mistake := Find(mistakes, l.Key); mistake != nil {
			mistake.EndsRun = true
			p.parts = append(p.parts, *mistake)
			continue
		}
		status, detail := p.verdict(l)
		p.add(l.Key, l.ID, status, detail)
		p.parts[len(p.parts)-1].EndsRun = l.mistake != "" && detail == l.mistake
	}
}

// take reads an object, if an operation does. ownership is what the stranger's answer showed of it, or nil.
func (p *preflight) take(l *look, ownership *report.Part, lists FirstLists) {
	if l.op == nil {
		return
	}
	l.ids = []spec.ID{l.ID}
	if !l.Creative {
		l.ids, _ = p.Known().PathIDs(l.op, l.Bare)
	}
	if l.ids == nil {
		return
	}
	var expect judge.Expect
	if ownership != nil {
		l.ownership = ownership.Status
		switch isForCases := l.Key == judge.Foreign(l.op.Key()); {
		case l.ownership == report.Wrong:
			l.mistake = ownership.Detail
		case l.ownership == report.Fine && isForCases:
			expect = judge.Expect{Statuses: []int{http.StatusForbidden}, Clause: "AUTH-2"}
		}
	}
	l.answer = p.read(l.op, l.Key, l.ids, p.Known().Owner(), expect)
	if l.Creative {
		p.takeList(l, lists)
	} else {
		p.takeRepresentation(l)
	}
}

// takeList learns from the answer for a creative.
func (p *preflight) takeList(l *look, lists FirstLists) {
	l.page = judge.PageOf(l.op, l.answer.Value)
	l.files = judge.ContainerOf(p.Known().Target, l.Bare)
	if l.Foreign {
		return
	}
	lists.Add(l.Bare, l.op, l.answer.Exchange.Response)
	isContainer := l.files != nil || l.hasFiles()
	if !isContainer && p.isDistinct(l.answer) {
		p.plainKnown = true
	}
}

// isDistinct reports whether a creative that the owner may read is answered otherwise than an unknown id.
func (p *preflight) isDistinct(a *judge.Answer) bool {
	return !isUnanswered(a) && !isOneOf(a.Status, http.StatusForbidden, p.unknown.Status)
}

// takeRepresentation learns from the answer to GET of an object's path.
func (p *preflight) takeRepresentation(l *look) {
	isRead := l.answer.Shown != nil
	if isRead || l.answer.Status == http.StatusForbidden {
		p.offersRead[l.op] = true
	}
	if !isRead || l.Foreign {
		return
	}
	_, given := p.Known().PathIDs(l.op, l.Bare)
	o := judge.NewObject(l.Bare, l.op, l.ids, given)
	words, _ := p.Known().Misgiven(&judge.Look{Object: o, Shown: l.answer.Shown}, nil)
	l.mistake = misgiven(p.Known(), words)
}

// foreignKeys returns the keys of the stranger's objects, if there is a stranger who can be asked for them.
func foreignKeys(t *fixtures.Target) (keys []string) {
	if t.Credentials.Stranger == "" {
		return nil
	}
	for _, n := range t.Named() {
		if n.Foreign {
			keys = append(keys, n.Key)
		}
	}
	return keys
}

// readerOf returns the operation that shows an object by its path, or nil.
func (p *preflight) readerOf(n fixtures.Named) *spec.Operation {
	if n.Creative {
		if n.File {
			return nil
		}
		return p.lists
	}
	key := strings.TrimPrefix(n.Bare, judge.ForeignPrefix)
	for _, op := range p.Known().Contract.Operations {
		keys := []string{op.Key(), spec.Other(op.Key()), spec.Sibling(op.Key())}
		if op.Updates() && slices.Contains(keys, key) {
			return op
		}
	}
	return nil
}
