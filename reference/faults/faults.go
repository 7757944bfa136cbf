// Package faults breaks the bundled reference on purpose, each fault in one way
// that one sentence says, and changes it in ways that still conform. A suite
// that claims to judge the contract has to find every fault and flag no variant.
package faults

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// Source says where a fault comes from.
type Source string

// The two sources.
const (
	Document Source = "document" // derived from the OpenAPI document
	Hand     Source = "hand"     // written for a behaviour that a schema cannot say
)

// Fault is one way to break the contract at the wire.
type Fault struct {
	ID       string   // topic or operation, then what is wrong; stable between releases
	Clause   string   // the clause that it breaks
	Also     []string // clauses that a finding for it may cite too
	Sentence string
	Source   Source
	// Choices prepare the reference, where the default never shows the answer
	// that the fault breaks; nil for the default.
	Choices func(*reference.Choices)
	Pins    map[string]any // what the target file says of open points; nil for nothing
	Wrap    func(http.Handler, Env) http.Handler
}

// Cites says whether a finding of this clause is right for the right reason.
func (f *Fault) Cites(clause string) bool {
	return clause == f.Clause || slices.Contains(f.Also, clause)
}

// Variant is an implementation that differs from the reference only where the
// contract leaves it free to, and so conforms.
type Variant struct {
	ID       string
	Sentence string
	Open     []string // ids of spec/open.yaml at which it differs; none: harmless at the wire
	Choices  func(*reference.Choices)
	Wrap     func(http.Handler, Env) http.Handler // nil: the choices are all
	Pins     map[string]any                       // what a target file for it has to pin
}

// Env is what a fault knows of the server that it wraps.
type Env struct {
	Contract  *spec.Contract
	World     fixtures.World
	BasePath  string // such as /v2
	KeyHeader string
	// Fired counts the exchanges that came out different; nil does not count.
	Fired *atomic.Int64
}

// NewEnv is the environment of a reference that serves the world at its default
// base path and key header.
func NewEnv(contract *spec.Contract, world fixtures.World) Env {
	return Env{
		Contract: contract, World: world, BasePath: "/v2", KeyHeader: fixtures.DefaultKeyHeader,
		Fired: new(atomic.Int64),
	}
}

// topics are the tables of faults by hand, by the first part of their ids.
var topics = []topic{
	anywhere("alive", unknownHere),
	anywhere("alive", lostAfterUse),
	inEach("auth", every, wrongKeys),
	inEach("auth", every, ownerRefused),
	inEach("auth", every, remembered),
	inEach("coercion", updates, coercions),
	anywhere("conditional", staleTags),
	anywhere("conditional", wrong304s),
	anywhere("conditional", conditionalCrashes),
	inEach("connection", every, lostAnswers),
	inEach("crash", every, keyCrashes),
	inEach("crash", updates, bodyCrashes),
	inEach("crash", updates, fieldCrashes),
	inEach("crash", updates, hostnameCrashes),
	inEach("crash", named(mediaFileList), listCrashes),
	inEach("crash", named(creativeDelete), creativeCrashes),
	inOne("crash", creativeDelete, secondDeleteCrashes),
	inEach("decoding", every, badlyRefused),
	inEach("decoding", updates, wronglyDecoded),
	inEach("decoding", named(mediaFileList), badPages),
	inOne("delete", creativeDelete, deletedWrongly),
	inOne("delete", creativeDelete, deletedAgain),
	inOne("delete", creativeDelete, deleteAnswers),
	inOne("delete", creativeDelete, deleteWants),
	anywhere("delete", deletedFiles),
	anywhere("delete", deletedParents),
	inEach("effect", updates, notStored),
	inEach("effect", updates, stale),
	inEach("effect", updates, elsewhere),
	inEach("effect", updates, storedOtherwise),
	inEach("effect", updates, mixedUp),
	inEach("effect", updates, setAlone),
	inEach("effect", updates, unset),
	inEach("effect", updates, foreignToo),
	inEach("intermittent", every, intermittent),
	inEach("life", every, forgotten),
	inOne("list", mediaFileList, wrongMembers),
	inOne("list", mediaFileList, wrongItems),
	inOne("list", mediaFileList, unstableLists),
	inOne("list", mediaFileList, unpaged),
	inOne("list", mediaFileList, listAnswers),
	anywhere("open", openPoints),
	anywhere("open", wrongPins),
	inEach("open", named(profileUpdate, hostUpdate), lostWriter),
	inOne("page", mediaFileList, pageNumbers),
	inOne("page", mediaFileList, pageItems),
	inEach("path", every, malformedIDs),
	inEach("path", updates, unknownIDs),
	inEach("path", several, wrongParents),
	inOne("path", creativeDelete, unknownDeleted),
	inOne("path", mediaFileList, missingListed),
	inEach("permission", every, permissions),
	inEach("refused", updates, refusedUpdates),
	inOne("refused", creativeDelete, refusedDeletes),
	inEach("shown", updates, wrongObject),
	inEach("shown", updates, moved),
	inEach("shown", updates, wrongDates),
	inEach("shown", updates, swapped),
	inEach("transport", every, brokenOff),
	inEach("transport", every, framing),
	inEach("user", every, sharedUser),
	inEach("user", every, namedUser),
	inEach("validation", updates, undeclaredUpdates),
	inEach("validation", named(mediaFileList), undeclaredLists),
	inEach("validation", updates, malformedBodies),
	inEach("validation", updates, coercedFields),
	inEach("validation", updates, misnamed),
	inEach("value", updates, spoiltTexts),
	inEach("value", updates, wrongActions),
	inEach("value", updates, refusedTexts),
}

// All lists every fault, sorted by id.
func All(contract *spec.Contract) []Fault {
	all := derived(contract)
	for _, topic := range topics {
		all = append(all, topic(contract)...)
	}
	slices.SortFunc(all, func(a, b Fault) int { return strings.Compare(a.ID, b.ID) })
	return all
}

// ByID returns the fault with this id, or an error that suggests similar ones.
func ByID(contract *spec.Contract, id string) (Fault, error) {
	all := All(contract)
	return pick("fault", id, all, func(f Fault) string { return f.ID })
}

// VariantByID returns the variant with this id, or an error that suggests
// similar ones.
func VariantByID(id string) (Variant, error) {
	return pick("variant", id, Variants(), func(v Variant) string { return v.ID })
}

func pick[T any](kind, id string, all []T, name func(T) string) (T, error) {
	ids := make([]string, len(all))
	for i, one := range all {
		if name(one) == id {
			return one, nil
		}
		ids[i] = name(one)
	}
	var none T
	return none, fmt.Errorf("unknown %s %q%s; adconform selftest --list-faults lists all", kind, id, wording.DidYouMean(id, ids))
}
