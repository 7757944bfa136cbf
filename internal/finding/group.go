package finding

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
)

// Say sets the words of a finding.
func (f *Finding) Say(w Words) { f.Said, f.CauseWords = w, w.String() }

// The ids of checks that findings are grouped by.
const (
	CheckNotRefused     = "not-refused"
	CheckExpectedStatus = "expected-status"
	CheckRefusedDelete  = "refused-delete"
	CheckDeleteOther    = "delete-other"
	CheckRelatedField   = "related-field"
	CheckListTotal      = "list-total"
	checkServerError    = "server-error"
	checkText           = "json-text"
)

// Words for what a delete did.
const (
	SecondDelete = "a second delete"
	GoneUnnamed  = "a creative is gone that no accepted delete named"
)

// Group merges the sightings of each cause into one finding. It returns these findings, worst first, and the one to
// which each sighting belongs. Sightings with the same words have the same cause, whatever their operation, clause and
// field.
// times returns how often a clause was judged on an operation.
func Group(contract *spec.Contract, all []*Finding, times func(clause, operation string) int) (findings []*Finding, of map[*Finding]*Finding) {
	var ids []string
	groups, words := map[string][]*Finding{}, map[string]Words{}
	causes := causesOf(contract, all)
	for _, f := range all {
		f.Impact = impactOf(contract, f)
		said := causes(f)
		id := Site{Check: said.String(), Place: string(f.Severity)}.ID() // the same in every run
		if groups[id] == nil {
			ids, words[id] = append(ids, id), said
		}
		groups[id] = append(groups[id], f)
	}
	of = map[*Finding]*Finding{}
	for _, id := range ids {
		f := together(id, words[id], groups[id], times)
		findings = append(findings, f)
		for _, s := range groups[id] {
			of[s] = f
		}
	}
	place := func(f *Finding) int {
		return slices.IndexFunc(contract.Clauses, func(c *spec.Clause) bool { return c.ID == f.Clause })
	}
	slices.SortFunc(findings, func(x, y *Finding) int {
		return cmp.Or(rank(x)-rank(y), place(x)-place(y), cmp.Compare(x.Operation, y.Operation), cmp.Compare(x.CauseWords, y.CauseWords))
	})
	return findings, of
}

// IsOrdinary reports whether a finding is about an ordinary request.
func (f *Finding) IsOrdinary() bool { return f.Sent == nil || f.Sent.What == "" }

func impactOf(contract *spec.Contract, f *Finding) spec.Impact {
	c := contract.Clause(f.Clause)
	switch {
	case c == nil, f.Severity == Notice:
		return spec.Minor
	case f.Check == checkServerError && f.IsOrdinary(): // ordinary requests fail, too
		return spec.Major
	case f.Check == CheckNotRefused && f.Sent != nil && f.Sent.What == OthersID: // whatever part of the path is wrong
		return spec.Critical
	}
	return c.Impact
}

// rank orders findings by whether they fail a run, and then by impact.
func rank(f *Finding) int {
	weight := map[Severity]int{Violation: 0, Transport: 1, Notice: 6}[f.Severity]
	return weight + 2*slices.Index(spec.Impacts(), f.Impact)
}

// together merges the sightings of a cause into one finding, based on the worst that the words describe and with the highest
// impact of all, or on an ordinary request that failed. Seen is the number of sightings, and Of how often their clauses were judged.
func together(id string, words Words, same []*Finding, times func(clause, operation string) int) *Finding {
	other := map[bool]int{true: 0, false: 1} // whether a sighting has the words of the group
	ordinary := slices.ContainsFunc(same, (*Finding).IsOrdinary)
	merged := *slices.MinFunc(same, func(x, y *Finding) int {
		fails := 0
		if words.Failure != "" {
			fails = other[x.IsOrdinary()] - other[y.IsOrdinary()]
		}
		return cmp.Or(fails, other[x.Said == words]-other[y.Said == words], rank(x)-rank(y))
	})
	f := &merged
	if words.Failure == "" {
		f.Impact = slices.MinFunc(same, func(x, y *Finding) int { return rank(x) - rank(y) }).Impact
	}
	f.Say(words)
	f.ID, f.Cases, f.Clauses, f.Operations, f.Seen = id, nil, []string{f.Clause}, []string{f.Operation}, len(same)
	judged := map[[2]string]bool{}
	for _, s := range same {
		addNew(&f.Cases, s.Case)
		addNew(&f.Clauses, s.Clause)
		addNew(&f.Operations, s.Operation)
		addNew(&f.At, s.Site())
		if words == s.Said || s.Names != "" || s.Check == CheckNotRefused && words.Subject != notChecked {
			shown := *s
			if ordinary { // then what others sent does not matter
				shown.Sent = nil
			}
			addNew(&f.Shows, shows(&shown))
		}
		f.Timing = f.Timing && s.Timing
		if at := [2]string{s.Clause, s.Operation}; !judged[at] {
			judged[at] = true
			f.Of += times(s.Clause, s.Operation)
		}
	}
	f.Of, f.Title = max(f.Of, f.Seen), fmt.Sprintf("%s (%s", headline(f, len(f.Operations) == 1, f.Shows), wording.Count(len(f.Cases), "case"))
	if n := len(f.Operations); n > 1 {
		f.Title += fmt.Sprintf(" of %d operations", n)
	}
	f.Title += ")"
	described := slices.IndexFunc(same, func(s *Finding) bool { return s.Said == words })
	hint := HintFor(same[max(0, described)]) // it has to match every sighting that the words describe, unless one decides
	for _, s := range same {
		if other := HintFor(s); other != nil && other.Decides {
			hint = other
			break
		} else if other != hint && (described < 0 || s.Said == words) {
			hint = nil
		}
	}
	if hint != nil {
		f.Hint = hint.String()
	}
	return f
}

// addNew appends a value to a list, unless it is empty or already there.
func addNew[T comparable](list *[]T, one T) {
	var empty T
	if one != empty && !slices.Contains(*list, one) {
		*list = append(*list, one)
	}
}

// MaxShows is how many of the fields, keys or ids that show a cause its title names at most.
const MaxShows = 5

// Headline returns the title of one sighting: "updateCampaign: an array is accepted as a text: name".
func Headline(f *Finding) string {
	var by []string
	addNew(&by, shows(f))
	return headline(f, true, by)
}

// headline returns the words of a cause, with its operation if there is only one, and what shows it.
func headline(f *Finding, ofOne bool, by []string) string {
	text := f.CauseWords
	if ofOne && f.Operation != "all" && !strings.HasPrefix(text, f.Operation) {
		text = f.Operation + ": " + text
	}
	if len(by) > 0 {
		text += ": " + wording.Some(by, MaxShows)
	}
	return wording.Printable(text)
}

// MissingItems is the cause if a list has fewer items than both its totalCount and the target file say.
// The mismatch between its numbers and its items follows from that.
const MissingItems = "a list lacks items that it counts"

const notChecked = "permission is not checked: any user can access any object"

// letsIn reports whether a finding is that a user can access another user's object.
func letsIn(f *Finding) bool {
	return f.Check == CheckNotRefused && (f.Clause == "AUTH-2" || f.Clause == "AUTH-3")
}

// A symptom is a finding's part in what several findings have in common. Those of one key have one cause, which the words of
// the highest rank describe. If all have rank 0, each is a cause of its own.
type symptom struct {
	key  string
	rank int
	said Words
	own  bool // the finding keeps its words, and may describe others
}

// symptomsOf returns the symptoms of a finding. The first whose cause is known decides.
func symptomsOf(contract *spec.Contract, f *Finding) []symptom {
	at, what, key, s := "", "", f.Operation+" ", symptom{said: f.Said}
	if f.Sent != nil {
		at, what = f.Sent.At, f.Sent.What
	}
	if f.IsOrdinary() {
		s.rank = 1
	}
	switch accepted := f.Check == CheckNotRefused; {
	case f.Said.Failure != "" && f.Said.Subject != SecondDelete: // if ordinary requests meet it, too, the oddity of others does not cause it
		s.key = key + f.Said.Failure
	case f.Check == CheckExpectedStatus && f.Answer != nil && refusesAll(contract.Operation(f.Operation), f):
		s.key = fmt.Sprintf("%sis answered %d", key, f.Answer.Status)
	case accepted && strings.HasPrefix(at, "path:"): // if an unknown id is accepted, it does not matter what is wrong with others
		s = symptom{key + at, 0, Words{Subject: "a wrong id is accepted at " + strings.TrimPrefix(at, "path:")}, false}
		if what == UnknownID {
			s.rank = 1
		}
	case accepted && f.Clause == "ERR-5": // the field is not compared with its list
		if s.key = key + at; !strings.Contains(what, "letter case") {
			s.rank = 1
		}
	case f.Said.Subject == GoneUnnamed:
		s.key, s.rank = key+"gone", 0
	case f.Check == CheckRefusedDelete:
		s.key, s.rank, s.own = key+"gone", 1, true
	case f.Check == CheckDeleteOther:
		s.key, s.rank, s.own = key+"gone", 2, true
	case f.Check == checkText && strings.HasPrefix(f.Got, "invalid UTF-8"): // so it has no place for some characters
		s.key, s.rank = key+"characters", 1
	case f.Said.Subject == LostCharacters:
		s.key, s.rank = key+"characters", 0
	case f.CauseWords == MissingItems: // so its numbers do not fit
		s.key, s.rank = key+"total", 1
	case strings.HasPrefix(f.Check, "page-total") || f.Check == CheckListTotal:
		s.key, s.rank = key+"total", 0
	default:
		return nil
	}
	if f.Clause == "AUTH-4" && s.rank > 0 {
		s.rank = 2
	}
	all := []symptom{s}
	if f.Check == checkServerError && what != "" { // one of several oddities of a text that fails alone is their cause
		one := what != ManyOddities
		all = append(all, symptom{f.Case + at + f.Site().String(), map[bool]int{true: 1}[one], f.Said, one})
	}
	return all
}

// causesOf returns a function that describes the cause of each of these findings.
func causesOf(contract *spec.Contract, all []*Finding) func(*Finding) Words {
	best, odd := map[string]symptom{}, map[string]bool{}
	strangers, owners := map[string]bool{}, map[string]bool{} // operations that let the stranger, and the owner, access the other's object
	for _, f := range all {
		if letsIn(f) && f.Sent != nil {
			strangers[f.Operation] = strangers[f.Operation] || f.Sent.At == "key" && f.Clause == "AUTH-2"
			owners[f.Operation] = owners[f.Operation] || f.Sent.What == OthersID
		}
		for _, s := range symptomsOf(contract, f) {
			if odd[s.key] = odd[s.key] || s.rank == 0; s.rank > best[s.key].rank {
				best[s.key] = s
			}
		}
	}
	return func(f *Finding) Words {
		if letsIn(f) && strangers[f.Operation] && owners[f.Operation] {
			return Words{Subject: notChecked}
		}
		for _, s := range symptomsOf(contract, f) {
			by := best[s.key]
			if by.rank == 0 || s.own {
				continue
			}
			if by.said.Subject == Ordinary && odd[s.key] {
				by.said.Subject = "a request, also an ordinary one,"
			}
			return by.said
		}
		return f.Said
	}
}

// refusesAll reports whether a refusal may be due to what all requests of an operation have in common: that it knows no
// key, or wants a header or a body.
func refusesAll(op *spec.Operation, f *Finding) bool {
	switch f.Answer.Status {
	case http.StatusUnauthorized:
		return f.Sent == nil || f.Sent.At != "key" || strings.HasPrefix(f.Sent.What, StrangersKey)
	case http.StatusUnprocessableEntity:
		return op != nil && !op.Updates()
	case http.StatusForbidden, http.StatusNotFound:
		return false
	}
	return f.Answer.Status/100 == 4
}

// isInSuccess reports whether a finding points to what a success shows, in an envelope or not.
func isInSuccess(f *Finding) bool {
	isSuccess := strings.HasPrefix(f.Pointer, "/data") || f.Answer != nil && f.Answer.Status/100 == 2
	return isSuccess && strings.HasPrefix(f.Pointer, "/") && !strings.HasPrefix(f.Pointer, "/meta/")
}

// shows returns what shows a cause: the field that was sent or shown, the key, or the id.
func shows(f *Finding) string {
	name := f.Pointer[strings.LastIndexAny(f.Pointer, "/:")+1:]
	if name == "data" || name == "framing" || strings.HasPrefix(f.Pointer, "request:") {
		name = "" // it is the whole list or answer
	}
	s := f.Sent
	switch {
	case f.Names != "":
		return f.Names
	case f.Traits.Has(ByStatus) && f.Answer != nil:
		return fmt.Sprint(f.Answer.Status)
	case s == nil && f.Check == CheckRelatedField: // the error names no field
		return ""
	case s == nil, !f.Traits.Has(BySent), isInSuccess(f), strings.HasPrefix(f.Pointer, "header:"):
		return name
	}
	field, isField := strings.CutPrefix(s.At, "/")
	odd := s.What != "" && !f.Said.Tells // otherwise the words say it
	switch {
	case f.Clause == "EFFECT-3", f.Clause == "AUTH-4", f.Said.Subject == GoneUnnamed, f.Said.Subject == SecondDelete: // no request is wrong
		return ""
	case s.At == "key" && (f.Clause == "AUTH-2" || f.Clause == "AUTH-3"): // it is another user's
		return ""
	case isField && odd:
		return s.What + " (" + field + ")"
	case isField:
		return field
	case odd:
		return s.What
	case strings.HasPrefix(s.At, "path:") && s.What != UnknownID:
		return s.Value
	}
	return ""
}
