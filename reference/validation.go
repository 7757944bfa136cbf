package reference

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"os"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"

	"github.com/adconform/adconform/spec"
)

// maxBody is how many bytes a request body may have.
const maxBody = 1 << 20

// readUpdate reads and checks the body of an update. Its error is a refusal:
// 400, 408, 413, 415, or 422 with an issue for every wrong field. A body whose
// length is too large is not waited for, nor asked for (RFC 9110, 10.1.1).
func (s *Server) readUpdate(r *http.Request, resource *resource) (update, error) {
	if r.ContentLength > maxBody {
		return nil, bodyTooLarge()
	}
	data, err := io.ReadAll(r.Body)
	if err != nil {
		if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
			return nil, bodyTooLarge()
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return nil, refuse(http.StatusRequestTimeout, "bodyTooSlow", "The request body did not come in time.")
		}
		return nil, refuse(http.StatusBadRequest, "unreadableBody", "The request body could not be read to its end.")
	}
	if len(data) == 0 {
		if s.choices.EmptyBody == Refuse {
			return nil, unprocessable("emptyBody", "The request has no body; send a JSON object.")
		}
		data = []byte("{}")
	} else if t := r.Header.Get("Content-Type"); t != "" && !isJSON(t) && s.choices.UnsupportedMediaType == Refuse {
		return nil, unsupportedMediaType()
	}
	members, err := s.choices.parseObject(data)
	if err != nil {
		return nil, err
	}
	return s.choices.validate(resource, members)
}

// isJSON says whether a Content-Type is application/json or a +json type (RFC
// 8259, 11; RFC 6839, 3.1).
func isJSON(contentType string) bool {
	t, _, err := mime.ParseMediaType(contentType)
	return err == nil && (t == "application/json" || strings.HasSuffix(t, "+json"))
}

// parseObject reads a JSON text (RFC 8259) that is an object: UTF-8 without
// lone surrogates, without members of the same name, with nothing after it but
// what TrailingText lets pass.
func (c *Choices) parseObject(data []byte) (map[string]jsontext.Value, error) {
	if c.TrailingText == Ignore {
		if first, err := jsontext.NewDecoder(bytes.NewReader(data)).ReadValue(); err == nil {
			data = first
		}
	}
	var members map[string]jsontext.Value
	err := json.Unmarshal(data, &members)
	if e, malformed := errors.AsType[*jsontext.SyntacticError](err); malformed {
		return nil, unprocessable("malformedJSON", fmt.Sprintf("The request body is not well-formed JSON: %v, at byte %d.", e.Err, e.ByteOffset))
	}
	if err != nil || members == nil { // null gives neither an error nor members
		return nil, unprocessable("notAnObject", "The request body has to be a JSON object.")
	}
	return members, nil
}

// resource says what an update of a kind of object may give.
type resource struct {
	fields   []field
	readOnly []string // fields that are shown but cannot be changed
}

// field is a changeable field; all of them are texts.
type field struct {
	name     string
	isName   bool    // name or hostname
	optional bool    // may be unset
	initial  *string // its value under OmittedFields: Reset
	check    func(c *Choices, text string) (stored, problem string)
}

var (
	profileResource = &resource{
		fields: []field{
			{name: "name", isName: true, initial: new("Untitled"), check: (*Choices).checkName},
			{name: "withoutCookiesAction", initial: new("pass"), check: (*Choices).checkAction},
			{name: "withCookiesAction", initial: new("pass"), check: (*Choices).checkAction},
		},
		readOnly: []string{"id", "createdAt", "updatedAt"},
	}
	ruleHostResource = &resource{
		fields: []field{
			{name: "hostname", isName: true, initial: new("example.com"), check: (*Choices).checkHostname},
			{name: "regularExpression", optional: true, check: (*Choices).checkRegex},
		},
		readOnly: []string{"id", "createdAt", "updatedAt"},
	}
	campaignResource = &resource{
		fields: []field{
			{name: "name", isName: true, initial: new("Untitled"), check: (*Choices).checkName},
		},
		readOnly: []string{"id", "createdAt", "updatedAt", "type", "shareURL", "adspecId", "userId"},
	}
)

// update is a valid request body: by field name the new value, nil to unset it.
type update map[string]*string

// text is the new value of a field that cannot be unset; old if it stays.
func (u update) text(name, old string) string {
	if value := u[name]; value != nil {
		return *value
	}
	return old
}

// optional is the new value of a field that can be unset; old if it stays.
func (u update) optional(name string, old *string) *string {
	if value, given := u[name]; given {
		return value
	}
	return old
}

// validate makes an update of the members of a request body. Its error is a
// 422 with one issue for each wrong field.
func (c *Choices) validate(of *resource, members map[string]jsontext.Value) (update, error) {
	if len(members) == 0 && c.EmptyObject == Refuse {
		return nil, unprocessable("emptyObject", "The request body changes nothing; give a field.")
	}
	var issues []spec.Issue
	wrong := func(issueType, name, message string) {
		issues = append(issues, spec.Issue{Type: issueType, Message: name + " " + message + ".", RelatedField: new(c.RelatedFieldForm.of(name))})
	}
	changes := update{}
	for _, f := range of.fields {
		value, given := members[f.name]
		isNull := value.Kind() == jsontext.KindNull
		switch {
		case !given || isNull && c.NullFields == Ignore:
			if c.RequireAllFields || c.RequireName && f.isName {
				wrong("missingField", f.name, "is missing")
			} else if c.OmittedFields == Reset {
				changes[f.name] = f.initial
			}
		case isNull && f.optional:
			changes[f.name] = nil
		case value.Kind() != jsontext.KindString && !(c.ScalarCoercion == Accept && f.isFree() && isScalar(value)):
			wrong("invalidType", f.name, "must be a string, not "+kindName(value))
		default:
			text := []byte(value)
			if value.Kind() == jsontext.KindString {
				text, _ = jsontext.AppendUnquote(nil, value) // value is a valid JSON string
			}
			stored, problem := f.check(c, string(text))
			if problem != "" {
				wrong("invalidValue", f.name, problem)
			} else if stored == "" && f.optional && c.EmptyRegexUnsets {
				changes[f.name] = nil
			} else {
				changes[f.name] = &stored
			}
		}
		delete(members, f.name)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		switch readOnly := slices.Contains(of.readOnly, name); {
		case readOnly && c.ReadOnlyFields == Refuse:
			wrong("readOnlyField", name, "cannot be changed")
		case !readOnly && c.UnknownFields == Refuse:
			wrong("unknownField", name, "is no field of the resource")
		}
	}
	if len(issues) > 0 {
		return nil, &refusal{status: http.StatusUnprocessableEntity, issues: issues}
	}
	return changes, nil
}

// isFree says whether any text may be right, not one of a list.
func (f *field) isFree() bool { return f.isName || f.optional }

func isScalar(value jsontext.Value) bool {
	switch value.Kind() {
	case jsontext.KindNumber, jsontext.KindTrue, jsontext.KindFalse:
		return true
	}
	return false
}

func kindName(value jsontext.Value) string {
	switch value.Kind() {
	case jsontext.KindNull:
		return "null"
	case jsontext.KindNumber:
		return "a number"
	case jsontext.KindBeginArray:
		return "an array"
	case jsontext.KindBeginObject:
		return "an object"
	}
	return "a boolean"
}

// of names a field of a request body.
func (f RelatedFieldForm) of(name string) string { return strings.TrimSuffix(string(f), "name") + name }

func (c *Choices) checkName(text string) (stored, problem string) {
	if c.NormalizeNames {
		text = norm.NFC.String(text)
	}
	text, problem = c.checkText(text)
	if problem == "" && c.PlainNamesOnly && strings.ContainsFunc(text, isNotPlain) {
		problem = "may hold letters, digits, spaces, -, _ and . only"
	}
	return text, problem
}

func (c *Choices) checkHostname(text string) (stored, problem string) {
	text, problem = c.checkText(text)
	if problem == "" && c.InvalidHostname == Refuse && !isHostname(text) {
		problem = "must be a DNS name such as cdn.example.com"
	}
	if c.LowercaseHostnames {
		text = strings.ToLower(text)
	}
	return text, problem
}

// checkText checks what names and hostnames have in common.
func (c *Choices) checkText(text string) (stored, problem string) {
	if c.TrimNames {
		text = strings.TrimSpace(text)
	}
	switch {
	case c.EmptyNames == Refuse && strings.TrimSpace(text) == "":
		problem = "must not be empty"
	case c.ControlCharacters == Refuse && strings.ContainsFunc(text, unicode.IsControl):
		problem = "must not hold control characters"
	case utf8.RuneCountInString(text) > c.MaxNameLength:
		problem = fmt.Sprintf("must not be longer than %d characters", c.MaxNameLength)
	}
	return text, problem
}

func (c *Choices) checkAction(text string) (stored, problem string) {
	if !slices.Contains(spec.Actions(), spec.Action(text)) {
		problem = "must be pass, warn or fail"
	}
	return text, problem
}

// checkRegex only parses: what parses compiles, but may take much memory to.
func (c *Choices) checkRegex(text string) (stored, problem string) {
	if c.ControlCharacters == Refuse && strings.ContainsFunc(text, unicode.IsControl) {
		return text, "must not hold control characters"
	}
	if _, err := syntax.Parse(text, syntax.Perl); err != nil && c.InvalidRegex == Refuse {
		return text, "must be a regular expression"
	}
	return text, ""
}

func isNotPlain(r rune) bool {
	return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" -_.", r)
}

// isHostname says whether text is a DNS name of letters, digits and hyphens
// (RFC 1123, 2.1), with or without the dot of the root. An IP address is none.
func isHostname(text string) bool {
	text = strings.TrimSuffix(text, ".")
	labels := strings.Split(text, ".")
	for _, label := range labels {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' || strings.ContainsFunc(label, isNotLDH) {
			return false
		}
	}
	top := labels[len(labels)-1]
	return len(text) <= 253 && strings.ContainsFunc(top, unicode.IsLetter)
}

func isNotLDH(r rune) bool {
	return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-'
}
