package session

import (
	"fmt"
	"strings"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// A Case is what a spec may do while its case runs: send requests, say what their answers have to be, and ask what is
// known. Results, the liveness of the target and the end of the run are out of its reach. *T is the only
// implementation.
type Case interface {
	// Send sends one request. SendTogether sends several at the same instant, SendInOrder one after another on one
	// connection; their answers are judged in the order of the calls. SendAround sends a request in two halves, and
	// another between them, and reports whether that one was answered meanwhile.
	Send(judge.Call) *judge.Answer
	SendTogether(...judge.Call) []*judge.Answer
	SendInOrder(...judge.Call) []*judge.Answer
	SendAround(halved, between judge.Call) (answers []*judge.Answer, met bool)
	// Pause waits, and reports whether the case may continue.
	Pause(time.Duration) bool

	// Expect states what a matcher has to find in an answer, or in another value. A breach is a finding, with the line
	// of the spec.
	Expect(actual any) Assertion
	// Right returns which answers are right by the document. Judge judges an answer by that, or by another expectation.
	// An answer of which a spec says nothing is judged by the rules for every answer. Ask sends a request whose answer
	// is judged by these and an expectation, but not by the clause of the case.
	// RightTo returns which answers to a request are right that is not sent.
	Right(*judge.Answer) judge.Expect
	RightTo(judge.Call) judge.Expect
	Judge(*judge.Answer, judge.Expect) []*judge.Finding
	Ask(judge.Call, judge.Expect) *judge.Answer
	// Compare judges what several answers show together.
	Compare() Comparisons
	// Observe records what the target chose at an open point.
	Observe(point string, choice spec.Choice)
	// NotTested says why the case shows nothing; NotGiven, that the target file lacks something.
	NotTested(judge.Cause, string)
	NotGiven(reason string)

	// Read reads an object back, and returns the fields that it could read. Write updates all its fields, which has to
	// succeed. VerifyNoTraceOf reads an object back if a refused request may have changed it. Survey finds out, once
	// for each operation, how objects can be read back.
	Read(*judge.Object) (fields []*spec.Field)
	Write(*judge.Object, map[string]any) *judge.Answer
	VerifyNoTraceOf(*judge.Object)
	Survey(*judge.Object)

	// Object returns the object under a key of the target file for an operation, or nil.
	Object(*spec.Operation, string) *judge.Object
	// Ordinary returns plain values for all fields of an update, other ones in each round. Fake makes single values.
	Ordinary(o *judge.Object, round int) map[string]any
	Fake() *fixtures.Values
	// User returns the user to whom an object belongs.
	User(*judge.Object) wire.Credential
	Owner() wire.Credential
	Stranger() wire.Credential

	// Planned returns the case as it was planned, Run what holds for the whole run, Target what is known about the
	// target.
	Planned() judge.Case
	Run() *Run
	Target() Target

	// Findings returns what the case has found so far. Drop drops a finding that another one makes superfluous.
	Findings() []*judge.Finding
	Drop(*judge.Finding)
	// UpTo returns the requests of the case up to the one that shows a finding.
	UpTo(*judge.Finding) []oracle.Request
	// Trial returns a context whose findings are reported only if they are adopted.
	Trial() Trial
	// Left returns for how long the case may send; 0 if the run ended. Without a deadline it returns an hour.
	Left() time.Duration
}

// A Trial is a case in which a spec tries what it may report or not.
type Trial interface {
	Case
	// Sent returns the number of requests of the trial.
	Sent() int
	// Adopt reports a finding of the trial in the case, with the sequence and the steps that led to it.
	Adopt(f *judge.Finding, sequence string, steps []string)
}

// Target is what is known about the target.
type Target interface {
	// UnknownObject returns an object for which an operation has to answer 404, UnknownID an unused id for position i
	// of its path; n distinguishes several. Lookup returns the id of the owner's object under a key.
	UnknownObject(*spec.Operation) *judge.Object
	UnknownID(op *spec.Operation, i, n int) spec.ID
	Lookup(key string) spec.ID
	// FileToDelete returns a media file of a container that may be deleted, and whether the list shows it.
	FileToDelete(container *judge.Object, list judge.ListPage) (file *judge.Object, isListed bool)
	// DeletedBefore reports whether the run deleted an object, and if so says that the case was not tested.
	DeletedBefore(*judge.Object) bool
	// Ownership says whether an answer showed that an object under foreign is the stranger's.
	Ownership(key string) judge.Ownership
	// UserID returns the owner's id, or "".
	UserID() string
	// PageParameter returns the name of the parameter that selects a page, or "".
	PageParameter(*spec.Operation) string

	// TakesParts reports whether updates of a part of the fields are accepted, KeepsOmitted whether they keep the
	// others, and ResetsTo whether an empty one was seen to reset a field to a value.
	TakesParts(*judge.Object) bool
	KeepsOmitted(*judge.Object) bool
	ResetsTo(o *judge.Object, f *spec.Field, v any) bool
	// KnownEmpty reports whether a list has no items, ShownPages how many of its pages were read by their numbers.
	// ItemsMadeNow reports whether a list shows items as created at the moment of the answer.
	KnownEmpty(*judge.Object) bool
	ShownPages(*judge.Object) int
	ItemsMadeNow(*judge.Answer) bool
	// Presentable returns a text of the target as a finding may quote it: without keys.
	Presentable(string) string
}

// Comparisons judge what several answers show together. Each adds its findings to the case.
type Comparisons interface {
	JudgeDeleted(*judge.Answer)
	JudgeSecondDelete(*judge.Object, *judge.Answer)
	JudgeDelisted(op, lists *spec.Operation, ids []spec.ID, whole bool)

	JudgeRepeat(o *judge.Object, first, second *judge.Answer)
	JudgeOthers(*judge.Object, *judge.Answer)
	NoPaging(o *judge.Object, first, second *judge.Answer) bool
	// JudgeHolds judges whether the own list of a user, with these ids, holds the user's objects.
	JudgeHolds(*judge.Object, []spec.ID)
	// InPart says that only the first page of a list can be seen, ReadInPart that a list was too long.
	InPart(op *spec.Operation, reason string)
	ReadInPart(op *spec.Operation, reason string)

	JudgeNames(field, wrong string, a *judge.Answer)
	JudgeNoneElse(fields []string, a *judge.Answer)
	JudgeBothWrong(fields []string, alone []*judge.Answer, both *judge.Answer)
	NoticeUndocumentedBody(a *judge.Answer, expected, got string)

	ObserveNull(point string, f *spec.Field, before any, a *judge.Answer)
	StandsStill(o *judge.Object, a *judge.Answer, patient bool) time.Duration
	JudgeWriters(o *judge.Object, values map[string]any, read []*spec.Field, answers []*judge.Answer) (isLost bool)
	Wears(*judge.Wear, *judge.Answer) bool
}

// A Run is what holds for every case of a run.
type Run struct {
	Contract  *spec.Contract
	Target    *fixtures.Target
	Seed      uint64
	ReadOnly  bool
	Drawn     int                 // how many requests random sequences may send, or 0 for the default
	Sequences map[string][]string // to send, by case; nil to draw them

	outcome *judge.Outcome
}

// Found reports whether any case has a finding at a site.
func (r *Run) Found(at report.Site) bool { return r.outcome.Found(at) }

// NoteArrays notes what the requests of an operation were made of so far.
func (r *Run) NoteArrays(n report.Arrays) { r.outcome.NoteArrays(n) }

// Compare returns the comparisons of the case.
func (t *T) Compare() Comparisons { return t.Test }

// Fake returns the source of the case's data.
func (t *T) Fake() *fixtures.Values { return t.fake }

// Planned returns the case as it was planned.
func (t *T) Planned() judge.Case { return *t.Test.Case }

// Run returns what holds for the whole run.
func (t *T) Run() *Run { return &t.Session.Shared.run }

// Target returns what is known about the target.
func (t *T) Target() Target { return t }

// Ownership says whether an answer showed that an object under foreign is the stranger's.
func (t *T) Ownership(key string) judge.Ownership {
	return t.Known().Outcome.Ownership(key)
}

// Findings judges the answers that are left, and returns what the case has found.
func (t *T) Findings() []*judge.Finding {
	t.judgePending()
	return t.Test.Result.Findings
}

// unlimited is how long a case may send in a run without a deadline.
const unlimited = time.Hour

// Left returns for how long the case may send.
func (t *T) Left() time.Duration {
	deadline, isSet := t.Ctx.Deadline()
	switch {
	case t.Ctx.Err() != nil, t.Known().Outcome.Liveness.Gone() != "":
		return 0
	case !isSet:
		return unlimited
	}
	return time.Until(deadline)
}

// trial is a Trial for a case.
type trial struct {
	*T
	of *T
}

// Trial returns a context whose findings are reported only if they are adopted.
func (t *T) Trial() Trial {
	t.judgePending()
	own := *t
	own.Test = t.Known().Aside(t.Test.Case)
	return trial{&own, t}
}

func (t trial) Sent() int { return len(t.Test.Result.Exchanges) }

func (t trial) Adopt(f *judge.Finding, sequence string, steps []string) {
	own := t.Test
	of := t.of.Test
	of.Result.Exchanges = append(of.Result.Exchanges, own.Result.Exchanges...)
	if f.Sequence = sequence; len(steps) > 1 {
		f.Got = fmt.Sprintf("%s; after %s", f.Got, wording.Clip(strings.Join(steps, ", then "), maxSteps))
		if f.Requests == nil {
			f.Requests = own.UpTo(f)
		}
	}
	of.Adopt(own.Result, f)
}

// maxSteps bounds the characters in which a finding describes its steps.
const maxSteps = 400
