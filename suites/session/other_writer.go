package session

import (
	"github.com/adconform/adconform/fixtures/fakedata"
	"github.com/adconform/adconform/suites/judge"
)

// writtenByAnother decides whether what was found on an object is another writer's
// doing. All of it is, or nothing.
func (t *T) writtenByAnother(d judge.Doubt) bool {
	o := d.Unknown.Object
	if known, decided := t.Test.Model.Outcome.Written[o]; decided {
		return known
	}
	t.Test.Model.Outcome.Written[o] = true // nor is it asked again meanwhile
	t.Test.Model.Outcome.Written[o] = !t.recurs(d)
	return t.Test.Model.Outcome.Written[o]
}

// recurs says whether the text appears each time that the object is set to something
// else and the case run once more.
func (t *T) recurs(d judge.Doubt) bool {
	u, c := d.Unknown, d.Result.Case
	if c.Once || !u.Object.MayWrite() {
		return false
	}
	found := true
	for range repeats {
		trial := t.Session.Shared.of(d.Result).Aside(t.Ctx, c, c.ID)
		trial.Fake = fakedata.New(t.Test.Model.Seed+uint64(len(t.Test.Model.Outcome.Doubts)), c.ID).Marked(t.Test.Model.Mark)
		t.Test.Model.Guard(c.ID, func() { found = found && trial.reappears(u, len(d.Result.Exchanges)) })
	}
	return found && t.Ctx.Err() == nil
}

// reappears says whether an object that is set anew shows the text again: after the
// requests of the case, or after mere looks at it, which a faulty target may answer so.
// Another text after mere looks is another writer's.
func (t *T) reappears(u *judge.UnknownText, looks int) bool {
	o := u.Object
	if !t.Write(o, t.Ordinary(o, 0)).OK {
		return false
	}
	set := o.Holds[u.Field]
	for range max(1, looks) {
		t.Read(o)
		if o.Holds[u.Field] != set {
			return o.Holds[u.Field] == any(u.Text)
		}
	}
	if main := t.Test.Model.Object(o.Op, o.Op.Key()); main != nil && main != o {
		t.Write(main, t.Ordinary(main, 1))
	}
	t.run()
	t.Read(o)
	return o.Holds[u.Field] == any(u.Text)
}
