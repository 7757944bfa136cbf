package faults

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

// severities are those of the faults by hand that break a clause, by the first word of
// the row's clauses; Major where none is said. A row may say otherwise, with graded.
var severities = map[string]Severity{
	"AUTH-1":   Critical,
	"AUTH-2":   Critical,
	"AUTH-3":   Critical,
	"EFFECT-1": Critical,
	"EFFECT-2": Critical,
	"DELETE-4": Critical,
	"persists": Critical,

	"ERR-3":     Minor,
	"ERR-4":     Minor,
	"ERR-5":     Minor,
	"ERR-6":     Minor,
	"ERR-7":     Minor,
	"ERR-8":     Minor,
	"ERR-9":     Minor,
	"ERR-10":    Minor,
	"ERR-11":    Minor,
	"ERR-12":    Minor,
	"HTTP-1":    Minor, // on requests of one kind
	"HTTP-4":    Minor,
	"stays":     Minor,
	"updatedAt": Minor,
	"OPEN-1":    Minor,
	"OPEN-2":    Minor,
	"OPEN-3":    Minor,
	"OPEN-4":    Minor,
	"OPEN-5":    Minor,
	"OPEN-6":    Minor,
	"OPEN-7":    Minor,
	"OPEN-8":    Minor,
	"OPEN-9":    Minor,
	"PIN-1":     Minor,
}

// graded says how much a row hurts, where its clause does not.
func (r row) graded(s Severity) row {
	r.severity = s
	return r
}
