package faults

import (
	"slices"
	"strings"
)

// Severity says how much a fault hurts.
type Severity string

// The severities.
const (
	Critical Severity = "critical" // someone gets in, sees or changes what is not theirs, or data is lost
	Major    Severity = "major"    // the contract is broken for every client
	Minor    Severity = "minor"    // the rest: rare requests, what a refusal says, dates, what is open
)

// Severities lists them, the worst first.
func Severities() []Severity { return []Severity{Critical, Major, Minor} }

// grades are the first words of rows' clauses by how much a fault hurts that breaks one; a row
// may say otherwise, with graded.
var grades = map[Severity]string{
	Critical: "AUTH-1 AUTH-2 AUTH-3 EFFECT-1 EFFECT-2 DELETE-4 persists",
	Minor: "ERR-3 ERR-4 ERR-5 ERR-6 ERR-7 ERR-8 ERR-9 ERR-10 ERR-11 ERR-12 HTTP-1 HTTP-4 stays updatedAt " +
		"OPEN-1 OPEN-2 OPEN-3 OPEN-4 OPEN-5 OPEN-6 OPEN-7 OPEN-8 OPEN-9 PIN-1", // HTTP-1 on requests of one kind
}

// gradeOf is how much a fault by hand hurts that breaks a clause: Major where none is said.
func gradeOf(word string) Severity {
	for severity, words := range grades {
		if slices.Contains(strings.Fields(words), word) {
			return severity
		}
	}
	return Major
}

// graded says how much a row hurts, where its clause does not.
func (r row) graded(s Severity) row {
	r.severity = s
	return r
}
