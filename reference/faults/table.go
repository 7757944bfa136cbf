package faults

import (
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// row is a fault as the table of its topic says it.
type row struct {
	// name is the id after the topic. In a topic of several operations the operation's
	// id is put behind it, or where it has a *.
	name string
	// clauses are the clause that it breaks, then those that a finding for it may cite
	// too. A word in lower case is a promise of the operation: an effect of x-effects,
	// such as "shows" or "persists", or "operation", the clause of the operation itself.
	clauses string
	// sentence has no full stop, and in a topic of several operations no operation: it
	// is put in front, or where the sentence has a *.
	sentence string
	does     behaviour
	severity Severity                 // "" for that of the first clause
	choices  func(*reference.Choices) // as in Server
	pins     map[string]any           // as in Server
	wrap     wrap                     // in place of does, for what is no matter of one exchange
}

func fault(name, clauses, sentence string, does behaviour) row {
	return row{name: name, clauses: clauses, sentence: sentence, does: does}
}

// choosing is a row that needs a reference with other choices.
func (r row) choosing(choices func(*reference.Choices)) row {
	r.choices = choices
	return r
}

// topic makes the faults of a table.
type topic func(c *spec.Contract) []Fault

// inEach is a topic whose rows are seeded into each operation of a kind.
func inEach(name string, is func(*spec.Operation) bool, tables ...func(op *spec.Operation) []row) topic {
	return func(c *spec.Contract) []Fault {
		var all []Fault
		for _, op := range c.Operations {
			for _, rows := range tables {
				if !is(op) {
					continue
				}
				for _, r := range rows(op) {
					r.name = placed(r.name, r.name+"/*", op.ID)
					r.sentence = placed(r.sentence, "*: "+r.sentence, op.ID)
					all = append(all, r.fault(name, op))
				}
			}
		}
		return all
	}
}

// placed puts an operation's id in place of the * of a text, or of another where it has none.
func placed(text, otherwise, id string) string {
	if !strings.Contains(text, "*") {
		text = otherwise
	}
	return strings.Replace(text, "*", id, 1)
}

// inOne is a topic of one operation, whose ids and sentences do not name it.
func inOne(name, operation string, tables ...func(op *spec.Operation) []row) topic {
	return func(c *spec.Contract) (all []Fault) {
		for _, rows := range tables {
			for _, r := range rows(c.Operation(operation)) {
				all = append(all, r.fault(name, c.Operation(operation)))
			}
		}
		return all
	}
}

// anywhere is a topic whose rows see every exchange.
func anywhere(name string, tables ...func(c *spec.Contract) []row) topic {
	return func(c *spec.Contract) []Fault {
		var all []Fault
		for _, rows := range tables {
			for _, r := range rows(c) {
				all = append(all, r.fault(name, nil))
			}
		}
		return all
	}
}

// fault is the fault of a row; op is nil where the row sees every exchange.
func (r row) fault(topic string, op *spec.Operation) Fault {
	f := Fault{
		Server:   Server{ID: path.Join(topic, r.name), Sentence: r.sentence + ".", Choices: r.choices, Pins: r.pins, Wrap: r.wrap},
		Severity: r.severity,
	}
	clauses := clausesOf(op, r.clauses)
	f.Clause, f.Also = clauses[0], clauses[1:]
	if f.Severity == "" {
		f.Severity = impactOf(f.Clause)
	}
	switch {
	case f.Wrap != nil:
	case op == nil:
		f.Wrap = r.does.wrap
	default:
		f.Wrap = on(op.ID, r.does).wrap
	}
	return f
}

// clausesOf are the clauses that a row names.
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

// operation ids that topics of one operation name.
const (
	profileUpdate  = "updateConnectionProfile"
	hostUpdate     = "updateConnectionProfileRuleHost"
	campaignUpdate = "updateCampaign"
	creativeDelete = "deleteCreative"
	mediaFileList  = "listCreativeMediaFiles"
)
