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
	ctx context.Context, s *session.Session, planned []*spec.Operation, caseOf func(op *spec.Operation, user string) string,
) (checks []Part, list FirstList) {
	if c := &s.Model.Target.Credentials; c.Stranger == c.Owner {
		return []Part{{Need: judge.NeedStranger, Status: Wrong, Detail: "is the owner's key; it must be another user's"}}, list
	}
	cs := &judge.Case{ID: "preflight"}
	v := &survey{T: s.Aside(ctx, cs, cs.ID), lists: s.Model.Contract.ListOf("vastCreative"), answers: map[string]*wire.Exchange{}}
	if v.lists == nil {
		return nil, list
	}
	v.others = slices.DeleteFunc(slices.Clone(planned), func(op *spec.Operation) bool { return op.Path == v.lists.Path })
	s.Model.Guard(cs.ID, func() {
		if !v.askForList(caseOf) {
			return
		}
		list = v.firstList()
		checks = []Part{v.base()}
		if checks[0].Status != Wrong && v.exchanged() {
			checks = append(checks, Part{Need: NeedOwner, Status: Wrong, Detail: "gets 403 for the owner's objects, but " +
				judge.NeedStranger + " reads them: are the two keys swapped?"})
		}
	})
	return checks, list
}

// FirstList is what the first answers of a target show: the owner's list, and whether every user got the right status.
type FirstList struct {
	Owners  *wire.Response // nil if it did not come
	Right   bool
	Guarded bool // a request without a key got 401
}

func (v *survey) firstList() FirstList {
	status := func(user string) int { return v.answers[user].Response.Status }
	owner := status(judge.OwnerName)
	list := FirstList{Owners: v.answers[judge.OwnerName].Response, Guarded: status("none") == http.StatusUnauthorized}
	isNamed := v.Known().Lookup(v.lists.Key()) != ""
	stranger := 0
	if v.answers[judge.StrangerName] != nil {
		stranger = status(judge.StrangerName)
	}
	switch {
	case !isNamed: // an unknown id is as unknown to the stranger
		list.Right = list.Guarded && owner < 500 && (stranger == 0 || stranger == owner)
	default:
		list.Right = list.Guarded && owner/100 == 2 && (stranger == 0 || stranger == http.StatusForbidden)
	}
	return list
}

// ShowsMistake reports whether a part that is wrong is the operator's mistake. A target that mixes up users, say, may only seem to
// show one. A list that the owner does not get is judged by other lists and by the stranger's answer.
func (l FirstList) ShowsMistake(need, list string) bool {
	return l.Right || l.Guarded && l.Owners.Status/100 == 4 && need == judge.OwnKey(list)
}

// askForList requests a list as each user, and keeps the answers for the cases that judge them.
// It returns false if an answer did not come.
func (v *survey) askForList(caseOf func(op *spec.Operation, user string) string) bool {
	s := v.T.Session
	_, id := someCreative(s.Model)
	for _, as := range []wire.Credential{s.Model.Owner(), {Name: "none"}, s.Model.Stranger()} {
		if as.Name == judge.StrangerName && s.Model.Target.Credentials.Stranger == "" {
			continue
		}
		c := judge.Call{Op: v.lists, Path: []string{fmt.Sprint(id)}, As: as, Raw: !as.Send}
		ex := v.Exchange(caseOf(v.lists, as.Name), &c, v.Request(&c))
		s.Model.Outcome.NoteKey(&c, judge.Expect{}, ex)
		if ex.Err == nil && !coded(ex.Response) {
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

// ask sends a request, of the owner unless it names a user, that belongs to no case; status 0 means that no answer came.
func (v *survey) ask(c judge.Call) *wire.Response {
	if c.As.Name == "" {
		c.As = v.Known().Owner()
	}
	if v.silent[c.Op] {
		return &wire.Response{}
	}
	ex := v.Exchange(c.Op.ID+"/preflight/"+strings.ToLower(c.Method), &c, v.Request(&c))
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
func (v *survey) base() Part {
	fine := Part{Need: NeedBaseURL, Status: Fine, Detail: "answers"}
	list, id := v.answers[judge.OwnerName].Response, v.Known().Lookup(v.lists.Key())
	status := list.Status
	if v.wantsTLS(list) {
		return Part{Need: NeedBaseURL, Status: Wrong, Detail: "begins with http://, and the server answers that it wants https:// at this port"}
	}
	if v.tells(list, http.MethodGet, list) || coded(list) || status/100 == 4 && len(v.others) == 0 {
		return fine // its case reports whatever is wrong with it
	}
	for _, op := range v.others[:min(maxElsewhere, len(v.others))] {
		path := v.ToUnknownID(op).Path
		if ids, given := v.Known().PathIDs(op, op.Key()); ids != nil {
			path = judge.NewObject(op.Key(), op, ids, given).Path()
		}
		if c := v.harmless(op, path); v.tells(v.ask(c), c.Method, list) {
			return fine
		}
	}
	keyless := v.answers["none"]
	below := judge.Call{Op: v.lists, Method: http.MethodGet, Target: publishedPath + keyless.Request.Path, As: keyless.Request.Credential}
	if keyless.Response.Status == http.StatusNotFound && v.ask(below).Status == http.StatusUnauthorized {
		return Part{Need: NeedBaseURL, Status: Wrong, Detail: fmt.Sprintf("GET %s below it is answered 404, but below %s "+
			"401 as by this interface: did you mean to end it with that path?", keyless.Request.Path, publishedPath)}
	}
	if id == "" && v.contractual404(list) {
		return Part{Need: NeedBaseURL, Status: Unchecked, Detail: fmt.Sprintf(
			"every request was answered %d. Without objects in a target file that is expected; otherwise check the path of the base URL", status)}
	}
	if keyless.Response.Status == http.StatusUnauthorized && v.contractual404(list) {
		return Part{Need: NeedObjects, Status: Wrong, Detail: fmt.Sprintf("none of the objects that the target file names is "+
			"there: every request is answered %d. Is the database empty? If not, check the path of the base URL.", status)}
	}
	text := fmt.Sprintf("no answer below it looks like this interface, and a list is answered %d %s",
		status, list.Header.Get("Content-Type"))
	if to := list.Header.Get("Location"); to != "" {
		text += ", which redirects to " + v.Known().Presentable(oracle.Show(to))
	}
	text += ": is its base path missing or wrong?"
	if id != "" && status == http.StatusNotFound {
		text += fmt.Sprintf(" If it is, does %s %s exist?", v.lists.Key(), id)
	}
	return Part{Need: NeedBaseURL, Status: Wrong, Detail: text}
}

// tlsWords are in the pages with which servers answer plain HTTP at a port for TLS.
var tlsWords = regexp.MustCompile(`(?i)HTTP request (was sent )?to (an )?HTTPS|plain HTTP to an SSL`)

// wantsTLS reports whether a server refuses plain HTTP at this port.
func (v *survey) wantsTLS(r *wire.Response) bool {
	isPlain := strings.HasPrefix(v.Known().Target.BaseURL, "http://")
	return isPlain && r.Status == http.StatusBadRequest && tlsWords.Match(r.Body)
}

// publishedPath is the base path of the published reference, which a base URL may lack.
const publishedPath = "/v2"

// harmless returns an update that no server accepts, or a read if none may be sent.
func (v *survey) harmless(op *spec.Operation, path []string) judge.Call {
	if op.Updates() && !v.T.Session.Shared.ReadOnly {
		return judge.Call{Op: op, Method: op.Method, Path: path, Body: oracle.RawBody("[]")}
	}
	return judge.Call{Op: op, Method: http.MethodGet, Path: path}
}

// contractual404 reports whether an answer is the contract's error for an unknown id. A server that
// sends it to everyone with a key may be right if no id is known: some also answer a method without a
// route in this way.
func (v *survey) contractual404(r *wire.Response) bool {
	judged := oracle.New(v.Known().Contract, nil).Judge(v.lists, oracle.Response{Status: r.Status, Header: r.Header, Body: r.Body})
	return r.Status == http.StatusNotFound && judged.Valid && !slices.ContainsFunc(judged.Findings, func(f oracle.Finding) bool {
		return slices.Contains([]string{"ERR-6", "ERR-7", "ERR-8", "ERR-11"}, f.Clause) // the error, its issues and its code
	})
}

// tells reports whether an answer shows that the interface is served: a router without it redirects, or
// refuses methods and paths in only a few ways. list is the answer to the list.
func (v *survey) tells(r *wire.Response, method string, list *wire.Response) bool {
	switch s := r.Status; {
	case s == 0, s == http.StatusUnauthorized, s == http.StatusTooManyRequests, s == http.StatusUnprocessableEntity,
		s >= 500 && s != http.StatusNotImplemented, s == http.StatusMethodNotAllowed && method == http.MethodGet:
		return true
	case s == http.StatusBadRequest, s == http.StatusConflict, s == http.StatusUnsupportedMediaType:
		return s != list.Status
	case list.Status/100 == 2 && oracle.Decode(list.Body) != nil && s/100 == 4: // paths are distinct apart
		return true
	}
	body, _ := oracle.Decode(r.Body).(map[string]any)
	ours := slices.Concat(v.lists.Success.Fields, v.Known().Contract.Error.Fields)
	return r.Status != http.StatusNotFound && slices.ContainsFunc(ours, func(f *spec.Field) bool {
		_, there := body[f.Name]
		return there
	})
}

// coded reports whether a body must be decoded before it can be read.
func coded(r *wire.Response) bool { return r.Header.Get("Content-Encoding") != "" }

// exchanged reports whether the owner is refused what the stranger reads, in the list and in every
// other operation; in one operation it would be the target's fault. The updates that find this out are malformed. Only where
// every user's body is judged before permission do they set the values of the target file.
func (v *survey) exchanged() bool {
	owner, stranger := v.answers[judge.OwnerName], v.answers[judge.StrangerName]
	if stranger == nil || owner.Response.Status != http.StatusForbidden || stranger.Response.Status/100 != 2 {
		return false
	}
	if v.servesAnotherList() {
		return false
	}
	seen := v.T.Session.Shared.ReadOnly
	for _, op := range v.others {
		o := v.own(op)
		if !op.Updates() || o == nil {
			continue
		}
		c := v.harmless(op, o.Path())
		status := v.ask(c).Status
		if c.Body != nil && isWrongBody(status) {
			if v.strangersMalformed(o) == http.StatusForbidden {
				return false
			}
			if values, unknown := o.Before(); len(unknown) == 0 {
				c.Body = oracle.RawBody(string(oracle.ObjectBody(values).Raw)) // the target's own values
				status = v.ask(c).Status
			}
		}
		switch {
		case status/100 == 2:
			return false
		case status == http.StatusForbidden:
			seen = true
		}
	}
	return seen
}

// servesAnotherList reports whether the owner gets the list of another container.
func (v *survey) servesAnotherList() bool {
	main, _ := someCreative(v.Known())
	for _, n := range v.Known().Target.Named() {
		if isContainer := judge.ContainerOf(v.Known().Target, n.Bare()) != nil; isContainer && n.Key != main {
			return v.list(v.lists, n.ID, v.Known().Owner(), "").Status/100 == 2
		}
	}
	return false
}
