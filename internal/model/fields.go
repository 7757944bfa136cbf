package model

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
)

// A member is a field of an update and what a body has for it.
type member struct {
	*reading
	*spec.Field
	value any
	sent  bool
	text  string // the value, if it is a text
}

// A fieldRow is a sentence about a field of a body. The first row that is about a field decides.
type fieldRow struct {
	is func(*member) bool
	Departure
	isNamed bool // an issue of a 422 has to name the field
}

// fieldRows is the document on fields (Errors, 422: missing or badly formatted fields), and what it does not show.
var fieldRows = []fieldRow{
	{isMissing, Departure{Words: "a required field is missing", Statuses: []int{422}}, true}, // its clause is the field's
	{isOmitted, Departure{Words: "a field is left out", Point: "required-fields", Open: true, Statuses: ofSyntax}, false},
	{isNullOptional, Departure{Words: "an optional field is null", Point: "null-optional", Open: true, Statuses: ofSyntax}, false},
	{isNull, Departure{Words: "a field is null", Point: "null-fields", Open: true, Statuses: ofSyntax}, false},
	{isScalar, Departure{
		Words: "a number or boolean for a text", Point: "scalar-coercion", Clause: "ERR-4", Open: true, Statuses: []int{422},
	}, true},
	{isOtherSpelling, Departure{
		Words: "a listed value in other letters or with spaces", Point: "listed-spelling", Clause: "ERR-5", Open: true, Statuses: []int{422},
	}, true},
	{isUnlisted, Departure{Words: "a value that is not listed", Clause: "ERR-5", Statuses: []int{422}}, true},
	{isOfOtherType, Departure{Words: "a badly formatted field", Clause: "ERR-4", Statuses: []int{422}}, true},
	{isBlank, Departure{Words: "a blank text", Point: "blank-text", Open: true, Statuses: ofSyntax, Loose: true}, false},
	{isNoHostname, Departure{Words: "no hostname", Point: "hostname-syntax", Open: true, Statuses: ofSyntax, Loose: true}, false},
	{isNoExpression, Departure{Words: "no expression", Point: "regex-syntax", Open: true, Statuses: ofSyntax}, false},
	{isAlterable, Departure{Words: "a text that may be trimmed", Point: "trimming", Open: true, Statuses: ofSyntax}, false},
	{isLong, Departure{Words: "a long text", Point: "text-length", Open: true, Statuses: []int{413, 422}}, false},
	{isUnusual, Departure{Words: "a text beyond plain words", Point: "text-characters", Open: true, Statuses: []int{422}}, false},
}

// isTakenRow is about texts that are ordinary, and about others.
var isTakenRow = fieldRow{
	mayBeTaken, Departure{Words: "another object may have the text", Point: "name-uniqueness", Open: true, Statuses: []int{409, 422}}, true,
}

// memberRows is about further members of a body.
var memberRows = []struct {
	is func(r *reading, name string) bool
	Departure
}{
	{isReadOnly, Departure{Words: "a field that cannot be changed", Point: "read-only-fields", Open: true, Statuses: ofSyntax}},
	{isUnknown, Departure{Words: "a field that the document does not know", Point: "unknown-fields", Open: true, Statuses: ofSyntax}},
}

// fieldDepartures returns how the members of a body depart from ordinary ones.
func (r *reading) fieldDepartures() (all []Departure) {
	if !r.sends(object) && !r.sends(beforeText) || r.body.media == otherMedia {
		return nil
	}
	for _, f := range r.op.Body.Fields {
		m := &member{reading: r, Field: f}
		m.value, m.sent = r.body.fields[f.Name]
		m.text, _ = m.value.(string)
		i := slices.IndexFunc(fieldRows, func(row fieldRow) bool { return row.is(m) })
		if i >= 0 {
			all = append(all, fieldRows[i].departure(m))
		}
		if isTakenRow.is(m) {
			all = append(all, isTakenRow.departure(m))
		}
	}
	for _, row := range memberRows {
		for name := range r.body.fields {
			if row.is(r, name) {
				all = append(all, row.Departure)
				break
			}
		}
	}
	return all
}

// departure returns the departure of a field that a row is about.
func (row fieldRow) departure(m *member) Departure {
	d := row.Departure
	d.Words = m.Name + ": " + d.Words
	if row.isNamed && (row.Point != "name-uniqueness" || m.Unique != nil) {
		d.Field = m.Name
	}
	if d.Clause == "" {
		d.Clause = cmp.Or(m.Clause, m.op.Clause)
	}
	return d
}

func isMissing(m *member) bool { return !m.sent && m.Required }

// isOmitted reports whether a body leaves a field out; one without any member is another row's.
func isOmitted(m *member) bool { return !m.sent && len(m.body.fields) > 0 }

func (m *member) isNull() bool      { return m.sent && m.value == nil && !m.Fits(nil) }
func isNullOptional(m *member) bool { return m.isNull() && m.Optional }
func isNull(m *member) bool         { return m.isNull() }
func isListed(f *spec.Field) bool   { return len(f.Enum) > 0 }
func (m *member) coerced() (coerced bool) {
	_, coerced = oracle.TextOf(m.Field, m.value)
	return m.sent && coerced
}
func isScalar(m *member) bool        { return m.coerced() && !isListed(m.Field) }
func isOtherSpelling(m *member) bool { return m.coerced() && isListed(m.Field) }

// isUnlisted reports whether a value has the type of an enumerated field, but is none of its values.
func isUnlisted(m *member) bool {
	_, isText := m.value.(string)
	isNumber := m.Numbers() && len(m.Schema.Enum) > 0
	return m.isWrong() && (isText && isListed(m.Field) || isNumber)
}

func (m *member) isWrong() bool    { return m.sent && !m.Fits(m.value) }
func isOfOtherType(m *member) bool { return m.isWrong() }
func (m *member) isFreeText() bool {
	return m.sent && m.Type == "string" && !isListed(m.Field) && !m.Date
}
func isBlank(m *member) bool { return m.isFreeText() && strings.TrimSpace(m.text) == "" }
func isNoHostname(m *member) bool {
	return m.isFreeText() && m.Hostname && !dnsName.MatchString(m.text)
}
func isAlterable(m *member) bool { return m.isFreeText() && oracle.Alterable(m.text) }

func isNoExpression(m *member) bool {
	_, err := regexp.Compile(m.text)
	return m.isFreeText() && m.Regex && err != nil
}

// dnsName matches a host name of several labels (RFC 1123, 2.1).
var dnsName = regexp.MustCompile(`^(?i:[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-zA-Z][a-zA-Z0-9-]*[a-zA-Z0-9]\.?$`)

// Ordinary texts, which no target has a reason to refuse: a plain name, a DNS name in small letters, an expression without
// operators but anchors. Each has at most as many characters as the values that the suite makes up.
var (
	plainName       = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*( [A-Za-z0-9]+)*$`)
	plainHost       = regexp.MustCompile(`^([a-z0-9][a-z0-9-]*[a-z0-9]\.)+[a-z]{2,}$`)
	plainExpression = regexp.MustCompile(`^\^?[A-Za-z0-9/]+\$?$`)
	programWords    = []string{"true", "false", "null", "none", "nil", "undefined", "nan"}
)

const maxName, maxHost = 16, 29

func isLong(m *member) bool {
	most := maxName
	if m.Hostname {
		most = maxHost
	}
	return m.isFreeText() && utf8.RuneCountInString(m.text) > most
}

func isUnusual(m *member) bool {
	plain := plainName
	switch {
	case m.Hostname:
		plain = plainHost
	case m.Regex:
		plain = plainExpression
	}
	isWord := slices.Contains(programWords, strings.ToLower(m.text))
	return m.isFreeText() && (isWord || !plain.MatchString(m.text))
}

// mayBeTaken reports whether the text of the first free field, which may have to be unique, may be another object's.
func mayBeTaken(m *member) bool {
	first := slices.IndexFunc(m.op.Body.Fields, func(f *spec.Field) bool { return f.Type == "string" && !isListed(f) })
	isFirst := m.isFreeText() && m.op.Body.Fields[first] == m.Field
	return isFirst && m.text != "" && !m.isWrong() && (m.Unique == nil || !m.Unique(m.text))
}

func isReadOnly(r *reading, name string) bool {
	return r.op.Body.Named(name) == nil && r.op.Representation().Named(name) != nil
}

func isUnknown(r *reading, name string) bool {
	return r.op.Body.Named(name) == nil && r.op.Representation().Named(name) == nil
}
