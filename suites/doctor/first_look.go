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
	T       *session.T
	lists   *spec.Operation
	planned []*spec.Operation
	answers map[string]*wire.Exchange // to requests for the list, by user
}

// FirstLook finds out, as a rule by reading alone, whether the base URL answers as an
// interface of this kind and whether the keys can be used. A check that Stops says
// that a run makes no sense. Each request is sent in the name of the case that
// caseOf gives for its user. Where nobody answers it says nothing of the base URL: the
// case that sends the next request will.
func FirstLook(
	ctx context.Context, s *session.Session, planned []*spec.Operation, caseOf func(op *spec.Operation, user string) string,
) (checks []Check) {
	c := &s.Model.Target.Credentials
	if c.Stranger == c.Owner {
		return []Check{{Need: judge.NeedStranger, Status: Wrong, Stops: true, Detail: "is the owner's key; it has to be another user's"}}
	}
	cs := &judge.Case{ID: "preflight"}
	v := &survey{s.Aside(ctx, cs, cs.ID), s.Model.Contract.ListOf("vastCreative"), planned, map[string]*wire.Exchange{}}
	if v.lists != nil {
		s.Model.Guard(cs.ID, func() { checks = v.look(caseOf) })
	}
	return checks
}

// look asks for a list as each user, keeps the answers for their cases, and judges them.
func (v *survey) look(caseOf func(op *spec.Operation, user string) string) []Check {
	s := v.T.Session
	_, id := someCreative(s.Model)
	for _, as := range []wire.Credential{s.Model.Owner(), {Name: "none"}, s.Model.Stranger()} {
		if as.Name == judge.StrangerName && s.Model.Target.Credentials.Stranger == "" {
			continue
		}
		c := judge.Call{Op: v.lists, Path: []string{fmt.Sprint(id)}, As: as, Raw: !as.Send}
		ex := v.T.Exchange(caseOf(v.lists, as.Name), &c, v.T.Request(&c))
		s.Model.Outcome.NoteKey(&c, judge.Expect{}, ex)
		if ex.Err == nil && !coded(ex.Response) {
			judge.Bound(ex) // before it is looked at, and kept for its case
		}
		s.Tell(ex)
		s.KeepAhead(ex)
		if ex.Err != nil {
			return nil
		}
		v.answers[as.Name] = ex
	}
	base := v.base()
	base.Detail = s.Model.Presentable(base.Detail)
	if !base.Stops && v.exchanged() {
		return []Check{base, {Need: NeedOwner, Status: Wrong, Stops: true, Detail: fmt.Sprintf(
			"gets 403 for the owner's objects, and %s reads them: are the two keys exchanged?", judge.NeedStranger)}}
	}
	return []Check{base}
}

// status is how the list was answered to a user; 0: not asked.
func (v *survey) status(user string) int {
	if ex := v.answers[user]; ex != nil {
		return ex.Response.Status
	}
	return 0
}

// ask sends a request of the owner that belongs to no case; status 0 says that no answer came.
func (v *survey) ask(c judge.Call) *wire.Response {
	c.As = v.T.Known().Owner()
	ex := v.T.Exchange(c.Op.ID+"/preflight/"+strings.ToLower(c.Method), &c, v.T.Request(&c))
	v.T.Known().Outcome.Note(ex)
	v.T.Session.Tell(ex)
	if ex.Err != nil {
		return &wire.Response{}
	}
	return ex.Response
}

// base says whether what answers beneath the base URL is this interface: one whose answers all
// look like another's, or are all alike whoever asks for whatever, is not.
func (v *survey) base() Check {
	fine := Check{Need: NeedBaseURL, Status: Fine, Detail: "answers"}
	list := v.answers[judge.OwnerName].Response
	status, none, stranger := list.Status, v.status("none"), v.status(judge.StrangerName)
	if !v.strange(list) || len(list.Anomalies) > 0 {
		return fine
	}
	alike := (none == status || none == http.StatusUnauthorized) && (stranger == 0 || stranger == status)
	seen := []string{"GET is answered " + described(list)}
	others := v.elsewhere()
	for _, op := range others[:min(maxElsewhere, len(others))] {
		for _, c := range v.looks(op) {
			r := v.ask(c)
			if v.tells(r, c.Method, list) {
				return fine
			}
			alike = alike && r.Status == status
			if text := c.Method + " " + described(r); c.Method != http.MethodGet && len(seen) == 1 {
				seen = append(seen, text)
			}
		}
	}
	switch {
	case alike && status == http.StatusNotFound && !v.asUnknown(), !alike && (v.contractual404(list) || len(others) == 0):
		return fine
	case !alike:
		return Check{Need: NeedBaseURL, Status: Wrong, Stops: true, Detail: "no answer looks like this interface: " +
			strings.Join(seen, ", ") + "; is it right?"}
	}
	id := v.T.Known().Lookup(v.lists.Key())
	detail := fmt.Sprintf("every path beneath it is answered %d, with a key and without: is its path right?", status)
	switch {
	case none == http.StatusUnauthorized && id == 0 && v.contractual404(list):
		return Check{Need: NeedBaseURL, Status: Unchecked, Detail: fmt.Sprintf(
			"the owner gets %d for every path: if that is not because ids are unknown, check its path", status)}
	case status/100 == 3:
		detail = fmt.Sprintf("redirects every request (%d) to %s: is that the base URL?", status,
			v.T.Known().Presentable(oracle.Show(list.Header.Get("Location"))))
	case status/100 == 2:
		detail = "every path beneath it is answered with the same, which is not JSON: is its path right?"
		if oracle.Decode(list.Body) != nil {
			detail = strings.Replace(detail, "not JSON", "not of this interface", 1)
		}
	case none == http.StatusUnauthorized:
		detail = fmt.Sprintf("every path beneath it is answered %d to the owner: is its path right?", status)
		if id != 0 {
			detail += fmt.Sprintf(" If it is, is %s %d there?", v.lists.Key(), id)
		}
	}
	return Check{Need: NeedBaseURL, Status: Wrong, Stops: true, Detail: detail}
}

// contractual404 says whether an answer is the contract's error for what is not there. Where
// those with a key get it for everything and no id is known, it may be right: some servers
// answer a method that has no route as an unknown id.
func (v *survey) contractual404(r *wire.Response) bool {
	c := v.T.Known().Contract
	body, _ := oracle.Decode(r.Body).(map[string]any)
	section, _ := body[c.Error.Field("error").Name].(map[string]any)
	code, _ := oracle.Integer(section[c.Error.Field("error").Object.Field("responseCode").Name])
	return r.Status == http.StatusNotFound && code == http.StatusNotFound
}

// maxElsewhere is how many other paths are looked at, each in two ways, before a
// base URL is called wrong.
const maxElsewhere = 3

// elsewhere are the planned operations whose paths are not that of the list.
func (v *survey) elsewhere() []*spec.Operation {
	return slices.DeleteFunc(slices.Clone(v.planned), func(op *spec.Operation) bool { return op.Path == v.lists.Path })
}

// looks are requests that find out whether an operation is there: its path is read, and it is
// sent what no server takes, or asked for by OPTIONS where that is not to be.
func (v *survey) looks(op *spec.Operation) []judge.Call {
	c := judge.Call{Op: op, Method: http.MethodGet, Path: v.named(op)}
	own := c
	if own.Method = http.MethodOptions; op.Updates() && !v.T.Session.Shared.ReadOnly {
		own.Method, own.Body = op.Method, oracle.RawBody("[]")
	}
	return []judge.Call{c, own}
}

// tells says whether an answer shows that the interface is there, of which a list was answered
// strangely: a router without it refuses methods and paths in few ways.
func (v *survey) tells(r *wire.Response, method string, list *wire.Response) bool {
	switch s := r.Status; {
	case s == 0, s == http.StatusUnauthorized, s == http.StatusTooManyRequests, s == http.StatusUnprocessableEntity,
		s >= 500 && s != http.StatusNotImplemented, s == http.StatusMethodNotAllowed && method == http.MethodGet:
		return true
	case s == http.StatusBadRequest, s == http.StatusConflict, s == http.StatusUnsupportedMediaType:
		return s != list.Status
	case list.Status/100 == 2 && oracle.Decode(list.Body) != nil && s/100 == 4: // paths are told apart
		return true
	}
	return r.Status != http.StatusNotFound && v.ofInterface(r)
}

// ofInterface says whether a body has a member that bodies of this interface have.
func (v *survey) ofInterface(r *wire.Response) bool {
	body, _ := oracle.Decode(r.Body).(map[string]any)
	for _, f := range slices.Concat(v.lists.Success.Fields, v.T.Known().Contract.Error.Fields) {
		if _, there := body[f.Name]; there {
			return true
		}
	}
	return false
}

// described is an answer as a line shows it: its status, and what kind of text it is.
func described(r *wire.Response) string {
	media, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	return strings.TrimSpace(fmt.Sprintf("%d %s", r.Status, media))
}

// strange says whether the answer to a list may be that of a server without the interface: a
// redirect, a refusal that has nothing to do with keys, or no body of its own.
func (v *survey) strange(r *wire.Response) bool {
	switch {
	case r.Status == http.StatusUnauthorized, r.Status == http.StatusMethodNotAllowed, r.Status == http.StatusTooManyRequests,
		r.Status >= 500 && r.Status != http.StatusNotImplemented, coded(r), r.Status/100 == 2 && oracle.TooMuch(r.Body) != "":
		return false // its case says what that is
	}
	return r.Status == http.StatusNotFound || !v.ofInterface(r)
}

// coded says whether a body has to be decoded before it can be read.
func coded(r *wire.Response) bool { return r.Header.Get("Content-Encoding") != "" }

// changing is what differs between two answers of one kind: numbers and ids.
var changing = regexp.MustCompile(`[0-9a-f-]*[0-9][0-9a-f-]*`)

// asUnknown says whether the list was answered as a path is that no interface has.
func (v *survey) asUnknown() bool {
	const path = "/adconform-unknown-path"
	list := v.answers[judge.OwnerName]
	r := v.ask(judge.Call{Op: v.lists, Method: http.MethodGet, Path: []string{""}, Target: path})
	text := func(r *wire.Response, path string) string {
		return changing.ReplaceAllString(strings.ReplaceAll(string(r.Body), path, ""), "")
	}
	return r.Status == list.Response.Status && text(r, path) == text(list.Response, list.Request.Path)
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
	if v.status(judge.OwnerName) != http.StatusForbidden || v.status(judge.StrangerName)/100 != 2 {
		return false
	}
	seen := v.T.Session.Shared.ReadOnly
	for _, op := range v.elsewhere() {
		ids, given := v.T.Known().PathIDs(op, op.Key())
		if !op.Updates() || ids == nil {
			continue
		}
		o := judge.NewObject(op.Key(), op, ids, given)
		status := v.ask(judge.Call{Op: op, Method: http.MethodGet, Path: o.Path()}).Status
		if status != http.StatusForbidden && status/100 != 2 && !v.T.Session.Shared.ReadOnly {
			c := judge.Call{Op: op, Method: op.Method, Path: o.Path(), Body: oracle.RawBody("[]")}
			if values, unknown := o.Before(); len(unknown) == 0 {
				c.Body = oracle.RawBody(string(oracle.ObjectBody(op.Body, values).Raw)) // values of theirs, not of ours
			}
			status = v.ask(c).Status
		}
		if status/100 == 2 {
			return false
		}
		seen = seen || status == http.StatusForbidden
	}
	return seen
}
