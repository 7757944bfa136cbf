package finding

import (
	"slices"
	"testing"

	"github.com/adconform/adconform/suites/report"
)

// sighting makes a sighting from the parts that hints depend on.
func sighting(check string, parts ...func(*Sighting)) *Sighting {
	s := &Sighting{Check: check, Cause: CauseOf(Kind(check)), Sent: &Sent{}, Answer: &report.Answer{}}
	for _, part := range parts {
		part(s)
	}
	return s
}

type part = func(*Sighting)

func of(clause string) part   { return func(s *Sighting) { s.Clause = clause } }
func because(kind Kind) part  { return func(s *Sighting) { s.Cause.Kind = kind } }
func shaped(kind string) part { return func(s *Sighting) { s.Shape.Kind = kind } }
func having(members ...string) part {
	return func(s *Sighting) { s.Shape = Shape{KindObject, members} }
}
func also(aspect Aspect) part { return func(s *Sighting) { s.Aspect = aspect } }
func naming(name string) part { return func(s *Sighting) { s.Name = name } }
func about(what Oddity) part  { return func(s *Sighting) { s.Cause.Subject.What = what } }
func status(code int) part    { return func(s *Sighting) { s.Answer.Status = code } }
func typed(media string) part { return func(s *Sighting) { s.Answer.Type = media } }
func saying(text string) part { return func(s *Sighting) { s.Answer.Says = text } }
func valued(text string) part { return func(s *Sighting) { s.Sent.Value = text } }
func and(what Oddity) part    { return func(s *Sighting) { s.Sent.Extra = what } }
func sent(at Part, what Oddity) part {
	return func(s *Sighting) { s.Sent.At, s.Sent.What = PlaceOf(at, "x"), what }
}

func wrong(what Oddity, is string) part {
	return func(s *Sighting) { s.Sent.At, s.Sent.What, s.Sent.Declared = PlaceOf(Field, "x"), what, is }
}

// hinted are sightings of runs on servers with the cause that a hint names.
var hinted = []struct {
	hint string
	*Sighting
}{
	{"redirected", sighting("expected-status", status(307))},
	{"redirected-to-log-in", sighting("expected-status", status(302), sent(Key, NoKey))},
	{"escaped-on-the-way-in", sighting("shows-sent", because(BackEscaped))},
	{"nul-in-postgresql", sighting("server-error", sent(Field, NUL))},
	{"emoji-in-mysql", sighting("server-error", sent(Field, Emoji))},
	{"four-bytes-in-mysql", sighting("server-error", saying(`Incorrect string value: '\xF0\x9F'`))},
	{"too-long-for-column", sighting("server-error", sent(Field, LongText))},
	{"too-long-for-column", sighting("server-error", sent(Field, LongOddText))},
	{"cut-by-column", sighting("shows-sent", because(BackCut), sent(Field, LongText))},
	{"sql-by-joining", sighting("server-error", sent(Field, SQLWords))},
	{"sql-by-joining", sighting("server-error", sent(Field, Apostrophe))},
	{"sql-by-joining", sighting("server-error", sent(Field, QuotationMark))},
	{"sql-by-joining", sighting("server-error", sent(Class, OddKey))},
	{"sql-by-joining", sighting("server-error", sent(Class, QuotedQuery))},
	{"surrogate-in-python", sighting("server-error", sent(Field, HalfCharacter))},
	{"bytes-not-decoded", sighting("server-error", sent(Body, NotUTF8Body))},
	{"nesting", sighting("server-error", sent(Body, NestedBody))},
	{"nesting", sighting("server-error", sent(Field, DeepExpression))},
	{"nesting", sighting("server-error", sent(Class, DeepQuery))},
	{"nesting", sighting("server-error", sent(Class, DeepObjects))},
	{"nesting", sighting("server-error", sent(Class, DeepArrays))},
	{"id-overflows", sighting("server-error", sent(Path, MalformedID))},
	{"id-overflows", sighting("server-error", sent(Path, Beyond31))},
	{"id-overflows", sighting("server-error", sent(Path, Beyond32))},
	{"null-in-a-column", sighting("server-error", sent(Field, Null))},
	{"type-not-looked-at", sighting("server-error", wrong(AnArray, "string"))},
	{"type-not-looked-at", sighting("server-error", wrong(AnObject, "string"))},
	{"type-not-looked-at", sighting("server-error", wrong(ANumber, Listed))},
	{"type-not-looked-at", sighting("server-error", wrong(ABoolean, "string"))},
	{"type-not-looked-at", sighting("server-error", sent(Body, ArrayBody))},
	{"type-not-looked-at", sighting("server-error", sent(Body, TextBody))},
	{"type-not-looked-at", sighting("server-error", sent(Body, NumberBody))},
	{"type-not-looked-at", sighting("server-error", sent(Body, NullBody))},
	{"body-not-looked-at", sighting("server-error", sent(Body, CutJSON))},
	{"body-not-looked-at", sighting("server-error", sent(Body, NoBody))},
	{"enum-by-number", sighting("not-refused", because(AcceptedAs), wrong(ANumber, Listed))},
	{"enum-any-case", sighting("not-refused", sent(Field, OtherCase))},
	{"enum-unlisted", sighting("not-refused", sent(Field, Unlisted))},
	{"array-as-text", sighting("not-refused", because(AcceptedAs), wrong(AnArray, "string"))},
	{"object-as-text", sighting("not-refused", because(AcceptedAs), wrong(AnObject, "string"))},
	{"scalar-as-text", sighting("shows-sent", wrong(ANumber, "string"))},
	{"scalar-as-text", sighting("beyond-document", wrong(ABoolean, "string"))},
	{"malformed-as-empty", sighting("not-refused", of("ERR-3"))},
	{"malformed-is-400", sighting("expected-status", of("ERR-3"), status(400))},
	{"type-is-415", sighting("expected-status", status(415))},
	{"validation-is-400", sighting("expected-status", of("ERR-4"), status(400))},
	{"error-of-fastapi", sighting("error-section", having("detail"), status(422))},
	{"error-of-spring", sighting("error-section", having("error", "path", "status", "timestamp"))},
	{"error-of-problem-details", sighting("error-section", typed("application/problem+json"))},
	{"error-of-laravel", sighting("error-section", having("errors", "message"))},
	{"error-of-node", sighting("error-section", having("error", "message", "statusCode"))},
	{"error-of-drf", sighting("error-section", having("detail"))},
	{"page-for-error", sighting("content-type", status(404), typed("text/html"))},
	{"not-labelled-as-json", sighting("content-type", status(200), typed("text/plain"))},
	{"delete-is-200", sighting("expected-status", because(Answered), about(Ordinary), status(200))},
	{"forbidden-for-anonymous", sighting("expected-status", of("AUTH-1"), status(403), sent(Key, NoKey))},
	{"forbidden-for-anonymous", sighting("expected-status", of("AUTH-1"), status(403), sent(Key, EmptyKey))},
	{"forbidden-for-anonymous", sighting("expected-status", of("AUTH-1"), status(403), sent(Key, EmptyKeyBasic))},
	{"hidden-by-scope", sighting("expected-status", of("AUTH-2"), status(404))},
	{"key-in-any-case", sighting("not-refused", sent(Key, KeyOtherCase))},
	{"key-by-its-start", sighting("not-refused", sent(Key, KeyLonger))},
	{"key-by-its-start", sighting("not-refused", sent(Key, KeyWithoutLast))},
	{"user-by-header", sighting("not-refused", sent(Key, StrangersKey), and(UserInHeaders))},
	{"user-by-header", sighting("not-refused", sent(Key, NoKey), and(UserAndMore))},
	{"user-by-request", sighting("not-refused", sent(Class, "the key of another user; a user in the query"))},
	{"user-by-request", sighting("not-refused", sent(Class, "a member that names a user; a fresh connection"))},
	{"guarded-path", sighting("not-refused", sent(Class, "no key; a slash behind the path"))},
	{"guarded-path", sighting("not-refused", sent(Class, "the key of another user; a path with an encoded letter"))},
	{"guarded-method", sighting("not-refused", sent(Class, "no key; a method in the query"))},
	{"guarded-by-claims", sighting("not-refused", sent(Class, "no key; headers of a server's own services"))},
	{"guarded-browser", sighting("not-refused", sent(Class, "no key; the header of scripts in a browser"))},
	{"guarded-connection", sighting("not-refused", sent(Class, "no key; a connection that had a success just before"))},
	{"guarded-body", sighting("not-refused", sent(Class, "the key of another user; a body in chunks"))},
	{"key-in-sql", sighting("not-refused", sent(Key, KeySQL))},
	{"key-in-sql", sighting("not-refused", sent(Key, KeySQLCondition))},
	{"key-in-sql", sighting("not-refused", sent(Key, KeySQLGroup))},
	{"key-by-a-part", sighting("not-refused", of("AUTH-1"), sent(Key, KeyOthersEnd))},
	{"key-by-a-part", sighting("not-refused", of("AUTH-1"), sent(Key, KeyForeignEnd))},
	{"kept-elsewhere", sighting("stale", because(NoDefault))},
	{"key-by-a-part", sighting("not-refused", of("AUTH-1"), sent(Key, KeyChanged))},
	{"key-by-a-part", sighting("not-refused", of("AUTH-1"), sent(Key, KeyFirstChanged))},
	{"key-by-a-part", sighting("not-refused", of("AUTH-1"), sent(Key, KeyLastChanged))},
	{"key-by-a-part", sighting("not-refused", of("AUTH-1"), sent(Key, KeyWithoutFirst))},
	{"key-by-a-part", sighting("not-refused", of("AUTH-1"), sent(Key, KeyPreceded))},
	{"users-alike", sighting("not-refused", of("AUTH-2"), sent(Key, StrangersKey))},
	{"answered-from-a-cache", sighting("not-refused", of("AUTH-3"), because(TakenForOther))},
	{"id-by-its-start", sighting("not-refused", sent(Path, MalformedID), valued("25abc"))},
	{"id-wraps", sighting("not-refused", sent(Path, Beyond32), status(200))},
	{"parent-not-looked-at", sighting("not-refused", of("ERR-2"))},
	{"rounded-by-javascript", sighting("identity", naming("9007199254740993"))},
	{"integer-as-text", sighting("schema", because(WrongType), shaped(KindString), also(ForInteger))},
	{"integer-as-float", sighting("integer-form")},
	{"date-as-number", sighting("schema", because(WrongType), shaped(KindArray), also(ForDate))},
	{"date-as-number", sighting("date", shaped(KindNumber), also(ForDate))},
	{"updated-at-stands", sighting("updated-at")},
	{"trimmed", sighting("text-altered", sent(Field, SpacesAround))},
	{"trimmed", sighting("text-altered", sent(Field, Padded))},
	{"field-of-the-class", sighting("related-field", naming("Name"))},
	{"no-field-from-the-parser", sighting("related-field")},
	{"nothing-deleted", sighting("delete-effect", status(204), also(StillListed))},
	{"deleted-or-not", sighting("delete-effect", status(204))},
	{"checked-too-late", sighting("refused-write")},
	{"checked-too-late", sighting("refused-delete")},
	{"by-another-field", sighting("stale", also(NeitherOne))},
	{"kept-elsewhere", sighting("stale")},
	{"pages-from-zero", sighting("page-number", naming("0"))},
	{"no-order", sighting("list-walk", because(ItemsTwice))},
	{"count-of-the-page", sighting("list-total")},
	{"list-kept-elsewhere", sighting("delete-listed")},
	{"whole-row-written", sighting("concurrent-writers")},
	{"not-caught", sighting("server-error", sent(Field, ManyOddities))},
	{"", sighting("not-refused", sent(Field, TrailingText))},
}

// unmet are changes of a sighting, one for each condition, that no hint names.
var unmet = map[string]struct {
	isCondition func(conditions) bool
	change      part
}{
	"check":   {func(c conditions) bool { return c.Check != nil }, func(s *Sighting) { s.Check = "x" }},
	"clause":  {func(c conditions) bool { return c.Clause != nil }, of("x")},
	"cause":   {func(c conditions) bool { return c.Cause != nil }, because("x")},
	"subject": {func(c conditions) bool { return c.Subject != nil }, about("x")},
	"sent":    {func(c conditions) bool { return c.Sent != nil }, func(s *Sighting) { s.Sent.What = "x" }},
	"and":     {func(c conditions) bool { return c.Extra != nil }, and("x")},
	"for":     {func(c conditions) bool { return c.Declared != nil }, func(s *Sighting) { s.Sent.Declared = "x" }},
	"at":      {func(c conditions) bool { return c.At != nil }, func(s *Sighting) { s.Sent.At = PlaceOf(Class, "x") }},
	"status":  {func(c conditions) bool { return c.Status != nil }, status(100)},
	"shape":   {func(c conditions) bool { return c.Shape != nil }, shaped("x")},
	"members": {func(c conditions) bool { return c.Members != nil }, having("oops")},
	"aspect":  {func(c conditions) bool { return c.Aspect != nil }, also("x")},
	"type":    {func(c conditions) bool { return c.Type != nil }, typed("application/x")},
	"says":    {func(c conditions) bool { return c.Says != nil }, saying("x")},
	"words":   {func(c conditions) bool { return c.Words != nil }, func(s *Sighting) { s.Sent.What = "x" }},
	"value":   {func(c conditions) bool { return c.Value != nil }, valued("x")},
	"name":    {func(c conditions) bool { return c.Name != nil }, naming("x")},
}

// Each hint is given with the sightings that it is for, and not if one of its conditions does not hold.
func TestHints(t *testing.T) {
	for _, row := range hinted {
		hint := HintFor(row.Sighting)
		switch {
		case hint == nil && row.hint == "":
		case hint == nil || hint.ID != row.hint:
			t.Errorf("%s: %+v has the hint %v", row.hint, row.Sighting, hint)
		default:
			for _, name := range needless(hint, row.Sighting) {
				t.Errorf("%s is given with another %s, too", row.hint, name)
			}
		}
	}
}

// needless returns the conditions of a hint without which a sighting would have it, too.
func needless(hint *Hint, s *Sighting) (names []string) {
	for name, condition := range unmet {
		if !condition.isCondition(hint.When) {
			continue
		}
		other, part, answer := *s, *s.Sent, *s.Answer
		other.Sent, other.Answer = &part, &answer
		if condition.change(&other); HintFor(&other) == hint {
			names = append(names, name)
		}
	}
	return names
}

// hints.yaml names constants, and each hint is tested.
func TestHintsNameConstants(t *testing.T) {
	tested, oddities := map[string]bool{}, []Oddity{"", Ordinary}
	for _, row := range hinted {
		tested[row.hint] = true
		oddities = append(oddities, row.Sent.What, row.Sent.Extra)
	}
	for _, h := range Hints() {
		if !tested[h.ID] {
			t.Errorf("nothing tests the hint %s", h.ID)
		}
		for _, what := range slices.Concat(h.When.Sent, h.When.Extra, h.When.Subject) {
			if !slices.Contains(oddities, what) {
				t.Errorf("%s: nothing that is sent is %q", h.ID, what)
			}
		}
		for _, kind := range h.When.Cause {
			if table[kind].sentence == "" {
				t.Errorf("%s: there is no cause %q", h.ID, kind)
			}
		}
	}
}

// A hint is given if each sighting with the cause has it. One that decides needs a single sighting.
func TestAHintThatDecides(t *testing.T) {
	listed, gone := sighting("delete-effect", status(204), also(StillListed)), sighting("delete-effect", status(204))
	longer := sighting("not-refused", of("AUTH-1"), sent(Key, KeyLonger))
	injected := sighting("not-refused", of("AUTH-1"), sent(Key, KeySQL))
	without := sighting("not-refused", of("AUTH-1"), sent(Key, NoKey))
	early, late := sighting("list-total"), sighting("list-walk", because(ItemsTwice))
	for _, row := range []struct {
		want string
		all  []*Sighting
	}{
		{"nothing-deleted", []*Sighting{gone, listed}},
		{"nothing-deleted", []*Sighting{listed, gone}},
		{"deleted-or-not", []*Sighting{gone, gone}},
		{"", []*Sighting{early, late}},
		{"count-of-the-page", []*Sighting{early, early}},
		{"key-in-sql", []*Sighting{injected}},
		{"key-by-a-part", []*Sighting{longer, injected}},
		{"", []*Sighting{longer, without}},
	} {
		got := ""
		if h := commonHint(Cause{}, row.all); h != nil {
			got = h.ID
		}
		if got != row.want {
			t.Errorf("%q, want %q", got, row.want)
		}
	}
}
