package finding

import (
	"slices"

	"github.com/adconform/adconform/spec"
)

// A Kind is the constant part of a cause. Unless a check says more, it is the id of the check.
type Kind string

// A Cause is what is wrong, whatever operation and field shows it.
type Cause struct {
	Kind    Kind
	Subject Subject // the request, where the sentence has one
	Status  int     // of the answer, where the sentence has it
	Detail  string  // what the sentence says beside
}

// A Subject describes a request by the part that matters, or many requests by what they have in common.
type Subject struct {
	What      Oddity
	Extra     Oddity
	Declared  string // as in Sent
	N         int
	IsRequest bool // it is a request with What
}

// Requests by what they have in common.
const (
	Ordinary      Oddity = "an ordinary request"
	AlsoOrdinary  Oddity = "any request, even an ordinary one,"
	AnyRequest    Oddity = "a request"
	MustBeRefused Oddity = "a request that must be refused"
	Unpermitted   Oddity = "a request from a user without permission"
	Keyless       Oddity = "a request without a valid key"
	OwnersKey     Oddity = "the owner's key"
	Existing      Oddity = "an existing object"
	MalformedBody Oddity = "a malformed body"
	WrongValue    Oddity = "a value that a field may not have"
	AnyLongText   Oddity = "a long text"
	SecondDelete  Oddity = "a second delete"
)

var general = map[Oddity]bool{
	"": true, Ordinary: true, AlsoOrdinary: true, AnyRequest: true, MustBeRefused: true, Unpermitted: true,
	Keyless: true, OwnersKey: true,
	Existing: true, MalformedBody: true, WrongValue: true, AnyLongText: true, SecondDelete: true,
}

// tells reports whether the subject says what was sent.
func (s Subject) tells() bool { return !general[s.What] }

// The causes that are told by an answer to a request.
const (
	ServerFails    Kind = "server-error"
	OrdinaryFails  Kind = "ordinary-fails"
	FailsByChance  Kind = "fails-by-chance"
	Undeclared     Kind = "undeclared-status"
	Answered       Kind = "answered"
	WrongStatus    Kind = "expected-status"
	Accepted       Kind = "not-refused"
	AcceptedAs     Kind = "accepted-as"
	AccessesOthers Kind = "accesses-others"
	AcceptedAny    Kind = "wrong-id-accepted"
	TakenForOther  Kind = "taken-for-another-user"
	NotChecked     Kind = "permission-not-checked"
	NoAnswer       Kind = "transport"
	ClassNoAnswer  Kind = "class-without-answer"
	Hangs          Kind = "hangs"
	StopsAfter     Kind = "stops-after"
	SlowsAfter     Kind = "slows-after"
	SlowBeside     Kind = "slow-beside-others"
)

// The causes that are told by the contents of an answer.
const (
	WrongType      Kind = "wrong-type"
	LacksMember    Kind = "lacks-member"
	LengthOn204    Kind = "length-on-204"
	NoContentType  Kind = "no-content-type"
	Charset        Kind = "charset"
	NoSuccessBody  Kind = "success-body"
	NotJSON        Kind = "json-text"
	NotUTF8        Kind = "not-utf-8"
	NoErrorSection Kind = "error-section"
	DateAsNumber   Kind = "date"
	NamesNothing   Kind = "names-nothing"
	PageTotal      Kind = "page-total"
	PageTotalPages Kind = "page-total-pages"
	ListTotal      Kind = "list-total"
	ListPage       Kind = "list-page"
	MissingItems   Kind = "missing-items"
	ItemsTwice     Kind = "items-twice"
	ItemChanged    Kind = "item-changed"
	ReadOnlyLater  Kind = "read-delay"
)

// The causes that are told by what an object shows later.
const (
	Stale          Kind = "stale"
	NoDefault      Kind = "no-default"
	RefusedWrite   Kind = "refused-write"
	OtherObject    Kind = "other-object"
	RefusedDelete  Kind = "refused-delete"
	DeleteOther    Kind = "delete-other"
	GoneUnnamed    Kind = "gone-unnamed"
	GoneUnprompted Kind = "gone-unprompted"
	BackAsNull     Kind = "back-as-null"
	BackAsOther    Kind = "back-as-other"
	BackEscaped    Kind = "back-escaped"
	BackEmpty      Kind = "back-empty"
	BackCut        Kind = "back-cut"
	BackOtherCase  Kind = "back-other-case"
	BackQuoted     Kind = "back-quoted"
	BackLossy      Kind = "back-lossy"
	Writers        Kind = "concurrent-writers"
)

// A family is a group of causes of which one explains the others, where they show at the same place.
type family int

const (
	_ family = iota
	byDelete
	byCharacters
	byTotal
	byWrite   // of a field: a refused write that was carried out, or an update that was not, is why it shows another value
	byAnswer  // of an operation: if an ordinary request has it, too, what is odd about others does not matter
	byID      // if an unknown id is accepted, what is wrong with others does not matter
	byList    // if any value is accepted, its letter case does not matter
	byText    // one oddity of a text that fails alone explains texts that have it among several
	byRequest // a request of a class that is also sent for itself has no cause of its own
)

// A row of the table says everything that depends on the kind of a cause alone.
type row struct {
	// sentence has {request}, {status} and {detail} in place of what differs between causes of the kind.
	sentence string
	hint     *Hint       // the usual cause, unless the conditions of another hint hold
	impact   spec.Impact // "" for that of the clause
	family   family
	weight   int  // of the causes of a family the heaviest explains the others; with 0, it is only a consequence
	own      bool // it is still a finding of its own, where a heavier one explains others
}

// Hints that depend on the kind of a cause alone.
var (
	checkedTooLate = Hint{
		ID: "checked-too-late",
		Text: "The write is often made before the check that refuses it, " +
			"or its transaction is committed although an error is thrown.",
	}
	keptElsewhere = Hint{
		ID: "kept-elsewhere",
		Text: "The read is often answered from a cache or replica that the update does not reach, " +
			"or the updated object is never saved.",
	}
	listKeptElsewhere = Hint{
		ID: "list-kept-elsewhere",
		Text: "The list is often answered from a cache or replica that the delete does not reach. " +
			"Drop the parent's cached lists when one of its media files is deleted.",
	}
	wholeRow = Hint{
		ID:         "whole-row-written",
		Text:       "The object is often read, modified and written back with all of its columns.",
		Frameworks: []string{"Hibernate (without @DynamicUpdate)", "Django (save without update_fields)"},
	}
	notCaught = Hint{
		ID:   "not-caught",
		Text: "An exception was probably not caught. Your server's log should show it at the time of this request.",
	}
	escapedEarly = Hint{
		ID:         "escaped-on-the-way-in",
		Text:       "Text is often HTML-escaped when it is stored or sent. Escape it where HTML is rendered instead.",
		Frameworks: []string{"PHP (htmlspecialchars on input)"},
	}
	datedElsewhere = Hint{
		ID: "updated-at-stands",
		Text: "The date is often set by a hook that this kind of update does not run, taken from another clock, " +
			"or local time written as UTC.",
		Frameworks: []string{
			"Django (auto_now and QuerySet.update)", "JPA (@PreUpdate and bulk updates)", "Rails (update_columns)",
		},
	}
)

var table = map[Kind]row{
	ServerFails: {sentence: "{request} makes the server fail with {status}", family: byAnswer, hint: &notCaught},
	OrdinaryFails: {
		sentence: "{request} makes the server fail with {status}", family: byAnswer, impact: spec.Major, hint: &notCaught,
	},
	FailsByChance: {sentence: "the server fails intermittently with {status}", impact: spec.Major, hint: &notCaught},
	Undeclared: {
		sentence: "{request} is answered {status}, a status that the operation does not declare", family: byAnswer,
	},
	Answered:       {sentence: "{request} is answered {status}{detail}", family: byAnswer},
	WrongStatus:    {sentence: "{request} is answered {status}{detail}"},
	Accepted:       {sentence: "{request} is accepted"},
	AcceptedAs:     {sentence: "{value} is accepted as {type}"},
	AccessesOthers: {sentence: "{request} is accepted", impact: spec.Critical},
	AcceptedAny:    {sentence: "a wrong id is accepted at {detail}"},
	TakenForOther:  {sentence: "a request is answered as if it were another user's"},
	NotChecked:     {sentence: "permission is not checked: any user can access any object"},

	NoAnswer:      {sentence: "no complete answer comes: {detail}"},
	ClassNoAnswer: {sentence: "{request} gets no complete answer: {detail}"},
	Hangs:         {sentence: "from one request on the server hangs: it accepts connections, but answers nothing"},
	StopsAfter:    {sentence: "the server stops answering after {detail}"},
	SlowsAfter:    {sentence: "the server slows down after {detail}"},
	SlowBeside:    {sentence: "an answer does not come in time while other requests are under way"},
	"framing":     {sentence: "an answer has invalid HTTP framing"},

	NoSuccessBody:    {sentence: "a success comes without the object or the list"},
	"no-content":     {sentence: "a 204 has content"},
	LengthOn204:      {sentence: "a 204 has Content-Length: 0"},
	"content-type":   {sentence: "a body is not labelled as JSON"},
	NoContentType:    {sentence: "an answer with a body has no Content-Type"},
	Charset:          {sentence: "the charset of JSON is misspelt"},
	NotJSON:          {sentence: "a body is not well-formed JSON"},
	NotUTF8:          {sentence: "a body is not well-formed JSON", family: byCharacters, weight: 1},
	"json-names":     {sentence: "a JSON object has a member twice"},
	NoErrorSection:   {sentence: "an error comes without the contract's error object"},
	"error-code":     {sentence: "the error object does not repeat the status"},
	"error-issues":   {sentence: "the error object lists no issues"},
	"issue-text":     {sentence: "an issue has no type or no message"},
	"related-field":  {sentence: "no issue names the field that is wrong"},
	"foreign-issue":  {sentence: "an error has an issue of an earlier request"},
	NamesNothing:     {sentence: "an issue names something that is not part of the request"},
	"refusal-header": {sentence: "a refusal lacks a header that HTTP requires"},
	"schema":         {sentence: "the answer does not match the schema"},
	WrongType:        {sentence: "the answer has {detail}"},
	LacksMember:      {sentence: "the answer lacks a member"},
	"integer-form":   {sentence: "an integer is written with a fraction or an exponent"},
	DateAsNumber:     {sentence: "a date is a number"},
	"letter-case":    {sentence: "a published value is shown in other letter case"},

	"page-count":    {sentence: "count is not the number of items"},
	PageTotal:       {sentence: "totalCount does not fit the page", family: byTotal},
	"page-number":   {sentence: "page is not the number of a page"},
	PageTotalPages:  {sentence: "totalPages does not fit totalCount and the items of a page", family: byTotal},
	"page-own-id":   {sentence: "the list of a creative holds the creative itself"},
	"page-unique":   {sentence: "an item appears twice on a page"},
	"list-members":  {sentence: "a list does not hold the right items"},
	ListTotal:       {sentence: "totalCount is not the number of items", family: byTotal},
	"list-walk":     {sentence: "the pages together do not make up the collection"},
	ListPage:        {sentence: "page or items do not belong to the requested page"},
	"list-repeat":   {sentence: "two reads differ, with no write between them"},
	MissingItems:    {sentence: "a list lacks items that it counts", family: byTotal, weight: 1},
	ItemsTwice:      {sentence: "the pages together show items twice"},
	ItemChanged:     {sentence: "an item of a list has changed"},
	"delete-listed": {sentence: "a list does not reflect a delete", hint: &listKeptElsewhere},
	"delete-effect": {sentence: "a second delete is not answered 404"},
	DeleteOther:     {sentence: "a delete removed another creative, too", family: byDelete, weight: 2, own: true},
	RefusedDelete: {
		sentence: "a refused delete was carried out all the same", hint: &checkedTooLate,
		family: byDelete, weight: 1, own: true,
	},
	GoneUnnamed:    {sentence: "a creative is gone although no accepted delete named it", family: byDelete},
	GoneUnprompted: {sentence: "a creative is gone although no request deleted it"},

	"identity":        {sentence: "the answer shows another object than the one in the path"},
	"shows-sent":      {sentence: "the answer shows another value than the one that was sent"},
	"text-altered":    {sentence: "a text comes back trimmed, folded or normalised"},
	"beyond-document": {sentence: "a body is accepted although the document does not allow it"},
	"stays":           {sentence: "a value changed that no request can change"},
	"updated-at":      {sentence: "updatedAt is not the date of the update", hint: &datedElsewhere},
	"date-form":       {sentence: "dates are written in more than one form"},
	Stale: {
		sentence: "an update was answered with success, but not kept", hint: &keptElsewhere, family: byWrite, weight: 1,
	},
	NoDefault: {
		sentence: "a field that an update leaves out shows neither its last value nor one fixed default",
		hint:     &keptElsewhere, family: byWrite,
	},
	RefusedWrite: {
		sentence: "a refused request was carried out all the same", hint: &checkedTooLate, family: byWrite, weight: 2,
	},
	OtherObject:   {sentence: "an update changed another object"},
	Writers:       {sentence: "one of two concurrent updates of different fields is lost", hint: &wholeRow},
	ReadOnlyLater: {sentence: "a read shows a change only later"},
	"pinned":      {sentence: "the target does not choose as the target file pins"},
	"consistent":  {sentence: "the operations differ where the contract is silent"},
	"spec":        {sentence: "an expectation is not met"},

	BackAsNull:    {sentence: "a text comes back as null, or not at all"},
	BackAsOther:   {sentence: "a text comes back as {detail}"},
	BackEscaped:   {sentence: "a text comes back escaped for HTML", hint: &escapedEarly},
	BackEmpty:     {sentence: "a text comes back empty"},
	BackCut:       {sentence: "a text comes back cut off"},
	BackOtherCase: {sentence: "a text comes back in other letter case"},
	BackQuoted:    {sentence: "a text comes back with other quotation marks or backslashes"},
	BackLossy:     {sentence: "a text comes back with some of its characters lost or replaced", family: byCharacters},
}

// CauseOf returns the cause of a kind that says nothing more.
func CauseOf(kind Kind) Cause { return Cause{Kind: kind} }

// OfSecondDelete returns the cause of an answer to a second delete other than 404.
func OfSecondDelete(status int) Cause {
	expected := expectation([]string{"404"})
	return Cause{Kind: WrongStatus, Subject: Subject{What: SecondDelete}, Status: status, Detail: expected}
}

// isKnown reports whether a cause is given.
func (c Cause) isKnown() bool { return c.Kind != "" }

// fails reports whether the cause is an outcome that ordinary requests may have, too: then it is not due to what was
// odd.
func (c Cause) fails() bool {
	return table[c.Kind].family == byAnswer && c.Subject.What != SecondDelete
}

// breaksServer reports whether the cause is that the server fails.
func (c Cause) breaksServer() bool {
	return slices.Contains([]Kind{ServerFails, OrdinaryFails, FailsByChance}, c.Kind)
}

// Request describes the request of a sighting by the part that matters.
func (s *Sighting) Request() Subject {
	switch part := s.Sent; {
	case s.IsOrdinary() && s.IsAdopted: // it is unknown whether it is ordinary
		return Subject{What: AnyRequest}
	case s.IsOrdinary():
		return Subject{What: Ordinary}
	default:
		isWith := part.isAt(Key) || part.IsClass()
		return Subject{What: part.What, Extra: part.Extra, Declared: part.Declared, N: part.N, IsRequest: isWith}
	}
}

// sender describes the request of a sighting like Request, but all invalid keys alike.
func (s *Sighting) sender() Subject {
	switch {
	case !s.Sent.isAt(Key), s.IsOrdinary():
		return s.Request()
	case s.Clause == "AUTH-2", s.Sent.is(StrangersKey):
		return Subject{What: Unpermitted}
	}
	return Subject{What: Keyless}
}

// Explain sets the cause of a sighting. kind is the one that its check finds, unless the request or the answer says
// more.
func (s *Sighting) Explain(kind Kind) {
	switch {
	case s.Cause.isKnown():
	case kind == ServerFails:
		s.Cause = s.failure()
	case kind == Undeclared:
		s.Cause = Cause{Kind: Undeclared, Subject: s.sender(), Status: s.status()}
	case kind == WrongStatus:
		s.Cause = s.wrongStatus()
	case kind == Accepted:
		s.Cause = s.accepted()
	default:
		s.Cause.Kind = kind
	}
}

// IsAnswered reports whether the answer has a status.
func (s *Sighting) IsAnswered(status int) bool { return s.status() == status }

// status returns the status of the answer, 0 if none came.
func (s *Sighting) status() int {
	if s.Answer == nil {
		return 0
	}
	return s.Answer.Status
}

func (s *Sighting) failure() Cause {
	kind := ServerFails
	if s.IsOrdinary() {
		kind = OrdinaryFails
	}
	return Cause{Kind: kind, Subject: s.Request(), Status: s.status()}
}

// accepted describes a request that was carried out and has to be refused.
func (s *Sighting) accepted() Cause {
	by := s.sender()
	switch {
	case s.Clause == "AUTH-3":
		return CauseOf(TakenForOther)
	case s.Sent.is(OthersID): // whatever part of the path is wrong
		return Cause{Kind: AccessesOthers, Subject: by}
	case by.What == Ordinary || by.What == AnyRequest:
		return Cause{Kind: Accepted, Subject: Subject{What: MustBeRefused}}
	case by.Declared != "":
		return Cause{Kind: AcceptedAs, Subject: by}
	}
	return Cause{Kind: Accepted, Subject: by}
}

// wrongStatus describes an answer with a status other than the expected one.
func (s *Sighting) wrongStatus() Cause {
	c := Cause{Kind: Answered, Subject: s.sender(), Status: s.status(), Detail: s.Lack}
	switch {
	case s.Clause == "AUTH-4": // whatever else the request is about
		c.Subject = Subject{What: OwnersKey}
		return c
	case s.Clause == "EFFECT-3":
		c.Subject = Subject{What: Existing}
		c.Detail = ""
		return c
	case s.Clause == "AUTH-2":
		c.Subject = Subject{What: Unpermitted}
	case s.Clause == "ERR-3":
		c.Subject = Subject{What: MalformedBody}
	case c.Subject.Declared != "", s.Clause == "ERR-5":
		c.Subject = Subject{What: WrongValue}
	case c.Subject.N > 0: // one limit refuses all lengths beyond it
		c.Subject = Subject{What: AnyLongText}
	case s.IsOrdinary(): // which of several answers is the right one says nothing of the cause
		return c
	}
	c.Kind = WrongStatus
	c.Detail += expectation(s.allowed())
	return c
}

// allowed returns the answers that the clause allows. About a key it is the first, as others are allowed where a
// request has more than one fault.
func (s *Sighting) allowed() []string {
	if s.isAboutKey() && len(s.Allowed) > 0 {
		return s.Allowed[:1]
	}
	return s.Allowed
}

// IsPageTotal reports whether a page's totals do not fit its items.
func (s *Sighting) IsPageTotal() bool {
	return s.Check == string(PageTotal) || s.Check == string(PageTotalPages)
}

// isAboutKey reports whether the clause is one on authentication.
func (s *Sighting) isAboutKey() bool {
	return s.cites("AUTH-1", "AUTH-2", "AUTH-3", "AUTH-4")
}

// cites reports whether the clause is one of these.
func (s *Sighting) cites(clauses ...string) bool {
	return slices.Contains(clauses, s.Clause)
}
