package report

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
)

// maxShows is how much of what shows a cause its title names.
const maxShows = 5

// Cause is what findings have in common whose cause is said in the same words, whatever
// operation and field they are about. A finding that is seen in several ways is of several.
type Cause struct {
	Title    string          `json:"title"` // the words, what shows it, and in how many cases
	Words    string          `json:"cause"` // as Finding.CauseWords
	Shows    []string        `json:"shows"` // the fields, ids, keys or headers
	Severity oracle.Severity `json:"severity"`
	Clauses  []string        `json:"clauses"`
	Findings []string        `json:"findings"` // ids, that of the first first
	Cases    []string        `json:"cases"`
	Seen     int             `json:"seen"`
	Hint     *Hint           `json:"hint,omitempty"`

	example    *oracle.Finding   // the first one seen
	found      []*oracle.Finding // of which Findings are the ids
	operations []string
}

// Causes groups the findings that are wanted by their cause, worst first: each time that
// one was seen counts to the cause that it then had.
func Causes(r *Report, wanted func(*oracle.Finding) bool) []*Cause {
	seen := map[oracle.Cause][]*oracle.Finding{}
	for i := range r.Results {
		for j := range r.Results[i].Findings {
			f := &r.Results[i].Findings[j]
			seen[f.Cause()] = append(seen[f.Cause()], f)
		}
	}
	var all []*Cause
	fails, of := failsOrdinary(r), map[string]*Cause{}
	for _, f := range pick(r, wanted) {
		each := slices.DeleteFunc(seen[f.Cause()], func(s *oracle.Finding) bool { return s.Severity != f.Severity })
		if len(each) == 0 { // of a report that does not list them by case
			each = []*oracle.Finding{f}
		}
		for _, s := range each {
			if partFails(s, each) {
				continue
			}
			words := causeWords(s)
			if by := fails[failureOf(s)]; by != "" {
				words = by
			}
			key := words + string(f.Severity)
			if of[key] == nil {
				of[key] = &Cause{Words: words, Shows: []string{}, Severity: f.Severity, example: s, Hint: HintFor(s)}
				all = append(all, of[key])
			}
			if of[key].Hint != HintFor(s) { // a hint is for all that is told as one cause
				of[key].Hint = nil
			}
			of[key].add(f, s, words == causeWords(s) || strings.HasPrefix(words, wrongID))
		}
	}
	for _, c := range all {
		c.Title = c.title()
	}
	return all
}

// partFails says whether a failure with a text of many oddities was seen in the same case
// with one of them, too: that one is the cause.
func partFails(many *oracle.Finding, sights []*oracle.Finding) bool {
	return many.Check == "server-error" && many.Sent != nil && many.Sent.What == judge.ManyOddities &&
		slices.ContainsFunc(sights, func(s *oracle.Finding) bool {
			return s.Case == many.Case && s.Sent != nil && s.Sent.What != many.Sent.What && strings.HasPrefix(s.Sent.What, "a text with ")
		})
}

// CauseLines are the causes that a run fails for, each on a line of its own that begins with
// a line break.
func CauseLines(r *Report) string {
	var b strings.Builder
	for _, c := range Causes(r, fresh) {
		fmt.Fprintf(&b, "\n  %s [%s]", c.Title, strings.Join(c.Clauses, ", "))
	}
	return b.String()
}

// failsOrdinary are the words for what operations answer ordinary requests, too: then it is
// not what was odd about the others.
func failsOrdinary(r *Report) map[string]string {
	fails, often, odd := map[string]string{}, map[string]bool{}, map[string]bool{}
	for i := range r.Findings {
		f := &r.Findings[i]
		often[failureOf(f)] = often[failureOf(f)] || 2*f.Seen > f.Of && f.Check != "expected-status"
	}
	for i := range r.Results {
		for j := range r.Results[i].Findings {
			f := &r.Results[i].Findings[j]
			key := failureOf(f)
			if f.Sent != nil && f.Sent.What == "an unknown id" && f.Check == "not-refused" {
				fails[key] = wrongID + strings.TrimPrefix(f.Sent.At, "path:")
			} else if f.Sent != nil && f.Sent.What != "" {
				odd[key] = true
			} else if fails[key] == "" || f.Clause == "AUTH-4" {
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
func failureOf(f *oracle.Finding) string {
	if words := failing.FindStringSubmatch(f.CauseWords); words != nil && !strings.HasPrefix(f.CauseWords, "a second delete") {
		return f.Operation + " " + words[1]
	}
	if f.Check == "expected-status" && strings.HasPrefix(f.Got, "status 401") && (f.Sent == nil || f.Sent.At != "key") {
		return f.Operation + " is answered 401"
	}
	if f.Check == "not-refused" && f.Sent != nil && strings.HasPrefix(f.Sent.At, "path:") {
		return f.Operation + " " + f.Sent.At
	}
	return ""
}

// causeWords are those of a finding; one of an older report has none.
func causeWords(f *oracle.Finding) string { return cmp.Or(f.CauseWords, Sentence(f)) }

// add counts one sight of a finding.
func (c *Cause) add(f, sight *oracle.Finding, own bool) {
	cases := []string{sight.Case}
	if sight == f && len(f.Cases) > 0 {
		cases = f.Cases
	}
	c.Seen += max(1, sight.Seen)
	once(&c.Clauses, f.Clause)
	if !slices.Contains(c.found, f) {
		c.found, c.Findings = append(c.found, f), append(c.Findings, f.ID)
	}
	once(&c.operations, f.Operation)
	for _, id := range cases {
		once(&c.Cases, id)
	}
	if sight.CauseWords != "" && own { // a sentence says it itself
		once(&c.Shows, shows(sight))
	}
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

func once(list *[]string, text string) {
	if text != "" && !slices.Contains(*list, text) {
		*list = append(*list, text)
	}
}

// shows is what a cause is seen by: the field that was sent or shown, the key, the id.
func shows(f *oracle.Finding) string {
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
func tells(f *oracle.Finding, what string) bool {
	first, _, _ := strings.Cut(what, " for ")
	return strings.Contains(f.CauseWords, what) || strings.HasPrefix(f.CauseWords, first+" is accepted")
}

// often says how often a cause was seen, and how often that could have been.
func (c *Cause) often() string {
	of := 0
	for _, f := range c.found {
		of += f.Of
	}
	text := c.example.Check
	if of > 0 {
		text += fmt.Sprintf(", seen %d of %s", c.Seen, wording.Count(of, "time"))
	}
	return text
}

// title is the headline of a cause: "an array is accepted as a text: name, hostname and
// regularExpression (9 cases)".
func (c *Cause) title() string {
	title := c.Words
	if len(c.operations) == 1 && c.operations[0] != allOperations && !strings.HasPrefix(title, c.operations[0]) {
		title = c.operations[0] + ": " + title
	}
	if len(c.Shows) > 0 {
		title += ": " + wording.Some(c.Shows, maxShows)
	}
	where := wording.Count(len(c.Cases), "case")
	if n := len(c.operations); n > 1 {
		where += fmt.Sprintf(" of %d operations", n)
	}
	return wording.Printable(fmt.Sprintf("%s (%s)", title, where))
}

// byGroup are ids of cases by operation and class, in the order in which they come.
func byGroup(ids []string) (groups []string, of map[string][]string) {
	of = map[string][]string{}
	for _, id := range ids {
		at := strings.LastIndexByte(id, '/')
		group := id[:max(at, 0)]
		if of[group] == nil {
			groups = append(groups, group)
		}
		of[group] = append(of[group], id[at+1:])
	}
	return groups, of
}

// Hint is the usual cause of what a finding shows. It is no judgement.
type Hint struct {
	ID         string   `json:"-" yaml:"id"`
	Text       string   `json:"text" yaml:"text"`
	Frameworks []string `json:"frameworks,omitempty" yaml:"frameworks"` // of which that is the default

	When map[string]string `json:"-" yaml:"when"` // regular expressions over a finding, by its part
	when map[string]*regexp.Regexp
}

// String is a hint in a sentence or two.
func (h *Hint) String() string {
	if len(h.Frameworks) == 0 {
		return h.Text
	}
	return fmt.Sprintf("%s Often so in %s.", h.Text, wording.List(h.Frameworks))
}

//go:embed hints.yaml
var hintsYAML []byte

// Hints are all hints, in the order in which they are tried.
var Hints = sync.OnceValue(func() []*Hint {
	var all []*Hint
	d := yaml.NewDecoder(bytes.NewReader(hintsYAML))
	d.KnownFields(true)
	if err := d.Decode(&all); err != nil {
		panic("hints.yaml: " + err.Error())
	}
	for _, h := range all {
		h.when = map[string]*regexp.Regexp{}
		for part, text := range h.When {
			if _, known := hintParts(&oracle.Finding{})[part]; !known {
				panic(fmt.Sprintf("hints.yaml: %s: %q is no part of a finding", h.ID, part))
			}
			h.when[part] = regexp.MustCompile(text)
		}
	}
	return all
})

// hintParts are what the conditions of a hint look at.
func hintParts(f *oracle.Finding) map[string]string {
	parts := map[string]string{
		"check": f.Check, "clause": f.Clause, "cause": f.CauseWords, "expected": f.Expected, "got": f.Got,
		"sent": "", "at": "", "value": "", "status": "", "type": "", "says": "",
	}
	if s := f.Sent; s != nil {
		parts["sent"], parts["at"], parts["value"] = s.What, s.At, s.Value
	}
	if a := f.Answer; a != nil {
		parts["status"], parts["type"], parts["says"] = fmt.Sprint(a.Status), strings.ToLower(a.Type), a.Says
	}
	return parts
}

// HintFor is the first hint whose conditions a finding meets, or nil.
func HintFor(f *oracle.Finding) *Hint {
	parts := hintParts(f)
	for _, h := range Hints() {
		met := true
		for part, is := range h.when {
			met = met && is.MatchString(parts[part])
		}
		if met {
			return h
		}
	}
	return nil
}
