package finding

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
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

// Words describes what is odd about a part: "an array for a text". It returns "" if nothing is.
func (s *Sent) Words() string { return oddityWords(s.What+s.Extra, s.Declared, s.N) }

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
func (p Place) String() string { return string(p.Part) + separators[p.Part] + p.Name }

// expectation ends the sentence of an answer that is not one of these.
func expectation(allowed []string) string {
	if len(allowed) == 0 {
		return ""
	}
	return fmt.Sprintf(" where %s was expected", wording.Or(allowed))
}

// MaxShows is how many of the fields, keys or ids that show a cause its title names at most.
const MaxShows = 5

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

// AllOperations is the operation of a clause that is about more than one.
const AllOperations = "all"

// headline returns a cause, with its operation if there is one, and what shows it.
func headline(cause Cause, operation string, by []string) string {
	text := cause.String()
	if operation != "" && operation != AllOperations {
		text = operation + ": " + text
	}
	if len(by) > 0 {
		text += ": " + wording.Some(by, MaxShows)
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
	case sent == nil, !s.Traits.Has(BySent), s.isInSuccess(), strings.HasPrefix(s.Pointer, "header:"):
		return s.member()
	case s.blamesNoRequest(cause):
		return ""
	}
	return sent.shown(!cause.Subject.tells())
}

// blamesNoRequest reports whether no request is wrong, or all that is wrong with it is whose key it has.
func (s *Sighting) blamesNoRequest(cause Cause) bool {
	isOthersKey := s.Sent.isAt(Key) && s.cites("AUTH-2", "AUTH-3")
	isDelete := cause.Kind == GoneUnnamed || cause.Subject.What == SecondDelete
	return isOthersKey || isDelete || s.cites("EFFECT-3", "AUTH-4")
}

// isInSuccess reports whether a sighting points to what a success shows, in an envelope or not.
func (s *Sighting) isInSuccess() bool {
	isSuccess := strings.HasPrefix(s.Pointer, "/data") || s.status()/100 == 2
	return isSuccess && strings.HasPrefix(s.Pointer, "/") && !strings.HasPrefix(s.Pointer, "/meta/")
}

// member returns the member, or the header, that a sighting points to, or "" for the whole list or answer.
func (s *Sighting) member() string {
	name := s.Pointer[strings.LastIndexAny(s.Pointer, "/:")+1:]
	isWhole := name == "data" || name == "framing" || strings.HasPrefix(s.Pointer, PlaceOf(Class, "").String())
	if isWhole {
		return ""
	}
	return name
}

// shown returns what shows a cause of a part: its name, with what is odd about it if the cause does not say so.
func (s *Sent) shown(isOdd bool) string {
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
func (h *Hint) textFor(a *Answer) string {
	if h == nil {
		return ""
	}
	var named []string
	for _, framework := range h.Frameworks {
		if a.names(framework) {
			named = append(named, framework)
		}
	}
	if len(named) == 0 {
		return h.Text
	}
	return fmt.Sprintf("%s Common in %s.", h.Text, wording.List(named))
}

// names reports whether an answer names a framework by the first word of its name, as "Django (APPEND_SLASH)" has it.
func (a *Answer) names(framework string) bool {
	if a == nil {
		return false
	}
	separates := func(r rune) bool { return !unicode.IsLetter(r) && r != '.' }
	name, _, _ := strings.Cut(framework, " ")
	return slices.ContainsFunc(strings.FieldsFunc(a.Maker, separates), func(word string) bool {
		word = strings.Trim(word, ".")
		isShort := len(name) <= len("Go") // which texts have, too
		return word == name || !isShort && strings.EqualFold(word, name)
	})
}

// Headline returns the title of a finding, or that of a sighting, or what came where neither has one.
func (r *Row) Headline() string {
	switch {
	case r.Title != "" || r.ownTitle != "":
		return cmp.Or(r.Title, r.ownTitle)
	case r.CauseWords == "":
		return r.Sentence()
	}
	return wording.Printable(r.Operation + ": " + r.CauseWords) // of a report that was read
}

// Told returns the headline of a finding and its sentence.
func (r *Row) Told() string {
	headline, sentence := r.Headline(), r.Sentence()
	if headline == sentence {
		return sentence
	}
	return headline + ". " + sentence
}

// Sentence returns what was expected and what came in one line: "updateCampaign at /data/id: expected an
// integer; got "1"".
func (r *Row) Sentence() string {
	subject := r.Operation
	if subject == AllOperations {
		subject = "the operations"
	}
	if r.Pointer != "" {
		subject += " at " + r.Pointer
	}
	return wording.Printable(fmt.Sprintf("%s: expected %s; got %s", subject, visible(r.Expected), visible(r.Got)))
}

// spaceMark stands for a space that nobody would see.
const spaceMark = '␠'

// visible marks the spaces that a reader would overlook, or a page or a terminal would drop: at the ends of a text
// or of a quoted part of it, and several in a row. Other white space is escaped where the text is made.
func visible(text string) string {
	runes, isInside := []rune(text), false
	isQuote := func(i int) bool { return runes[i] == '"' && (i == 0 || runes[i-1] != '\\') }
	isEdge := func(i int) bool { return i < 0 || i == len(runes) || isInside && isQuote(i) }
	isSpace := func(i int) bool { return i >= 0 && i < len(runes) && (runes[i] == ' ' || runes[i] == spaceMark) }
	isLost := func(i int) bool { return isEdge(i) || isSpace(i) }
	for i, r := range runes {
		switch {
		case isQuote(i):
			isInside = !isInside
		case r == ' ' && (isLost(i-1) || isLost(i+1)):
			runes[i] = spaceMark
		}
	}
	return string(runes)
}

// A Line is a line of a finding as shown to people.
type Line struct{ Name, Text string }

// maxCases limits the cases of a finding that are named; report.json and the page have all.
const maxCases = 3

// Lines returns the lines of a finding that are shown to people. Those of a sighting of one case also have its spec.
func (r *Row) Lines() []Line {
	isSighting := r.Clauses == nil
	hint, location, with, added, server := r.Hint, "", "", "", ""
	if isSighting {
		hint, location = cmp.Or(hint, r.ownHint), r.Location
	}
	if len(r.Shows) > MaxShows { // the title does not name all
		with = strings.Join(r.Shows, ", ")
	}
	if len(r.NewCases) > 0 {
		added = "the baseline does not list " + wording.Some(r.NewCases, maxCases)
	}
	if r.Answer != nil {
		server = r.Answer.Says
	}
	return slices.DeleteFunc([]Line{
		{"clause", r.clauseLine()},
		{"at", r.placeLine()},
		{"sent", visible(r.Sent.line())},
		{"with", with},
		{"expected", visible(r.Expected)},
		{"got", visible(r.Got)},
		{"server", server},
		{"hint", hint},
		{"cases", wording.Some(r.Cases, maxCases)},
		{"new", added},
		{"known", r.Known},
		{"check", r.checkLine()},
		{"spec", location},
	}, func(l Line) bool { return l.Text == "" })
}

func (r *Row) clauseLine() string {
	rank := string(r.Basis)
	if r.Impact != "" { // it is known only at the end of a run
		rank += ", " + string(r.Impact)
	}
	text := fmt.Sprintf("%s (%s)", r.Clause, rank)
	if c := spec.Load().Clause(r.Clause); c != nil {
		text += " " + strings.TrimSuffix(c.Text+" ["+c.Source+"]", " []")
	}
	if len(r.Clauses) > 1 {
		text += " Also " + wording.List(r.Clauses[1:]) + "."
	}
	return text
}

func (r *Row) placeLine() string {
	if header, is := strings.CutPrefix(r.Pointer, "header:"); is {
		return "header " + header
	}
	if strings.HasPrefix(r.Pointer, "/") {
		return r.Pointer + " of the body"
	}
	return r.Pointer
}

func (r *Row) checkLine() string {
	text := r.Check
	if r.Of > 0 {
		text += fmt.Sprintf(", failed %d of %s", r.Seen, wording.Count(r.Of, "check"))
	}
	return text + ", see adconform explain " + r.Check
}

// line returns a part of a request in a line: "name: ["Teal"], an array for a text".
func (s *SentRow) line() string {
	if s == nil {
		return ""
	}
	kind, name, _ := strings.Cut(s.At, ":")
	at := map[Part]string{Path: name + " in the path", Query: name + " in the query", Header: "header " + name}[Part(kind)]
	if field, is := strings.CutPrefix(s.At, string(Field)); is {
		at = field
	}
	text := s.Value
	if at != "" && text != "" {
		text = at + ": " + text
	}
	return strings.Trim(cmp.Or(text, at)+", "+s.What, ", ")
}
