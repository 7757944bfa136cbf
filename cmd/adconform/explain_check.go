package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
)

// judgedText says in which functions each check is: a line of check, file and function,
// apart by spaces. It is written from the code by: go test ./cmd/adconform -run TestJudgedIsFresh -update
//
//go:embed judged.txt
var judgedText string

// judgedIn are the places of a check in the repository: "suites/oracle/body.go: judgeText".
func judgedIn(check string) []string {
	var places []string
	for line := range strings.Lines(judgedText) {
		if f := strings.Fields(line); f[0] == check {
			places = append(places, fmt.Sprintf("%s: %s", f[1], f[2]))
		}
	}
	return places
}

// allChecks are the checks that findings name.
func allChecks() []oracle.Check { return slices.Concat(oracle.Checks(), judge.Checks) }

// check says what a check judges, and where.
func (e explainer) check(c oracle.Check) {
	e.print("%s: %s", c.ID, c.Text)
	e.field("clauses:", strings.Join(c.Clauses, ", "))
	e.places(c)
}

func (e explainer) places(c oracle.Check) {
	for i, place := range judgedIn(c.ID) {
		e.field([]string{"judged in:", ""}[min(i, 1)], place)
	}
}

// checksOf lists the checks that can find a clause broken.
func (e explainer) checksOf(clause string) {
	for _, c := range allChecks() {
		if slices.Contains(c.Clauses, clause) {
			e.field("check:", c.ID+": "+c.Text)
			e.places(c)
		}
	}
}
