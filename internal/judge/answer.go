package judge

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
)

// Expect states which answers to a call are right.
type Expect = oracle.Expect

// Judge judges an answer by what the case expects and returns the findings. It is called with the answers in the order
// in which they came.
func (t *Test) Judge(a *Answer, e Expect) []*Finding {
	first := len(t.Result.Findings)
	a.by, a.Expect = nil, e
	if t.Judging != nil {
		t.Judging(t, a)
	}
	t.judgeAnswer(a)
	return t.Result.Findings[first:]
}

func (t *Test) judgeAnswer(a *Answer) {
	c, ex := a.Call, a.Exchange
	t.shown = ex
	if !t.Recorded { // the users of recorded traffic are unknown
		defer func() { t.before = append(t.before, withoutAnswer(ex)) }()
	}
	t.noteBefore(a)
	t.Outcome.count(ex)
	t.Outcome.NoteKey(c, a.Expect, ex)
	t.Result.Exchanges = append(t.Result.Exchanges, ex.Seq)
	t.answering = c.Op
	if !c.Malformed {
		t.judgeFraming(ex)
	}
	if ex.Err != nil {
		t.loseAnswer(a)
		return
	}
	t.Outcome.Liveness.Note(ex, c.Op.ID)
	if c.isDeclared() {
		t.Covered("HTTP-1", "HTTP-2")
	}
	t.noticeLoad(a)
	t.judgeResponse(c, a)
	t.judgeExpectation(c, a)
	t.judgeError(c, a)
	t.judgeRefusedBeside(a)
	t.noteEvidence(c, a)
	if c.Object != nil && c.Object.Op.Updates() {
		t.Outcome.noteOthers(c.Object, a.Shown)
	}
	t.noteDates(c, a)
	if hasBody := c.Op.Success != nil && a.Status != http.StatusNoContent; a.OK && hasBody {
		t.Observe("success-status", a.Choice())
	}
	t.judgeReadDelay(a)
	if a.Undecided {
		t.NotTested(ByTarget, tooLate)
		return
	}
	t.judgeSequence(a)
	t.noteOmitted(a)
	switch {
	case !c.isDeclared(), t.Recorded:
	case c.Op.Deletes():
		t.noteDelete(c, a)
	case c.Op.Lists():
		t.noteList(c, a)
	case c.Op.Reads():
		t.noteRead(c, a)
	case c.Op.Updates():
		t.noteUpdate(c, a)
	}
}

const tooLate = "the target shows changes late, and the run has waited long enough for reads that do not show one"

// judgeResponse applies the checks of the oracle.
func (t *Test) judgeResponse(c *Call, a *Answer) {
	r := oracle.Response{
		Status: a.Status, RequestedPage: c.Asked,
		Header: a.Exchange.Response.Header, Body: a.Exchange.Response.Body,
	}
	switch {
	case c.Halved:
		r.Beside = TooSlow
	case len(c.Header["If-None-Match"]) > 0, len(c.Header["If-Modified-Since"]) > 0:
		r.Beside = []int{http.StatusNotModified}
	}
	if c.OutOfRange {
		r.RequestedPage = cmp.Or(max(c.Page, 0), oracle.AnyPage)
	}
	if c.Object != nil {
		r.PathID = c.Object.ID()
	}
	if c.isDeclared() || a.isFailure() {
		j := t.oracle.Judge(c.Op, r)
		a.Value = j.Value
		t.addJudged(j, c, a)
	}
	if !c.isDeclared() { // a read, for which only a failure is judged
		a.Value = oracle.Decode(r.Body)
	}
	if a.OK {
		a.Shown = oracle.Representation(c.Op, a.Value)
	}
}

func (t *Test) addJudged(j oracle.Judged, c *Call, a *Answer) {
	for _, f := range j.Findings {
		if a.isAllowed(j) || a.mayBreak(&f, j.Valid) {
			continue
		}
		f.Case = t.Case.ID
		f.Operation = c.Op.ID
		t.add(&f)
	}
	if !a.Expect.OnlyCrash {
		t.Covered(j.Clauses...)
	}
}

// isAllowed reports whether the case allows the answer whatever it holds: its status where that would be a failure or
// comes from somebody else, or anything but a success where the path may belong to something else.
func (a *Answer) isAllowed(j oracle.Judged) bool {
	e := a.Expect
	isListed := slices.Contains(e.Statuses, a.Status)
	switch {
	case a.isFailure():
		return isListed
	case e.Elsewhere:
		return isListed || !oracle.Succeeds(a.Call.Op, a.Status, j.Value)
	}
	return isListed && e.Unlisted
}

// mayBreak reports whether the case allows an answer to break a check of the oracle: one that the document does not
// list, or any but that on failures if only they are judged.
func (a *Answer) mayBreak(f *Finding, isValid bool) bool {
	e := a.Expect
	switch f.Clause {
	case "HTTP-1":
		return false
	case "JSON-1":
		return e.OnlyCrash && !(e.Unlisted && a.breaksJSON())
	case "ERR-12":
		return e.OnlyCrash || a.isAllowedRefusal()
	}
	isJudged := e.ErrorForm && isValid && strings.HasPrefix(f.Clause, "ERR-")
	return e.OnlyCrash && !isJudged
}

// isAllowedRefusal reports whether an answer is a refusal that the case allows.
func (a *Answer) isAllowedRefusal() bool {
	isAllowed := a.Expect.AnyRefusal || slices.Contains(a.Expect.Statuses, a.Status)
	return isAllowed && oracle.IsRefusal(a.Status)
}

// judgeExpectation compares the status with what the case allows.
func (t *Test) judgeExpectation(c *Call, a *Answer) {
	if a.isOfDeleted() { // a request without a valid key is then wrong twice; the server may report either
		a.Expect.Statuses = append(slices.Clone(a.Expect.Statuses), http.StatusNotFound)
	}
	e := a.Expect
	a.Expected = a.allowedBy(e)
	switch {
	case e.Clause == "", e.OnlyCrash, a.isFailure(), c.mayBeTooSlow(a):
	case a.Expected:
		t.coverExpected(c, a)
	case a.isExplained(), t.isGoneForAll(a): // another finding says it
	default:
		t.addUnexpected(c, a)
	}
}

// isOfDeleted reports whether a request has to be refused for its key and names what the suite has deleted.
func (a *Answer) isOfDeleted() bool {
	o := a.Call.Object
	return o != nil && o.Deleted() && slices.Equal(a.Expect.Statuses, []int{http.StatusUnauthorized})
}

// mayBeTooSlow reports whether an answer refuses a request because it came in two halves.
func (c *Call) mayBeTooSlow(a *Answer) bool {
	return c.Halved && slices.Contains(TooSlow, a.Status)
}

// coverExpected notes which clauses an expected answer shows. If a success and a refusal are both right, the refusal
// shows nothing.
func (t *Test) coverExpected(c *Call, a *Answer) {
	e := a.Expect
	if e.Field != "" && a.Status == http.StatusUnprocessableEntity {
		t.JudgeNames(e.Field, "", a)
	}
	if e.Success == a.OK {
		t.CoveredIf(t.Contract.Clause(e.Clause).ShownBy(a.Status), e.Clause)
	}
	isOwners := c.As.Name == OwnerName && c.Object != nil
	if isServed := e.Success && a.OK; isOwners && isServed {
		t.Covered("AUTH-4")
		t.CoveredIf(c.Object.Alive() || c.Object.ShownToExist(), "EFFECT-3")
	}
}

// addUnexpected adds the finding that an answer is not one that the case allows.
func (t *Test) addUnexpected(c *Call, a *Answer) {
	e := a.Expect
	f := Finding{
		Clause: a.unmetClause(), WFC: 101,
		Expected: e.Words(c.Op), Allowed: e.Answers(c.Op), Lack: lacks(c, a),
	}
	f.Got = fmt.Sprintf("status %d%s", a.Status, f.Lack)
	if hasForm := e.Success && c.Op.Success != nil; hasForm && a.OK {
		f.Cause = finding.CauseOf(finding.NoSuccessBody)
	}
	t.Covered(f.Clause)
	t.holdBack(c, a, t.Find(checkOf(e.Check(a.Status)), f))
}

// unmetClause returns the clause that an unexpected answer breaks. It is not always that of the expectation if it is
// the owner who is refused.
func (a *Answer) unmetClause() string {
	c, e := a.Call, a.Expect
	isDenied := a.Status == http.StatusUnauthorized || a.Status == http.StatusForbidden
	switch {
	case c.As.Name != OwnerName:
	case e.Clause == "AUTH-3":
		return a.unmetInTurn(isDenied)
	case !e.Success:
	case isDenied:
		return "AUTH-4"
	case a.Status == http.StatusNotFound:
		return "EFFECT-3"
	}
	return e.Clause
}

// unmetInTurn is like unmetClause, for a request of the owner among those of other users, who are not involved unless
// the owner is denied.
func (a *Answer) unmetInTurn(isDenied bool) string {
	switch {
	case isDenied:
	case !a.Expect.Success:
		return "ERR-1" // it answers an unknown id
	case a.Status != http.StatusNotFound:
		return a.Call.Op.Clause
	}
	return a.Expect.Clause
}

// lacks describes what a success lacks that was not expected.
func lacks(c *Call, a *Answer) string {
	switch needsContent := a.Expect.Success || a.Expect.EmptyList; {
	case !a.OK, c.Op.Success == nil, !needsContent:
		return ""
	case c.Op.Lists():
		return " with a list that is not empty"
	case len(a.Exchange.Response.Body) == 0:
		return " without a body"
	}
	text := " with " + oracle.Describe(a.Value)
	if name := c.Op.InEnvelope(); name != "" {
		text += ", and no object in " + name
	}
	return text
}

// ofError returns a finding about the fields that the issues of an error name.
func (t *Test) ofError(clause, expected, got string) Finding {
	at := "/" + t.Contract.Error.Field("error").Name
	return Finding{Clause: clause, Pointer: at, Expected: expected, Got: got}
}

// requireNames judges the fields that the issues of an error name.
func (t *Test) requireNames(held bool, a *Answer, expected, got string, named ...string) {
	f := t.ofError("ERR-10", expected, got)
	f.Name = cmp.Or(named...)
	t.showing(a.Exchange).require(held, CheckRelatedField, f)
}

// JudgeNames checks that an issue of an error names the only wrong field. The form of the name is open (name, /name,
// data.name), so only its last segment is compared.
func (t *Test) JudgeNames(field, wrong string, a *Answer) {
	named := oracle.Named(t.Contract, a.Value)
	i := slices.IndexFunc(named, func(text string) bool {
		return oracle.LastSegment(text) == field
	})
	if i >= 0 {
		t.Covered("OPEN-10")
		t.Observe("related-field-form", spec.Choice(strings.TrimSuffix(named[i], field)+"name"))
	}
	got := "none that names a field"
	if len(named) > 0 {
		got = "only issues that name " + quoted(named)
	}
	t.requireNames(i >= 0, a, fmt.Sprintf("an issue whose relatedField names %q%s", field, wrong), got, named...)
}

// JudgeNoneElse checks that no issue of an error names a field other than these.
func (t *Test) JudgeNoneElse(fields []string, a *Answer) {
	others := slices.DeleteFunc(oracle.Named(t.Contract, a.Value), func(text string) bool {
		return slices.Contains(fields, oracle.LastSegment(text))
	})
	t.requireNames(len(others) == 0, a,
		"each issue names one of "+strings.Join(fields, ", "), "issues that name "+quoted(others), others...)
}

// quoted formats the first texts of an answer with Show, which keeps them whole enough for keys in them to be
// recognised.
func quoted(texts []string) string {
	var all []string
	for _, text := range texts {
		all = append(all, oracle.Show(text))
	}
	return wording.Some(all, 5)
}

// JudgeBothWrong checks that the issues of an error about two fields name one of them, and observes how many issues
// there are. If they are two of the types that the fields get alone, they have to name both.
func (t *Test) JudgeBothWrong(fields []string, alone []*Answer, both *Answer) {
	issues := oracle.Issues(t.Contract, both.Value)
	seen := fmt.Sprintf("%d issues for %d wrong fields", len(issues), len(fields))
	t.Observe("both-fields-wrong", spec.Choice(seen))
	t.JudgeNoneElse(fields, both)
	var single, types, texts, named []string
	for _, a := range alone {
		one := oracle.Issues(t.Contract, a.Value)
		if a.Status == http.StatusUnprocessableEntity && len(one) == 1 {
			single = append(single, one[0].Type)
		}
	}
	for _, issue := range issues {
		types = append(types, issue.Type)
		texts = append(texts, issue.Field)
		named = append(named, oracle.LastSegment(issue.Field))
	}
	switch {
	case strings.Join(texts, "") == "":
		t.requireNames(false, both, "an issue that names one of "+strings.Join(fields, ", "), "none")
	case len(single) == len(fields) && alike(single, types):
		expected := "two issues, of which one names " + fields[0] + " and one " + fields[1]
		t.requireNames(alike(named, fields), both, expected, "issues that name "+quoted(texts), texts...)
	}
}
