package judge

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
)

// say gives a finding its words.
func say(f *Finding, w oracle.Words) { f.Said, f.CauseWords = w, w.String() }

// words are those of a finding, as the row of its check says them.
func words(f *Finding) oracle.Words {
	check := checkOf(f.Check)
	if check.Words != nil {
		return check.Words(f)
	}
	return oracle.Words{Subject: check.Breach}
}

// SecondDelete are the words where a second delete is answered otherwise than 404.
func SecondDelete(status int) oracle.Words {
	return oracle.Words{Subject: secondDelete, Rest: fmt.Sprintf(" is answered %d where 404 was expected", status)}
}

const secondDelete = "a second delete"

// Groups are the findings of a run, worst first, and the one that each sight is of. One finding
// is one cause: what was seen is of the same one where it is said in the same words, whatever
// operation, clause and field it is about.
func (b *Outcome) Groups(contract *spec.Contract) (findings []*Finding, of map[*Finding]*Finding) {
	var ids []string
	seen, groups, words := map[oracle.Cause][]*Finding{}, map[string][]*Finding{}, map[string]oracle.Words{}
	all := b.findings()
	for _, f := range all {
		seen[f.Cause()] = append(seen[f.Cause()], f)
	}
	ordinarily := b.failsOrdinary(all, seen)
	for _, f := range all {
		said := f.Said
		if by, is := ordinarily[failureOf(f)]; is {
			said = by
		} else if part := partFails(f, seen[f.Cause()]); part != nil {
			said = part.Said
		}
		id := groupID(said.String(), f)
		if groups[id] == nil {
			ids, words[id] = append(ids, id), said
		}
		groups[id] = append(groups[id], f)
	}
	of = map[*Finding]*Finding{}
	for _, id := range ids {
		f := b.together(contract, id, words[id], groups[id])
		findings = append(findings, f)
		for _, s := range groups[id] {
			of[s] = f
		}
	}
	later := map[*Finding]int{}
	for _, f := range findings {
		if slices.ContainsFunc(findings, func(g *Finding) bool { return covers(g, f) }) {
			later[f] = 1
		}
	}
	slices.SortFunc(findings, func(x, y *Finding) int {
		return cmp.Or(rank(x)-rank(y), later[x]-later[y], byClause(contract, x, y))
	})
	return findings, of
}

// findings are all of a run, by case.
func (b *Outcome) findings() (all []*Finding) {
	for _, r := range b.ByCase {
		all = append(all, r.Findings...)
	}
	return all
}

// covers says whether one finding shows wherever another does, and elsewhere, too: that may be
// what the first leads to.
func covers(one, other *Finding) bool {
	return rank(one) == rank(other) && len(one.Cases) > len(other.Cases) &&
		!slices.ContainsFunc(other.Cases, func(id string) bool { return !slices.Contains(one.Cases, id) })
}

// groupID names a finding; it is the same in every run.
func groupID(words string, f *Finding) string {
	return oracle.Cause{Check: words, Place: string(f.Severity) + f.Ignored}.ID()
}

// impactOf is how much it hurts what a finding shows.
func impactOf(contract *spec.Contract, f *Finding) spec.Impact {
	c := contract.Clause(f.Clause)
	switch {
	case c == nil, f.Severity == oracle.Notice && f.Counts():
		return spec.Minor
	case f.Check == "server-error" && (f.Sent == nil || f.Sent.What == ""): // not only what is odd makes it fail
		return spec.Major
	}
	return c.Impact
}

// rank is the order of findings: what fails a run first, then what hurts most.
func rank(f *Finding) int {
	weight := map[oracle.Severity]int{oracle.Violation: 0, oracle.Transport: 1, oracle.Notice: 6}[f.Severity]
	return weight + 2*slices.Index(spec.Impacts(), f.Impact)
}

// byClause orders findings of one rank, as the contract orders their clauses.
func byClause(contract *spec.Contract, x, y *Finding) int {
	place := func(f *Finding) int {
		return slices.IndexFunc(contract.Clauses, func(c spec.Clause) bool { return c.ID == f.Clause })
	}
	return cmp.Or(place(x)-place(y), cmp.Compare(x.Operation, y.Operation), cmp.Compare(x.CauseWords, y.CauseWords))
}

// together makes one finding of all that was seen of it: of the first of those that hurt most. Seen
// counts them, Of how often their clauses were judged.
func (b *Outcome) together(contract *spec.Contract, id string, words oracle.Words, sights []*Finding) *Finding {
	hurts := func(s *Finding) *Finding {
		sight := *s
		sight.Impact = impactOf(contract, s)
		return &sight
	}
	f := hurts(slices.MinFunc(sights, func(x, y *Finding) int { return rank(hurts(x)) - rank(hurts(y)) }))
	say(f, words)
	f.ID, f.Cases, f.Clauses, f.Operations, f.Seen = id, nil, []string{f.Clause}, []string{f.Operation}, len(sights)
	judged := map[about]bool{}
	for _, s := range sights {
		once(&f.Cases, s.Case)
		once(&f.Clauses, s.Clause)
		once(&f.Operations, s.Operation)
		once(&f.At, s.Cause())
		if words == s.Said || s.Check == CheckNotRefused.ID {
			once(&f.Shows, shows(s))
		}
		f.Timing = f.Timing && s.Timing
		if at := (about{s.Clause, s.Operation}); b.coverage[at] != nil && !judged[at] {
			judged[at] = true
			f.Of += b.coverage[at].Times
		}
	}
	f.Of, f.Title = max(f.Of, f.Seen), title(f)
	hint := HintFor(sights[0])
	if hint != nil && !slices.ContainsFunc(sights, func(s *Finding) bool { return HintFor(s) != hint }) {
		f.Hint = hint.String()
	}
	return f
}

// once adds to a list what is not in it, and is not empty.
func once[T comparable](list *[]T, one T) {
	var empty T
	if one != empty && !slices.Contains(*list, one) {
		*list = append(*list, one)
	}
}

// MaxShows is how much of what shows a cause its title names.
const MaxShows = 5

// title is what a finding is called: "an array is accepted as a text: name, hostname and
// regularExpression (9 cases of 2 operations)".
func title(f *Finding) string {
	title := f.CauseWords
	if len(f.Operations) == 1 && f.Operation != "all" && !strings.HasPrefix(title, f.Operation) {
		title = f.Operation + ": " + title
	}
	if len(f.Shows) > 0 {
		title += ": " + wording.Some(f.Shows, MaxShows)
	}
	where := wording.Count(len(f.Cases), "case")
	if n := len(f.Operations); n > 1 {
		where += fmt.Sprintf(" of %d operations", n)
	}
	return wording.Printable(fmt.Sprintf("%s (%s)", title, where))
}

// Headline says what one sight of a finding shows: "updateCampaign: an array is accepted as
// a text: name".
func Headline(f *Finding) string {
	text := f.CauseWords
	if f.Operation != "all" {
		text = f.Operation + ": " + text
	}
	if by := shows(f); by != "" {
		text += ": " + by
	}
	return wording.Printable(text)
}

// partFails is the sight of the same case with one of the oddities of a text that has many of
// them: that one is the cause. It is nil for none.
func partFails(many *Finding, sights []*Finding) *Finding {
	if many.Check == "server-error" && many.Sent != nil && many.Sent.What == ManyOddities {
		for _, s := range sights {
			if s.Case == many.Case && s.Sent != nil && s.Sent.At == many.Sent.At && s.Sent.What != "" && s.Sent.What != ManyOddities {
				return s
			}
		}
	}
	return nil
}

// failsOrdinary are the words for what operations answer ordinary requests, too: then it is
// not what was odd about the others.
func (b *Outcome) failsOrdinary(all []*Finding, seen map[oracle.Cause][]*Finding) map[string]oracle.Words {
	fails, often, odd := map[string]oracle.Words{}, map[string]bool{}, map[string]bool{}
	for _, f := range all {
		key := failureOf(f)
		if t := b.coverage[about{f.Clause, f.Operation}]; t != nil && 2*len(seen[f.Cause()]) > t.Times && f.Check != CheckExpectedStatus.ID {
			often[key] = true
		}
		_, known := fails[key]
		switch {
		case f.Sent != nil && f.Sent.What == UnknownID && f.Check == CheckNotRefused.ID:
			fails[key] = oracle.Words{Subject: "a wrong id is accepted at " + strings.TrimPrefix(f.Sent.At, "path:")}
		case f.Sent != nil && f.Sent.What != "":
			odd[key] = true
		case !known || f.Clause == "AUTH-4":
			fails[key] = f.Said
		}
	}
	delete(fails, "")
	for key, w := range fails {
		if odd[key] && w.Subject == oracle.Ordinary {
			w.Subject = "any request, ordinary ones too,"
			if !often[key] {
				w.Subject, w.Failure = "some requests, ordinary ones too,", plural.Replace(w.Failure)
			}
			fails[key] = w
		}
	}
	return fails
}

var plural = strings.NewReplacer("makes ", "make ", "is ", "are ")

// failureOf tells the failures of an operation apart, the answers 401 to the owner's key, and
// the wrong ids that are accepted; "" for what is none.
func failureOf(f *Finding) string {
	switch {
	case f.Said.Failure != "" && f.Said.Subject != secondDelete:
		return f.Operation + " " + f.Said.Failure
	case f.Check == CheckExpectedStatus.ID && f.Answer != nil && f.Answer.Status == http.StatusUnauthorized &&
		(f.Sent == nil || f.Sent.At != "key"):
		return f.Operation + " is answered 401"
	case f.Check == CheckNotRefused.ID && f.Sent != nil && strings.HasPrefix(f.Sent.At, "path:"):
		return f.Operation + " " + f.Sent.At
	}
	return ""
}

// shows is what a cause is seen by: the field that was sent or shown, the key, the id.
func shows(f *Finding) string {
	name := f.Pointer[strings.LastIndexAny(f.Pointer, "/:")+1:]
	if name == "data" || name == "framing" || strings.HasPrefix(f.Pointer, "request:") {
		name = "" // the list itself, or the answer; the cause says what was sent
	}
	check := checkOf(f.Check)
	switch s := f.Sent; {
	case check.Has(oracle.ByStatus) && f.Answer != nil:
		return fmt.Sprint(f.Answer.Status)
	case !check.Has(bySent):
		return name
	case f.Check == CheckRelatedField.ID && s == nil:
		return "" // the error has no name that tells more
	case strings.HasPrefix(f.Pointer, "/data") || strings.HasPrefix(f.Pointer, "header:"), s == nil:
		return name
	case f.Clause == "EFFECT-3", f.Clause == "AUTH-4", f.Said.Subject == goneUnnamed, f.Said.Subject == secondDelete: // no request is wrong
		return ""
	case s.At == "key" && (f.Said.Tells || f.Clause == "AUTH-2" || f.Clause == "AUTH-3"): // it is said, or always that of another user
		return ""
	case s.At == "key":
		return s.What
	case strings.HasPrefix(s.At, "/"):
		if s.What != "" && !f.Said.Tells {
			return s.What + " (" + s.At[1:] + ")"
		}
		return s.At[1:]
	case s.What != "" && !f.Said.Tells:
		return s.What
	case strings.HasPrefix(s.At, "path:") && s.What != UnknownID:
		return s.Value
	}
	return ""
}
