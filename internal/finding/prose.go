package finding

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/report"
)

// Only people read the texts that this file makes. Each is made from constants and values, once everything is decided.

// typeWords describes the types of fields.
var typeWords = map[string]string{
	"string": "a text", "integer": "an integer", "number": "a number", "boolean": "a boolean", Listed: "a listed value",
}

// String returns the cause as a sentence: "an array is accepted as a text".
func (c Cause) String() string {
	return strings.NewReplacer(
		"{request}", c.Subject.String(), "{value}", string(c.Subject.What), "{type}", typeWords[c.Subject.Declared],
		"{status}", strconv.Itoa(c.Status), "{detail}", c.Detail,
	).Replace(table[c.Kind].sentence)
}

// Sentence returns the sentence of a cause without more than its kind.
func (k Kind) Sentence() string { return table[k].sentence }

// String returns the subject of a sentence: "a request with an empty key".
func (s Subject) String() string {
	text := oddityWords(s.What+s.Extra, s.Declared, s.N)
	if s.IsRequest {
		return "a request with " + text
	}
	return text
}

// oddities stands between the oddities of a request that has several.
const oddities = "; "

// mostPhrases is how many phrases a title has at most.
const mostPhrases = 2

// mostOf lists phrases: "an accent, a tab and 3 more". It leaves out "no key, and headers" beside "no key".
func mostOf(phrases []string) string {
	said := slices.DeleteFunc(slices.Clone(phrases), func(long string) bool {
		return slices.ContainsFunc(phrases, func(short string) bool { return strings.HasPrefix(long, short+", ") })
	})
	if len(said) == mostPhrases {
		return strings.Join(said, " and ")
	}
	return wording.Some(said, mostPhrases)
}

// Words describes what is odd about a part: "an array for a text". It returns "" if nothing is.
func (s *Sent) Words() string {
	return oddityWords(s.What+s.Extra, s.Declared, s.N)
}

func oddityWords(what Oddity, declared string, n int) string {
	switch {
	case declared != "":
		return string(what) + " for " + typeWords[declared]
	case n > 0: // a text of 300 characters
		return strings.Replace(string(what), "characters", strconv.Itoa(n)+" characters", 1)
	}
	return string(what)
}

// separators stand behind the kind of a part that has a name. The name of a field stands alone.
var separators = map[Part]string{Class: ":", Path: ":", Header: ":", Query: ":"}

// String returns a place as a word: "key", "/name", "path:campaignId".
func (p Place) String() string {
	return string(p.Part) + separators[p.Part] + p.Name
}

// expectation ends the sentence of an answer that is not one of these.
func expectation(allowed []string) string {
	if len(allowed) == 0 {
		return ""
	}
	return fmt.Sprintf(" where %s was expected", wording.Or(allowed))
}

// Title returns the title of a finding: "updateCampaign: an array is accepted as a text: name (2 cases)".
func (f *Finding) Title() string {
	operation := f.Operation
	if len(f.Operations) > 1 {
		operation = ""
	}
	title := headline(f.Cause, operation, f.Shows) + " (" + wording.Count(len(f.Cases), "case")
	if n := len(f.Operations); n > 1 {
		title += fmt.Sprintf(" of %d operations", n)
	}
	return title + ")"
}

// Headline returns the title of one sighting.
func (s *Sighting) Headline() string { return s.headlineAs(s.Cause) }

// headlineAs returns the title of a sighting whose cause was found to be this one.
func (s *Sighting) headlineAs(cause Cause) string {
	var by []string
	addNew(&by, s.shows(cause, true))
	return headline(cause, s.Operation, by)
}

// headline returns a cause, with its operation if there is one, and what shows it.
func headline(cause Cause, operation string, by []string) string {
	subjects := strings.Split(string(cause.Subject.What), oddities)
	if cause.Subject.What = Oddity(mostOf(subjects)); len(subjects) > mostPhrases {
		cause.Subject.What += " variations"
	}
	text := cause.String()
	if operation != "" && operation != report.AllOperations {
		text = operation + ": " + text
	}
	isPhrase := func(name string) bool { return strings.Contains(name, " ") }
	if slices.ContainsFunc(by, isPhrase) {
		text += ": " + mostOf(by)
	} else if len(by) > 0 {
		text += ": " + wording.Some(by, wording.MostNamed)
	}
	return wording.Printable(text)
}

// shows returns what shows a cause: the field that was sent or shown, the key, or the id. Without bySent, what was sent
// does not matter.
func (s *Sighting) shows(cause Cause, bySent bool) string {
	sent := s.Sent
	if !bySent {
		sent = nil
	}
	switch {
	case s.Names != "":
		return s.Names
	case s.Traits.Has(ByStatus) && s.Answer != nil:
		return strconv.Itoa(s.Answer.Status)
	case sent == nil && s.Check == checkRelatedField: // the error names no field
		return ""
	case sent == nil, s.isAboutAnswer():
		return s.member()
	case s.blamesNoRequest(cause):
		return ""
	}
	return sent.evidence(!cause.Subject.tells())
}

// isAboutAnswer reports whether what was sent does not matter to a sighting.
func (s *Sighting) isAboutAnswer() bool {
	return !s.Traits.Has(BySent) || s.isInSuccess() || strings.HasPrefix(s.Pointer, "header:")
}

// blamesNoRequest reports whether no request is wrong, or all that is wrong with it is whose key it has.
func (s *Sighting) blamesNoRequest(cause Cause) bool {
	isOthersKey := s.Sent.isAt(Key) && s.cites("AUTH-2", "AUTH-3")
	isDelete := cause.Kind == GoneUnnamed || cause.Subject.What == SecondDelete
	return isOthersKey || isDelete || s.cites("EFFECT-3", "AUTH-4")
}

// isInSuccess reports whether a sighting points to what a success shows, in an envelope or not.
func (s *Sighting) isInSuccess() bool {
	if strings.HasPrefix(s.Pointer, "/data") {
		return true
	}
	isShown := strings.HasPrefix(s.Pointer, "/") && !strings.HasPrefix(s.Pointer, "/meta/")
	return isShown && s.status()/100 == 2
}

// member returns the member, or the header, that a sighting points to, or "" for the whole list or answer.
func (s *Sighting) member() string {
	if strings.HasPrefix(s.Pointer, PlaceOf(Class, "").String()) {
		return ""
	}
	name := s.Pointer[strings.LastIndexAny(s.Pointer, "/:")+1:]
	if name == "data" || name == "framing" {
		return ""
	}
	return name
}

// evidence returns what shows a cause of a part: its name, with what is odd about it if the cause does not say so.
func (s *Sent) evidence(isOdd bool) string {
	isOdd = isOdd && s.What != ""
	switch {
	case s.At.Part == Field && isOdd:
		return s.Words() + " (" + s.At.Name + ")"
	case s.At.Part == Field:
		return s.At.Name
	case isOdd:
		return s.Words()
	case s.At.Part == Path && s.What != UnknownID:
		return s.Value
	}
	return ""
}

// textFor returns the hint as a sentence or two. It names only software that the server's answer names.
func (h *Hint) textFor(a *report.Answer) string {
	if h == nil {
		return ""
	}
	var named []string
	for _, framework := range h.Frameworks {
		if namesSoftware(a, framework) {
			named = append(named, framework)
		}
	}
	if len(named) == 0 {
		return h.Text
	}
	return fmt.Sprintf("%s Common in %s.", h.Text, wording.List(named))
}

// namesSoftware reports whether an answer names a framework by the first word of its name, as "Django (APPEND_SLASH)"
// has it.
func namesSoftware(a *report.Answer, framework string) bool {
	if a == nil {
		return false
	}
	isSeparator := func(r rune) bool { return !unicode.IsLetter(r) && r != '.' }
	name, _, _ := strings.Cut(framework, " ")
	isName := strings.EqualFold
	if len(name) <= len("Go") { // which texts have, too
		isName = func(word, name string) bool { return word == name }
	}
	return slices.ContainsFunc(strings.FieldsFunc(a.Maker, isSeparator), func(word string) bool {
		return isName(strings.Trim(word, "."), name)
	})
}
