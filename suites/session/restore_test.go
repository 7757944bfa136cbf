package session

import (
	"testing"
	"time"
)

// What is put back at once uses no session together: its memory has no lock.
func TestTreesThatArePutBackAtOnceShareNoSession(t *testing.T) {
	s, campaign := newTestSession(t, &scripted{}, time.Minute)
	profile, host := s.Model.Contract.Operation("updateConnectionProfile"), s.Model.Contract.Operation("updateConnectionProfileRuleHost")
	other := s.Another()
	for _, s := range []*Session{s, other} {
		s.Model.Object(campaign, "campaign")
		s.Model.Object(profile, "connectionProfile")
		s.Model.Object(host, "connectionProfileRuleHost")
		s.Model.Object(campaign, "otherCampaign")
	}
	trees := inTrees([]*Session{s, other})
	if len(trees) != 2 {
		t.Fatalf("%d trees", len(trees))
	}
	tree := map[*Session]int{}
	for i, objects := range trees {
		if len(objects) != 4 {
			t.Errorf("tree %d has %d objects", i, len(objects))
		}
		for _, o := range objects {
			if j, used := tree[o.by]; used && j != i {
				t.Errorf("%s of tree %d has the session of tree %d", o.Object.Name(), i, j)
			}
			tree[o.by] = i
		}
	}
}
