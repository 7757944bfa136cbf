package judge

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
)

// group is a finding while it is put together.
type group struct {
	*Finding // the exemplar: the first that was seen of those that hurt most
	sights   []*Finding
	shows    []string
}

// Groups are the findings of a run, worst first, and the one that each sight is of. One finding
// is one cause: what was seen is of the same one where it is said in the same words, whatever
// operation, clause and field it is about.
func (b *Outcome) Groups(contract *spec.Contract) (findings []*Finding, of map[*Finding]*Finding) {
	seen := map[oracle.Cause][]*Finding{}
	for _, r := range b.ByCase {
		for _, f := range r.Findings {
			seen[f.Cause()] = append(seen[f.Cause()], f)
		}
	}
	ordinarily, groups := b.failsOrdinary(seen), map[string]*group{}
	for _, r := range b.ByCase {
		for _, f := range r.Findings {
			words := cmp.Or(f.CauseWords, f.Check)
			if part := partFails(f, seen[f.Cause()]); part != nil {
				words = part.CauseWords
			}
			if by := ordinarily[failureOf(f)]; by != "" {
				words = by
			}
			g := groups[groupID(words, f)]
			if g == nil {
				first := *f
				g = &group{Finding: &first}
				groups[groupID(words, f)] = g
			}
			if words == f.CauseWords || strings.HasPrefix(words, wrongID) {
				once(&g.shows, shows(f))
			}
			sight := *f
			sight.ID, sight.CauseWords, sight.Impact = groupID(words, f), words, impactOf(contract, f)
			if len(g.sights) == 0 || rank(&sight) < rank(g.Finding) {
				*g.Finding = sight
			}
			g.sights = append(g.sights, f)
		}
	}
	of = map[*Finding]*Finding{}
	for _, g := range groups {
		b.together(g)
		findings = append(findings, g.Finding)
		for _, s := range g.sights {
			of[s] = g.Finding
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

// together completes a finding by all that was seen of it. Seen counts that, Of how often its
// clauses were judged.
func (b *Outcome) together(g *group) {
	f := g.Finding
	f.Cases, f.Shows, f.Seen, f.Timing = nil, g.shows, len(g.sights), true
	f.Clauses, f.Operations = []string{f.Clause}, []string{f.Operation}
	judged := map[about]bool{}
	for _, s := range g.sights {
		once(&f.Cases, s.Case)
		once(&f.Clauses, s.Clause)
		once(&f.Operations, s.Operation)
		if !slices.Contains(f.At, s.Cause()) {
			f.At = append(f.At, s.Cause())
		}
		f.Timing = f.Timing && s.Timing
		if at := (about{s.Clause, s.Operation}); b.coverage[at] != nil && !judged[at] {
			judged[at] = true
			f.Of += b.coverage[at].Times
		}
	}
	f.Of, f.Title = max(f.Of, f.Seen), title(f)
	hint := HintFor(g.sights[0])
	if hint != nil && !slices.ContainsFunc(g.sights, func(s *Finding) bool { return HintFor(s) != hint }) {
		f.Hint = hint.String()
	}
}

func once(list *[]string, text string) {
	if text != "" && !slices.Contains(*list, text) {
		*list = append(*list, text)
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
	if many.Check != "server-error" || many.Sent == nil || many.Sent.What != ManyOddities {
		return nil
	}
	for _, s := range sights {
		if s.Case == many.Case && s.Sent != nil && s.Sent.What != many.Sent.What && strings.HasPrefix(s.Sent.What, "a text with ") {
			return s
		}
	}
	return nil
}

// failsOrdinary are the words for what operations answer ordinary requests, too: then it is
// not what was odd about the others.
func (b *Outcome) failsOrdinary(seen map[oracle.Cause][]*Finding) map[string]string {
	fails, often, odd := map[string]string{}, map[string]bool{}, map[string]bool{}
	for _, r := range b.ByCase {
		for _, f := range r.Findings {
			key := failureOf(f)
			if t := b.coverage[about{f.Clause, f.Operation}]; t != nil && 2*len(seen[f.Cause()]) > t.Times && f.Check != CheckExpectedStatus.ID {
				often[key] = true
			}
			switch {
			case f.Sent != nil && f.Sent.What == "an unknown id" && f.Check == "not-refused":
				fails[key] = wrongID + strings.TrimPrefix(f.Sent.At, "path:")
			case f.Sent != nil && f.Sent.What != "":
				odd[key] = true
			case fails[key] == "" || f.Clause == "AUTH-4":
				fails[key] = f.CauseWords
			}
		}
	}
	for key, words := range fails {
		switch {
		case odd[key] && often[key]:
			fails[key] = strings.Replace(words, "an ordinary request", "any request, ordinary ones too,", 1)
		case odd[key]:
			fails[key] = someRequests.Replace(words)
		}
	}
	delete(fails, "")
	return fails
}

// wrongID are the words where even an unknown id is accepted.
const wrongID = "a wrong id is accepted at "

var someRequests = strings.NewReplacer(
	"an ordinary request makes", "some requests, ordinary ones too, make", "an ordinary request is", "some requests, ordinary ones too, are",
)

// failing are the words for failures, whatever fails.
var failing = regexp.MustCompile(`(makes the server fail with \S+|is answered \d+)(, which the operation does not have)?$`)

// failureOf tells the failures of an operation apart, the answers 401 to the owner's key, and
// the wrong ids that are accepted; "" for what is none.
func failureOf(f *Finding) string {
	if words := failing.FindStringSubmatch(f.CauseWords); words != nil && !strings.HasPrefix(f.CauseWords, "a second delete") {
		return f.Operation + " " + words[1]
	}
	if f.Check == CheckExpectedStatus.ID && strings.HasPrefix(f.Got, "status 401") && (f.Sent == nil || f.Sent.At != "key") {
		return f.Operation + " is answered 401"
	}
	if f.Check == "not-refused" && f.Sent != nil && strings.HasPrefix(f.Sent.At, "path:") {
		return f.Operation + " " + f.Sent.At
	}
	return ""
}

// ofRequests are the checks whose findings hang on what was sent; ofErrors those that are
// told apart by the status of the error.
var (
	ofRequests = []string{
		"not-refused", "expected-status", "server-error", "undeclared-status", "related-field", "shows-sent", "stale",
		"beyond-document", "text-altered", "refused-write", "refused-delete",
	}
	ofErrors = []string{"error-section", "error-code", "error-issues", "issue-text"}
)

// shows is what a cause is seen by: the field that was sent or shown, the key, the id.
func shows(f *Finding) string {
	name := f.Pointer[strings.LastIndexAny(f.Pointer, "/:")+1:]
	if name == "data" || name == "framing" || strings.HasPrefix(f.Pointer, "request:") {
		name = "" // the list itself, or the answer; the cause says what was sent
	}
	switch s := f.Sent; {
	case slices.Contains(ofErrors, f.Check) && f.Answer != nil:
		return fmt.Sprint(f.Answer.Status)
	case !slices.Contains(ofRequests, f.Check):
		return name
	case f.Check == "related-field" && s == nil:
		return "" // the error has no name that tells more
	case strings.HasPrefix(f.Pointer, "/data") || strings.HasPrefix(f.Pointer, "header:"), s == nil:
		return name
	case f.Clause == "EFFECT-3", f.Clause == "AUTH-4", strings.Contains(f.CauseWords, "no accepted delete"), // no request is wrong
		strings.HasPrefix(f.CauseWords, "a second delete"):
		return ""
	case s.At == "key" && slices.Contains([]string{"AUTH-2", "AUTH-3"}, f.Clause):
		return "" // it is always that of another user
	case s.At == "key" && strings.Contains(f.CauseWords, s.What):
		return ""
	case s.At == "key":
		return s.What
	case strings.HasPrefix(s.At, "/"):
		name = s.At[1:]
		if s.What != "" && !tells(f, s.What) {
			name = s.What + " (" + name + ")"
		}
		return name
	case s.What != "" && !tells(f, s.What):
		return s.What
	case strings.HasPrefix(s.At, "path:") && !strings.HasPrefix(s.What, "an unknown"):
		return s.Value
	}
	return ""
}

// tells says whether the words of a cause have the words of what was sent in them.
func tells(f *Finding, what string) bool {
	first, _, _ := strings.Cut(what, " for ")
	return strings.Contains(f.CauseWords, what) || strings.HasPrefix(f.CauseWords, first+" is accepted")
}
