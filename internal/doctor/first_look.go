package doctor

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/session"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// A target file with the wrong base URL or keys would cause a finding in nearly every case. So
// a run begins with requests that only read and that its first cases would send anyway; those
// cases reuse the answers. Only answers that suggest a mistake cost more requests.

// survey is the state of the first look at a target.
type survey struct {
	*session.T
	lists   *spec.Operation
	others  []*spec.Operation         // planned operations with another path than the list's
	answers map[string]*wire.Exchange // to requests for the list, by user

	caseOf func(op *spec.Operation, user string) string // the first case of a user
	kept   map[string]*wire.Response                    // answers that are kept for cases, by request
	silent map[*spec.Operation]bool                     // a request timed out, so others would cost as much
}

// FirstLook finds out whether the base URL serves this interface and whether the keys can be
// used. A run makes no sense if a part is Wrong. Each request is sent for the case that
// caseOf returns for its user. There is no check for a target that does not answer: the case
// that sends the next request reports that. FirstLook also returns what it learned from the list.
func FirstLook(
	ctx context.Context, s *session.Session, planned []*spec.Operation,
	caseOf func(op *spec.Operation, user string) string,
) (checks []report.Part, list FirstList) {
	if c := &s.Model.Target.Credentials; c.Stranger == c.Owner {
		return []report.Part{wrong(judge.NeedStranger, "is the owner's key; it must be another user's")}, list
	}
	v := newSurvey(ctx, s)
	v.answers = map[string]*wire.Exchange{}
	if v.lists == nil {
		return nil, list
	}
	isSamePath := func(op *spec.Operation) bool { return op.Path == v.lists.Path }
	v.others = slices.DeleteFunc(slices.Clone(planned), isSamePath)
	s.Model.Guard(v.Case.ID, func() {
		if !v.askForList(caseOf) {
			return
		}
		list = v.firstList()
		base := v.base()
		checks = []report.Part{base}
		if base.Status != report.Wrong && v.hasSwappedKeys() {
			checks = append(checks, wrong(NeedOwner,
				"gets 403 for the owner's objects, but "+judge.NeedStranger+" reads them: are the two keys swapped?"))
		}
	})
	return checks, list
}

func newSurvey(ctx context.Context, s *session.Session) *survey {
	cs := &judge.Case{ID: "preflight"}
	return &survey{T: s.Aside(ctx, cs), lists: listOperation(s.Model)}
}

// wrong returns a part without an id that cannot be used.
func wrong(need, format string, args ...any) report.Part {
	return report.Part{Need: need, Status: report.Wrong, Detail: fmt.Sprintf(format, args...)}
}

// FirstList is what the first answers of a target show: the owner's list, and whether every user got the right status.
type FirstList struct {
	Owners  *wire.Response // nil if it did not come
	Right   bool
	Guarded bool // a request without a key got 401
}

func (v *survey) firstList() FirstList {
	owner := v.answers[judge.OwnerName].Response
	list := FirstList{Owners: owner, Guarded: v.isKeylessRefused()}
	isNamed := v.Known().Lookup(v.lists.Key()) != ""
	isRight := !isServerError(owner.Status)
	stranger := owner.Status // an unknown id is as unknown to the stranger
	if isNamed {
		isRight = isSuccess(owner)
		stranger = http.StatusForbidden
	}
	if answer := v.answers[judge.StrangerName]; answer != nil && answer.Response.Status != stranger {
		isRight = false
	}
	list.Right = list.Guarded && isRight
	return list
}

// isKeylessRefused reports whether the request for the list without a key got 401.
func (v *survey) isKeylessRefused() bool {
	return v.answers["none"].Response.Status == http.StatusUnauthorized
}

func isSuccess(r *wire.Response) bool { return r.Status/100 == 2 }

// MayBlameFile reports whether a wrong part is the operator's mistake. A target that mixes up users, say, may only
// seem to show one. A list that the owner does not get is judged by other lists and by the stranger's answer.
func (l FirstList) MayBlameFile(need, list string) bool {
	if l.Guarded && need == judge.OwnKey(list) {
		return l.Right || l.Owners.Status/100 == 4
	}
	return l.Right
}

// askForList requests a list as each user, and keeps the answers for the cases that judge them.
// It returns false if an answer did not come.
func (v *survey) askForList(caseOf func(op *spec.Operation, user string) string) bool {
	s := v.T.Session
	_, id := someCreative(s.Model)
	users := []wire.Credential{s.Model.Owner(), {Name: "none"}, s.Model.Stranger()}
	for _, as := range users {
		if as.Name == judge.StrangerName && !v.hasStranger() {
			continue
		}
		c := judge.Call{Op: v.lists, Path: []string{string(id)}, As: as, Raw: !as.Send}
		name := caseOf(v.lists, as.Name)
		ex := v.Exchange(name, &c, v.Request(&c))
		s.Model.Outcome.NoteKey(&c, judge.Expect{}, ex)
		if ex.Err == nil && !isEncoded(ex.Response) {
			judge.Bound(ex) // before it is used here and kept for its case
		}
		s.KeepPrefetched(ex)
		if ex.Err != nil {
			return false
		}
		v.answers[as.Name] = ex
	}
	return true
}

func (v *survey) hasStranger() bool {
	return v.Known().Target.Credentials.Stranger != ""
}

// ask sends a request that belongs to no case, as the owner unless it names a user; status 0 means that no
// answer came.
func (v *survey) ask(c judge.Call) *wire.Response {
	if c.As.Name == "" {
		c.As = v.Known().Owner()
	}
	if v.silent[c.Op] {
		return &wire.Response{}
	}
	name := caseOf(c.Op, strings.ToLower(c.Method))
	ex := v.Exchange(name, &c, v.Request(&c))
	v.Known().Outcome.Note(ex)
	v.T.Session.Record(ex)
	return v.responseOf(c.Op, ex)
}

// responseOf returns the response of an exchange, or one with status 0 if no answer came.
func (v *survey) responseOf(op *spec.Operation, ex *wire.Exchange) *wire.Response {
	if ex.Err == nil {
		return ex.Response
	}
	if ex.Err.Kind == wire.Timeout {
		if v.silent == nil {
			v.silent = map[*spec.Operation]bool{}
		}
		v.silent[op] = true
	}
	return &wire.Response{}
}

// maxElsewhere limits the other paths that are tried before a base URL is called wrong.
const maxElsewhere = 3

// base checks whether the base URL serves this interface. It does not if no answer
// looks like one of the interface.
func (v *survey) base() report.Part {
	fine := report.Part{Need: NeedBaseURL, Status: report.Fine, Detail: "answers"}
	list := v.answers[judge.OwnerName].Response
	if v.isTLSOnly(list) {
		return wrong(NeedBaseURL, "begins with http://, and the server answers that it wants https:// at this port")
	}
	isOnlyEvidence := list.Status/100 == 4 && len(v.others) == 0
	if isOnlyEvidence || isEncoded(list) || v.isOfInterface(list, http.MethodGet, list) {
		return fine // its case reports whatever is wrong with it
	}
	if v.isElsewhereServed(list) {
		return fine
	}
	keyless := v.answers["none"]
	below := judge.Call{Op: v.lists, Method: http.MethodGet, As: keyless.Request.Credential}
	below.Target = publishedPath + keyless.Request.Path
	if keyless.Response.Status == http.StatusNotFound && v.ask(below).Status == http.StatusUnauthorized {
		return wrong(NeedBaseURL, "GET %s below it is answered 404, but below %s it is answered 401, as it should be: "+
			"should baseURL end with that path?", keyless.Request.Path, publishedPath)
	}
	if v.isContractual404(list) {
		switch {
		case v.Known().Lookup(v.lists.Key()) == "":
			part := wrong(NeedBaseURL, "every request was answered %d. Without objects in a target file that is "+
				"expected; otherwise check the path of the base URL", list.Status)
			part.Status = report.Unchecked
			return part
		case v.isKeylessRefused():
			return wrong(NeedObjects, "none of the objects that the target file names is there: "+
				"every request is answered %d. Is the database empty? If not, check the path of the base URL.",
				list.Status)
		}
	}
	return v.wrongBase(list)
}

// isElsewhereServed reports whether another operation's answer is one of the interface.
func (v *survey) isElsewhereServed(list *wire.Response) bool {
	for _, op := range v.others[:min(maxElsewhere, len(v.others))] {
		path := v.ToUnknownID(op).Path
		if o := v.ownObject(op); o != nil {
			path = o.Path()
		}
		c := v.harmless(op, path)
		if v.isOfInterface(v.ask(c), c.Method, list) {
			return true
		}
	}
	return false
}

// wrongBase says that nothing below the base URL is this interface, with the usual reason.
func (v *survey) wrongBase(list *wire.Response) report.Part {
	text := fmt.Sprintf("no answer below it looks like this interface, and a list is answered %d %s",
		list.Status, list.Header.Get("Content-Type"))
	if to := list.Header.Get("Location"); to != "" {
		text += ", which redirects to " + v.Known().Presentable(oracle.Show(to))
	}
	text += ": is its base path missing or wrong?"
	id := v.Known().Lookup(v.lists.Key())
	if id != "" && list.Status == http.StatusNotFound {
		text += fmt.Sprintf(" If it is, does %s %s exist?", v.lists.Key(), id)
	}
	return report.Part{Need: NeedBaseURL, Status: report.Wrong, Detail: text}
}

// tlsWords are in the pages with which servers answer plain HTTP at a port for TLS.
var tlsWords = regexp.MustCompile(`(?i)HTTP request (was sent )?to (an )?HTTPS|plain HTTP to an SSL`)

// isTLSOnly reports whether a server refuses plain HTTP at this port.
func (v *survey) isTLSOnly(r *wire.Response) bool {
	isPlain := strings.HasPrefix(v.Known().Target.BaseURL, "http://")
	if !isPlain || r.Status != http.StatusBadRequest {
		return false
	}
	return tlsWords.Match(r.Body)
}

// publishedPath is the base path of the published reference, which a base URL may lack.
const publishedPath = "/v2"

// harmless returns an update that no server accepts, or a read if none may be sent.
func (v *survey) harmless(op *spec.Operation, path []string) judge.Call {
	if v.mayUpdate(op) {
		return judge.Call{Op: op, Method: op.Method, Path: path, Body: oracle.RawBody("[]")}
	}
	return judge.Call{Op: op, Method: http.MethodGet, Path: path}
}

// isContractual404 reports whether an answer is the contract's error for an unknown id. A server that
// sends it to everyone with a key may be right if no id is known: some also answer a method without a
// route in this way.
func (v *survey) isContractual404(r *wire.Response) bool {
	if r.Status != http.StatusNotFound {
		return false
	}
	response := oracle.Response{Status: r.Status, Header: r.Header, Body: r.Body}
	judged := oracle.New(v.Known().Contract, nil).Judge(v.lists, response)
	aboutError := []string{"ERR-6", "ERR-7", "ERR-8", "ERR-11"} // the error object, its issues and its code
	isOffForm := func(f oracle.Finding) bool { return slices.Contains(aboutError, f.Clause) }
	return judged.Valid && !slices.ContainsFunc(judged.Findings, isOffForm)
}

// isOfInterface reports whether an answer shows that the interface is served: a router without it redirects, or
// refuses methods and paths in only a few ways. list is the answer to the list.
func (v *survey) isOfInterface(r *wire.Response, method string, list *wire.Response) bool {
	arePathsApart := isSuccess(list) && oracle.Decode(list.Body) != nil
	switch r.Status {
	case 0, http.StatusUnauthorized, http.StatusTooManyRequests, http.StatusUnprocessableEntity:
		return true
	case http.StatusBadRequest, http.StatusConflict, http.StatusUnsupportedMediaType:
		return r.Status != list.Status
	case http.StatusNotImplemented:
		return v.hasMemberOfOurs(r)
	case http.StatusNotFound:
		return arePathsApart
	case http.StatusMethodNotAllowed:
		if method == http.MethodGet {
			return true
		}
	}
	switch r.Status / 100 {
	case 5:
		return true
	case 4:
		return arePathsApart || v.hasMemberOfOurs(r)
	}
	return v.hasMemberOfOurs(r)
}

// hasMemberOfOurs reports whether a body has a member of the contract's list or error.
func (v *survey) hasMemberOfOurs(r *wire.Response) bool {
	body, _ := oracle.Decode(r.Body).(map[string]any)
	ours := slices.Concat(v.lists.Success.Fields, v.Known().Contract.Error.Fields)
	return slices.ContainsFunc(ours, func(f *spec.Field) bool {
		_, isThere := body[f.Name]
		return isThere
	})
}

// isEncoded reports whether a body must be decoded before it can be read.
func isEncoded(r *wire.Response) bool { return r.Header.Get("Content-Encoding") != "" }

// hasSwappedKeys reports whether the owner is refused what the stranger reads, in the list and in every
// other operation; in one operation it would be the target's fault. The updates that find this out are malformed.
// Only where every user's body is judged before permission do they set the values of the target file.
func (v *survey) hasSwappedKeys() bool {
	stranger := v.answers[judge.StrangerName]
	if stranger == nil || !isSuccess(stranger.Response) {
		return false
	}
	if !v.isOwnerForbidden() || v.isOwnerServedElsewhere() {
		return false
	}
	isSeen := v.isReadOnly()
	for _, op := range v.others {
		o := v.ownObject(op)
		if !op.Updates() || o == nil {
			continue
		}
		switch status := v.statusForOwner(o); {
		case status/100 == 2, status == strangerForbidden:
			return false
		case status == http.StatusForbidden:
			isSeen = true
		}
	}
	return isSeen
}

func (v *survey) isOwnerForbidden() bool {
	return v.answers[judge.OwnerName].Response.Status == http.StatusForbidden
}

// mayUpdate reports whether an operation updates, and the run may.
func (v *survey) mayUpdate(op *spec.Operation) bool {
	return op.Updates() && !v.isReadOnly()
}

func (v *survey) isReadOnly() bool { return v.T.Session.Shared.ReadOnly }

// strangerForbidden is what statusForOwner returns if the stranger may not update the object.
const strangerForbidden = -1

// statusForOwner returns the status of the owner's update of an object: a malformed one, or, where a body is judged
// before permission, one that sets the values of the target file.
func (v *survey) statusForOwner(o *judge.Object) int {
	c := v.harmless(o.Op, o.Path())
	status := v.ask(c).Status
	if c.Body == nil || !isWrongBody(status) {
		return status
	}
	if v.strangersMalformedStatus(o) == http.StatusForbidden {
		return strangerForbidden
	}
	values, unknown := o.Before()
	if len(unknown) > 0 {
		return status
	}
	c.Body = oracle.RawBody(string(oracle.ObjectBody(values).Raw))
	return v.ask(c).Status
}

// isOwnerServedElsewhere reports whether the owner gets the list of another container.
func (v *survey) isOwnerServedElsewhere() bool {
	main, _ := someCreative(v.Known())
	for _, n := range v.Known().Target.Named() {
		isContainer := judge.ContainerOf(v.Known().Target, n.Bare) != nil
		if isContainer && n.Key != main {
			return isSuccess(v.list(n.ID, v.Known().Owner(), ""))
		}
	}
	return false
}
