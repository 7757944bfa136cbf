package doctor

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/testcase"
)

// Needed says which keys of a target file seeded faults need to be found.
type Needed struct {
	// Keys are sets of keys: any one of them will do. A fault that none finds has none.
	Keys   [][]string          `json:"keys"`
	Faults map[string][]string `json:"faults"` // ids, by severity
}

// FoundWithout says whether the faults are found with a target file that lacks keys.
func (n *Needed) FoundWithout(lacks func(key string) bool) bool {
	return slices.ContainsFunc(n.Keys, func(set []string) bool { return !slices.ContainsFunc(set, lacks) })
}

// neededJSON is written by: adconform selftest --ablate --needs suites/doctor/needed.json
//
//go:embed needed.json
var neededJSON []byte

// AllNeeded is what the self-test found out of this version, for runs of standard depth.
var AllNeeded = sync.OnceValue(func() []Needed {
	var all []Needed
	if err := json.Unmarshal(neededJSON, &all); err != nil {
		panic("needed.json: " + err.Error())
	}
	return all
})

// Unseen counts the seeded faults that no run can find for want of keys, by severity.
type Unseen struct {
	Critical int `json:"critical"`
	Major    int `json:"major"`
	Minor    int `json:"minor"`
}

// UnseenWithout counts the faults that are not found with a target file that lacks keys;
// nil for none.
func UnseenWithout(lacks func(key string) bool) *Unseen {
	var u Unseen
	for _, n := range AllNeeded() {
		if !n.FoundWithout(lacks) {
			u.Add(&n)
		}
	}
	if u == (Unseen{}) {
		return nil
	}
	return &u
}

// Add counts faults that are unseen, too.
func (u *Unseen) Add(n *Needed) {
	u.Critical += len(n.Faults["critical"])
	u.Major += len(n.Faults["major"])
	u.Minor += len(n.Faults["minor"])
}

// Faults is how many there are.
func (u Unseen) Faults() int { return u.Critical + u.Major + u.Minor }

// String is "31 seeded faults cannot be seen (2 critical, 29 minor)"; "" for none.
func (u *Unseen) String() string {
	if u == nil || u.Faults() == 0 {
		return ""
	}
	var parts []string
	for _, part := range []struct {
		n    int
		word string
	}{{u.Critical, "critical"}, {u.Major, "major"}, {u.Minor, "minor"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.word))
		}
	}
	return fmt.Sprintf("%s cannot be seen (%s)", wording.Count(u.Faults(), "seeded fault"), strings.Join(parts, ", "))
}

// Below says whether a key is another one or stands below it: objects.campaign.type below
// objects.campaign, objects.disposableCreatives[2] below objects.disposableCreatives and,
// as the items of a list move up, below objects.disposableCreatives[1].
func Below(key, other string) bool {
	if rest, ok := strings.CutPrefix(key, other); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
		return true
	}
	item, _, isItem := strings.Cut(key, "]")
	list, at := testcase.SplitKey(item)
	same, from := testcase.SplitKey(other)
	return isItem && strings.HasSuffix(other, "]") && list == same && at >= from
}
