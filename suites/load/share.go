package load

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites/testcase"
)

// Why a case is left to other virtual users, or out altogether.
const (
	usesUp       = "it uses something up, which a load would soon be out of"
	onlyReads    = "the lane has no objects of its own, so it only reads; lanes: in the target file gives it some"
	readsWritten = "it reads an object that lane 0 may write to meanwhile; lanes: in the target file gives it one"
	foreignFirst = "it writes to paths with the stranger's objects, of which there is one set: lane 0 does that"
	mayDelete    = "it sends deletes, and only lane 0 has disposable creatives"
	lacking      = "the target file lacks what it needs"
	readOnlyLoad = "a read-only load leaves out what could change the target"
)

// why says why a virtual user does not send a case, "" when it does. No two virtual users may
// ever write to the same object.
func (r *run) why(user int, c *testcase.Case) string {
	own := user <= 0
	view := r.view(user)
	for _, need := range c.Needs {
		switch {
		case testcase.Has(view, need):
		case testcase.Has(r.Target, need) && strings.HasPrefix(need, "foreign."):
			return foreignFirst
		case testcase.Has(r.Target, need) && c.Operation.Deletes():
			return mayDelete
		default:
			return lacking
		}
	}
	switch {
	case c.Once:
		return usesUp
	case c.Writes && r.ReadOnly:
		return readOnlyLoad
	case c.Writes && !own:
		return onlyReads
	case c.Operation.Reads() && !own:
		return readsWritten
	}
	return ""
}

// view is the target with the objects that a virtual user may use. Of the stranger's
// objects those that are written to, be it by putting back what they hold, are
// virtual user 0's.
func (r *run) view(user int) *fixtures.Target {
	switch {
	case user == 0, user > 0: // the latter only reads
		return r.Target
	}
	view := *r.Target
	view.Foreign = fixtures.Foreign{Creative: view.Foreign.Creative, VastCreative: view.Foreign.VastCreative}
	return &view
}

// share are the cases that a virtual user sends, each operation's together, and how many
// it does not for which reason.
func (r *run) share(user int) (share []*testcase.Case, left map[string]int) {
	left = map[string]int{}
	for _, c := range r.Plan {
		if why := r.why(user, c); why != "" {
			left[why]++
		} else {
			share = append(share, c)
		}
	}
	return share, left
}

// turned is a share that begins with another operation in each virtual user and round,
// so that virtual users do not all send the same at the same time. The cases of an
// operation keep their order, and those that look at all objects stay last.
func turned(share []*testcase.Case, by int) []*testcase.Case {
	var blocks [][]*testcase.Case
	var last []*testcase.Case
	of := map[string]int{} // index in blocks
	for _, c := range share {
		if c.Last {
			last = append(last, c)
			continue
		}
		i, known := of[c.Operation.ID]
		if !known {
			i = len(blocks)
			of[c.Operation.ID] = i
			blocks = append(blocks, nil)
		}
		blocks[i] = append(blocks[i], c)
	}
	var order []*testcase.Case
	for i := range blocks {
		order = append(order, blocks[(i+by)%len(blocks)]...)
	}
	return append(order, last...)
}

// nothing says why a load has no case to send.
func (r *run) nothing() error {
	reasons := slices.Sorted(maps.Keys(r.users[0].left))
	return fmt.Errorf("no case of the selection can be sent under load: %s", strings.Join(reasons, "; or "))
}
