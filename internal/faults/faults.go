// Package faults breaks the bundled reference on purpose, each fault in one way
// that a sentence describes, and changes it in ways that still conform. A suite
// that judges the contract has to find every fault and flag no variant.
//
// A fault by hand is a row of a table, in the file of its topic:
//
//	s.fault("auth/owner-sometimes-unknown", "AUTH-4 EFFECT-1 operation",
//		"every fifth time the owner's key is not known",
//		when(all(byOwner, nth(5)), refuse(401)))
//
// It gives the beginning of the id, the clauses, a sentence, and the behaviour. All says into which operations
// each table is seeded: this row yields auth/owner-sometimes-unknown/updateCampaign and four others.
//
// Behaviours combine those in behaviour.go, which act instead of the server, on hooks of the
// reference, or after it, on the answer. A behaviour keeps what it remembers from one exchange to the next in the
// exchange (count, keep, recall), never in a variable of its own, as each server starts afresh.
//
// A new fault is right when go test ./internal/faults passes, and the suite finds it:
// adconform selftest --only '^auth/owner-sometimes'.
//
// A variant for which the reference has a choice is an entry of variants.yaml. One that needs code is a row of a
// table in variants.go or next to similar faults, with the points of spec/open.yaml at which it differs.
package faults

import (
	_ "embed" // unfound.txt
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/dialect"
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
	Pins    map[string]any                       // open points that its target file pins; nil for none
	Wrap    func(http.Handler, Env) http.Handler // around the reference; nil if the choices are everything
	Dialect *dialect.Dialect                     // in front of everything; nil for the published forms
	Deep    bool                                 // it shows only on odd input, which runs at depth deep send
	HTTP2   bool                                 // it is served over TLS, with HTTP/2

	// Fields of a fault. Row is its id as a table has it, with * for an operation; "" if it follows from the document.
	Row       string
	Clause    string      // the clause that it breaks; "" for a variant
	Also      []string    // clauses that a finding for it may also cite
	Operation string      // the one that answers wrongly; "" if several do
	Severity  spec.Impact // that of its clause, unless the row is graded

	// Fields of a variant.
	Open []string // ids of spec/open.yaml at which it differs; none if the difference does not matter on the wire
	Thin bool     // the target file does not give everything that a complete run needs
	Ends bool     // a key stops working, so that a run shows nothing more and is inconclusive
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
	return clause == s.Clause || slices.Contains(s.Also, clause)
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

// Around wraps servers around a reference; the last one is outermost, but for the way in which requests carry keys, and
// for dialects, which no fault and no other variant sees.
func (env Env) Around(h http.Handler, servers ...Server) http.Handler {
	for _, s := range servers {
		if s.Wrap != nil {
			h = s.Wrap(h, env)
		}
	}
	choices := Choices(servers...)
	h = choices.Entrance(h, env.World.Users)
	for _, s := range servers {
		if s.Dialect != nil {
			h = s.Dialect.Before(h, env.Contract, env.World)
		}
	}
	return h
}

// Target makes a target file of the reference one of a server with these around it: the last one's pins count.
func (env Env) Target(t *fixtures.Target, servers ...Server) {
	choices := Choices(servers...)
	choices.Target(t, env.World.Users)
	t.Open = fixtures.Pins{}
	for _, s := range servers {
		maps.Copy(t.Open, s.Pins)
	}
	for _, s := range servers {
		if s.Dialect != nil {
			s.Dialect.Target(t)
		}
	}
}

// Env describes the server that a fault wraps.
type Env struct {
	Contract *spec.Contract
	World    fixtures.World
}

// All lists every fault that the suite has to find, sorted by id.
func All(contract *spec.Contract) []Server {
	return slices.DeleteFunc(every(contract), isUnfound)
}

// Unfound lists the faults that no suite has found yet, so that the list of what it misses is known, and only shrinks.
func Unfound(contract *spec.Contract) []Server {
	return slices.DeleteFunc(every(contract),
		func(s Server) bool { return !isUnfound(s) })
}

//go:embed unfound.txt
var unfound string

func isUnfound(s Server) bool {
	return slices.Contains(strings.Fields(unfound), s.ID)
}

func every(contract *spec.Contract) []Server {
	s := &seeds{contract: contract}
	s.add(false, refusals, wrongTags, wrongDeletes, openPoints, behindForLong)
	for _, s.op = range contract.Operations {
		s.add(false, derived)
		s.add(true,
			wrongKeys, trustedHeaders, wrongForms, refusedOwner, remembered, permissions, sharedUser, malformedIDs,
			wrongPaths, crashing,
			afterDeletes, lastPages, brokenOff, behindGateways, pairUsers, guards, besideGuards, connections)
		switch {
		case s.op.Updates():
			s.add(true,
				malformedBodies, coercedFields, misnamed, spoiltTexts, refusedValues, otherLetters,
				notStored, changedToo, refusedUpdates, wrongRepresentations, moved, wrongDates, remembering, delayed,
				unchecked, misread, rememberingToo)
		case s.op.Deletes():
			s.add(false, deleteAnswers)
			s.add(true, pairDeletes, deleting)
		case s.op.Lists():
			s.add(true, otherLetters, pairLists, listing)
			s.add(false, wrongItems, movingFields, pageNumbers, pageItems)
		}
		s.deep = true
		s.add(true, unlisted, wornOut)
		s.deep = false
	}
	return s.sorted()
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
	return Server{}, fmt.Errorf("unknown %s %q%s; adconform selftest --list lists all", all[0].Kind(), id,
		wording.Alike(id, ids))
}

// seeds collects the faults of one operation after another, or the variants.
type seeds struct {
	contract *spec.Contract
	op       *spec.Operation // nil: the faults see every exchange
	named    bool            // ids and sentences name the operation
	name     string          // of the field, the path parameter or the row that a table is at, for {name}
	words    string          // of that row, for {words}
	deep     bool            // the faults show only on odd input
	all      []*Server
}

func (s *seeds) sorted() (all []Server) {
	for _, server := range s.all {
		all = append(all, *server)
	}
	slices.SortFunc(all,
		func(a, b Server) int { return strings.Compare(a.ID, b.ID) })
	return all
}

// fault adds a fault. Where the operation is named, its id replaces the * in the id and in the sentence, or else
// follows the id and precedes the sentence, which has no full stop. {name} and {words} in both stand for what at was
// given. The clauses are the one that the fault breaks, then those that a finding for it may also cite. A word in
// lower case is a promise of the operation: an effect of x-effects, such as "shows" or "persists", or "operation",
// the clause of the operation itself.
func (s *seeds) fault(id, clauses, sentence string, does behaviour) *Server {
	at := strings.NewReplacer("{name}", s.name, "{words}", s.words)
	id = at.Replace(id)
	sentence = at.Replace(sentence)
	row := id
	if s.named {
		if !strings.Contains(id, "*") {
			row = id + "/*"
		}
		id = placed(id, id+"/*", s.op.ID)
		sentence = placed(sentence, "*: "+sentence, s.op.ID)
	}
	if s.op != nil {
		does = when(of(s.op.ID), does)
	}
	words := clausesOf(s.op, clauses)
	f := &Server{
		ID: id, Row: row, Sentence: sentence +
			".", Clause: words[0], Also: words[1:], Wrap: does.wrap,
		Deep: s.deep,
	}
	f.Severity = s.contract.Clause(f.Clause).Impact
	if s.op != nil {
		f.Operation = s.op.ID
	}
	s.all = append(s.all, f)
	return f
}

// at gives the name and the words of the row of a table for the faults that follow.
func (s *seeds) at(name, words string) {
	s.name = name
	s.words = words
}

// everywhere adds a fault of one operation that changes the answers of all.
func (s *seeds) everywhere(id, clauses, sentence string, does behaviour) *Server {
	f := s.fault(id, clauses, sentence, does)
	f.Wrap = does.wrap
	f.Operation = ""
	return f
}

// choosing gives a fault other choices of the reference.
func (s *Server) choosing(choices func(*reference.Choices)) *Server {
	s.Choices = choices
	return s
}

// graded gives a fault a severity different from that of its clause.
func (s *Server) graded(severity spec.Impact) *Server {
	s.Severity = severity
	return s
}

// overHTTP2 serves a fault or variant over TLS, with HTTP/2.
func (s *Server) overHTTP2() *Server {
	s.HTTP2 = true
	return s
}

// add adds the faults of tables; where they are named, their ids and sentences have the operation.
func (s *seeds) add(named bool, tables ...func(s *seeds, op *spec.Operation)) {
	s.named = named
	for _, add := range tables {
		add(s, s.op)
	}
}

// placed replaces the * of a text by an operation's id, or that of the other text if it has none.
func placed(text, otherwise, id string) string {
	if !strings.Contains(text, "*") {
		text = otherwise
	}
	return strings.Replace(text, "*", id, 1)
}

// clausesOf returns the clauses that words name.
func clausesOf(op *spec.Operation, words string) (all []string) {
	for _, word := range strings.Fields(words) {
		switch {
		case word == "operation":
			word = op.Clause
		case word != strings.ToUpper(word):
			word = op.Effects[word]
		}
		if word != "" {
			all = append(all, word)
		}
	}
	return all
}

// topic returns a function that adds faults whose ids begin alike, which break the same clauses, and whose behaviours
// differ in one thing, such as the condition.
func topic[A any](s *seeds, prefix, clauses string, does func(A) behaviour) func(name, sentence string, a A) *Server {
	return func(name, sentence string, with A) *Server {
		return s.fault(prefix+name, clauses, sentence, does(with))
	}
}

func several(op *spec.Operation) bool { return len(op.Params) > 1 }

// These are the operations that tables of one operation name.
const (
	profileUpdate  = "updateConnectionProfile"
	hostUpdate     = "updateConnectionProfileRuleHost"
	campaignUpdate = "updateCampaign"
	creativeDelete = "deleteCreative"
	mediaFileList  = "listCreativeMediaFiles"
)
