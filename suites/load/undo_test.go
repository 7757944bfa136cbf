package load

import (
	"testing"

	"github.com/adconform/adconform/suites/session"
)

// What a session could not put back stays its own until the end: those after it
// take what they found for the object's old values.
func TestTheFirstSessionThatOwesAnObjectKeepsIt(t *testing.T) {
	u := newUndo(2)
	first, second, third := &session.Session{}, &session.Session{}, &session.Session{}
	change := func(object string, restored bool) []session.Change {
		return []session.Change{{Object: object, Change: "updated", Restored: restored}}
	}
	u.note(first, change("campaign", false))
	u.note(second, change("campaign", true))
	u.note(third, change("otherCampaign", false))
	u.note(third, change("foreign.campaign", true))
	u.note(third, []session.Change{{Object: "disposableCreatives[0]", Change: "deleted"}})
	if unrestored := u.sessions(); len(unrestored) != 2 || unrestored[0] != third || unrestored[1] != first {
		t.Fatalf("unrestored %v", unrestored)
	}
	u.retried(third, append(change("otherCampaign", true), change("campaign", true)...))
	if u.changes["lanes[1].campaign"].Restored || !u.changes["lanes[1].otherCampaign"].Restored {
		t.Errorf("a session settled what another one owes: %+v", u.changes)
	}
	u.retried(first, change("campaign", true))
	for _, c := range u.list() {
		if !c.Restored && c.Change != "deleted" {
			t.Errorf("%+v", c)
		}
	}
	if _, ok := u.changes["foreign.campaign"]; !ok || len(u.list()) != 4 {
		t.Errorf("%+v", u.list())
	}
}
