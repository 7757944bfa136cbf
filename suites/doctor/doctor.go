// Package doctor looks at a target before a run, by requests that only read: what of the
// target file can be used, and whether a run makes sense at all.
package doctor

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/session"
	"github.com/adconform/adconform/suites/wire"
)

// CheckStatus is what the preflight makes of a part of the target file.
type CheckStatus string

// The states of a part of the target file.
const (
	Fine      CheckStatus = "ok"
	Wrong     CheckStatus = "wrong"     // cannot be used: costs what its absence costs
	Differs   CheckStatus = "differs"   // is there, and not as the target file says
	Unchecked CheckStatus = "unchecked" // no request that only reads can tell
	Missing   CheckStatus = "missing"   // not in the target file
)

// Check is a part of the target file that the preflight looked at.
type Check struct {
	Need   string      `json:"need"` // key in the target file
	ID     int64       `json:"id,omitempty"`
	Status CheckStatus `json:"status"`
	Detail string      `json:"detail"`
	Lost   bool        `json:"lost,omitempty"` // no complete answer came
	Stops  bool        `json:"-"`              // a run with it makes no sense
}

// Look finds out, by requests that only read, what of the target file can be
// used: whether the target answers, takes the keys and has the objects. The answers
// are judged as any other.
func Look(ctx context.Context, s *session.Session) []Check {
	p := &preflight{
		T: s.Begin(ctx, &judge.Case{ID: "preflight"}), lists: s.Model.Contract.ListOf("vastCreative"), below: map[parentKey]*children{},
	}
	if p.lists == nil {
		return []Check{{Need: NeedBaseURL, Status: Unchecked, Detail: "the document has no operation that only reads"}}
	}
	p.T.Test.Case.Operation = p.lists
	key, _ := someCreative(s.Model)
	p.checks = FirstLook(ctx, s, s.Model.Contract.Operations, func(op *spec.Operation, _ string) string { return preflightCase(op, key) })
	if !slices.ContainsFunc(p.checks, func(k Check) bool { return k.Stops }) && p.keys() {
		p.creatives()
		p.updatable()
		p.rules()
	}
	s.LeaveAhead()
	return p.checks
}

// preflightCase is what the requests for the object under a key are sent as.
func preflightCase(op *spec.Operation, key string) string { return op.ID + "/preflight/" + key }

// What is checked beside the objects, by its key in the target file.
const (
	NeedBaseURL = "baseURL"
	NeedOwner   = "credentials.owner"
)

type preflight struct {
	T      *session.T
	lists  *spec.Operation
	nobody *judge.Answer // the owner's request for the list of an unknown id
	checks []Check

	below    map[parentKey]*children
	doubtful []int  // in checks: creatives that may not be there
	plainly  string // how one that is there, and no VAST creative, is answered
}

func (p *preflight) note(need string, id int64, status CheckStatus, format string, args ...any) {
	p.checks = append(p.checks, Check{Need: need, ID: id, Status: status, Detail: p.T.Known().Presentable(fmt.Sprintf(format, args...))})
}

// get reads a path, for the object under a key.
func (p *preflight) get(op *spec.Operation, key string, path []string, as wire.Credential) *judge.Answer {
	p.T.Test.Case = &judge.Case{ID: preflightCase(op, key), Operation: op}
	return p.T.Ask(judge.Call{Op: op, Method: http.MethodGet, Path: path, As: as, Raw: !as.Send && op == p.lists}, judge.Expect{})
}

// list reads the list of a creative.
func (p *preflight) list(key string, id int64, as wire.Credential) *judge.Answer {
	return p.get(p.lists, key, []string{fmt.Sprint(id)}, as)
}

// keys looks whether the target answers and whether it takes the keys. It says
// whether there is any sense in looking for objects.
func (p *preflight) keys() bool {
	key, id := someCreative(p.T.Session.Model)
	owner := p.list(key, id, p.T.Known().Owner())
	if err := owner.Exchange.Err; err != nil {
		p.T.Test.Result.Findings = nil // that nobody answers is told as such
		p.checks = append(p.checks, Check{Need: NeedBaseURL, Status: Wrong, Detail: err.Error(), Lost: true})
		return false
	}
	none := p.list(key, id, wire.Credential{Name: "none"})
	if len(p.checks) == 0 {
		p.note(NeedBaseURL, 0, Fine, "answers")
	}
	// A list of nothing has two faults: which of them is told is open.
	missing := key == unknownKey && (none.Status == http.StatusNotFound || none.Status == http.StatusUnprocessableEntity)
	if none.Status != 0 && none.Status != http.StatusUnauthorized && none.Status < 500 && !missing {
		p.unexpected("AUTH-1", none, http.StatusUnauthorized)
	}
	p.T.Test.Covered("AUTH-1")
	taken := p.owner(owner)
	p.stranger(key, id, owner)
	return taken
}

// someCreative is a creative of the target file whose list can be asked for: the
// one that the cases ask for, another one, or an unknown id.
func someCreative(s *judge.Model) (key string, id int64) {
	if lists := s.Contract.ListOf("vastCreative"); lists != nil && s.Lookup(lists.Key()) != 0 {
		return judge.OwnKey(lists.Key()), s.Lookup(lists.Key())
	}
	for _, n := range s.Target.Named() {
		if n.Creative() && !n.File && !n.Foreign() && strings.Contains(n.Key, "astCreative") {
			return n.Key, n.ID
		}
	}
	return unknownKey, s.UnknownObject(s.Contract.ListOf("vastCreative")).ID()
}

const unknownKey = "unknown"

// unexpected adds a finding about a status.
func (p *preflight) unexpected(clause string, a *judge.Answer, want int) {
	p.T.Test.Find("expected-status", judge.Finding{
		Clause: clause, WFC: 101, Expected: fmt.Sprintf("status %d", want), Got: fmt.Sprintf("status %d", a.Status), Curl: a.Exchange.Curl(),
	})
}

func (p *preflight) owner(a *judge.Answer) (taken bool) {
	switch {
	case a.Status == 0:
		p.note(NeedOwner, 0, Unchecked, "the answer was lost: %s", a.Exchange.Err.Error())
	case a.Status == http.StatusUnauthorized:
		p.note(NeedOwner, 0, Wrong, "is answered 401: is it the right key, and %s the header it belongs in?",
			p.T.Known().Target.Credentials.Header)
	case a.Status >= 500:
		p.note(NeedOwner, 0, Unchecked, "is answered %d", a.Status)
	default:
		p.note(NeedOwner, 0, Fine, "is accepted")
		return true
	}
	return false
}

// stranger looks whether the second key is one of another user.
func (p *preflight) stranger(key string, id int64, owner *judge.Answer) {
	if p.T.Known().Target.Credentials.Stranger == "" {
		return // what that costs is told with all that is missing
	}
	a := p.list(key, id, p.T.Known().Stranger())
	switch {
	case a.Status == 0 || a.Status >= 500:
		p.note(judge.NeedStranger, 0, Unchecked, "is answered %s", a.StatusText())
	case a.Status == http.StatusUnauthorized:
		p.note(judge.NeedStranger, 0, Wrong, "is answered 401: it is not accepted")
	case !owner.OK:
		p.note(judge.NeedStranger, 0, Fine, "is accepted")
	case a.OK:
		p.note(judge.NeedStranger, 0, Wrong,
			"reads %s %d of the owner: it has to be a user without permission for it; if it is one, the target does not check",
			strings.TrimPrefix(key, judge.OwnKeys), id)
	default:
		p.note(judge.NeedStranger, 0, Fine, "is accepted, and is not the owner's")
		p.T.Test.Covered("AUTH-2")
		if a.Status != http.StatusForbidden {
			p.unexpected("AUTH-2", a, http.StatusForbidden)
		}
	}
}

// look is what the owner gets for an object by GET of its path.
type look struct {
	fixtures.Named
	ids    []int64
	answer *judge.Answer
	given  map[string]any
}

// updatable looks at the objects that updates name, by GET of their path, which
// is published for campaigns and may exist for others.
func (p *preflight) updatable() {
	looks, offered := map[*spec.Operation][]look{}, map[*spec.Operation]bool{}
	for _, n := range p.T.Known().Target.Named() {
		op := p.updates(n)
		if op == nil {
			continue
		}
		ids, given := p.T.Known().PathIDs(op, n.Bare())
		if ids == nil {
			p.note(n.Key, n.ID, Unchecked, "the objects above it are missing in the target file")
			continue
		}
		a := p.read(op, n.Key, ids)
		looks[op] = append(looks[op], look{n, ids, a, given})
		offered[op] = offered[op] || a.OK && a.Shown != nil || a.Status == http.StatusForbidden
	}
	for _, op := range p.T.Known().Contract.Operations {
		p.parents(op, looks[op])
		for _, l := range looks[op] {
			switch {
			case l.Foreign():
				p.foreign(l.Named, l.answer, offered[op])
			case l.answer.OK && l.answer.Shown != nil:
				p.shown(l.Named, op, l.answer, l.given)
			case l.answer.Status == http.StatusForbidden:
				p.note(l.Key, l.ID, Wrong, "the owner has no permission for it (403)")
			case l.answer.Status == http.StatusNotFound:
				p.absent(op, l, offered[op])
			default:
				p.unread(l)
			}
		}
	}
}

// unread notes an object that the target does not let read.
func (p *preflight) unread(l look) {
	p.note(l.Key, l.ID, Unchecked, "GET of its path is answered %s%s", l.answer.StatusText(), p.forGood(l.Named))
}

// forGood says of an object that a run changes and that cannot be read that its
// values cannot be put back, where the target file does not give them.
func (p *preflight) forGood(n fixtures.Named) string {
	for _, u := range judge.UnnamedOf(p.T.Known().Contract, p.T.Known().Target) {
		if u.Key == n.Key {
			return "; the target file does not give its " + strings.Join(u.Fields, ", ") +
				", which a run changes: unless an update with {} shows them, they cannot be put back"
		}
	}
	return ""
}

// updates is the operation that updates objects of this kind, or nil.
func (p *preflight) updates(n fixtures.Named) *spec.Operation {
	key := strings.TrimPrefix(n.Bare(), judge.ForeignPrefix)
	for _, op := range p.T.Known().Contract.Operations {
		main := op.Key()
		if op.Updates() && !n.Creative() && (key == main || key == spec.Other(main) || key == spec.Sibling(main)) {
			return op
		}
	}
	return nil
}

// shown compares an object with the values in the target file.
func (p *preflight) shown(n fixtures.Named, op *spec.Operation, a *judge.Answer, given map[string]any) {
	for _, f := range op.Representation().Fields {
		want, known := given[f.Meaning]
		got, shown := a.Shown[f.Name]
		if known && shown && !oracle.Equal(f, want, got) && !(f.Date && oracle.SameDate(want, got)) {
			p.note(n.Key, n.ID, Differs, "%s is %s, and the target file says %s", f.Name, oracle.Show(got), oracle.Show(want))
			return
		}
	}
	p.note(n.Key, n.ID, Fine, "is there")
}

// foreign judges what the owner gets for an object of the stranger.
func (p *preflight) foreign(n fixtures.Named, a *judge.Answer, offered bool) {
	switch {
	case a.Status == http.StatusForbidden:
		p.note(n.Key, n.ID, Fine, "is there, and not the owner's")
	case a.OK:
		p.note(n.Key, n.ID, Wrong,
			"the owner reads it: it has to be an object without permission for the owner; if it is one, the target does not check")
	case a.Status == http.StatusNotFound && offered:
		p.note(n.Key, n.ID, Wrong, "is not there (404), or the target hides what it has to forbid (403)")
	default:
		p.note(n.Key, n.ID, Unchecked, "GET of its path is answered %s", a.StatusText())
	}
}
