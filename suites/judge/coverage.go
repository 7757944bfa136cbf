package judge

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
)

// about is what is judged: a clause on an operation.
type about struct{ clause, operation string }

// coverage counts the judgements of a clause on an operation.
type coverage struct {
	cases  map[string]bool
	last   string // the last of them: nearly every answer of a case judges the same clauses
	times  int
	hidden string // why what was judged is not enough, see hide
}

// coverageOf is the coverage of a clause on an operation. The book is locked.
func (b *Outcome) coverageOf(clause, operation string) *coverage {
	n := b.coverage[about{clause, operation}]
	if n == nil {
		n = &coverage{cases: map[string]bool{}}
		b.coverage[about{clause, operation}] = n
	}
	return n
}

// cover counts a judgement of a clause on an operation.
func (b *Outcome) cover(clause, caseID, operation string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := b.coverageOf(clause, operation)
	if n.last != caseID {
		n.last, n.cases[caseID] = caseID, true
	}
	n.times++
}

// hide notes that the target hides a part of what a clause is about, so that what
// was judged does not show that it holds. Of several reasons one is kept, whoever
// came first.
func (b *Outcome) hide(clause, operation, reason string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := b.coverageOf(clause, operation)
	if n.hidden == "" || reason < n.hidden {
		n.hidden = reason
	}
}

// Judged is what a run judged of a clause on an operation.
type Judged struct {
	Clause, Operation string
	Cases             int    // in which it was
	Times             int    // it was, in all
	Hidden            string // why that is not enough: the target hides the rest
}

// Judged lists what was judged, by clause and operation.
func (b *Outcome) Judged() []Judged {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []Judged
	for at, n := range b.coverage {
		if len(n.cases) > 0 || n.hidden != "" {
			all = append(all, Judged{at.clause, at.operation, len(n.cases), n.times, n.hidden})
		}
	}
	slices.SortFunc(all, func(a, b Judged) int {
		return cmp.Or(cmp.Compare(a.Clause, b.Clause), cmp.Compare(a.Operation, b.Operation))
	})
	return all
}

// JudgedIn lists the clauses that were judged in a case.
func (b *Outcome) JudgedIn(caseID string) []string {
	var ids []string
	for at, n := range b.coverage {
		if n.cases[caseID] {
			ids = append(ids, at.clause)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// premise is what has to be seen of an operation before a clause can hold for it.
type premise struct {
	statuses []int  // that an answer has; nil: any
	unmet    string // why a clause is not tested, where no such answer was seen
}

// anySuccess stands for every 2xx.
const anySuccess = 0

var premises = map[string]premise{
	"AUTH-1":   {[]int{http.StatusUnauthorized}, "no request was answered 401"},
	"AUTH-2":   {[]int{http.StatusForbidden}, "no request was answered 403"},
	"AUTH-3":   {[]int{http.StatusUnauthorized, http.StatusForbidden}, "no request was answered 401 or 403"},
	"AUTH-4":   {[]int{anySuccess}, "no request of the owner succeeded"},
	"ERR-1":    {[]int{http.StatusNotFound}, "no request was answered 404"},
	"ERR-2":    {[]int{http.StatusNotFound}, "no request was answered 404"},
	"ERR-3":    {[]int{http.StatusUnprocessableEntity}, "no request was answered 422"},
	"ERR-4":    {[]int{http.StatusUnprocessableEntity}, "no request was answered 422"},
	"ERR-5":    {[]int{http.StatusUnprocessableEntity}, "no request was answered 422"},
	"ERR-6":    {errorStatuses, "no request was answered 401, 403, 404 or 422"},
	"ERR-7":    {errorStatuses, "no request was answered 401, 403, 404 or 422"},
	"ERR-8":    {errorStatuses, "no request was answered 401, 403, 404 or 422"},
	"ERR-9":    {errorStatuses, "no issue was seen in an error"},
	"ERR-10":   {[]int{http.StatusUnprocessableEntity}, "no request with one wrong field was answered 422"},
	"ERR-11":   {errorStatuses, "no request was answered 401, 403, 404 or 422"},
	"EFFECT-1": {errorStatuses, "no object was looked at after a refusal"},
	"EFFECT-2": {[]int{anySuccess}, "no other object was looked at after an update"},
	"EFFECT-3": {[]int{anySuccess}, "no object was seen twice"},
	"DELETE-1": {[]int{http.StatusNoContent}, "no delete was answered 204"},
	"DELETE-2": {[]int{http.StatusNoContent}, "no delete was answered 204"},
	"DELETE-3": {[]int{http.StatusNotFound}, "no delete was answered 204, and then sent again"},
	"DELETE-4": {[]int{http.StatusNoContent}, "no other creative was looked at after a delete that was answered 204"},
	"DELETE-5": {[]int{http.StatusNoContent}, "no delete of a media file was answered 204"},
	"DELETE-6": {[]int{http.StatusNoContent}, "no delete was answered 204"},
	"MEDIA-4":  {[]int{anySuccess}, "no list was seen whole, nor is its size in the target file"},
	"MEDIA-5":  {[]int{anySuccess}, "no second page was seen"},
	"MEDIA-6":  {[]int{anySuccess}, "no list was seen whole"},
	"MEDIA-7":  {[]int{anySuccess}, "no list with media files was seen whole"},
	"MEDIA-8":  {[]int{anySuccess}, "no second page was seen"},
	"MEDIA-9":  {[]int{anySuccess}, "no media file was seen twice"},
	"OPEN-2":   {[]int{anySuccess}, "no second date was seen"},
	"OPEN-4":   {[]int{http.StatusNoContent}, "no delete was answered 204"},
	"OPEN-6":   {[]int{anySuccess}, "no text that could be trimmed or normalised was taken"},
	"OPEN-10":  {errorStatuses, "no issue named a field"},
	"OPEN-11":  {[]int{http.StatusUnauthorized}, "no request was answered 401"},
	"OPEN-12":  {[]int{http.StatusMethodNotAllowed}, "no request was answered 405"},
	"OPEN-7":   {[]int{anySuccess}, "no two writers of one object both succeeded"},
}

var errorStatuses = []int{
	http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusUnprocessableEntity,
}

// unmetEffects says why what a schema cannot say was not tested.
var unmetEffects = map[string]string{
	"identity":  "no update was answered with the object",
	"shows":     "no update was answered with what it had set",
	"persists":  "no later answer showed what an update had set",
	"stays":     "no object was shown again after an update",
	"updatedAt": "no answer showed an object that an update had changed",
}

// of is the premise of a clause on an operation. Clauses of a representation
// or a list need one.
func of(clause string, op *spec.Operation) premise {
	if p, ok := premises[clause]; ok {
		return p
	}
	kind, _, _ := strings.Cut(clause, "-")
	switch kind {
	case "ERR", "HTTP", "JSON", "OPEN", "PIN":
		return premise{unmet: "no answer showed it"}
	}
	if op != nil {
		for effect, unmet := range unmetEffects {
			if op.Effects[effect] == clause && op.Clause != clause {
				return premise{[]int{anySuccess}, unmet}
			}
		}
	}
	if op != nil && op.Deletes() {
		return premise{[]int{http.StatusNoContent}, "no delete was answered 204"}
	}
	return premise{[]int{anySuccess}, "no answer with success showed it"}
}

// Met says whether an answer of an operation with this status can show that a clause holds.
func Met(clause string, op *spec.Operation, status int) bool {
	statuses := of(clause, op).statuses
	return statuses == nil || slices.Contains(statuses, status) || status/100 == 2 && slices.Contains(statuses, anySuccess)
}

// Unmet says why a clause was not judged on an operation whose cases were run.
func Unmet(clause string, op *spec.Operation) string { return of(clause, op).unmet }
