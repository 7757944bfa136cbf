// Package faults breaks the bundled reference on purpose, each fault in one way
// that one sentence says, and changes it in ways that still conform. A suite
// that claims to judge the contract has to find every fault and flag no variant.
//
// # How a fault is written
//
// A fault by hand is a row of a table, in the file of its topic:
//
//	fault("owner-sometimes-unknown", "AUTH-4 EFFECT-1 operation", "every fifth time the owner's key is not known",
//		when(all(byOwner, nth(5)), refuse(401))),
//
// That is its name; the clause that it breaks, then those that a finding for it may
// cite too; what it does in a sentence; and the behaviour. The list topics says of each
// table what its ids begin with and into which operations its rows are seeded: this row
// makes auth/owner-sometimes-unknown/updateCampaign and four others.
//
// Behaviours are put together from those in behaviour.go: in place of the server, on hooks
// of the reference within it (asOwner, permitting, saves, deletes), and after it, in what the
// client is shown. set and made do something in secret. What is framed wrongly sets
// answer.raw. What a behaviour remembers from one exchange to the next, it keeps in the
// exchange (count, keep, recall), never in a variable of its own: each server starts afresh.
//
// A new fault is right when go test ./reference/faults passes, and the suite finds it:
// adconform selftest --only '^auth/owner-sometimes'.
//
// # How a variant is written
//
// A variant that the reference has a choice for is an entry of variants.yaml. One that
// needs code is a row of a table in variants.go, variants_answers.go or beside
// the faults that it is like, with the points of spec/open.yaml at which it differs.
package faults

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// Server is the reference, made to answer otherwise. Its zero value is the reference as it is.
type Server struct {
	ID       string // topic or operation, then what is other; stable between releases
	Sentence string
	// Choices prepare the reference, as for an answer that the default never shows; nil for
	// the default.
	Choices func(*reference.Choices)
	Pins    map[string]any // what a target file for it says of open points; nil for nothing
	Wrap    wrap           // nil: the choices are all
}

// Fault is one way to break the contract at the wire.
type Fault struct {
	Server

	Clause   string   // the clause that it breaks
	Also     []string // clauses that a finding for it may cite too
	Severity Severity
	Deep     bool // it shows on odd input only, which runs at depth deep send
}

// Cites says whether a finding of this clause is right for the right reason.
func (f *Fault) Cites(clause string) bool {
	return clause == f.Clause || slices.Contains(f.Also, clause)
}

// Variant is an implementation that differs from the reference only where the
// contract leaves it free to, and so conforms.
type Variant struct {
	Server

	Open []string // ids of spec/open.yaml at which it differs; none: harmless at the wire
	Deep bool     // it differs on odd input only, which runs at depth deep send
	Thin bool     // the target file does not give all that a complete run on it needs
}

// Env is what a fault knows of the server that it wraps.
type Env struct {
	Contract *spec.Contract
	World    fixtures.World
	Fired    *atomic.Int64 // how many exchanges came out different
}

// NewEnv is the environment of a reference that serves the world.
func NewEnv(contract *spec.Contract, world fixtures.World) Env {
	return Env{contract, world, new(atomic.Int64)}
}

// topics are the tables of faults by hand, by the first part of their ids.
var topics = []topic{
	anywhere("alive", unknownHere),
	anywhere("answer", standing),
	inEach("", every, wrongKeys, refusedOwner),
	inEach("", updates, spoiltTexts),
	inEach("auth", every, remembered),
	inEach("coercion", updates, coercions),
	anywhere("conditional", wrongTags),
	inEach("connection", every, lostAnswers),
	inEach("crash", every, crashing),
	inEach("decoding", every, badlyRefused),
	inEach("decoding", updates, wronglyDecoded),
	inEach("decoding", named(mediaFileList), badPages),
	inOne("delete", creativeDelete, deletedWrongly, deletedAgain, deleteAnswers),
	anywhere("", deletedFiles),
	inEach("", every, afterDeletes),
	inEach("effect", updates, notStored, stale, changedToo, mixedUp, readsThatWrite),
	inEach("gateway", every, behindGateways),
	inEach("hang", every, hungUp),
	inEach("intermittent", every, intermittent),
	inOne("list", mediaFileList, wrongMembers, wrongItems, unstableLists, listAnswers),
	inEach("name", updates, names),
	anywhere("open", openPoints, wrongPins),
	inEach("open", named(profileUpdate, hostUpdate), lostWriter),
	inOne("page", mediaFileList, pageNumbers, pageItems, misplaced),
	inEach("path", every, malformedIDs, unknownIDs),
	deep(inEach("path", every, hugeIDs)),
	inEach("path", several, wrongParents),
	inEach("permission", every, permissions),
	inEach("refused", updates, refusedUpdates),
	inOne("refused", creativeDelete, refusedDeletes),
	inEach("route", every, unrouted),
	inEach("shown", every, otherLetters),
	inEach("shown", updates, wrongObject, moved, wrongDates, swapped),
	deep(inEach("shown", updates, standingSeconds)),
	inEach("transport", every, brokenOff),
	deep(inEach("unlisted", every, unlisted)),
	deep(inEach("unlisted", updates, unlistedBodies)),
	inEach("user", every, sharedUser),
	inEach("validation", every, undeclared),
	inEach("validation", updates, malformedBodies, coercedFields, misnamed),
	inEach("value", updates, cutTexts, refusedValues),
	deep(inEach("wear", every, wornOut)),
}

// All lists every fault, sorted by id.
func All(contract *spec.Contract) []Fault {
	all := derived(contract)
	for _, topic := range topics {
		all = append(all, topic.faults(contract)...)
	}
	for i := range all {
		all[i].Severity = cmp.Or(all[i].Severity, contract.Clause(all[i].Clause).Impact)
	}
	slices.SortFunc(all, func(a, b Fault) int { return strings.Compare(a.ID, b.ID) })
	return all
}

// Sampled picks about one id in n. It depends on the id alone: a fault that is added does
// not change which of the others a test tries.
func Sampled(id string, n int) bool {
	h := fnv.New32a()
	io.WriteString(h, id)
	return h.Sum32()%uint32(n) == 0
}

// ByID returns the fault with this id, or an error that suggests similar ones.
func ByID(contract *spec.Contract, id string) (Fault, error) {
	return pick("fault", id, All(contract), func(f Fault) string { return f.ID })
}

// VariantByID returns the variant with this id, or an error that suggests
// similar ones.
func VariantByID(id string) (Variant, error) {
	return pick("variant", id, Variants(), func(v Variant) string { return v.ID })
}

func pick[T any](kind, id string, all []T, name func(T) string) (one T, err error) {
	var ids []string
	for _, one := range all {
		ids = append(ids, name(one))
	}
	i := slices.Index(ids, id)
	if i < 0 {
		return one, fmt.Errorf("unknown %s %q%s; adconform selftest --list lists all", kind, id, wording.Alike(id, ids))
	}
	return all[i], nil
}

// Severity says how much a fault hurts: as its clause says, unless the row is graded.
type Severity = spec.Impact

// The severities, the worst first.
const (
	Critical = spec.Critical
	Major    = spec.Major
	Minor    = spec.Minor
)
