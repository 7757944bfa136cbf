// Package doctor looks at a target before a run, by requests that only read: which keys of the
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

// CheckStatus is the state of a part of the target file.
type CheckStatus string

// The states of a part of the target file.
const (
	Fine      CheckStatus = "ok"
	Wrong     CheckStatus = "wrong"     // cannot be used: costs what its absence costs
	Differs   CheckStatus = "differs"   // is there, and not as the target file says
	Unchecked CheckStatus = "unchecked" // no request that only reads can tell
	Missing   CheckStatus = "missing"   // not in the target file
)

// Check is a part of the target file that was looked at.
type Check struct {
	Need   string      `json:"need"` // key in the target file
	ID     int64       `json:"id,omitempty"`
	Status CheckStatus `json:"status"`
	Detail string      `json:"detail"`
	Lost   bool        `json:"lost,omitempty"` // no complete answer came
	Stops  bool        `json:"-"`              // a run with it makes no sense
}

// The keys of the target file that are checked beside the objects.
const (
	NeedBaseURL = "baseURL"
	NeedOwner   = "credentials.owner"
)

// Look finds out, by requests that only read, whether the target answers, takes the keys and has
// the objects. The answers are judged as any other.
func Look(ctx context.Context, s *session.Session) []Check {
	p := &preflight{T: s.Begin(ctx, &judge.Case{ID: "preflight"}), lists: s.Model.Contract.ListOf("vastCreative")}
	if p.lists == nil {
		return []Check{{Need: NeedBaseURL, Status: Unchecked, Detail: "the document has no operation that only reads"}}
	}
	p.Case.Operation = p.lists
	key, id := someCreative(s.Model)
	p.checks = FirstLook(ctx, s, s.Model.Contract.Operations, func(op *spec.Operation, _ string) string { return preflightCase(op, key) })
	if !slices.ContainsFunc(p.checks, func(k Check) bool { return k.Stops }) && p.keys(key, id) {
		p.objects()
	}
	s.DiscardPrefetched()
	return p.checks
}

// preflightCase is the case in whose name the object under a key is asked for.
func preflightCase(op *spec.Operation, key string) string { return op.ID + "/preflight/" + key }

type preflight struct {
	*session.T
	lists  *spec.Operation
	checks []Check

	looks   []*look
	unknown *judge.Answer            // to the owner's request for the list of an unknown id
	offered map[*spec.Operation]bool // whose reads tell an object that is not there from one that cannot be read
}

func (p *preflight) note(need string, status CheckStatus, format string, args ...any) {
	p.checks = append(p.checks, Check{Need: need, Status: status, Detail: p.Known().Presentable(fmt.Sprintf(format, args...))})
}

// read asks for the object under a key.
func (p *preflight) read(op *spec.Operation, key string, ids []int64, as wire.Credential) *judge.Answer {
	c := judge.Call{Op: op, Method: http.MethodGet, As: as, Raw: !as.Send && op == p.lists}
	for _, id := range ids {
		c.Path = append(c.Path, fmt.Sprint(id))
	}
	p.Case = &judge.Case{ID: preflightCase(op, key), Operation: op}
	return p.Ask(c, judge.Expect{})
}

// keys looks whether the target answers and whether it takes the keys, by the list of one
// creative. It is false where it makes no sense to look for objects.
func (p *preflight) keys(key string, id int64) bool {
	ask := func(as wire.Credential) *judge.Answer { return p.read(p.lists, key, []int64{id}, as) }
	owner := ask(p.Known().Owner())
	if err := owner.Exchange.Err; err != nil {
		p.Result.Findings = nil // the check says that the target does not answer
		p.checks = append(p.checks, Check{Need: NeedBaseURL, Status: Wrong, Detail: err.Error(), Lost: true})
		return false
	}
	none := ask(wire.Credential{Name: "none"})
	if len(p.checks) == 0 {
		p.note(NeedBaseURL, Fine, "answers")
	}
	// A request for an unknown list without a key is wrong twice; the server may report either.
	either := key == unknownKey && (none.Status == http.StatusNotFound || none.Status == http.StatusUnprocessableEntity)
	if none.Status != 0 && none.Status < 500 && !either {
		p.expect("AUTH-1", none, http.StatusUnauthorized)
	}
	switch credentials := p.Known().Target.Credentials; {
	case owner.Status == http.StatusUnauthorized:
		p.note(NeedOwner, Wrong, "is answered 401: is it the right key, and %s the header it belongs in?", credentials.Header)
	case owner.Status >= 500:
		p.note(NeedOwner, Unchecked, "is answered %d", owner.Status)
	default:
		p.note(NeedOwner, Fine, "is accepted")
	}
	if p.Known().Target.Credentials.Stranger != "" {
		p.stranger(key, id, owner, ask(p.Known().Stranger()))
	}
	return owner.Status != http.StatusUnauthorized && owner.Status < 500
}

const unknownKey = "unknown"

// someCreative is a creative of the target file whose list can be asked for: the one that the
// cases ask for, another one, or an unknown id.
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

// expect adds a finding about a status other than the one that is wanted.
func (p *preflight) expect(clause string, a *judge.Answer, want int) {
	if a.Status != want {
		p.Find(judge.CheckExpectedStatus, judge.Finding{
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
