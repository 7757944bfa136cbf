package judge

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/model"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
)

// A TentativeFinding stands only if the run confirms it: something other than the target may be to blame.
type TentativeFinding struct {
	finding *oracle.Finding
	Result  *Result
	Object  *Object
	Status  int    // of the answer; the object may not exist, or the user's key may be invalid
	User    string // who sent the request
	Empty   bool   // the object is a list in which nothing was left

	Misnamed      string    // how the target file and the object's first list differ, or ""; the file may be wrong
	Missing, More []spec.ID // then the ids missing from the list, and ids only in it; empty if only the number differs

	Field, Text string // a field in which the object showed a text that others may have sent, or ""
}

// hold keeps a finding until the run confirms or drops it.
func (b *Outcome) hold(d TentativeFinding) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.aside {
		if b.aside[i].Finding == d.finding {
			b.aside[i].held = append(b.aside[i].held, d)
			return
		}
	}
	d.Result.Tentative = append(d.Result.Tentative, d)
}

// Abandon drops a tentative finding. Its case then counts as not tested, unless it has other violations.
func (b *Outcome) Abandon(d TentativeFinding, reason string) {
	r := d.Result
	r.Findings = slices.DeleteFunc(r.Findings, func(f *oracle.Finding) bool {
		return f == d.finding
	})
	if r.violated() {
		b.uncover(d.finding)
	}
	b.void(r, reason)
}

// void makes a case count as not tested, unless it has violations.
func (b *Outcome) void(r *Result, reason string) {
	if r.violated() {
		return
	}
	r.notTested(ByOperator, reason)
	for _, n := range b.coverage {
		delete(n.Cases, r.Case.ID)
	}
}

func (r *Result) violated() bool {
	return slices.ContainsFunc(r.Findings, func(f *oracle.Finding) bool {
		return f.Severity == oracle.Violation
	})
}

// Withdraw drops the finding that an answer is not the expected one, because a matcher expects exactly this answer, or
// accepts it among others.
func (t *Test) Withdraw(a *Answer) {
	t.withdraw(func(f *Finding) bool {
		return isUnmet(f) && slices.Contains(a.found, f)
	})
}

// Drop drops a finding of the case, because another one says the same with fewer words.
func (t *Test) Drop(f *Finding) {
	t.withdraw(func(other *Finding) bool { return other == f })
}

// withdraw drops findings of the case.
func (t *Test) withdraw(is func(*Finding) bool) {
	b, r := t.Outcome, t.Result
	b.mu.Lock()
	defer b.mu.Unlock()
	r.Tentative = slices.DeleteFunc(r.Tentative, func(d TentativeFinding) bool {
		return is(d.finding)
	})
	r.Findings = slices.DeleteFunc(slices.Clone(r.Findings), is)
	if r.Status == Failed && !r.violated() {
		r.Status = Passed
	}
}

// A target file may name an object that does not exist, or a key that is not valid. So a 401, 403 or 404 for an
// object that has never been served, and a 422 for its list, is a tentative finding.

// holdBack makes a finding tentative if the operator's mistake may explain it.
func (t *Test) holdBack(c *Call, a *Answer, f *Finding) {
	if f != nil && t.mayBeMistake(c, a) {
		t.hold(f, t.Result, c.Object, a.Status, c.As.Name)
	}
}

// mayBeMistake reports whether an answer would be right if the target file were wrong: about the key of the request, or
// about the object, which may not exist, be another user's, or be no container.
func (t *Test) mayBeMistake(c *Call, a *Answer) bool {
	o := c.Object
	if isDenied := o != nil && o.isForbidden && !o.isServed; a.OK && !isDenied {
		return false
	}
	keyless := t.World(o)
	delete(keyless.Users, c.As.Value)
	worlds := []*model.World{keyless}
	if o != nil {
		objectless := t.World(o)
		objectless.Target = unnamed(t.Target, o.Thing())
		objectless.Named = objectless.Target.Named()
		worlds = append(worlds, objectless)
	}
	sent := t.OnWire(c, &a.Exchange.Request)
	return slices.ContainsFunc(worlds, func(w *model.World) bool {
		return w.Right(sent).Expect().Allows(c.Op, a.Status, a.Value)
	})
}

// unnamed returns a target file as if it did not name an object.
func unnamed(target *fixtures.Target, thing Thing) *fixtures.Target {
	other := *target
	other.Objects = fixtures.Objects{}
	other.Foreign = maps.Clone(target.Foreign)
	for key, all := range target.Objects {
		all = slices.Clone(all)
		if fixtures.KindOf(key) == thing.Kind {
			all = slices.DeleteFunc(all, func(o fixtures.Object) bool {
				return o.ID.Is(thing.ID)
			})
		}
		for i := range all {
			all[i].MediaFileIDs = slices.DeleteFunc(slices.Clone(all[i].MediaFileIDs), thing.ID.Is)
		}
		other.Objects[key] = all
	}
	maps.DeleteFunc(other.Foreign, func(key string, id spec.ID) bool {
		return fixtures.KindOf(key) == thing.Kind && id.Is(thing.ID)
	})
	return &other
}

// hold makes a finding of a case tentative.
func (t *Test) hold(f *Finding, r *Result, o *Object, status int, user string) {
	empty := false
	if o != nil && o.Op.Lists() {
		if c := ContainerOf(t.Target, o.Key); c != nil && c.MediaFileIDs != nil {
			empty = t.KnownEmpty(o)
		}
	}
	t.Outcome.hold(TentativeFinding{
		finding: f, Result: r, Object: o, Status: status, User: user, Empty: empty,
	})
}

// noteEvidence notes that an answer shows an object to exist, or who may use it.
func (t *Test) noteEvidence(c *Call, a *Answer) {
	if !c.namesObject() {
		return
	}
	switch own := t.isOwn(c); {
	case a.OK && own:
		c.Object.isServed = true
		t.Outcome.note(Fact{What: Serves, Of: c.Op.ID})
		for i, p := range c.Op.Params { // its parents exist, too
			at := Thing{fixtures.KindOf(p.Object), c.Object.IDs[i]}
			t.Outcome.note(Fact{What: Usable, At: at})
		}
	case a.Status != http.StatusForbidden:
	case own:
		c.Object.isForbidden = true
	case c.As.Send:
		c.Object.isDenied = true
	}
}

// Lives reports whether any operation served the object to its user.
func (t *Test) Lives(o *Object) bool {
	return o.Alive() || t.Outcome.Saw(Fact{What: Usable, At: o.Thing()})
}

// Drop drops a tentative finding that the run did not confirm, and notes the operator's mistake. gone means that
// the object does not seem to exist.
func (s *Model) Drop(d TentativeFinding, reason string, gone bool) {
	switch o := d.Object; {
	case gone && o.isUsedUp():
		s.noteAbsent(o)
	case o != nil && o.Foreign && s.Outcome.broke(o.Op, "AUTH-2"):
		reason = o.Named() + " is refused to the stranger, whom the target takes for another user"
	default:
		s.Outcome.NoteMistake(s.Presentable(reason))
	}
	s.Outcome.Abandon(d, reason)
}

// isUsedUp reports whether an object that is gone is a disposable, which an earlier run may have deleted.
func (o *Object) isUsedUp() bool {
	return strings.HasPrefix(o.Key, "disposable") && !o.isForbidden
}

// noteAbsent notes that a disposable object was gone before the run deleted it.
func (s *Model) noteAbsent(absent *Object) {
	name, _ := SplitKey(absent.Key)
	others := func(n fixtures.Named) bool {
		return !strings.HasPrefix(n.Bare, name+"[")
	}
	isRefused := slices.ContainsFunc(s.Order, func(o *Object) bool {
		return o.isRefused && absent.isWithin(o)
	})
	named := slices.DeleteFunc(s.Target.Named(), others)
	s.Outcome.noteAbsent(absent.Key, name, len(named), isRefused)
}

// NoteKey notes whether an answer shows that a key is accepted. A server may answer a request that the document
// does not declare without looking at the key.
func (b *Outcome) NoteKey(c *Call, e oracle.Expect, ex *wire.Exchange) {
	if ex.Err != nil || !c.isDeclared() {
		return
	}
	switch status := ex.Response.Status; status {
	case http.StatusUnauthorized:
		if c.As.Name == OwnerName {
			b.note(Fact{What: KeyRefused, Of: c.Op.ID})
		}
		return
	case http.StatusNotFound, http.StatusUnprocessableEntity:
		// Many servers refuse what they cannot decode, or what is too large, before they look at the key.
		switch {
		case e.AnyRefusal, e.OnlyCrash, c.Encoded:
			return
		}
	case http.StatusForbidden:
	default:
		if status/100 != 2 {
			return
		}
	}
	b.note(Fact{What: KeyTaken, Of: c.As.Name})
}

// NoteMistake notes a mistake of the operator, in words that say what to do. It is reported with the verdict, and
// is not a finding.
func (b *Outcome) NoteMistake(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	addNew(&b.mistakes, text)
}

// Misnamed describes a value of the target file that differs from what the target shows.
func Misnamed(object, words string) string {
	return object + ": the target file says " + words + "; correct it or leave it out, or see why the target changes it"
}

// Mistakes returns the operator's mistakes that the run found.
func (b *Outcome) Mistakes() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.mistakes)
}

const areGone = " are gone (404), probably deleted by an earlier run: name others, or add provision"

// noteAbsent notes that a disposable object, one of several under a key of the target file, was gone before this run
// deleted it. If the run had been refused to delete it, that may be why.
func (b *Outcome) noteAbsent(key, under string, named int, refused bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !refused {
		b.taken = true
	}
	words := func() string {
		if len(b.absent[under]) == named {
			return fmt.Sprintf("all %d objects under %s", named, under) + areGone
		}
		return fmt.Sprintf("%d of the %d objects under %s", len(b.absent[under]), named, under) + areGone
	}
	if !slices.Contains(b.absent[under], key) {
		b.mistakes = slices.DeleteFunc(b.mistakes, func(m string) bool {
			return m == words()
		})
		b.absent[under] = append(b.absent[under], key)
		b.mistakes = append(b.mistakes, words())
	}
}

// Others may write to the same objects while a run lasts. A text that this run did not send and that the target had not
// shown may be theirs, or a faulty target's; so may an enumerated value if no text can be read back to show who wrote
// it. A finding about one is tentative: at the end of the run the object is read while nothing is sent to it, and the
// case runs again. A faulty target does again what it did before.

// MayBeAnotherWriters makes a finding tentative if another writer may explain the value.
func (t *Test) MayBeAnotherWriters(f *Finding, r *Result, o *Object, field *spec.Field, got any) {
	text, _ := got.(string)
	isAnothers := o.HasUnknown(got) && !t.Outcome.Made(text) // what another chain made up is not unknown
	isUnseen := isListed(field) && !t.Outcome.Saw(Fact{What: ShowsTexts, Of: o.Op.ID})
	if mayBeTheirs := isAnothers || isUnseen; f != nil && mayBeTheirs {
		t.Outcome.hold(TentativeFinding{
			finding: f, Result: r, Object: o, Field: field.Name, Text: text,
		})
	}
}

// noteText notes that an object shows a field that an earlier update had set, if the field holds a text.
func (b *Outcome) noteText(o *Object, f *spec.Field) {
	if !isListed(f) {
		b.note(Fact{What: ShowsTexts, Of: o.Op.ID}, Fact{What: ShowsTexts})
	}
}

// Each text that a run makes up has a token that depends on the seed of the run (see fixtures.Tokens). A token that
// this run did not make, on an object to which it has written, shows that there is another run. From then on nothing
// shows who has changed or deleted what.

// mayBeOthers reports whether another run may explain a finding.
func mayBeOthers(c *Case, f *oracle.Finding) bool {
	check := checkOf(f.Check)
	switch {
	case check.Has(writes):
		return true
	case !c.Operation.Deletes():
		return false
	case f.Check == CheckExpectedStatus.ID:
		return f.IsAnswered(http.StatusNotFound)
	}
	return check.Has(deletes)
}

// mayBeRestart reports whether a restart of the target may explain a finding.
func mayBeRestart(c *Case, f *oracle.Finding) bool {
	isOfRestart := f.Check == CheckUpdatedAt.ID || checkOf(f.Check).Has(deletes)
	return isOfRestart || mayBeOthers(c, f)
}

// MayBeRestart reports whether there are findings that a restart of the target may explain.
func (b *Outcome) MayBeRestart() bool { return b.finds(mayBeRestart) }

// NoteRestart notes that the target was restarted, in words that say what to do.
func (b *Outcome) NoteRestart(reason string) {
	b.NoteWriter(reason)
	b.hasRestarted = true
}

// ExplainStale adds to the findings of stale values what explains them.
func (b *Outcome) ExplainStale(words string) {
	for _, r := range b.Results() {
		for _, f := range r.Findings {
			if f.Check == CheckStale.ID {
				f.Got += words
			}
		}
	}
}

// NoteMade notes the tokens of this run in a text.
func (b *Outcome) NoteMade(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, token := range fixtures.Tokens(text) {
		b.made[token] = true
	}
}

// Made reports whether a text holds a token of this run.
func (b *Outcome) Made(text string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(fixtures.Tokens(text), func(token string) bool {
		return b.made[token]
	})
}

const tokenWords = " holds a text of another run of adconform. " +
	"If two run at once on this target, run them one after the other"

// Named returns the object's name with its id.
func (o *Object) Named() string {
	return fmt.Sprintf("%s (%s)", o.Name(), o.ID())
}

// noteOthers looks for texts of another run in a representation. One that was there before this run wrote to the object
// may be left over from an earlier run.
func (b *Outcome) noteOthers(o *Object, shown map[string]any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range o.Op.Body.Fields { // the target itself may make up the other members
		of := o.Op.Representation().Field(f.Meaning)
		if of == nil {
			continue
		}
		text, _ := shown[of.Name].(string)
		for _, token := range fixtures.Tokens(text) {
			switch {
			case !o.Changed():
				b.made[token] = true
			case !b.made[token]:
				b.others = append(b.others, o.Named()+tokenWords)
			}
		}
	}
}

// NoteWriter notes that others write to an object, in words that say what to do.
func (b *Outcome) NoteWriter(reason string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.others = append(b.others, reason)
}

// Decided reports whether the findings of a result are certain before the end of the run. Only then is it known whether
// refused writes were carried out, there were other runs or intermittent failures, or the target stopped answering.
func (r *Result) Decided() bool {
	if r.Refused || len(r.Tentative) > 0 {
		return false
	}
	return !slices.ContainsFunc(r.Findings, func(f *oracle.Finding) bool {
		isFailure := f.Severity == oracle.Transport || f.Check == serverError
		return isFailure || mayBeRestart(r.Case, f)
	})
}

// InQuestion reports whether there are findings that another run may explain, while no other run was seen.
func (b *Outcome) InQuestion() bool {
	return len(b.others) == 0 && b.finds(mayBeOthers)
}

// NoteDeleter notes that others may delete the run's disposable objects: one was gone that no request of the run had
// named, and as no answer shows a text, nothing could show who else writes.
func (b *Outcome) NoteDeleter() {
	if !b.taken || b.Saw(Fact{What: ShowsTexts}) {
		return
	}
	gone := slices.IndexFunc(b.mistakes, func(m string) bool {
		return strings.HasSuffix(m, areGone)
	})
	if gone >= 0 {
		b.NoteWriter(b.mistakes[gone])
	}
}

// WithholdEffects drops the findings that another run of adconform may explain, if one was seen. Their cases then
// count as not tested.
func (b *Outcome) WithholdEffects() {
	if len(b.others) == 0 {
		return
	}
	reason := slices.Min(b.others)
	isTheirs := mayBeOthers
	if b.hasRestarted {
		reason = b.others[len(b.others)-1]
		isTheirs = mayBeRestart
	}
	for _, r := range b.Results() {
		before := len(r.Findings)
		r.Findings = slices.DeleteFunc(r.Findings, func(f *oracle.Finding) bool {
			return isTheirs(r.Case, f)
		})
		if len(r.Findings) < before && !r.violated() {
			r.notTested(ByOperator, reason)
		}
	}
	b.mistakes = slices.DeleteFunc(b.mistakes, func(m string) bool {
		return m == reason
	})
	b.mistakes = slices.Insert(b.mistakes, 0, reason)
}
