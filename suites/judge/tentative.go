package judge

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// TentativeFinding is a finding that stands only where the run confirms it.
type TentativeFinding struct {
	finding *oracle.Finding
	Result  *Result
	Object  *Object
	Status  int
	User    string
	Empty   bool         // a list of which nothing was left by then
	Files   *Disputed    // nil: it is about a status
	Unknown *UnknownText // a text that may be another writer's; nil: it is not about one
}

// Disputed are media files in which the target file and a container's first list
// differ.
type Disputed struct {
	Container     *Object
	Missing, More []int64 // from the list, and in it; empty where only a number is named
	Words         string
}

// UnknownText is a text that appeared in a field of an object.
type UnknownText struct {
	Object *Object
	Field  string
	Text   string
	// Listed texts are of an enumeration, on an object of which nothing else can be read back: they do not
	// tell who wrote them.
	Listed  bool
	pointer string // of the finding
}

// ShownBy says whether a finding is about the text, or, as a listed one may be another each time, about its
// field.
func (s *UnknownText) ShownBy(f *Finding) bool {
	return strings.Contains(f.Got, oracle.Show(s.Text)) || s.Listed && f.Pointer == s.pointer
}

// Reason says what the operator has to know of another writer. The text is presented
// before it is shortened, or part of a key in it might be left.
func (s *UnknownText) Reason(present func(string) string) string {
	if s.Listed {
		return s.Object.named() + listedWords
	}
	return fmt.Sprintf("somebody else writes to %s during the run: its %s was %s, "+
		"which this run did not send and the target had not shown before; run while nobody else uses it, or name another",
		s.Object.named(), s.Field, oracle.Show(present(s.Text)))
}

// hold keeps a finding until the run confirms or drops it.
func (b *Outcome) hold(d TentativeFinding) {
	b.mu.Lock()
	defer b.mu.Unlock()
	d.Result.Tentative = true
	b.Tentative = append(b.Tentative, d)
}

// Abandon takes a tentative finding back. Its case was not tested then, unless it has others.
func (b *Outcome) Abandon(d TentativeFinding, reason string) {
	r := d.Result
	r.Findings = slices.DeleteFunc(r.Findings, func(f *oracle.Finding) bool { return f == d.finding })
	if slices.ContainsFunc(r.Findings, func(f *oracle.Finding) bool { return f.Severity == oracle.Violation }) {
		if n := b.coverage[about{d.finding.Clause, d.finding.Operation}]; n != nil { // it was judged by this finding
			delete(n.Cases, r.Case.ID)
		}
		return
	}
	r.Status, r.Cause, r.Reason = NotTested, ByOperator, reason
	for _, n := range b.coverage {
		delete(n.Cases, r.Case.ID)
	}
}

// Withdraw takes back that an answer is not as expected: that is no breach where a matcher asked for
// just that, or for one of several.
func (t *Test) Withdraw(a *Answer) {
	unmet := slices.DeleteFunc(slices.Clone(a.found), func(f *Finding) bool { return !isUnmet(f) })
	if len(unmet) == 0 {
		return
	}
	b, r := t.Model.Outcome, t.Result
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Tentative = slices.DeleteFunc(b.Tentative, func(d TentativeFinding) bool { return slices.Contains(unmet, d.finding) })
	r.Findings = slices.DeleteFunc(r.Findings, func(f *Finding) bool { return slices.Contains(unmet, f) })
	r.Tentative = slices.ContainsFunc(b.Tentative, func(d TentativeFinding) bool { return d.Result == r })
	if r.Status == Failed && !slices.ContainsFunc(r.Findings, func(f *Finding) bool { return f.Severity == oracle.Violation }) {
		r.Status = Passed
	}
}

// A target file may name an object that is not there, or a key that is not
// valid. So a 401, 403 or 404 on an object that was never seen alive, and a 422 to its list, is
// held back as tentative until the run shows whose fault it is.

// holdBack makes a finding tentative that may be the operator's mistake.
func (t *Test) holdBack(c *Call, a *Answer, f *Finding) {
	if f == nil {
		return
	}
	switch {
	case a.Status == http.StatusUnauthorized && (c.As.Name == OwnerName || c.As.Name == StrangerName):
	case c.Object != nil && len(c.Object.IDs) > 0 && (a.Status == http.StatusForbidden || a.Status == http.StatusNotFound):
	case c.Object != nil && c.Op.Lists() && a.Status == http.StatusUnprocessableEntity && c.As.Name == OwnerName: // it may be no container
	case c.Object != nil && a.OK && c.As.Name == StrangerName && c.Object.seen(Forbidden) && !c.Object.Alive(): // it may be the stranger's
	default:
		return
	}
	t.hold(f, t.Result, c.Object, a.Status, c.As.Name)
}

// hold makes a finding of a case tentative.
func (t *Test) hold(f *Finding, r *Result, o *Object, status int, user string) {
	empty := false
	if o != nil && o.Op.Lists() {
		left := t.Model.media(o)
		empty = left.IDs != nil && len(left.IDs) == 0
	}
	t.Model.Outcome.hold(TentativeFinding{finding: f, Result: r, Object: o, Status: status, User: user, Empty: empty})
}

// noteEvidence notes what an answer shows of objects.
func (t *Test) noteEvidence(c *Call, a *Answer) {
	if c.Object == nil || !c.namesObject() {
		return
	}
	own := c.As.Name == t.User(c.Object).Name
	switch {
	case a.OK && own:
		c.Object.noteOnce(Served)
		t.Model.Outcome.note(Fact{What: Serves, Of: c.Op.ID})
		for _, thing := range c.Object.things() { // and so at what it lies beneath
			t.Model.Outcome.note(Fact{What: Usable, At: thing})
		}
	case a.Status == http.StatusForbidden && own:
		c.Object.noteOnce(Forbidden)
	case a.Status == http.StatusForbidden && c.As.Send:
		c.Object.noteOnce(Denied)
	}
}

// Lives says whether any operation let the object's user at it.
func (t *Test) Lives(o *Object) bool {
	return o.Alive() || t.Model.Outcome.Saw(Fact{What: Usable, At: o.Thing()})
}

// Drop takes a tentative finding back that the run did not confirm, and tells the operator why;
// gone says that nothing shows its object to exist.
func (s *Model) Drop(d TentativeFinding, reason string, gone bool) {
	if gone {
		s.Outcome.noteAbsent(d.Object, s.Presentable(reason))
	} else {
		s.Outcome.noteMistake(reason)
	}
	s.Outcome.Abandon(d, reason)
}

// NoteKey notes what an answer shows of a key. Requests that the document does
// not declare may be answered without a look at it.
func (b *Outcome) NoteKey(c *Call, e oracle.Expect, ex *wire.Exchange) {
	if ex.Err != nil || c.Method != c.Op.Method {
		return
	}
	status := ex.Response.Status
	if showsKey(c, e, status) {
		b.note(Fact{What: KeyTaken, Of: c.As.Name})
	}
	if status == http.StatusUnauthorized && c.As.Name == OwnerName {
		b.note(Fact{What: KeyRefused, Of: c.Op.ID})
	}
}

// showsKey says whether an answer shows that somebody took the key. What cannot be
// decoded, or is too much, is refused by many servers before anyone looks at it.
func showsKey(c *Call, e oracle.Expect, status int) bool {
	switch status {
	case http.StatusNotFound, http.StatusUnprocessableEntity:
		return !c.Encoded && !e.AnyRefusal && !e.OnlyCrash
	}
	return status/100 == 2 || status == http.StatusForbidden
}

// What the target file says and no answer ever showed is the operator's to correct:
// it is told with the verdict, and makes no finding.

// noteMistake notes a mistake of the operator, in words that say what to do.
func (b *Outcome) noteMistake(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !slices.Contains(b.mistakes, text) {
		b.mistakes = append(b.mistakes, text)
	}
}

// Misnamed says of a value of the target file that it is not what the target shows.
func Misnamed(object, words string) string {
	return fmt.Sprintf("%s: the target file says %s; correct it or leave it out, or see why the target changes it", object, words)
}

// Mistakes are the operator's mistakes that the run came upon, the first first.
func (b *Outcome) Mistakes(t *fixtures.Target) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := slices.Clone(b.mistakes)
	if len(b.absent) > 0 {
		all = append(all, UsedUp(t, b.absent)+" are not there (404), as if an earlier run had deleted them; "+
			"name others, or say under provision how to bring them back")
	}
	return all
}

// UsedUp counts disposables that are gone, by keys such as disposableCreatives[0], beside all that the
// target file names: "2 of 8 disposableCreatives".
func UsedUp(t *fixtures.Target, gone []string) string {
	count := map[string]int{}
	for _, key := range slices.Compact(slices.Sorted(slices.Values(gone))) {
		name, _ := SplitKey(key)
		count[name]++
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(count)) {
		all = append(all, fmt.Sprintf("%d of %d %s", count[name], len(t.Objects[name]), name))
	}
	return wording.List(all)
}

// noteAbsent notes an object that its user gets 403 or 404 for.
func (b *Outcome) noteAbsent(o *Object, reason string) {
	if !strings.HasPrefix(o.Key, "disposable") || o.seen(Forbidden) {
		b.noteMistake(reason)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	key, _, _ := strings.Cut(o.Key, mediaFiles) // a container counts as used up if one of its files is
	b.absent = append(b.absent, key)
}

// A text that this run never sent and the target never showed may come from somebody
// else who writes to the same object, and may be the doing of a faulty target. So what
// is found by it is tentative until the end of the run. Then the object is looked at
// while nothing is sent to it, and the case is run again: a target does what it did
// before, and does it in answer to requests.

// MayBeAnotherWriters makes a finding about an unknown text tentative.
func (t *Test) MayBeAnotherWriters(f *Finding, r *Result, o *Object, field *spec.Field, got any) {
	text, _ := got.(string)
	listed := len(field.Enum) > 0 && !t.Model.readsTexts(o.Op)
	if f == nil || !listed && !slices.Contains(o.UnknownTexts(), text) {
		return
	}
	t.Model.Outcome.hold(TentativeFinding{finding: f, Result: r, Object: o, Unknown: &UnknownText{
		Object: o, Field: field.Name, Text: text, Listed: listed, pointer: f.Pointer,
	}})
}

// readsTexts says whether some way of asking shows a text that is not one of few: the last one, or an earlier one of this run.
func (s *State) readsTexts(op *spec.Operation) bool {
	for key, w := range s.ways {
		if key.op == op.ID && slices.ContainsFunc(op.Body.Fields, func(f *spec.Field) bool {
			return len(f.Enum) == 0 && (w.Tells(f.Name) || len(w.shown(f.Name, 1, Stale)) > 0)
		}) {
			return true
		}
	}
	return false
}

// NoteWriter notes that an object changes by somebody else, perhaps another run.
func (b *Outcome) NoteWriter(o *Object) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.others = append(b.others, otherRun{o.Op.ID, o.named(), true, listedWords})
}

// Two runs at once undo each other's updates and delete each other's disposables:
// what one of them sees is not the target's doing. Each text that a run makes up has
// a token that only a run of adconform makes (fixtures.Tokens) and that hangs on the
// seed of the run. So a token that this run did not make comes from another one.

// mayBeOthers says whether another run may have made what was found: it writes to the objects on
// which it was seen, and deletes what this one deletes. An enumerated value tells nobody.
func (b *Outcome) mayBeOthers(c *Case, f *oracle.Finding) bool {
	name := f.Pointer[strings.LastIndexByte(f.Pointer, '/')+1:]
	listed := func(of *spec.Field) bool { return of.Name == name && len(of.Enum) > 0 }
	switch {
	case c.Operation.Deletes():
		return another(f)
	case !checkOf(f.Check).Has(writes):
		return false
	}
	seen := func(o otherRun) bool { return o.operation == f.Operation || o.operation == c.Operation.ID }
	return slices.ContainsFunc(b.others, seen) || c.Operation.Body != nil && slices.ContainsFunc(c.Operation.Body.Fields, listed)
}

// NoteMade notes the tokens in a text that this run made, in whatever form it is sent.
func (b *Outcome) NoteMade(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, token := range fixtures.Tokens(text) {
		b.made[token] = true
	}
}

// otherRun is an object that showed a token of another run, or what it may have done.
type otherRun struct {
	operation, object string
	wrote             bool // since this run did
	words             string
}

// What there is to say of an object that another run wrote to, or may have.
const (
	tokenWords = " holds a text of another run of adconform: are two at once on one target? " +
		"Run one after the other; if none is, one was killed and left it: give the object another"
	listedWords = " changes without a request of this run, and no text of it can be read back that tells who wrote it: " +
		"does somebody else use it, or are two runs at once on one target? Run while nobody else uses it, or name another"
)

func (o *Object) named() string { return fmt.Sprintf("%s (%d)", o.Name(), o.ID()) }

// noteOthers looks for texts of another run in what an object shows. It matters that
// it wrote meanwhile; what was there before any write of ours may be left over.
func (b *Outcome) noteOthers(o *Object, shown map[string]any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range o.Op.Body.Fields { // what a target composes by itself is nobody's
		of := o.Op.Representation().Field(f.Meaning)
		if of == nil {
			continue
		}
		text, _ := shown[of.Name].(string)
		for _, token := range fixtures.Tokens(text) {
			if !b.made[token] {
				b.others = append(b.others, otherRun{o.Op.ID, o.named(), o.Changed(), tokenWords})
				b.made[token] = !o.Changed() // that it stays tells nothing more
			}
		}
	}
}

// another says whether another run may be the cause of a finding.
func another(f *oracle.Finding) bool {
	return checkOf(f.Check).Has(writes|deletes) || f.Check == CheckExpectedStatus.ID && f.Got == "status 404"
}

// Decided says whether the findings of a result are certain: whether the target was used by another
// run, stopped answering, or fails now and then only, shows at the end.
func (r *Result) Decided() bool {
	return !r.Tentative && !slices.ContainsFunc(r.Findings, func(f *oracle.Finding) bool {
		return f.Severity == oracle.Transport || f.Check == "server-error" || another(f)
	})
}

// WithholdEffects drops what another run of adconform may have done, once one was
// seen: the cases that it was found in are not tested.
func (b *Outcome) WithholdEffects() {
	if len(b.others) == 0 {
		return
	}
	first := slices.MinFunc(b.others, func(x, y otherRun) int { return strings.Compare(x.object, y.object) })
	reason := first.object + first.words
	dropped := slices.ContainsFunc(b.others, func(o otherRun) bool { return o.wrote })
	for _, r := range b.ByCase {
		before := len(r.Findings)
		r.Findings = slices.DeleteFunc(r.Findings, func(f *oracle.Finding) bool { return b.mayBeOthers(r.Case, f) })
		if len(r.Findings) < before {
			dropped = true
			if !slices.ContainsFunc(r.Findings, func(f *oracle.Finding) bool { return f.Severity == oracle.Violation }) {
				r.Status, r.Cause, r.Reason = NotTested, ByOperator, reason
			}
		}
	}
	if dropped {
		b.mistakes = slices.DeleteFunc(b.mistakes, func(m string) bool { return m == reason })
		b.mistakes = slices.Insert(b.mistakes, 0, reason)
	}
}
