// Package faults breaks the bundled reference on purpose, each fault in one way
// that a sentence describes, and changes it in ways that still conform. A suite
// that judges the contract has to find every fault and flag no variant.
//
// # How a fault is written
//
// A fault by hand is a row of a table, in the file of its topic:
//
//	fault("auth/owner-sometimes-unknown", "AUTH-4 EFFECT-1 operation", "every fifth time the owner's key is not known",
//		when(all(byOwner, nth(5)), refuse(401))),
//
// The row has the beginning of its id; the clause that it breaks, then those that a finding for
// it may also cite; a sentence that describes it; and the behaviour. The list seeded says into
// which operations the rows of each table are seeded: this row yields
// auth/owner-sometimes-unknown/updateCampaign and four others.
//
// Behaviours combine those in behaviour.go, which act instead of the server, on hooks of the
// reference (asOwner, permitting, saves, deletes), or after it, on the answer. set and made change
// state in secret. An answer with wrong framing sets answer.raw. A behaviour keeps what
// it remembers from one exchange to the next in the exchange (count, keep, recall), never in a
// variable of its own, as each server starts afresh.
//
// A new fault is right when go test ./reference/faults passes, and the suite finds it:
// adconform selftest --only '^auth/owner-sometimes'.
//
// # How a variant is written
//
// A variant for which the reference has a choice is an entry of variants.yaml. One that
// needs code is a row of a table in variants.go or next to
// similar faults, with the points of spec/open.yaml at which it differs.
package faults

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// Server is a reference that answers differently: a fault, which breaks the contract in one way at the wire, or a
// variant, which differs only where the contract allows it, so it conforms. The zero value is the reference itself.
type Server struct {
	ID       string // topic or operation, then what differs; stable between releases
	Sentence string
	// Choices prepares the reference, for example for an answer that the default never gives; nil for the default.
	Choices func(*reference.Choices)
	Pins    map[string]any // open points that its target file pins; nil for none
	Wrap    wrap           // nil if the choices are everything
	Deep    bool           // it shows only on odd input, which runs at depth deep send

	// Fields of a fault.
	Clause   string      // the clause that it breaks; "" for a variant
	Also     []string    // clauses that a finding for it may also cite
	Severity spec.Impact // that of its clause, unless the row is graded

	// Fields of a variant.
	Open []string // ids of spec/open.yaml at which it differs; none if the difference does not matter on the wire
	Thin bool     // the target file does not give everything that a complete run needs
}

// Kind returns "fault" or "variant".
func (s *Server) Kind() string {
	if s.Clause != "" {
		return "fault"
	}
	return "variant"
}

// Cites reports whether a finding of this clause counts for the fault.
func (s *Server) Cites(clause string) bool {
	return s.Clause != "" && (clause == s.Clause || slices.Contains(s.Also, clause))
}

// Choices returns the choices of a reference that servers wrap.
func Choices(servers ...Server) reference.Choices {
	c := reference.DefaultChoices()
	for _, s := range servers {
		if s.Choices != nil {
			s.Choices(&c)
		}
	}
	return c
}

// Around wraps servers around a reference; the last one is outermost.
func (env Env) Around(h http.Handler, servers ...Server) http.Handler {
	for _, s := range servers {
		if s.Wrap != nil {
			h = s.Wrap(h, env)
		}
	}
	return h
}

// Env describes the server that a fault wraps.
type Env struct {
	Contract *spec.Contract
	World    fixtures.World
}

// seeded lists the tables of hand-written faults, by the operations into which their rows are seeded.
var seeded = []group{
	{tables: []table{unknownHere, wrongTags, wrongDeletes, openPoints, wrongPins}},
	{into: every, tables: []table{
		wrongKeys, refusedOwner, remembered, permissions, sharedUser, malformedIDs, unknownIDs, unrouted, crashing, undecoded,
		afterDeletes, otherLetters, brokenOff, intermittent, behindGateways, hungUp,
	}},
	{into: updates, tables: []table{
		malformedBodies, coercedFields, misnamed, coercions, spoiltTexts, cutTexts, refusedValues, names,
		notStored, stale, changedToo, mixedUp, refusedUpdates, wrongObject, moved, wrongDates, standingAlone, swapped,
	}},
	{into: several, tables: []table{wrongParents}},
	{into: named(profileUpdate, hostUpdate), tables: []table{lostWriter}},

	{into: named(creativeDelete), single: true, tables: []table{deleteAnswers, refusedDeletes}},
	{into: named(mediaFileList), single: true, tables: []table{
		wrongItems, unstableLists, listAnswers, pageNumbers, pageItems, misplaced,
	}},
	{into: every, deep: true, tables: []table{unlisted, wornOut}},
	{into: updates, deep: true, tables: []table{unlistedBodies, standingSeconds}},
}

// All lists every fault, sorted by id.
func All(contract *spec.Contract) []Server {
	all := derived(contract)
	for _, g := range seeded {
		all = append(all, g.faults(contract)...)
	}
	for i := range all {
		all[i].Severity = cmp.Or(all[i].Severity, contract.Clause(all[i].Clause).Impact)
	}
	slices.SortFunc(all, func(a, b Server) int { return strings.Compare(a.ID, b.ID) })
	return all
}

// Sampled picks about one id in n. It depends only on the id, so that a new fault does not change which of the
// others a test tries.
func Sampled(id string, n int) bool {
	h := fnv.New32a()
	io.WriteString(h, id)
	return h.Sum32()%uint32(n) == 0
}

// ByID returns the server with this id, or an error that suggests similar ones.
func ByID(all []Server, id string) (Server, error) {
	var ids []string
	for _, s := range all {
		if s.ID == id {
			return s, nil
		}
		ids = append(ids, s.ID)
	}
	return Server{}, fmt.Errorf("unknown %s %q%s; adconform selftest --list lists all", all[0].Kind(), id, wording.Alike(id, ids))
}

// row is a fault in a table. In a group of several operations the operation's id replaces the * in the id and
// in the sentence, or else follows the id and precedes the sentence, which has no full stop.
type row struct {
	Server
	// clauses lists the clause that it breaks, then those that a finding for it may also cite. A word in lower case is a
	// promise of the operation: an effect of x-effects, such as "shows" or "persists", or "operation", the clause of the
	// operation itself.
	clauses string
	does    behaviour // in its operation; nil if Wrap is set, for faults beyond one exchange
}

func fault(id, clauses, sentence string, does behaviour) row {
	return row{Server{ID: id, Sentence: sentence}, clauses, does}
}

// everywhere returns a row for one operation that changes the answers of all.
func everywhere(name, clauses, sentence string, does behaviour) row {
	r := fault(name, clauses, sentence, nil)
	r.Wrap = does.wrap
	return r
}

// choosing gives a row other choices of the reference.
func (r row) choosing(choices func(*reference.Choices)) row {
	r.Choices = choices
	return r
}

// graded gives a row a severity different from that of its clause.
func (r row) graded(s spec.Impact) row {
	r.Severity = s
	return r
}

// group is a list of tables with rows that are seeded into the same operations.
type group struct {
	into   func(*spec.Operation) bool // nil: the rows see every exchange
	single bool                       // there is only one such operation, so ids and sentences do not name it
	deep   bool                       // the rows show only on odd input
	tables []table
}

// table returns the rows for an operation, which is nil if they see every exchange.
type table = func(op *spec.Operation) []row

func (g group) faults(c *spec.Contract) (all []Server) {
	ops := []*spec.Operation{nil}
	if g.into != nil {
		ops = slices.DeleteFunc(slices.Clone(c.Operations), func(op *spec.Operation) bool { return !g.into(op) })
	}
	for _, op := range ops {
		for _, rows := range g.tables {
			for _, r := range rows(op) {
				if op != nil && !g.single {
					r.ID, r.Sentence = placed(r.ID, r.ID+"/*", op.ID), placed(r.Sentence, "*: "+r.Sentence, op.ID)
				}
				r.Deep = g.deep
				all = append(all, r.fault(op))
			}
		}
	}
	return all
}

// placed replaces the * of a text by an operation's id, or that of the other text if it has none.
func placed(text, otherwise, id string) string {
	if !strings.Contains(text, "*") {
		text = otherwise
	}
	return strings.Replace(text, "*", id, 1)
}

// fault returns the fault of a row; op is nil if the row sees every exchange.
func (r row) fault(op *spec.Operation) Server {
	f, clauses := r.Server, clausesOf(op, r.clauses)
	f.Sentence, f.Clause, f.Also = f.Sentence+".", clauses[0], clauses[1:]
	if op != nil && r.does != nil {
		r.does = on(op.ID, r.does)
	}
	if f.Wrap == nil {
		f.Wrap = r.does.wrap
	}
	return f
}

// clausesOf returns the clauses that a row names.
func clausesOf(op *spec.Operation, words string) []string {
	var all []string
	for _, word := range strings.Fields(words) {
		switch {
		case word == strings.ToUpper(word):
			all = append(all, word)
		case word == "operation":
			all = append(all, op.Clause)
		case op.Effects[word] != "":
			all = append(all, op.Effects[word])
		}
	}
	return all
}

// wrap puts a fault or a variant around a server.
type wrap = func(http.Handler, Env) http.Handler

func every(*spec.Operation) bool { return true }

func updates(op *spec.Operation) bool { return op.Updates() }

func several(op *spec.Operation) bool { return len(op.Params) > 1 }

func named(ids ...string) func(*spec.Operation) bool {
	return func(op *spec.Operation) bool { return slices.Contains(ids, op.ID) }
}

// These are the operations that tables of one operation name.
const (
	profileUpdate  = "updateConnectionProfile"
	hostUpdate     = "updateConnectionProfileRuleHost"
	campaignUpdate = "updateCampaign"
	creativeDelete = "deleteCreative"
	mediaFileList  = "listCreativeMediaFiles"
)
