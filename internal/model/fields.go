package model

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/spec"
)

// A member is a field of an update, and what a body has for it.
type member struct {
	*reading
	*spec.Field
	sent    bool
	value   any
	text    string // the value, if it is a text
	coerced bool   // the value is no text, or not a listed one, but a target may take it for one
}

// fields is the document on a field of a body: Errors, 422, missing or badly formatted fields; and what it does not
// show. The first section that is about a field decides.
var fields = []section[*member]{
	{isLeftOut, []row[*member]{
		{isRequired, refused("a required field is missing", "", 422).naming()},
		{isLeftToTarget, open("a field is left out", "required-fields", ofSyntax...)},
	}},
	{isNull, []row[*member]{
		{isOptional, open("an optional field is null", "null-optional", ofSyntax...)},
		{isNotOptional, open("a field is null", "null-fields", ofSyntax...)},
	}},
	{isCoerced, []row[*member]{
		{isListed, open("a listed value in other letters, or with spaces", "listed-spelling", 422).
			citing("ERR-5").naming()},
		{isNotListed, open("a number or boolean for a text", "scalar-coercion", 422).citing("ERR-4").naming()},
	}},
	{isWrong, []row[*member]{
		{isOffList, refused("a value that is not listed", "ERR-5", 422).naming()},
		{isOfOtherType, refused("a badly formatted field", "ERR-4", 422).naming()},
	}},
	{isFreeText, []row[*member]{
		{isBlank, open("a blank text", "blank-text", ofSyntax...).loose()},
		{isNoHostname, open("a text that is not a hostname", "hostname-syntax", ofSyntax...).loose()},
		{isNoExpression, open("a text that is not an expression", "regex-syntax", ofSyntax...)},
		{isAlterable, open("a text that may be trimmed", "trimming", ofSyntax...)},
		{isLong, open("a long text", "text-length", 413, 422)},
		{isUnusual, open("a text beyond plain words", "text-characters", 422)},
	}},
}

// beside is the document on a text, whatever fields says about it.
var beside = section[*member]{isFirstText, []row[*member]{
	{isTaken, open("another object has the text", "name-uniqueness", 409, 422).naming()},
	{mayBeTaken, open("another object may have the text", "name-uniqueness", 409, 422)},
}}

// further is the document on members of a body that are no fields of the request.
var further = []row[furtherMember]{
	{isReadOnly, open("a field that cannot be changed", "read-only-fields", ofSyntax...)},
	{isUnknown, open("a field that the document does not know", "unknown-fields", ofSyntax...)},
}

type furtherMember struct{ shown *spec.Field } // the field of the representation that has its name, or nil

func (r *reading) furtherMembers() (all []furtherMember) {
	for name := range r.body.fields {
		if r.op.Body.Named(name) == nil {
			all = append(all, furtherMember{r.op.Representation().Named(name)})
		}
	}
	return all
}

func (d Departure) citing(clause string) Departure {
	d.Clause = clause
	return d
}

// naming says that an issue of a 422 has to name the field.
func (d Departure) naming() Departure {
	d.Named = true
	return d
}

// fieldDepartures returns how the members of a body depart from ordinary ones.
func (r *reading) fieldDepartures() (all []Departure) {
	if !isPlainUpdate(r) || r.body.fields == nil {
		return nil
	}
	for _, f := range r.op.Body.Fields {
		m := newMember(r, f)
		all = append(all, m.in(fields...)...)
		all = append(all, m.in(beside)...)
	}
	for _, row := range further {
		if slices.ContainsFunc(r.furtherMembers(), row.is) {
			all = append(all, row.Departure)
		}
	}
	return all
}

func newMember(r *reading, f *spec.Field) *member {
	m := &member{reading: r, Field: f}
	m.value, m.sent = r.body.fields[f.Name]
	m.text, _ = m.value.(string)
	_, m.coerced = oracle.TextOf(f, m.value)
	return m
}

// in returns the departures of a field in the first section that is about it.
func (m *member) in(sections ...section[*member]) (all []Departure) {
	i := slices.IndexFunc(sections, func(s section[*member]) bool { return s.about(m) })
	if i < 0 {
		return nil
	}
	for _, row := range sections[i].rows {
		if !row.is(m) {
			continue
		}
		d := row.Departure
		d.Words = m.Name + ": " + d.Words
		d.Field = m.Name
		d.Clause = cmp.Or(d.Clause, m.Clause, m.op.Clause)
		all = append(all, d)
	}
	return all
}

// shown returns what a success has to show of the fields that a request sends.
func (r *reading) shown(a Allowed) (all []Shown) {
	if !isUpdate(r) {
		return nil
	}
	for _, f := range r.op.Body.Fields {
		m := newMember(r, f)
		isLoose := a.has(func(d Departure) bool { return d.Loose && d.Field == f.Name })
		switch text, _ := oracle.TextOf(f, m.value); {
		case m.value == nil, isLoose, strings.ContainsFunc(m.text, isInvisible):
		case m.coerced:
			all = append(all, Shown{f, text})
		default:
			all = append(all, Shown{f, m.value})
		}
	}
	return all
}

// isInvisible reports whether a server may drop a character, as nobody sees it.
func isInvisible(r rune) bool { return r > unicode.MaxASCII && !unicode.IsGraphic(r) }

func isLeftOut(m *member) bool      { return !m.sent }
func isRequired(m *member) bool     { return m.Required }
func isLeftToTarget(m *member) bool { return !m.Required && len(m.body.fields) > 0 }
func isNull(m *member) bool         { return m.value == nil && !m.Fits(nil) }
func isOptional(m *member) bool     { return m.Optional }
func isNotOptional(m *member) bool  { return !m.Optional }
func isCoerced(m *member) bool      { return m.coerced }
func isListed(m *member) bool       { return len(m.Enum) > 0 }
func isNotListed(m *member) bool    { return !isListed(m) }
func isWrong(m *member) bool        { return !m.Fits(m.value) }
func isFreeText(m *member) bool     { return isText(m.Field) }
func isBlank(m *member) bool        { return strings.TrimSpace(m.text) == "" }
func isNoHostname(m *member) bool   { return m.Hostname && !dnsName.MatchString(m.text) }
func isAlterable(m *member) bool    { return oracle.Alterable(m.text) }

// isOffList reports whether a value has the type of an enumerated field.
func isOffList(m *member) bool {
	if m.Numbers() {
		return len(m.Schema.Enum) > 0
	}
	_, isText := m.value.(string)
	return isText && isListed(m)
}

func isOfOtherType(m *member) bool { return !isOffList(m) }

// isText reports whether a field may hold any text.
func isText(f *spec.Field) bool { return f.Type == "string" && len(f.Enum) == 0 }

func isNoExpression(m *member) bool {
	if !m.Regex {
		return false
	}
	_, err := regexp.Compile(m.text)
	return err != nil
}

// dnsName matches a host name of several labels (RFC 1123, 2.1).
var dnsName = regexp.MustCompile(`^(?i:[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-zA-Z][a-zA-Z0-9-]*[a-zA-Z0-9]\.?$`)

// Ordinary texts, which no target has a reason to refuse: a plain name, a DNS name in small letters, an expression
// without operators but anchors. They are no longer than the values that the suite makes up.
var (
	plainName       = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*( [A-Za-z0-9]+)*$`)
	plainHost       = regexp.MustCompile(`^([a-z0-9][a-z0-9-]*[a-z0-9]\.)+[a-z]{2,}$`)
	plainExpression = regexp.MustCompile(`^\^?[A-Za-z0-9/]+\$?$`)
	programWord     = regexp.MustCompile(`^(?i:true|false|null|none|nil|undefined|nan|[0-9]+)$`)
)

const maxName, maxHost = 16, 29

func isLong(m *member) bool {
	most := maxName
	if m.Hostname {
		most = maxHost
	}
	return utf8.RuneCountInString(m.text) > most
}

func isUnusual(m *member) bool {
	plain := plainName
	switch {
	case m.Hostname:
		plain = plainHost
	case m.Regex:
		plain = plainExpression
	}
	return programWord.MatchString(m.text) || !plain.MatchString(m.text)
}

// isFirstText reports whether the member is a text in the first field for texts, which may have to be unique.
func isFirstText(m *member) bool {
	for _, f := range m.op.Body.Fields {
		if isText(f) {
			return f == m.Field && m.text != ""
		}
	}
	return false
}

func isTaken(m *member) bool    { return m.Unique != nil && !m.Unique(m.text) }
func mayBeTaken(m *member) bool { return m.Unique == nil }

func isReadOnly(m furtherMember) bool { return m.shown != nil }
func isUnknown(m furtherMember) bool  { return m.shown == nil }
