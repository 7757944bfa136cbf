// Package doctor looks at a target before a run, by requests that only read: what of the
// target file can be used, and whether a run makes sense at all.
package doctor

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
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

// What is checked beside the objects, by its key in the target file.
const (
	NeedBaseURL = "baseURL"
	NeedOwner   = "credentials.owner"
)

// Look finds out, by requests that only read, what of the target file can be
// used: whether the target answers, takes the keys and has the objects. The answers
// are judged as any other.
func Look(ctx context.Context, s *session.Session) []Check {
	p := &preflight{T: s.Begin(ctx, &judge.Case{ID: "preflight"}), lists: s.Model.Contract.ListOf("vastCreative")}
	if p.lists == nil {
		return []Check{{Need: NeedBaseURL, Status: Unchecked, Detail: "the document has no operation that only reads"}}
	}
	p.T.Test.Case.Operation = p.lists
	key, id := someCreative(s.Model)
	p.checks = FirstLook(ctx, s, s.Model.Contract.Operations, func(op *spec.Operation, _ string) string { return preflightCase(op, key) })
	if !slices.ContainsFunc(p.checks, func(k Check) bool { return k.Stops }) && p.keys(key, id) {
		p.objects()
	}
	s.LeaveAhead()
	return p.checks
}

// preflightCase is what the requests for the object under a key are sent as.
func preflightCase(op *spec.Operation, key string) string { return op.ID + "/preflight/" + key }

type preflight struct {
	T      *session.T
	lists  *spec.Operation
	checks []Check

	looks   []*look
	nobody  *judge.Answer            // the owner's request for the list of an unknown id
	offered map[*spec.Operation]bool // what is not there is told from what cannot be read
}

func (p *preflight) note(need string, status CheckStatus, format string, args ...any) {
	p.checks = append(p.checks, Check{Need: need, Status: status, Detail: p.T.Known().Presentable(fmt.Sprintf(format, args...))})
}

// read asks for the object under a key.
func (p *preflight) read(op *spec.Operation, key string, ids []int64, as wire.Credential) *judge.Answer {
	path := make([]string, len(ids))
	for i, id := range ids {
		path[i] = fmt.Sprint(id)
	}
	p.T.Test.Case = &judge.Case{ID: preflightCase(op, key), Operation: op}
	return p.T.Ask(judge.Call{Op: op, Method: http.MethodGet, Path: path, As: as, Raw: !as.Send && op == p.lists}, judge.Expect{})
}

// keys looks whether the target answers and whether it takes the keys, by the list of one
// creative. It says whether there is any sense in looking for objects.
func (p *preflight) keys(key string, id int64) bool {
	ask := func(as wire.Credential) *judge.Answer { return p.read(p.lists, key, []int64{id}, as) }
	owner := ask(p.T.Known().Owner())
	if err := owner.Exchange.Err; err != nil {
		p.T.Test.Result.Findings = nil // that nobody answers is told as such
		p.checks = append(p.checks, Check{Need: NeedBaseURL, Status: Wrong, Detail: err.Error(), Lost: true})
		return false
	}
	none := ask(wire.Credential{Name: "none"})
	if len(p.checks) == 0 {
		p.note(NeedBaseURL, Fine, "answers")
	}
	// A list of nothing has two faults: which of them is told is open.
	missing := key == unknownKey && (none.Status == http.StatusNotFound || none.Status == http.StatusUnprocessableEntity)
	if none.Status != 0 && none.Status < 500 && !missing {
		p.expect("AUTH-1", none, http.StatusUnauthorized)
	}
	taken := false
	switch {
	case owner.Status == http.StatusUnauthorized:
		p.note(NeedOwner, Wrong, "is answered 401: is it the right key, and %s the header it belongs in?", p.T.Known().Target.Credentials.Header)
	case owner.Status >= 500:
		p.note(NeedOwner, Unchecked, "is answered %d", owner.Status)
	default:
		p.note(NeedOwner, Fine, "is accepted")
		taken = true
	}
	if p.T.Known().Target.Credentials.Stranger != "" { // what that costs is told with all that is missing
		p.stranger(key, id, owner, ask(p.T.Known().Stranger()))
	}
	return taken
}

// someCreative is a creative of the target file whose list can be asked for: the
// one that the cases ask for, another one, or an unknown id.
func someCreative(s *judge.Model) (key string, id int64) {
	lists := s.Contract.ListOf("vastCreative")
	if id := s.Lookup(lists.Key()); id != 0 {
		return judge.OwnKey(lists.Key()), id
	}
	for _, n := range s.Target.Named() {
		if n.Creative() && !n.File && !n.Foreign() && strings.Contains(n.Key, "astCreative") {
			return n.Key, n.ID
		}
	}
	return unknownKey, s.UnknownObject(lists).ID()
}

const unknownKey = "unknown"

// expect adds a finding about a status that is not the one that is wanted.
func (p *preflight) expect(clause string, a *judge.Answer, want int) {
	if a.Status != want {
		p.T.Test.Find("expected-status", judge.Finding{
			Clause: clause, WFC: 101, Expected: fmt.Sprintf("status %d", want), Got: fmt.Sprintf("status %d", a.Status), Curl: a.Exchange.Curl(),
		})
	}
}

// stranger looks whether the second key is one of another user.
func (p *preflight) stranger(key string, id int64, owner, a *judge.Answer) {
	switch {
	case a.Status == 0 || a.Status >= 500:
		p.note(judge.NeedStranger, Unchecked, "is answered %s", a.StatusText())
	case a.Status == http.StatusUnauthorized:
		p.note(judge.NeedStranger, Wrong, "is answered 401: it is not accepted")
	case !owner.OK:
		p.note(judge.NeedStranger, Fine, "is accepted")
	case a.OK:
		p.note(judge.NeedStranger, Wrong,
			"reads %s %d of the owner: it has to be a user without permission for it; if it is one, the target does not check",
			strings.TrimPrefix(key, judge.OwnKeys), id)
	default:
		p.note(judge.NeedStranger, Fine, "is accepted, and is not the owner's")
		p.expect("AUTH-2", a, http.StatusForbidden)
	}
}
