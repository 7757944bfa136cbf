package doctor

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/session"
	"github.com/adconform/adconform/suites/wire"
)

// A target file with the wrong base URL or the wrong keys makes a finding of nearly
// every case, and sends hundreds of requests for nothing. So a run begins with
// requests that only read and that its first cases would send anyway: those cases
// get the answers. Only where these look like a mistake are a few more sent.

// survey is the first look at a target.
type survey struct {
	T                     *session.T
	lists                 *spec.Operation
	planned               []*spec.Operation
	path                  []string
	owner, none, stranger int            // how the list is answered; 0: not asked
	list, last            *wire.Exchange // the owner's of the list, and the last beside those
}

// FirstLook finds out, as a rule by reading alone, whether the base URL answers as an
// interface of this kind and whether the keys can be used. A check that Stops says
// that a run makes no sense. Each request is sent in the name of the case that
// caseOf gives for its user. Where nobody answers it says nothing of the base URL: the
// case that sends the next request will.
func FirstLook(
	ctx context.Context, s *session.Session, planned []*spec.Operation, caseOf func(op *spec.Operation, user string) string,
) []Check {
	c := &s.Model.Target.Credentials
	if c.Stranger == c.Owner {
		return []Check{{Need: judge.NeedStranger, Status: Wrong, Stops: true, Detail: "is the owner's key; it has to be another user's"}}
	}
	cs := &judge.Case{ID: "preflight"}
	t := s.Aside(ctx, cs, cs.ID)
	v := &survey{T: t, planned: planned, lists: s.Model.Contract.ListOf("vastCreative")}
	if v.lists == nil {
		return nil
	}
	var checks []Check
	s.Model.Guard(cs.ID, func() { checks = v.look(caseOf) })
	return checks
}

// look asks what Survey finds out, and judges it.
func (v *survey) look(caseOf func(op *spec.Operation, user string) string) []Check {
	s, c := v.T.Session, &v.T.Known().Target.Credentials
	_, id := someCreative(s.Model)
	v.path = []string{fmt.Sprint(id)}
	for _, ask := range []struct {
		as   wire.Credential
		raw  bool
		into *int
	}{{s.Model.Owner(), false, &v.owner}, {wire.Credential{Name: "none"}, true, &v.none}, {s.Model.Stranger(), false, &v.stranger}} {
		if ask.as.Name == judge.StrangerName && c.Stranger == "" {
			continue
		}
		if *ask.into = v.ahead(caseOf(v.lists, ask.as.Name), ask.as, ask.raw); *ask.into == 0 {
			return nil
		}
	}
	base := v.base()
	base.Detail = s.Model.Presentable(base.Detail)
	if !base.Stops && v.exchanged() {
		return []Check{base, {Need: NeedOwner, Status: Wrong, Stops: true, Detail: fmt.Sprintf(
			"gets 403 for the owner's objects, and %s reads them: are the two keys exchanged?", judge.NeedStranger)}}
	}
	return []Check{base}
}

// ahead asks for the list and keeps the answer for its case. It returns the status.
func (v *survey) ahead(caseID string, as wire.Credential, raw bool) int {
	c := judge.Call{Op: v.lists, Path: v.path, As: as, Raw: raw}
	ex := v.T.Exchange(caseID, &c, v.T.Request(&c))
	v.T.Known().Outcome.NoteKey(&c, judge.Expect{}, ex)
	if ex.Err == nil && !coded(ex) {
		judge.Bound(ex) // before it is looked at, and kept for its case
	}
	v.T.Session.Tell(ex)
	v.T.Session.KeepAhead(ex)
	if ex.Err != nil {
		return 0
	}
	if as.Name == judge.OwnerName {
		v.list = ex
	}
	return ex.Response.Status
}

// ask sends a request that belongs to no case, and returns the status.
func (v *survey) ask(c judge.Call) int {
	ex := v.T.Exchange(c.Op.ID+"/preflight/"+strings.ToLower(c.Method), &c, v.T.Request(&c))
	v.T.Known().Outcome.Note(ex)
	v.T.Session.Tell(ex)
	if ex.Err != nil {
		return 0
	}
	v.last = ex
	return ex.Response.Status
}

// base says whether everything beneath the base URL is answered alike, whoever asks
// for whatever.
func (v *survey) base() Check {
	fine := Check{Need: NeedBaseURL, Status: Fine, Detail: "answers"}
	status := v.owner
	alike := (v.none == status || v.none == http.StatusUnauthorized) && (v.stranger == 0 || v.stranger == status)
	if !alike || !strange(v.list) {
		return fine
	}
	for i, op := range v.elsewhere() {
		if i == maxElsewhere {
			break
		}
		for _, method := range []string{http.MethodGet, http.MethodOptions} {
			if v.ask(judge.Call{Op: op, Method: method, Path: v.named(op), As: v.T.Known().Owner()}) != status || !strange(v.last) {
				return fine
			}
		}
	}
	if status == http.StatusNotFound && !v.asUnknown() {
		return fine
	}
	if v.mayBeUnknown() {
		return Check{Need: NeedBaseURL, Status: Unchecked, Detail: fmt.Sprintf(
			"the owner gets %d for every path: if that is not because ids are unknown, check its path", status)}
	}
	wrong := Check{
		Need: NeedBaseURL, Status: Wrong, Stops: true,
		Detail: fmt.Sprintf("every path beneath it is answered %d, with a key and without: is its path right?", status),
	}
	switch {
	case status/100 == 3:
		wrong.Detail = fmt.Sprintf("redirects every request (%d) to %s: is that the base URL?",
			status, oracle.Show(v.list.Response.Header.Get("Location")))
	case status/100 == 2:
		wrong.Detail = "every path beneath it is answered with the same, which is not JSON: is its path right?"
	case v.none == http.StatusUnauthorized:
		wrong.Detail = fmt.Sprintf("every path beneath it is answered %d to the owner: is its path right?", status)
		if id := v.T.Known().Lookup(v.lists.Key()); id != 0 {
			wrong.Detail += fmt.Sprintf(" If it is, is %s %d there?", v.lists.Key(), id)
		}
	}
	return wrong
}

// mayBeUnknown says whether 404 for everything may be right: the ids asked for need not
// be there, some servers answer a method that has no route as an unknown id, and what came
// is the contract's error, for those with a key alone.
func (v *survey) mayBeUnknown() bool {
	c := v.T.Known().Contract
	body, _ := oracle.Decode(v.list.Response.Body).(map[string]any)
	section, _ := body[c.Error.Field("error").Name].(map[string]any)
	code, _ := oracle.Integer(section[c.Error.Field("error").Object.Field("responseCode").Name])
	return v.owner == http.StatusNotFound && v.none == http.StatusUnauthorized && code == http.StatusNotFound &&
		v.T.Known().Lookup(v.lists.Key()) == 0
}

// maxElsewhere is how many other paths are looked at, each in two ways, before a
// base URL is called wrong.
const maxElsewhere = 3

// elsewhere are the planned operations whose paths are not that of the list.
func (v *survey) elsewhere() []*spec.Operation {
	return slices.DeleteFunc(slices.Clone(v.planned), func(op *spec.Operation) bool { return op.Path == v.lists.Path })
}

// strange says whether an answer may be that of a server without the interface: a
// redirect, a refusal that has nothing to do with keys, or no JSON.
func strange(ex *wire.Exchange) bool {
	switch status := ex.Response.Status; {
	case status == http.StatusUnauthorized, status == http.StatusMethodNotAllowed, status == http.StatusTooManyRequests, status >= 500:
		return false
	case status/100 == 2:
		if coded(ex) || oracle.TooMuch(ex.Response.Body) != "" {
			return false // its case says what that is
		}
		_, object := oracle.Decode(ex.Response.Body).(map[string]any)
		return !object
	}
	return true
}

// coded says whether a body has to be decoded before it can be read.
func coded(ex *wire.Exchange) bool { return ex.Response.Header.Get("Content-Encoding") != "" }

// changing is what differs between two answers of one kind: numbers and ids.
var changing = regexp.MustCompile(`[0-9a-f-]*[0-9][0-9a-f-]*`)

// asUnknown says whether the list was answered as a path is that no interface has.
func (v *survey) asUnknown() bool {
	const path = "/adconform-unknown-path"
	ex := v.T.Session.Shared.Client.Do(v.T.Ctx, v.lists.ID+"/preflight/get", wire.Request{
		Method: http.MethodGet, Path: path, Credential: v.T.Known().Owner(),
	})
	v.T.Known().Outcome.Note(ex)
	v.T.Session.Tell(ex)
	if ex.Err != nil {
		return false
	}
	text := func(ex *wire.Exchange) string {
		return changing.ReplaceAllString(strings.ReplaceAll(string(ex.Response.Body), ex.Request.Path, ""), "")
	}
	return ex.Response.Status == v.list.Response.Status && text(ex) == text(v.list)
}

// named is a path of an operation: with the ids of the target file, else unknown ones.
func (v *survey) named(op *spec.Operation) []string {
	if len(op.Params) == 0 {
		return nil
	}
	if ids, given := v.T.Known().PathIDs(op, op.Key()); ids != nil {
		return judge.NewObject(op.Key(), op, ids, given).Path()
	}
	return v.T.ToUnknownID(op).Path
}

// exchanged says whether the owner is refused what the stranger reads, in the list
// and wherever else it can be seen: in one operation it would be the target's doing.
// What is sent to find out sets nothing: the values that the target file gives, else
// no object at all.
func (v *survey) exchanged() bool {
	if v.owner != http.StatusForbidden || v.stranger/100 != 2 {
		return false
	}
	seen := v.T.Session.Shared.ReadOnly
	for _, op := range v.elsewhere() {
		if !op.Updates() {
			continue
		}
		ids, given := v.T.Known().PathIDs(op, op.Key())
		if ids == nil {
			continue
		}
		o := judge.NewObject(op.Key(), op, ids, given)
		status := v.ask(judge.Call{Op: op, Method: http.MethodGet, Path: o.Path(), As: v.T.Known().Owner()})
		if status != http.StatusForbidden && status/100 != 2 && !v.T.Session.Shared.ReadOnly {
			c := judge.Call{Op: op, Method: op.Method, Path: o.Path(), As: v.T.Known().Owner(), Body: oracle.RawBody("[]")}
			if values, unknown := o.Before(); len(unknown) == 0 {
				c.Body = oracle.RawBody(string(oracle.ObjectBody(op.Body, values).Raw)) // values of theirs, not of ours
			}
			status = v.ask(c)
		}
		if status/100 == 2 {
			return false
		}
		seen = seen || status == http.StatusForbidden
	}
	return seen
}
