package faults

import (
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// row is a fault as the table of its topic says it: with a name, which is the id after the topic. In a topic of
// several operations the operation's id is put behind it, or where it has a *. The sentence has no full stop,
// and the operation is put in front of it, or where it has a *.
type row struct {
	Fault
	// clauses are the clause that it breaks, then those that a finding for it may cite
	// too. A word in lower case is a promise of the operation: an effect of x-effects,
	// such as "shows" or "persists", or "operation", the clause of the operation itself.
	clauses string
	does    behaviour // in its operation; nil where Wrap is there, for what is no matter of one exchange
}

func fault(name, clauses, sentence string, does behaviour) row {
	return row{Fault{Server: Server{ID: name, Sentence: sentence}}, clauses, does}
}

// everywhere is a row of one operation that changes the answers of all.
func everywhere(name, clauses, sentence string, does behaviour) row {
	r := fault(name, clauses, sentence, nil)
	r.Wrap = does.wrap
	return r
}

// choosing is a row that needs a reference with other choices.
func (r row) choosing(choices func(*reference.Choices)) row {
	r.Choices = choices
	return r
}

// graded says how much a row hurts, where its clause does not.
func (r row) graded(s Severity) row {
	r.Severity = s
	return r
}

// topic is tables of rows whose ids begin alike.
type topic struct {
	name   string
	into   func(*spec.Operation) bool // the operations that its rows are seeded into; nil: they see every exchange
	named  bool                       // ids and sentences name the operation
	deep   bool                       // they show on odd input only
	tables []table
}

// table makes the rows for an operation; nil where they see every exchange.
type table = func(op *spec.Operation) []row

// inEach is a topic whose rows are seeded into each operation of a kind, inOne one of a single operation,
// and the rows of anywhere see every exchange.
func inEach(name string, kind func(*spec.Operation) bool, tables ...table) topic {
	return topic{name: name, into: kind, named: true, tables: tables}
}

func inOne(name, operation string, tables ...table) topic {
	return topic{name: name, into: named(operation), tables: tables}
}

func anywhere(name string, tables ...table) topic { return topic{name: name, tables: tables} }

// deep is a topic of faults that show on odd input only.
func deep(t topic) topic {
	t.deep = true
	return t
}

// faults are those of the topic's rows.
func (t topic) faults(c *spec.Contract) (all []Fault) {
	ops := []*spec.Operation{nil}
	if t.into != nil {
		ops = slices.DeleteFunc(slices.Clone(c.Operations), func(op *spec.Operation) bool { return !t.into(op) })
	}
	for _, op := range ops {
		for _, rows := range t.tables {
			for _, r := range rows(op) {
				if t.named {
					r.ID, r.Sentence = placed(r.ID, r.ID+"/*", op.ID), placed(r.Sentence, "*: "+r.Sentence, op.ID)
				}
				f := r.fault(t.name, op)
				f.Deep = t.deep
				all = append(all, f)
			}
		}
	}
	return all
}

// placed puts an operation's id in place of the * of a text, or of another where it has none.
func placed(text, otherwise, id string) string {
	if !strings.Contains(text, "*") {
		text = otherwise
	}
	return strings.Replace(text, "*", id, 1)
}

// fault is the fault of a row; op is nil where the row sees every exchange.
func (r row) fault(topic string, op *spec.Operation) Fault {
	f, clauses := r.Fault, clausesOf(op, r.clauses)
	f.ID, f.Sentence, f.Clause, f.Also = path.Join(topic, f.ID), f.Sentence+".", clauses[0], clauses[1:]
	if op != nil && r.does != nil {
		r.does = on(op.ID, r.does)
	}
	if f.Wrap == nil {
		f.Wrap = r.does.wrap
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
