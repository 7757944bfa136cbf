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
)

// Status is the state of a part of the target file.
type Status string

// The states of a part of the target file.
const (
	Fine      Status = "ok"
	Wrong     Status = "wrong"     // cannot be used: costs as much as if it were missing
	Differs   Status = "differs"   // exists, but not as the target file says
	Unchecked Status = "unchecked" // only a write could show it
	Missing   Status = "missing"   // not in the target file
)

// Part is a part of the target file with the result of its check, and what a run does not test if it is
// missing or wrong.
type Part struct {
	Need     string               `json:"need"` // key in the target file
	ID       spec.ID              `json:"id,omitempty"`
	Status   Status               `json:"status"`
	Detail   string               `json:"detail"`
	Lost     *wire.TransportError `json:"-"` // why no complete answer came
	Cost     *Cost                `json:"cost,omitempty"`
	NotShown string               `json:"notShown,omitempty"` // what a run does not show without it
	// MayBeShown marks a missing value that costs nothing if an update with {} shows it, which only a run finds out.
	MayBeShown bool   `json:"-"`
	Write      string `json:"write,omitempty"` // what to write into the target file if it is missing
}

// Cost is what a run does not test.
type Cost struct {
	Cases   int      `json:"cases"`   // that cannot be run
	Clauses []string `json:"clauses"` // that no other case judges, on one operation at least
	Stated  int      `json:"stated"`  // how many of these clauses are stated: each makes a run inconclusive
}

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
	lists  *spec.Operation
	checks []Part

	unknown    *judge.Answer            // to the request for the list of an unknown id
	offered    map[*spec.Operation]bool // that answer a read of a missing object differently from a read that is not offered
	plainKnown bool                     // the list of a plain creative is answered differently from that of an unknown id
}

// look is a named object with the owner's answer to a read of it.
type look struct {
	fixtures.Named
	op     *spec.Operation  // nil if no operation names the object, as for a rule
	ids    []spec.ID        // of the path; nil if one is not known
	answer *judge.Answer    // empty if it was not read
	files  *fixtures.Object // of a VAST creative
	page   *judge.ListPage  // of a creative

	owned   Status // of one under foreign, by the stranger's answer; "" if that was not asked for
	mistake string // what is wrong with it by that answer
}

// Look finds out, by requests that only read, whether the target answers, accepts the keys and has
// the objects. The answers are judged like any others.
func Look(ctx context.Context, s *session.Session) []Part {
	p := &preflight{T: s.Begin(ctx, &judge.Case{ID: "preflight"}), lists: s.Model.Contract.ListOf("vastCreative")}
	if p.lists == nil {
		return []Part{{Need: NeedBaseURL, Status: Unchecked, Detail: "the document has no operation that only reads"}}
	}
	p.Case.Operation = p.lists
	key, id := someCreative(s.Model)
	p.checks, _ = FirstLook(ctx, s, s.Model.Contract.Operations, func(op *spec.Operation, _ string) string { return caseOf(op, key) })
	if !slices.ContainsFunc(p.checks, func(k Part) bool { return k.Status == Wrong }) && p.keys(key, id) {
		p.objects()
	}
	s.DiscardPrefetched()
	if why := p.Known().Outcome.KeyStopped(judge.OwnerName); why != "" { // meanwhile
		p.checks = slices.DeleteFunc(p.checks, func(k Part) bool { return k.Need == NeedOwner })
		p.note(NeedOwner, "", Wrong, why)
	}
	return p.checks
}

// caseOf returns the id of the case under which an object is requested.
func caseOf(op *spec.Operation, key string) string { return op.ID + "/preflight/" + key }

// someCreative returns the creative of the target file whose list the cases request, or an unknown id.
func someCreative(s *judge.Model) (key string, id spec.ID) {
	lists := s.Contract.ListOf("vastCreative")
	if id := s.Lookup(lists.Key()); id != "" {
		return judge.OwnKey(lists.Key()), id
	}
	return unknownKey, s.UnknownObject(lists).ID()
}

func (p *preflight) note(need string, id spec.ID, status Status, detail string) {
	p.checks = append(p.checks, Part{Need: need, ID: id, Status: status, Detail: detail})
}

// ask reads the object under a key.
func (p *preflight) ask(op *spec.Operation, key string, ids []spec.ID, as wire.Credential, e judge.Expect) *judge.Answer {
	c := judge.Call{Op: op, Method: http.MethodGet, As: as, Raw: !as.Send && op == p.lists}
	for _, id := range ids {
		c.Path = append(c.Path, string(id))
	}
	p.Case = &judge.Case{ID: caseOf(op, key), Operation: op}
	return p.Ask(c, e)
}

// keys checks whether the target answers and accepts the keys, by the list of one
// creative. It returns false if it makes no sense to look for objects.
func (p *preflight) keys(key string, id spec.ID) bool {
	ask := func(as wire.Credential, e judge.Expect) *judge.Answer {
		return p.ask(p.lists, key, []spec.ID{id}, as, e)
	}
	owner := ask(p.Known().Owner(), judge.Expect{})
	if err := owner.Exchange.Err; err != nil {
		p.Result.Findings = nil // the check reports that the target does not answer
		if owner.Exchange.Stop == nil {
			p.checks = append(p.checks, Part{Need: NeedBaseURL, Status: Wrong, Detail: err.Error(), Lost: err})
		}
		return false
	}
	keyless := judge.Expect{Statuses: []int{http.StatusUnauthorized}, Clause: "AUTH-1"}
	if key == unknownKey { // such a request is wrong twice; the server may report either
		keyless.Statuses = append(keyless.Statuses, http.StatusNotFound, http.StatusUnprocessableEntity)
	}
	ask(wire.Credential{Name: "none"}, keyless)
	credentials := p.Known().Target.Credentials
	p.noteKey(NeedOwner, owner, "is it the right key, and "+credentials.Form().Question())
	if credentials.Stranger != "" {
		var e judge.Expect
		if owner.OK { // a key that is not accepted, or the owner's, is the operator's mistake
			e = judge.Expect{Success: true, Statuses: []int{http.StatusForbidden, http.StatusUnauthorized}, Clause: "AUTH-2"}
		}
		if stranger := ask(p.Known().Stranger(), e); owner.OK && stranger.OK {
			p.note(judge.NeedStranger, "", Wrong, fmt.Sprintf(
				"can read %s %s of the owner. Name a user without permission for it; if this is one, the target does not check permissions",
				strings.TrimPrefix(key, judge.OwnKeys), id))
		} else {
			p.noteKey(judge.NeedStranger, stranger, "it is not accepted")
		}
	}
	return owner.Status != http.StatusUnauthorized && owner.Status < 500
}

// noteKey records what the answer to a user's request for the list says about the user's key. unknown explains a 401.
func (p *preflight) noteKey(need string, a *judge.Answer, unknown string) {
	switch {
	case a.Status == 0 || a.Status >= 500:
		p.note(need, "", Unchecked, "is answered "+a.StatusText())
	case a.Status == http.StatusUnauthorized:
		p.note(need, "", Wrong, "is answered 401: "+unknown)
	default:
		p.note(need, "", Fine, "is accepted")
	}
}

// objects requests all objects of the target file, then judges the answer for each.
func (p *preflight) objects() {
	s, looks, lists := p.Known(), []*look{}, FirstLists{}
	p.unknown = p.ask(p.lists, unknownKey, s.UnknownObject(p.lists).IDs, s.Owner(), judge.Expect{})
	p.offered = map[*spec.Operation]bool{p.lists: p.unknown.Status == http.StatusNotFound}
	owned := LookAtNamed(p.Ctx, p.Session, nil, foreignKeys(s.Target), func(op *spec.Operation, _ string) string {
		return caseOf(op, judge.OwnKey(op.Key()))
	})
	for _, n := range s.Target.Named() {
		l := &look{Named: n, op: p.reads(n), ids: []spec.ID{n.ID}, answer: new(judge.Answer)}
		if l.op == nil && n.Kind() != "rule" {
			continue
		}
		looks = append(looks, l)
		if l.op != nil && !n.Creative() {
			l.ids, _ = s.PathIDs(l.op, n.Bare())
		}
		if l.op == nil || l.ids == nil {
			continue
		}
		var expect judge.Expect
		if i := slices.IndexFunc(owned, func(k Part) bool { return k.Need == n.Key }); i >= 0 {
			if l.owned = owned[i].Status; l.owned == Fine && n.Key == judge.Foreign(l.op.Key()) {
				expect = judge.Expect{Statuses: []int{http.StatusForbidden}, Clause: "AUTH-2"}
			} else if l.owned == Wrong {
				l.mistake = owned[i].Detail
			}
		}
		a := p.ask(l.op, n.Key, l.ids, s.Owner(), expect)
		l.answer = a
		if !n.Creative() {
			p.offered[l.op] = p.offered[l.op] || a.Shown != nil || a.Status == http.StatusForbidden
			if a.Shown != nil && !n.Foreign() {
				_, given := s.PathIDs(l.op, n.Bare())
				words, _ := s.Misgiven(&judge.Look{Object: judge.NewObject(n.Bare(), l.op, l.ids, given), Shown: a.Shown}, nil)
				l.mistake = misgiven(s, words)
			}
			continue
		}
		l.page, l.files = judge.PageOf(l.op, a.Value), judge.ContainerOf(s.Target, n.Bare())
		if !n.Foreign() {
			lists.Add(n.Bare(), l.op, a.Exchange.Response)
		}
		plain := l.files == nil && !n.Foreign() && (l.page == nil || l.page.TotalCount == 0)
		p.plainKnown = p.plainKnown || plain && a.Status != 0 && a.Status < 500 && a.Status != http.StatusForbidden &&
			a.Status != p.unknown.Status
	}
	wrong := lists.Mistakes(p.Ctx, p.Session)
	for _, l := range looks {
		status, detail := p.verdict(l)
		if i := slices.IndexFunc(wrong, func(k Part) bool { return k.Need == l.Key }); i >= 0 {
			status, detail = Wrong, wrong[i].Detail
		}
		p.note(l.Key, l.ID, status, detail)
	}
}

// foreignKeys returns the keys of the stranger's objects, if there is a stranger who can be asked for them.
func foreignKeys(t *fixtures.Target) (keys []string) {
	for _, n := range t.Named() {
		if n.Foreign() && t.Credentials.Stranger != "" {
			keys = append(keys, n.Key)
		}
	}
	return keys
}

// reads returns the operation that shows an object by its path, or nil.
func (p *preflight) reads(n fixtures.Named) *spec.Operation {
	if n.Creative() && !n.File {
		return p.lists
	}
	key := strings.TrimPrefix(n.Bare(), judge.ForeignPrefix)
	for _, op := range p.Known().Contract.Operations {
		if op.Updates() && !n.Creative() && slices.Contains([]string{op.Key(), spec.Other(op.Key()), spec.Sibling(op.Key())}, key) {
			return op
		}
	}
	return nil
}

// verdict judges the answer for an object. Whether the list of an empty container is found is open.
func (p *preflight) verdict(l *look) (Status, string) {
	target, status := p.Known().Target, l.answer.Status
	container := l.files != nil
	switch {
	case l.op == nil:
		return Unchecked, "no operation reads it"
	case !judge.Has(target, l.Key):
		return Wrong, judge.NotGiven(target, l.Key)
	case l.ids == nil:
		return Unchecked, "the objects above it are missing in the target file"
	case status == 0 || status >= 500:
	case p.unknown.OK && l.page != nil && l.page.TotalCount == 0 && (l.Foreign() || container):
		return Unchecked, "its list is empty, like that of an unknown id"
	case l.mistake != "":
		return Wrong, l.mistake
	case l.owned == Fine:
		return Fine, "is the stranger's"
	case l.Foreign() && status == http.StatusForbidden:
		return Fine, "exists and is not the owner's"
	case l.Foreign() && l.answer.OK:
		return Wrong, "the owner can read it. Name an object for which the owner has no permission; " +
			"if this is one, the target does not check permissions"
	case l.Foreign() && status == http.StatusNotFound && p.offered[l.op]:
		return Wrong, "does not exist (404), or the target answers 404 where it must answer 403"
	case l.Foreign() && l.op.Updates():
		return Unchecked, "not shown to be the stranger's: GET of its path is answered " + l.answer.StatusText() +
			"; a run asks the stranger with an update that sets nothing"
	case l.Foreign():
	case status == http.StatusForbidden:
		return Wrong, "the owner has no permission for it (403)"
	case container && status == http.StatusNotFound && (l.files.MediaFileCount == 0 || l.Bare() == "emptyVastCreative"):
		return Unchecked, "its list is answered 404, which is allowed for an empty container"
	case container && !l.answer.OK && status == p.unknown.Status:
		return Wrong, fmt.Sprintf("does not exist: answered %d, like an unknown id", status)
	case container && !l.answer.OK:
		return Wrong, fmt.Sprintf("is not a VAST creative: its list is answered %d", status)
	case container && strings.HasPrefix(l.Bare(), "paged") && p.Known().PageParameter(l.op) != "" && l.page != nil && l.page.TotalPages <= 1:
		return Wrong, "fits on one page: name one with more " + l.op.Items +
			" than a page holds, or pin pageParameter: null if there is no paging"
	case !container && l.page != nil && l.page.TotalCount > 0:
		return Wrong, fmt.Sprintf("is a VAST creative: it has %d media files", l.page.TotalCount)
	case container, l.answer.Shown != nil, l.Creative() && status != p.unknown.Status:
		return Fine, "is there"
	case l.Creative() && p.plainKnown:
		return Wrong, fmt.Sprintf("does not exist: answered %d, like an unknown id, whereas another plain creative is not", status)
	case l.Creative():
		return Unchecked, fmt.Sprintf("answered %d, like an unknown id", status)
	case status == http.StatusNotFound && p.offered[l.op]:
		return Wrong, "does not exist under the parents that the target file names (404)"
	}
	text := "GET of its path is answered " + l.answer.StatusText()
	if fields := judge.Unnamed(l.op, target); len(fields) > 0 && l.Bare() == l.op.Key() {
		text += "; only what an update with {} shows can be restored: " + strings.Join(fields, ", ")
	}
	return Unchecked, text
}
