package specs

import (
	"fmt"
	"math/big"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	. "github.com/adconform/adconform/suites/match"
	"github.com/adconform/adconform/suites/oracle"
)

// move is a kind of step of random sequences. Numbers choose what it sends: the same numbers choose the
// same, and 0 is the simplest choice.
type move struct {
	name string
	// kinds has a letter for each number: a for one that stands for something of its own, g where a greater
	// one is more of the same, and 0 where 0 is as if there were none. Numbers behind are of the last kind.
	kinds   string
	choices func(o *Object) []int // how many each number has; where one has none, the move is not for the object
	// send sends what the document speaks of, odd makes of a valid request one that nobody listed. Of
	// that it says in words what is odd, and whether it has to show what was sent if it is taken.
	send func(x *exploration, c *Case, o *Object, n []int)
	odd  func(o *Object, n []int) (change Change, words string, shows bool)
}

// oddUsers are the owner, the stranger and nobody.
const oddUsers = 3

// moves are the alphabet of random sequences, beside the table of odd input.
var moves []move

func init() { // some of them refer to all
	moves = []move{
		{"ordinary", "a", onAll(9), sendOrdinary, nil},
		{"part", "aaa", onSubsets(2, 9), sendSome, nil},
		{"user", "aa", ofUsers, sendAsOther, nil},
		{"pair", "a", onAll(20), sendPair, nil},
		{"look", "", onAll(1), sendLook, nil},
		{"in-turn", "", onAll(1), sendInTurn, nil},
		{"unknown", "a", func(o *Object) []int { return []int{len(o.Op.Params)} }, sendUnknown, nil},
		{"wrong", "aa", onFields(10), sendWrongField, nil},
		{"foreign", "a", onFields(), sendForeign, nil},
		{"text", "a0g0", onFields(len(alphabets), len(lengths), len(places)), nil, oddTextOf},
		{"value", "aa", onFields(len(oddValues)), nil, func(o *Object, n []int) (Change, string, bool) {
			return writing(o, n[0], oddValues[n[1]])
		}},
		{"number", "ag0", onFields(len(numbers), len(numberForms)), nil, func(o *Object, n []int) (Change, string, bool) {
			return writing(o, n[0], fmt.Sprintf(numberForms[n[2]], numbers[n[1]]))
		}},
		{"fields", "aa", onSubsets(2), nil, oddFields},
		{"page", "g0", onLists(len(numbers), 2), sendPage, nil},
		{"query", "g0", onLists(len(numbers), len(numberForms)), nil, oddPage},
		{"listed", "a", func(o *Object) []int { return []int{len(oddRows(o.Op))} }, nil, nil},
		{"header", "a", onAll(len(oddHeaders)), nil, func(_ *Object, n []int) (Change, string, bool) {
			h := oddHeaders[n[0]]
			return Header(h[0], h[1]), h[0] + ": " + h[1], false
		}},
		{"id", "a", func(o *Object) []int { return []int{min(len(o.IDs), 1) * len(oddIDs)} }, nil, oddID},
	}
}

// often are moves that are drawn more often than others.
var often = strings.Fields("part text text text text text text text " +
	"value value value fields fields query query query page page header listed")

// movesOn are the moves for an object, those that are drawn often more than once.
func movesOn(o *Object) (all []*move) {
	for i := range moves {
		m := &moves[i]
		if !slices.Contains(m.choices(o), 0) {
			times := 1 + len(often) - len(slices.DeleteFunc(slices.Clone(often), func(name string) bool { return name == m.name }))
			all = append(all, slices.Repeat([]*move{m}, times)...)
		}
	}
	return all
}

// moveNamed is the move of a name; nil for none.
func moveNamed(name string) *move {
	if i := slices.IndexFunc(moves, func(m move) bool { return m.name == name }); i >= 0 {
		return &moves[i]
	}
	return nil
}

// onAll are the choices of a move for every object.
func onAll(n ...int) func(*Object) []int { return func(*Object) []int { return n } }

func onLists(n ...int) func(*Object) []int {
	return func(o *Object) []int {
		if !o.Op.Lists() {
			return []int{0}
		}
		return n
	}
}

// onFields are the choices of a move that is about a field of an update.
func onFields(n ...int) func(*Object) []int {
	return func(o *Object) []int {
		if !o.Op.Updates() {
			return []int{0}
		}
		return append([]int{len(o.Op.Body.Fields)}, n...)
	}
}

// onSubsets are those of a move that is about subsets of the fields.
func onSubsets(subsets int, n ...int) func(*Object) []int {
	return func(o *Object) []int {
		if !o.Op.Updates() || o.Op.Replaces() {
			return []int{0}
		}
		return append(slices.Repeat([]int{1 << len(o.Op.Body.Fields)}, subsets), n...)
	}
}

// ofUsers are those of a request of another user, with some of the fields.
func ofUsers(o *Object) []int {
	if subsets := onSubsets(1)(o); subsets[0] > 0 {
		return append([]int{4}, subsets...)
	}
	return []int{4, 1}
}

// fieldsOf is a subset of the fields of an update, by its bits: 0 is all of them.
func fieldsOf(o *Object, without int) []*spec.Field {
	return fieldsWhere(o.Op, func(f *spec.Field) bool { return without&(1<<slices.Index(o.Op.Body.Fields, f)) == 0 })
}

// varied are ordinary values, of which a number chooses those of enumerated fields.
func varied(c *Case, o *Object, n int) map[string]any {
	values := c.Ordinary(o, 0)
	for _, f := range enums(o.Op) {
		values[f.Name] = f.Enum[n%len(f.Enum)]
		n /= len(f.Enum)
	}
	return values
}

func sendOrdinary(_ *exploration, c *Case, o *Object, n []int) {
	switch {
	case o.Op.Updates():
		c.Write(o, varied(c, o, n[0]))
	case o.Op.Deletes() && !o.Placeholder():
		deleteOnce(c, o)
		c.DeleteAgain(o)
	default:
		sendLook(nil, c, o, n)
	}
}

// sendSome updates some of the fields, and unsets those that can be.
func sendSome(_ *exploration, c *Case, o *Object, n []int) {
	values := varied(c, o, n[2])
	for _, f := range fieldsOf(o, ^n[1]) {
		if f.Optional {
			values[f.Name] = nil
		}
	}
	c.VerifyNoTraceOf(o) // or what this leaves out would pass for a trace
	sendPart(c, o, fieldsOf(o, n[0]), values)
}

// sendLook reads what an object or a list holds.
func sendLook(_ *exploration, c *Case, o *Object, _ []int) {
	switch {
	case o.Op.Updates():
		c.Read(o)
	case o.Op.Lists():
		list(c, o, 0)
	case o.Op.Reads():
		send(c, Valid(c, o), BeAccepted())
	}
}

func sendWrongField(_ *exploration, c *Case, o *Object, n []int) {
	f := o.Op.Body.Fields[n[0]]
	wrong := wrongValues(f)
	if sendWrong(c, o, f, wrong[n[1]%len(wrong)]).OK {
		c.Read(o)
	}
}

// sendAsOther sends a request, perhaps without some of the fields, as the stranger or without a valid key.
func sendAsOther(_ *exploration, c *Case, o *Object, n []int) {
	user, to := c.Stranger(), BeRefused(403).Citing("AUTH-2")
	switch {
	case n[0] == 1:
		user, to = unknownKey(c, c.Owner().Value), BeRefused(identityOr(o)...).Citing("AUTH-1")
	case n[0] == 0:
		user, to = anonymous, BeRefused(identityOr(o)...).Citing("AUTH-1")
	case c.Target.Credentials.Stranger == "" || len(o.IDs) == 0 || o.Placeholder():
		return
	case o.Deleted():
		to.Or(404)
	}
	request := Wrong(c, o)
	if n[1] > 0 { // it may be wrong for that, too
		to.Or(400, 422)
		request.Body = oracle.ObjectBody(o.Op.Body, map[string]any{})
		for _, f := range fieldsOf(o, n[1]) {
			Set(f.Name, Fresh(c, o)[f.Name])(&request)
		}
	}
	As(user)(&request)
	send(c, request, to)
}

func sendUnknown(_ *exploration, c *Case, o *Object, n []int) {
	to := BeRefused(404).Citing(unknownID(o.Op, n[0]))
	if o.Op.Open["missing"] != "" {
		to = BeRefused(403, 404, 422).OrEmpty()
	}
	send(c, Wrong(c, o, Unknown(c, n[0], 7), NoObject), to)
}

// sendForeign updates an object of the stranger's as the owner.
func sendForeign(_ *exploration, c *Case, o *Object, _ []int) {
	theirs := foreign(c, o.Op)
	if theirs == nil || c.Target.Credentials.Stranger == "" {
		return
	}
	if !theirs.Known() {
		c.Read(theirs) // to put it back
	}
	send(c, Wrong(c, theirs), BeRefused(403).Citing("AUTH-2"))
	c.VerifyNoTraceOf(theirs)
}

// valid is a valid request, which is answered 404 where there is nothing to list, too.
func valid(c *Case, o *Object) exchange {
	if o.Op.Lists() && c.Known().KnownEmpty(o) {
		return exchange{Valid(c, o), BeAccepted().Or(404)}
	}
	return exchange{Valid(c, o), BeAccepted()}
}

// sendPair sends requests for two objects at the same instant.
func sendPair(x *exploration, c *Case, o *Object, n []int) {
	other := x.objects[n[0]%len(x.objects)]
	same := o == other || o.Key != "" && o.Key == other.Key // by another operation, and either may come last
	if same || o.Op.Deletes() || other.Op.Deletes() {
		return
	}
	settle(c, other)
	sendAll(c, c.SendTogether, valid(c, o), valid(c, other))
}

// sendInTurn sends the same as the owner, without a key and as the stranger, on one connection.
func sendInTurn(_ *exploration, c *Case, o *Object, _ []int) {
	if !o.Op.Deletes() {
		sendAll(c, c.SendInOrder, usersAfter(c, o, valid(c, o), 403)...)
	}
}

// sendPage asks for a page by a number, which may be there or not. One far beyond the last is as empty as
// others beyond it.
func sendPage(_ *exploration, c *Case, o *Object, n []int) {
	text := fmt.Sprintf(numberForms[n[1]], numbers[n[0]])
	first := list(c, o, 0)
	if first == nil || first.List == nil || c.PageParameter(o.Op) == "" {
		return
	}
	number, err := strconv.ParseInt(text, 10, 64)
	if err == nil && number > 0 && number <= max(1, first.List.TotalPages) {
		page(c, o, number, unknownPage...)
		return
	}
	a := askBeyond(c, o, BeAccepted().OrRefused(), text)
	if next := first.List.TotalPages + 1; err == nil && number > next {
		c.Test.JudgeBeyond(o, []*judge.Answer{askBeyond(c, o, BeAccepted().OrRefused(), fmt.Sprint(next)), a})
	}
}

// alphabets are what a text is made of. Whether one that is not plain comes back as it was sent is open.
var alphabets = []struct {
	words, letters string
	plain          bool
}{
	{"in ASCII", "n", true},
	{"of two bytes", "é", true},
	{"of three bytes", "日", true},
	{"of four bytes", "😀", true},
	{"of one to four bytes", "😀é日本🎈a🚀", true},
	{"that are digits", "7", true},
	{"that are labels", "a.", true},
	{"that are an expression", `[a]{2}(b|c)*\d?`, true},
	{"that are punctuation", `'"\%<&>/`, true},
	{"that combine with others", "e\u0301\u0323👩\u200d", false},
	{"that are control characters", "\x01\x00\x1b", false},
	{"that are white space", " \r\n\t", false},
}

// powers are the numbers around every power of two and ten up to so many of them, without a sign.
func powers(twos, tens int64) (all []*big.Int) {
	for base, most := range map[int64]int64{2: twos, 10: tens} {
		for exponent := range most + 1 {
			power := new(big.Int).Exp(big.NewInt(base), big.NewInt(exponent), nil)
			for _, beside := range []int64{-1, 0, 1} {
				all = append(all, new(big.Int).Add(power, big.NewInt(beside)))
			}
		}
	}
	slices.SortFunc(all, (*big.Int).Cmp)
	return slices.CompactFunc(all, func(x, y *big.Int) bool { return x.Cmp(y) == 0 })
}

var (
	numbers     = powers(70, 30)
	numberForms = []string{"%s", "-%s", "%s.5", "%s.0", "%se1"}
	// lengths of texts, in characters.
	lengths = powers(16, 4)
	// places are where in a text the characters of its alphabet stand; the rest is ASCII.
	places = []string{"", ", the last one of them", ", the first one of them", ", the middle one of them"}
)

// oddTextOf sets a field to a text of so many characters of an alphabet.
func oddTextOf(o *Object, n []int) (Change, string, bool) {
	f, alphabet, length, at := o.Op.Body.Fields[n[0]], alphabets[n[1]], int(lengths[n[2]].Int64()), n[3]
	letters, text := []rune(alphabet.letters), []rune(strings.Repeat("n", length))
	for i := range text {
		if at == 0 || i == []int{0, length - 1, 0, length / 2}[at] {
			text[i] = letters[i%len(letters)]
		}
	}
	words := fmt.Sprintf("a %s of %s%s %s", f.Name, wording.Count(length, "character"), places[at], alphabet.words)
	return Set(f.Name, string(text)), words, alphabet.plain && length > 0 && isPlainText(f)
}

// writing sets a field to a value as JSON has it.
func writing(o *Object, field int, value string) (Change, string, bool) {
	f := o.Op.Body.Fields[field]
	return writtenAs(f.Name, value), f.Name + " as " + oracle.Shorten(value), false
}

// oddFields leaves some fields out, and makes others null.
func oddFields(o *Object, n []int) (Change, string, bool) {
	sent, kept := fieldsOf(o, n[0]), fieldsOf(o, n[1])
	null := slices.DeleteFunc(slices.Clone(sent), func(f *spec.Field) bool { return slices.Contains(kept, f) })
	words := "a body without any field"
	if len(sent) > 0 {
		words = "a body with " + wording.List(fieldNames(sent))
	}
	if len(null) > 0 {
		words += " and null for " + wording.List(fieldNames(null))
	}
	return func(r *Call) {
		fields := map[string]any{}
		for _, f := range sent {
			fields[f.Name] = r.Body.Fields[f.Name]
		}
		for _, f := range null {
			fields[f.Name] = nil
		}
		r.Body = oracle.ObjectBody(o.Op.Body, fields)
	}, words, false
}

func oddPage(_ *Object, n []int) (Change, string, bool) {
	text := fmt.Sprintf(numberForms[n[1]], numbers[n[0]])
	return oddQuery("PAGE=" + url.QueryEscape(text)), "the page " + oracle.Shorten(text), false
}

func oddID(_ *Object, n []int) (Change, string, bool) {
	return oddPath(oddIDs[n[0]]), "an id like " + strings.Replace(oddIDs[n[0]], "ID", "12", 1), false
}

// oddValues are values of fields, as JSON has them: of each type, dates, and words that programs know.
var oddValues = strings.Fields(`null [[]] {} [] "" true 0 -1 10 0.1
	[null] [{"a":1}] {"id":1} {"a":{"b":[1]}} [["x"],["y"]] "null" "NaN" "0" "1e309"
	"2024-02-30" "0000-00-00" "1969-12-31" "9999-12-31T23:59:60Z" "constructor"
	"../../x" "C:\\con" "%s%n" "%00" "${7*7}" "]]>" "\u0000" "\ud800"
	"\ufeff" "\u0130" "ﬁ" "\u00a0" "\n" "--" "*" "None" "(" "a{2,1}" "(?<=a)" "127.0.0.1" "a..b" "-a.b" "a.b:80"`)

// oddIDs are forms of an id, ID. Who reads one laxly reads that id, or one that is far beyond those of a
// target: never another's.
var oddIDs = []string{
	"ID.0", "ID.5", "IDe0", "+ID", "%20ID", "ID%20", "ID%0A", "ID%00", "ID%2C",
	"ID;", "ID:", "ID@", "ID'", "ID%22", "ID%5C", "ID%7C", "ID%3F", "ID%23",
	"(ID)", "[ID]", "ID%C3%A9", "ID%F0%9F%98%80", "ID%ff", "ID/", "ID?", "ID%2F",
	"NaN", "null", "Infinity", "%F0%9F%98%80", "%ff", "%00", "%20", ":",
	"-2147483648", "4294967295", "9223372036854775808", "-9223372036854775808", "18446744073709551616",
}

// oddHeaders are values of headers that the interface, HTTP, and what stands before servers know.
var oddHeaders = func() (all [][2]string) {
	for _, line := range []string{
		"Accept|*/*|text/html|application/json;q=0|application/vnd.api+json|image/png, */*;q=0.1|,",
		"Accept-Encoding|gzip|identity;q=0|x",
		"Content-Type|application/json; charset=utf-8|application/json; charset=iso-8859-1|text/plain|application/merge-patch+json|" +
			"application/x-www-form-urlencoded|multipart/form-data|/", "Content-Encoding|identity|x", "Accept-Charset|utf-16",
		`If-None-Match|*|"x"|W/"x"|x`, `If-Match|*|"x"|x`, "Range|bytes=0-|bytes=0-0|bytes=9-1|x=0-1",
		"Authorization|Bearer x|Basic eDp4|x",
		"If-Modified-Since|Thu, 01 Jan 1970 00:00:00 GMT|Fri, 31 Dec 9999 23:59:59 GMT|0", "If-Unmodified-Since|Thu, 01 Jan 1970 00:00:00 GMT|x",
		// Few servers refuse what has one of these.
		"Accept-Language|de|*|x;q=2", "Cache-Control|no-cache|max-age=-1", "Content-Language|de", "Cookie|a=b|=", "Forwarded|for=x",
		"Te|trailers",
		"Idempotency-Key|x", "Origin|null|https://example.com", "Prefer|return=minimal|respond-async|x", "User-Agent|x|curl/8.0",
		"X-Forwarded-For|::1|x",
		"Traceparent|00-00000000000000000000000000000000-0000000000000000-00", "X-Forwarded-Proto|https|x", "X-Requested-With|XMLHttpRequest",
		"X-Request-Id|00000000-0000-0000-0000-000000000000|" + strings.Repeat("x", 300),
	} {
		name, values, _ := strings.Cut(line, "|")
		for value := range strings.SplitSeq(values, "|") {
			all = append(all, [2]string{name, value})
		}
	}
	return all
}()

// harmless is how many of them, from the last on, few servers refuse.
var harmless = len(oddHeaders) - slices.IndexFunc(oddHeaders, func(h [2]string) bool { return h[0] == "Accept-Language" })
