package finding

import "slices"

// A Sent is a part of a request, as its sender describes it.
type Sent struct {
	At       Place
	What     Oddity
	Extra    Oddity // what is odd beside
	Declared string // the JSON type of the field, or Listed, if What is a value of another type
	N        int    // the characters of a long text
	Value    string // as JSON, shortened; never a key
	// Same identifies the only part that a request of a class changes, see Request.
	OnlyChange string
}

// A Place is a part of a request by its kind and, where a request has several, its name.
type Place struct {
	Part Part
	Name string
}

// A Part is a kind of parts of a request.
type Part string

// The parts, in the order in which they matter to a finding. A class is what several odd or repeated requests have in
// common, and each class has its own findings.
const (
	Class  Part = "request"
	Key    Part = "key"
	Path   Part = "path"
	Header Part = "header"
	Body   Part = "body"
	Field  Part = "/" // of the body
	Query  Part = "query"
)

// PlaceOf returns a part of a request; name is empty for the key and the body.
func PlaceOf(part Part, name string) Place { return Place{part, name} }

// An Oddity says what is odd about a part of a request. Its text is for people: what the suite decides by are the
// constants, which may be reworded. Other texts are oddities that nothing depends on.
type Oddity string

// Ids in paths.
const (
	OthersID    Oddity = "the id of another user's object"
	UnknownID   Oddity = "an unknown id"
	DeletedID   Oddity = "the id of what was deleted"
	MalformedID Oddity = "a malformed id"
	Beyond31    Oddity = "an id beyond 31 bits"
	Beyond32    Oddity = "an id beyond 32 bits"
)

// Keys.
const (
	NoKey           Oddity = "no key"
	EmptyKey        Oddity = "an empty key"
	EmptyKeyBasic   Oddity = EmptyKey + " and HTTP's Basic authentication"
	KeyChanged      Oddity = "the owner's key with one character changed"
	KeyFirstChanged Oddity = "the owner's key with its first characters changed"
	KeyLastChanged  Oddity = "the owner's key with its last characters changed"
	KeyLonger       Oddity = "the owner's key with x after it"
	KeyPreceded     Oddity = "the owner's key with x before it"
	KeyWithoutFirst Oddity = "the owner's key without its first character"
	KeyWithoutLast  Oddity = "the owner's key without its last character"
	KeyOtherCase    Oddity = "the owner's key in other letter case"
	KeyOthersEnd    Oddity = "the owner's key with the end of another user's"
	KeyForeignEnd   Oddity = "the owner's key with its last characters beyond ASCII"
	KeySQL          Oddity = "the owner's key with a quote and SQL after it"
	KeySQLCondition Oddity = "the owner's key with a quote and a condition of SQL after it"
	KeySQLGroup     Oddity = "the owner's key with a parenthesis and SQL after it"
	StrangersKey    Oddity = "the key of another user"

	OddKey Oddity = "a key with a template, a quotation mark and bad percent-encoding"
)

// What is odd beside a key.
const (
	UserInHeaders Oddity = ", and headers that name a user"
	UserAndMore   Oddity = UserInHeaders + ", " + otherHeaders
	OtherHeaders  Oddity = ", and headers that name " + otherHeaders

	otherHeaders = "the server's own address, a token and, as preflights do, a method"
)

// Bodies.
const (
	NoBody       Oddity = "a request without a body"
	CutJSON      Oddity = "JSON that is cut off"
	ArrayBody    Oddity = "a body that is an array"
	TextBody     Oddity = "a body that is a text"
	NumberBody   Oddity = "a body that is a number"
	NullBody     Oddity = "a body that is null"
	NotUTF8Body  Oddity = "a body that is not UTF-8"
	NestedBody   Oddity = "a body that nests a thousand deep"
	TrailingText Oddity = "text after the JSON object"
)

// Listed is Sent.Declared of a field that takes only listed values.
const Listed = "listed"

// Values of fields. The first group are values of another type than the field's, which is Sent.Declared.
const (
	Null      Oddity = "null"
	AText     Oddity = "a text"
	ANumber   Oddity = "a number"
	AFraction Oddity = "a fraction"
	ABoolean  Oddity = "a boolean"
	AnArray   Oddity = "an array"
	AnObject  Oddity = "an object"

	Unlisted  Oddity = "a value that is not listed"
	OtherCase Oddity = "a listed value in other letter case"
	Padded    Oddity = "a listed value with spaces around it"
)

// Texts. Long texts have Sent.N characters.
const (
	LongText       Oddity = "a text of characters"
	LongOddText    Oddity = "a text of characters beyond ASCII"
	ManyOddities   Oddity = "a text with special characters"
	ManyLetters    Oddity = "a text with letters and marks of every kind"
	EndsSQL        Oddity = "a text that ends a statement of SQL"
	Accent         Oddity = "a text with an accent"
	BeyondLatin1   Oddity = "a text with letters and punctuation beyond Latin-1"
	Emoji          Oddity = "a text with an emoji"
	Apostrophe     Oddity = "a text with an apostrophe"
	QuotationMark  Oddity = "a text with a quotation mark"
	Backslash      Oddity = "a text with a backslash"
	Markup         Oddity = "a text with markup and an ampersand"
	PercentSign    Oddity = "a text with a percent sign"
	SQLWords       Oddity = "a text with SQL words, a bare percent sign and dollar signs"
	NUL            Oddity = "a text with U+0000"
	HalfCharacter  Oddity = "a text with half a character (a lone surrogate)"
	SpacesAround   Oddity = "a text with spaces around it"
	DeepExpression Oddity = "an expression that nests deeply"
	DeepQuery      Oddity = "a very long query that nests deeply"
	DeepObjects    Oddity = "objects that nest deeply"
	DeepArrays     Oddity = "arrays that nest very deeply and are not closed"
	QuotedQuery    Oddity = "a template and quotation marks in the query"
)

// partsOfTexts lists the oddities that are sent alone, too, by the texts that have several.
var partsOfTexts = map[Oddity][]Oddity{
	ManyOddities: {Accent, BeyondLatin1, Emoji, Apostrophe, QuotationMark, Backslash, Markup, PercentSign},
	ManyLetters:  {Accent, BeyondLatin1, Emoji, Apostrophe, QuotationMark, Backslash},
	EndsSQL:      {Apostrophe},
}

// Request identifies the request by the only part that is odd about it and its value, or returns "".
func (s *Sent) Request() string {
	switch {
	case s.IsClass():
		return s.OnlyChange
	case s.Value == "":
		return ""
	}
	return s.At.String() + "=" + s.Value
}

// IsClass reports whether the part is what a class of requests has in common.
func (s *Sent) IsClass() bool { return s != nil && s.At.Part == Class }

// isAt reports whether the part is of a kind.
func (s *Sent) isAt(part Part) bool {
	return s != nil && s.At.Part == part
}

// is reports whether the oddity of the part is one of these.
func (s *Sent) is(oddities ...Oddity) bool {
	return s != nil && slices.Contains(oddities, s.What)
}

// Matters returns the part of a request that a finding is about, or nil if it is ordinary: its class, the key, the
// path, a header, the body, the field with this name, another odd field, or the query.
func Matters(parts []Sent, field string) *Sent {
	var best *Sent
	heaviest := 0
	for i := range parts {
		if w := parts[i].weight(field); w > heaviest {
			best = &parts[i]
			heaviest = w
		}
	}
	return best
}

// weights are those of odd parts other than fields.
var weights = map[Part]int{Class: 8, Key: 7, Path: 6, Header: 5, Body: 4, Query: 2}

const fieldWeight, otherFieldWeight = 3, 1

// weight says how much a part matters to a finding about a field; 0 if it does not.
func (s *Sent) weight(field string) int {
	isField := s.At == PlaceOf(Field, field)
	isOrdinary := s.What == "" && s.At.Part != Query
	switch {
	case isField:
		return fieldWeight
	case isOrdinary:
		return 0
	case s.At.Part == Field:
		return otherFieldWeight
	}
	return weights[s.At.Part]
}
