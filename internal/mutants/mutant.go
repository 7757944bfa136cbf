// Package mutants shows what the suite catches of defects that nobody chose: every
// one-token mutant of the reference's own source. All of them are compiled into one
// program, behind a switch that only that program has.
package mutants

import (
	"cmp"
	"fmt"
	"slices"
)

// Kind is what is done to the source.
type Kind string

// The kinds of mutation.
const (
	Comparison Kind = "comparison" // another operator: == !=, < <= > >=
	Boolean    Kind = "boolean"    // && for ||, an operand or a ! left out, true for false
	Arithmetic Kind = "arithmetic" // another operator
	Constant   Kind = "constant"   // an integer or character one up or down, another constant of the same type
	Status     Kind = "status"     // another HTTP status
	Condition  Kind = "condition"  // of if, for and case: negated, always, never
	Error      Kind = "error"      // an error that is not looked at or not returned
	Statement  Kind = "statement"  // left out
	Element    Kind = "element"    // of a literal, left out
	Argument   Kind = "argument"   // exchanged with the next one of the same type
	Text       Kind = "text"       // a string emptied or longer
	SQL        Kind = "sql"        // a query with another operator, parameter, column or condition
)

// Kinds are all kinds of mutation.
func Kinds() []Kind {
	return []Kind{Comparison, Boolean, Arithmetic, Constant, Status, Condition, Error, Statement, Element, Argument, Text, SQL}
}

// Mutant is the source with one change.
type Mutant struct {
	ID       string `json:"id"` // file/function/kind/number
	File     string `json:"file"`
	Function string `json:"function"` // Type.method, function, or the variable or constant of the package
	Kind     Kind   `json:"kind"`
	Line     int    `json:"line"`
	Before   string `json:"before"` // the lines that change, white space folded
	After    string `json:"after"`

	number int // of the switch
	place  int // the statement that has the change; 0 for none: the value of a variable
	edits  []edit
}

// edit replaces a part of a unit. A constant is changed wherever it is used, so a
// mutant may have several.
type edit struct {
	in       *unit
	from, to int // in the file
	text     string
}

// Dropped stands in After for what is left out.
const Dropped = "(dropped)"

// name gives mutants their ids and numbers, in the order of the source.
func name(all []*Mutant) {
	slices.SortStableFunc(all, func(a, b *Mutant) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	count := map[string]int{}
	for i, m := range all {
		prefix := fmt.Sprintf("%s/%s/%s", m.File, m.Function, m.Kind)
		count[prefix]++
		m.ID, m.number = fmt.Sprintf("%s/%d", prefix, count[prefix]), i+1
	}
}
