package judge

import (
	"fmt"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
)

// An id is what the target file says of it, however large it is; ids are unique among those
// of a kind only.
func TestWordsForIDs(t *testing.T) {
	contract, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	for name, base := range map[string]int64{"small": 0, "beyond 32 bits": 7_300_000_000_000_000, "near 2^31": 1<<31 - 900} {
		target := &fixtures.Target{}
		target.Objects.Campaign = &fixtures.Object{ID: base + 25}
		target.Foreign.Campaign = base + 26
		target.Foreign.Creative = base + 25 // another kind
		s := New(contract, target, 0)
		updates, deletes := contract.Operation("updateCampaign"), contract.Operation("deleteCreative")
		s.Object(updates, "campaign")
		s.Object(updates, "foreign.campaign")
		s.Object(deletes, "foreign.creative")
		gone := NewObject("disposableCreatives[0]", deletes, []int64{base + 26}, nil)
		s.Order, s.deletes = append(s.Order, gone), append(s.deletes, gone)
		for _, tc := range []struct {
			op   *spec.Operation
			id   int64
			want string
		}{
			{updates, base + 25, ""},
			{updates, base + 26, "the id of another user's object"},
			{updates, 25 + 1<<40, "an id beyond 32 bits"},
			{updates, 1<<31 - 1000, "an unknown id"},
			{deletes, base + 25, "the id of another user's object"},
			{deletes, base + 26, "the id of what was deleted"},
		} {
			path := []string{fmt.Sprint(tc.id)}
			if got := s.idWords(tc.op, path, 0, path[0], true); got != "" && got != "the id of what was deleted" {
				t.Errorf("%s: recorded %s %d: %q", name, tc.op.ID, tc.id, got)
			}
			if got := s.idWords(tc.op, path, 0, path[0], false); got != tc.want {
				t.Errorf("%s: %s %d: %q, not %q", name, tc.op.ID, tc.id, got, tc.want)
			}
		}
	}
}

// A malformed id is one in a recording, too.
func TestMalformedIDs(t *testing.T) {
	contract, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	s := New(contract, &fixtures.Target{}, 0)
	for _, id := range []string{"abc", "0", "-1", "007", "9223372036854775808"} {
		for _, recorded := range []bool{false, true} {
			if got := s.idWords(contract.Operation("updateCampaign"), []string{id}, 0, id, recorded); got != "a malformed id" {
				t.Errorf("%s: %q", id, got)
			}
		}
	}
}
